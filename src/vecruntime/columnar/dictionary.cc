// SPDX-License-Identifier: Apache-2.0
#include "vecruntime/columnar/dictionary.h"

#include <arrow/array.h>
#include <arrow/buffer.h>
#include <arrow/compute/api_vector.h>
#include <arrow/compute/exec.h>
#include <arrow/type.h>
#include <arrow/util/bit_util.h>

#include <algorithm>
#include <utility>

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

}  // namespace

const arrow::DictionaryArray* AsEncoded(const arrow::Array& array) {
  return array.type_id() == arrow::Type::DICTIONARY ? static_cast<const arrow::DictionaryArray*>(&array) : nullptr;
}

std::shared_ptr<arrow::Array> WithDictionary(const arrow::DictionaryArray& encoded, std::shared_ptr<arrow::Array> values) {
  auto type = arrow::dictionary(encoded.indices()->type(), values->type());
  return std::make_shared<arrow::DictionaryArray>(std::move(type), encoded.indices(), std::move(values));
}

arrow::Result<std::shared_ptr<arrow::Array>> Decode(std::shared_ptr<arrow::Array> array, arrow::MemoryPool* pool) {
  const arrow::DictionaryArray* encoded = AsEncoded(*array);
  if (encoded == nullptr) return array;
  const int bytes = FixedBytes(*encoded->dictionary()->type());
  if (bytes > 0 && encoded->dictionary()->null_count() == 0) return DecodeFixed(*encoded, bytes, pool);
  arrow::compute::ExecContext context(pool);
  context.set_use_threads(false);
  ARROW_ASSIGN_OR_RAISE(arrow::Datum taken, arrow::compute::Take(encoded->dictionary(), encoded->indices(),
                                                                 arrow::compute::TakeOptions::NoBoundsCheck(), &context));
  return taken.make_array();
}

EntrySet::EntrySet(const arrow::BooleanArray& chosen)
    : table_(static_cast<size_t>(std::max<int64_t>(chosen.length(), 256)), 0), size_(chosen.length()) {
  for (int64_t i = 0; i < size_; ++i) {
    const bool in = chosen.IsValid(i) && chosen.Value(i);
    table_[static_cast<size_t>(i)] = in ? 0xff : 0;
    chosen_ += in;
  }
}

Selection EntrySet::Match(const arrow::DictionaryArray& encoded) const {
  const int64_t rows = encoded.length();
  Selection matched = all() ? Selection::All(rows) : Selection::None(rows);
  if (!all() && !none()) {
    uint64_t* words = matched.mutable_words().data();
    WithCodes(encoded, [&](const auto* codes) {
      if constexpr (sizeof(*codes) == 1) {
        ActiveKernels().match8(codes, rows, table_.data(), size_, words);
      } else {
        ActiveKernels().match16(codes, rows, table_.data(), size_, words);
      }
    });
  }
  const arrow::ArrayData& indices = *encoded.indices()->data();
  if (indices.GetNullCount() > 0) matched.AndBitmap(indices.buffers[0]->data(), indices.offset);
  return matched;
}

}  // namespace vecruntime::columnar
