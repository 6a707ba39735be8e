// SPDX-License-Identifier: Apache-2.0
#include "vecruntime/deletes/delete_loader.h"

#include <arrow/array.h>
#include <arrow/buffer.h>
#include <arrow/io/interfaces.h>
#include <arrow/result.h>

#include <algorithm>
#include <functional>
#include <map>
#include <mutex>
#include <optional>
#include <string>
#include <unordered_map>
#include <unordered_set>
#include <utility>

#include "vecruntime/base/error.h"
#include "vecruntime/deletes/deletion_vector.h"
#include "vecruntime/deletes/position_delete_file.h"
#include "vecruntime/iceberg/puffin.h"
#include "vecruntime/parquet/column_reader.h"
#include "vecruntime/planning/delete_index.h"

namespace vecruntime::deletes {
namespace {

using iceberg::FieldId;
using planning::EntryPtr;
using planning::PartitionKey;
using planning::ScanTask;

constexpr int64_t kRowsPerRead = 1 << 16;

// Deletion vectors that lie in one Puffin file; the file is opened and its footer read once.
struct PuffinJob {
  std::string path;
  std::vector<std::pair<EntryPtr, size_t>> vectors;  // entry, task index
};

// A position-delete file and the data files of the tasks that it may name.
struct PositionJob {
  EntryPtr entry;
  std::unordered_set<std::string> wanted;
  PositionsByPath positions;
  base::Reservation reservation;
};

// Equality deletes of one field-id set in one scope.
struct EqualityGroup {
  std::shared_ptr<const std::vector<KeyField>> keys;
  std::shared_ptr<EqualityDeleteSet> set;
  std::mutex mutex;
};

struct EqualityJob {
  EntryPtr entry;
  EqualityGroup* group;
};

class Loader {
 public:
  Loader(const io::FileIO& file_io, const std::vector<ScanTask>& tasks, std::shared_ptr<const iceberg::TableMetadata> metadata,
         const LoadOptions& options)
      : file_io_(file_io), tasks_(tasks), metadata_(std::move(metadata)), options_(options), result_(tasks.size()) {}

  arrow::Result<std::vector<TaskDeletes>> Load() {
    for (size_t i = 0; i < tasks_.size(); ++i) ARROW_RETURN_NOT_OK(AddJobsOf(i));
    std::vector<std::function<arrow::Status()>> jobs;
    for (PuffinJob& job : puffin_jobs_) jobs.push_back([this, &job] { return RunPuffin(job); });
    for (PositionJob& job : position_jobs_) jobs.push_back([this, &job] { return RunPosition(&job); });
    for (EqualityJob& job : equality_jobs_) jobs.push_back([this, &job] { return RunEquality(job); });
    ARROW_RETURN_NOT_OK(base::ParallelFor(static_cast<int64_t>(jobs.size()), options_.workers, [&](int64_t job, int) {
      if (options_.cancel != nullptr) ARROW_RETURN_NOT_OK(options_.cancel->Check());
      return jobs[static_cast<size_t>(job)]();
    }));
    ARROW_RETURN_NOT_OK(CombinePositions());
    return std::move(result_);
  }

 private:
  arrow::Status AddJobsOf(size_t task) {
    const ScanTask& work = tasks_[task];
    if (work.deletion_vector != nullptr) {
      const auto [at, inserted] = puffin_job_of_.emplace(work.deletion_vector->file.file_path, puffin_jobs_.size());
      if (inserted) puffin_jobs_.push_back({.path = work.deletion_vector->file.file_path, .vectors = {}});
      puffin_jobs_[at->second].vectors.emplace_back(work.deletion_vector, task);
    }
    for (const EntryPtr& entry : work.position_deletes) {
      const auto [at, inserted] = position_job_of_.emplace(entry.get(), position_jobs_.size());
      if (inserted) position_jobs_.push_back({.entry = entry, .wanted = {}, .positions = {}, .reservation = {}});
      position_jobs_[at->second].wanted.insert(work.data->file.file_path);
    }
    std::vector<EqualityGroup*> groups;
    for (const EntryPtr& entry : work.equality_deletes) {
      ARROW_ASSIGN_OR_RAISE(EqualityGroup* const group, GroupOf(*entry));
      if (seen_equality_.insert(entry.get()).second) equality_jobs_.push_back({entry, group});
      if (std::find(groups.begin(), groups.end(), group) == groups.end()) groups.push_back(group);
    }
    for (EqualityGroup* group : groups) result_[task].equality.push_back({group->set, group->keys});
    return arrow::Status::OK();
  }

