// SPDX-License-Identifier: Apache-2.0
// Dictionary-encoded columns of a Batch: arrow::DictionaryArray with unsigned codes of 8 or 16 bits. Their value type is the column's type.
// They come from the pages of a file as they are, and are widened only where single values are needed.
#pragma once

#include <arrow/array/array_dict.h>
#include <arrow/type_fwd.h>

#include <cstdint>
#include <memory>
#include <vector>

#include "vecruntime/columnar/selection.h"

namespace vecruntime::columnar {

/// Most entries of a dictionary that codes can name.
inline constexpr int64_t kDictionaryEntriesMax = 1 << 16;

/// `array` as a dictionary-encoded column, or null when it is not one.
const arrow::DictionaryArray* AsEncoded(const arrow::Array& array);

/// Calls visit(const uint8_t* codes) or visit(const uint16_t* codes); codes of NULLs name some entry, too.
template <typename Visit>
decltype(auto) WithCodes(const arrow::DictionaryArray& array, Visit&& visit) {
  const arrow::ArrayData& data = *array.indices()->data();
  if (data.type->id() == arrow::Type::UINT8) return visit(data.GetValues<uint8_t>(1));
  return visit(data.GetValues<uint16_t>(1));
}

/// The column over codes of `encoded` whose values are `values`, one per dictionary entry.
std::shared_ptr<arrow::Array> WithDictionary(const arrow::DictionaryArray& encoded, std::shared_ptr<arrow::Array> values);

/// A choice among the entries of a dictionary, ready to look codes up in.
class EntrySet {
 public:
  EntrySet() = default;
  /// The entries that are true in `chosen` (one boolean per dictionary entry); NULL is not.
  explicit EntrySet(const arrow::BooleanArray& chosen);

  bool all() const { return chosen_ == size_; }
  bool none() const { return chosen_ == 0; }
  /// The rows of `encoded` whose entry is in the set, NULL rows not. REQUIRES: a column over the same dictionary.
  Selection Match(const arrow::DictionaryArray& encoded) const;

 private:
  std::vector<uint8_t> table_;  // 0xff or 0 per code, at least 256
  int64_t size_ = 0;
  int64_t chosen_ = 0;
};

}  // namespace vecruntime::columnar
