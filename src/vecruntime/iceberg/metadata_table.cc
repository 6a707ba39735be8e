// SPDX-License-Identifier: Apache-2.0
#include "vecruntime/iceberg/metadata_table.h"

#include <arrow/builder.h>
#include <arrow/record_batch.h>
#include <arrow/type.h>

#include <array>
#include <utility>

#include "vecruntime/base/error.h"
#include "vecruntime/iceberg/metadata_table_internal.h"

namespace vecruntime::iceberg {
namespace {

constexpr std::array<std::pair<std::string_view, MetadataTable>, 15> kNames = {{
    {"snapshots", MetadataTable::kSnapshots},
    {"history", MetadataTable::kHistory},
    {"refs", MetadataTable::kRefs},
    {"metadata_log_entries", MetadataTable::kMetadataLogEntries},
    {"manifests", MetadataTable::kManifests},
    {"all_manifests", MetadataTable::kAllManifests},
    {"files", MetadataTable::kFiles},
    {"data_files", MetadataTable::kDataFiles},
    {"delete_files", MetadataTable::kDeleteFiles},
    {"all_files", MetadataTable::kAllFiles},
    {"all_data_files", MetadataTable::kAllDataFiles},
    {"all_delete_files", MetadataTable::kAllDeleteFiles},
    {"entries", MetadataTable::kEntries},
    {"all_entries", MetadataTable::kAllEntries},
    {"partitions", MetadataTable::kPartitions},
}};

TypePtr TypeOf(MetadataTable kind, const TableMetadata& table) {
  switch (kind) {
    case MetadataTable::kSnapshots:
      return SnapshotsType();
    case MetadataTable::kHistory:
      return HistoryType();
    case MetadataTable::kRefs:
      return RefsType();
    case MetadataTable::kMetadataLogEntries:
      return MetadataLogEntriesType();
    case MetadataTable::kManifests:
      return ManifestsType(false);
    case MetadataTable::kAllManifests:
      return ManifestsType(true);
    case MetadataTable::kEntries:
    case MetadataTable::kAllEntries:
      return EntriesType(table);
    case MetadataTable::kPartitions:
      return PartitionsType(table);
    default:
      return FilesType(table);
  }
}

arrow::Result<MetadataRows> RowsOf(MetadataTable kind, const MetadataTableInput& input) {
  switch (kind) {
    case MetadataTable::kSnapshots:
      return SnapshotsRows(input);
    case MetadataTable::kHistory:
      return HistoryRows(input);
    case MetadataTable::kRefs:
      return RefsRows(input);
    case MetadataTable::kMetadataLogEntries:
      return MetadataLogEntriesRows(input);
    case MetadataTable::kManifests:
      return ManifestsRows(input, false);
    case MetadataTable::kAllManifests:
      return ManifestsRows(input, true);
    case MetadataTable::kFiles:
      return FilesRows(input, FileTableContent::kAll, false);
    case MetadataTable::kDataFiles:
      return FilesRows(input, FileTableContent::kData, false);
    case MetadataTable::kDeleteFiles:
      return FilesRows(input, FileTableContent::kDeletes, false);
    case MetadataTable::kAllFiles:
      return FilesRows(input, FileTableContent::kAll, true);
    case MetadataTable::kAllDataFiles:
      return FilesRows(input, FileTableContent::kData, true);
    case MetadataTable::kAllDeleteFiles:
      return FilesRows(input, FileTableContent::kDeletes, true);
    case MetadataTable::kEntries:
      return EntriesRows(input, false);
    case MetadataTable::kAllEntries:
      return EntriesRows(input, true);
    case MetadataTable::kPartitions:
      return PartitionsRows(input);
  }
  return base::Internal("unknown metadata table");
}

}  // namespace

std::optional<MetadataTable> ParseMetadataTable(std::string_view name) {
  std::string lower(name);
  for (char& c : lower) c = c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
  for (const auto& [known, kind] : kNames) {
    if (known == lower) return kind;
  }
  return std::nullopt;
}

arrow::Result<std::shared_ptr<arrow::Schema>> MetadataTableSchema(MetadataTable kind, const TableMetadata& table) {
  ARROW_ASSIGN_OR_RAISE(const auto type, TypeOf(kind, table)->ToArrow());
  return arrow::schema(type->fields());
}

arrow::Result<std::shared_ptr<arrow::RecordBatch>> ReadMetadataTable(MetadataTable kind, const TableMetadata& table, const Snapshot* snapshot,
                                                                     const ReadBytes& read) {
  const TypePtr type = TypeOf(kind, table);
  ARROW_ASSIGN_OR_RAISE(const auto schema, MetadataTableSchema(kind, table));
  ARROW_ASSIGN_OR_RAISE(const MetadataRows rows, RowsOf(kind, MetadataTableInput{table, snapshot, read}));
  std::vector<std::shared_ptr<arrow::Array>> columns;
  for (size_t i = 0; i < type->fields().size(); ++i) {
    ARROW_ASSIGN_OR_RAISE(const auto builder, arrow::MakeBuilder(schema->field(static_cast<int>(i))->type()));
    for (const MetadataRow& row : rows) ARROW_RETURN_NOT_OK(AppendTo(*type->fields()[i].type, row[i], builder.get()));
    ARROW_ASSIGN_OR_RAISE(auto column, builder->Finish());
    columns.push_back(std::move(column));
  }
  return arrow::RecordBatch::Make(schema, static_cast<int64_t>(rows.size()), std::move(columns));
}

}  // namespace vecruntime::iceberg
