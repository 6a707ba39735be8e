// SPDX-License-Identifier: Apache-2.0
// What a session can be told. Plain values; defaults are right for one user on one machine.
#pragma once

#include <cstdint>
#include <string>

namespace vecruntime {

/// Whether a table whose metadata names another location than the one it was opened at (a copied table) is read with the old location's
/// prefix replaced.
enum class MovedPaths {
  kAuto,    // only for local tables whose recorded location does not exist on this machine
  kAllow,
  kRefuse,
};

/// When the rows of a statement leave its reader.
enum class Delivery {
  kWhole,      // all after the last one is computed: a statement that fails yields no row, and the result has to fit the memory budget
  kStreaming,  // as they come, in bounded memory: an error may follow rows
};

struct SessionOptions {
  /// Workers of a statement; 0: one per hardware thread.
  int threads = 0;
  /// Budget of all large structures together; 0: half of the machine's memory.
  int64_t memory_bytes = 0;
  /// Upper bound of the rows of a batch.
  int64_t batch_rows = 40 * 1024;
  /// IANA name or "+hh:mm"; how timestamps are shown, parsed and cut into fields.
  std::string timezone = "UTC";
  /// Directory of a Hadoop catalog that resolves names without a catalog prefix; empty: none.
  std::string warehouse;
  /// Remember between statements what was decoded from immutable files (table metadata, manifests, Parquet footers, deletes; never rows or
  /// results), in up to a quarter of memory_bytes. A file counts as the same only while location, length, times and inode agree.
  bool cache_metadata = true;
  MovedPaths moved_paths = MovedPaths::kAuto;
  /// Off only to test that answers do not change.
  bool push_down = true;
  bool pruning = true;
};

}  // namespace vecruntime
