// SPDX-License-Identifier: Apache-2.0
#include <arrow/buffer.h>

#include <algorithm>
#include <map>
#include <unordered_map>
#include <unordered_set>

#include "vecruntime/base/error.h"
#include "vecruntime/iceberg/metadata_table_internal.h"

namespace vecruntime::iceberg {
namespace {

/// The partition columns of all specs as one struct, by partition field id: what Iceberg shows for a table whose spec evolved.
struct UnifiedPartition {
  std::vector<Field> members;                   // id: the partition field's
  std::map<int, std::vector<TypePtr>> by_spec;  // types of each spec's own fields

  explicit UnifiedPartition(const TableMetadata& table) {
    struct Member {
      const PartitionField* field;
      TypePtr type;
    };
    std::vector<const PartitionSpec*> newest_first;
    for (const PartitionSpec& spec : table.specs) newest_first.push_back(&spec);
    std::sort(newest_first.begin(), newest_first.end(), [](const auto* a, const auto* b) { return a->spec_id > b->spec_id; });
    std::map<int, Member> by_id;
    for (const PartitionSpec* spec : newest_first) {
      const std::vector<TypePtr>& types = by_spec[spec->spec_id] = table.PartitionTypes(*spec);
      for (size_t i = 0; i < types.size(); ++i) {
        const auto [known, added] = by_id.try_emplace(spec->fields[i].field_id, Member{&spec->fields[i], types[i]});
        // A dropped field is void in newer specs of version 1; its values are those of the older spec.
        if (!added && known->second.field->transform.kind == TransformKind::kVoid) known->second.type = types[i];
      }
    }
    for (const auto& [id, member] : by_id) {
      members.push_back(Field{.id = id, .name = member.field->name, .type = member.type});
    }
  }

