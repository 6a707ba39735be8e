// SPDX-License-Identifier: Apache-2.0
// Decimals as unscaled 128-bit integers with a scale, and the 256-bit steps between. Rounding is half up (away from zero), as Spark's.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace vecruntime::expr {

using Int128 = __int128;
using UInt128 = unsigned __int128;

constexpr int kMaxDecimalPrecision = 38;

/// 10^exponent. REQUIRES: 0 <= exponent <= 38.
Int128 PowerOfTen(int exponent);

constexpr UInt128 Magnitude(Int128 value) { return value < 0 ? ~static_cast<UInt128>(value) + 1 : static_cast<UInt128>(value); }

/// Whether |value| < 10^precision.
inline bool FitsPrecision(Int128 value, int precision) { return Magnitude(value) < static_cast<UInt128>(PowerOfTen(precision)); }

/// numerator / denominator rounded half up. REQUIRES: denominator != 0.
Int128 DivideHalfUp(Int128 numerator, Int128 denominator);

/// The value at another scale, rounded half up; false when it does not fit `precision` digits.
bool Rescale(Int128 value, int from_scale, int to_scale, int precision, Int128* out);

/// a*b, rounded half up from scale `product_scale` to `out_scale` (<= product_scale); false when over `precision` digits.
bool MultiplyDecimals(Int128 a, Int128 b, int product_scale, int out_scale, int precision, Int128* out);

/// a*10^shift / b (or a / (b*10^-shift)), rounded half up or towards zero; false when over `precision` digits. REQUIRES: b != 0.
bool DivideDecimals(Int128 a, Int128 b, int shift, bool half_up, int precision, Int128* out);

/// a % b at the larger of the two scales, with the sign of a. REQUIRES: b != 0. False when over `precision` digits.
bool RemainderDecimals(Int128 a, int a_scale, Int128 b, int b_scale, int precision, Int128* out);

/// a + b (or a - b) exactly, then rounded to out_scale; false when over `precision` digits.
bool AddDecimals(Int128 a, int a_scale, Int128 b, int b_scale, bool subtract, int out_scale, int precision, Int128* out);

/// Plain notation ("-0.05"), never an exponent.
void AppendDecimal(Int128 unscaled, int scale, std::string* out);

/// A decimal or scientific number (no surrounding space) at the given scale, rounded half up. kMalformed or kOverflow otherwise.
enum class DecimalParse { kOk, kMalformed, kOverflow };
DecimalParse ParseDecimal(std::string_view text, int precision, int scale, Int128* out);

/// Correctly rounded.
double DecimalToDouble(Int128 unscaled, int scale);

}  // namespace vecruntime::expr
