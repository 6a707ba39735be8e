// SPDX-License-Identifier: Apache-2.0
#include "vecruntime/expr/branch_merger.h"

#include <arrow/array.h>
#include <arrow/array/builder_primitive.h>
#include <arrow/array/concatenate.h>
#include <arrow/array/util.h>
#include <arrow/compute/api_vector.h>
#include <arrow/compute/exec.h>
#include <arrow/scalar.h>
#include <arrow/type.h>

#include <cstring>

#include "vecruntime/expr/row_kernel.h"

namespace vecruntime::expr {
namespace {

arrow::Result<Argument> AsArgument(const arrow::Datum& values, arrow::MemoryPool* pool) {
  if (values.is_array()) return Argument{values.array(), false};
  ARROW_ASSIGN_OR_RAISE(const auto one, arrow::MakeArrayFromScalar(*values.scalar(), 1, pool));
  return Argument{one->data(), true};
}

template <typename T>
void CopyRows(const Argument& from, const columnar::Selection& rows, uint8_t* to) {
  const uint8_t* source = from.data->buffers[1]->data() + from.data->offset * static_cast<int64_t>(sizeof(T));
  rows.ForEachLive([&](int64_t row) {
    std::memcpy(to + row * static_cast<int64_t>(sizeof(T)), source + from.RowOf(row) * static_cast<int64_t>(sizeof(T)), sizeof(T));
  });
}

}  // namespace

void BranchMerger::Add(arrow::Datum values, columnar::Selection rows) {
  if (!rows.NoneLive()) branches_.push_back({std::move(values), std::move(rows)});
}

arrow::Result<arrow::Datum> BranchMerger::Finish() {
  if (branches_.empty()) return arrow::Datum(arrow::MakeNullScalar(type_));
  if (branches_.size() == 1 && branches_[0].rows.AllLive()) return branches_[0].values;
  switch (type_->id()) {
    case arrow::Type::INT8:
    case arrow::Type::INT16:
    case arrow::Type::INT32:
    case arrow::Type::INT64:
    case arrow::Type::FLOAT:
    case arrow::Type::DOUBLE:
    case arrow::Type::DATE32:
    case arrow::Type::TIMESTAMP:
    case arrow::Type::TIME64:
    case arrow::Type::DURATION:
    case arrow::Type::INTERVAL_MONTHS:
    case arrow::Type::DECIMAL128:
      return MergeFixedWidth(static_cast<const arrow::FixedWidthType&>(*type_).bit_width() / 8);
    default:
      return MergeByTaking();
  }
}

arrow::Result<arrow::Datum> BranchMerger::MergeFixedWidth(int byte_width) const {
  ARROW_ASSIGN_OR_RAISE(std::shared_ptr<arrow::Buffer> buffer, arrow::AllocateBuffer(num_rows_ * byte_width, pool_));
  uint8_t* out = buffer->mutable_data();
  std::memset(out, 0, static_cast<size_t>(buffer->size()));
  columnar::Selection valid = columnar::Selection::None(num_rows_);
  for (const Branch& branch : branches_) {
    ARROW_ASSIGN_OR_RAISE(const Argument values, AsArgument(branch.values, pool_));
    columnar::Selection rows = branch.rows;
    if (values.data->GetNullCount() > 0) {
      if (values.constant) continue;
      rows.AndBitmap(values.data->buffers[0]->data(), values.data->offset);
    }
    valid.Or(rows);
    switch (byte_width) {
      case 1:
        CopyRows<uint8_t>(values, rows, out);
        break;
      case 2:
        CopyRows<uint16_t>(values, rows, out);
        break;
      case 4:
        CopyRows<uint32_t>(values, rows, out);
        break;
      case 8:
        CopyRows<uint64_t>(values, rows, out);
        break;
      default:
        CopyRows<Int128>(values, rows, out);
    }
  }
  return FixedResult(type_, valid, std::move(buffer), pool_);
}

arrow::Result<arrow::Datum> BranchMerger::MergeByTaking() const {
  arrow::ArrayVector pieces;
  std::vector<int64_t> index(static_cast<size_t>(num_rows_), -1);
  int64_t base = 0;
  for (const Branch& branch : branches_) {
    ARROW_ASSIGN_OR_RAISE(const Argument values, AsArgument(branch.values, pool_));
    branch.rows.ForEachLive([&](int64_t row) { index[static_cast<size_t>(row)] = base + values.RowOf(row); });
    pieces.push_back(arrow::MakeArray(values.data));
    base += pieces.back()->length();
  }
  ARROW_ASSIGN_OR_RAISE(const auto all, arrow::Concatenate(pieces, pool_));
  arrow::Int64Builder indices(pool_);
  ARROW_RETURN_NOT_OK(indices.Reserve(num_rows_));
  for (const int64_t at : index) {
    if (at < 0) {
      indices.UnsafeAppendNull();
    } else {
      indices.UnsafeAppend(at);
    }
  }
  ARROW_ASSIGN_OR_RAISE(const auto taken, indices.Finish());
  arrow::compute::ExecContext context(pool_);
  context.set_use_threads(false);
  return arrow::compute::Take(arrow::Datum(all), arrow::Datum(taken), arrow::compute::TakeOptions::NoBoundsCheck(), &context);
}

}  // namespace vecruntime::expr
