// SPDX-License-Identifier: Apache-2.0
// Nested results made by gathering: kernels decide which child values go where as indexes, one Take moves the values.
#pragma once

#include <arrow/array.h>
#include <arrow/result.h>

#include <memory>
#include <vector>

#include "vecruntime/expr/row_kernel.h"

namespace vecruntime::expr {

/// values[indices], NULL where an index is -1.
arrow::Result<std::shared_ptr<arrow::Array>> TakeRows(const arrow::Array& values, const std::vector<int64_t>& indices, arrow::MemoryPool* pool);

/// An argument that is a list (or map) column.
class ListInput {
 public:
  explicit ListInput(const Argument& argument)
      : argument_(argument), lists_(std::static_pointer_cast<arrow::ListArray>(arrow::MakeArray(argument.data))) {}
  /// Positions of the row's elements in values(): [begin, end).
  int64_t begin(int64_t row) const { return lists_->value_offset(argument_.RowOf(row)); }
  int64_t end(int64_t row) const { return lists_->value_offset(argument_.RowOf(row) + 1); }
  int64_t length(int64_t row) const { return end(row) - begin(row); }
  bool IsValid(int64_t row) const { return lists_->IsValid(argument_.RowOf(row)); }
  const arrow::Array& values() const { return *lists_->values(); }
  const std::shared_ptr<arrow::Array>& values_ptr() const { return lists_->values(); }
  /// Keys and items when the argument is a map.
  const arrow::Array& keys() const { return *static_cast<const arrow::MapArray&>(*lists_).keys(); }
  const arrow::Array& items() const { return *static_cast<const arrow::MapArray&>(*lists_).items(); }

 private:
  const Argument& argument_;
  std::shared_ptr<arrow::ListArray> lists_;
};

/// Collects one list per row as positions in some array of values.
class ListGather {
 public:
  explicit ListGather(int64_t num_rows) { offsets_.reserve(static_cast<size_t>(num_rows) + 1); }
  /// -1 is a NULL element.
  void Add(int64_t position) { indices_.push_back(position); }
  void EndRow() { offsets_.push_back(static_cast<int32_t>(indices_.size())); }
  const std::vector<int64_t>& indices() const { return indices_; }

  /// `type` is a list whose values have the type of `values`.
  arrow::Result<arrow::Datum> FinishList(const std::shared_ptr<arrow::DataType>& type, const arrow::Array& values,
                                         const columnar::Selection& valid, arrow::MemoryPool* pool) const;
  /// As FinishList around a child array that is already in order (one value per Add).
  arrow::Result<arrow::Datum> FinishAround(const std::shared_ptr<arrow::DataType>& type, std::shared_ptr<arrow::ArrayData> child,
                                           const columnar::Selection& valid, arrow::MemoryPool* pool) const;

 private:
  std::vector<int64_t> indices_;
  std::vector<int32_t> offsets_ = {0};
};

}  // namespace vecruntime::expr
