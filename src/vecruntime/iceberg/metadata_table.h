// SPDX-License-Identifier: Apache-2.0
// Metadata tables (t.snapshots, t.files, ...) with the columns, types and rows of Iceberg's Spark integration, version 1.11.
#pragma once

#include <arrow/type_fwd.h>

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "vecruntime/iceberg/table_metadata.h"

namespace vecruntime::iceberg {

enum class MetadataTable {
  kSnapshots, kHistory, kRefs, kMetadataLogEntries, kManifests, kAllManifests, kFiles, kDataFiles, kDeleteFiles, kAllFiles, kAllDataFiles,
  kAllDeleteFiles, kEntries, kAllEntries, kPartitions,
};

/// "snapshots", "all_data_files", ... in any case; nullopt when it is none of them.
std::optional<MetadataTable> ParseMetadataTable(std::string_view name);

/// The bytes of a manifest list or manifest, by its location.
using ReadBytes = std::function<arrow::Result<std::shared_ptr<arrow::Buffer>>(const std::string& location)>;

arrow::Result<std::shared_ptr<arrow::Schema>> MetadataTableSchema(MetadataTable kind, const TableMetadata& table);

/// All rows of the metadata table as of `snapshot` (nullptr: a table without one); the all_* tables, snapshots, history, refs and
/// metadata_log_entries do not depend on it. uuid values of bounds and partitions are text, as Spark shows them.
arrow::Result<std::shared_ptr<arrow::RecordBatch>> ReadMetadataTable(MetadataTable kind, const TableMetadata& table, const Snapshot* snapshot,
                                                                     const ReadBytes& read);

}  // namespace vecruntime::iceberg
