// SPDX-License-Identifier: Apache-2.0
#include "vecruntime/exec/aggregates/accumulator.h"

#include <arrow/buffer.h>
#include <arrow/type.h>
#include <arrow/util/bit_util.h>

#include <cstring>
#include <string>

#include "vecruntime/base/error.h"
#include "vecruntime/columnar/kernels.h"
#include "vecruntime/expr/function_registry.h"

namespace vecruntime::exec {

arrow::Status CheckArgumentCount(const AggregateCall& call, size_t expected) {
  if (call.arguments.size() == expected) return arrow::Status::OK();
  return base::InvalidArgument("[WRONG_NUM_ARGS.WITHOUT_SUGGESTION] The `", call.function, "` requires ", expected,
                               " parameters but the actual number is ", call.arguments.size(), ".");
}

arrow::Status UnexpectedType(const AggregateCall& call, size_t argument, std::string_view required) {
  static constexpr const char* kOrdinals[] = {"first", "second", "third"};
  return base::InvalidArgument("[DATATYPE_MISMATCH.UNEXPECTED_INPUT_TYPE] Cannot resolve \"", call.function, "\" due to data type mismatch: The ",
                               kOrdinals[argument], " parameter requires the ", required, " type, however \"",
                               call.arguments[argument]->ToString(), "\" has the type \"",
                               expr::TypeName(*call.arguments[argument]->type()), "\".");
}

arrow::Status CoerceArgumentsToDouble(AggregateCall* call) {
  for (size_t i = 0; i < call->arguments.size(); ++i) {
    const auto& type = *call->arguments[i]->type();
    const bool numeric = arrow::is_integer(type.id()) || arrow::is_floating(type.id()) || arrow::is_decimal(type.id());
    if (!numeric && type.id() != arrow::Type::STRING && type.id() != arrow::Type::NA) return UnexpectedType(*call, i, "\"DOUBLE\"");
    ARROW_ASSIGN_OR_RAISE(call->arguments[i], expr::BindCast(call->arguments[i], arrow::float64(), false));
  }
  return arrow::Status::OK();
}

std::span<const int64_t> GroupParts::sizes() {
  if (sizes_.empty()) {
    for (const GroupedRows& part : parts_) sizes_.push_back(part.rows->CountLive());
  }
  return sizes_;
}

const uint8_t* GroupParts::part_of_row() {
  if (!part_of_row_.empty()) return part_of_row_.data();
  const int64_t rows = parts_[0].rows->length();
  part_of_row_.assign(static_cast<size_t>(rows) + 1, static_cast<uint8_t>(parts_.size()));
  for (size_t p = 0; p < parts_.size(); ++p) {
    columnar::ActiveKernels().fill_bytes(parts_[p].rows->words().data(), rows, static_cast<uint8_t>(p), part_of_row_.data());
  }
  return part_of_row_.data();
}

arrow::Status Accumulator::UpdateParts(const ArrayVector& arguments, GroupParts* groups) {
  for (const GroupedRows& part : groups->parts()) ARROW_RETURN_NOT_OK(Update(arguments, part));
  return arrow::Status::OK();
}

columnar::Selection WithoutNulls(const columnar::Selection& rows, const ArrayVector& arguments) {
  columnar::Selection valid = rows;
  for (const auto& argument : arguments) {
    if (argument->type_id() == arrow::Type::NA) return columnar::Selection::None(rows.length());
    if (argument->null_count() == 0) continue;
    valid.AndBitmap(argument->null_bitmap_data(), argument->offset());
  }
  return valid;
}

arrow::Result<std::shared_ptr<arrow::Array>> FixedWidthArray(const std::shared_ptr<arrow::DataType>& type, const void* values, size_t count,
                                                             std::span<const uint8_t> valid, arrow::MemoryPool* pool) {
  const size_t bytes = count * static_cast<size_t>(type->byte_width());
  ARROW_ASSIGN_OR_RAISE(std::shared_ptr<arrow::Buffer> data, arrow::AllocateBuffer(static_cast<int64_t>(bytes), pool));
  if (bytes != 0) std::memcpy(data->mutable_data(), values, bytes);
  std::shared_ptr<arrow::Buffer> bitmap;
  if (!valid.empty()) {
    ARROW_ASSIGN_OR_RAISE(bitmap, arrow::AllocateEmptyBitmap(static_cast<int64_t>(count), pool));
    for (size_t g = 0; g < count; ++g) {
      if (valid[g] != 0) arrow::bit_util::SetBit(bitmap->mutable_data(), static_cast<int64_t>(g));
    }
  }
  return arrow::MakeArray(arrow::ArrayData::Make(type, static_cast<int64_t>(count), {bitmap, data}));
}

}  // namespace vecruntime::exec
