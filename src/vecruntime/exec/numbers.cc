// SPDX-License-Identifier: Apache-2.0
#include "vecruntime/exec/numbers.h"

#include <algorithm>
#include <bit>

#include "vecruntime/columnar/kernels.h"

namespace vecruntime::exec {
namespace {

// Decimals of so many digits are not looked at one by one.
constexpr int kFewDigits = 12;
constexpr int kFewDigitsBits = 40;

// `magnitudes`: OR of values, or of ~value where negative, which is one less than the magnitude.
int BitsOf(unsigned __int128 magnitudes) {
  const auto high = static_cast<uint64_t>(magnitudes >> 64);
  return 1 + static_cast<int>(high != 0 ? 64 + std::bit_width(high) : std::bit_width(static_cast<uint64_t>(magnitudes)));
}

int BitsOfEach(Decimals values, int64_t count) {
  Int128 magnitudes = 0;
  for (int64_t i = 0; i < count; ++i) magnitudes |= values[i] < 0 ? ~values[i] : values[i];
  return BitsOf(static_cast<unsigned __int128>(magnitudes));
}

// Magnitudes in the order of their bits, of which the upper halves are enough for a bound.
double BoundOf(const double* values, int64_t count) {
  int32_t greatest = 0;
  for (int64_t i = 0; i < count; ++i) greatest = std::max(greatest, static_cast<int32_t>(std::bit_cast<uint64_t>(values[i]) >> 32) & 0x7fffffff);
  return std::bit_cast<double>(static_cast<uint64_t>(greatest) << 32 | 0xffffffffU);
}

double BoundOf(const float* values, int64_t count) {
  int32_t greatest = 0;
  for (int64_t i = 0; i < count; ++i) greatest = std::max(greatest, std::bit_cast<int32_t>(values[i]) & 0x7fffffff);
  return std::bit_cast<float>(greatest);
}

}  // namespace

bool IsNumber(const arrow::DataType& type) {
  return arrow::is_integer(type.id()) || type.id() == arrow::Type::FLOAT || type.id() == arrow::Type::DOUBLE || type.id() == arrow::Type::DECIMAL128;
}

int BitsOf(const arrow::Array& array) {
  const arrow::DataType& type = *array.type();
  if (array.length() == 0) return 0;
  if (type.id() == arrow::Type::DECIMAL128) {
    if (static_cast<const arrow::Decimal128Type&>(type).precision() <= kFewDigits) return kFewDigitsBits;
    return BitsOfEach(Decimals{array.data()->buffers[1]->data() + array.offset() * 16}, array.length());
  }
  if (type.id() == arrow::Type::INT64 || type.id() == arrow::Type::DECIMAL64) {
    return BitsOf(columnar::ActiveKernels().or_magnitudes(array.data()->GetValues<int64_t>(1), array.length()));
  }
  return type.bit_width();
}

double BoundOf(const arrow::Array& array) {
  if (array.type_id() == arrow::Type::FLOAT) return BoundOf(array.data()->GetValues<float>(1), array.length());
  return BoundOf(array.data()->GetValues<double>(1), array.length());
}

}  // namespace vecruntime::exec
