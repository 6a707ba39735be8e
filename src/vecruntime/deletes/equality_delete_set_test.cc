// SPDX-License-Identifier: Apache-2.0
#include "vecruntime/deletes/equality_delete_set.h"

#include <arrow/array.h>
#include <arrow/builder.h>
#include <arrow/type.h>
#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <limits>
#include <map>
#include <optional>
#include <random>
#include <string>

#include "vecruntime/base/error.h"

namespace vecruntime::deletes {
namespace {

template <typename Builder, typename T>
std::shared_ptr<arrow::Array> Array(const std::vector<std::optional<T>>& values) {
  Builder builder;
  for (const auto& value : values) {
    EXPECT_TRUE((value ? builder.Append(*value) : builder.AppendNull()).ok());
  }
  return *builder.Finish();
}
std::shared_ptr<arrow::Array> Longs(const std::vector<std::optional<int64_t>>& values) { return Array<arrow::Int64Builder>(values); }
std::shared_ptr<arrow::Array> Strings(const std::vector<std::optional<std::string>>& values) { return Array<arrow::StringBuilder>(values); }
std::shared_ptr<arrow::Array> Doubles(const std::vector<std::optional<double>>& values) { return Array<arrow::DoubleBuilder>(values); }

class EqualityDeleteSetTest : public ::testing::Test {
 protected:
  using Columns = std::vector<std::shared_ptr<arrow::Array>>;

