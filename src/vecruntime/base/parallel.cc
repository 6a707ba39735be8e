// SPDX-License-Identifier: Apache-2.0
#include "vecruntime/base/parallel.h"

#include <pthread.h>
#include <sched.h>

#include <algorithm>
#include <condition_variable>
#include <deque>
#include <limits>
#include <mutex>
#include <new>
#include <optional>
#include <thread>
#include <utility>
#include <vector>

#include "vecruntime/base/error.h"

namespace vecruntime::base {
namespace {

/// Threads that wait for more work when they are done with theirs, so that what a thread owns is warm: its part of the allocator, its
/// decompression contexts. There are as many as ever worked at once; the one that worked last is the next to work.
class ThreadPool {
 public:
  static ThreadPool& OfProcess() {
    static ThreadPool pool;
    return pool;
  }
  ~ThreadPool() {
    for (Thread& thread : threads_) Give(&thread, nullptr);
    for (Thread& thread : threads_) thread.handle.join();
  }

  /// Runs `work` on an idle thread or a new one. Throws when there is neither.
  void Start(std::function<void()> work) {
    Thread* thread = nullptr;
    {
      const std::lock_guard<std::mutex> lock(mutex_);
      if (idle_.empty()) return Add(std::move(work));
      thread = idle_.back();
      idle_.pop_back();
    }
    KeepOffThisProcessor(thread);
    Give(thread, std::move(work));
  }

 private:
  struct Thread {
    std::mutex mutex;
    std::condition_variable wake;
    std::optional<std::function<void()>> work;  // an empty function ends the thread
    std::optional<cpu_set_t> allowed;           // to be given back by the thread once it is awake
    std::thread handle;
  };

  // Linux wakes a thread on a processor that is idle, but takes a virtual machine's halted processor for one that the host has taken away
  // (vcpu_is_preempted): the woken thread would wait behind the one that woke it until the next balancing, milliseconds later.
  static void KeepOffThisProcessor(Thread* thread) {
    const pthread_t handle = thread->handle.native_handle();
    const int here = sched_getcpu();
    cpu_set_t allowed;
    if (here < 0 || pthread_getaffinity_np(handle, sizeof(allowed), &allowed) != 0) return;
    cpu_set_t others = allowed;
    CPU_CLR(here, &others);
    if (CPU_COUNT(&others) > 0 && pthread_setaffinity_np(handle, sizeof(others), &others) == 0) thread->allowed = allowed;
  }

  void Add(std::function<void()> work) {
    idle_.reserve(threads_.size() + 1);  // so that a thread never fails to become idle
    Thread& thread = threads_.emplace_back();
    thread.work = std::move(work);
    try {
      thread.handle = std::thread([this, &thread] { Serve(&thread); });
    } catch (...) {
      threads_.pop_back();
      throw;
    }
  }

  static void Give(Thread* thread, std::function<void()> work) {
    {
      const std::lock_guard<std::mutex> lock(thread->mutex);
      thread->work = std::move(work);
    }
    thread->wake.notify_one();
  }

  void Serve(Thread* thread) {
    for (;;) {
      std::unique_lock<std::mutex> lock(thread->mutex);
      thread->wake.wait(lock, [thread] { return thread->work.has_value(); });
      const std::function<void()> work = *std::exchange(thread->work, std::nullopt);
      lock.unlock();
      if (const auto allowed = std::exchange(thread->allowed, std::nullopt)) pthread_setaffinity_np(pthread_self(), sizeof(*allowed), &*allowed);
      if (work == nullptr) return;
      work();
      const std::lock_guard<std::mutex> pool_lock(mutex_);
      idle_.push_back(thread);
    }
  }

  std::mutex mutex_;
  std::deque<Thread> threads_;  // stay where they are
  std::vector<Thread*> idle_;
};

}  // namespace

arrow::Status CancelToken::Check() const {
  return cancelled() ? Cancelled("the statement was cancelled") : arrow::Status::OK();
}

arrow::Status Guarded(const std::function<arrow::Status()>& body) {
  try {
    return body();
  } catch (const std::bad_alloc&) {
    return ResourceExhausted("out of memory");
  } catch (const std::exception& e) {
    return Internal("unexpected exception: ", e.what());
  }
}

arrow::Status RunWorkers(int workers, const std::function<arrow::Status(int)>& body) {
  std::vector<arrow::Status> statuses(static_cast<size_t>(std::max(workers, 1)));
  std::mutex mutex;
  std::condition_variable finished;
  int running = std::max(workers - 1, 0);
  std::vector<int> here;  // those of the caller's thread
  here.reserve(statuses.size());
  here.push_back(0);
  for (int worker = 1; worker < workers; ++worker) {
    try {
      ThreadPool::OfProcess().Start([&, worker] {
        statuses[static_cast<size_t>(worker)] = Guarded([&] { return body(worker); });
        const std::lock_guard<std::mutex> lock(mutex);
        if (--running == 0) finished.notify_one();
      });
    } catch (const std::exception&) {
      here.push_back(worker);
      const std::lock_guard<std::mutex> lock(mutex);
      --running;
    }
  }
  for (int worker : here) statuses[static_cast<size_t>(worker)] = Guarded([&] { return body(worker); });
  std::unique_lock<std::mutex> lock(mutex);
  finished.wait(lock, [&] { return running == 0; });
  for (auto& status : statuses) {
    if (!status.ok()) return status;
  }
  return arrow::Status::OK();
}

arrow::Status ParallelFor(int64_t tasks, int workers, const std::function<arrow::Status(int64_t, int)>& body) {
  std::atomic<int64_t> next{0};
  std::atomic<bool> failed{false};
  std::mutex mutex;
  int64_t first_failed = std::numeric_limits<int64_t>::max();
  arrow::Status first_error;
  auto worker_body = [&](int worker) -> arrow::Status {
    while (!failed.load(std::memory_order_relaxed)) {
      const int64_t task = next.fetch_add(1, std::memory_order_relaxed);
      if (task >= tasks) break;
      arrow::Status status = body(task, worker);
      if (status.ok()) continue;
      failed.store(true, std::memory_order_relaxed);
      std::lock_guard<std::mutex> lock(mutex);
      if (task < first_failed) {
        first_failed = task;
        first_error = std::move(status);
      }
    }
    return arrow::Status::OK();
  };
  ARROW_RETURN_NOT_OK(RunWorkers(static_cast<int>(std::min<int64_t>(workers, std::max<int64_t>(tasks, 1))), worker_body));
  return first_error;
}

}  // namespace vecruntime::base
