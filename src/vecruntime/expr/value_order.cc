// SPDX-License-Identifier: Apache-2.0
#include "vecruntime/expr/value_order.h"

#include <arrow/array.h>
#include <arrow/type.h>

#include <algorithm>
#include <cstring>
#include <string_view>

namespace vecruntime::expr {
namespace {

template <typename T>
int CompareAs(T a, T b) {
  if (ValueLess(a, b)) return -1;
  return ValueEquals(a, b) ? 0 : 1;
}

template <typename ArrayType>
int CompareFixed(const arrow::Array& a, int64_t i, const arrow::Array& b, int64_t j) {
  return CompareAs(static_cast<const ArrayType&>(a).Value(i), static_cast<const ArrayType&>(b).Value(j));
}

__int128 DecimalAt(const arrow::Array& array, int64_t row) {
  __int128 value;
  std::memcpy(&value, static_cast<const arrow::Decimal128Array&>(array).GetValue(row), 16);
  return value;
}

int CompareNullable(const arrow::Array& a, int64_t i, const arrow::Array& b, int64_t j) {
  const bool a_null = a.IsNull(i);
  const bool b_null = b.IsNull(j);
  if (a_null || b_null) return static_cast<int>(b_null) - static_cast<int>(a_null);
  return CompareValues(a, i, b, j);
}

int CompareLists(const arrow::ListArray& a, int64_t i, const arrow::ListArray& b, int64_t j) {
  const int64_t common = std::min(a.value_length(i), b.value_length(j));
  for (int64_t k = 0; k < common; ++k) {
    const int order = CompareNullable(*a.values(), a.value_offset(i) + k, *b.values(), b.value_offset(j) + k);
    if (order != 0) return order;
  }
  return CompareAs(a.value_length(i), b.value_length(j));
}

int CompareStructs(const arrow::StructArray& a, int64_t i, const arrow::StructArray& b, int64_t j) {
  for (int k = 0; k < a.num_fields(); ++k) {
    const int order = CompareNullable(*a.field(k), i, *b.field(k), j);
    if (order != 0) return order;
  }
  return 0;
}

}  // namespace

int CompareValues(const arrow::Array& a, int64_t i, const arrow::Array& b, int64_t j) {
  switch (a.type_id()) {
    case arrow::Type::BOOL:
      return CompareFixed<arrow::BooleanArray>(a, i, b, j);
    case arrow::Type::INT8:
      return CompareFixed<arrow::Int8Array>(a, i, b, j);
    case arrow::Type::INT16:
      return CompareFixed<arrow::Int16Array>(a, i, b, j);
    case arrow::Type::INT32:
      return CompareFixed<arrow::Int32Array>(a, i, b, j);
    case arrow::Type::DATE32:
      return CompareFixed<arrow::Date32Array>(a, i, b, j);
    case arrow::Type::INTERVAL_MONTHS:
      return CompareFixed<arrow::MonthIntervalArray>(a, i, b, j);
    case arrow::Type::INT64:
      return CompareFixed<arrow::Int64Array>(a, i, b, j);
    case arrow::Type::TIMESTAMP:
      return CompareFixed<arrow::TimestampArray>(a, i, b, j);
    case arrow::Type::TIME64:
      return CompareFixed<arrow::Time64Array>(a, i, b, j);
    case arrow::Type::DURATION:
      return CompareFixed<arrow::DurationArray>(a, i, b, j);
    case arrow::Type::FLOAT:
      return CompareFixed<arrow::FloatArray>(a, i, b, j);
    case arrow::Type::DOUBLE:
      return CompareFixed<arrow::DoubleArray>(a, i, b, j);
    case arrow::Type::DECIMAL128:
      return CompareAs(DecimalAt(a, i), DecimalAt(b, j));
    case arrow::Type::STRING:
    case arrow::Type::BINARY: {
      const int order =
          static_cast<const arrow::BinaryArray&>(a).GetView(i).compare(static_cast<const arrow::BinaryArray&>(b).GetView(j));
      return order;
    }
    case arrow::Type::LIST:
      return CompareLists(static_cast<const arrow::ListArray&>(a), i, static_cast<const arrow::ListArray&>(b), j);
    case arrow::Type::STRUCT:
      return CompareStructs(static_cast<const arrow::StructArray&>(a), i, static_cast<const arrow::StructArray&>(b), j);
    default:
      return 0;
  }
}

bool IsOrderable(const arrow::DataType& type) {
  if (type.id() == arrow::Type::MAP) return false;
  return std::all_of(type.fields().begin(), type.fields().end(), [](const auto& field) { return IsOrderable(*field->type()); });
}

}  // namespace vecruntime::expr
