// SPDX-License-Identifier: Apache-2.0
// The cells of a batch: its live rows by their combination of codes in some dictionary-encoded columns, and sums over each cell.
#pragma once

#include <arrow/array/array_dict.h>
#include <arrow/result.h>

#include <cstdint>
#include <optional>
#include <vector>

#include "vecruntime/columnar/batch.h"
#include "vecruntime/exec/aggregates/accumulator.h"

namespace vecruntime::exec {

/// A column by which cells can be told apart: codes of a dictionary that all name a value. Null for other columns.
const arrow::DictionaryArray* InCodes(const arrow::Array& column);

/// Views a batch, which outlives it. One thread.
class CodeCells {
 public:
  /// Most combinations that codes may have.
  static constexpr int64_t kCombinationsMax = 4096;

  /// REQUIRES: the columns are InCodes, with at most kCombinationsMax combinations.
  CodeCells(const columnar::Batch& batch, std::vector<int> columns);

  int64_t size() const { return static_cast<int64_t>(row_counts_.size()); }
  /// Live rows of each cell; none is 0.
  const std::vector<int64_t>& row_counts() const { return row_counts_; }
  /// One row a cell, with the columns in codes; the batch's other columns are null.
  arrow::Result<columnar::Batch> AsBatch(arrow::MemoryPool* pool) const;
  /// The sums of a column of numbers without NULLs: in double of floats, exact of integers and decimals; nullopt when they do not fit 126 bits.
  std::optional<CellSums> Sum(const arrow::Array& column) const;

 private:
  template <typename Sum, typename ValueOf>
  std::vector<Sum> SumRows(const ValueOf& value_of) const;
  template <typename Sum>
  std::vector<Sum> SumColumn(const arrow::Array& column, bool narrow) const;
  template <typename To, typename From>
  std::vector<To> OfLiveCells(const std::vector<From>& sums) const;

  const columnar::Batch& batch_;
  const std::vector<int> columns_;
  int64_t combinations_ = 1;
  std::vector<uint16_t> combination_of_row_;  // combinations_ where the row is dead
  std::vector<uint16_t> live_;                // combinations that are cells
  std::vector<int64_t> row_counts_;
};

}  // namespace vecruntime::exec
