// SPDX-License-Identifier: Apache-2.0
#include "vecruntime/deletes/equality_delete_set.h"

#include <arrow/array.h>
#include <arrow/builder.h>
#include <arrow/type.h>
#include <gtest/gtest.h>

#include <cmath>
#include <optional>

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
  std::vector<int32_t> Live(const EqualityDeleteSet& set, const std::vector<std::shared_ptr<arrow::Array>>& keys, int64_t data_sequence) {
    columnar::Selection rows = columnar::Selection::All(keys[0]->length());
    EXPECT_TRUE(set.Narrow(keys, data_sequence, &rows).ok());
    return rows.LiveIndices();
  }
  base::MemoryBudget budget_{1 << 24};
};

TEST_F(EqualityDeleteSetTest, OnlyNewerDeletesApplyAndTheNewestCounts) {
  const auto set = EqualityDeleteSet::Make({arrow::int64()}, budget_.Open("test"));
  ASSERT_TRUE(set->Add({Longs({1, 2, std::nullopt})}, 5).ok());
  ASSERT_TRUE(set->Add({Longs({2, 3})}, 3).ok());
  const auto keys = Longs({1, 2, 3, 4, std::nullopt});
  EXPECT_EQ(Live(*set, {keys}, 2), (std::vector<int32_t>{3}));
  EXPECT_EQ(Live(*set, {keys}, 3), (std::vector<int32_t>{2, 3}));
  EXPECT_EQ(Live(*set, {keys}, 5), (std::vector<int32_t>{0, 1, 2, 3, 4}));
}

TEST_F(EqualityDeleteSetTest, ANullKeyNeverMatchesAValue) {
  const auto set = EqualityDeleteSet::Make({arrow::int64(), arrow::utf8()}, budget_.Open("test"));
  ASSERT_TRUE(set->Add({Longs({10, std::nullopt}), Strings({std::nullopt, "x"})}, 5).ok());
  const auto a = Longs({10, 10, std::nullopt, std::nullopt});
  const auto b = Strings({std::nullopt, "x", std::nullopt, "x"});
  EXPECT_EQ(Live(*set, {a, b}, 1), (std::vector<int32_t>{1, 2}));
}

TEST_F(EqualityDeleteSetTest, DoublesCompareAsInJava) {
  const auto set = EqualityDeleteSet::Make({arrow::float64()}, budget_.Open("test"));
  ASSERT_TRUE(set->Add({Doubles({std::nan("1"), 0.0})}, 5).ok());
  EXPECT_EQ(Live(*set, {Doubles({-std::nan("2"), 0.0, -0.0, 1.0})}, 1), (std::vector<int32_t>{2, 3}));
}

TEST_F(EqualityDeleteSetTest, VariableWidthColumnsDoNotRunIntoEachOther) {
  const auto set = EqualityDeleteSet::Make({arrow::utf8(), arrow::utf8()}, budget_.Open("test"));
  ASSERT_TRUE(set->Add({Strings({"a"}), Strings({"bc"})}, 5).ok());
  EXPECT_EQ(Live(*set, {Strings({"ab", "a"}), Strings({"c", "bc"})}, 1), (std::vector<int32_t>{0}));
}

TEST_F(EqualityDeleteSetTest, ManyKeysAcrossGrowth) {
  const auto set = EqualityDeleteSet::Make({arrow::int64()}, budget_.Open("test"));
  for (int64_t part = 0; part < 50; ++part) {
    std::vector<std::optional<int64_t>> keys;
    for (int64_t i = 0; i < 1000; ++i) keys.push_back((part * 1000 + i) * 3);
    ASSERT_TRUE(set->Add({Longs(keys)}, part).ok());
  }
  EXPECT_EQ(set->size(), 50000);
  std::vector<std::optional<int64_t>> probe;
  for (int64_t i = 0; i < 150000; ++i) probe.push_back(i);
  const auto live = Live(*set, {Longs(probe)}, 24);
  EXPECT_EQ(live.size(), 150000u - 25000u);
}

TEST_F(EqualityDeleteSetTest, OverTheBudgetIsResourceExhausted) {
  base::MemoryBudget small(1000);
  const auto set = EqualityDeleteSet::Make({arrow::int64()}, small.Open("equality deletes"));
  const auto status = set->Add({Longs(std::vector<std::optional<int64_t>>(1000, 1))}, 1);
  EXPECT_EQ(KindOf(status), ErrorKind::kResourceExhausted);
  EXPECT_NE(status.message().find("equality deletes"), std::string::npos);
}

}  // namespace
}  // namespace vecruntime::deletes
