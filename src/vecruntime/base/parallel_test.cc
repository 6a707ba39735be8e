// SPDX-License-Identifier: Apache-2.0
#include "vecruntime/base/parallel.h"

#include <gtest/gtest.h>
#include <pthread.h>
#include <sched.h>

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

TEST(RunWorkers, WorkersMayHaveWorkersOfTheirOwn) {
  for (int round = 0; round < 200; ++round) {
    std::atomic<int> ran{0};
    const arrow::Status status = RunWorkers(3, [&](int) { return RunWorkers(3, [&](int) { return ++ran, arrow::Status::OK(); }); });
    ASSERT_TRUE(status.ok());
    ASSERT_EQ(ran.load(), 9);
  }
}

TEST(RunWorkers, AThreadThatIsWokenMayRunWhereItMightBefore) {
  cpu_set_t allowed;
  ASSERT_EQ(pthread_getaffinity_np(pthread_self(), sizeof(allowed), &allowed), 0);
  for (int round = 0; round < 50; ++round) {
    const arrow::Status status = RunWorkers(3, [&](int worker) {
      cpu_set_t mine;
      const bool same = pthread_getaffinity_np(pthread_self(), sizeof(mine), &mine) == 0 && CPU_EQUAL(&mine, &allowed);
      return same ? arrow::Status::OK() : Internal("worker ", worker, " is bound");
    });
    ASSERT_TRUE(status.ok()) << status.message();
  }
}

TEST(RunWorkers, RunsOnTheCallersThreadWhatNoThreadCanBeHadFor) {
  pthread_attr_t usual;
  pthread_attr_t too_large;
  ASSERT_EQ(pthread_getattr_default_np(&usual), 0);
  ASSERT_EQ(pthread_attr_init(&too_large), 0);
  ASSERT_EQ(pthread_attr_setstacksize(&too_large, size_t{1} << 47), 0);
  ASSERT_EQ(pthread_setattr_default_np(&too_large), 0);
  std::atomic<int> ran{0};
  const arrow::Status status = RunWorkers(64, [&](int worker) { return ++ran, worker == 63 ? CorruptData("the last") : arrow::Status::OK(); });
  ASSERT_EQ(pthread_setattr_default_np(&usual), 0);
  EXPECT_EQ(ran.load(), 64);
  EXPECT_EQ(status.message(), "the last");
}

}  // namespace vecruntime::base
