// SPDX-License-Identifier: Apache-2.0
// The table's metadata file (Iceberg spec, "Table Metadata Fields").
#pragma once

#include <arrow/type_fwd.h>

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "vecruntime/iceberg/transform.h"
#include "vecruntime/iceberg/type.h"

namespace vecruntime::iceberg {

struct Snapshot {
  int64_t snapshot_id = 0;
  std::optional<int64_t> parent_snapshot_id;
  int64_t sequence_number = 0;
  int64_t timestamp_ms = 0;
  std::string manifest_list;                 // empty when the v1 inline form is used
  std::vector<std::string> inline_manifests;  // v1
  std::map<std::string, std::string> summary;
  std::optional<int> schema_id;
  std::optional<int64_t> first_row_id;
  std::optional<int64_t> added_rows;
};

struct SnapshotRef {
  int64_t snapshot_id = 0;
  bool is_branch = true;
  std::optional<int> min_snapshots_to_keep;
  std::optional<int64_t> max_snapshot_age_ms;
  std::optional<int64_t> max_ref_age_ms;
};

/// Name mapping (spec, "Column Projection"): gives ids to files without them.
struct MappedField {
  std::optional<FieldId> field_id;
  std::vector<std::string> names;
  std::vector<MappedField> fields;
};
/// Equal for equal mappings only.
std::string TextOf(const std::vector<MappedField>& mapping);

struct SnapshotLogEntry { int64_t timestamp_ms = 0; int64_t snapshot_id = 0; };
struct MetadataLogEntry { int64_t timestamp_ms = 0; std::string metadata_file; };

struct TableMetadata {
  int format_version = 0;
  std::string table_uuid;
  std::string location;
  std::string metadata_location;  // file it was read from, as opened
  int64_t last_sequence_number = 0;
  int64_t last_updated_ms = 0;
  std::vector<SchemaPtr> schemas;
  int current_schema_id = 0;
  std::vector<PartitionSpec> specs;
  int default_spec_id = 0;
  std::map<std::string, std::string> properties;
  std::optional<int64_t> current_snapshot_id;  // -1 and null read as nullopt
  std::vector<Snapshot> snapshots;
  std::vector<SnapshotLogEntry> snapshot_log;
  std::vector<MetadataLogEntry> metadata_log;
  std::map<std::string, SnapshotRef> refs;  // "main" is added from current_snapshot_id when absent
  std::vector<MappedField> name_mapping;    // property schema.name-mapping.default
  std::optional<int64_t> next_row_id;

  SchemaPtr CurrentSchema() const;
  SchemaPtr FindSchema(int schema_id) const;           // nullptr when absent
  const PartitionSpec* FindSpec(int spec_id) const;    // nullptr when absent
  const Snapshot* FindSnapshot(int64_t snapshot_id) const;
  const Snapshot* CurrentSnapshot() const;             // nullptr for an empty table
  /// The field in the current schema, else in the newest historic schema that has it (equality keys of dropped columns); nullptr if none.
  const Field* FindFieldEverywhere(FieldId id) const;
  /// Types of the spec's partition values, in field order; kUnknown where no schema knows the source column any more.
  std::vector<TypePtr> PartitionTypes(const PartitionSpec& spec) const;
  /// Snapshot that was current at `timestamp_ms` by snapshot-log; NotFound before the first.
  arrow::Result<const Snapshot*> SnapshotAsOf(int64_t timestamp_ms) const;
};

/// Parses metadata JSON (already inflated or gzipped: the magic decides). `path` is for error messages. CorruptData names the JSON path.
arrow::Result<std::shared_ptr<const TableMetadata>> ParseTableMetadata(std::string_view bytes, std::string_view path);

}  // namespace vecruntime::iceberg
