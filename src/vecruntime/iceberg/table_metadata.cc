// SPDX-License-Identifier: Apache-2.0
#include "vecruntime/iceberg/table_metadata.h"


#include "vecruntime/base/error.h"

namespace vecruntime::iceberg {

SchemaPtr TableMetadata::FindSchema(int schema_id) const {
  for (const SchemaPtr& schema : schemas) {
    if (schema->schema_id() == schema_id) return schema;
  }
  return nullptr;
}

SchemaPtr TableMetadata::CurrentSchema() const { return FindSchema(current_schema_id); }

const PartitionSpec* TableMetadata::FindSpec(int spec_id) const {
  for (const PartitionSpec& spec : specs) {
    if (spec.spec_id == spec_id) return &spec;
  }
  return nullptr;
}

const Snapshot* TableMetadata::FindSnapshot(int64_t snapshot_id) const {
  for (const Snapshot& snapshot : snapshots) {
    if (snapshot.snapshot_id == snapshot_id) return &snapshot;
  }
  return nullptr;
}

const Snapshot* TableMetadata::CurrentSnapshot() const { return current_snapshot_id ? FindSnapshot(*current_snapshot_id) : nullptr; }

std::string TextOf(const std::vector<MappedField>& mapping) {
  std::string text;
  for (const MappedField& field : mapping) {
    text += '(' + (field.field_id ? std::to_string(*field.field_id) : std::string("-"));
    for (const std::string& name : field.names) text += ' ' + std::to_string(name.size()) + ':' + name;
    text += TextOf(field.fields) + ')';
  }
  return text;
}

const Field* TableMetadata::FindFieldEverywhere(FieldId id) const {
  if (const Field* field = CurrentSchema()->FindById(id)) return field;
  const Field* newest = nullptr;
  int newest_schema_id = -1;
  for (const SchemaPtr& schema : schemas) {
    const Field* field = schema->FindById(id);
    if (field == nullptr || schema->schema_id() < newest_schema_id) continue;
    newest = field;
    newest_schema_id = schema->schema_id();
  }
  return newest;
}

std::vector<TypePtr> TableMetadata::PartitionTypes(const PartitionSpec& spec) const {
  std::vector<TypePtr> types;
  for (const PartitionField& field : spec.fields) {
    const Field* source = FindFieldEverywhere(field.source_id);
    const TypePtr source_type = source != nullptr ? source->type : Type::Primitive(TypeId::kUnknown);
    const bool typed_by_source = source != nullptr && field.transform.kind != TransformKind::kUnknown;
    types.push_back(typed_by_source ? field.transform.ResultType(source_type) : Type::Primitive(TypeId::kUnknown));
  }
  return types;
}

arrow::Result<const Snapshot*> TableMetadata::SnapshotAsOf(int64_t timestamp_ms) const {
  // The log, not the snapshots' own times: after a rollback an older snapshot is current again, and staged ones never were.
  std::optional<int64_t> snapshot_id;
  for (const SnapshotLogEntry& entry : snapshot_log) {
    if (entry.timestamp_ms <= timestamp_ms) snapshot_id = entry.snapshot_id;
  }
  if (!snapshot_id) return base::NotFound("no snapshot of the table at or before time ", timestamp_ms, " ms");
  const Snapshot* snapshot = FindSnapshot(*snapshot_id);
  if (snapshot == nullptr) return base::NotFound("the snapshot of the table at time ", timestamp_ms, " ms has expired: ", *snapshot_id);
  return snapshot;
}

}  // namespace vecruntime::iceberg
