// SPDX-License-Identifier: Apache-2.0
#include "vecruntime/planning/delete_index.h"

#include <arrow/result.h>

#include <algorithm>
#include <optional>
#include <utility>

#include "vecruntime/base/error.h"
#include "vecruntime/iceberg/metadata_columns.h"

namespace vecruntime::planning {
namespace {

using iceberg::DataFile;
using iceberg::FileContent;
using iceberg::ManifestEntry;
using iceberg::Value;

// A tuple written before its source column was promoted holds the narrower alternative.
Value Widened(const Value& value) {
  if (const auto* i = std::get_if<int32_t>(&value.data)) return Value{static_cast<int64_t>(*i)};
  if (const auto* f = std::get_if<float>(&value.data)) return Value{static_cast<double>(*f)};
  return value;
}

int64_t SequenceOf(const EntryPtr& entry) { return *entry->data_sequence_number; }

// The path a position-delete file is bound to: named outright, or as the one value of file_path (maybe truncated). Empty when none.
struct PathScope {
  std::string_view path;  // into the file's entry
  bool may_be_prefix = false;
};
PathScope PathScopeOf(const DataFile& file) {
  if (file.referenced_data_file) return {*file.referenced_data_file, false};
  const std::string* lower = iceberg::Find(file.lower_bounds, iceberg::kDeleteFilePathId);
  const std::string* upper = iceberg::Find(file.upper_bounds, iceberg::kDeleteFilePathId);
  if (lower == nullptr || upper == nullptr || *lower != *upper) return {};
  return {*lower, true};
}

// Whether the file_path bounds of a delete file allow `path`. Inverted bounds allow everything; an upper bound may be a prefix.
bool PathBoundsAllow(const DataFile& deletes, const std::string& path) {
  const std::string* lower = iceberg::Find(deletes.lower_bounds, iceberg::kDeleteFilePathId);
  const std::string* upper = iceberg::Find(deletes.upper_bounds, iceberg::kDeleteFilePathId);
  if (lower != nullptr && upper != nullptr && *lower > *upper) return true;
  if (lower != nullptr && path < *lower) return false;
  return upper == nullptr || path <= *upper || path.starts_with(*upper);
}

arrow::Status CheckReadable(const DataFile& file) {
  const bool is_vector = file.content == FileContent::kPositionDeletes && file.file_format == "PUFFIN";
  if (file.file_format == "PARQUET" || is_vector) return arrow::Status::OK();
  return base::Unsupported("delete files in format ", file.file_format, " cannot be read: ", file.file_path);
}

}  // namespace

PartitionKey::PartitionKey(int spec, const std::vector<Value>& values) : spec_id(spec) {
  tuple.reserve(values.size());
  for (const Value& value : values) tuple.push_back(Widened(value));
}

size_t PartitionKeyHash::operator()(const PartitionKey& key) const {
  size_t hash = static_cast<size_t>(key.spec_id);
  for (const Value& value : key.tuple) hash = hash * 31 + HashOf(value);
  return hash;
}

bool IsUnpartitioned(const iceberg::PartitionSpec& spec) {
  return std::all_of(spec.fields.begin(), spec.fields.end(),
                     [](const auto& field) { return field.transform.kind == iceberg::TransformKind::kVoid; });
}

arrow::Result<DeleteIndex> DeleteIndex::Make(std::vector<EntryPtr> deletes, std::shared_ptr<const iceberg::TableMetadata> metadata) {
  std::stable_sort(deletes.begin(), deletes.end(),
                   [](const EntryPtr& a, const EntryPtr& b) { return SequenceOf(a) < SequenceOf(b); });
  DeleteIndex index(std::move(metadata));
  for (const EntryPtr& entry : deletes) ARROW_RETURN_NOT_OK(index.Add(entry));
  return index;
}

arrow::Status DeleteIndex::Add(const EntryPtr& entry) {
  ARROW_RETURN_NOT_OK(CheckReadable(entry->file));
  if (entry->file.content == FileContent::kEqualityDeletes) {
    if (entry->file.equality_ids.empty()) {
      return base::CorruptData("equality delete file has no equality_ids: ", entry->file.file_path);
    }
    AddEqualityDeletes(entry);
    return arrow::Status::OK();
  }
  if (entry->file.file_format == "PUFFIN") return AddDeletionVector(entry);
  AddPositionDeletes(entry);
  return arrow::Status::OK();
}

arrow::Status DeleteIndex::AddDeletionVector(const EntryPtr& entry) {
  const DataFile& file = entry->file;
  // Spec(iceberg v3, "Data File Fields"): the three are required for deletion vectors.
  const char* missing = !file.referenced_data_file    ? "referenced_data_file"
                        : !file.content_offset        ? "content_offset"
                        : !file.content_size_in_bytes ? "content_size_in_bytes"
                                                      : nullptr;
  if (missing != nullptr) return base::CorruptData("deletion vector without ", missing, " in Puffin file ", file.file_path);
  const auto [at, inserted] = vector_by_path_.emplace(*file.referenced_data_file, entry);
  if (!inserted) {
    return base::CorruptData("two deletion vectors for one data file ", *file.referenced_data_file, ": ", at->second->file.file_path,
                             " and ", file.file_path);
  }
  return arrow::Status::OK();
}

void DeleteIndex::AddPositionDeletes(const EntryPtr& entry) {
  const PathScope scope = PathScopeOf(entry->file);
  if (scope.path.empty()) {
    position_by_partition_[PartitionKey(entry->file.spec_id, entry->file.partition)].push_back(entry);
    return;
  }
  position_by_path_[scope.path].push_back(entry);
  if (scope.may_be_prefix) path_lengths_.insert(scope.path.size());
}

void DeleteIndex::AddEqualityDeletes(const EntryPtr& entry) {
  const DataFile& file = entry->file;
  const iceberg::PartitionSpec* spec = metadata_->FindSpec(file.spec_id);
  const bool scoped = spec == nullptr || !IsUnpartitioned(*spec);
  EqualityEntries& entries = scoped ? equality_by_partition_[PartitionKey(file.spec_id, file.partition)] : global_equality_;
  entries.push_back({entry, KeyOf(file.equality_ids), KeyBounds(file, file.equality_ids, *metadata_)});
}

size_t DeleteIndex::KeyOf(const std::vector<iceberg::FieldId>& ids) {
  const auto found = std::find(keys_.begin(), keys_.end(), ids);
  if (found != keys_.end()) return static_cast<size_t>(found - keys_.begin());
  keys_.push_back(ids);
  return keys_.size() - 1;
}

arrow::Result<ScanTask> DeleteIndex::TaskFor(EntryPtr data) const {
  ScanTask task{.data = std::move(data)};
  const ManifestEntry& entry = *task.data;
  std::optional<PartitionKey> partition;  // only where some delete has one
  if (!position_by_partition_.empty() || !equality_by_partition_.empty()) partition.emplace(entry.file.spec_id, entry.file.partition);
  const PartitionKey* const key = partition ? &*partition : nullptr;
  const auto vector = vector_by_path_.find(entry.file.file_path);
  if (vector == vector_by_path_.end()) {
    AddPositionDeletesOf(entry, key, &task);
  } else {
    task.deletion_vector = vector->second;
    // It names this very file, so it cannot be meant for older data: nobody can tell which rows are alive.
    if (SequenceOf(vector->second) < SequenceOf(task.data)) {
      return base::CorruptData("deletion vector older than its data file ", entry.file.file_path, ": sequence number ",
                               SequenceOf(vector->second), " in Puffin file ", vector->second->file.file_path, ", data ", SequenceOf(task.data));
    }
  }
  AddEqualityDeletesOf(entry, key, &task);
  return task;
}

void DeleteIndex::AddPositionDeletesOf(const ManifestEntry& data, const PartitionKey* partition, ScanTask* task) const {
  const std::string_view path = data.file.file_path;
  const auto add = [&](const Entries& entries, bool check_bounds) {
    const auto first = std::lower_bound(entries.begin(), entries.end(), *data.data_sequence_number,
                                        [](const EntryPtr& entry, int64_t sequence) { return SequenceOf(entry) < sequence; });
    for (auto it = first; it != entries.end(); ++it) {
      if (!check_bounds || PathBoundsAllow((*it)->file, data.file.file_path)) task->position_deletes.push_back(*it);
    }
  };
  if (const auto exact = position_by_path_.find(path); exact != position_by_path_.end()) add(exact->second, false);
  for (const size_t length : path_lengths_) {
    if (length >= path.size()) break;
    const auto prefix = position_by_path_.find(path.substr(0, length));
    if (prefix != position_by_path_.end()) add(prefix->second, false);
  }
  if (partition == nullptr) return;
  if (const auto scoped = position_by_partition_.find(*partition); scoped != position_by_partition_.end()) add(scoped->second, true);
}

void DeleteIndex::AddEqualityDeletesOf(const ManifestEntry& data, const PartitionKey* partition, ScanTask* task) const {
  std::vector<std::optional<KeyBounds>> bounds(keys_.size());  // of the data file, by key
  const auto add = [&](const EqualityEntries& entries) {
    // Equality deletes apply to strictly older data only.
    const auto first = std::upper_bound(entries.begin(), entries.end(), *data.data_sequence_number,
                                        [](int64_t sequence, const EqualityEntry& each) { return sequence < SequenceOf(each.entry); });
    for (auto it = first; it != entries.end(); ++it) {
      std::optional<KeyBounds>& of_data = bounds[it->key];
      if (!of_data) of_data.emplace(data.file, keys_[it->key], *metadata_);
      if (of_data->MightMeet(it->bounds)) task->equality_deletes.push_back(it->entry);
    }
  };
  add(global_equality_);
  if (partition == nullptr) return;
  if (const auto scoped = equality_by_partition_.find(*partition); scoped != equality_by_partition_.end()) add(scoped->second);
}

}  // namespace vecruntime::planning
