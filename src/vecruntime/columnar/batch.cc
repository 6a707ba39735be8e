// SPDX-License-Identifier: Apache-2.0
#include "vecruntime/columnar/batch.h"

#include <arrow/array.h>
#include <arrow/buffer.h>
#include <arrow/compute/api_vector.h>
#include <arrow/compute/exec.h>
#include <arrow/type.h>

#include <array>

#include "vecruntime/columnar/decode.h"
#include "vecruntime/columnar/dictionary.h"

namespace vecruntime::columnar {

namespace {

// The values at `indices`, for columns of 1, 2, 4, 8 or 16 bytes a value without NULLs; null for others.
arrow::Result<std::shared_ptr<arrow::Array>> GatherFixed(const arrow::Array& column, const std::vector<int32_t>& indices, arrow::MemoryPool* pool) {
  const arrow::ArrayData& data = *column.data();
  if (!arrow::is_fixed_width(data.type->id()) || data.type->id() == arrow::Type::BOOL || data.GetNullCount() > 0 || data.type->num_fields() > 0) {
    return nullptr;
  }
  const int bytes = static_cast<const arrow::FixedWidthType&>(*data.type).bit_width() / 8;
  const auto count = static_cast<int64_t>(indices.size());
  ARROW_ASSIGN_OR_RAISE(std::shared_ptr<arrow::Buffer> buffer, arrow::AllocateBuffer(count * bytes, pool));
  const auto gather = [&]<typename Value>(Value* to) {
    const auto* values = reinterpret_cast<const Value*>(data.GetValues<uint8_t>(1, 0)) + data.offset;
    for (size_t i = 0; i < indices.size(); ++i) to[i] = values[indices[i]];
  };
  switch (bytes) {
    case 1: gather(reinterpret_cast<uint8_t*>(buffer->mutable_data())); break;
    case 2: gather(reinterpret_cast<uint16_t*>(buffer->mutable_data())); break;
    case 4: gather(reinterpret_cast<uint32_t*>(buffer->mutable_data())); break;
    case 8: gather(reinterpret_cast<uint64_t*>(buffer->mutable_data())); break;
    case 16: gather(reinterpret_cast<std::array<uint64_t, 2>*>(buffer->mutable_data())); break;
    default: return nullptr;
  }
  return arrow::MakeArray(arrow::ArrayData::Make(data.type, count, {nullptr, std::move(buffer)}, 0));
}

// The live values of one column, still encoded when it is.
arrow::Result<std::shared_ptr<arrow::Array>> LiveValues(const arrow::Array& column, const std::vector<int32_t>& indices,
                                                        const arrow::BooleanArray& mask, arrow::MemoryPool* pool) {
  if (const arrow::DictionaryArray* encoded = AsEncoded(column)) {
    ARROW_ASSIGN_OR_RAISE(auto codes, LiveValues(*encoded->indices(), indices, mask, pool));
    return std::make_shared<arrow::DictionaryArray>(encoded->type(), std::move(codes), encoded->dictionary());
  }
  ARROW_ASSIGN_OR_RAISE(auto gathered, GatherFixed(column, indices, pool));
  if (gathered != nullptr) return gathered;
  arrow::compute::ExecContext context(pool);
  context.set_use_threads(false);
  ARROW_ASSIGN_OR_RAISE(arrow::Datum kept, arrow::compute::Filter(column, mask, arrow::compute::FilterOptions::Defaults(), &context));
  return kept.make_array();
}

}  // namespace

arrow::Result<std::vector<std::shared_ptr<arrow::Array>>> CompactEncoded(const Batch& batch, arrow::MemoryPool* pool) {
  const int64_t live = batch.selection.CountLive();
  if (live == batch.num_rows()) return batch.columns;
  std::vector<std::shared_ptr<arrow::Array>> dense;
  dense.reserve(batch.columns.size());
  if (live == 0) {
    for (const auto& column : batch.columns) dense.push_back(column->Slice(0, 0));
    return dense;
  }
  const auto words = batch.selection.words();
  const arrow::BooleanArray mask(batch.num_rows(), std::make_shared<arrow::Buffer>(reinterpret_cast<const uint8_t*>(words.data()),
                                                                                   static_cast<int64_t>(words.size_bytes())));
  const std::vector<int32_t> indices = batch.selection.LiveIndices();
  for (const auto& column : batch.columns) {
    ARROW_ASSIGN_OR_RAISE(dense.emplace_back(), LiveValues(*column, indices, mask, pool));
  }
  return dense;
}

arrow::Result<std::vector<std::shared_ptr<arrow::Array>>> Compact(const Batch& batch, arrow::MemoryPool* pool) {
  ARROW_ASSIGN_OR_RAISE(auto dense, CompactEncoded(batch, pool));
  for (auto& column : dense) {
    ARROW_ASSIGN_OR_RAISE(column, Decode(std::move(column), pool));
  }
  return dense;
}

}  // namespace vecruntime::columnar
