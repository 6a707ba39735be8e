// SPDX-License-Identifier: Apache-2.0
#include "vecruntime/scan/table_scan.h"

#include <arrow/array.h>
#include <arrow/array/util.h>
#include <arrow/buffer.h>
#include <arrow/memory_pool.h>
#include <arrow/result.h>

#include <algorithm>
#include <atomic>
#include <condition_variable>
#include <mutex>
#include <utility>

#include "vecruntime/base/error.h"
#include "vecruntime/base/phase_timer.h"
#include "vecruntime/deletes/delete_loader.h"
#include "vecruntime/deletes/delete_source.h"
#include "vecruntime/parquet/parquet_file.h"
#include "vecruntime/scan/file_columns.h"
#include "vecruntime/scan/file_stand_in.h"
#include "vecruntime/scan/metered_file.h"
#include "vecruntime/scan/ordered_filters.h"
#include "vecruntime/scan/row_pruning.h"

namespace vecruntime::scan {

using base::FileRow;
using base::FileRowRange;
using columnar::Batch;
using columnar::Selection;

// A data file that some worker opened, and its morsels, which all workers take from the front.
struct TableScan::OpenFile {
  size_t task = 0;
  std::shared_ptr<const parquet::ParquetFile> parquet;  // null: the manifest stands in for it
  std::vector<FileRowRange> morsels;
  std::vector<FileRowRange> proven;  // all rows of these pass the filter
  std::atomic<size_t> next_morsel{0};

  std::optional<FileRowRange> Take() {
    const size_t at = next_morsel.fetch_add(1, std::memory_order_relaxed);
    return at < morsels.size() ? std::optional(morsels[at]) : std::nullopt;
  }
  bool FilterIsProven(FileRowRange rows) const {
    return std::any_of(proven.begin(), proven.end(), [&](FileRowRange range) { return range.begin <= rows.begin && rows.end <= range.end; });
  }
};

// What one worker holds of the file it works on.
struct TableScan::WorkerState {
  std::shared_ptr<OpenFile> file;
  FileRowRange rest;  // of the morsel taken last
  std::shared_ptr<OpenFile> started;  // the file that columns and deletes below belong to
  std::unique_ptr<FileColumns> columns;     // null when the manifest stands in for the file
  std::unique_ptr<FileStandIn> stand_in;
  std::vector<std::unique_ptr<deletes::DeleteSource>> deletes;
  std::unique_ptr<OrderedFilters> filters;
};

struct TableScan::Shared {
  explicit Shared(const TableScanOptions& options) : stands_in(options.columns, options.uses, *options.metadata) {}

  const StandInCheck stands_in;
  std::vector<deletes::TaskDeletes> deletes;
  std::vector<WorkerState> workers;