  arrow::Result<EqualityGroup*> GroupOf(const iceberg::ManifestEntry& entry) {
    std::vector<FieldId> ids = entry.file.equality_ids;
    std::sort(ids.begin(), ids.end());
    ids.erase(std::unique(ids.begin(), ids.end()), ids.end());
    const iceberg::PartitionSpec* spec = metadata_->FindSpec(entry.file.spec_id);
    const bool global = spec != nullptr && planning::IsUnpartitioned(*spec);
    auto& by_scope = groups_[ids];
    auto& group = global ? by_scope.global : by_scope.by_partition[PartitionKey(entry.file.spec_id, entry.file.partition)];
    if (group == nullptr) {
      group = std::make_unique<EqualityGroup>();
      auto keys = std::make_shared<std::vector<KeyField>>();
      std::vector<std::shared_ptr<arrow::DataType>> types;
      for (const FieldId id : ids) {
        auto key = ResolveKeyField(*metadata_, id);
        if (!key.ok()) return base::WithContext(key.status(), "equality delete file " + entry.file.file_path);
        ARROW_ASSIGN_OR_RAISE(types.emplace_back(), metadata_->FindFieldEverywhere(id)->type->ToArrow());
        keys->push_back(*std::move(key));
      }
      group->keys = std::move(keys);
      group->set = EqualityDeleteSet::Make(types, options_.budget->Open("equality deletes"));
    }
    return group.get();
  }

  arrow::Status RunPuffin(const PuffinJob& job) {
    ARROW_ASSIGN_OR_RAISE(auto file, file_io_.Open(job.path));
    ARROW_ASSIGN_OR_RAISE(const iceberg::PuffinFooter footer, iceberg::ReadPuffinFooter(file.get(), job.path));
    for (const auto& [entry, task] : job.vectors) {
      const int64_t offset = *entry->file.content_offset;
      const int64_t size = *entry->file.content_size_in_bytes;
      ARROW_RETURN_NOT_OK(CheckBlob(footer, *entry));
      ARROW_ASSIGN_OR_RAISE(auto bytes, file->ReadAt(offset, size));
      ARROW_ASSIGN_OR_RAISE(DeletedRows rows,
                            DecodeDeletionVector(std::string_view(*bytes), entry->file.record_count, job.path, offset));
      ARROW_RETURN_NOT_OK(SetPositions(std::move(rows), &result_[task]));
    }
    return arrow::Status::OK();
  }

  // The manifest's coordinates must be those of a deletion-vector blob, and the blob must be for the same data file.
  static arrow::Status CheckBlob(const iceberg::PuffinFooter& footer, const iceberg::ManifestEntry& entry) {
    const iceberg::DataFile& file = entry.file;
    const auto blob = std::find_if(footer.blobs.begin(), footer.blobs.end(), [&](const auto& candidate) {
      return candidate.offset == *file.content_offset && candidate.length == *file.content_size_in_bytes;
    });
    if (blob == footer.blobs.end() || blob->type != "deletion-vector-v1") {
      return base::CorruptData("no deletion vector of ", *file.content_size_in_bytes, " bytes at byte ", *file.content_offset,
                               " of Puffin file ", file.file_path);
    }
    const auto referenced = blob->properties.find("referenced-data-file");
    if (referenced != blob->properties.end() && referenced->second != *file.referenced_data_file) {
      return base::CorruptData("deletion vector at byte ", blob->offset, " of Puffin file ", file.file_path, " is for data file ",
                               referenced->second, ", the manifest says ", *file.referenced_data_file);
    }
    return arrow::Status::OK();
  }

  arrow::Status RunPosition(PositionJob* job) {
    ARROW_ASSIGN_OR_RAISE(auto file, file_io_.Open(job->entry->file.file_path));
    job->reservation = options_.budget->Open("position deletes");
    ARROW_ASSIGN_OR_RAISE(job->positions, ReadPositionDeletes(std::move(file), job->entry->file.file_path, job->wanted, options_.pool,
                                                              &job->reservation));
    return arrow::Status::OK();
  }

