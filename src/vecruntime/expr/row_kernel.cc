// SPDX-License-Identifier: Apache-2.0
#include "vecruntime/expr/row_kernel.h"

#include <arrow/array.h>
#include <arrow/array/util.h>

#include "vecruntime/base/error.h"

namespace vecruntime::expr {

arrow::Result<KernelCall> KernelCall::Make(const std::vector<arrow::Datum>& arguments, const columnar::Selection& rows,
                                           const EvalContext& context) {
  KernelCall call;
  call.rows_ = &rows;
  call.context_ = &context;
  call.arguments_.reserve(arguments.size());
  for (const arrow::Datum& datum : arguments) {
    if (datum.is_scalar()) {
      ARROW_ASSIGN_OR_RAISE(const auto one, arrow::MakeArrayFromScalar(*datum.scalar(), 1, context.pool));
      call.arguments_.push_back({one->data(), true});
    } else if (datum.is_array() && datum.length() == rows.length()) {
      call.arguments_.push_back({datum.array(), false});
    } else {
      return base::Internal("Kernel argument is neither a scalar nor as long as the batch");
    }
  }
  return call;
}

namespace {

void AndValidity(const Argument& argument, columnar::Selection* valid) {
  const arrow::ArrayData& data = *argument.data;
  if (data.type->id() == arrow::Type::NA) return valid->KillRange(0, valid->length());
  if (data.buffers[0] == nullptr || data.GetNullCount() == 0) return;
  if (argument.constant) return valid->KillRange(0, valid->length());
  valid->AndBitmap(data.buffers[0]->data(), data.offset);
}

}  // namespace

columnar::Selection KernelCall::ValidRows() const {
  columnar::Selection valid = columnar::Selection::All(num_rows());
  for (const Argument& argument : arguments_) AndValidity(argument, &valid);
  return valid;
}

columnar::Selection KernelCall::ValidRows(size_t k) const {
  columnar::Selection valid = columnar::Selection::All(num_rows());
  AndValidity(arguments_[k], &valid);
  return valid;
}

namespace {

arrow::Result<std::shared_ptr<arrow::Buffer>> BitsBuffer(const columnar::Selection& bits, arrow::MemoryPool* pool) {
  const auto words = bits.words();
  ARROW_ASSIGN_OR_RAISE(std::shared_ptr<arrow::Buffer> buffer,
                        arrow::AllocateBuffer(static_cast<int64_t>(words.size_bytes()), pool));
  if (!words.empty()) std::memcpy(buffer->mutable_data(), words.data(), words.size_bytes());
  return buffer;
}

}  // namespace

arrow::Result<std::shared_ptr<arrow::Buffer>> ValidityBuffer(const columnar::Selection& valid, arrow::MemoryPool* pool,
                                                             int64_t* null_count) {
  *null_count = valid.length() - valid.CountLive();
  if (*null_count == 0) return nullptr;
  return BitsBuffer(valid, pool);
}

arrow::Result<arrow::Datum> FixedResult(const std::shared_ptr<arrow::DataType>& type, const columnar::Selection& valid,
                                        std::shared_ptr<arrow::Buffer> values, arrow::MemoryPool* pool) {
  int64_t null_count = 0;
  ARROW_ASSIGN_OR_RAISE(auto validity, ValidityBuffer(valid, pool, &null_count));
  return arrow::Datum(arrow::ArrayData::Make(type, valid.length(), {std::move(validity), std::move(values)}, null_count));
}

arrow::Result<arrow::Datum> StringResult(const std::shared_ptr<arrow::DataType>& type, const columnar::Selection& valid,
                                         std::shared_ptr<arrow::Buffer> offsets, std::string data, arrow::MemoryPool* pool) {
  int64_t null_count = 0;
  ARROW_ASSIGN_OR_RAISE(auto validity, ValidityBuffer(valid, pool, &null_count));
  return arrow::Datum(arrow::ArrayData::Make(
      type, valid.length(), {std::move(validity), std::move(offsets), arrow::Buffer::FromString(std::move(data))}, null_count));
}

arrow::Result<arrow::Datum> BooleanResult(const columnar::Selection& valid, const columnar::Selection& values,
                                          arrow::MemoryPool* pool) {
  ARROW_ASSIGN_OR_RAISE(auto bits, BitsBuffer(values, pool));
  return FixedResult(arrow::boolean(), valid, std::move(bits), pool);
}

arrow::Status StringsTooLong() { return base::ResourceExhausted("String results of one batch exceed 2 GiB"); }

}  // namespace vecruntime::expr
