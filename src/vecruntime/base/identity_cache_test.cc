// SPDX-License-Identifier: Apache-2.0
#include "vecruntime/base/identity_cache.h"

#include <arrow/status.h>
#include <gtest/gtest.h>

#include <string>
#include <thread>
#include <vector>

namespace vecruntime::base {
namespace {

constexpr int64_t kPage = 10'000;  // dwarfs what an entry itself takes

std::shared_ptr<const std::string> Text(const char* text) { return std::make_shared<const std::string>(text); }

TEST(IdentityCache, FindsByIdentityAndType) {
  const auto budget = std::make_shared<MemoryBudget>(100 * kPage);
  IdentityCache cache(budget, 10 * kPage);
  cache.Put<std::string>("/t/a 10 1", Text("old"), 3);
  EXPECT_EQ(*cache.Find<std::string>("/t/a 10 1"), "old");
  EXPECT_EQ(cache.Find<std::string>("/t/a 10 2"), nullptr);
  EXPECT_EQ(cache.Find<int>("/t/a 10 1"), nullptr);
  EXPECT_EQ(cache.hits(), 1);
  EXPECT_EQ(cache.misses(), 2);
}

TEST(IdentityCache, DropsTheLeastRecentlyUsed) {
  const auto budget = std::make_shared<MemoryBudget>(100 * kPage);
  IdentityCache cache(budget, 2 * kPage + kPage / 2);
  cache.Put<std::string>("a", Text("a"), kPage);
  cache.Put<std::string>("b", Text("b"), kPage);
  ASSERT_NE(cache.Find<std::string>("a"), nullptr);
  cache.Put<std::string>("c", Text("c"), kPage);
  EXPECT_NE(cache.Find<std::string>("a"), nullptr);
  EXPECT_EQ(cache.Find<std::string>("b"), nullptr);
  EXPECT_EQ(budget->used_bytes(), cache.bytes());
}

TEST(IdentityCache, ReplacesAndRefusesWhatIsTooLarge) {
  const auto budget = std::make_shared<MemoryBudget>(100 * kPage);
  IdentityCache cache(budget, 2 * kPage);
  cache.Put<std::string>("a", Text("old"), kPage);
  cache.Put<std::string>("a", Text("new"), kPage);
  EXPECT_EQ(*cache.Find<std::string>("a"), "new");
  cache.Put<std::string>("a", Text("huge"), 3 * kPage);
  EXPECT_EQ(cache.Find<std::string>("a"), nullptr);
  EXPECT_EQ(cache.bytes(), 0);
  EXPECT_EQ(budget->used_bytes(), 0);
}

TEST(IdentityCache, GivesWayToWhatTheBudgetIsNeededFor) {
  const auto budget = std::make_shared<MemoryBudget>(4 * kPage);
  IdentityCache cache(budget, 3 * kPage);
  cache.Put<std::string>("a", Text("a"), kPage);
  cache.Put<std::string>("b", Text("b"), kPage);
  const auto in_use = cache.Find<std::string>("a");
  Reservation needed = budget->Open("sort");
  EXPECT_TRUE(needed.Resize(4 * kPage).ok());
  EXPECT_EQ(cache.bytes(), 0);
  EXPECT_EQ(*in_use, "a");
  cache.Put<std::string>("c", Text("c"), 1);
  EXPECT_EQ(cache.Find<std::string>("c"), nullptr) << "nothing is left of the budget";
  EXPECT_FALSE(needed.Resize(5 * kPage).ok());
}

TEST(IdentityCache, MayBeTheLastToGo) {
  auto budget = std::make_shared<MemoryBudget>(100 * kPage);
  const std::weak_ptr<MemoryBudget> watched = budget;
  auto cache = std::make_unique<IdentityCache>(budget, 2 * kPage);
  cache->Put<std::string>("a", Text("a"), kPage);
  budget.reset();
  EXPECT_EQ(watched.lock()->used_bytes(), cache->bytes());
  cache.reset();
  EXPECT_TRUE(watched.expired());
}

TEST(IdentityCache, ABudgetOutlivesItsCache) {
  const auto budget = std::make_shared<MemoryBudget>(2 * kPage);
  std::make_unique<IdentityCache>(budget, kPage)->Put<std::string>("a", Text("a"), 1);
  EXPECT_EQ(budget->used_bytes(), 0);
  Reservation too_much = budget->Open("sort");
  EXPECT_FALSE(too_much.Resize(3 * kPage).ok()) << "and nobody is asked to give way any more";
}

TEST(IdentityCache, WithoutBytesRemembersNothing) {
  const auto budget = std::make_shared<MemoryBudget>(kPage);
  IdentityCache cache(budget, 0);
  cache.Put<std::string>("a", Text("a"), 0);
  EXPECT_EQ(cache.Find<std::string>("a"), nullptr);
}

TEST(IdentityCache, ManyThreads) {
  const auto budget = std::make_shared<MemoryBudget>(100 * kPage);
  IdentityCache cache(budget, 8 * kPage);
  std::vector<std::thread> threads;
  for (int t = 0; t < 4; ++t) {
    threads.emplace_back([&cache] {
      for (int i = 0; i < 2000; ++i) {
        const std::string name = std::to_string(i % 16);
        const auto found = cache.Find<std::string>(name);
        if (found == nullptr) {
          cache.Put<std::string>(name, std::make_shared<const std::string>(name), kPage);
        } else {
          EXPECT_EQ(*found, name);
        }
      }
    });
  }
  for (auto& thread : threads) thread.join();
  EXPECT_LE(cache.bytes(), 8 * kPage);
  EXPECT_EQ(budget->used_bytes(), cache.bytes());
}

}  // namespace
}  // namespace vecruntime::base