  static std::shared_ptr<const EqualityDeleteSet> Build(const std::vector<DeletedKeys>& parts, base::MemoryBudget* budget) {
    std::vector<std::shared_ptr<arrow::DataType>> types;
    for (const auto& column : parts[0].columns) types.push_back(column->type());
    base::Reservation memory = budget->Open("test");
    return *EqualityDeleteSet::Build(types, parts, &memory);
  }
  std::shared_ptr<const EqualityDeleteSet> Build(const std::vector<DeletedKeys>& parts) { return Build(parts, &budget_); }
  static std::vector<int32_t> Live(const EqualityDeleteSet& set, const Columns& keys, int64_t data_sequence) {
    columnar::Selection rows = columnar::Selection::All(keys[0]->length());
    EXPECT_TRUE(set.Narrow(keys, data_sequence, &rows).ok());
    return rows.LiveIndices();
  }
  base::MemoryBudget budget_{1 << 28};
};

TEST_F(EqualityDeleteSetTest, OnlyNewerDeletesApplyAndTheNewestCounts) {
  const auto set = Build({{{Longs({1, 2, std::nullopt})}, 5}, {{Longs({2, 3})}, 3}});
  const auto keys = Longs({1, 2, 3, 4, std::nullopt});
  EXPECT_EQ(Live(*set, {keys}, 2), (std::vector<int32_t>{3}));
  EXPECT_EQ(Live(*set, {keys}, 3), (std::vector<int32_t>{2, 3}));
  EXPECT_EQ(Live(*set, {keys}, 5), (std::vector<int32_t>{0, 1, 2, 3, 4}));
  EXPECT_EQ(set->max_sequence(), 5);
}

TEST_F(EqualityDeleteSetTest, ANullKeyNeverMatchesAValue) {
  const auto set = Build({{{Longs({10, std::nullopt}), Strings({std::nullopt, "x"})}, 5}});
  const auto a = Longs({10, 10, std::nullopt, std::nullopt});
  const auto b = Strings({std::nullopt, "x", std::nullopt, "x"});
  EXPECT_EQ(Live(*set, {a, b}, 1), (std::vector<int32_t>{1, 2}));
}

TEST_F(EqualityDeleteSetTest, DoublesCompareAsInJava) {
  const auto set = Build({{{Doubles({std::nan("1"), 0.0})}, 5}});
  EXPECT_EQ(Live(*set, {Doubles({-std::nan("2"), 0.0, -0.0, 1.0})}, 1), (std::vector<int32_t>{2, 3}));
}

TEST_F(EqualityDeleteSetTest, VariableWidthColumnsDoNotRunIntoEachOther) {
  const auto set = Build({{{Strings({"a"}), Strings({"bc"})}, 5}});
  EXPECT_EQ(Live(*set, {Strings({"ab", "a"}), Strings({"c", "bc"})}, 1), (std::vector<int32_t>{0}));
}

TEST_F(EqualityDeleteSetTest, KeysAtTheEndsOfTheirRange) {
  constexpr int64_t kLeast = std::numeric_limits<int64_t>::min();
  constexpr int64_t kGreatest = std::numeric_limits<int64_t>::max();
  const auto probe = Longs({kLeast, kLeast + 1, -1, 0, kGreatest - 1, kGreatest});
  EXPECT_EQ(Live(*Build({{{Longs({kLeast, kGreatest})}, 5}}), {probe}, 1), (std::vector<int32_t>{1, 2, 3, 4}));
  EXPECT_EQ(Live(*Build({{{Longs({kLeast})}, 5}}), {probe}, 1), (std::vector<int32_t>{1, 2, 3, 4, 5}));
  EXPECT_EQ(Live(*Build({{{Longs({kGreatest})}, 5}}), {probe}, 1), (std::vector<int32_t>{0, 1, 2, 3, 4}));
  EXPECT_EQ(Live(*Build({{{Longs({std::nullopt})}, 5}}), {probe}, 1).size(), 6u);
}

TEST_F(EqualityDeleteSetTest, OverTheBudgetIsResourceExhausted) {
  base::MemoryBudget small(1000);
  std::vector<std::optional<int64_t>> keys;
  for (int64_t i = 0; i < 1000; ++i) keys.push_back(i << 40);
  base::Reservation memory = small.Open("equality deletes");
  const auto built = EqualityDeleteSet::Build({arrow::int64()}, {{{Longs(keys)}, 1}}, &memory);
  EXPECT_EQ(KindOf(built.status()), ErrorKind::kResourceExhausted);
  EXPECT_NE(built.status().message().find("equality deletes"), std::string::npos);
  EXPECT_EQ(small.used_bytes(), 0);
}

TEST_F(EqualityDeleteSetTest, StatisticsTellWhereNoKeyCanMatch) {
  const auto rows = [](int64_t min, int64_t max, std::optional<int64_t> nulls) {
    return parquet::ColumnStatistics{.min = iceberg::Value{min}, .max = iceberg::Value{max}, .null_count = nulls, .value_count = 10};
  };
  const KeyBounds integers = Build({{{Longs({10, 20})}, 5}})->bounds()[0];
  EXPECT_FALSE(integers.MightMatch(rows(0, 9, 3)));
  EXPECT_FALSE(integers.MightMatch(rows(21, 30, std::nullopt)));
  EXPECT_TRUE(integers.MightMatch(rows(20, 30, 0)));
  EXPECT_TRUE(integers.MightMatch({.min = {}, .max = {}, .null_count = 9, .value_count = 10}));
  EXPECT_FALSE(integers.MightMatch({.min = {}, .max = {}, .null_count = 10, .value_count = 10}));
  const KeyBounds with_null = Build({{{Longs({10, std::nullopt})}, 5}})->bounds()[0];
  EXPECT_FALSE(with_null.MightMatch(rows(0, 9, 0)));
  EXPECT_TRUE(with_null.MightMatch(rows(0, 9, 1)));
  EXPECT_TRUE(with_null.MightMatch(rows(0, 9, std::nullopt)));
  const KeyBounds strings = Build({{{Strings({"banana", "cherry"})}, 5}})->bounds()[0];
  const auto texts = [](std::string min, std::string max) {
    return parquet::ColumnStatistics{
        .min = iceberg::Value{std::move(min)}, .max = iceberg::Value{std::move(max)}, .null_count = 0, .value_count = 10};
  };
  EXPECT_FALSE(strings.MightMatch(texts("d", "e")));
  EXPECT_FALSE(strings.MightMatch(texts("a", "ab")));
  EXPECT_TRUE(strings.MightMatch(texts("a", "ban")));
  const KeyBounds doubles = Build({{{Doubles({1.0})}, 5}})->bounds()[0];
  EXPECT_TRUE(doubles.MightMatch({.min = iceberg::Value{5.0}, .max = iceberg::Value{6.0}, .value_count = 1}));
}

// Random keys against a map from key to its newest sequence.
class EqualityDeleteSetRandomTest : public EqualityDeleteSetTest, public ::testing::WithParamInterface<unsigned> {
 protected:
  template <typename T>
  using Keys = std::vector<std::optional<T>>;