  Value Tuple(const TableMetadata& table, const DataFile& file) const {
    Value::Nested tuple(members.size());
    const PartitionSpec* spec = table.FindSpec(file.spec_id);
    for (size_t i = 0; spec != nullptr && i < spec->fields.size() && i < file.partition.size(); ++i) {
      const auto is_member = [&](const Field& member) { return member.id == spec->fields[i].field_id; };
      const auto member = std::find_if(members.begin(), members.end(), is_member);
      if (member->type->id() != TypeId::kUnknown) tuple[static_cast<size_t>(member - members.begin())] = file.partition[i];
    }
    return NestedOf(std::move(tuple));
  }
};

TypePtr MapOf(TypeId value) { return Type::Map(Required("", TypeId::kInt), Required("", value)); }

bool HasBounds(const Type& type) {
  return !type.is_nested() && type.id() != TypeId::kVariant && type.id() != TypeId::kGeometry && type.id() != TypeId::kGeography;
}

/// Leaf columns of the current schema by dotted name, the members of readable_metrics.
std::map<std::string, const Field*> LeafColumns(const Schema& schema) {
  std::map<std::string, const Field*> leaves;
  const auto visit = [&](const auto& self, const Type& type) -> void {
    for (const Field& field : type.fields()) {
      if (HasBounds(*field.type)) leaves.emplace(schema.NameOf(field.id), &field);
      self(self, *field.type);
    }
  };
  visit(visit, *schema.as_struct());
  return leaves;
}

TypePtr ReadableMetricsType(const TableMetadata& table) {
  std::vector<Field> members;
  for (const auto& [name, field] : LeafColumns(*table.CurrentSchema())) {
    members.push_back(Optional(name, Type::Struct({Optional("column_size", TypeId::kLong), Optional("value_count", TypeId::kLong),
                                                   Optional("null_value_count", TypeId::kLong), Optional("nan_value_count", TypeId::kLong),
                                                   Optional("lower_bound", field->type), Optional("upper_bound", field->type)})));
  }
  return Type::Struct(std::move(members));
}

Value BoundOf(const Type& type, const FieldMap<std::string>& bounds, FieldId id) {
  const std::string* bytes = Find(bounds, id);
  if (bytes == nullptr) return Value{};
  auto value = DecodeBound(type, *bytes);
  return value.ok() ? *std::move(value) : Value{};
}

Value CountOf(const FieldMap<int64_t>& counts, FieldId id) {
  const int64_t* count = Find(counts, id);
  return count != nullptr ? Value{*count} : Value{};
}

Value ReadableMetricsOf(const std::map<std::string, const Field*>& leaves, const DataFile& file) {
  Value::Nested metrics;
  for (const auto& [name, field] : leaves) {
    metrics.push_back(NestedOf({CountOf(file.column_sizes, field->id), CountOf(file.value_counts, field->id),
                                CountOf(file.null_value_counts, field->id), CountOf(file.nan_value_counts, field->id),
                                BoundOf(*field->type, file.lower_bounds, field->id), BoundOf(*field->type, file.upper_bounds, field->id)}));
  }
  return NestedOf(std::move(metrics));
}

std::vector<Field> FileColumns(const UnifiedPartition& partition) {
  std::vector<Field> columns = {Optional("content", TypeId::kInt), Required("file_path", TypeId::kString),
                                Required("file_format", TypeId::kString), Optional("spec_id", TypeId::kInt)};
  if (!partition.members.empty()) columns.push_back(Required("partition", Type::Struct(partition.members)));
  columns.push_back(Required("record_count", TypeId::kLong));
  columns.push_back(Required("file_size_in_bytes", TypeId::kLong));
  for (const char* name : {"column_sizes", "value_counts", "null_value_counts", "nan_value_counts"}) {
    columns.push_back(Optional(name, MapOf(TypeId::kLong)));
  }
  columns.push_back(Optional("lower_bounds", MapOf(TypeId::kBinary)));
  columns.push_back(Optional("upper_bounds", MapOf(TypeId::kBinary)));
  columns.push_back(Optional("key_metadata", TypeId::kBinary));
  columns.push_back(Optional("split_offsets", Type::List(Required("", TypeId::kLong))));
  columns.push_back(Optional("equality_ids", Type::List(Required("", TypeId::kInt))));
  columns.push_back(Optional("sort_order_id", TypeId::kInt));
  columns.push_back(Optional("first_row_id", TypeId::kLong));
  columns.push_back(Optional("referenced_data_file", TypeId::kString));
  columns.push_back(Optional("content_offset", TypeId::kLong));
  columns.push_back(Optional("content_size_in_bytes", TypeId::kLong));
  return columns;
}

template <typename T>
Value MapValue(const FieldMap<T>& map, bool present) {
  if (!present) return Value{};
  Value::Nested entries;
  for (const auto& [id, value] : map) {
    entries.push_back(Value{id});
    entries.push_back(Value{value});
  }
  return NestedOf(std::move(entries));
}

template <typename T>
Value ListValue(const std::vector<T>& list) {
  if (list.empty()) return Value{};
  Value::Nested elements;
  for (const T& element : list) elements.push_back(Value{element});
  return NestedOf(std::move(elements));
}

MetadataRow FileRow(const TableMetadata& table, const UnifiedPartition& partition, const DataFile& file) {
  const auto present = [&](int map) { return (file.present_maps >> map & 1) != 0; };
  MetadataRow row = {Value{static_cast<int32_t>(file.content)}, Value{file.file_path}, Value{file.file_format}, Value{file.spec_id}};
  if (!partition.members.empty()) row.push_back(partition.Tuple(table, file));
  const Value rest[] = {Value{file.record_count},
                        Value{file.file_size_in_bytes},
                        MapValue(file.column_sizes, present(0)),
                        MapValue(file.value_counts, present(1)),
                        MapValue(file.null_value_counts, present(2)),
                        MapValue(file.nan_value_counts, present(3)),
                        MapValue(file.lower_bounds, present(4)),
                        MapValue(file.upper_bounds, present(5)),
                        ValueOf(file.key_metadata),
                        ListValue(file.split_offsets),
                        ListValue(file.equality_ids),
                        ValueOf(file.sort_order_id),
                        ValueOf(file.first_row_id),
                        ValueOf(file.referenced_data_file),
                        ValueOf(file.content_offset),
                        ValueOf(file.content_size_in_bytes)};
  row.insert(row.end(), std::begin(rest), std::end(rest));
  return row;
}

/// Manifests of the snapshot, or each manifest once that any snapshot of the table reaches.
arrow::Result<std::vector<ManifestFile>> ReachableManifests(const MetadataTableInput& input, bool all) {
  if (!all) return ManifestsOf(input.snapshot, input.read);
  std::vector<ManifestFile> reachable;
  std::unordered_set<std::string> seen;
  for (const Snapshot& snapshot : input.table.snapshots) {
    ARROW_ASSIGN_OR_RAISE(const auto manifests, ManifestsOf(&snapshot, input.read));
    for (const ManifestFile& manifest : manifests) {
      if (seen.insert(manifest.manifest_path).second) reachable.push_back(manifest);
    }
  }
  return reachable;
}

template <typename Visit>
arrow::Status ForEachEntry(const MetadataTableInput& input, const UnifiedPartition& partition, bool all, bool live_only, const Visit& visit) {
  ARROW_ASSIGN_OR_RAISE(const auto manifests, ReachableManifests(input, all));
  const ManifestReadOptions options{.live_only = live_only, .partition_types = partition.by_spec};
  for (const ManifestFile& manifest : manifests) {
    ARROW_ASSIGN_OR_RAISE(const auto bytes, input.read(manifest.manifest_path));
    ARROW_ASSIGN_OR_RAISE(const auto entries, ReadManifest(std::string_view(*bytes), manifest, input.table.specs, options));
    for (const ManifestEntry& entry : entries) visit(entry);
  }
  return arrow::Status::OK();
}

/// One row of the partitions table.
struct PartitionTotals {
  int32_t spec_id = 0;
  int64_t record_count = 0;
  int32_t file_count = 0;
  int64_t file_bytes = 0;
  int64_t position_delete_records = 0;
  int32_t position_delete_files = 0;
  int64_t equality_delete_records = 0;
  int32_t equality_delete_files = 0;
  const Snapshot* last_updated = nullptr;

