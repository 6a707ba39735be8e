// SPDX-License-Identifier: Apache-2.0
#include "vecruntime/expr/decimal.h"

#include <algorithm>
#include <cctype>
#include <charconv>
#include <cmath>

namespace vecruntime::expr {
namespace {

constexpr std::array<Int128, 39> MakePowers() {
  std::array<Int128, 39> powers{};
  powers[0] = 1;
  for (size_t k = 1; k < powers.size(); ++k) powers[k] = powers[k - 1] * 10;
  return powers;
}
constexpr std::array<Int128, 39> kPowers = MakePowers();

// An unsigned integer of 256 bits; just the steps that decimal arithmetic takes between two 128-bit values.
struct Wide {
  UInt128 high = 0;
  UInt128 low = 0;
};

Wide Multiply(UInt128 a, UInt128 b) {
  const uint64_t a0 = static_cast<uint64_t>(a), a1 = static_cast<uint64_t>(a >> 64);
  const uint64_t b0 = static_cast<uint64_t>(b), b1 = static_cast<uint64_t>(b >> 64);
  const UInt128 p00 = static_cast<UInt128>(a0) * b0;
  const UInt128 p01 = static_cast<UInt128>(a0) * b1;
  const UInt128 p10 = static_cast<UInt128>(a1) * b0;
  const UInt128 p11 = static_cast<UInt128>(a1) * b1;
  const UInt128 middle = (p00 >> 64) + static_cast<uint64_t>(p01) + static_cast<uint64_t>(p10);
  return {p11 + (p01 >> 64) + (p10 >> 64) + (middle >> 64), (middle << 64) | static_cast<uint64_t>(p00)};
}

// quotient and remainder of a 256-bit number by a 128-bit one, bit by bit over the high half when it is not zero.
Wide Divide(Wide numerator, UInt128 denominator, UInt128* remainder) {
  if (numerator.high == 0) {
    *remainder = numerator.low % denominator;
    return {0, numerator.low / denominator};
  }
  Wide quotient{numerator.high / denominator, 0};
  UInt128 rest = numerator.high % denominator;
  for (int bit = 127; bit >= 0; --bit) {
    const bool carry = rest >> 127;
    rest = rest << 1 | ((numerator.low >> bit) & 1);
    if (carry || rest >= denominator) {
      rest -= denominator;
      quotient.low |= static_cast<UInt128>(1) << bit;
    }
  }
  *remainder = rest;
  return quotient;
}

// Rounds quotient by its remainder, checks the precision and restores the sign.
bool Settle(Wide quotient, UInt128 remainder, UInt128 denominator, bool half_up, bool negative, int precision, Int128* out) {
  if (quotient.high != 0) return false;
  if (half_up && remainder >= denominator - remainder) {
    if (++quotient.low == 0) return false;
  }
  if (quotient.low >= static_cast<UInt128>(kPowers[static_cast<size_t>(precision)])) return false;
  *out = negative ? -static_cast<Int128>(quotient.low) : static_cast<Int128>(quotient.low);
  return true;
}

}  // namespace

Int128 PowerOfTen(int exponent) { return kPowers[static_cast<size_t>(exponent)]; }

Int128 DivideHalfUp(Int128 numerator, Int128 denominator) {
  const UInt128 n = Magnitude(numerator), d = Magnitude(denominator);
  UInt128 quotient = n / d;
  const UInt128 rest = n % d;
  if (rest >= d - rest) ++quotient;
  return (numerator < 0) != (denominator < 0) ? -static_cast<Int128>(quotient) : static_cast<Int128>(quotient);
}

bool Rescale(Int128 value, int from_scale, int to_scale, int precision, Int128* out) {
  if (to_scale == from_scale) {
    *out = value;
    return FitsPrecision(value, precision);
  }
  if (to_scale < from_scale) {
    const int drop = from_scale - to_scale;
    *out = drop > kMaxDecimalPrecision ? 0 : DivideHalfUp(value, PowerOfTen(drop));
    return FitsPrecision(*out, precision);
  }
  const int grow = to_scale - from_scale;
  if (value != 0 && (grow >= precision || !FitsPrecision(value, precision - grow))) return false;
  *out = value == 0 ? 0 : value * PowerOfTen(grow);
  return true;
}

bool MultiplyDecimals(Int128 a, Int128 b, int product_scale, int out_scale, int precision, Int128* out) {
  const bool negative = (a < 0) != (b < 0);
  // Two 64-bit values make less than 2^126, which is less than 10^38.
  if (product_scale == out_scale && precision == kMaxDecimalPrecision && a == static_cast<int64_t>(a) && b == static_cast<int64_t>(b)) {
    *out = a * b;
    return true;
  }
  const Wide product = Multiply(Magnitude(a), Magnitude(b));
  const int drop = product_scale - out_scale;
  if (drop <= kMaxDecimalPrecision) {
    const auto divisor = static_cast<UInt128>(PowerOfTen(drop));
    UInt128 remainder = 0;
    const Wide quotient = drop == 0 ? product : Divide(product, divisor, &remainder);
    return Settle(quotient, remainder, divisor, drop > 0, negative, precision, out);
  }
  UInt128 first_rest = 0, rest = 0;
  const Wide part = Divide(product, static_cast<UInt128>(PowerOfTen(kMaxDecimalPrecision)), &first_rest);
  const auto divisor = static_cast<UInt128>(PowerOfTen(drop - kMaxDecimalPrecision));
  const Wide quotient = Divide(part, divisor, &rest);
  return Settle(quotient, rest, divisor, true, negative, precision, out);
}

bool DivideDecimals(Int128 a, Int128 b, int shift, bool half_up, int precision, Int128* out) {
  const bool negative = (a < 0) != (b < 0);
  UInt128 numerator = Magnitude(a);
  UInt128 denominator = Magnitude(b);
  if (shift < 0) {
    const Wide scaled = Multiply(denominator, static_cast<UInt128>(PowerOfTen(std::min(-shift, kMaxDecimalPrecision))));
    if (scaled.high != 0 || -shift > kMaxDecimalPrecision) {
      *out = 0;
      return true;
    }
    denominator = scaled.low;
    shift = 0;
  }
  // Long division in steps of at most 38 digits keeps every numerator under 256 bits.
  const int first = std::min(shift, kMaxDecimalPrecision);
  UInt128 remainder = 0;
  Wide quotient = Divide(Multiply(numerator, static_cast<UInt128>(PowerOfTen(first))), denominator, &remainder);
  const int rest_digits = shift - first;
  if (rest_digits > 0) {
    if (quotient.high != 0) return false;
    const auto power = static_cast<UInt128>(PowerOfTen(rest_digits));
    const Wide high = Multiply(quotient.low, power);
    UInt128 last = 0;
    const Wide low = Divide(Multiply(remainder, power), denominator, &last);
    if (high.high != 0 || low.high != 0) return false;
    quotient = {0, high.low + low.low};
    if (quotient.low < high.low) return false;
    remainder = last;
  }
  return Settle(quotient, remainder, denominator, half_up, negative, precision, out);
}

bool RemainderDecimals(Int128 a, int a_scale, Int128 b, int b_scale, int precision, Int128* out) {
  UInt128 remainder = 0;
  const UInt128 n = Magnitude(a), d = Magnitude(b);
  if (a_scale <= b_scale) {
    Divide(Multiply(n, static_cast<UInt128>(PowerOfTen(b_scale - a_scale))), d, &remainder);
  } else {
    const Wide divisor = Multiply(d, static_cast<UInt128>(PowerOfTen(a_scale - b_scale)));
    if (divisor.high != 0) {
      remainder = n;
    } else {
      remainder = n % divisor.low;
    }
  }
  if (remainder >= static_cast<UInt128>(PowerOfTen(precision))) return false;
  *out = a < 0 ? -static_cast<Int128>(remainder) : static_cast<Int128>(remainder);
  return true;
}

namespace {

// |a| * 10^shift with its sign, in two's complement of 256 bits.
struct SignedWide {
  bool negative;
  Wide magnitude;
};

SignedWide Shifted(Int128 value, int shift) {
  return {value < 0, Multiply(Magnitude(value), static_cast<UInt128>(PowerOfTen(shift)))};
}

bool LessWide(const Wide& a, const Wide& b) { return a.high != b.high ? a.high < b.high : a.low < b.low; }

Wide AddWide(const Wide& a, const Wide& b) {
  const UInt128 low = a.low + b.low;
  return {a.high + b.high + (low < a.low ? 1 : 0), low};
}

Wide SubtractWide(const Wide& a, const Wide& b) { return {a.high - b.high - (a.low < b.low ? 1 : 0), a.low - b.low}; }

}  // namespace

bool AddDecimals(Int128 a, int a_scale, Int128 b, int b_scale, bool subtract, int out_scale, int precision, Int128* out) {
  const int scale = std::max(a_scale, b_scale);
  const SignedWide x = Shifted(a, scale - a_scale);
  SignedWide y = Shifted(b, scale - b_scale);
  y.negative = y.negative != subtract;
  SignedWide sum{x.negative, {}};
  if (x.negative == y.negative) {
    sum.magnitude = AddWide(x.magnitude, y.magnitude);
  } else if (LessWide(x.magnitude, y.magnitude)) {
    sum = {y.negative, SubtractWide(y.magnitude, x.magnitude)};
  } else {
    sum.magnitude = SubtractWide(x.magnitude, y.magnitude);
  }
  const int drop = scale - out_scale;
  const auto divisor = static_cast<UInt128>(PowerOfTen(drop));
  UInt128 remainder = 0;
  const Wide quotient = drop == 0 ? sum.magnitude : Divide(sum.magnitude, divisor, &remainder);
  return Settle(quotient, remainder, divisor, drop > 0, sum.negative, precision, out);
}

void AppendDecimal(Int128 unscaled, int scale, std::string* out) {
  char digits[40];
  int count = 0;
  UInt128 rest = Magnitude(unscaled);
  do {
    digits[count++] = static_cast<char>('0' + static_cast<int>(rest % 10));
    rest /= 10;
  } while (rest != 0);
  if (unscaled < 0) out->push_back('-');
  if (count <= scale) {
    out->append("0.");
    out->append(static_cast<size_t>(scale - count), '0');
  }
  for (int k = count - 1; k >= 0; --k) {
    out->push_back(digits[k]);
    if (k == scale && k > 0) out->push_back('.');
  }
  for (int k = scale; k < 0; ++k) out->push_back('0');
}

DecimalParse ParseDecimal(std::string_view text, int precision, int scale, Int128* out) {
  size_t at = 0;
  bool negative = false;
  if (at < text.size() && (text[at] == '+' || text[at] == '-')) negative = text[at++] == '-';
  std::string digits;       // significant digits, without leading zeros
  int64_t point = 0;        // digits before the decimal point, counted from the first kept digit
  bool any = false, after_point = false;
  for (; at < text.size(); ++at) {
    const char c = text[at];
    if (c == '.' && !after_point) {
      after_point = true;
      continue;
    }
    if (c < '0' || c > '9') break;
    any = true;
    if (digits.empty() && c == '0') {
      if (after_point) --point;
      continue;
    }
    digits.push_back(c);
    if (!after_point) ++point;
  }
  if (!any) return DecimalParse::kMalformed;
  if (at < text.size()) {
    if (text[at] != 'e' && text[at] != 'E') return DecimalParse::kMalformed;
    std::string_view exponent_text = text.substr(at + 1);
    if (exponent_text.starts_with('+')) exponent_text.remove_prefix(1);
    int32_t exponent = 0;
    const auto parsed = std::from_chars(exponent_text.data(), exponent_text.data() + exponent_text.size(), exponent);
    if (exponent_text.empty() || parsed.ec != std::errc() || parsed.ptr != exponent_text.data() + exponent_text.size()) {
      return DecimalParse::kMalformed;
    }
    point += exponent;
  }
  *out = 0;
  if (digits.empty()) return DecimalParse::kOk;
  const int64_t kept = point + scale;  // digits that survive at the scale
  if (kept < 0) return DecimalParse::kOk;
  if (kept > precision) return DecimalParse::kOverflow;
  UInt128 value = 0;
  for (int64_t k = 0; k < kept; ++k) {
    value = value * 10 + static_cast<unsigned>(k < static_cast<int64_t>(digits.size()) ? digits[static_cast<size_t>(k)] - '0' : 0);
  }
  if (kept < static_cast<int64_t>(digits.size()) && digits[static_cast<size_t>(kept)] >= '5') ++value;
  if (value >= static_cast<UInt128>(PowerOfTen(precision))) return DecimalParse::kOverflow;
  *out = negative ? -static_cast<Int128>(value) : static_cast<Int128>(value);
  return DecimalParse::kOk;
}

double DecimalToDouble(Int128 unscaled, int scale) {
  constexpr int kExactPowers = 22;  // 10^22 is the largest power of ten that a double holds exactly
  if (Magnitude(unscaled) <= (UInt128{1} << 53) && scale >= 0 && scale <= kExactPowers) {
    return static_cast<double>(static_cast<int64_t>(unscaled)) / static_cast<double>(PowerOfTen(scale));
  }
  std::string text;
  AppendDecimal(unscaled, scale, &text);
  double value = 0;
  std::from_chars(text.data(), text.data() + text.size(), value);
  return value;
}

}  // namespace vecruntime::expr
