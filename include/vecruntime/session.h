// SPDX-License-Identifier: Apache-2.0
// The entry point: settings, catalogs, a memory budget, and statements.
//
//   auto session = vecruntime::Session::Make({.warehouse = "/data/warehouse"}).ValueOrDie();
//   auto reader = session->Sql("SELECT count(*) FROM db.orders").ValueOrDie();
//   auto rows = reader->ToTable().ValueOrDie();
#pragma once

#include <arrow/type_fwd.h>

#include <chrono>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "vecruntime/catalog.h"
#include "vecruntime/error.h"
#include "vecruntime/options.h"
#include "vecruntime/table.h"

namespace vecruntime {

/// How far the running statement is; counts only grow during a statement.
struct Progress {
  int64_t files_total = 0;  // known once planning has ended
  int64_t files_done = 0;
  int64_t rows_read = 0;    // rows that left the scans
};

/// What a statement spent in one phase, named as EXPLAIN ANALYZE does.
struct PhaseTime {
  std::string phase;
  std::chrono::nanoseconds time{};
};

/// Thread-safe except that one statement runs at a time; Cancel and progress may be called from anywhere meanwhile. Readers keep the
/// session alive. Errors of every call carry a kind (error.h).
class Session : public std::enable_shared_from_this<Session> {
 public:
  static arrow::Result<std::shared_ptr<Session>> Make(SessionOptions options = {});
  virtual ~Session() = default;

  virtual const SessionOptions& options() const = 0;

  /// Makes the tables of a catalog known as `name`.namespace.table. `uri`: a directory of a Hadoop catalog.
  virtual arrow::Result<std::shared_ptr<Catalog>> OpenCatalog(const std::string& name, const std::string& uri) = 0;
  virtual std::vector<std::shared_ptr<Catalog>> catalogs() const = 0;

  /// `name`: "ns.table", "catalog.ns.table", or the path of a table's directory or metadata file.
  virtual arrow::Result<std::shared_ptr<Table>> LoadTable(const std::string& name) = 0;

  /// Plans and starts one statement. Everything but the last pipeline has run when it returns; errors of the rest come from the reader.
  virtual arrow::Result<std::shared_ptr<arrow::RecordBatchReader>> Sql(std::string_view statement, Delivery delivery = Delivery::kWhole) = 0;
  /// Statements of a script, split at semicolons.
  virtual arrow::Result<std::vector<std::string>> SplitScript(std::string_view script) const = 0;
  /// The plan as text: operators, and for each scan the files, bytes, deletes, and what was skipped and why. `analyze` runs the statement
  /// and adds measured times and counts.
  virtual arrow::Result<std::string> Explain(std::string_view statement, bool analyze = false) = 0;
  /// Snapshots, files, delete files with their share of dead rows, and what to do about them, as text.
  virtual arrow::Result<std::string> Inspect(const std::string& table) = 0;

  /// Stops the running statement: it ends with Cancelled. From any thread, not from a signal handler.
  virtual void Cancel() = 0;
  virtual Progress progress() const = 0;
  /// Of the statement that was last started: "plan" in wall time, then the phases of its scans and "operators" (what runs above the scans),
  /// summed over workers; none contains another. Complete once
  /// its reader has ended.
  virtual std::vector<PhaseTime> phase_times() const = 0;
};

/// For programs that read from S3: call once at the end of main, after the last session and reader are gone. Nothing can be read from S3
/// afterwards.
void ShutDown();

}  // namespace vecruntime
