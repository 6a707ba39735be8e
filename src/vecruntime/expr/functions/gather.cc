// SPDX-License-Identifier: Apache-2.0
#include "vecruntime/expr/functions/gather.h"

#include <arrow/array/builder_primitive.h>
#include <arrow/compute/api_vector.h>
#include <arrow/compute/exec.h>

namespace vecruntime::expr {

arrow::Result<std::shared_ptr<arrow::Array>> TakeRows(const arrow::Array& values, const std::vector<int64_t>& indices, arrow::MemoryPool* pool) {
  arrow::Int64Builder builder(pool);
  ARROW_RETURN_NOT_OK(builder.Reserve(static_cast<int64_t>(indices.size())));
  for (const int64_t index : indices) {
    if (index < 0) {
      builder.UnsafeAppendNull();
    } else {
      builder.UnsafeAppend(index);
    }
  }
  ARROW_ASSIGN_OR_RAISE(const auto positions, builder.Finish());
  arrow::compute::ExecContext context(pool);
  context.set_use_threads(false);
  ARROW_ASSIGN_OR_RAISE(const arrow::Datum taken, arrow::compute::Take(arrow::Datum(values.data()), arrow::Datum(positions),
                                                                       arrow::compute::TakeOptions::NoBoundsCheck(), &context));
  return taken.make_array();
}

arrow::Result<arrow::Datum> ListGather::FinishAround(const std::shared_ptr<arrow::DataType>& type, std::shared_ptr<arrow::ArrayData> child,
                                                     const columnar::Selection& valid, arrow::MemoryPool* pool) const {
  if (indices_.size() > static_cast<size_t>(std::numeric_limits<int32_t>::max())) return StringsTooLong();
  int64_t null_count = 0;
  ARROW_ASSIGN_OR_RAISE(auto validity, ValidityBuffer(valid, pool, &null_count));
  auto offsets = arrow::Buffer::FromVector(offsets_);
  return arrow::Datum(arrow::ArrayData::Make(type, valid.length(), {std::move(validity), std::move(offsets)}, {std::move(child)}, null_count));
}

arrow::Result<arrow::Datum> ListGather::FinishList(const std::shared_ptr<arrow::DataType>& type, const arrow::Array& values,
                                                   const columnar::Selection& valid, arrow::MemoryPool* pool) const {
  ARROW_ASSIGN_OR_RAISE(const auto taken, TakeRows(values, indices_, pool));
  return FinishAround(type, taken->data(), valid, pool);
}

}  // namespace vecruntime::expr