  arrow::Status RunEquality(const EqualityJob& job) {
    const std::string& path = job.entry->file.file_path;
    ARROW_ASSIGN_OR_RAISE(auto opened, parquet::ParquetFile::Open(file_io_, path, metadata_->name_mapping));
    std::vector<std::unique_ptr<parquet::ColumnReader>> readers;
    for (const KeyField& key : *job.group->keys) {
      if (!opened->HasField(key.id)) {
        return base::CorruptData("equality delete file lacks its key column: field id ", key.id, ", file ", path);
      }
      ARROW_ASSIGN_OR_RAISE(readers.emplace_back(), parquet::ColumnReader::Make(opened, key.column, options_.pool));
    }
    for (const base::FileRowRange& group : opened->row_groups()) {
      for (base::FileRow begin = group.begin; begin < group.end; begin = begin + kRowsPerRead) {
        const auto rows = columnar::Selection::All(std::min(kRowsPerRead, group.end - begin), begin);
        std::vector<std::shared_ptr<arrow::Array>> keys;
        for (size_t i = 0; i < readers.size(); ++i) {
          ARROW_ASSIGN_OR_RAISE(auto column, readers[i]->Read(rows));
          ARROW_ASSIGN_OR_RAISE(keys.emplace_back(), ExtractKey((*job.group->keys)[i], std::move(column), options_.pool));
        }
        std::lock_guard<std::mutex> lock(job.group->mutex);
        ARROW_RETURN_NOT_OK(job.group->set->Add(keys, *job.entry->data_sequence_number));
      }
    }
    return arrow::Status::OK();
  }

  arrow::Status SetPositions(DeletedRows rows, TaskDeletes* deletes) const {
    deletes->reservation = options_.budget->Open("deleted positions");
    ARROW_RETURN_NOT_OK(deletes->reservation.Resize(rows.size_bytes()));
    deletes->positions = std::make_shared<const DeletedRows>(std::move(rows));
    return arrow::Status::OK();
  }

  arrow::Status CombinePositions() {
    for (size_t task = 0; task < tasks_.size(); ++task) {
      std::vector<int64_t> positions;
      for (const EntryPtr& entry : tasks_[task].position_deletes) {
        const PositionsByPath& found = position_jobs_[position_job_of_.at(entry.get())].positions;
        const auto of_file = found.find(tasks_[task].data->file.file_path);
        if (of_file != found.end()) positions.insert(positions.end(), of_file->second.begin(), of_file->second.end());
      }
      if (!positions.empty()) {
        ARROW_RETURN_NOT_OK(SetPositions(DeletedRows::FromPositions(std::move(positions)), &result_[task]));
      }
    }
    return arrow::Status::OK();
  }

  struct GroupsByScope {
    std::unique_ptr<EqualityGroup> global;
    std::unordered_map<PartitionKey, std::unique_ptr<EqualityGroup>, planning::PartitionKeyHash> by_partition;
  };

  const io::FileIO& file_io_;
  const std::vector<ScanTask>& tasks_;
  const std::shared_ptr<const iceberg::TableMetadata> metadata_;
  const LoadOptions options_;
  std::vector<TaskDeletes> result_;
  std::unordered_map<std::string, size_t> puffin_job_of_;
  std::vector<PuffinJob> puffin_jobs_;
  std::unordered_map<const iceberg::ManifestEntry*, size_t> position_job_of_;
  std::vector<PositionJob> position_jobs_;
  std::map<std::vector<FieldId>, GroupsByScope> groups_;
  std::unordered_set<const iceberg::ManifestEntry*> seen_equality_;
  std::vector<EqualityJob> equality_jobs_;
};

}  // namespace

arrow::Result<std::vector<TaskDeletes>> LoadDeletes(const io::FileIO& file_io, const std::vector<planning::ScanTask>& tasks,
                                                    std::shared_ptr<const iceberg::TableMetadata> metadata, const LoadOptions& options) {
  return Loader(file_io, tasks, std::move(metadata), options).Load();
}

}  // namespace vecruntime::deletes
