// SPDX-License-Identifier: Apache-2.0
#include "vecruntime/deletes/delete_loader.h"

#include <arrow/array.h>
#include <arrow/buffer.h>
#include <arrow/io/interfaces.h>
#include <arrow/result.h>
#include <arrow/util/byte_size.h>

#include <algorithm>
#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <unordered_map>
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

// A Puffin file, opened and its footer read once for all deletion vectors in it that are not remembered.
struct PuffinJob {
  std::string path;
  std::vector<size_t> tasks;
  io::IdentifiedFile opened;
  std::vector<iceberg::PuffinBlob> blobs;  // ascending by offset
};

struct PositionJob {
  EntryPtr entry;
  io::FileIdentity identity;
  bool wanted = false;  // by a data file whose deleted rows are not remembered
  std::shared_ptr<const PositionDeletes> deletes;
  base::Reservation memory;
};

// Equality deletes of one field-id set in one scope.
struct EqualityGroup {
  std::shared_ptr<const std::vector<KeyField>> keys;
  std::vector<std::shared_ptr<arrow::DataType>> types;
  std::vector<size_t> jobs;
  std::shared_ptr<const EqualityDeleteSet> set;
};

struct EqualityJob {
  EntryPtr entry;
  EqualityGroup* group;
  io::FileIdentity identity;
  std::vector<DeletedKeys> parts;
  base::Reservation memory;  // what the parts take
};

class Loader {
 public:
  Loader(const io::FileIO& file_io, const std::vector<ScanTask>& tasks, std::shared_ptr<const iceberg::TableMetadata> metadata,
         const LoadOptions& options)
      : file_io_(file_io), tasks_(tasks), metadata_(std::move(metadata)), options_(options), result_(tasks.size()), work_(tasks.size()) {}

  // First every file is read, then what the files say is put together by data file and by group.
  arrow::Result<std::vector<TaskDeletes>> Load() {
    for (size_t i = 0; i < tasks_.size(); ++i) ARROW_RETURN_NOT_OK(AddJobsOf(i));
    ARROW_RETURN_NOT_OK(RecallSets());
    ARROW_RETURN_NOT_OK(RecallPositions());
    std::vector<std::function<arrow::Status()>> jobs;
    for (EqualityJob& job : equality_jobs_) {
      if (job.group->set == nullptr) jobs.push_back([this, &job] { return ReadEquality(&job); });
    }
    for (PuffinJob& job : puffin_jobs_) jobs.push_back([this, &job] { return OpenPuffin(&job); });
    for (PositionJob& job : position_jobs_) {
      if (job.wanted) jobs.push_back([this, &job] { return ReadPositions(&job); });
    }
    ARROW_RETURN_NOT_OK(Run(jobs));
    jobs.clear();
    for (EqualityGroup* group : groups_in_order_) {
      if (group->set == nullptr) jobs.push_back([this, group] { return BuildSet(group); });
    }
    for (size_t task = 0; task < tasks_.size(); ++task) {
      if (tasks_[task].deletion_vector != nullptr && result_[task].positions == nullptr) jobs.push_back([this, task] { return ReadDeletionVector(task); });
      if (!work_[task].position_jobs.empty() && !work_[task].recalled) jobs.push_back([this, task] { return CombinePositions(task); });
    }
    ARROW_RETURN_NOT_OK(Run(jobs));
    for (size_t task = 0; task < tasks_.size(); ++task) {
      for (const EqualityGroup* group : work_[task].groups) result_[task].equality.push_back({group->set, group->keys});
    }
    return std::move(result_);
  }

 private:
  arrow::Status Run(const std::vector<std::function<arrow::Status()>>& jobs) const {
    return base::ParallelFor(static_cast<int64_t>(jobs.size()), options_.workers, [&](int64_t job, int) {
      if (options_.cancel != nullptr) ARROW_RETURN_NOT_OK(options_.cancel->Check());
      return jobs[static_cast<size_t>(job)]();
    });
  }

