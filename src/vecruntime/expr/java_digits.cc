// SPDX-License-Identifier: Apache-2.0
#include "vecruntime/expr/java_digits.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstdint>
#include <vector>

namespace vecruntime::expr {
namespace {

// A natural number of any size, little end first, without leading zero words.
class Natural {
 public:
  explicit Natural(uint64_t value) {
    for (; value != 0; value >>= 32) words_.push_back(static_cast<uint32_t>(value));
  }
  void MultiplySmall(uint32_t factor) {
    uint64_t carry = 0;
    for (uint32_t& word : words_) {
      carry += static_cast<uint64_t>(word) * factor;
      word = static_cast<uint32_t>(carry);
      carry >>= 32;
    }
    if (carry != 0) words_.push_back(static_cast<uint32_t>(carry));
  }
  void MultiplyPowerOf5(int exponent) {
    constexpr uint32_t kFive13 = 1220703125;
    for (; exponent >= 13; exponent -= 13) MultiplySmall(kFive13);
    for (; exponent > 0; --exponent) MultiplySmall(5);
  }
  void ShiftLeft(int bits) {
    if (words_.empty()) return;
    const int rest = bits % 32;
    if (rest != 0) MultiplySmall(uint32_t{1} << rest);
    words_.insert(words_.begin(), static_cast<size_t>(bits / 32), 0);
  }
  int Compare(const Natural& other) const {
    if (words_.size() != other.words_.size()) return words_.size() < other.words_.size() ? -1 : 1;
    for (size_t k = words_.size(); k > 0; --k) {
      if (words_[k - 1] != other.words_[k - 1]) return words_[k - 1] < other.words_[k - 1] ? -1 : 1;
    }
    return 0;
  }
  Natural Plus(const Natural& other) const {
    Natural sum(0);
    uint64_t carry = 0;
    for (size_t k = 0; k < std::max(words_.size(), other.words_.size()) || carry != 0; ++k) {
      carry += k < words_.size() ? words_[k] : 0;
      carry += k < other.words_.size() ? other.words_[k] : 0;
      sum.words_.push_back(static_cast<uint32_t>(carry));
      carry >>= 32;
    }
    return sum;
  }
  // this %= divisor; the quotient, which is below ten.
  int DivideToDigit(const Natural& divisor) {
    int quotient = 0;
    for (; Compare(divisor) >= 0; ++quotient) Subtract(divisor);
    return quotient;
  }

 private:
  void Subtract(const Natural& other) {
    int64_t borrow = 0;
    for (size_t k = 0; k < words_.size(); ++k) {
      int64_t difference = static_cast<int64_t>(words_[k]) - (k < other.words_.size() ? other.words_[k] : 0) + borrow;
      borrow = difference < 0 ? -1 : 0;
      words_[k] = static_cast<uint32_t>(difference);
    }
    while (!words_.empty() && words_.back() == 0) words_.pop_back();
  }

