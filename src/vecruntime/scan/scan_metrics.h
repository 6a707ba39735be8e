// SPDX-License-Identifier: Apache-2.0
// What a scan did, counted by all its workers; EXPLAIN ANALYZE shows it. Times are sums over workers.
#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>

namespace vecruntime::scan {

struct ScanMetrics {
  std::atomic<int64_t> files_opened{0};
  std::atomic<int64_t> row_groups{0};
  std::atomic<int64_t> row_groups_skipped{0};  // by statistics
  std::atomic<int64_t> morsels{0};
  std::atomic<int64_t> morsels_dead{0};        // every row deleted or filtered before the last column was read
  std::atomic<int64_t> rows_read{0};           // rows of the morsels
  std::atomic<int64_t> rows_deleted{0};
  std::atomic<int64_t> rows_filtered{0};
  std::atomic<int64_t> bytes_read{0};
  std::atomic<int64_t> io_ns{0};               // inside read calls; part of the other times
  std::atomic<int64_t> load_deletes_ns{0};     // reading and decoding delete files
  std::atomic<int64_t> open_ns{0};             // footers
  std::atomic<int64_t> decode_ns{0};           // reading, inflating and decoding columns
  std::atomic<int64_t> deletes_ns{0};          // narrowing by deletes, key columns included
  std::atomic<int64_t> filter_ns{0};           // evaluating the filter, its columns not included
};

/// Adds its life time to a counter.
class PhaseTimer {
 public:
  explicit PhaseTimer(std::atomic<int64_t>* counter) : counter_(counter), start_(std::chrono::steady_clock::now()) {}
  ~PhaseTimer() {
    const auto elapsed = std::chrono::steady_clock::now() - start_;
    counter_->fetch_add(std::chrono::duration_cast<std::chrono::nanoseconds>(elapsed).count(), std::memory_order_relaxed);
  }
  PhaseTimer(const PhaseTimer&) = delete;
  PhaseTimer& operator=(const PhaseTimer&) = delete;

 private:
  std::atomic<int64_t>* const counter_;
  const std::chrono::steady_clock::time_point start_;
};

}  // namespace vecruntime::scan
