// SPDX-License-Identifier: Apache-2.0
#include "vecruntime/deletes/equality_delete_set.h"

#include <arrow/array.h>
#include <arrow/result.h>
#include <arrow/type.h>

#include <algorithm>
#include <string_view>
#include <utility>
#include <variant>

#include "vecruntime/deletes/key_sets_internal.h"

namespace vecruntime::deletes {
namespace {

constexpr int64_t kRowsPerStep = 1024;

void AddIntegers(const arrow::Array& array, KeyBounds* bounds) {
  int64_t values[kRowsPerStep];
  const bool has_nulls = array.null_count() != 0;
  for (int64_t from = 0; from < array.length(); from += kRowsPerStep) {
    const int64_t count = std::min(kRowsPerStep, array.length() - from);
    WidenIntegers(array, from, count, values);
    for (int64_t i = 0; i < count; ++i) {
      if (has_nulls && array.IsNull(from + i)) continue;
      bounds->min_integer = std::min(bounds->min_integer.value_or(values[i]), values[i]);
      bounds->max_integer = std::max(bounds->max_integer.value_or(values[i]), values[i]);
    }
  }
}

void AddBytes(const arrow::BinaryArray& array, KeyBounds* bounds) {
  for (int64_t i = 0; i < array.length(); ++i) {
    if (array.IsNull(i)) continue;
    const std::string_view value = array.GetView(i);
    if (!bounds->min_bytes || value < *bounds->min_bytes) bounds->min_bytes = value;
    if (!bounds->max_bytes || value > *bounds->max_bytes) bounds->max_bytes = value;
  }
}

KeyBounds BoundsOf(const std::vector<DeletedKeys>& parts, size_t column) {
  KeyBounds bounds;
  for (const DeletedKeys& part : parts) {
    const arrow::Array& array = *part.columns[column];
    bounds.has_null |= array.null_count() != 0;
    bounds.has_value |= array.null_count() != array.length();
    if (IsIntegerLike(*array.type())) AddIntegers(array, &bounds);
    if (arrow::is_binary_like(array.type_id())) AddBytes(static_cast<const arrow::BinaryArray&>(array), &bounds);
  }
  return bounds;
}

std::optional<int64_t> AsInteger(const iceberg::Value& value) {
  if (const auto* boolean = std::get_if<bool>(&value.data)) return *boolean;
  if (const auto* narrow = std::get_if<int32_t>(&value.data)) return *narrow;
  if (const auto* wide = std::get_if<int64_t>(&value.data)) return *wide;
  return std::nullopt;
}

}  // namespace

bool KeyBounds::MightMatch(const parquet::ColumnStatistics& rows) const {
  if (has_null && rows.null_count != 0) return true;
  if (!has_value || rows.null_count == rows.value_count) return false;
  if (!rows.min || !rows.max) return true;
  if (min_integer) {
    const auto low = AsInteger(*rows.min);
    const auto high = AsInteger(*rows.max);
    return !low || !high || (*low <= *max_integer && *min_integer <= *high);
  }
  const auto* low = std::get_if<std::string>(&rows.min->data);
  const auto* high = std::get_if<std::string>(&rows.max->data);
  if (!min_bytes || low == nullptr || high == nullptr) return true;
  // Writers may cut an upper bound short.
  return *low <= *max_bytes && (*min_bytes <= *high || min_bytes->starts_with(*high));
}

arrow::Result<std::shared_ptr<const EqualityDeleteSet>> EqualityDeleteSet::Build(
    const std::vector<std::shared_ptr<arrow::DataType>>& key_types, const std::vector<DeletedKeys>& parts, base::Reservation* memory) {
  const bool integer = key_types.size() == 1 && IsIntegerLike(*key_types[0]);
  ARROW_ASSIGN_OR_RAISE(std::shared_ptr<EqualityDeleteSet> set,
                        integer ? BuildIntegerKeySet(parts, memory) : BuildEncodedKeySet(parts, memory));
  for (const DeletedKeys& part : parts) {
    if (part.columns[0]->length() > 0) set->max_sequence_ = std::max(set->max_sequence_, part.sequence);
  }
  for (size_t column = 0; column < key_types.size(); ++column) set->bounds_.push_back(BoundsOf(parts, column));
  set->size_bytes_ = memory->bytes();
  return set;
}

}  // namespace vecruntime::deletes
