// SPDX-License-Identifier: Apache-2.0
#include "vecruntime/deletes/deleted_rows.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <random>
#include <set>
#include <vector>

namespace vecruntime::deletes {
namespace {

using base::FileRow;
using columnar::Selection;

TEST(DeletedRows, NarrowsAnyRangeLikeASetOfPositions) {
  for (uint32_t seed = 1; seed <= 60; ++seed) {
    std::mt19937 rng(seed);
    const int64_t rows = 1 + static_cast<int64_t>(rng() % 300000);
    const uint32_t one_in = std::array<uint32_t, 4>{2, 7, 100, 20000}[rng() % 4];
    std::set<int64_t> model;
    for (int64_t i = 0; i < rows; ++i) {
      if (rng() % one_in == 0) model.insert(i);
    }
    std::vector<int64_t> positions(model.begin(), model.end());
    positions.insert(positions.end(), model.begin(), model.end());
    std::shuffle(positions.begin(), positions.end(), rng);
    const DeletedRows deleted = DeletedRows::FromPositions({positions});
    ASSERT_EQ(deleted.cardinality(), static_cast<int64_t>(model.size()));
    const int64_t begin = static_cast<int64_t>(rng() % static_cast<uint32_t>(rows));
    const int64_t length = std::min<int64_t>(rows - begin, 1 + static_cast<int64_t>(rng() % 150000));
    Selection selection = Selection::All(length, FileRow{begin});
    deleted.Narrow(&selection);
    for (int64_t i = 0; i < length; ++i) ASSERT_EQ(selection.IsLive(i), !model.contains(begin + i)) << "seed " << seed << " row " << i;
  }
}

TEST(DeletedRows, FarPositionsCostNothingAndReachNothing) {
  const std::vector<int64_t> positions = {0, (int64_t{1} << 31) - 1, int64_t{1} << 31, int64_t{1} << 32, (int64_t{1} << 33) + 5};
  const DeletedRows deleted = DeletedRows::FromPositions({positions});
  Selection selection = Selection::All(10);
  deleted.Narrow(&selection);
  EXPECT_EQ(selection.CountLive(), 9);
  EXPECT_FALSE(selection.IsLive(0));
  EXPECT_LT(deleted.size_bytes(), 1000);
}

TEST(DeletedRows, SeveralListsInAnyOrderMatchASet) {
  for (unsigned seed = 0; seed < 16; ++seed) {
    std::mt19937 random(seed);
    const int64_t step = seed % 2 == 0 ? 1 : 1000;  // close together, or far apart
    std::set<int64_t> expected;
    std::vector<std::vector<int64_t>> lists(1 + random() % 4);
    for (auto& list : lists) {
      list.resize(random() % 20000);
      for (int64_t& position : list) position = static_cast<int64_t>(random() % 200000) * step;
      if (random() % 2 == 0) std::sort(list.begin(), list.end());
      expected.insert(list.begin(), list.end());
    }
    std::vector<DeletedRows> parts;
    std::vector<const DeletedRows*> pointers;
    for (const auto& list : lists) parts.push_back(DeletedRows::FromPositions({list}));
    for (const DeletedRows& part : parts) pointers.push_back(&part);
    const DeletedRows deleted = seed % 4 < 2 ? DeletedRows::FromPositions({lists.begin(), lists.end()}) : DeletedRows::Union(pointers);
    EXPECT_EQ(deleted.cardinality(), static_cast<int64_t>(expected.size()));
    for (int round = 0; round < 4; ++round) {
      const int64_t begin = static_cast<int64_t>(random() % 200000) * step;
      Selection rows = Selection::All(static_cast<int64_t>(random() % 70000), FileRow{begin});
      deleted.Narrow(&rows);
      int64_t wrong = 0;
      for (int64_t i = 0; i < rows.length(); ++i) wrong += rows.IsLive(i) == expected.contains(begin + i);
      EXPECT_EQ(wrong, 0) << "seed " << seed;
    }
  }
}

}  // namespace
}  // namespace vecruntime::deletes
