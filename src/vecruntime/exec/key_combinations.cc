// SPDX-License-Identifier: Apache-2.0
#include "vecruntime/exec/key_combinations.h"

#include <arrow/array.h>

#include <algorithm>

#include "vecruntime/columnar/dictionary.h"
#include "vecruntime/columnar/kernels.h"
#include "vecruntime/exec/aggregates/accumulator.h"

namespace vecruntime::exec {
namespace {

constexpr int64_t kCodesMax = 256;

// The encoded keys, if their dictionaries span at most kCodesMax combinations; empty otherwise.
std::vector<const arrow::DictionaryArray*> EncodedKeys(const ArrayVector& keys) {
  std::vector<const arrow::DictionaryArray*> encoded;
  int64_t codes = 1;
  for (const auto& key : keys) {
    const arrow::DictionaryArray* each = columnar::AsEncoded(*key);
    if (each == nullptr || each->indices()->null_count() > 0) return {};
    codes *= each->dictionary()->length();
    if (codes > kCodesMax) return {};
    encoded.push_back(each);
  }
  return encoded;
}

std::vector<uint8_t> MixCodes(const std::vector<const arrow::DictionaryArray*>& keys, int64_t rows) {
  std::vector<uint8_t> mixed(static_cast<size_t>(rows), 0);
  for (const arrow::DictionaryArray* key : keys) {
    const auto radix = static_cast<uint16_t>(key->dictionary()->length());
    columnar::WithCodes(*key, [radix, rows, to = mixed.data()](const auto* __restrict codes) {
      uint8_t* const __restrict out = to;
      for (int64_t i = 0; i < rows; ++i) out[i] = static_cast<uint8_t>(static_cast<uint16_t>(out[i] * radix) + codes[i]);
    });
  }
  return mixed;
}

}  // namespace

std::optional<std::vector<KeyCombination>> SplitByKeys(const ArrayVector& keys, const columnar::Selection& rows) {
  const auto encoded = EncodedKeys(keys);
  if (encoded.empty()) return std::nullopt;
  std::vector<uint8_t> mixed;
  const uint8_t* codes = nullptr;
  if (encoded.size() == 1 && encoded[0]->indices()->type_id() == arrow::Type::UINT8) {
    columnar::WithCodes(*encoded[0], [&](const auto* own) { codes = reinterpret_cast<const uint8_t*>(own); });
  } else {
    mixed = MixCodes(encoded, rows.length());
    codes = mixed.data();
  }
  std::array<bool, kCodesMax> seen{};  // at dead rows, too
  int64_t code_count = 1;
  for (const arrow::DictionaryArray* key : encoded) code_count *= key->dictionary()->length();
  if (code_count <= static_cast<int64_t>(GroupParts::kPartsMax)) {
    std::fill_n(seen.begin(), code_count, true);
  } else {
    for (int64_t i = 0; i < rows.length(); ++i) seen[codes[i]] = true;
  }
  if (std::ranges::count(seen, true) > static_cast<int64_t>(GroupParts::kPartsMax)) return std::nullopt;
  std::vector<KeyCombination> combinations;
  for (int64_t code = 0; code < code_count; ++code) {
    if (!seen[static_cast<size_t>(code)]) continue;
    KeyCombination combination{static_cast<uint8_t>(code), columnar::Selection::None(rows.length(), rows.begin())};
    columnar::ActiveKernels().equal8(codes, rows.length(), combination.code, combination.rows.mutable_words().data());
    combination.rows.And(rows);
    if (!combination.rows.NoneLive()) combinations.push_back(std::move(combination));
  }
  return combinations;
}

arrow::Result<ArrayVector> KeysOf(const std::vector<KeyCombination>& combinations, const ArrayVector& keys, arrow::MemoryPool* pool) {
  ArrayVector taken(keys.size());
  std::vector<int64_t> rest;
  for (const KeyCombination& combination : combinations) rest.push_back(combination.code);
  for (size_t k = keys.size(); k-- > 0;) {
    const auto& dictionary = static_cast<const arrow::DictionaryArray&>(*keys[k]).dictionary();
    std::vector<int64_t> entries;
    for (int64_t& code : rest) {
      entries.push_back(code % dictionary->length());
      code /= dictionary->length();
    }
    ARROW_ASSIGN_OR_RAISE(taken[k], TakeRows(dictionary, entries, pool));
  }
  return taken;
}

void CombinationGroups::Start(const ArrayVector& keys) {
  std::vector<std::shared_ptr<arrow::ArrayData>> dictionaries;
  for (const auto& key : keys) dictionaries.push_back(key->data()->dictionary);
  if (dictionaries == dictionaries_) return;
  dictionaries_ = std::move(dictionaries);
  groups_.fill(kUnknown);
}

std::optional<uint32_t> CombinationGroups::Find(uint8_t code) const {
  return groups_[code] == kUnknown ? std::nullopt : std::optional(static_cast<uint32_t>(groups_[code]));
}

}  // namespace vecruntime::exec
