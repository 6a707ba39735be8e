// SPDX-License-Identifier: Apache-2.0
#include <unordered_set>
#include <utility>

#include "vecruntime/base/error.h"
#include "vecruntime/iceberg/compression.h"
#include "vecruntime/iceberg/json_node.h"
#include "vecruntime/iceberg/schema_json.h"
#include "vecruntime/iceberg/table_metadata.h"

namespace vecruntime::iceberg {
namespace {

constexpr int kNewestFormatVersion = 3;
constexpr std::string_view kNameMappingProperty = "schema.name-mapping.default";

arrow::Status ParseSchemas(const JsonNode& root, TableMetadata* table) {
  if (const auto list = root.Find("schemas")) {
    ARROW_ASSIGN_OR_RAISE(const auto items, list->Items());
    for (const JsonNode& item : items) {
      ARROW_ASSIGN_OR_RAISE(SchemaPtr schema, ParseSchema(item));
      table->schemas.push_back(std::move(schema));
    }
    ARROW_ASSIGN_OR_RAISE(table->current_schema_id, root.Get<int32_t>("current-schema-id"));
  } else if (table->format_version > 1) {
    return root.Get("schemas").status();
  } else {
    ARROW_ASSIGN_OR_RAISE(const JsonNode single, root.Get("schema"));
    ARROW_ASSIGN_OR_RAISE(SchemaPtr schema, ParseSchema(single));
    table->current_schema_id = schema->schema_id();
    table->schemas.push_back(std::move(schema));
  }
  if (!table->CurrentSchema()) return root.Error("current-schema-id names no schema: " + std::to_string(table->current_schema_id));
  return arrow::Status::OK();
}

arrow::Status ParseSpecs(const JsonNode& root, TableMetadata* table) {
  if (const auto list = root.Find("partition-specs")) {
    ARROW_ASSIGN_OR_RAISE(const auto items, list->Items());
    for (const JsonNode& item : items) {
      PartitionSpec spec;
      ARROW_ASSIGN_OR_RAISE(spec.spec_id, item.Get<int32_t>("spec-id"));
      ARROW_ASSIGN_OR_RAISE(const JsonNode fields, item.Get("fields"));
      ARROW_ASSIGN_OR_RAISE(spec.fields, ParsePartitionFields(fields));
      table->specs.push_back(std::move(spec));
    }
    ARROW_ASSIGN_OR_RAISE(table->default_spec_id, root.Get<int32_t>("default-spec-id"));
  } else if (table->format_version > 1) {
    return root.Get("partition-specs").status();
  } else {
    ARROW_ASSIGN_OR_RAISE(const JsonNode fields, root.Get("partition-spec"));
    PartitionSpec spec;
    ARROW_ASSIGN_OR_RAISE(spec.fields, ParsePartitionFields(fields));
    table->specs.push_back(std::move(spec));
  }
  if (table->FindSpec(table->default_spec_id) == nullptr) {
    return root.Error("default-spec-id names no partition spec: " + std::to_string(table->default_spec_id));
  }
  return arrow::Status::OK();
}

arrow::Result<Snapshot> ParseSnapshot(const JsonNode& node) {
  Snapshot snapshot;
  ARROW_ASSIGN_OR_RAISE(snapshot.snapshot_id, node.Get<int64_t>("snapshot-id"));
  ARROW_ASSIGN_OR_RAISE(snapshot.parent_snapshot_id, node.Find<int64_t>("parent-snapshot-id"));
  ARROW_ASSIGN_OR_RAISE(const auto sequence_number, node.Find<int64_t>("sequence-number"));
  snapshot.sequence_number = sequence_number.value_or(0);
  ARROW_ASSIGN_OR_RAISE(snapshot.timestamp_ms, node.Get<int64_t>("timestamp-ms"));
  ARROW_ASSIGN_OR_RAISE(snapshot.schema_id, node.Find<int32_t>("schema-id"));
  ARROW_ASSIGN_OR_RAISE(snapshot.first_row_id, node.Find<int64_t>("first-row-id"));
  ARROW_ASSIGN_OR_RAISE(snapshot.added_rows, node.Find<int64_t>("added-rows"));
  if (const auto summary = node.Find("summary")) {
    ARROW_ASSIGN_OR_RAISE(snapshot.summary, summary->AsStringMap());
  }
  const auto manifests = node.Find("manifests");
  ARROW_ASSIGN_OR_RAISE(auto manifest_list, node.Find<std::string>("manifest-list"));
  if (manifests && manifest_list) return node.Error("both manifest-list and manifests are present");
  if (manifests) {
    ARROW_ASSIGN_OR_RAISE(snapshot.inline_manifests, manifests->AsList<std::string>());
  } else if (manifest_list && !manifest_list->empty()) {
    snapshot.manifest_list = std::move(*manifest_list);
  } else {
    return node.Error("missing field manifest-list");
  }
  return snapshot;
}

arrow::Status ParseSnapshots(const JsonNode& root, TableMetadata* table) {
  if (const auto list = root.Find("snapshots")) {
    ARROW_ASSIGN_OR_RAISE(const auto items, list->Items());
    std::unordered_set<int64_t> seen;
    for (const JsonNode& item : items) {
      ARROW_ASSIGN_OR_RAISE(Snapshot snapshot, ParseSnapshot(item));
      if (!seen.insert(snapshot.snapshot_id).second) return item.Error("snapshot id used twice");
      table->snapshots.push_back(std::move(snapshot));
    }
  }
  ARROW_ASSIGN_OR_RAISE(const auto current, root.Find<int64_t>("current-snapshot-id"));
  if (current && *current != -1) table->current_snapshot_id = current;
  if (table->current_snapshot_id && table->CurrentSnapshot() == nullptr) {
    return root.Error("current-snapshot-id names no snapshot: " + std::to_string(*current));
  }
  return arrow::Status::OK();
}

arrow::Status ParseRefs(const JsonNode& root, TableMetadata* table) {
  if (const auto refs = root.Find("refs")) {
    ARROW_ASSIGN_OR_RAISE(const auto members, refs->Members());
    for (const auto& [name, node] : members) {
      SnapshotRef ref;
      ARROW_ASSIGN_OR_RAISE(ref.snapshot_id, node.Get<int64_t>("snapshot-id"));
      ARROW_ASSIGN_OR_RAISE(const std::string type, node.Get<std::string>("type"));
      if (type != "branch" && type != "tag") return node.Error("unknown kind of reference: " + type);
      ref.is_branch = type == "branch";
      ARROW_ASSIGN_OR_RAISE(ref.min_snapshots_to_keep, node.Find<int32_t>("min-snapshots-to-keep"));
      ARROW_ASSIGN_OR_RAISE(ref.max_snapshot_age_ms, node.Find<int64_t>("max-snapshot-age-ms"));
      ARROW_ASSIGN_OR_RAISE(ref.max_ref_age_ms, node.Find<int64_t>("max-ref-age-ms"));
      table->refs[std::string(name)] = ref;
    }
  }
  const auto main = table->refs.find("main");
  if (main == table->refs.end()) {
    if (table->current_snapshot_id) table->refs["main"] = SnapshotRef{.snapshot_id = *table->current_snapshot_id};
  } else if (main->second.snapshot_id != table->current_snapshot_id) {
    return root.Error("current-snapshot-id differs from the main branch");
  }
  return arrow::Status::OK();
}

arrow::Status ParseLogs(const JsonNode& root, TableMetadata* table) {
  if (const auto list = root.Find("snapshot-log")) {
    ARROW_ASSIGN_OR_RAISE(const auto items, list->Items());
    for (const JsonNode& item : items) {
      SnapshotLogEntry entry;
      ARROW_ASSIGN_OR_RAISE(entry.timestamp_ms, item.Get<int64_t>("timestamp-ms"));
      ARROW_ASSIGN_OR_RAISE(entry.snapshot_id, item.Get<int64_t>("snapshot-id"));
      table->snapshot_log.push_back(entry);
    }
  }
  if (const auto list = root.Find("metadata-log")) {
    ARROW_ASSIGN_OR_RAISE(const auto items, list->Items());
    for (const JsonNode& item : items) {
      MetadataLogEntry entry;
      ARROW_ASSIGN_OR_RAISE(entry.timestamp_ms, item.Get<int64_t>("timestamp-ms"));
      ARROW_ASSIGN_OR_RAISE(entry.metadata_file, item.Get<std::string>("metadata-file"));
      table->metadata_log.push_back(std::move(entry));
    }
  }
  return arrow::Status::OK();
}

arrow::Result<std::vector<MappedField>> ParseMappedFields(const JsonNode& node) {
  ARROW_ASSIGN_OR_RAISE(const auto items, node.Items());
  std::vector<MappedField> fields;
  for (const JsonNode& item : items) {
    MappedField field;
    ARROW_ASSIGN_OR_RAISE(field.field_id, item.Find<int32_t>("field-id"));
    ARROW_ASSIGN_OR_RAISE(const JsonNode names, item.Get("names"));
    ARROW_ASSIGN_OR_RAISE(field.names, names.AsList<std::string>());
    if (const auto nested = item.Find("fields")) {
      ARROW_ASSIGN_OR_RAISE(field.fields, ParseMappedFields(*nested));
    }
    fields.push_back(std::move(field));
  }
  return fields;
}

arrow::Status ParseNameMapping(TableMetadata* table) {
  const auto property = table->properties.find(std::string(kNameMappingProperty));
  if (property == table->properties.end()) return arrow::Status::OK();
  auto document = JsonDocument::Parse(property->second);
  if (!document.ok()) return base::WithContext(document.status(), kNameMappingProperty);
  auto mapping = ParseMappedFields((*document)->root());
  if (!mapping.ok()) return base::WithContext(mapping.status(), kNameMappingProperty);
  table->name_mapping = *std::move(mapping);
  return arrow::Status::OK();
}

arrow::Status ParseTable(const JsonNode& root, TableMetadata* table) {
  ARROW_ASSIGN_OR_RAISE(table->format_version, root.Get<int32_t>("format-version"));
  if (table->format_version > kNewestFormatVersion) return base::Unsupported("Iceberg table format version ", table->format_version);
  if (table->format_version < 1) return root.Error("invalid format-version");
  ARROW_ASSIGN_OR_RAISE(auto uuid, root.Find<std::string>("table-uuid"));
  table->table_uuid = std::move(uuid).value_or("");
  ARROW_ASSIGN_OR_RAISE(table->location, root.Get<std::string>("location"));
  ARROW_ASSIGN_OR_RAISE(const auto last_sequence_number, root.Find<int64_t>("last-sequence-number"));
  table->last_sequence_number = last_sequence_number.value_or(0);
  ARROW_ASSIGN_OR_RAISE(const auto last_updated, root.Find<int64_t>("last-updated-ms"));
  table->last_updated_ms = last_updated.value_or(0);
  ARROW_ASSIGN_OR_RAISE(table->next_row_id, root.Find<int64_t>("next-row-id"));
  if (const auto properties = root.Find("properties")) {
    ARROW_ASSIGN_OR_RAISE(table->properties, properties->AsStringMap());
  }
  ARROW_RETURN_NOT_OK(ParseSchemas(root, table));
  ARROW_RETURN_NOT_OK(ParseSpecs(root, table));
  ARROW_RETURN_NOT_OK(ParseSnapshots(root, table));
  ARROW_RETURN_NOT_OK(ParseRefs(root, table));
  ARROW_RETURN_NOT_OK(ParseLogs(root, table));
  return ParseNameMapping(table);
}

}  // namespace

arrow::Result<std::shared_ptr<const TableMetadata>> ParseTableMetadata(std::string_view bytes, std::string_view path) {
  const std::string context = "metadata file " + std::string(path);
  std::string inflated;
  if (IsGzip(bytes)) {
    const auto status = InflateGzip(bytes, &inflated);
    if (!status.ok()) return base::WithContext(status, context);
    bytes = inflated;
  }
  auto document = JsonDocument::Parse(bytes);
  if (!document.ok()) return base::WithContext(document.status(), context);
  auto table = std::make_shared<TableMetadata>();
  table->metadata_location = std::string(path);
  const auto status = ParseTable((*document)->root(), table.get());
  if (!status.ok()) return base::WithContext(status, context);
  return table;
}

}  // namespace vecruntime::iceberg
