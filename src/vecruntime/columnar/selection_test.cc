// SPDX-License-Identifier: Apache-2.0
#include "vecruntime/columnar/selection.h"

#include <gtest/gtest.h>

#include <random>
#include <vector>

namespace vecruntime::columnar {

// Every operation against a vector<bool> that does the same bit by bit.
TEST(Selection, AgreesWithABitByBitModel) {
  std::mt19937 rng(42);
  for (int round = 0; round < 300; ++round) {
    const int64_t n = static_cast<int64_t>(rng() % 300);
    Selection selection = Selection::All(n);
    std::vector<bool> model(static_cast<size_t>(n), true);
    for (int step = 0; step < 6 && n > 0; ++step) {
      const int64_t a = static_cast<int64_t>(rng() % static_cast<uint32_t>(n));
      const int64_t b = static_cast<int64_t>(rng() % static_cast<uint32_t>(n + 50)) - 20;
      if (rng() % 2 == 0) {
        selection.Kill(a);
        model[static_cast<size_t>(a)] = false;
      } else {
        selection.KillRange(a - 30, b);
        for (int64_t i = std::max<int64_t>(a - 30, 0); i < std::min(b, n); ++i) model[static_cast<size_t>(i)] = false;
      }
    }
    int64_t live = 0;
    for (int64_t i = 0; i < n; ++i) {
      ASSERT_EQ(selection.IsLive(i), model[static_cast<size_t>(i)]) << "seed 42 round " << round << " row " << i;
      live += model[static_cast<size_t>(i)];
    }
    ASSERT_EQ(selection.CountLive(), live);
    const int64_t from = n == 0 ? 0 : static_cast<int64_t>(rng() % static_cast<uint32_t>(n));
    const Selection slice = selection.Slice(from, n - from);
    for (int64_t i = 0; i < n - from; ++i) ASSERT_EQ(slice.IsLive(i), model[static_cast<size_t>(from + i)]);
    EXPECT_EQ(slice.begin().value, from);
  }
}

TEST(Selection, BitsBeyondTheLengthStayZero) {
  Selection selection = Selection::All(70);
  EXPECT_EQ(selection.words()[1], (uint64_t{1} << 6) - 1);
  EXPECT_EQ(selection.CountLive(), 70);
}

TEST(Selection, FileRowsOutsideTheRangeAreIgnored) {
  Selection selection = Selection::All(10, base::FileRow{100});
  selection.KillFileRows({base::FileRow{0}, base::FileRow{102}});
  selection.KillFileRows({base::FileRow{109}, base::FileRow{500}});
  EXPECT_EQ(selection.LiveIndices(), (std::vector<int32_t>{2, 3, 4, 5, 6, 7, 8}));
}

}  // namespace vecruntime::columnar
