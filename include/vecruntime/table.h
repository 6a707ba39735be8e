// SPDX-License-Identifier: Apache-2.0
// One Iceberg table, as its metadata stood when it was loaded.
#pragma once

#include <arrow/type_fwd.h>

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "vecruntime/scan.h"

namespace vecruntime {

struct SnapshotInfo {
  int64_t snapshot_id = 0;
  std::optional<int64_t> parent_id;
  int64_t sequence_number = 0;
  int64_t timestamp_ms = 0;
  std::map<std::string, std::string> summary;  // "operation", "added-records", ...
};

struct RefInfo {
  std::string name;
  int64_t snapshot_id = 0;
  bool is_branch = true;
};

/// Immutable. Thread-safe.
class Table {
 public:
  virtual ~Table() = default;
  /// As it is written in SQL after FROM.
  virtual const std::string& name() const = 0;
  virtual const std::string& location() const = 0;
  virtual const std::string& metadata_location() const = 0;
  virtual int format_version() const = 0;
  /// The current schema in the types a scan yields.
  virtual const std::shared_ptr<arrow::Schema>& schema() const = 0;
  /// Oldest first.
  virtual const std::vector<SnapshotInfo>& snapshots() const = 0;
  /// Null for a table without rows or history.
  virtual std::optional<int64_t> current_snapshot_id() const = 0;
  virtual const std::vector<RefInfo>& refs() const = 0;
  virtual const std::map<std::string, std::string>& properties() const = 0;
  virtual Scan NewScan() const = 0;
};

}  // namespace vecruntime
