// SPDX-License-Identifier: Apache-2.0
// Finds the deletes of a data file without looking at the others (Iceberg spec, "Scan Planning": sequence numbers, partition scope,
// deletion vectors over position deletes). Built once per plan; const after Make, then thread-safe.
#pragma once

#include <arrow/type_fwd.h>

#include <cstdint>
#include <memory>
#include <set>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "vecruntime/iceberg/table_metadata.h"
#include "vecruntime/planning/equality_overlap.h"
#include "vecruntime/planning/scan_task.h"

namespace vecruntime::planning {

/// Partition identity: spec id and tuple (NULL equals NULL, NaN equals NaN, -0.0 differs from 0.0; widths before a promotion agree).
struct PartitionKey {
  int spec_id = 0;
  std::vector<iceberg::Value> tuple;
  PartitionKey(int spec, const std::vector<iceberg::Value>& values);
  bool operator==(const PartitionKey& other) const { return spec_id == other.spec_id && tuple == other.tuple; }
};
struct PartitionKeyHash {
  size_t operator()(const PartitionKey& key) const;
};

class DeleteIndex {
 public:
  /// `deletes` are the live entries of all delete manifests. CorruptData for a deletion vector without its required fields, and for two
  /// deletion vectors of one data file; Unsupported for a delete file format that cannot be read (also of files that match nothing: a
  /// delete is never skipped because it is unreadable).
  static arrow::Result<DeleteIndex> Make(std::vector<EntryPtr> deletes, std::shared_ptr<const iceberg::TableMetadata> metadata);

  /// The task of `data`: its deletes, narrowed by sequence number, scope and bounds. CorruptData for a deletion vector older than `data`.
  arrow::Result<ScanTask> TaskFor(EntryPtr data) const;

 private:
  using Entries = std::vector<EntryPtr>;  // ascending by data sequence number
  struct EqualityEntry {
    EntryPtr entry;
    size_t key;  // of keys_
    KeyBounds bounds;
  };
  using EqualityEntries = std::vector<EqualityEntry>;  // ascending by data sequence number
  template <typename Value>
  using ByPartition = std::unordered_map<PartitionKey, Value, PartitionKeyHash>;

  explicit DeleteIndex(std::shared_ptr<const iceberg::TableMetadata> metadata) : metadata_(std::move(metadata)) {}
  arrow::Status Add(const EntryPtr& entry);
  arrow::Status AddDeletionVector(const EntryPtr& entry);
  void AddPositionDeletes(const EntryPtr& entry);
  void AddEqualityDeletes(const EntryPtr& entry);
  size_t KeyOf(const std::vector<iceberg::FieldId>& ids);
  void AddPositionDeletesOf(const iceberg::ManifestEntry& data, const PartitionKey* partition, ScanTask* task) const;
  void AddEqualityDeletesOf(const iceberg::ManifestEntry& data, const PartitionKey* partition, ScanTask* task) const;

  std::shared_ptr<const iceberg::TableMetadata> metadata_;
  // Paths as keys lie in the entries beside them.
  std::unordered_map<std::string_view, EntryPtr> vector_by_path_;
  // Position deletes of one data file. The key is the file's path, or a bound of it that may be a prefix; lengths that occur are kept
  // so that a path is looked up once per length.
  std::unordered_map<std::string_view, Entries> position_by_path_;
  std::set<size_t> path_lengths_;
  ByPartition<Entries> position_by_partition_;
  std::vector<std::vector<iceberg::FieldId>> keys_;  // distinct lists of equality ids
  ByPartition<EqualityEntries> equality_by_partition_;
  EqualityEntries global_equality_;
};

/// A spec without fields, or with void transforms only, has no partitions: its equality deletes are global.
bool IsUnpartitioned(const iceberg::PartitionSpec& spec);

}  // namespace vecruntime::planning
