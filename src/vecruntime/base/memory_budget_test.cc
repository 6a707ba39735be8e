// SPDX-License-Identifier: Apache-2.0
#include "vecruntime/base/memory_budget.h"

#include <gtest/gtest.h>

#include "vecruntime/base/error.h"

namespace vecruntime::base {

TEST(MemoryBudget, RefusesWhatDoesNotFitAndNamesTheConsumer) {
  MemoryBudget budget(100);
  Reservation a = budget.Open("hash table");
  ASSERT_TRUE(a.Resize(60).ok());
  Reservation b = budget.Open("sort run");
  const arrow::Status status = b.Resize(41);
  EXPECT_EQ(KindOf(status), ErrorKind::kResourceExhausted);
  EXPECT_NE(status.message().find("sort run"), std::string::npos);
  EXPECT_TRUE(b.Resize(40).ok());
  EXPECT_EQ(budget.used_bytes(), 100);
}

TEST(MemoryBudget, GivesBackOnDestructionAndShrink) {
  MemoryBudget budget(100);
  {
    Reservation a = budget.Open("x");
    ASSERT_TRUE(a.Resize(100).ok());
    ASSERT_TRUE(a.Resize(10).ok());
    Reservation b = std::move(a);
    EXPECT_EQ(budget.used_bytes(), 10);
  }
  EXPECT_EQ(budget.used_bytes(), 0);
}

}  // namespace vecruntime::base
