// SPDX-License-Identifier: Apache-2.0
#include "vecruntime/base/parallel.h"

#include <algorithm>
#include <limits>
#include <mutex>
#include <new>
#include <thread>
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

}  // namespace

arrow::Status CancelToken::Check() const {
  return cancelled() ? Cancelled("the statement was cancelled") : arrow::Status::OK();
}

arrow::Status RunWorkers(int workers, const std::function<arrow::Status(int)>& body) {
  std::vector<arrow::Status> statuses(static_cast<size_t>(std::max(workers, 1)));
  std::vector<std::thread> threads;
  for (int worker = 1; worker < workers; ++worker) {
    threads.emplace_back([&, worker] { statuses[static_cast<size_t>(worker)] = Guarded(body, worker); });
  }
  statuses[0] = Guarded(body, 0);
  for (auto& thread : threads) thread.join();
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
