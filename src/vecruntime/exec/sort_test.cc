// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>
#include <set>

#include "vecruntime/base/error.h"
#include "vecruntime/exec/testing/random_batches.h"

namespace vecruntime::exec {

using testing::Column;
using testing::CompareValues;
using testing::RandomBatches;

// Row order by the keys as the SQL says it.
int CompareRows(const std::vector<SortKey>& keys, const arrow::ArrayVector& a, int64_t i, const arrow::ArrayVector& b, int64_t j) {
  for (const SortKey& key : keys) {
    const auto c = static_cast<size_t>(key.expression->column());
    const bool a_null = a[c]->IsNull(i), b_null = b[c]->IsNull(j);
    int order = CompareValues(*a[c], i, *b[c], j);
    if (a_null || b_null) {
      if (!key.nulls_first) order = -order;
    } else if (key.descending) {
      order = -order;
    }
    if (order != 0) return order;
  }
  return 0;
}

TEST(Sort, AgreesWithARowWiseSort) {
  for (uint32_t seed = 1; seed <= 120; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    RandomBatches random(seed);
    auto batches = random.MakeMany(1 + static_cast<int>(random.Next() % 6), 60);
    std::vector<SortKey> keys;
    for (uint32_t k = random.Next() % 3 + 1; k > 0; --k) {
      keys.push_back({Column(static_cast<int>(random.Next() % 9) + 1), random.Chance(2), random.Chance(2)});
    }
    const int64_t limit = random.Chance(2) ? -1 : static_cast<int64_t>(random.Next() % 50);
    const int64_t offset = random.Chance(2) ? 0 : static_cast<int64_t>(random.Next() % 20);
    const auto rows = testing::AllLive(batches);
    std::vector<int64_t> expected(static_cast<size_t>(rows[0]->length()));
    std::iota(expected.begin(), expected.end(), 0);
    std::stable_sort(expected.begin(), expected.end(),
                     [&](int64_t i, int64_t j) { return CompareRows(keys, rows, i, rows, j) < 0; });
    expected.erase(expected.begin(), expected.begin() + std::min<int64_t>(offset, static_cast<int64_t>(expected.size())));
    if (limit >= 0) expected.resize(std::min(expected.size(), static_cast<size_t>(limit)));

    ExecContext context;
    context.workers = static_cast<int>(random.Next() % 3) + 1;
    context.batch_rows = random.Next() % 40 + 1;
    auto result = testing::RunToTable(batches, {}, MakeSort(testing::RandomSchema(), keys, limit, offset), context);
    ASSERT_TRUE(result.ok()) << result.status().ToString();
    arrow::ArrayVector got;
    for (int c = 0; c < (*result)->num_columns(); ++c) got.push_back(testing::ColumnOf(**result, c));
    ASSERT_EQ((*result)->num_rows(), static_cast<int64_t>(expected.size()));
    std::set<int64_t> ids;
    for (size_t i = 0; i < expected.size(); ++i) {
      ASSERT_EQ(CompareRows(keys, got, static_cast<int64_t>(i), rows, expected[i]), 0) << "row " << i;
      ids.insert(static_cast<const arrow::Int64Array&>(*got[0]).Value(static_cast<int64_t>(i)));
    }
    ASSERT_EQ(ids.size(), expected.size());
  }
}

TEST(Sort, TopRowsAreCutWhileConsuming) {
  RandomBatches random(7);
  auto batches = random.MakeMany(20, 20000);
  const auto rows = testing::AllLive(batches);
  std::vector<int64_t> big;
  for (int64_t i = 0; i < rows[6]->length(); ++i) {
    if (rows[6]->IsValid(i)) big.push_back(static_cast<const arrow::Int64Array&>(*rows[6]).Value(i));
  }
  std::sort(big.begin(), big.end(), std::greater<>());
  ExecContext context;
  context.workers = 2;
  auto result = testing::RunToTable(batches, {}, MakeSort(testing::RandomSchema(), {{Column(6), true, false}}, 10, 5), context);
  ASSERT_TRUE(result.ok()) << result.status().ToString();
  ASSERT_EQ((*result)->num_rows(), 10);
  for (int64_t i = 0; i < 10; ++i) {
    EXPECT_EQ(static_cast<const arrow::Int64Array&>(*testing::ColumnOf(**result, 6)).Value(i), big[static_cast<size_t>(i) + 5]);
  }
}

TEST(Sort, NamesItselfWhenTheBudgetIsExceeded) {
  RandomBatches random(3);
  base::MemoryBudget budget(10000);
  ExecContext context;
  context.budget = &budget;
  const auto result =
      testing::RunToTable(random.MakeMany(3, 2000), {}, MakeSort(testing::RandomSchema(), {{Column(1)}}, -1, 0), context);
  EXPECT_EQ(KindOf(result.status()), ErrorKind::kResourceExhausted);
  EXPECT_NE(result.status().message().find("sort"), std::string::npos);
  EXPECT_EQ(budget.used_bytes(), 0);
}

}  // namespace vecruntime::exec
