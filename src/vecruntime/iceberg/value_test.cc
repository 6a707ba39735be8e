// SPDX-License-Identifier: Apache-2.0
#include "vecruntime/iceberg/value.h"

#include <arrow/scalar.h>
#include <arrow/type.h>
#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "vecruntime/base/error.h"
#include "vecruntime/iceberg/type.h"

namespace vecruntime::iceberg {

TypePtr T(const char* text) { return *Type::Parse(text); }

TEST(Value, FloatIdentityIsOfPartitionTuples) {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  EXPECT_EQ(Value{nan}, Value{-nan});
  EXPECT_EQ(HashOf(Value{nan}), HashOf(Value{-nan}));
  EXPECT_FALSE(Value{0.0} == Value{-0.0});
  EXPECT_FALSE(Value{0.0f} == Value{-0.0f});
  EXPECT_EQ(Value{}, Value{});
  EXPECT_FALSE(Value{} == Value{0});
  EXPECT_FALSE(Value{int64_t{1}} == Value{int32_t{1}});
}

TEST(Value, OrdersAsJavaComparators) {
  const double inf = std::numeric_limits<double>::infinity();
  const double ordered[] = {-inf, -1.5, -0.0, 0.0, 1e-300, 2.0, inf, std::nan("")};
  for (size_t i = 0; i + 1 < std::size(ordered); ++i) EXPECT_TRUE(Compare(Value{ordered[i]}, Value{ordered[i + 1]}) < 0) << i;
  EXPECT_TRUE(Compare(Value{std::string("\x7f")}, Value{std::string("\x80")}) < 0);
  EXPECT_TRUE(Compare(Value{std::string("a")}, Value{std::string("ab")}) < 0);
  EXPECT_TRUE(Compare(Value{arrow::Decimal128(-1)}, Value{arrow::Decimal128(0)}) < 0);
}

TEST(Value, HasText) {
  EXPECT_EQ(ToString(*T("date"), Value{-1}), "1969-12-31");
  EXPECT_EQ(ToString(*T("timestamptz"), Value{int64_t{-1}}), "1969-12-31T23:59:59.999999+00:00");
  EXPECT_EQ(ToString(*T("timestamp_ns"), Value{int64_t{1}}), "1970-01-01T00:00:00.000000001");
  EXPECT_EQ(ToString(*T("time"), Value{int64_t{3'723'000'001}}), "01:02:03.000001");
  EXPECT_EQ(ToString(*T("decimal(9,2)"), Value{arrow::Decimal128(-5)}), "-0.05");
  EXPECT_EQ(ToString(*T("binary"), Value{std::string("\x01\xff")}), "0x01ff");
  EXPECT_EQ(ToString(*T("string"), Value{}), "null");
}

TEST(Value, UuidTextAndBytes) {
  const std::string text = "f79c3e09-677c-4bbd-a479-3f349cb785e7";
  const auto bytes = UuidBytes(text);
  ASSERT_TRUE(bytes.ok());
  EXPECT_EQ(bytes->size(), 16u);
  EXPECT_EQ(UuidText(*bytes), text);
  EXPECT_FALSE(UuidBytes("f79c3e09677c4bbda4793f349cb785e7").ok());
  EXPECT_FALSE(UuidBytes("g79c3e09-677c-4bbd-a479-3f349cb785e7").ok());
}

TEST(ScalarOfValue, GoesBothWays) {
  const std::pair<const char*, Value> cases[] = {
      {"boolean", Value{true}},
      {"int", Value{-5}},
      {"long", Value{int64_t{1} << 40}},
      {"float", Value{1.5f}},
      {"double", Value{-0.0}},
      {"decimal(38,10)", Value{arrow::Decimal128(12345)}},
      {"date", Value{-700000}},
      {"time", Value{int64_t{86'399'999'999}}},
      {"timestamp", Value{int64_t{-1}}},
      {"timestamptz", Value{int64_t{7}}},
      {"timestamp_ns", Value{int64_t{7}}},
      {"string", Value{std::string("h\xc3\xa9")}},
      {"uuid", Value{std::string("0123456789abcdef")}},
      {"fixed[3]", Value{std::string("abc")}},
      {"binary", Value{std::string("\0\x01", 2)}},
  };
  for (const auto& [text, value] : cases) {
    const auto scalar = ToScalar(*T(text), value);
    ASSERT_TRUE(scalar.ok()) << text << scalar.status();
    const auto back = FromScalar(*T(text), **scalar);
    ASSERT_TRUE(back.ok()) << text << back.status();
    EXPECT_EQ(*back, value) << text;
    const auto null = ToScalar(*T(text), Value{});
    ASSERT_TRUE(null.ok());
    EXPECT_FALSE((*null)->is_valid);
  }
}

TEST(ScalarOfValue, NestedBecomesArrow) {
  const TypePtr list = Type::List(Field{.id = 2, .type = T("int")});
  const TypePtr type = Type::Struct({Field{.id = 1, .name = "l", .type = list}});
  const Value inner{std::make_shared<const Value::Nested>(Value::Nested{Value{1}, Value{}})};
  const Value value{std::make_shared<const Value::Nested>(Value::Nested{inner})};
  const auto scalar = ToScalar(*type, value);
  ASSERT_TRUE(scalar.ok()) << scalar.status();
  EXPECT_EQ(ToString(*type, value), "{l=[1, null]}");
}

TEST(ScalarOfValue, ConvertsOnlyWhatIsExact) {
  EXPECT_EQ(*FromScalar(*T("int"), *arrow::MakeScalar(int64_t{7})), Value{7});
  EXPECT_FALSE(FromScalar(*T("int"), *arrow::MakeScalar(int64_t{1} << 31)).ok());
  EXPECT_TRUE(FromScalar(*T("uuid"), *arrow::MakeScalar("f79c3e09-677c-4bbd-a479-3f349cb785e7")).ok());
  EXPECT_FALSE(FromScalar(*T("uuid"), *arrow::MakeScalar("F79C3E09-677C-4BBD-A479-3F349CB785E7")).ok());
  EXPECT_EQ(*FromScalar(*T("decimal(9,2)"), *arrow::MakeScalar(3)), Value{arrow::Decimal128(300)});
  EXPECT_FALSE(FromScalar(*T("decimal(3,2)"), *arrow::MakeScalar(10)).ok());
  const auto tenth = arrow::Decimal128Scalar(arrow::Decimal128(1), arrow::decimal128(2, 1));
  EXPECT_FALSE(FromScalar(*T("int"), tenth).ok());
  EXPECT_EQ(*FromScalar(*T("double"), *arrow::MakeScalar(3)), Value{3.0});
  EXPECT_FALSE(FromScalar(*T("float"), *arrow::MakeScalar(0.1)).ok());
  EXPECT_FALSE(FromScalar(*T("double"), *arrow::MakeScalar((int64_t{1} << 53) + 1)).ok());
  EXPECT_FALSE(FromScalar(*T("string"), *arrow::MakeScalar(3)).ok());
  const arrow::TimestampScalar millis(5, arrow::timestamp(arrow::TimeUnit::MILLI));
  EXPECT_EQ(*FromScalar(*T("timestamp"), millis), Value{int64_t{5000}});
  EXPECT_FALSE(FromScalar(*T("timestamptz"), millis).ok());
  const arrow::TimestampScalar nanos(1, arrow::timestamp(arrow::TimeUnit::NANO));
  EXPECT_FALSE(FromScalar(*T("timestamp"), nanos).ok());
}

}  // namespace vecruntime::iceberg