  std::mutex mutex;
  std::condition_variable opened;
  size_t next_task = 0;
  int opening = 0;
  bool failed = false;
  std::vector<std::shared_ptr<OpenFile>> open_files;  // those that may still have morsels
};

namespace {

// A Selection as an Arrow boolean array over its own copy of the words.
arrow::Result<std::shared_ptr<arrow::Array>> ToBooleanArray(const Selection& rows, arrow::MemoryPool* pool) {
  const auto bytes = std::as_bytes(rows.words());
  ARROW_ASSIGN_OR_RAISE(std::shared_ptr<arrow::Buffer> buffer, arrow::AllocateBuffer(static_cast<int64_t>(bytes.size()), pool));
  std::copy(bytes.begin(), bytes.end(), reinterpret_cast<std::byte*>(buffer->mutable_data()));
  return std::make_shared<arrow::BooleanArray>(rows.length(), std::move(buffer));
}

// In place of a column that nobody looks at.
arrow::Result<std::shared_ptr<arrow::Array>> NullColumn(const ScanColumn& column, int64_t length, arrow::MemoryPool* pool) {
  ARROW_ASSIGN_OR_RAISE(const auto type, column.field.type->ToArrow());
  return arrow::MakeArrayOfNull(type, length, pool);
}

// Rows of a file's morsels: a batch, or more where a footer or manifest claims so many rows that this would be too many morsels. Readers take
// batches out of any morsel.
int64_t MorselRows(int64_t file_rows, int64_t batch_rows) {
  constexpr int64_t kMorselsMax = 1 << 16;
  return std::max(batch_rows, file_rows / kMorselsMax);
}

// Cuts `rows` into runs of whole `pages` (none: anywhere), so that no two workers inflate the same one; about morsel_rows rows, or one page
// that has more.
void AddMorsels(FileRowRange rows, const std::vector<FileRow>& pages, int64_t morsel_rows, std::vector<FileRowRange>* morsels) {
  for (FileRow begin = rows.begin; begin < rows.end;) {
    FileRow end = begin + morsel_rows;
    if (pages.size() > 1) {
      const auto after = std::upper_bound(pages.begin(), pages.end(), end);
      if (*(after - 1) > begin) {
        end = *(after - 1);
      } else {
        end = after == pages.end() ? rows.end : *after;
      }
    }
    end = std::min(end, rows.end);
    morsels->push_back({begin, end});
    begin = end;
  }
}

}  // namespace

TableScan::TableScan(TableScanOptions options) : options_(std::move(options)), shared_(std::make_unique<Shared>(options_)) {
  for (size_t i = 0; i < options_.columns.size(); ++i) {
    if (options_.columns[i].kind == ScanColumnKind::kDeleted) deleted_column_ = i;
  }
  shared_->workers.resize(static_cast<size_t>(options_.workers));
  for (WorkerState& worker : shared_->workers) worker.filters = std::make_unique<OrderedFilters>(options_.filter);
}

TableScan::~TableScan() = default;

arrow::Status TableScan::Open() {
  const base::PhaseTimer timer(&options_.metrics->load_deletes_ns);
  const deletes::LoadOptions load{options_.workers, options_.budget, options_.cancel, options_.eval.pool};
  return deletes::LoadDeletes(*options_.file_io, options_.plan.tasks, options_.metadata, load).Value(&shared_->deletes);
}

arrow::Result<std::optional<Batch>> TableScan::Next(int worker) {
  WorkerState* const state = &shared_->workers[static_cast<size_t>(worker)];
  for (;;) {
    if (options_.cancel != nullptr) ARROW_RETURN_NOT_OK(options_.cancel->Check());
    if (state->rest.empty()) {
      ARROW_ASSIGN_OR_RAISE(const bool taken, TakeMorsel(state));
      if (!taken) return std::nullopt;
      if (state->started != state->file) ARROW_RETURN_NOT_OK(StartFile(state));
    }
    const FileRowRange rows{state->rest.begin, std::min(state->rest.begin + options_.batch_rows, state->rest.end)};
    state->rest.begin = rows.end;
    ARROW_ASSIGN_OR_RAISE(auto batch, ReadRows(state, rows));
    if (batch) return batch;
    options_.metrics->morsels_dead.fetch_add(1, std::memory_order_relaxed);
  }
}

// A worker stays with its file while that has morsels, then opens the next file, and helps with another worker's file at the end.
arrow::Result<bool> TableScan::TakeMorsel(WorkerState* state) {
  for (;;) {
    if (state->file != nullptr) {
      if (const auto morsel = state->file->Take()) {
        state->rest = *morsel;
        return true;
      }
    }
    std::unique_lock<std::mutex> lock(shared_->mutex);
    std::erase_if(shared_->open_files, [](const auto& file) { return file->next_morsel.load() >= file->morsels.size(); });
    if (shared_->failed) return false;
    if (shared_->next_task < options_.plan.tasks.size()) {
      auto file = std::make_shared<OpenFile>();
      file->task = shared_->next_task++;
      ++shared_->opening;
      lock.unlock();
      const arrow::Status status = base::Guarded([&] { return OpenInto(file.get()); });  // others wait for it
      lock.lock();
      --shared_->opening;
      shared_->failed |= !status.ok();
      shared_->opened.notify_all();
      ARROW_RETURN_NOT_OK(status);
      shared_->open_files.push_back(file);
      state->file = std::move(file);
    } else if (!shared_->open_files.empty()) {
      state->file = shared_->open_files.front();
    } else if (shared_->opening > 0) {
      shared_->opened.wait(lock);
    } else {
      return false;
    }
  }
}

arrow::Status TableScan::OpenInto(OpenFile* file) {
  const planning::ScanTask& task = options_.plan.tasks[file->task];
  if (shared_->stands_in(task)) {
    options_.metrics->files_not_opened.fetch_add(1, std::memory_order_relaxed);
    const FileRowRange rows{FileRow{0}, FileRow{task.data->file.record_count}};
    file->proven = {rows};
    AddMorsels(rows, {}, MorselRows(rows.length(), options_.batch_rows), &file->morsels);
    return arrow::Status::OK();
  }
  const base::PhaseTimer timer(&options_.metrics->open_ns);
  const std::string& path = task.data->file.file_path;
  ARROW_ASSIGN_OR_RAISE(io::IdentifiedFile opened, options_.file_io->OpenIdentified(path));
  opened.file = MeterFile(std::move(opened.file), options_.metrics.get());
  ARROW_ASSIGN_OR_RAISE(file->parquet,
                        parquet::ParquetFile::Open(*options_.file_io, std::move(opened), path, options_.metadata->name_mapping));
  options_.metrics->files_opened.fetch_add(1, std::memory_order_relaxed);
  const bool nameless = file->parquet->num_columns() > 0 && file->parquet->schema().columns().empty();
  if (nameless && options_.metadata->name_mapping.empty()) {
    return base::CorruptData("data file has no field ids and the table has no name mapping, so its columns cannot be told apart: ", path);
  }
  return MakeMorsels(file);
}

// Cuts what might match of each row group into runs of pages of the first column.
arrow::Status TableScan::MakeMorsels(OpenFile* file) const {
  const auto& groups = file->parquet->row_groups();
  const int64_t morsel_rows = MorselRows(file->parquet->num_rows(), options_.batch_rows);
  for (size_t g = 0; g < groups.size(); ++g) {
    if (groups[g].empty()) continue;
    options_.metrics->row_groups.fetch_add(1, std::memory_order_relaxed);
    const auto number = static_cast<int>(g);
    if (options_.predicate != nullptr && !RowGroupMightMatch(*file->parquet, number, *options_.predicate)) {
      options_.metrics->row_groups_skipped.fetch_add(1, std::memory_order_relaxed);
      continue;
    }
    const bool all_match = options_.plan.tasks[file->task].all_match ||
                           (options_.proof != nullptr && RowGroupAllMatches(*file->parquet, number, *options_.proof));
    if (all_match) file->proven.push_back(groups[g]);
    std::vector<FileRowRange> ranges = {groups[g]};
    if (options_.predicate != nullptr && !all_match) ranges = RowsThatMightMatch(*file->parquet, number, *options_.predicate);
    std::vector<FileRow> pages;
    const auto first = std::find_if(options_.columns.begin(), options_.columns.end(), [&](const ScanColumn& column) {
      return column.kind == ScanColumnKind::kField && !column.field.type->is_nested() && file->parquet->HasField(column.field.id);
    });
    if (first != options_.columns.end()) {
      ARROW_ASSIGN_OR_RAISE(pages, file->parquet->PageStarts(number, first->field.id));
    }
    int64_t skipped = groups[g].length();
    for (const FileRowRange& rows : ranges) {
      AddMorsels(rows, pages, morsel_rows, &file->morsels);
      skipped -= rows.length();
    }
    options_.metrics->rows_skipped.fetch_add(skipped, std::memory_order_relaxed);
  }
  return arrow::Status::OK();
}

arrow::Status TableScan::StartFile(WorkerState* state) {
  const planning::ScanTask& task = options_.plan.tasks[state->file->task];
  const deletes::TaskDeletes& loaded = shared_->deletes[state->file->task];
  arrow::MemoryPool* const pool = options_.eval.pool;
  state->deletes.clear();
  state->columns.reset();
  state->stand_in.reset();
  if (state->file->parquet == nullptr) {
    state->stand_in = std::make_unique<FileStandIn>(task.data, options_.metadata, pool);
  } else {
    state->columns = std::make_unique<FileColumns>(state->file->parquet, task.data, options_.metadata, options_.metrics.get(), pool);
  }
  if (loaded.positions != nullptr) state->deletes.push_back(deletes::MakePositionSource(loaded.positions));
  for (const auto& equality : loaded.equality) {
    // With _deleted the dead rows come out too, and the key columns read here are theirs as well.
    auto supplier = [columns = state->columns.get(), metrics = options_.metrics.get(),
                     dead_rows_too = deleted_column_.has_value()](const iceberg::Field& field, const Selection& rows) {
      const base::PhaseTimer timer(&metrics->decode_ns);
      return columns->Get({ScanColumnKind::kField, field}, dead_rows_too ? Selection::All(rows.length(), rows.begin()) : rows);
    };
    state->deletes.push_back(
        deletes::MakeEqualitySource(equality.set, *equality.keys, state->file->parquet, *task.data->data_sequence_number,
                                    std::move(supplier), pool));
  }
  state->started = state->file;
  return arrow::Status::OK();
}

arrow::Result<std::optional<Batch>> TableScan::ReadRows(WorkerState* state, FileRowRange range) {
  ScanMetrics& metrics = *options_.metrics;
  metrics.morsels.fetch_add(1, std::memory_order_relaxed);
  metrics.rows_read.fetch_add(range.length(), std::memory_order_relaxed);
  if (state->columns != nullptr) state->columns->BeginRows();
  Batch batch;
  batch.columns.resize(options_.columns.size());
  Selection rows = Selection::All(range.length(), range.begin);
  ARROW_RETURN_NOT_OK(ApplyDeletes(state, &rows, &batch));
  if (rows.NoneLive()) return std::nullopt;
  ARROW_RETURN_NOT_OK(ApplyFilter(state, &rows, &batch));
  if (rows.NoneLive()) return std::nullopt;
  for (size_t i = 0; i < batch.columns.size(); ++i) {
    if (UseOf(i).nothing() && batch.columns[i] == nullptr) {
      ARROW_ASSIGN_OR_RAISE(batch.columns[i], NullColumn(options_.columns[i], rows.length(), options_.eval.pool));
    } else {
      ARROW_RETURN_NOT_OK(ReadColumn(state, i, rows, &batch));
    }
  }
  batch.selection = std::move(rows);
  return batch;
}

arrow::Status TableScan::ApplyDeletes(WorkerState* state, Selection* rows, Batch* batch) {
  const base::PhaseTimer timer(&options_.metrics->deletes_ns);
  Selection live = *rows;
  for (auto& source : state->deletes) ARROW_RETURN_NOT_OK(source->Narrow(&live));
  options_.metrics->rows_deleted.fetch_add(live.length() - live.CountLive(), std::memory_order_relaxed);
  if (!deleted_column_) {
    *rows = std::move(live);
    return arrow::Status::OK();
  }
  Selection dead = *rows;
  dead.AndNot(live);
  ARROW_ASSIGN_OR_RAISE(batch->columns[*deleted_column_], ToBooleanArray(dead, options_.eval.pool));
  return arrow::Status::OK();
}

arrow::Status TableScan::ApplyFilter(WorkerState* state, Selection* rows, Batch* batch) {
  if (options_.filter == nullptr || state->file->FilterIsProven(rows->range())) return arrow::Status::OK();
  const base::PhaseTimer timer(&options_.metrics->filter_ns);
  const int64_t before = rows->CountLive();
  const auto read = [&](size_t column) { return ReadColumn(state, column, *rows, batch); };
  ARROW_RETURN_NOT_OK(state->filters->Narrow(read, batch->columns, options_.eval, rows));
  options_.metrics->rows_filtered.fetch_add(before - rows->CountLive(), std::memory_order_relaxed);
  return arrow::Status::OK();
}

arrow::Status TableScan::ReadColumn(WorkerState* state, size_t column, const Selection& rows, Batch* batch) {
  if (batch->columns[column] != nullptr) return arrow::Status::OK();
  const base::PhaseTimer timer(&options_.metrics->decode_ns);
  if (state->stand_in != nullptr) return state->stand_in->Get(options_.columns[column], UseOf(column), rows.range()).Value(&batch->columns[column]);
  return state->columns->Get(options_.columns[column], rows).Value(&batch->columns[column]);
}

}  // namespace vecruntime::scan
