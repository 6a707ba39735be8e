// SPDX-License-Identifier: Apache-2.0
#include "vecruntime/base/parallel.h"

#include <algorithm>
#include <condition_variable>
#include <deque>
#include <limits>
#include <mutex>
#include <new>
#include <thread>
#include <utility>
#include <vector>

#include "vecruntime/base/error.h"

namespace vecruntime::base {
namespace {

arrow::Status Guarded(const std::function<arrow::Status(int)>& body, int worker) {
  try {
    return body(worker);
  } catch (const std::bad_alloc&) {
    return ResourceExhausted("out of memory");
  } catch (const std::exception& e) {
    return Internal("unexpected exception: ", e.what());
  }
}

/// Threads that wait for more work when they are done with theirs, so that what a thread owns is warm: its part of the allocator, its
/// decompression contexts. There are as many as ever worked at once.
class ThreadPool {
 public:
  static ThreadPool& OfProcess() {
    static ThreadPool pool;
    return pool;
  }
  ~ThreadPool() {
    {
      const std::lock_guard<std::mutex> lock(mutex_);
      stopping_ = true;
    }
    wake_.notify_all();
    for (std::thread& thread : threads_) thread.join();
  }

  /// Runs `work` on an idle thread or a new one. Throws when there is neither.
  void Start(std::function<void()> work) {
    const std::lock_guard<std::mutex> lock(mutex_);
    waiting_.push_back(std::move(work));
    try {
      if (idle_ == 0) threads_.emplace_back([this] { Serve(); });
    } catch (...) {
      waiting_.pop_back();
      throw;
    }
    if (idle_ > 0) --idle_;
    wake_.notify_one();
  }

 private:
  void Serve() {
    std::unique_lock<std::mutex> lock(mutex_);
    for (;;) {
      wake_.wait(lock, [this] { return stopping_ || !waiting_.empty(); });
      if (waiting_.empty()) return;
      const std::function<void()> work = std::move(waiting_.front());
      waiting_.pop_front();
      lock.unlock();
      work();
      lock.lock();
      ++idle_;
    }
  }

  std::mutex mutex_;
  std::condition_variable wake_;
  std::deque<std::function<void()>> waiting_;
  std::vector<std::thread> threads_;
  size_t idle_ = 0;  // threads that nothing in waiting_ is meant for
  bool stopping_ = false;
};

}  // namespace

arrow::Status CancelToken::Check() const {
  return cancelled() ? Cancelled("the statement was cancelled") : arrow::Status::OK();
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
        statuses[static_cast<size_t>(worker)] = Guarded(body, worker);
        const std::lock_guard<std::mutex> lock(mutex);
        if (--running == 0) finished.notify_one();
      });
    } catch (const std::exception&) {
      here.push_back(worker);
      const std::lock_guard<std::mutex> lock(mutex);
      --running;
    }
  }
  for (int worker : here) statuses[static_cast<size_t>(worker)] = Guarded(body, worker);
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
