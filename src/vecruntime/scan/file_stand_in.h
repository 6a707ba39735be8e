// SPDX-License-Identifier: Apache-2.0
// Rows made from a manifest entry that stand for the rows of a data file which is not opened: as many, and alike in all that the query
// looks at (columnar::ColumnUse). So count(*), min and max need no code of their own, and files that must be read mix with files that need
// not.
#pragma once

#include <arrow/type_fwd.h>

#include <memory>
#include <vector>

#include "vecruntime/base/row.h"
#include "vecruntime/columnar/column_use.h"
#include "vecruntime/planning/scan_task.h"
#include "vecruntime/scan/scan_column.h"

namespace vecruntime::scan {

/// Tells the data files whose rows a manifest entry can stand for, in one scan. Const after construction, then thread-safe.
class StandInCheck {
 public:
  /// REQUIRES: metadata outlives the check. `uses` are those of `columns`.
  StandInCheck(const std::vector<ScanColumn>& columns, const std::vector<columnar::ColumnUse>& uses, const iceberg::TableMetadata& metadata);

  /// No equality deletes; the filter, if any, proven; NULL counts without deletes, unless all values or none are NULL; extremes from exact
  /// bounds (integers, dates, timestamps, decimals) and without deletes. And the entry's record count agrees with its value counts: a
  /// count that nothing confirms is not believed.
  bool operator()(const planning::ScanTask& task) const;
  /// The fields whose metrics it looks at; none when no file can pass.
  std::vector<iceberg::FieldId> fields() const;

 private:
  std::vector<ScanColumn> columns_;  // those that something is looked at of
  std::vector<columnar::ColumnUse> uses_;
  const iceberg::TableMetadata& metadata_;
  bool possible_ = true;
  iceberg::FieldId witness_ = -1;  // the column that a file has as many values of as rows
};

/// The stand-in columns of one data file. Owned by one worker.
class FileStandIn {
 public:
  /// REQUIRES: passed the StandInCheck.
  FileStandIn(planning::EntryPtr entry, std::shared_ptr<const iceberg::TableMetadata> metadata, arrow::MemoryPool* pool)
      : entry_(std::move(entry)), metadata_(std::move(metadata)), pool_(pool) {}

  /// One array of rows.length() values.
  arrow::Result<std::shared_ptr<arrow::Array>> Get(const ScanColumn& column, const columnar::ColumnUse& use, base::FileRowRange rows) const;

 private:
  const planning::EntryPtr entry_;
  const std::shared_ptr<const iceberg::TableMetadata> metadata_;
  arrow::MemoryPool* const pool_;
};

}  // namespace vecruntime::scan
