// SPDX-License-Identifier: Apache-2.0
// What planning hands to scan: one data file with exactly the deletes that apply to it. Immutable, shared between threads.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "vecruntime/iceberg/manifest.h"

namespace vecruntime::planning {

using EntryPtr = std::shared_ptr<const iceberg::ManifestEntry>;

struct ScanTask {
  EntryPtr data;
  EntryPtr deletion_vector;             // null when there is none; then position_deletes apply
  std::vector<EntryPtr> position_deletes;  // their rows still have to be matched by path
  std::vector<EntryPtr> equality_deletes;
  bool all_match = false;               // metrics or partition prove that every row satisfies the query's filter; set without a filter too
};

/// What planning saw and skipped; shown by EXPLAIN.
struct PlanCounts {
  int64_t data_manifests = 0;
  int64_t data_manifests_skipped = 0;  // by partition summaries
  int64_t delete_manifests = 0;
  int64_t data_files = 0;              // live data files of the manifests that were read
  int64_t data_files_skipped_by_partition = 0;
  int64_t data_files_skipped_by_statistics = 0;
  int64_t data_bytes = 0;              // of the files to scan
  int64_t data_rows = 0;               // records of the files to scan, deletes not subtracted
  int64_t deletion_vectors = 0;        // distinct delete files that apply to a file to scan
  int64_t position_delete_files = 0;
  int64_t equality_delete_files = 0;
  int64_t delete_files_skipped = 0;    // live delete files that apply to no file to scan
};

struct ScanPlan {
  std::vector<ScanTask> tasks;
  PlanCounts counts;
};

}  // namespace vecruntime::planning
