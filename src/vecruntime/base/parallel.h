// SPDX-License-Identifier: Apache-2.0
// Runs work on a fixed number of workers and joins. Cancellation is cooperative: long work polls the token.
#pragma once

#include <arrow/type_fwd.h>

#include <atomic>
#include <cstdint>
#include <functional>

namespace vecruntime::base {

/// Set once by whoever wants a statement to stop (Ctrl-C, a closed reader); polled between morsels. Thread- and signal-safe.
class CancelToken {
 public:
  void Cancel() { cancelled_.store(true, std::memory_order_relaxed); }
  bool cancelled() const { return cancelled_.load(std::memory_order_relaxed); }
  /// Cancelled once Cancel() was called, else OK.
  arrow::Status Check() const;

 private:
  std::atomic<bool> cancelled_{false};
};

/// body(), with C++ exceptions inside it (std::bad_alloc, a library's) turned into errors.
arrow::Status Guarded(const std::function<arrow::Status()>& body);

/// Runs body(worker) for worker 0..workers-1, each on its own thread (worker 0 on the caller's, others on threads that are kept for the next
/// call), and returns the first error by worker order. A worker that no thread can be had for runs on the caller's, after worker 0. Each body
/// is Guarded.
arrow::Status RunWorkers(int workers, const std::function<arrow::Status(int worker)>& body);

/// Runs body(task, worker) for every task in [0, tasks), handed out in ascending order; stops handing out after the first error,
/// and returns the error of the lowest failed task, so that the same input always reports the same error.
arrow::Status ParallelFor(int64_t tasks, int workers, const std::function<arrow::Status(int64_t task, int worker)>& body);

}  // namespace vecruntime::base