  template <typename T, typename MakeArray>
  void Check(const std::function<std::optional<T>()>& draw, MakeArray&& make_array) {
    std::map<std::optional<T>, int64_t> newest;
    std::vector<DeletedKeys> parts;
    const bool one_sequence = random_() % 2 == 0;
    for (int part = 0; part < 3; ++part) {
      Keys<T> keys(random_() % 3000);
      for (auto& key : keys) key = draw();
      const int64_t sequence = one_sequence ? 4 : static_cast<int64_t>(random_() % 8);
      for (const auto& key : keys) newest[key] = std::max(newest.try_emplace(key, -1).first->second, sequence);
      parts.push_back({{make_array(keys)}, sequence});
    }
    const auto set = Build(parts);
    EXPECT_EQ(set->size(), static_cast<int64_t>(newest.size()));
    Keys<T> probe(1000 + random_() % 200);
    for (auto& key : probe) key = draw();
    const auto values = make_array(probe)->Slice(3);
    for (int64_t data_sequence = -1; data_sequence < 9; ++data_sequence) {
      columnar::Selection rows = columnar::Selection::All(values->length());
      columnar::Selection expected = rows;
      for (int64_t i = 0; i < rows.length(); ++i) {
        const auto found = newest.find(probe[static_cast<size_t>(i) + 3]);
        if (random_() % 4 == 0) {
          rows.Kill(i);
          expected.Kill(i);
        } else if (found != newest.end() && found->second > data_sequence) {
          expected.Kill(i);
        }
      }
      ASSERT_TRUE(set->Narrow({values}, data_sequence, &rows).ok());
      EXPECT_EQ(rows.LiveIndices(), expected.LiveIndices()) << "data sequence " << data_sequence;
    }
  }

  std::mt19937 random_{GetParam()};
};

TEST_P(EqualityDeleteSetRandomTest, IntegersCloseTogetherAndFarApart) {
  for (const int64_t step : {int64_t{1}, int64_t{50}, int64_t{1} << 20, int64_t{1} << 50}) {
    Check<int64_t>([&]() -> std::optional<int64_t> {
      if (random_() % 50 == 0) return std::nullopt;
      return (static_cast<int64_t>(random_() % 4000) - 2000) * step;
    }, Longs);
  }
  Check<int32_t>([&]() -> std::optional<int32_t> { return static_cast<int32_t>(random_() % 5000) - 2500; },
                 [](const Keys<int32_t>& keys) { return Array<arrow::Int32Builder>(keys); });
  Check<bool>([&]() -> std::optional<bool> { return random_() % 3 == 0 ? std::nullopt : std::optional(true); },
              [](const Keys<bool>& keys) { return Array<arrow::BooleanBuilder>(keys); });
}

TEST_P(EqualityDeleteSetRandomTest, Strings) {
  Check<std::string>([&]() -> std::optional<std::string> {
    if (random_() % 50 == 0) return std::nullopt;
    return std::string(random_() % 20, 'x') + std::to_string(random_() % 300);
  }, [](const Keys<std::string>& keys) { return vecruntime::deletes::Strings(keys); });
}

INSTANTIATE_TEST_SUITE_P(Seeds, EqualityDeleteSetRandomTest, ::testing::Range(0U, 20U));

}  // namespace
}  // namespace vecruntime::deletes
