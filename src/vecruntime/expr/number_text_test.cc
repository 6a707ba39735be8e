// SPDX-License-Identifier: Apache-2.0
#include "vecruntime/expr/number_text.h"

#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <limits>
#include <random>

#include "vecruntime/expr/decimal.h"

namespace vecruntime::expr {
namespace {

std::string Shown(double value) {
  std::string text;
  AppendDouble(value, &text);
  return text;
}

TEST(NumberText, WritesDoublesAsJava) {
  EXPECT_EQ(Shown(0.0), "0.0");
  EXPECT_EQ(Shown(-0.0), "-0.0");
  EXPECT_EQ(Shown(1.0), "1.0");
  EXPECT_EQ(Shown(0.001), "0.001");
  EXPECT_EQ(Shown(0.0001), "1.0E-4");
  EXPECT_EQ(Shown(1234567.0), "1234567.0");
  EXPECT_EQ(Shown(1e7), "1.0E7");
  EXPECT_EQ(Shown(1.5e10), "1.5E10");
  EXPECT_EQ(Shown(123456.789), "123456.789");
  EXPECT_EQ(Shown(4.9e-324), "4.9E-324");
  EXPECT_EQ(Shown(std::numeric_limits<double>::max()), "1.7976931348623157E308");
  EXPECT_EQ(Shown(std::nan("")), "NaN");
  EXPECT_EQ(Shown(-std::numeric_limits<double>::infinity()), "-Infinity");
}

TEST(NumberText, DoublesReadBack) {
  std::mt19937_64 rng(7);
  for (int round = 0; round < 2000; ++round) {
    const auto value = std::bit_cast<double>(rng());
    if (!std::isfinite(value)) continue;
    double back = 0;
    ASSERT_TRUE(ParseDouble(Shown(value), &back));
    ASSERT_EQ(std::bit_cast<uint64_t>(value), std::bit_cast<uint64_t>(back)) << "seed 7 round " << round;
  }
}

TEST(NumberText, ReadsWhatJavaReads) {
  double value = 0;
  EXPECT_TRUE(ParseDouble("1.5d", &value));
  EXPECT_TRUE(ParseDouble("+1e400", &value));
  EXPECT_TRUE(std::isinf(value));
  EXPECT_TRUE(ParseDouble("-iNfInItY", &value));
  EXPECT_FALSE(ParseDouble("", &value));
  EXPECT_FALSE(ParseDouble("1.2.3", &value));
  EXPECT_FALSE(ParseDouble("- 1", &value));
  int8_t small = 0;
  EXPECT_TRUE(ParseInteger<int8_t>("+127", &small));
  EXPECT_FALSE(ParseInteger<int8_t>("128", &small));
  EXPECT_FALSE(ParseInteger<int8_t>("1.0", &small));
}

TEST(Decimal, RoundsHalfUpThroughWideSteps) {
  Int128 out = 0;
  EXPECT_TRUE(DivideDecimals(1, 3, 6, true, 38, &out));
  EXPECT_TRUE(out == 333333);
  EXPECT_TRUE(DivideDecimals(-2, 3, 0, true, 38, &out));
  EXPECT_TRUE(out == -1);
  const Int128 big = PowerOfTen(38) - 1;
  EXPECT_TRUE(MultiplyDecimals(big, big, 76, 38, 38, &out)) << "0.99.. squared, rounded to 38 digits";
  EXPECT_TRUE(out == PowerOfTen(38) - 2);
  EXPECT_FALSE(MultiplyDecimals(big, 10, 0, 0, 38, &out));
  const Int128 lowest = std::numeric_limits<int64_t>::min();
  EXPECT_TRUE(MultiplyDecimals(lowest, lowest, 0, 0, 38, &out) && out == lowest * lowest) << "the largest product of two 64-bit values";
  EXPECT_FALSE(MultiplyDecimals(lowest, lowest, 0, 0, 37, &out));
  EXPECT_FALSE(AddDecimals(big, 0, 1, 0, false, 0, 38, &out));
  EXPECT_TRUE(DivideDecimals(1, 7, 60, true, 38, &out) == false) << "over 38 digits";
}

TEST(Decimal, ReadsAndWritesText) {
  const auto parse = [](std::string_view text, int precision, int scale) -> std::string {
    Int128 value = 0;
    if (ParseDecimal(text, precision, scale, &value) != DecimalParse::kOk) return "refused";
    std::string shown;
    AppendDecimal(value, scale, &shown);
    return shown;
  };
  EXPECT_EQ(parse("1.005", 10, 2), "1.01");
  EXPECT_EQ(parse("-0.5", 10, 0), "-1");
  EXPECT_EQ(parse("1e3", 10, 1), "1000.0");
  EXPECT_EQ(parse("12345e-7", 10, 4), "0.0012");
  EXPECT_EQ(parse(".5", 10, 2), "0.50");
  EXPECT_EQ(parse("99999.5", 5, 0), "refused");
  EXPECT_EQ(parse("", 5, 0), "refused");
  EXPECT_EQ(parse("1e", 5, 0), "refused");
}

}  // namespace
}  // namespace vecruntime::expr
