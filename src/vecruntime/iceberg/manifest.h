// SPDX-License-Identifier: Apache-2.0
// Manifest lists and manifests as structs (Iceberg spec, "Manifests", "Manifest Lists"), decoded from Avro by field id.
#pragma once

#include <arrow/type_fwd.h>

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "vecruntime/iceberg/transform.h"
#include "vecruntime/iceberg/type.h"

namespace vecruntime::iceberg {

enum class FileContent : int { kData = 0, kPositionDeletes = 1, kEqualityDeletes = 2 };
enum class EntryStatus : int { kExisting = 0, kAdded = 1, kDeleted = 2 };
enum class ManifestContent : int { kData = 0, kDeletes = 1 };

/// Small sorted map field id -> value, as manifests store it.
template <typename T>
using FieldMap = std::vector<std::pair<FieldId, T>>;
template <typename T>
const T* Find(const FieldMap<T>& map, FieldId id) {
  for (const auto& [key, value] : map) {
    if (key == id) return &value;
  }
  return nullptr;
}

struct DataFile {
  FileContent content = FileContent::kData;
  std::string file_path;    // exactly as written
  std::string file_format;  // upper case: PARQUET, AVRO, ORC, PUFFIN
  int spec_id = 0;
  std::vector<Value> partition;  // in the order of the spec's fields
  int64_t record_count = 0;
  int64_t file_size_in_bytes = 0;
  FieldMap<int64_t> column_sizes;
  FieldMap<int64_t> value_counts;
  FieldMap<int64_t> null_value_counts;
  FieldMap<int64_t> nan_value_counts;
  FieldMap<std::string> lower_bounds;  // raw Appendix-D bytes
  FieldMap<std::string> upper_bounds;
  /// Which of the six maps above the manifest holds at all, bit 0 for the first; metadata tables tell an absent map from an empty one.
  uint8_t present_maps = 0;
  std::optional<std::string> key_metadata;
  std::vector<int64_t> split_offsets;
  std::vector<FieldId> equality_ids;
  std::optional<int> sort_order_id;
  std::optional<int64_t> first_row_id;                // v3; after inheritance
  std::optional<std::string> referenced_data_file;
  std::optional<int64_t> content_offset;
  std::optional<int64_t> content_size_in_bytes;
};

struct ManifestEntry {
  EntryStatus status = EntryStatus::kAdded;
  std::optional<int64_t> snapshot_id;           // after inheritance
  std::optional<int64_t> data_sequence_number;  // after inheritance; always set for live entries
  std::optional<int64_t> file_sequence_number;  // after inheritance
  DataFile file;
  bool live() const { return status != EntryStatus::kDeleted; }
};

struct PartitionFieldSummary {
  bool contains_null = true;
  std::optional<bool> contains_nan;
  std::optional<std::string> lower_bound;  // raw Appendix-D bytes of the transform's result type
  std::optional<std::string> upper_bound;
};

/// One row of a manifest list (or one inline v1 manifest, for which only the path is known).
struct ManifestFile {
  std::string manifest_path;
  int64_t manifest_length = -1;  // -1 when unknown
  int partition_spec_id = 0;
  ManifestContent content = ManifestContent::kData;
  int64_t sequence_number = 0;
  int64_t min_sequence_number = 0;
  std::optional<int64_t> added_snapshot_id;
  std::optional<int> added_files_count, existing_files_count, deleted_files_count;
  std::optional<int64_t> added_rows_count, existing_rows_count, deleted_rows_count;
  std::vector<PartitionFieldSummary> partitions;  // empty when unknown
  std::optional<int64_t> first_row_id;            // v3 data manifests
  std::optional<std::string> key_metadata;
};

/// Decodes a manifest list held in memory. `path` is for error messages. CorruptData names path and byte offset.
arrow::Result<std::vector<ManifestFile>> ReadManifestList(std::string_view bytes, std::string_view path);

struct ManifestReadOptions {
  /// Column metrics and bounds are kept only for these fields; nullopt keeps all.
  std::optional<std::vector<FieldId>> metrics_for;
  /// Keep split offsets, sort order and key metadata, which only metadata tables show.
  bool file_details = true;
  /// Drop entries whose status is DELETED (metadata tables want them).
  bool live_only = true;
  /// TableMetadata::PartitionTypes by spec id: partition values written before a promotion of their source column are widened to these
  /// types, so that tuples of one spec compare equal across manifests. Values of specs not named stay as the manifest has them.
  std::map<int, std::vector<TypePtr>> partition_types;
};

/// Decodes one manifest held in memory and applies inheritance from `manifest` (spec, "Sequence Number Inheritance", "First Row ID
/// Inheritance"): a null sequence number is inherited only by ADDED entries; an EXISTING entry without one is CorruptData in v2+ manifests.
/// `specs` are the table's specs; the manifest's own header stands in for a spec that is not among them. The content of a file is what its
/// entry says, whatever the manifest list says of the manifest; only a data file inside a delete manifest is CorruptData.
arrow::Result<std::vector<ManifestEntry>> ReadManifest(std::string_view bytes, const ManifestFile& manifest,
                                                       const std::vector<PartitionSpec>& specs, const ManifestReadOptions& options);

}  // namespace vecruntime::iceberg
