// SPDX-License-Identifier: Apache-2.0
// Puts together one column from branches that were evaluated on disjoint sets of rows (CASE, COALESCE).
#pragma once

#include <arrow/datum.h>
#include <arrow/result.h>
#include <arrow/type_fwd.h>

#include <memory>
#include <vector>

#include "vecruntime/columnar/selection.h"

namespace vecruntime::expr {

class BranchMerger {
 public:
  BranchMerger(std::shared_ptr<arrow::DataType> type, int64_t num_rows, arrow::MemoryPool* pool)
      : type_(std::move(type)), num_rows_(num_rows), pool_(pool) {}

  /// `values` (of the merger's type) hold at `rows`. REQUIRES: rows given before are not in `rows`.
  void Add(arrow::Datum values, columnar::Selection rows);
  /// Rows that no branch has are NULL. A single branch is returned as it is.
  arrow::Result<arrow::Datum> Finish();

 private:
  struct Branch {
    arrow::Datum values;
    columnar::Selection rows;
  };
  arrow::Result<arrow::Datum> MergeFixedWidth(int byte_width) const;
  arrow::Result<arrow::Datum> MergeByTaking() const;

  std::shared_ptr<arrow::DataType> type_;
  int64_t num_rows_;
  arrow::MemoryPool* pool_;
  std::vector<Branch> branches_;
};

}  // namespace vecruntime::expr
