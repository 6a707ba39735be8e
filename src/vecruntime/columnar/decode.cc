// SPDX-License-Identifier: Apache-2.0
#include "vecruntime/columnar/decode.h"

#include <arrow/array.h>
#include <arrow/buffer.h>
#include <arrow/compute/api_vector.h>
#include <arrow/compute/exec.h>
#include <arrow/type.h>
#include <arrow/util/bit_util.h>
#include <arrow/util/bitmap_ops.h>

#include <utility>

#include "vecruntime/columnar/dictionary.h"
#include "vecruntime/columnar/kernels.h"

namespace vecruntime::columnar {
namespace {

// Bytes of a value that is copied whole; 0 for types that are laid out otherwise.
int FixedBytes(const arrow::DataType& type) {
  if (!arrow::is_fixed_width(type.id()) || type.id() == arrow::Type::BOOL) return 0;
  const int bytes = type.bit_width() / 8;
  return bytes == 4 || bytes == 8 || bytes == 16 ? bytes : 0;
}

struct Bytes16 {
  uint64_t parts[2];
};

template <typename Value, typename Code>
void Widen(const uint8_t* dictionary, const Code* codes, int64_t count, uint8_t* out) {
  const auto* values = reinterpret_cast<const Value*>(dictionary);
  auto* to = reinterpret_cast<Value*>(out);
  for (int64_t i = 0; i < count; ++i) to[i] = values[codes[i]];
}

arrow::Result<std::shared_ptr<arrow::Array>> DecodeFixed(const arrow::DictionaryArray& array, int bytes, arrow::MemoryPool* pool) {
  const arrow::ArrayData& entries = *array.dictionary()->data();
  const uint8_t* values = entries.GetValues<uint8_t>(1, 0) + entries.offset * bytes;
  ARROW_ASSIGN_OR_RAISE(std::shared_ptr<arrow::Buffer> buffer, arrow::AllocateBuffer(array.length() * bytes, pool));
  uint8_t* out = buffer->mutable_data();
  WithCodes(array, [&](const auto* codes) {
    if (bytes == 4) return Widen<uint32_t>(values, codes, array.length(), out);
    if (bytes == 16) return Widen<Bytes16>(values, codes, array.length(), out);
    if constexpr (sizeof(*codes) == 1) {
      ActiveKernels().widen8(reinterpret_cast<const uint64_t*>(values), entries.length, codes, array.length(), reinterpret_cast<uint64_t*>(out));
    } else {
      Widen<uint64_t>(values, codes, array.length(), out);
    }
  });
  const arrow::ArrayData& indices = *array.indices()->data();
  std::shared_ptr<arrow::Buffer> validity;
  if (indices.GetNullCount() > 0) {
    ARROW_ASSIGN_OR_RAISE(validity, arrow::AllocateBitmap(array.length(), pool));
    for (int64_t i = 0; i < array.length(); ++i) arrow::bit_util::SetBitTo(validity->mutable_data(), i, array.indices()->IsValid(i));
  }
  return arrow::MakeArray(arrow::ArrayData::Make(entries.type, array.length(), {std::move(validity), std::move(buffer)}, indices.GetNullCount()));
}

arrow::Result<std::shared_ptr<arrow::Array>> WidenDecimals(const arrow::ArrayData& narrow, arrow::MemoryPool* pool) {
  ARROW_ASSIGN_OR_RAISE(std::shared_ptr<arrow::Buffer> buffer, arrow::AllocateBuffer(narrow.length * 16, pool));
  const auto* values = narrow.GetValues<int64_t>(1);
  auto* out = buffer->mutable_data_as<int64_t>();
  for (int64_t i = 0; i < narrow.length; ++i) {
    out[2 * i] = values[i];
    out[2 * i + 1] = values[i] >> 63;
  }
  std::shared_ptr<arrow::Buffer> validity;
  if (narrow.GetNullCount() > 0) {
    ARROW_ASSIGN_OR_RAISE(validity, arrow::internal::CopyBitmap(pool, narrow.buffers[0]->data(), narrow.offset, narrow.length));
  }
  const auto& type = static_cast<const arrow::DecimalType&>(*narrow.type);
  return arrow::MakeArray(arrow::ArrayData::Make(arrow::decimal128(type.precision(), type.scale()), narrow.length,
                                                 {std::move(validity), std::move(buffer)}, narrow.GetNullCount()));
}

}  // namespace

bool IsEncoded(const arrow::DataType& type) { return type.id() == arrow::Type::DICTIONARY || type.id() == arrow::Type::DECIMAL64; }

arrow::Result<std::shared_ptr<arrow::Array>> Decode(std::shared_ptr<arrow::Array> array, arrow::MemoryPool* pool) {
  if (!IsEncoded(*array->type())) return array;
  const arrow::DictionaryArray* encoded = AsEncoded(*array);
  if (encoded == nullptr) return WidenDecimals(*array->data(), pool);
  const int bytes = FixedBytes(*encoded->dictionary()->type());
  if (bytes > 0 && encoded->dictionary()->null_count() == 0) return DecodeFixed(*encoded, bytes, pool);
  arrow::compute::ExecContext context(pool);
  context.set_use_threads(false);
  ARROW_ASSIGN_OR_RAISE(arrow::Datum taken, arrow::compute::Take(encoded->dictionary(), encoded->indices(),
                                                                 arrow::compute::TakeOptions::NoBoundsCheck(), &context));
  return taken.make_array();
}

}  // namespace vecruntime::columnar
