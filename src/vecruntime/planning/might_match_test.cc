// SPDX-License-Identifier: Apache-2.0
#include "vecruntime/planning/might_match.h"

#include <gtest/gtest.h>

#include <limits>

namespace vecruntime::planning {
namespace {

using iceberg::Predicate;
using iceberg::PredicateOp;
using iceberg::Transform;
using iceberg::Type;
using iceberg::TypeId;
using iceberg::TypePtr;
using iceberg::Value;

bool Might(PredicateOp op, TypeId type, std::vector<Value> values, const ColumnFacts& facts) {
  return LeafMightMatch(*Predicate::Leaf(op, 1, Type::Primitive(type), std::move(values)), facts);
}

ColumnFacts Range(Value lower, Value upper) { return {.lower = std::move(lower), .upper = std::move(upper)}; }

TEST(MightMatch, BoundsDecideComparisons) {
  const ColumnFacts facts = Range(Value{int64_t{10}}, Value{int64_t{20}});
  EXPECT_FALSE(Might(PredicateOp::kLt, TypeId::kLong, {Value{int64_t{10}}}, facts));
  EXPECT_TRUE(Might(PredicateOp::kLtEq, TypeId::kLong, {Value{int64_t{10}}}, facts));
  EXPECT_FALSE(Might(PredicateOp::kGt, TypeId::kLong, {Value{int64_t{20}}}, facts));
  EXPECT_TRUE(Might(PredicateOp::kGtEq, TypeId::kLong, {Value{int64_t{20}}}, facts));
  EXPECT_FALSE(Might(PredicateOp::kEq, TypeId::kLong, {Value{int64_t{21}}}, facts));
  EXPECT_TRUE(Might(PredicateOp::kIn, TypeId::kLong, {Value{int64_t{21}}, Value{int64_t{15}}}, facts));
  EXPECT_FALSE(Might(PredicateOp::kIn, TypeId::kLong, {Value{int64_t{21}}, Value{int64_t{9}}}, facts));
}

TEST(MightMatch, BoundsOfANarrowerTypeStillCompare) {
  EXPECT_FALSE(Might(PredicateOp::kEq, TypeId::kLong, {Value{int64_t{1} << 40}}, Range(Value{int32_t{1}}, Value{int32_t{2}})));
}

TEST(MightMatch, NanIsGreaterThanEveryBound) {
  const ColumnFacts facts = Range(Value{1.0}, Value{2.0});
  EXPECT_TRUE(Might(PredicateOp::kGt, TypeId::kDouble, {Value{100.0}}, facts));
  EXPECT_TRUE(Might(PredicateOp::kNotEq, TypeId::kDouble, {Value{1.0}}, Range(Value{1.0}, Value{1.0})));
  EXPECT_FALSE(Might(PredicateOp::kLt, TypeId::kDouble, {Value{1.0}}, facts));
  ColumnFacts without_nan = facts;
  without_nan.nan_count = 0;
  EXPECT_FALSE(Might(PredicateOp::kGt, TypeId::kDouble, {Value{100.0}}, without_nan));
  EXPECT_TRUE(Might(PredicateOp::kEq, TypeId::kDouble, {Value{std::numeric_limits<double>::quiet_NaN()}}, facts));
}

TEST(MightMatch, ZeroHasNoSign) {
  EXPECT_TRUE(Might(PredicateOp::kEq, TypeId::kDouble, {Value{0.0}}, Range(Value{-0.0}, Value{-0.0})));
  EXPECT_TRUE(Might(PredicateOp::kEq, TypeId::kDouble, {Value{-0.0}}, Range(Value{0.0}, Value{0.0})));
}

TEST(MightMatch, MissingCountsProveNothing) {
  EXPECT_TRUE(Might(PredicateOp::kIsNull, TypeId::kLong, {}, {}));
  EXPECT_FALSE(Might(PredicateOp::kIsNull, TypeId::kLong, {}, {.null_count = 0}));
  EXPECT_TRUE(Might(PredicateOp::kNotNull, TypeId::kLong, {}, {.null_count = 5}));
  EXPECT_FALSE(Might(PredicateOp::kNotNull, TypeId::kLong, {}, {.null_count = 5, .value_count = 5}));
}

TEST(MightMatch, ALongUpperBoundMayBeAPrefix) {
  const std::string bound(16, 'a');
  const ColumnFacts facts = Range(Value{std::string("a")}, Value{bound});
  EXPECT_TRUE(Might(PredicateOp::kEq, TypeId::kString, {Value{bound + "z"}}, facts));
  EXPECT_TRUE(Might(PredicateOp::kGt, TypeId::kString, {Value{bound + "y"}}, facts));
  EXPECT_FALSE(Might(PredicateOp::kEq, TypeId::kString, {Value{std::string("b")}}, facts));
  EXPECT_FALSE(Might(PredicateOp::kStartsWith, TypeId::kString, {Value{std::string("b")}}, facts));
  EXPECT_TRUE(Might(PredicateOp::kStartsWith, TypeId::kString, {Value{std::string("aa")}}, facts));
}

TEST(MightMatch, DistrustsInvertedAndBrokenBounds) {
  ColumnFacts facts;
  const std::string one(std::string("\x01\0\0\0\0\0\0\0", 8)), two(std::string("\x02\0\0\0\0\0\0\0", 8));
  SetBounds(*Type::Primitive(TypeId::kLong), &two, &one, &facts);
  EXPECT_FALSE(facts.lower || facts.upper);
  SetBounds(*Type::Primitive(TypeId::kLong), &one, &two, &facts);
  EXPECT_TRUE(facts.lower && facts.upper);
  const std::string cut = "abc\xE2\x80";
  SetBounds(*Type::Primitive(TypeId::kString), nullptr, &cut, &facts);
  EXPECT_FALSE(facts.upper);
}

TEST(MightMatch, TransformsAreMonotonicOrKeepEquality) {
  const TypePtr type = Type::Primitive(TypeId::kTimestamp);
  const auto might = [&](PredicateOp op, int64_t us, const char* transform, int32_t lower, int32_t upper) {
    return LeafMightMatchTransformed(*Predicate::Leaf(op, 1, type, {Value{us}}), Transform::Parse(transform),
                                     Range(Value{lower}, Value{upper}));
  };
  constexpr int64_t kDay = 86400LL * 1000000;
  EXPECT_TRUE(might(PredicateOp::kLt, 5 * kDay + 1, "day", 5, 5));
  EXPECT_FALSE(might(PredicateOp::kLt, 5 * kDay - 1, "day", 5, 5));
  EXPECT_FALSE(might(PredicateOp::kGt, 6 * kDay, "day", 5, 5));
  EXPECT_TRUE(might(PredicateOp::kEq, -1, "day", -1, -1));
  EXPECT_TRUE(might(PredicateOp::kEq, -1, "day", 0, 0)) << "a writer may have cut towards the epoch";
  EXPECT_TRUE(might(PredicateOp::kGt, 0, "bucket[4]", 1, 1));
  EXPECT_TRUE(might(PredicateOp::kEq, 0, "void", 1, 1));
}

bool All(PredicateOp op, TypeId type, std::vector<Value> values, const ColumnFacts& facts) {
  return LeafAllMatch(*Predicate::Leaf(op, 1, Type::Primitive(type), std::move(values)), facts);
}

ColumnFacts NoNulls(Value lower, Value upper) {
  return {.lower = std::move(lower), .upper = std::move(upper), .null_count = 0, .value_count = 5};
}

TEST(AllMatch, BoundsProveComparisons) {
  const ColumnFacts facts = NoNulls(Value{int64_t{10}}, Value{int64_t{20}});
  const auto all = [&](PredicateOp op, std::vector<int64_t> numbers) {
    std::vector<Value> values;
    for (const int64_t number : numbers) values.push_back(Value{number});
    return All(op, TypeId::kLong, std::move(values), facts);
  };
  EXPECT_TRUE(all(PredicateOp::kGtEq, {10}));
  EXPECT_FALSE(all(PredicateOp::kGtEq, {11}));
  EXPECT_TRUE(all(PredicateOp::kGt, {9}));
  EXPECT_FALSE(all(PredicateOp::kGt, {10}));
  EXPECT_TRUE(all(PredicateOp::kLtEq, {20}));
  EXPECT_FALSE(all(PredicateOp::kLtEq, {19}));
  EXPECT_TRUE(all(PredicateOp::kLt, {21}));
  EXPECT_FALSE(all(PredicateOp::kLt, {20}));
  EXPECT_TRUE(all(PredicateOp::kNotEq, {21}));
  EXPECT_FALSE(all(PredicateOp::kNotEq, {15}));
  EXPECT_TRUE(all(PredicateOp::kNotIn, {9, 21}));
  EXPECT_FALSE(all(PredicateOp::kNotIn, {9, 20}));
  EXPECT_FALSE(all(PredicateOp::kEq, {10}));
  EXPECT_FALSE(all(PredicateOp::kIn, {10, 20}));
  EXPECT_TRUE(all(PredicateOp::kNotNull, {}));
  EXPECT_FALSE(all(PredicateOp::kIsNull, {}));
}

TEST(AllMatch, OneValueEqualsItself) {
  const ColumnFacts facts = NoNulls(Value{int32_t{7}}, Value{int32_t{7}});
  EXPECT_TRUE(All(PredicateOp::kEq, TypeId::kInt, {Value{int32_t{7}}}, facts));
  EXPECT_TRUE(All(PredicateOp::kIn, TypeId::kInt, {Value{int32_t{6}}, Value{int32_t{7}}}, facts));
}

TEST(AllMatch, NullsAndUnknownCountsProveNothing) {
  ColumnFacts facts = NoNulls(Value{int64_t{10}}, Value{int64_t{20}});
  for (const std::optional<int64_t> nulls : {std::optional<int64_t>(1), std::optional<int64_t>()}) {
    facts.null_count = nulls;
    EXPECT_FALSE(All(PredicateOp::kGt, TypeId::kLong, {Value{int64_t{0}}}, facts));
    EXPECT_FALSE(All(PredicateOp::kNotNull, TypeId::kLong, {}, facts));
    EXPECT_FALSE(All(PredicateOp::kIsNull, TypeId::kLong, {}, facts));
  }
  facts.null_count = 5;
  EXPECT_TRUE(All(PredicateOp::kIsNull, TypeId::kLong, {}, facts));
  facts = {.null_count = 0, .value_count = 5};
  EXPECT_FALSE(All(PredicateOp::kGt, TypeId::kLong, {Value{int64_t{0}}}, facts));
}

TEST(AllMatch, NanLiesBesideTheBounds) {
  ColumnFacts facts = NoNulls(Value{1.0}, Value{2.0});
  facts.nan_count = 0;
  EXPECT_FALSE(All(PredicateOp::kLt, TypeId::kDouble, {Value{3.0}}, facts));
  EXPECT_TRUE(All(PredicateOp::kNotNull, TypeId::kDouble, {}, facts));
}

TEST(AllMatch, BoundsOfTextsMayBeCut) {
  const auto text = [](const char* bytes) { return Value{std::string(bytes)}; };
  ColumnFacts facts = NoNulls(text("abc"), text("abd"));
  EXPECT_TRUE(All(PredicateOp::kStartsWith, TypeId::kString, {text("ab")}, facts));
  EXPECT_FALSE(All(PredicateOp::kStartsWith, TypeId::kString, {text("abc")}, facts));
  EXPECT_TRUE(All(PredicateOp::kGtEq, TypeId::kString, {text("abc")}, facts));
  EXPECT_TRUE(All(PredicateOp::kLt, TypeId::kString, {text("abe")}, facts));
  EXPECT_FALSE(All(PredicateOp::kLtEq, TypeId::kString, {text("abd")}, facts));
  facts = NoNulls(text("a"), text("a"));
  EXPECT_FALSE(All(PredicateOp::kEq, TypeId::kString, {text("a")}, facts));
  facts.exact = true;
  EXPECT_TRUE(All(PredicateOp::kEq, TypeId::kString, {text("a")}, facts));
  const std::string sixteen(16, 'x');
  facts = NoNulls(text("a"), Value{sixteen});
  EXPECT_FALSE(All(PredicateOp::kLt, TypeId::kString, {Value{sixteen + "y"}}, facts)) << "the bound may be a prefix";
  EXPECT_TRUE(All(PredicateOp::kLt, TypeId::kString, {text("y")}, facts));
}

}  // namespace
}  // namespace vecruntime::planning