  void Add(const ManifestEntry& entry, const Snapshot* snapshot) {
    if (snapshot != nullptr && (last_updated == nullptr || snapshot->timestamp_ms > last_updated->timestamp_ms)) {
      spec_id = entry.file.spec_id;
      last_updated = snapshot;
    }
    switch (entry.file.content) {
      case FileContent::kData:
        record_count += entry.file.record_count;
        file_bytes += entry.file.file_size_in_bytes;
        ++file_count;
        break;
      case FileContent::kPositionDeletes:
        position_delete_records += entry.file.record_count;
        ++position_delete_files;
        break;
      case FileContent::kEqualityDeletes:
        equality_delete_records += entry.file.record_count;
        ++equality_delete_files;
        break;
    }
  }
};

struct ValueHash {
  size_t operator()(const Value& value) const { return HashOf(value); }
};

}  // namespace

TypePtr FilesType(const TableMetadata& table) {
  std::vector<Field> columns = FileColumns(UnifiedPartition(table));
  columns.push_back(Optional("readable_metrics", ReadableMetricsType(table)));
  return Type::Struct(std::move(columns));
}

arrow::Result<MetadataRows> FilesRows(const MetadataTableInput& input, FileTableContent content, bool all) {
  const UnifiedPartition partition(input.table);
  const SchemaPtr schema = input.table.CurrentSchema();
  const auto leaves = LeafColumns(*schema);
  MetadataRows rows;
  ARROW_RETURN_NOT_OK(ForEachEntry(input, partition, all, true, [&](const ManifestEntry& entry) {
    const bool is_data = entry.file.content == FileContent::kData;
    if ((content == FileTableContent::kData && !is_data) || (content == FileTableContent::kDeletes && is_data)) return;
    rows.push_back(FileRow(input.table, partition, entry.file));
    rows.back().push_back(ReadableMetricsOf(leaves, entry.file));
  }));
  return rows;
}

TypePtr EntriesType(const TableMetadata& table) {
  return Type::Struct({Required("status", TypeId::kInt), Optional("snapshot_id", TypeId::kLong), Optional("sequence_number", TypeId::kLong),
                       Optional("file_sequence_number", TypeId::kLong),
                       Required("data_file", Type::Struct(FileColumns(UnifiedPartition(table)))),
                       Optional("readable_metrics", ReadableMetricsType(table))});
}

arrow::Result<MetadataRows> EntriesRows(const MetadataTableInput& input, bool all) {
  const UnifiedPartition partition(input.table);
  const SchemaPtr schema = input.table.CurrentSchema();
  const auto leaves = LeafColumns(*schema);
  MetadataRows rows;
  ARROW_RETURN_NOT_OK(ForEachEntry(input, partition, all, false, [&](const ManifestEntry& entry) {
    rows.push_back({Value{static_cast<int32_t>(entry.status)}, ValueOf(entry.snapshot_id), ValueOf(entry.data_sequence_number),
                    ValueOf(entry.file_sequence_number), NestedOf(FileRow(input.table, partition, entry.file)),
                    ReadableMetricsOf(leaves, entry.file)});
  }));
  return rows;
}

TypePtr PartitionsType(const TableMetadata& table) {
  const UnifiedPartition partition(table);
  std::vector<Field> columns;
  if (!partition.members.empty()) {
    columns = {Required("partition", Type::Struct(partition.members)), Required("spec_id", TypeId::kInt)};
  }
  for (const auto& [name, type] : std::initializer_list<std::pair<const char*, TypeId>>{{"record_count", TypeId::kLong},
                                                                                        {"file_count", TypeId::kInt},
                                                                                        {"total_data_file_size_in_bytes", TypeId::kLong},
                                                                                        {"position_delete_record_count", TypeId::kLong},
                                                                                        {"position_delete_file_count", TypeId::kInt},
                                                                                        {"equality_delete_record_count", TypeId::kLong},
                                                                                        {"equality_delete_file_count", TypeId::kInt}}) {
    columns.push_back(Required(name, type));
  }
  columns.push_back(Optional("last_updated_at", TypeId::kTimestampTz));
  columns.push_back(Optional("last_updated_snapshot_id", TypeId::kLong));
  return Type::Struct(std::move(columns));
}

arrow::Result<MetadataRows> PartitionsRows(const MetadataTableInput& input) {
  const UnifiedPartition partition(input.table);
  std::unordered_map<Value, PartitionTotals, ValueHash> totals;
  std::vector<Value> in_order;
  ARROW_RETURN_NOT_OK(ForEachEntry(input, partition, false, true, [&](const ManifestEntry& entry) {
    const auto [found, added] = totals.try_emplace(partition.Tuple(input.table, entry.file));
    if (added) {
      found->second.spec_id = entry.file.spec_id;
      in_order.push_back(found->first);
    }
    found->second.Add(entry, entry.snapshot_id ? input.table.FindSnapshot(*entry.snapshot_id) : nullptr);
  }));
  MetadataRows rows;
  for (const Value& tuple : in_order) {
    const PartitionTotals& total = totals.at(tuple);
    MetadataRow row;
    if (!partition.members.empty()) row = {tuple, Value{total.spec_id}};
    for (Value value : {Value{total.record_count}, Value{total.file_count}, Value{total.file_bytes}, Value{total.position_delete_records},
                        Value{total.position_delete_files}, Value{total.equality_delete_records}, Value{total.equality_delete_files},
                        total.last_updated != nullptr ? MicrosOf(total.last_updated->timestamp_ms) : Value{},
                        total.last_updated != nullptr ? Value{total.last_updated->snapshot_id} : Value{}}) {
      row.push_back(std::move(value));
    }
    rows.push_back(std::move(row));
  }
  return rows;
}

}  // namespace vecruntime::iceberg
