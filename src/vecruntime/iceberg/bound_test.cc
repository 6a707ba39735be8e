// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include "vecruntime/base/error.h"
#include "vecruntime/iceberg/type.h"
#include "vecruntime/iceberg/value.h"

namespace vecruntime::iceberg {
namespace {

TypePtr T(const char* text) { return *Type::Parse(text); }

std::string Bytes(std::initializer_list<int> bytes) {
  std::string text;
  for (const int byte : bytes) text += static_cast<char>(byte);
  return text;
}

}  // namespace

TEST(Bound, DecodesEveryTypeAndEncodesItBack) {
  const std::tuple<const char*, std::string, Value> cases[] = {
      {"boolean", Bytes({1}), Value{true}},
      {"int", Bytes({0xfe, 0xff, 0xff, 0xff}), Value{-2}},
      {"long", Bytes({1, 0, 0, 0, 0, 0, 0, 0x80}), Value{std::numeric_limits<int64_t>::min() + 1}},
      {"float", Bytes({0, 0, 0x80, 0x3f}), Value{1.0f}},
      {"double", Bytes({0, 0, 0, 0, 0, 0, 0xf0, 0xbf}), Value{-1.0}},
      {"date", Bytes({0xff, 0xff, 0xff, 0xff}), Value{-1}},
      {"timestamptz", Bytes({1, 0, 0, 0, 0, 0, 0, 0}), Value{int64_t{1}}},
      {"string", "h\xc3\xa9", Value{std::string("h\xc3\xa9")}},
      {"string", "\xf4\x8f\xbf\xbf\xee\x80\x80", Value{std::string("\xf4\x8f\xbf\xbf\xee\x80\x80")}},
      {"uuid", "0123456789abcdef", Value{std::string("0123456789abcdef")}},
      {"binary", Bytes({0xff, 0}), Value{Bytes({0xff, 0})}},
      {"decimal(9,2)", Bytes({0xff}), Value{arrow::Decimal128(-1)}},
      {"decimal(9,2)", Bytes({0x00, 0x80}), Value{arrow::Decimal128(128)}},
      {"decimal(9,2)", Bytes({0x80}), Value{arrow::Decimal128(-128)}},
      {"decimal(38,0)", Bytes({0}), Value{arrow::Decimal128(0)}},
  };
  for (const auto& [type, bytes, value] : cases) {
    const auto decoded = DecodeBound(*T(type), bytes);
    ASSERT_TRUE(decoded.ok()) << type << decoded.status();
    EXPECT_EQ(*decoded, value) << type;
    EXPECT_EQ(EncodeBound(*T(type), value), bytes) << type;
  }
}

TEST(Bound, DecimalsOfFullWidthAndMore) {
  const arrow::Decimal128 largest("99999999999999999999999999999999999999");
  for (const arrow::Decimal128& value : {largest, arrow::Decimal128(-largest)}) {
    const std::string bytes = EncodeBound(*T("decimal(38,38)"), Value{value});
    EXPECT_EQ(bytes.size(), 16u);
    EXPECT_EQ(*DecodeBound(*T("decimal(38,38)"), bytes), Value{value});
    // Sign-extended to more than 16 bytes by a careless writer.
    const std::string wide = std::string(4, value < 0 ? '\xff' : '\0') + bytes;
    EXPECT_EQ(*DecodeBound(*T("decimal(38,38)"), wide), Value{value});
  }
  EXPECT_FALSE(DecodeBound(*T("decimal(38,0)"), "").ok());
  EXPECT_FALSE(DecodeBound(*T("decimal(38,0)"), std::string("\x01", 1) + std::string(16, '\0')).ok());
  EXPECT_FALSE(DecodeBound(*T("decimal(38,0)"), std::string(1, '\0') + std::string(16, '\xff')).ok());
}

TEST(Bound, AcceptsTheWidthBeforePromotion) {
  EXPECT_EQ(*DecodeBound(*T("long"), Bytes({0xff, 0xff, 0xff, 0xff})), Value{int64_t{-1}});
  EXPECT_EQ(*DecodeBound(*T("double"), Bytes({0, 0, 0x80, 0x3f})), Value{1.0});
  EXPECT_EQ(*DecodeBound(*T("timestamp"), Bytes({1, 0, 0, 0})), Value{int64_t{86'400'000'000}});
  EXPECT_EQ(*DecodeBound(*T("timestamp_ns"), Bytes({1, 0, 0, 0})), Value{int64_t{86'400'000'000'000}});
  EXPECT_EQ(KindOf(DecodeBound(*T("timestamp_ns"), Bytes({0, 0, 0, 0x70})).status()), ErrorKind::kCorruptData);
}

TEST(Bound, WhatDoesNotFitIsAnError) {
  const std::pair<const char*, std::string> cases[] = {
      {"boolean", ""},      {"int", "12345678"},  {"int", "123"},     {"date", "12345678"}, {"long", "123456789"}, {"float", "12345678"},
      {"double", "12345"},  {"time", "1234"},     {"uuid", "123"},    {"fixed[2]", "123"},  {"string", "\xc3"},    {"string", "a\xf0\x9f\x98"},
      {"string", "\xc0\x80"}, {"string", "\xed\xa0\x80"}, {"string", "\xf4\x90\x80\x80"}, {"string", "\xff"},
      {"timestamptz", "1"}, {"unknown", "1"},     {"variant", "123"}, {"timestamp", ""},
  };
  for (const auto& [type, bytes] : cases) {
    EXPECT_EQ(KindOf(DecodeBound(*T(type), bytes).status()), ErrorKind::kCorruptData) << type;
  }
}

}  // namespace vecruntime::iceberg
