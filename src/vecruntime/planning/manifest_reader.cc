// SPDX-License-Identifier: Apache-2.0
#include "vecruntime/planning/manifest_reader.h"

#include <arrow/buffer.h>
#include <arrow/result.h>

#include <algorithm>
#include <iterator>
#include <string_view>
#include <utility>

#include "vecruntime/base/error.h"
#include "vecruntime/base/parallel.h"

namespace vecruntime::planning {
namespace {

using iceberg::DataFile;
using iceberg::FieldId;
using iceberg::ManifestEntry;
using iceberg::ManifestFile;
using Fields = std::optional<std::vector<FieldId>>;

bool Covers(const Fields& held, const Fields& wanted) {
  if (!held) return true;
  return wanted && std::includes(held->begin(), held->end(), wanted->begin(), wanted->end());
}

Fields United(const Fields& a, const Fields& b) {
  if (!a || !b) return std::nullopt;
  std::vector<FieldId> all;
  std::set_union(a->begin(), a->end(), b->begin(), b->end(), std::back_inserter(all));
  return all;
}

int64_t HeapBytes(const std::string& text) { return text.capacity() > std::string().capacity() ? static_cast<int64_t>(text.capacity()) : 0; }

int64_t HeapBytes(const iceberg::FieldMap<std::string>& map) {
  int64_t bytes = static_cast<int64_t>(map.capacity() * sizeof(map[0]));
  for (const auto& [id, text] : map) bytes += HeapBytes(text);
  return bytes;
}

int64_t HeapBytes(const DataFile& file) {
  const size_t counts = file.column_sizes.capacity() + file.value_counts.capacity() + file.null_value_counts.capacity() + file.nan_value_counts.capacity();
  int64_t bytes = HeapBytes(file.file_path) + HeapBytes(file.lower_bounds) + HeapBytes(file.upper_bounds);
  bytes += static_cast<int64_t>(counts * sizeof(file.value_counts[0]) + file.partition.capacity() * sizeof(iceberg::Value) +
                                file.equality_ids.capacity() * sizeof(FieldId));
  for (const iceberg::Value& value : file.partition) {
    if (const auto* text = std::get_if<std::string>(&value.data)) bytes += HeapBytes(*text);
  }
  return bytes + (file.referenced_data_file ? HeapBytes(*file.referenced_data_file) : 0);
}

int64_t HeapBytes(const std::vector<ManifestFile>& manifests) {
  int64_t bytes = static_cast<int64_t>(manifests.capacity() * sizeof(ManifestFile));
  for (const ManifestFile& manifest : manifests) {
    bytes += HeapBytes(manifest.manifest_path) + static_cast<int64_t>(manifest.partitions.size() * 2 * sizeof(iceberg::PartitionFieldSummary));
  }
  return bytes;
}

template <typename T>
std::string OptionalText(const std::optional<T>& value) {
  return value ? std::to_string(*value) : "-";
}

bool SummaryCountsFiles(const iceberg::Snapshot& snapshot) {
  const auto total = snapshot.summary.find("total-data-files");
  return total != snapshot.summary.end() && total->second.find_first_of("123456789") != std::string::npos;
}

}  // namespace

struct ManifestReader::Entries {
  Fields fields;  // whose metrics the entries hold
  std::vector<ManifestEntry> entries;
};

ManifestReader::ManifestReader(const io::FileIO& file_io, const iceberg::TableMetadata& metadata) : file_io_(file_io), metadata_(metadata) {
  for (const iceberg::PartitionSpec& spec : metadata_.specs) {
    std::vector<iceberg::TypePtr> types = metadata_.PartitionTypes(spec);
    std::string& text = spec_texts_[spec.spec_id];
    for (size_t i = 0; i < spec.fields.size(); ++i) {
      text += std::to_string(spec.fields[i].field_id) + " " + spec.fields[i].name + " " + types[i]->ToString() + ";";
    }
    partition_types_[spec.spec_id] = std::move(types);
  }
}

arrow::Result<std::vector<EntryPtr>> ManifestReader::Read(const std::vector<ManifestFile>& manifests, const Fields& fields,
                                                          int workers) const {
  std::vector<std::shared_ptr<const Entries>> decoded(manifests.size());
  ARROW_RETURN_NOT_OK(base::ParallelFor(static_cast<int64_t>(manifests.size()), workers, [&](int64_t task, int) -> arrow::Status {
    const size_t i = static_cast<size_t>(task);
    return ReadOne(manifests[i], fields).Value(&decoded[i]);
  }));
  size_t count = 0;
  for (const auto& part : decoded) count += part->entries.size();
  std::vector<EntryPtr> entries;
  entries.reserve(count);
  // An entry keeps its whole manifest alive; none is allocated on its own.
  for (const auto& part : decoded) {
    for (const ManifestEntry& entry : part->entries) entries.emplace_back(part, &entry);
  }
  return entries;
}

arrow::Result<std::shared_ptr<const ManifestReader::Entries>> ManifestReader::ReadOne(const ManifestFile& manifest, const Fields& fields) const {
  Fields wanted = fields;
  const auto decode = [&](const arrow::Buffer& bytes) -> arrow::Result<io::Decoded<Entries>> {
    auto entries = std::make_shared<Entries>();
    entries->fields = wanted;
    const iceberg::ManifestReadOptions options{.metrics_for = wanted, .file_details = false, .partition_types = partition_types_};
    ARROW_ASSIGN_OR_RAISE(entries->entries, iceberg::ReadManifest(std::string_view(bytes), manifest, metadata_.specs, options));
    int64_t size = static_cast<int64_t>(sizeof(Entries) + entries->entries.capacity() * sizeof(ManifestEntry));
    for (const ManifestEntry& entry : entries->entries) size += HeapBytes(entry.file);
    return io::Decoded<Entries>{std::move(entries), size};
  };
  const std::string variant = VariantOf(manifest);
  ARROW_ASSIGN_OR_RAISE(auto entries, file_io_.DecodeOnce<Entries>(manifest.manifest_path, variant, decode));
  if (Covers(entries->fields, fields)) return entries;
  // Remembered by a query that pruned by other columns; from now on with the metrics of both.
  wanted = United(entries->fields, fields);
  return file_io_.DecodeAgain<Entries>(manifest.manifest_path, variant, decode);
}

// Everything besides its bytes that decides how a manifest is read: what it inherits, and how its partitions are typed.
std::string ManifestReader::VariantOf(const ManifestFile& manifest) const {
  std::string text = OptionalText(manifest.added_snapshot_id) + " " + OptionalText(manifest.first_row_id);
  for (const int64_t part : {manifest.sequence_number, static_cast<int64_t>(manifest.content), int64_t{manifest.partition_spec_id}, manifest.manifest_length}) {
    text += " " + std::to_string(part);
  }
  const bool inline_manifest = manifest.manifest_length < 0 && !manifest.added_snapshot_id;  // its own header names the spec
  for (const auto& [spec_id, spec] : spec_texts_) {
    if (inline_manifest || spec_id == manifest.partition_spec_id) text += "\n" + std::to_string(spec_id) + ":" + spec;
  }
  return text;
}

arrow::Result<std::shared_ptr<const std::vector<ManifestFile>>> ReadManifests(const io::FileIO& file_io, const iceberg::Snapshot& snapshot) {
  using Manifests = std::vector<ManifestFile>;
  if (!snapshot.manifest_list.empty()) {
    return file_io.DecodeOnce<Manifests>(snapshot.manifest_list, "", [&](const arrow::Buffer& bytes) -> arrow::Result<io::Decoded<Manifests>> {
      ARROW_ASSIGN_OR_RAISE(auto manifests, iceberg::ReadManifestList(std::string_view(bytes), snapshot.manifest_list));
      // An Avro file cut after its header is a valid one without records.
      if (manifests.empty() && SummaryCountsFiles(snapshot)) {
        return base::CorruptData("manifest list without a manifest, though the snapshot has files: ", snapshot.manifest_list);
      }
      const int64_t size = HeapBytes(manifests);
      return io::Decoded<Manifests>{std::make_shared<const Manifests>(std::move(manifests)), size};
    });
  }
  auto manifests = std::make_shared<Manifests>();
  for (const std::string& path : snapshot.inline_manifests) manifests->push_back(ManifestFile{.manifest_path = path});
  return manifests;
}

}  // namespace vecruntime::planning
