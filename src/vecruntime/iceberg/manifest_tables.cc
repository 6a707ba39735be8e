// SPDX-License-Identifier: Apache-2.0
#include <arrow/buffer.h>

#include "vecruntime/base/error.h"
#include "vecruntime/iceberg/metadata_table_internal.h"

namespace vecruntime::iceberg {
namespace {

TypePtr SummaryType() {
  return Type::Struct({Required("contains_null", TypeId::kBoolean), Optional("contains_nan", TypeId::kBoolean),
                       Optional("lower_bound", TypeId::kString), Optional("upper_bound", TypeId::kString)});
}

Value BoundText(const Transform& transform, const Type& type, const std::optional<std::string>& bound) {
  if (!bound) return Value{std::string("null")};
  const auto value = DecodeBound(type, *bound);
  return value.ok() ? Value{transform.HumanText(type, *value)} : Value{};
}

Value SummariesOf(const TableMetadata& table, const ManifestFile& manifest) {
  Value::Nested summaries;
  const PartitionSpec* spec = table.FindSpec(manifest.partition_spec_id);
  if (spec == nullptr) return Value{};
  const std::vector<TypePtr> types = table.PartitionTypes(*spec);
  for (size_t i = 0; i < manifest.partitions.size() && i < types.size(); ++i) {
    const PartitionFieldSummary& summary = manifest.partitions[i];
    const Transform& transform = spec->fields[i].transform;
    summaries.push_back(NestedOf({Value{summary.contains_null}, ValueOf(summary.contains_nan),
                                  BoundText(transform, *types[i], summary.lower_bound), BoundText(transform, *types[i], summary.upper_bound)}));
  }
  return NestedOf(std::move(summaries));
}

MetadataRow RowOf(const TableMetadata& table, const ManifestFile& manifest) {
  const bool deletes = manifest.content == ManifestContent::kDeletes;
  const Value counts[] = {ValueOf(manifest.added_files_count), ValueOf(manifest.existing_files_count), ValueOf(manifest.deleted_files_count)};
  MetadataRow row = {Value{static_cast<int32_t>(manifest.content)}, Value{manifest.manifest_path}, Value{manifest.manifest_length},
                     Value{manifest.partition_spec_id}, ValueOf(manifest.added_snapshot_id)};
  for (const Value& count : counts) row.push_back(deletes ? Value{0} : count);
  for (const Value& count : counts) row.push_back(deletes ? count : Value{0});
  row.push_back(SummariesOf(table, manifest));
  return row;
}

}  // namespace

TypePtr ManifestsType(bool all) {
  std::vector<Field> columns = {Required("content", TypeId::kInt), Required("path", TypeId::kString), Required("length", TypeId::kLong),
                                Optional("partition_spec_id", TypeId::kInt), Optional("added_snapshot_id", TypeId::kLong)};
  for (const char* name : {"added_data_files_count", "existing_data_files_count", "deleted_data_files_count", "added_delete_files_count",
                           "existing_delete_files_count", "deleted_delete_files_count"}) {
    columns.push_back(Optional(name, TypeId::kInt));
  }
  columns.push_back(Optional("partition_summaries", Type::List(Required("", SummaryType()))));
  if (all) {
    columns.push_back(Required("reference_snapshot_id", TypeId::kLong));
    columns.push_back(Optional("key_metadata", TypeId::kBinary));
  }
  return Type::Struct(std::move(columns));
}

arrow::Result<std::vector<ManifestFile>> ManifestsOf(const Snapshot* snapshot, const ReadBytes& read) {
  std::vector<ManifestFile> manifests;
  if (snapshot == nullptr) return manifests;
  if (!snapshot->manifest_list.empty()) {
    ARROW_ASSIGN_OR_RAISE(const auto bytes, read(snapshot->manifest_list));
    return ReadManifestList(std::string_view(*bytes), snapshot->manifest_list);
  }
  for (const std::string& path : snapshot->inline_manifests) manifests.push_back(ManifestFile{.manifest_path = path});
  return manifests;
}

arrow::Result<MetadataRows> ManifestsRows(const MetadataTableInput& input, bool all) {
  MetadataRows rows;
  if (!all) {
    ARROW_ASSIGN_OR_RAISE(const auto manifests, ManifestsOf(input.snapshot, input.read));
    for (const ManifestFile& manifest : manifests) rows.push_back(RowOf(input.table, manifest));
    return rows;
  }
  for (const Snapshot& snapshot : input.table.snapshots) {
    ARROW_ASSIGN_OR_RAISE(const auto manifests, ManifestsOf(&snapshot, input.read));
    for (const ManifestFile& manifest : manifests) {
      rows.push_back(RowOf(input.table, manifest));
      rows.back().push_back(Value{snapshot.snapshot_id});
      rows.back().push_back(ValueOf(manifest.key_metadata));
    }
  }
  return rows;
}

}  // namespace vecruntime::iceberg
