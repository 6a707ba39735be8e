// SPDX-License-Identifier: Apache-2.0
#include "vecruntime/base/parallel.h"

#include <gtest/gtest.h>

#include <atomic>
#include <stdexcept>

#include "vecruntime/base/error.h"

namespace vecruntime::base {

TEST(ParallelFor, RunsEveryTaskOnce) {
  std::atomic<int64_t> sum{0};
  ASSERT_TRUE(ParallelFor(1000, 4, [&](int64_t task, int) { sum += task; return arrow::Status::OK(); }).ok());
  EXPECT_EQ(sum.load(), 999 * 1000 / 2);
}

TEST(ParallelFor, ReportsTheError) {
  const arrow::Status status = ParallelFor(100, 4, [](int64_t task, int) {
    return task == 7 ? CorruptData("task ", task) : arrow::Status::OK();
  });
  EXPECT_EQ(status.message(), "task 7");
}

TEST(ParallelFor, AnExceptionBecomesAnError) {
  const arrow::Status status = ParallelFor(4, 2, [](int64_t, int) -> arrow::Status { throw std::runtime_error("boom"); });
  EXPECT_EQ(KindOf(status), ErrorKind::kInternal);
}

}  // namespace vecruntime::base
