// SPDX-License-Identifier: Apache-2.0
#include "vecruntime/iceberg/transform.h"

#include <gtest/gtest.h>

#include <limits>

#include "vecruntime/base/error.h"
#include "vecruntime/iceberg/bucket_hash.h"
#include "vecruntime/iceberg/calendar.h"

namespace vecruntime::iceberg {
namespace {

TypePtr T(const char* text) { return *Type::Parse(text); }

Value Applied(const char* transform, const char* type, Value value) {
  const auto result = Transform::Parse(transform).Apply(*T(type), value);
  EXPECT_TRUE(result.ok()) << transform << " of " << type << ": " << result.status();
  return result.ok() ? *result : Value{};
}

std::string Uuid(const char* text) { return *UuidBytes(text); }

/// The bucket hash with its sign bit cleared, read off a transform with as many buckets as an int can count.
void ExpectHash(const char* type, Value value, int32_t hash) {
  const int32_t positive = hash & std::numeric_limits<int32_t>::max();
  EXPECT_EQ(Applied("bucket[2147483647]", type, std::move(value)), Value{positive}) << type;
}

int64_t Micros(int64_t year, int month, int day, int64_t micros_of_day = 0) {
  return DaysFromCivil({year, month, day}) * 86'400'000'000 + micros_of_day;
}

}  // namespace

// Spec(iceberg v3, Appendix B, "32-bit Hash Requirements").
TEST(BucketTransform, HashesTheVectorsOfTheSpec) {
  ExpectHash("int", Value{34}, 2017239379);
  ExpectHash("long", Value{int64_t{34}}, 2017239379);
  ExpectHash("decimal(9,2)", Value{arrow::Decimal128(1420)}, -500754589);
  ExpectHash("date", Value{17486}, -653330422);
  ExpectHash("time", Value{int64_t{81'068'000'000}}, -662762989);
  ExpectHash("timestamp", Value{int64_t{1510871468000000}}, -2047944441);
  ExpectHash("timestamptz", Value{int64_t{1510871468000000}}, -2047944441);
  ExpectHash("timestamp", Value{int64_t{1510871468000001}}, -1207196810);
  ExpectHash("timestamp_ns", Value{int64_t{1510871468000001001}}, -1207196810);
  ExpectHash("timestamptz_ns", Value{int64_t{1510871468000001001}}, -1207196810);
  ExpectHash("string", Value{std::string("iceberg")}, 1210000089);
  ExpectHash("uuid", Value{Uuid("f79c3e09-677c-4bbd-a479-3f349cb785e7")}, 1488055340);
  ExpectHash("fixed[4]", Value{std::string("\0\1\2\3", 4)}, -188683207);
  ExpectHash("binary", Value{std::string("\0\1\2\3", 4)}, -188683207);
}

TEST(BucketTransform, PromotedIntKeepsItsBucketAndNullStaysNull) {
  EXPECT_EQ(Applied("bucket[16]", "int", Value{-7}), Applied("bucket[16]", "long", Value{int64_t{-7}}));
  EXPECT_TRUE(Applied("bucket[16]", "int", Value{}).is_null());
  EXPECT_FALSE(Transform::Parse("bucket[16]").Apply(*T("double"), Value{1.0}).ok());
}

TEST(TruncateTransform, FloorsNegatives) {
  const std::pair<int, int> cases[] = {{-15, -21}, {-14, -14}, {-8, -14}, {-7, -7}, {-1, -7}, {0, 0}, {6, 0}, {7, 7}};
  for (const auto& [value, truncated] : cases) {
    EXPECT_EQ(Applied("truncate[7]", "int", Value{value}), Value{truncated});
    EXPECT_EQ(Applied("truncate[7]", "long", Value{int64_t{value}}), Value{int64_t{truncated}});
    EXPECT_EQ(Applied("truncate[7]", "decimal(9,2)", Value{arrow::Decimal128(value)}), Value{arrow::Decimal128(truncated)});
  }
}

TEST(TruncateTransform, RefusesToWrapAtTheMinimum) {
  const Transform transform = Transform::Parse("truncate[7]");
  EXPECT_EQ(KindOf(transform.Apply(*T("int"), Value{std::numeric_limits<int32_t>::min()}).status()), ErrorKind::kInvalidArgument);
  EXPECT_EQ(KindOf(transform.Apply(*T("long"), Value{std::numeric_limits<int64_t>::min()}).status()), ErrorKind::kInvalidArgument);
}

TEST(TruncateTransform, CutsStringsByCodePointAndBinaryByByte) {
  EXPECT_EQ(Applied("truncate[3]", "string", Value{std::string("iceberg")}), Value{std::string("ice")});
  EXPECT_EQ(Applied("truncate[2]", "string", Value{std::string("a\xf0\x9f\x98\x80z")}), Value{std::string("a\xf0\x9f\x98\x80")});
  EXPECT_EQ(Applied("truncate[9]", "string", Value{std::string("\xc3\xa9")}), Value{std::string("\xc3\xa9")});
  EXPECT_EQ(Applied("truncate[2]", "binary", Value{std::string("\xf0\x9f\x98")}), Value{std::string("\xf0\x9f")});
}

TEST(TimeTransforms, FloorBeforeTheEpoch) {
  struct Case {
    int64_t micros;
    int year, month, day, hour;
  };
  const Case cases[] = {
      {Micros(1969, 12, 31, 86'399'999'999), -1, -1, -1, -1},
      {Micros(1969, 1, 1), -1, -12, -365, -8760},
      {Micros(1968, 2, 29), -2, -23, -672, -16128},
      {Micros(1, 1, 1), -1969, -23628, -719162, -17259888},
      {0, 0, 0, 0, 0},
      {Micros(2017, 11, 16, 81'068'000'000), 47, 574, 17486, 419686},
  };
  for (const Case& c : cases) {
    EXPECT_EQ(Applied("year", "timestamp", Value{c.micros}), Value{c.year});
    EXPECT_EQ(Applied("month", "timestamptz", Value{c.micros}), Value{c.month});
    EXPECT_EQ(Applied("day", "timestamp", Value{c.micros}), Value{c.day});
    EXPECT_EQ(Applied("hour", "timestamp", Value{c.micros}), Value{c.hour});
    EXPECT_EQ(Applied("year", "date", Value{c.day}), Value{c.year});
    EXPECT_EQ(Applied("month", "date", Value{c.day}), Value{c.month});
    EXPECT_EQ(Applied("day", "date", Value{c.day}), Value{c.day});
    if (c.year < -292) continue;
    EXPECT_EQ(Applied("year", "timestamp_ns", Value{c.micros * 1000}), Value{c.year});
    EXPECT_EQ(Applied("month", "timestamp_ns", Value{c.micros * 1000}), Value{c.month});
    EXPECT_EQ(Applied("day", "timestamptz_ns", Value{c.micros * 1000}), Value{c.day});
    EXPECT_EQ(Applied("hour", "timestamp_ns", Value{c.micros * 1000}), Value{c.hour});
  }
  EXPECT_EQ(Applied("hour", "timestamp_ns", Value{int64_t{-1}}), Value{-1});
}

TEST(TimeTransforms, HourOutOfRangeAndOfADateAreErrors) {
  EXPECT_FALSE(Transform::Parse("hour").Apply(*T("timestamp"), Value{std::numeric_limits<int64_t>::max()}).ok());
  EXPECT_FALSE(Transform::Parse("hour").Apply(*T("date"), Value{1}).ok());
  EXPECT_FALSE(Transform::Parse("day").Apply(*T("string"), Value{std::string("x")}).ok());
}

TEST(Transform, ParsesNamesAndKeepsUnknownOnes) {
  EXPECT_EQ(Transform::Parse("Bucket[16]").parameter, 16);
  EXPECT_EQ(Transform::Parse("void").kind, TransformKind::kVoid);
  for (const char* text : {"bucket[0]", "bucket[-1]", "bucket[]", "bucket[99999999999]", "truncate", "zorder[3]", ""}) {
    EXPECT_EQ(Transform::Parse(text).kind, TransformKind::kUnknown) << text;
    EXPECT_EQ(Transform::Parse(text).text, text);
  }
  EXPECT_TRUE(Applied("void", "int", Value{3}).is_null());
  EXPECT_EQ(Transform::Parse("day").ResultType(T("timestamp"))->id(), TypeId::kDate);
  EXPECT_EQ(Transform::Parse("truncate[3]").ResultType(T("string"))->id(), TypeId::kString);
}

// Expected texts come from Transform.toHumanString of Iceberg's Java library, 1.11.0.
TEST(TransformText, IsThatOfJava) {
  const std::tuple<const char*, const char*, Value, const char*> cases[] = {
      {"identity", "timestamptz", Value{int64_t{500000}}, "1970-01-01T00:00:00.5+00:00"},
      {"identity", "timestamp", Value{int64_t{60000000}}, "1970-01-01T00:01:00"},
      {"identity", "timestamp", Value{int64_t{-62135596800000000}}, "0001-01-01T00:00:00"},
      {"identity", "timestamptz_ns", Value{int64_t{-1}}, "1969-12-31T23:59:59.999999999+00:00"},
      {"identity", "time", Value{int64_t{0}}, "00:00"},
      {"identity", "time", Value{int64_t{500000}}, "00:00:00.500"},
      {"identity", "time", Value{int64_t{1}}, "00:00:00.000001"},
      {"identity", "double", Value{1e7}, "1.0E7"},
      {"identity", "double", Value{123456789.0}, "1.23456789E8"},
      {"identity", "double", Value{1e-4}, "1.0E-4"},
      {"identity", "float", Value{0.001f}, "0.001"},
      {"identity", "double", Value{-0.0}, "-0.0"},
      {"identity", "binary", Value{std::string("\1\2\3\4")}, "AQIDBA=="},
      {"identity", "binary", Value{std::string("abc")}, "YWJj"},
      {"identity", "decimal(9,2)", Value{arrow::Decimal128(-125)}, "-1.25"},
      {"identity", "string", Value{}, "null"},
      {"year", "int", Value{-1971}, "-001"},
      {"month", "int", Value{-1}, "1969-12"},
      {"hour", "int", Value{-1}, "1969-12-31-23"},
      {"day", "date", Value{-800000}, "-221-09-04"},
      {"bucket[4]", "int", Value{3}, "3"},
  };
  for (const auto& [transform, type, value, text] : cases) EXPECT_EQ(Transform::Parse(transform).HumanText(*T(type), value), text);
}

}  // namespace vecruntime::iceberg