  std::vector<uint32_t> words_;
};

constexpr int kFractionBits = 52;

// Bits of 5^n, as the JDK counts them to choose between machine words and big numbers.
int BitsOfPowerOf5(int n) {
  constexpr std::array<int, 27> kBits = {0,  3,  5,  7,  10, 12, 14, 17, 19, 21, 24, 26, 28, 31,
                                         33, 35, 38, 40, 42, 45, 47, 49, 52, 54, 56, 59, 61};
  return n < static_cast<int>(kBits.size()) ? kBits[static_cast<size_t>(n)] : 3 * n;
}

// Digits that a power of two lacks the bits for.
int InsignificantDigits(int bits) {
  constexpr std::array<int, 64> kDigits = {0, 0, 0, 0, 1, 1, 1, 2,  2,  2,  3,  3,  3,  3,  4,  4,  4,  5,  5,  5,  6,  6,
                                           6, 6, 7, 7, 7, 8, 8, 8,  9,  9,  9,  9,  10, 10, 10, 11, 11, 11, 12, 12, 12, 12,
                                           13, 13, 13, 14, 14, 14, 15, 15, 15, 15, 16, 16, 16, 17, 17, 17, 18, 18, 18, 19};
  return bits > 1 && bits < static_cast<int>(kDigits.size()) ? kDigits[static_cast<size_t>(bits)] : 0;
}

JavaDigits FromInteger(uint64_t value, int insignificant) {
  uint64_t unit = 1;
  for (int k = 0; k < insignificant; ++k) unit *= 10;
  const uint64_t residue = value % unit;
  value = value / unit + (insignificant > 0 && residue >= unit / 2 ? 1 : 0);
  JavaDigits java;
  for (; value != 0; value /= 10) java.digits.push_back(static_cast<char>('0' + value % 10));
  std::reverse(java.digits.begin(), java.digits.end());
  java.exponent = static_cast<int>(java.digits.size()) - 1 + insignificant;
  return java;
}

void RoundUp(JavaDigits* java) {
  size_t at = java->digits.size();
  while (at > 0 && java->digits[at - 1] == '9') java->digits[--at] = '0';
  if (at > 0) {
    ++java->digits[at - 1];
  } else {
    java->digits.insert(java->digits.begin(), '1');
    java->digits.pop_back();
    ++java->exponent;
  }
}

// B = fraction * 2^b2 * 5^b5, S = 2^s2 * 5^s5, M = 2^m2 * 5^m5: the value is B / S * 10^decimal, and M half a unit of its last bit.
struct Scaled {
  uint64_t fraction;
  int b2, b5, s2, s5, m2, m5, decimal;
};

// The form with an exponent shows two digits at least.
bool NeedsTwoDigits(int decimal) { return decimal < -3 || decimal >= 8; }

void RoundLast(JavaDigits* java, bool low, bool high, int against_half) {
  if (!high) return;
  if (!low || against_half > 0 || (against_half == 0 && (java->digits.back() - '0') % 2 != 0)) RoundUp(java);
}

// In machine words, overflow of the last comparisons included, since it decides some digits.
template <typename Word, typename Unsigned>
JavaDigits DevelopWords(const Scaled& scaled) {
  const auto power = [](int five, int two) {
    Unsigned value = 1;
    for (int k = 0; k < five; ++k) value *= 5;
    return static_cast<Unsigned>(value << two);
  };
  auto b = static_cast<Word>(static_cast<Unsigned>(scaled.fraction) * power(scaled.b5, scaled.b2));
  const auto s = static_cast<Word>(power(scaled.s5, scaled.s2));
  auto m = static_cast<Word>(power(scaled.m5, scaled.m2));
  const auto tens = static_cast<Word>(static_cast<Unsigned>(s) * 10);
  JavaDigits java;
  java.exponent = scaled.decimal;
  bool low = false, high = false, first = true;
  do {
    const int digit = static_cast<int>(b / s);
    b = static_cast<Word>(static_cast<Unsigned>(b % s) * 10);
    m = static_cast<Word>(static_cast<Unsigned>(m) * 10);
    const bool overflow = !first && m <= 0;
    low = overflow || b < m;
    high = overflow || static_cast<Word>(static_cast<Unsigned>(b) + static_cast<Unsigned>(m)) > tens;
    if (first && digit == 0 && !high) {
      --java.exponent;
    } else {
      java.digits.push_back(static_cast<char>('0' + digit));
    }
    if (first && NeedsTwoDigits(java.exponent)) low = high = false;
    first = false;
  } while (!low && !high);
  const auto difference = static_cast<Word>((static_cast<Unsigned>(b) << 1) - static_cast<Unsigned>(tens));
  RoundLast(&java, low, high, difference > 0 ? 1 : difference < 0 ? -1 : 0);
  return java;
}

JavaDigits DevelopNaturals(const Scaled& scaled) {
  const auto make = [](uint64_t value, int five, int two) {
    Natural natural(value);
    natural.MultiplyPowerOf5(five);
    natural.ShiftLeft(two);
    return natural;
  };
  Natural b = make(scaled.fraction, scaled.b5, scaled.b2), m = make(1, scaled.m5, scaled.m2);
  const Natural s = make(1, scaled.s5, scaled.s2), tens = make(10, scaled.s5, scaled.s2);
  JavaDigits java;
  java.exponent = scaled.decimal;
  bool low = false, high = false, first = true;
  do {
    const int digit = b.DivideToDigit(s);
    b.MultiplySmall(10);
    m.MultiplySmall(10);
    low = b.Compare(m) < 0;
    high = b.Plus(m).Compare(tens) >= 0;
    if (first && digit == 0 && !high) {
      --java.exponent;
    } else {
      java.digits.push_back(static_cast<char>('0' + digit));
    }
    if (first && NeedsTwoDigits(java.exponent)) low = high = false;
    first = false;
  } while (!low && !high);
  b.ShiftLeft(1);
  RoundLast(&java, low, high, b.Compare(tens));
  return java;
}

// jdk.internal.math.FloatingDecimal: digits of B / S until what is left is within half a unit M of the last place.
// `fraction` has its leading bit at 52; the value is fraction * 2^(exponent - 52).
JavaDigits Develop(uint64_t fraction, int exponent, int significant_bits) {
  const int tail_zeros = std::countr_zero(fraction);
  const int fraction_bits = kFractionBits + 1 - tail_zeros;
  const int tiny_bits = std::max(0, fraction_bits - exponent - 1);
  if (exponent <= 62 && exponent >= -21 && tiny_bits == 0 && fraction_bits < 64) {
    const int insignificant = exponent > significant_bits ? InsignificantDigits(exponent - significant_bits - 1) : 0;
    return FromInteger(exponent >= kFractionBits ? fraction << (exponent - kFractionBits) : fraction >> (kFractionBits - exponent), insignificant);
  }
  const double mantissa = std::bit_cast<double>(uint64_t{0x3FF0000000000000} | (fraction & ((uint64_t{1} << kFractionBits) - 1)));
  const int decimal = static_cast<int>(std::floor((mantissa - 1.5) * 0.289529654 + 0.176091259 + exponent * 0.301029995663981));
  const int b5 = std::max(0, -decimal), s5 = std::max(0, decimal), m5 = b5;
  int b2 = b5 + tiny_bits + exponent, s2 = s5 + tiny_bits, m2 = b2 - significant_bits;
  b2 -= fraction_bits - 1;
  const int common = std::min(b2, s2);
  b2 -= common, s2 -= common, m2 -= common;
  if (fraction_bits == 1) --m2;  // below a power of two the neighbour is only half as far
  if (m2 < 0) b2 -= m2, s2 -= m2, m2 = 0;
  const int b_bits = fraction_bits + b2 + BitsOfPowerOf5(b5);
  const int tens_bits = s2 + 1 + BitsOfPowerOf5(s5 + 1);
  const Scaled scaled{fraction >> tail_zeros, b2, b5, s2, s5, m2, m5, decimal};
  if (b_bits < 32 && tens_bits < 32) return DevelopWords<int32_t, uint32_t>(scaled);
  if (b_bits < 64 && tens_bits < 64) return DevelopWords<int64_t, uint64_t>(scaled);
  return DevelopNaturals(scaled);
}

JavaDigits Trimmed(JavaDigits java) {
  while (java.digits.size() > 1 && java.digits.back() == '0') java.digits.pop_back();
  return java;
}

// Splits an IEEE number into a fraction with its leading bit at 52 and a binary exponent.
template <typename Bits>
JavaDigits FromIeee(Bits bits, int stored_bits, int bias) {
  uint64_t fraction = bits & ((Bits{1} << stored_bits) - 1);
  fraction <<= kFractionBits - stored_bits;
  int exponent = static_cast<int>(bits >> stored_bits);
  int significant = stored_bits + 1;
  if (exponent == 0) {
    const int shift = std::countl_zero(fraction) - (63 - kFractionBits);
    fraction <<= shift;
    exponent = 1 - shift;
    significant = stored_bits + 1 - shift;
  } else {
    fraction |= uint64_t{1} << kFractionBits;
  }
  return Trimmed(Develop(fraction, exponent - bias, significant));
}

}  // namespace

JavaDigits DigitsOf(double value) { return FromIeee(std::bit_cast<uint64_t>(value), 52, 1023); }
JavaDigits DigitsOf(float value) { return FromIeee(std::bit_cast<uint32_t>(value), 23, 127); }

}  // namespace vecruntime::expr
