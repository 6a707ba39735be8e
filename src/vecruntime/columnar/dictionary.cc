// SPDX-License-Identifier: Apache-2.0
#include "vecruntime/columnar/dictionary.h"

#include <arrow/array.h>
#include <arrow/type.h>

#include <algorithm>
#include <utility>

#include "vecruntime/columnar/kernels.h"

namespace vecruntime::columnar {

const arrow::DictionaryArray* AsEncoded(const arrow::Array& array) {
  return array.type_id() == arrow::Type::DICTIONARY ? static_cast<const arrow::DictionaryArray*>(&array) : nullptr;
}

std::shared_ptr<arrow::Array> WithDictionary(const arrow::DictionaryArray& encoded, std::shared_ptr<arrow::Array> values) {
  auto type = arrow::dictionary(encoded.indices()->type(), values->type());
  return std::make_shared<arrow::DictionaryArray>(std::move(type), encoded.indices(), std::move(values));
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
