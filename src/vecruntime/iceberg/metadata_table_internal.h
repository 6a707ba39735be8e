// SPDX-License-Identifier: Apache-2.0
// The parts of metadata_table.cc. A metadata table is a struct type and rows that are its members' values, in order.
#pragma once

#include <arrow/result.h>

#include <initializer_list>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "vecruntime/iceberg/manifest.h"
#include "vecruntime/iceberg/metadata_table.h"

namespace vecruntime::iceberg {

using MetadataRow = Value::Nested;
using MetadataRows = std::vector<MetadataRow>;

struct MetadataTableInput {
  const TableMetadata& table;
  const Snapshot* snapshot;
  const ReadBytes& read;
};

// snapshot_tables.cc
TypePtr SnapshotsType();
MetadataRows SnapshotsRows(const MetadataTableInput& input);
TypePtr HistoryType();
MetadataRows HistoryRows(const MetadataTableInput& input);
TypePtr RefsType();
MetadataRows RefsRows(const MetadataTableInput& input);
TypePtr MetadataLogEntriesType();
MetadataRows MetadataLogEntriesRows(const MetadataTableInput& input);

// manifest_tables.cc
TypePtr ManifestsType(bool all);
arrow::Result<MetadataRows> ManifestsRows(const MetadataTableInput& input, bool all);
/// The manifests of one snapshot; none for nullptr.
arrow::Result<std::vector<ManifestFile>> ManifestsOf(const Snapshot* snapshot, const ReadBytes& read);

// file_tables.cc
enum class FileTableContent { kAll, kData, kDeletes };
TypePtr FilesType(const TableMetadata& table);
arrow::Result<MetadataRows> FilesRows(const MetadataTableInput& input, FileTableContent content, bool all);
TypePtr EntriesType(const TableMetadata& table);
arrow::Result<MetadataRows> EntriesRows(const MetadataTableInput& input, bool all);
TypePtr PartitionsType(const TableMetadata& table);
arrow::Result<MetadataRows> PartitionsRows(const MetadataTableInput& input);

inline Field Required(std::string name, TypePtr type) { return Field{.name = std::move(name), .type = std::move(type), .required = true}; }
inline Field Optional(std::string name, TypePtr type) { return Field{.name = std::move(name), .type = std::move(type)}; }
inline Field Required(std::string name, TypeId type) { return Required(std::move(name), Type::Primitive(type)); }
inline Field Optional(std::string name, TypeId type) { return Optional(std::move(name), Type::Primitive(type)); }

template <typename T>
Value ValueOf(const std::optional<T>& value) {
  return value ? Value{*value} : Value{};
}
inline Value NestedOf(Value::Nested members) { return Value{std::make_shared<const Value::Nested>(std::move(members))}; }
inline Value MicrosOf(int64_t millis) { return Value{millis * 1000}; }

}  // namespace vecruntime::iceberg