  arrow::Status AddJobsOf(size_t task) {
    const ScanTask& work = tasks_[task];
    if (work.deletion_vector != nullptr) {
      const std::string& path = work.deletion_vector->file.file_path;
      const auto [at, inserted] = puffin_job_of_.try_emplace(path, puffin_jobs_.size());
      if (inserted) puffin_jobs_.push_back({.path = path, .tasks = {}, .opened = {}, .blobs = {}});
      puffin_jobs_[at->second].tasks.push_back(task);
      work_[task].puffin_job = at->second;
    }
    for (const EntryPtr& entry : work.position_deletes) {
      const auto [at, inserted] = position_job_of_.try_emplace(entry.get(), position_jobs_.size());
      if (inserted) position_jobs_.push_back({.entry = entry, .identity = {}, .deletes = nullptr, .memory = options_.budget->Open("position deletes")});
      work_[task].position_jobs.push_back(at->second);
    }
    std::vector<EqualityGroup*>& groups = work_[task].groups;
    for (const EntryPtr& entry : work.equality_deletes) {
      const auto [at, inserted] = group_of_entry_.try_emplace(entry.get(), nullptr);
      if (inserted) {
        ARROW_ASSIGN_OR_RAISE(at->second, GroupOf(*entry));
        at->second->jobs.push_back(equality_jobs_.size());
        equality_jobs_.push_back({entry, at->second, {}, {}, options_.budget->Open("equality deletes")});
      }
      if (std::find(groups.begin(), groups.end(), at->second) == groups.end()) groups.push_back(at->second);
    }
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
      groups_in_order_.push_back(group.get());
      auto keys = std::make_shared<std::vector<KeyField>>();
      for (const FieldId id : ids) {
        auto key = ResolveKeyField(*metadata_, id);
        if (!key.ok()) return base::WithContext(key.status(), "equality delete file " + entry.file.file_path);
        ARROW_ASSIGN_OR_RAISE(group->types.emplace_back(), metadata_->FindFieldEverywhere(id)->type->ToArrow());
        keys->push_back(*std::move(key));
      }
      group->keys = std::move(keys);
    }
    return group.get();
  }

  arrow::Status OpenPuffin(PuffinJob* job) {
    if (file_io_.cache() != nullptr) {
      ARROW_ASSIGN_OR_RAISE(const io::FileIdentity identity, file_io_.Identify(job->path));
      bool all = true;
      for (const size_t task : job->tasks) {
        const auto rows = file_io_.Recall<DeletedRows>(identity, VariantOf(*tasks_[task].deletion_vector));
        if (rows != nullptr) ARROW_RETURN_NOT_OK(SetPositions(rows, task));
        all &= rows != nullptr;
      }
      if (all) return arrow::Status::OK();
    }
    ARROW_ASSIGN_OR_RAISE(job->opened, file_io_.OpenIdentified(job->path));
    ARROW_ASSIGN_OR_RAISE(iceberg::PuffinFooter footer, iceberg::ReadPuffinFooter(job->opened.file.get(), job->path));
    job->blobs = std::move(footer.blobs);
    std::stable_sort(job->blobs.begin(), job->blobs.end(), [](const auto& a, const auto& b) { return a.offset < b.offset; });
    return arrow::Status::OK();
  }

  arrow::Status ReadDeletionVector(size_t task) {
    const iceberg::ManifestEntry& entry = *tasks_[task].deletion_vector;
    const PuffinJob& job = puffin_jobs_[work_[task].puffin_job];
    ARROW_RETURN_NOT_OK(CheckBlob(job.blobs, entry));
    const int64_t offset = *entry.file.content_offset;
    ARROW_ASSIGN_OR_RAISE(auto bytes, job.opened.file->ReadAt(offset, *entry.file.content_size_in_bytes));
    ARROW_ASSIGN_OR_RAISE(DeletedRows decoded, DecodeDeletionVector(std::string_view(*bytes), entry.file.record_count, job.path, offset));
    const auto rows = std::make_shared<const DeletedRows>(std::move(decoded));
    ARROW_RETURN_NOT_OK(SetPositions(rows, task));
    file_io_.Remember<DeletedRows>(job.opened.identity, VariantOf(entry), {rows, rows->size_bytes()});
    return arrow::Status::OK();
  }

  // Everything of the entry that the blob was checked against.
  static std::string VariantOf(const iceberg::ManifestEntry& entry) {
    const iceberg::DataFile& file = entry.file;
    return "deletion vector " + std::to_string(*file.content_offset) + ' ' + std::to_string(*file.content_size_in_bytes) + ' ' +
           std::to_string(file.record_count) + ' ' + *file.referenced_data_file;
  }

  // The manifest's coordinates must be those of a deletion-vector blob, and the blob must be for the same data file.
  static arrow::Status CheckBlob(const std::vector<iceberg::PuffinBlob>& blobs, const iceberg::ManifestEntry& entry) {
    const iceberg::DataFile& file = entry.file;
    auto blob = std::partition_point(blobs.begin(), blobs.end(),
                                     [&](const auto& candidate) { return candidate.offset < *file.content_offset; });
    while (blob != blobs.end() && blob->offset == *file.content_offset && blob->length != *file.content_size_in_bytes) ++blob;
    if (blob == blobs.end() || blob->offset != *file.content_offset || blob->type != "deletion-vector-v1") {
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

  // What several position-delete files together delete of a data file is remembered, too.
  arrow::Status RecallPositions() {
    if (file_io_.cache() != nullptr) {
      ARROW_RETURN_NOT_OK(base::ParallelFor(static_cast<int64_t>(position_jobs_.size()), options_.workers, [&](int64_t i, int) {
        PositionJob& job = position_jobs_[static_cast<size_t>(i)];
        return file_io_.Identify(job.entry->file.file_path).Value(&job.identity);
      }));
    }
    for (size_t task = 0; task < tasks_.size(); ++task) {
      const std::vector<size_t>& jobs = work_[task].position_jobs;
      if (file_io_.cache() != nullptr && jobs.size() > 1) {
        const auto rows = file_io_.Recall<DeletedRows>(IdentityOf(jobs), VariantOf(tasks_[task]));
        if (rows != nullptr) {
          work_[task].recalled = true;
          if (rows->cardinality() > 0) ARROW_RETURN_NOT_OK(SetPositions(rows, task));
          continue;
        }
      }
      for (const size_t job : jobs) position_jobs_[job].wanted = true;
    }
    return arrow::Status::OK();
  }

  io::FileIdentity IdentityOf(const std::vector<size_t>& position_jobs) const {
    std::vector<io::FileIdentity> files;
    for (const size_t job : position_jobs) files.push_back(position_jobs_[job].identity);
    return Together(files);
  }
  static std::string VariantOf(const ScanTask& task) { return "position deletes of " + task.data->file.file_path; }

  arrow::Status ReadPositions(PositionJob* job) {
    static const std::string kVariant = "position deletes";
    const std::string& path = job->entry->file.file_path;
    if (file_io_.cache() != nullptr) {
      job->deletes = file_io_.Recall<PositionDeletes>(job->identity, kVariant);
      if (job->deletes != nullptr) return arrow::Status::OK();
    }
    ARROW_ASSIGN_OR_RAISE(const io::IdentifiedFile opened, file_io_.OpenIdentified(path));
    ARROW_ASSIGN_OR_RAISE(PositionDeletes deletes, ReadPositionDeletes(opened.file, path, options_.pool, &job->memory));
    job->identity = opened.identity;
    job->deletes = std::make_shared<const PositionDeletes>(std::move(deletes));
    file_io_.Remember<PositionDeletes>(opened.identity, kVariant, {job->deletes, job->memory.bytes()});
    return arrow::Status::OK();
  }

  // Which of the groups' sets are remembered: those made of the same files, with the same sequence numbers, read in the same way.
  arrow::Status RecallSets() {
    if (file_io_.cache() == nullptr) return arrow::Status::OK();
    ARROW_RETURN_NOT_OK(base::ParallelFor(static_cast<int64_t>(equality_jobs_.size()), options_.workers, [&](int64_t i, int) {
      EqualityJob& job = equality_jobs_[static_cast<size_t>(i)];
      return file_io_.Identify(job.entry->file.file_path).Value(&job.identity);
    }));
    for (EqualityGroup* group : groups_in_order_) {
      auto set = file_io_.Recall<EqualityDeleteSet>(IdentityOf(*group), VariantOf(*group));
      if (set == nullptr) continue;
      auto memory = options_.budget->Open("equality deletes");
      ARROW_RETURN_NOT_OK(memory.Resize(set->size_bytes()));
      group->set = Reserved(std::move(set), std::move(memory));
    }
    return arrow::Status::OK();
  }

  io::FileIdentity IdentityOf(const EqualityGroup& group) const {
    std::vector<io::FileIdentity> files;
    for (const size_t job : group.jobs) files.push_back(equality_jobs_[job].identity);
    return Together(files);
  }
  std::string VariantOf(const EqualityGroup& group) const {
    std::string variant = "equality deletes";
    for (const size_t job : group.jobs) variant += ' ' + std::to_string(*equality_jobs_[job].entry->data_sequence_number);
    for (const KeyField& key : *group.keys) variant += '\n' + std::to_string(key.id) + ' ' + key.column.type->ToString();
    return variant + '\n' + iceberg::TextOf(metadata_->name_mapping);
  }

  // The set, with its bytes reserved as long as the query holds it.
  static std::shared_ptr<const EqualityDeleteSet> Reserved(std::shared_ptr<const EqualityDeleteSet> set, base::Reservation memory) {
    using Held = std::pair<base::Reservation, std::shared_ptr<const EqualityDeleteSet>>;
    const auto held = std::make_shared<const Held>(std::move(memory), std::move(set));
    return {held, held->second.get()};
  }

  arrow::Status ReadEquality(EqualityJob* job) {
    const std::string& path = job->entry->file.file_path;
    ARROW_ASSIGN_OR_RAISE(io::IdentifiedFile file, file_io_.OpenIdentified(path));
    job->identity = file.identity;
    ARROW_ASSIGN_OR_RAISE(auto opened, parquet::ParquetFile::Open(file_io_, std::move(file), path, metadata_->name_mapping));
    std::vector<std::unique_ptr<parquet::ColumnReader>> readers;
    for (const KeyField& key : *job->group->keys) {
      if (!opened->HasField(key.id)) {
        return base::CorruptData("equality delete file lacks its key column: field id ", key.id, ", file ", path);
      }
      ARROW_ASSIGN_OR_RAISE(readers.emplace_back(), parquet::ColumnReader::Make(opened, key.column, options_.pool));
    }
    for (const base::FileRowRange& group : opened->row_groups()) {
      for (base::FileRow begin = group.begin; begin < group.end; begin = begin + kRowsPerRead) {
        const auto rows = columnar::Selection::All(std::min(kRowsPerRead, group.end - begin), begin);
        DeletedKeys part{.columns = {}, .sequence = *job->entry->data_sequence_number};
        int64_t bytes = 0;
        for (size_t i = 0; i < readers.size(); ++i) {
          ARROW_ASSIGN_OR_RAISE(auto column, readers[i]->Read(rows));
          ARROW_ASSIGN_OR_RAISE(part.columns.emplace_back(), ExtractKey((*job->group->keys)[i], std::move(column), options_.pool));
          bytes += arrow::util::TotalBufferSize(*part.columns.back());
        }
        ARROW_RETURN_NOT_OK(job->memory.Resize(job->memory.bytes() + bytes));
        job->parts.push_back(std::move(part));
      }
    }
    return arrow::Status::OK();
  }

  arrow::Status BuildSet(EqualityGroup* group) {
    std::vector<DeletedKeys> parts;
    for (const size_t job : group->jobs) {
      for (DeletedKeys& part : equality_jobs_[job].parts) parts.push_back(std::move(part));
    }
    auto memory = options_.budget->Open("equality deletes");
    ARROW_ASSIGN_OR_RAISE(auto set, EqualityDeleteSet::Build(group->types, parts, &memory));
    parts.clear();
    for (const size_t job : group->jobs) ARROW_RETURN_NOT_OK(equality_jobs_[job].memory.Resize(0));
    file_io_.Remember<EqualityDeleteSet>(IdentityOf(*group), VariantOf(*group), {set, set->size_bytes()});
    group->set = Reserved(std::move(set), std::move(memory));
    return arrow::Status::OK();
  }

  // Only files that planning gave to the task count, whatever else names its data file.
  arrow::Status CombinePositions(size_t task) {
    const std::vector<size_t>& jobs = work_[task].position_jobs;
    std::vector<const DeletedRows*> parts;
    for (const size_t job : jobs) {
      const auto found = position_jobs_[job].deletes->find(tasks_[task].data->file.file_path);
      if (found != position_jobs_[job].deletes->end()) parts.push_back(&found->second);
    }
    if (jobs.size() == 1) {
      return parts.empty() ? arrow::Status::OK() : SetPositions({position_jobs_[jobs[0]].deletes, parts[0]}, task);
    }
    const auto rows = std::make_shared<const DeletedRows>(DeletedRows::Union(parts));
    file_io_.Remember<DeletedRows>(IdentityOf(jobs), VariantOf(tasks_[task]), {rows, rows->size_bytes()});
    return rows->cardinality() == 0 ? arrow::Status::OK() : SetPositions(rows, task);
  }

  arrow::Status SetPositions(std::shared_ptr<const DeletedRows> rows, size_t task) {
    TaskDeletes& deletes = result_[task];
    deletes.reservation = options_.budget->Open("deleted positions");
    ARROW_RETURN_NOT_OK(deletes.reservation.Resize(rows->size_bytes()));
    deletes.positions = std::move(rows);
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
  // What belongs to one task; indexes into the jobs below.
  struct TaskWork {
    size_t puffin_job = 0;
    std::vector<size_t> position_jobs;
    bool recalled = false;  // what they delete
    std::vector<EqualityGroup*> groups;
  };
  std::vector<TaskWork> work_;
  std::unordered_map<std::string_view, size_t> puffin_job_of_;
  std::vector<PuffinJob> puffin_jobs_;
  std::unordered_map<const iceberg::ManifestEntry*, size_t> position_job_of_;
  std::vector<PositionJob> position_jobs_;
  std::map<std::vector<FieldId>, GroupsByScope> groups_;
  std::vector<EqualityGroup*> groups_in_order_;
  std::unordered_map<const iceberg::ManifestEntry*, EqualityGroup*> group_of_entry_;
  std::vector<EqualityJob> equality_jobs_;
};

}  // namespace

arrow::Result<std::vector<TaskDeletes>> LoadDeletes(const io::FileIO& file_io, const std::vector<planning::ScanTask>& tasks,
                                                    std::shared_ptr<const iceberg::TableMetadata> metadata, const LoadOptions& options) {
  return Loader(file_io, tasks, std::move(metadata), options).Load();
}

}  // namespace vecruntime::deletes
