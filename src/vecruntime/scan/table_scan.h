// SPDX-License-Identifier: Apache-2.0
// Runs a ScanPlan: data files in, live rows that pass the filter out. Workers take morsels (page-aligned runs of about batch_rows rows of
// one row group); several may share one file.
//
// A file whose metrics tell all that the query looks at is not opened (file_stand_in.h).
//
//   morsel -> Selection of ones -> deletes -> filter, column by column -> the other columns, for what is still alive -> Batch
#pragma once

#include <arrow/type_fwd.h>

#include <memory>
#include <optional>
#include <vector>

#include "vecruntime/base/memory_budget.h"
#include "vecruntime/base/parallel.h"
#include "vecruntime/columnar/batch.h"
#include "vecruntime/columnar/column_use.h"
#include "vecruntime/expr/expr.h"
#include "vecruntime/iceberg/predicate.h"
#include "vecruntime/io/file_io.h"
#include "vecruntime/planning/scan_task.h"
#include "vecruntime/scan/scan_column.h"
#include "vecruntime/scan/scan_metrics.h"

namespace vecruntime::scan {

struct TableScanOptions {
  std::shared_ptr<const io::FileIO> file_io;
  std::shared_ptr<const iceberg::TableMetadata> metadata;
  planning::ScanPlan plan;
  std::vector<columnar::ColumnUse> uses;  // of `columns`; empty: all values of all
  std::vector<ScanColumn> columns;    // the batches' columns; with kDeleted among them deleted rows come out too, marked
  expr::ExprPtr filter;               // over `columns`; null for none
  iceberg::PredicatePtr predicate;    // prunes row groups and pages; null for none
  iceberg::PredicatePtr proof;        // tells row groups in which every row passes the filter (planning::ToProofPredicate); null for none
  int workers = 1;
  int64_t batch_rows = 40 * 1024;
  base::MemoryBudget* budget = nullptr;
  const base::CancelToken* cancel = nullptr;
  expr::EvalContext eval;
  std::shared_ptr<ScanMetrics> metrics;
};

class TableScan {
 public:
  explicit TableScan(TableScanOptions options);
  ~TableScan();

  /// Loads every delete file of the plan. Called once, before Next. Any failure means that no row comes out.
  arrow::Status Open();
  /// The next batch for `worker` (0 .. workers-1; all may call at once), or nullopt when nothing is left. Batches have a live row.
  arrow::Result<std::optional<columnar::Batch>> Next(int worker);

 private:
  struct OpenFile;
  struct WorkerState;

  arrow::Result<bool> TakeMorsel(WorkerState* state);
  arrow::Status OpenInto(OpenFile* file);
  arrow::Status MakeMorsels(OpenFile* file) const;
  columnar::ColumnUse UseOf(size_t column) const {
    return options_.uses.empty() ? columnar::ColumnUse{.values = true} : options_.uses[column];
  }
  arrow::Status StartFile(WorkerState* state);
  arrow::Result<std::optional<columnar::Batch>> ReadRows(WorkerState* state, base::FileRowRange range);
  arrow::Status ApplyDeletes(WorkerState* state, columnar::Selection* rows, columnar::Batch* batch);
  arrow::Status ApplyFilter(WorkerState* state, columnar::Selection* rows, columnar::Batch* batch);
  arrow::Status ReadColumn(WorkerState* state, size_t column, const columnar::Selection& rows, columnar::Batch* batch);

  struct Shared;
  const TableScanOptions options_;
  std::optional<size_t> deleted_column_;
  std::unique_ptr<Shared> shared_;
};

}  // namespace vecruntime::scan
