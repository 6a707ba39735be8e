// SPDX-License-Identifier: Apache-2.0
#include "vecruntime/planning/table_planner.h"

#include <arrow/result.h>

#include <algorithm>
#include <unordered_set>
#include <utility>

#include "vecruntime/base/error.h"
#include "vecruntime/iceberg/metadata_columns.h"
#include "vecruntime/planning/delete_index.h"
#include "vecruntime/planning/file_pruner.h"
#include "vecruntime/planning/manifest_reader.h"

namespace vecruntime::planning {
namespace {

using iceberg::ManifestEntry;
using iceberg::ManifestFile;

// Splits entries by what they are, whatever the manifest list says of the manifest: a delete file is never read as data.
void SplitByContent(std::vector<EntryPtr> entries, std::vector<EntryPtr>* data, std::vector<EntryPtr>* deletes) {
  for (EntryPtr& entry : entries) {
    auto* target = entry->file.content == iceberg::FileContent::kData ? data : deletes;
    target->push_back(std::move(entry));
  }
}

arrow::Status CheckDataFile(const iceberg::DataFile& file) {
  if (file.file_format == "PARQUET") return arrow::Status::OK();
  return base::Unsupported("data files in format ", file.file_format, " cannot be read: ", file.file_path);
}

// Counts each delete file of the tasks once.
void CountDeletes(const std::vector<ScanTask>& tasks, int64_t live_deletes, PlanCounts* counts) {
  std::unordered_set<const ManifestEntry*> seen;
  const auto count = [&](const EntryPtr& entry, int64_t* counter) {
    if (entry != nullptr && seen.insert(entry.get()).second) ++*counter;
  };
  for (const ScanTask& task : tasks) {
    count(task.deletion_vector, &counts->deletion_vectors);
    for (const EntryPtr& entry : task.position_deletes) count(entry, &counts->position_delete_files);
    for (const EntryPtr& entry : task.equality_deletes) count(entry, &counts->equality_delete_files);
  }
  counts->delete_files_skipped = live_deletes - static_cast<int64_t>(seen.size());
}

class Planner {
 public:
  Planner(const io::FileIO& file_io, std::shared_ptr<const iceberg::TableMetadata> metadata, const iceberg::Predicate& predicate,
          const PlannerOptions& options)
      : file_io_(file_io), metadata_(std::move(metadata)), predicate_(predicate), options_(options), pruner_(*metadata_, predicate_) {}

  arrow::Result<ScanPlan> Plan(const iceberg::Snapshot& snapshot) {
    ARROW_ASSIGN_OR_RAISE(const auto manifests, ReadManifests(file_io_, snapshot));
    ChooseManifests(*manifests);
    const ManifestReader reader(file_io_, *metadata_);
    // Delete manifests first: the key fields of equality deletes are then known, and data manifests keep their metrics.
    std::vector<EntryPtr> data, deletes;
    ARROW_ASSIGN_OR_RAISE(auto delete_entries, reader.Read(delete_manifests_, std::nullopt, options_.workers));
    SplitByContent(std::move(delete_entries), &data, &deletes);
    ARROW_ASSIGN_OR_RAISE(auto data_entries, reader.Read(data_manifests_, MetricsNeeded(deletes), options_.workers));
    SplitByContent(std::move(data_entries), &data, &deletes);
    const int64_t live_deletes = static_cast<int64_t>(deletes.size());
    ARROW_ASSIGN_OR_RAISE(const DeleteIndex index, DeleteIndex::Make(std::move(deletes), metadata_));
    for (EntryPtr& entry : data) ARROW_RETURN_NOT_OK(AddTask(std::move(entry), index));
    CountDeletes(plan_.tasks, live_deletes, &plan_.counts);
    return std::move(plan_);
  }

 private:
  void ChooseManifests(const std::vector<ManifestFile>& manifests) {
    for (const ManifestFile& manifest : manifests) {
      if (manifest.content == iceberg::ManifestContent::kDeletes) {
        ++plan_.counts.delete_manifests;
        delete_manifests_.push_back(manifest);
        continue;
      }
      ++plan_.counts.data_manifests;
      const bool skip = options_.pruning && !pruner_.ManifestMightMatch(manifest);
      if (skip) {
        ++plan_.counts.data_manifests_skipped;
      } else {
        data_manifests_.push_back(manifest);
      }
    }
  }

  std::vector<iceberg::FieldId> MetricsNeeded(const std::vector<EntryPtr>& deletes) const {
    std::vector<iceberg::FieldId> fields = FieldsOf(predicate_);
    if (options_.proof != nullptr) {
      const auto proving = FieldsOf(*options_.proof);
      fields.insert(fields.end(), proving.begin(), proving.end());
    }
    fields.insert(fields.end(), options_.metrics_for.begin(), options_.metrics_for.end());
    for (const EntryPtr& entry : deletes) {
      fields.insert(fields.end(), entry->file.equality_ids.begin(), entry->file.equality_ids.end());
    }
    // A data manifest may list position deletes against the rules; their path bounds are then needed too.
    fields.push_back(iceberg::kDeleteFilePathId);
    std::sort(fields.begin(), fields.end());
    fields.erase(std::unique(fields.begin(), fields.end()), fields.end());
    return fields;
  }

  arrow::Status AddTask(EntryPtr entry, const DeleteIndex& index) {
    ++plan_.counts.data_files;
    if (options_.pruning && !pruner_.PartitionMightMatch(entry->file)) {
      ++plan_.counts.data_files_skipped_by_partition;
      return arrow::Status::OK();
    }
    if (options_.pruning && !pruner_.MetricsMightMatch(entry->file)) {
      ++plan_.counts.data_files_skipped_by_statistics;
      return arrow::Status::OK();
    }
    ARROW_RETURN_NOT_OK(CheckDataFile(entry->file));
    plan_.counts.data_bytes += entry->file.file_size_in_bytes;
    plan_.counts.data_rows += entry->file.record_count;
    ARROW_ASSIGN_OR_RAISE(ScanTask task, index.TaskFor(std::move(entry)));
    task.all_match = options_.proof != nullptr && AllRowsMatch(*options_.proof, task.data->file, *metadata_);
    plan_.tasks.push_back(std::move(task));
    return arrow::Status::OK();
  }

  const io::FileIO& file_io_;
  const std::shared_ptr<const iceberg::TableMetadata> metadata_;
  const iceberg::Predicate& predicate_;
  const PlannerOptions options_;
  const FilePruner pruner_;
  std::vector<ManifestFile> data_manifests_;
  std::vector<ManifestFile> delete_manifests_;
  ScanPlan plan_;
};

}  // namespace

arrow::Result<ScanPlan> PlanScan(const io::FileIO& file_io, std::shared_ptr<const iceberg::TableMetadata> metadata,
                                 const iceberg::Snapshot* snapshot, const iceberg::Predicate& predicate, const PlannerOptions& options) {
  if (snapshot == nullptr) return ScanPlan{};
  return Planner(file_io, std::move(metadata), predicate, options).Plan(*snapshot);
}

}  // namespace vecruntime::planning
