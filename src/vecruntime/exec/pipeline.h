// SPDX-License-Identifier: Apache-2.0
// How operators run: a pipeline is one Source, any number of Transforms, one Sink. Workers pull batches from the source, push them through
// the transforms into their own local state of the sink; then the states are combined. A query plan is a chain of pipelines in which the
// sink of one is the source of the next (morsel-driven parallelism: Leis et al., SIGMOD 2014).
//
//   Source::Next(worker) -> Transform::Apply -> ... -> Sink::Consume(worker)      for every worker, in parallel
//   Sink::Finish()                                                                once, after all workers ended
//   Sink::AsSource()                                                              read by the next pipeline
#pragma once

#include <arrow/type_fwd.h>

#include <atomic>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "vecruntime/base/memory_budget.h"
#include "vecruntime/base/parallel.h"
#include "vecruntime/columnar/batch.h"
#include "vecruntime/expr/expr.h"

namespace vecruntime::exec {

/// What every operator of one statement shares. Outlives the pipelines.
struct ExecContext {
  int workers = 1;
  int64_t batch_rows = 40 * 1024;  // upper bound of the rows of a batch an operator emits
  base::MemoryBudget* budget = nullptr;
  const base::CancelToken* cancel = nullptr;
  expr::EvalContext eval;
  std::atomic<int64_t>* operator_ns = nullptr;  // time in transforms and sinks, summed over workers; null for nobody who wants to know
};

/// Yields batches. Next may be called by all workers at once, each with its own worker number. A source whose rows have an order gives
/// all of its batches to worker 0, so that the order survives any number of workers.
class Source {
 public:
  virtual ~Source() = default;
  virtual const std::shared_ptr<arrow::Schema>& output_schema() const = 0;
  /// Called once before the first Next, by one thread.
  virtual arrow::Status Open(const ExecContext& context) = 0;
  /// The next batch for this worker, or nullopt when there is none left for it.
  virtual arrow::Result<std::optional<columnar::Batch>> Next(int worker) = 0;
  /// One line for EXPLAIN.
  virtual std::string Describe() const = 0;
};

/// Stateless between batches; called by all workers at once.
class Transform {
 public:
  virtual ~Transform() = default;
  virtual const std::shared_ptr<arrow::Schema>& output_schema() const = 0;
  virtual arrow::Status Apply(const ExecContext& context, columnar::Batch* batch) const = 0;
  virtual std::string Describe() const = 0;
};

class Sink {
 public:
  virtual ~Sink() = default;
  virtual const std::shared_ptr<arrow::Schema>& output_schema() const = 0;
  virtual arrow::Status Open(const ExecContext& context) = 0;
  /// Takes a batch into the local state of `worker`. Called by that worker only.
  virtual arrow::Status Consume(int worker, columnar::Batch batch) = 0;
  /// True when no further batch can change the result (LIMIT reached); workers stop early.
  virtual bool Done() const { return false; }
  /// Combines the local states. Called once, by one thread, after the last Consume.
  virtual arrow::Status Finish() = 0;
  /// The result. REQUIRES: Finish returned OK. The source keeps what it needs alive.
  virtual arrow::Result<std::unique_ptr<Source>> AsSource() = 0;
  virtual std::string Describe() const = 0;
};

struct Pipeline {
  std::unique_ptr<Source> source;
  std::vector<std::unique_ptr<Transform>> transforms;
  std::unique_ptr<Sink> sink;  // null in the last pipeline: its batches are the query's result
};

/// Runs `pipeline` to its sink's Finish. Polls context.cancel between batches.
arrow::Status Run(Pipeline* pipeline, const ExecContext& context);

/// How much of a result is gathered before its first row is handed out.
enum class ReadAhead {
  kAll,    // a failing statement yields no row; the result has to fit the memory budget
  kRound,  // enough to keep all workers busy, at most a quarter of the budget
};

/// A reader of the last pipeline (its sink must be null): compacted record batches of its output schema, gathered by all workers. The plan's
/// earlier pipelines must have been run. Owns `pipeline`; `context` must outlive the reader.
arrow::Result<std::shared_ptr<arrow::RecordBatchReader>> MakeReader(Pipeline pipeline, const ExecContext& context,
                                                                    ReadAhead read_ahead = ReadAhead::kAll);

}  // namespace vecruntime::exec
