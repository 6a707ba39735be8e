// SPDX-License-Identifier: Apache-2.0
// One SQL statement from its text to its reader.
#pragma once

#include <arrow/type_fwd.h>

#include <atomic>
#include <chrono>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "vecruntime/base/memory_budget.h"
#include "vecruntime/base/parallel.h"
#include "vecruntime/exec/pipeline.h"
#include "vecruntime/options.h"
#include "vecruntime/session/table_relation.h"
#include "vecruntime/sql/statement.h"

namespace vecruntime::session {

/// Planned -> Run -> read. Used by one thread; Cancel from any.
class Statement : public std::enable_shared_from_this<Statement> {
 public:
  struct Environment {
    std::shared_ptr<const void> keep_alive;  // owns loader and budget
    const TableLoader* loader = nullptr;
    base::MemoryBudget* budget = nullptr;
    SessionOptions options;  // threads > 0
  };
  /// Wall time of one pipeline that has run.
  struct PipelineTime {
    std::string operators;  // "Scan t [a] > Filter ... > Aggregate ..."
    std::chrono::nanoseconds elapsed{};
  };

  static std::shared_ptr<Statement> Make(Environment environment);

  /// Parses, binds and plans, scans included. Called once.
  arrow::Status Plan(std::string_view text);
  /// Runs all but the last pipeline, whose batches are the reader's, which keeps the statement alive. Called once.
  arrow::Result<std::shared_ptr<arrow::RecordBatchReader>> Run(Delivery delivery);
  void Cancel() { cancel_.Cancel(); }

  const std::string& explanation() const { return plan_.explanation; }
  const std::vector<std::shared_ptr<ScanReport>>& reports() const { return resolver_.reports(); }
  const std::vector<PipelineTime>& pipeline_times() const { return pipeline_times_; }
  /// What workers spent in the operators above the scans: filters, projections, aggregates, sorts.
  std::shared_ptr<const std::atomic<int64_t>> operator_ns() const { return operator_ns_; }
  std::string DescribeLastPipeline() const { return last_pipeline_; }

 private:
  explicit Statement(Environment environment);

  Environment environment_;
  base::CancelToken cancel_;
  const std::shared_ptr<std::atomic<int64_t>> operator_ns_ = std::make_shared<std::atomic<int64_t>>(0);
  exec::ExecContext context_;
  TableResolver resolver_;
  sql::PhysicalPlan plan_;
  std::vector<PipelineTime> pipeline_times_;
  std::string last_pipeline_;
};

}  // namespace vecruntime::session
