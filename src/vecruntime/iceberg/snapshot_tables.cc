// SPDX-License-Identifier: Apache-2.0
#include <unordered_set>

#include "vecruntime/iceberg/metadata_table_internal.h"

namespace vecruntime::iceberg {
namespace {

TypePtr TextMap() { return Type::Map(Required("", TypeId::kString), Required("", TypeId::kString)); }

std::unordered_set<int64_t> AncestorsOfCurrent(const TableMetadata& table) {
  std::unordered_set<int64_t> ancestors;
  const Snapshot* snapshot = table.CurrentSnapshot();
  while (snapshot != nullptr && ancestors.insert(snapshot->snapshot_id).second) {
    snapshot = snapshot->parent_snapshot_id ? table.FindSnapshot(*snapshot->parent_snapshot_id) : nullptr;
  }
  return ancestors;
}

}  // namespace

TypePtr SnapshotsType() {
  return Type::Struct({Required("committed_at", TypeId::kTimestampTz), Required("snapshot_id", TypeId::kLong),
                       Optional("parent_id", TypeId::kLong), Optional("operation", TypeId::kString),
                       Optional("manifest_list", TypeId::kString), Optional("summary", TextMap())});
}

MetadataRows SnapshotsRows(const MetadataTableInput& input) {
  MetadataRows rows;
  for (const Snapshot& snapshot : input.table.snapshots) {
    Value operation;
    Value::Nested summary;
    for (const auto& [key, value] : snapshot.summary) {
      if (key == "operation") {
        operation = Value{value};
      } else {
        summary.push_back(Value{key});
        summary.push_back(Value{value});
      }
    }
    rows.push_back({MicrosOf(snapshot.timestamp_ms), Value{snapshot.snapshot_id}, ValueOf(snapshot.parent_snapshot_id), operation,
                    snapshot.manifest_list.empty() ? Value{} : Value{snapshot.manifest_list},
                    snapshot.summary.empty() ? Value{} : NestedOf(std::move(summary))});
  }
  return rows;
}

TypePtr HistoryType() {
  return Type::Struct({Required("made_current_at", TypeId::kTimestampTz), Required("snapshot_id", TypeId::kLong),
                       Optional("parent_id", TypeId::kLong), Required("is_current_ancestor", TypeId::kBoolean)});
}

MetadataRows HistoryRows(const MetadataTableInput& input) {
  const auto ancestors = AncestorsOfCurrent(input.table);
  MetadataRows rows;
  for (const SnapshotLogEntry& entry : input.table.snapshot_log) {
    const Snapshot* snapshot = input.table.FindSnapshot(entry.snapshot_id);
    rows.push_back({MicrosOf(entry.timestamp_ms), Value{entry.snapshot_id},
                    snapshot != nullptr ? ValueOf(snapshot->parent_snapshot_id) : Value{}, Value{ancestors.contains(entry.snapshot_id)}});
  }
  return rows;
}

TypePtr RefsType() {
  return Type::Struct({Required("name", TypeId::kString), Required("type", TypeId::kString), Required("snapshot_id", TypeId::kLong),
                       Optional("max_reference_age_in_ms", TypeId::kLong), Optional("min_snapshots_to_keep", TypeId::kInt),
                       Optional("max_snapshot_age_in_ms", TypeId::kLong)});
}

MetadataRows RefsRows(const MetadataTableInput& input) {
  MetadataRows rows;
  for (const auto& [name, ref] : input.table.refs) {
    rows.push_back({Value{name}, Value{std::string(ref.is_branch ? "BRANCH" : "TAG")}, Value{ref.snapshot_id}, ValueOf(ref.max_ref_age_ms),
                    ValueOf(ref.min_snapshots_to_keep), ValueOf(ref.max_snapshot_age_ms)});
  }
  return rows;
}

TypePtr MetadataLogEntriesType() {
  return Type::Struct({Required("timestamp", TypeId::kTimestampTz), Required("file", TypeId::kString),
                       Optional("latest_snapshot_id", TypeId::kLong), Optional("latest_schema_id", TypeId::kInt),
                       Optional("latest_sequence_number", TypeId::kLong)});
}

MetadataRows MetadataLogEntriesRows(const MetadataTableInput& input) {
  std::vector<MetadataLogEntry> log = input.table.metadata_log;
  log.push_back({input.table.last_updated_ms, input.table.metadata_location});
  MetadataRows rows;
  for (const MetadataLogEntry& entry : log) {
    std::optional<int64_t> snapshot_id;
    for (const SnapshotLogEntry& made_current : input.table.snapshot_log) {
      if (made_current.timestamp_ms <= entry.timestamp_ms) snapshot_id = made_current.snapshot_id;
    }
    const Snapshot* snapshot = snapshot_id ? input.table.FindSnapshot(*snapshot_id) : nullptr;
    rows.push_back({MicrosOf(entry.timestamp_ms), Value{entry.metadata_file}, ValueOf(snapshot_id),
                    snapshot != nullptr ? ValueOf(snapshot->schema_id) : Value{},
                    snapshot != nullptr ? Value{snapshot->sequence_number} : Value{}});
  }
  return rows;
}

}  // namespace vecruntime::iceberg
