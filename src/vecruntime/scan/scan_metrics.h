// SPDX-License-Identifier: Apache-2.0
// What a scan did, counted by all its workers; EXPLAIN ANALYZE shows it. Times are sums over workers and do not overlap.
#pragma once

#include <atomic>
#include <cstdint>

namespace vecruntime::scan {

struct ScanMetrics {
  std::atomic<int64_t> files_opened{0};
  std::atomic<int64_t> files_not_opened{0};    // answered from metadata
  std::atomic<int64_t> row_groups{0};
  std::atomic<int64_t> row_groups_skipped{0};  // by statistics
  std::atomic<int64_t> rows_skipped{0};        // of the other row groups, by page indexes
  std::atomic<int64_t> morsels{0};
  std::atomic<int64_t> morsels_dead{0};        // every row deleted or filtered before the last column was read
  std::atomic<int64_t> rows_read{0};           // rows of the morsels
  std::atomic<int64_t> rows_deleted{0};
  std::atomic<int64_t> rows_filtered{0};
  std::atomic<int64_t> bytes_read{0};
  std::atomic<int64_t> open_ns{0};             // footers
  std::atomic<int64_t> load_deletes_ns{0};     // reading and decoding delete files, wall time
  std::atomic<int64_t> io_ns{0};               // reading data files
  std::atomic<int64_t> inflate_ns{0};
  std::atomic<int64_t> decode_ns{0};           // from inflated pages to arrays
  std::atomic<int64_t> deletes_ns{0};          // narrowing by deletes
  std::atomic<int64_t> filter_ns{0};
};

}  // namespace vecruntime::scan
