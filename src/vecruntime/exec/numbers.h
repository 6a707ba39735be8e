// SPDX-License-Identifier: Apache-2.0
// Numeric arrays without their types, and what their values cannot exceed.
#pragma once

#include <arrow/array.h>
#include <arrow/array/data.h>
#include <arrow/type.h>

#include <cstdint>
#include <cstring>

namespace vecruntime::exec {

using Int128 = __int128;

/// Decimals as integers, by scale.
struct Decimals {
  const uint8_t* bytes;  // maybe not aligned
  Int128 operator[](int64_t i) const {
    Int128 value;
    std::memcpy(&value, bytes + i * 16, sizeof(value));
    return value;
  }
};

/// The same of decimals that fit 64 bits.
struct NarrowDecimals {
  const uint8_t* bytes;
  int64_t operator[](int64_t i) const {
    int64_t value;
    std::memcpy(&value, bytes + i * 16, sizeof(value));
    return value;
  }
};

/// Integers, floats and decimals.
bool IsNumber(const arrow::DataType& type);

/// visit(values), values[i] being value i; decimals may be in 64 bits (columnar/decode.h). `narrow`: decimals are known to fit 64 bits. REQUIRES: IsNumber of its type.
template <typename Visit>
decltype(auto) WithNumbers(const arrow::Array& array, bool narrow, Visit&& visit) {
  const arrow::ArrayData& data = *array.data();
  switch (data.type->id()) {
    case arrow::Type::INT8: return visit(data.GetValues<int8_t>(1));
    case arrow::Type::INT16: return visit(data.GetValues<int16_t>(1));
    case arrow::Type::INT32: return visit(data.GetValues<int32_t>(1));
    case arrow::Type::INT64:
    case arrow::Type::DECIMAL64: return visit(data.GetValues<int64_t>(1));
    case arrow::Type::FLOAT: return visit(data.GetValues<float>(1));
    case arrow::Type::DOUBLE: return visit(data.GetValues<double>(1));
    default: break;
  }
  const uint8_t* const bytes = data.buffers[1]->data() + data.offset * 16;
  return narrow ? visit(NarrowDecimals{bytes}) : visit(Decimals{bytes});
}

/// Numbers of so many bits and a sign are below 10^38 and fit 128 bits.
inline constexpr int kExactBits = 126;

/// Bits that no magnitude of an array of integers or decimals exceeds.
int BitsOf(const arrow::Array& array);
/// A number that no magnitude of an array of floats exceeds, by little; not finite when one of them is not.
double BoundOf(const arrow::Array& array);

}  // namespace vecruntime::exec
