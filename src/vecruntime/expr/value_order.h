// SPDX-License-Identifier: Apache-2.0
// Spark's order of values: NaN equals NaN and is greatest, -0.0 equals 0.0, strings by bytes, arrays and structs element by element
// with NULL first.
#pragma once

#include <arrow/type_fwd.h>

#include <cmath>
#include <cstdint>
#include <type_traits>

namespace vecruntime::expr {

template <typename T>
bool ValueEquals(T a, T b) {
  if constexpr (std::is_floating_point_v<T>) {
    return a == b || (std::isnan(a) && std::isnan(b));
  } else {
    return a == b;
  }
}

template <typename T>
bool ValueLess(T a, T b) {
  if constexpr (std::is_floating_point_v<T>) {
    return std::isnan(b) ? !std::isnan(a) : a < b;
  } else {
    return a < b;
  }
}

/// Negative, zero or positive. REQUIRES: arrays of the same type, with no map inside; row i of `a` and row j of `b` are not NULL.
int CompareValues(const arrow::Array& a, int64_t i, const arrow::Array& b, int64_t j);

/// Whether Spark orders (and compares) values of this type: everything but maps.
bool IsOrderable(const arrow::DataType& type);

}  // namespace vecruntime::expr
