// SPDX-License-Identifier: Apache-2.0
#include "vecruntime/base/phase_timer.h"

#include <gtest/gtest.h>

#include <thread>

namespace vecruntime::base {
namespace {

using std::chrono::milliseconds;

TEST(PhaseTimer, InnerTimeIsNotTheOuterOnes) {
  std::atomic<int64_t> outer{0};
  std::atomic<int64_t> inner{0};
  const auto start = std::chrono::steady_clock::now();
  {
    const PhaseTimer outer_timer(&outer);
    {
      const PhaseTimer inner_timer(&inner);
      std::this_thread::sleep_for(milliseconds(20));
    }
    const PhaseTimer uncounted(nullptr);
    std::this_thread::sleep_for(milliseconds(20));
  }
  const auto elapsed = std::chrono::nanoseconds(std::chrono::steady_clock::now() - start).count();
  EXPECT_GE(inner.load(), std::chrono::nanoseconds(milliseconds(20)).count());
  // Together at most what passed without the 20 ms that count for nobody.
  EXPECT_LE(outer.load() + inner.load(), elapsed - std::chrono::nanoseconds(milliseconds(20)).count());
}

}  // namespace
}  // namespace vecruntime::base
