// SPDX-License-Identifier: Apache-2.0
#include "vecruntime/session/inspection.h"

#include <arrow/array.h>
#include <arrow/buffer.h>
#include <arrow/record_batch.h>
#include <arrow/result.h>
#include <arrow/type.h>

#include <algorithm>
#include <map>
#include <set>
#include <utility>

#include "vecruntime/iceberg/manifest.h"
#include "vecruntime/iceberg/predicate.h"
#include "vecruntime/planning/manifest_reader.h"
#include "vecruntime/planning/table_planner.h"
#include "vecruntime/session.h"
#include "vecruntime/session/quantity_text.h"

namespace vecruntime::session {
namespace {

constexpr size_t kListed = 10;
constexpr double kRewriteShare = 0.3;         // of dead rows in a file
constexpr int64_t kSmallFileBytes = 32 << 20;
constexpr int64_t kManySmallFiles = 20;
constexpr int64_t kManySnapshots = 100;

struct DataFileState {
  planning::ScanTask task;
  int64_t dead = 0;
  const iceberg::DataFile& file() const { return task.data->file; }
};

struct DeleteFileState {
  std::shared_ptr<const iceberg::ManifestEntry> entry;
  int64_t applies_to = 0;  // data files
};

struct Inspection {
  std::vector<DataFileState> data;
  std::vector<DeleteFileState> deletes;
  int64_t rows = 0, dead = 0, bytes = 0;
};

// A deletion vector is a blob in a file: the file's path alone does not tell it.
std::pair<std::string, int64_t> IdentityOf(const iceberg::ManifestEntry& entry) {
  return {entry.file.file_path, entry.file.content_offset.value_or(-1)};
}

const char* KindOf(const iceberg::DataFile& file) {
  if (file.content == iceberg::FileContent::kEqualityDeletes) return "equality deletes";
  return file.file_format == "PUFFIN" ? "deletion vectors" : "position deletes";
}

arrow::Result<std::vector<DeleteFileState>> ReadDeletes(const LoadedTable& table, const iceberg::Snapshot& snapshot) {
  ARROW_ASSIGN_OR_RAISE(const auto manifests, planning::ReadManifests(*table.file_io, snapshot));
  std::vector<DeleteFileState> deletes;
  for (const iceberg::ManifestFile& manifest : *manifests) {
    if (manifest.content != iceberg::ManifestContent::kDeletes) continue;
    ARROW_ASSIGN_OR_RAISE(const auto bytes, table.file_io->ReadAll(manifest.manifest_path));
    ARROW_ASSIGN_OR_RAISE(auto entries, iceberg::ReadManifest(std::string_view(*bytes), manifest, table.metadata->specs, {}));
    for (auto& entry : entries) deletes.push_back({std::make_shared<const iceberg::ManifestEntry>(std::move(entry))});
  }
  return deletes;
}

// Live rows of each data file, deletes applied.
arrow::Result<std::map<std::string, int64_t, std::less<>>> CountLiveRows(Session* session, const std::string& from) {
  ARROW_ASSIGN_OR_RAISE(auto reader, session->Sql("SELECT _file, count(*) FROM " + from + " GROUP BY _file"));
  std::map<std::string, int64_t, std::less<>> live;
  std::shared_ptr<arrow::RecordBatch> batch;
  while (true) {
    ARROW_RETURN_NOT_OK(reader->ReadNext(&batch));
    if (batch == nullptr) return live;
    const auto& files = static_cast<const arrow::StringArray&>(*batch->column(0));
    const auto& counts = static_cast<const arrow::Int64Array&>(*batch->column(1));
    for (int64_t i = 0; i < batch->num_rows(); ++i) live.emplace(files.GetView(i), counts.Value(i));
  }
}

arrow::Result<Inspection> Inspect(const LoadedTable& table, const iceberg::Snapshot& snapshot, Session* session, const std::string& from) {
  Inspection inspection;
  ARROW_ASSIGN_OR_RAISE(auto plan, planning::PlanScan(*table.file_io, table.metadata, &snapshot, *iceberg::Predicate::True(), {}));
  ARROW_ASSIGN_OR_RAISE(inspection.deletes, ReadDeletes(table, snapshot));
  ARROW_ASSIGN_OR_RAISE(const auto live, CountLiveRows(session, from));
  std::map<std::pair<std::string, int64_t>, int64_t> applications;
  for (planning::ScanTask& task : plan.tasks) {
    if (task.deletion_vector != nullptr) ++applications[IdentityOf(*task.deletion_vector)];
    for (const auto& entry : task.position_deletes) ++applications[IdentityOf(*entry)];
    for (const auto& entry : task.equality_deletes) ++applications[IdentityOf(*entry)];
    DataFileState state{std::move(task)};
    const auto found = live.find(state.file().file_path);
    state.dead = state.file().record_count - (found == live.end() ? 0 : found->second);
    inspection.rows += state.file().record_count;
    inspection.dead += state.dead;
    inspection.bytes += state.file().file_size_in_bytes;
    inspection.data.push_back(std::move(state));
  }
  for (DeleteFileState& each : inspection.deletes) {
    const auto found = applications.find(IdentityOf(*each.entry));
    each.applies_to = found == applications.end() ? 0 : found->second;
  }
  return inspection;
}

// Cells to aligned columns; numbers (columns marked '>') to the right.
std::string Columns(const std::string& alignment, const std::vector<std::vector<std::string>>& rows) {
  std::vector<size_t> widths(alignment.size(), 0);
  for (const auto& row : rows) {
    for (size_t c = 0; c < row.size(); ++c) widths[c] = std::max(widths[c], row[c].size());
  }
  std::string text;
  for (const auto& row : rows) {
    std::string line = " ";
    for (size_t c = 0; c < row.size(); ++c) {
      const std::string padding(widths[c] - row[c].size(), ' ');
      line += " " + (alignment[c] == '>' ? padding + row[c] : row[c] + padding) + (c + 1 < row.size() ? " " : "");
    }
    text += line.substr(0, line.find_last_not_of(' ') + 1) + "\n";
  }
  return text;
}

std::string Value(const std::map<std::string, std::string>& summary, const char* key) {
  const auto found = summary.find(key);
  return found == summary.end() ? "" : found->second;
}

// Rows that a snapshot's delete files name: positions and equality keys.
std::string AddedDeletes(const std::map<std::string, std::string>& summary) {
  const std::string positions = Value(summary, "added-position-deletes"), keys = Value(summary, "added-equality-deletes");
  return keys.empty() || keys == "0" ? positions : (positions.empty() || positions == "0" ? "" : positions + " + ") + keys + " keys";
}

std::string HeaderText(const LoadedTable& table, const iceberg::Snapshot* snapshot) {
  const iceberg::TableMetadata& metadata = *table.metadata;
  std::string refs;
  for (const auto& [name, ref] : metadata.refs) {
    refs += (refs.empty() ? "" : ", ") + std::string(ref.is_branch ? "branch " : "tag ") + name + " at " + std::to_string(ref.snapshot_id);
  }
  std::vector<std::vector<std::string>> lines = {
      {"format version", std::to_string(metadata.format_version)},
      {"location", metadata.location + (table.moved ? " (moved: read where it is now)" : "")},
      {"metadata", metadata.metadata_location},
      {"snapshot", snapshot == nullptr ? "none: the table is empty"
                                       : std::to_string(snapshot->snapshot_id) + " of " + InstantText(snapshot->timestamp_ms)},
  };
  if (!refs.empty()) lines.push_back({"refs", refs});
  return "Table " + table.name + "\n" + Columns("<<", lines);
}

std::string SnapshotsText(const iceberg::TableMetadata& metadata) {
  std::vector<iceberg::Snapshot> snapshots = metadata.snapshots;
  std::stable_sort(snapshots.begin(), snapshots.end(), [](const auto& a, const auto& b) { return a.timestamp_ms > b.timestamp_ms; });
  std::vector<std::vector<std::string>> rows = {
      {"committed", "snapshot", "operation", "+rows", "-rows", "+deletes", "+data files", "-data files", "+delete files", "-delete files"}};
  for (size_t s = 0; s < std::min(snapshots.size(), kListed); ++s) {
    const auto& summary = snapshots[s].summary;
    rows.push_back({InstantText(snapshots[s].timestamp_ms), std::to_string(snapshots[s].snapshot_id), Value(summary, "operation"),
                    Value(summary, "added-records"), Value(summary, "deleted-records"), AddedDeletes(summary),
                    Value(summary, "added-data-files"), Value(summary, "deleted-data-files"), Value(summary, "added-delete-files"), Value(summary, "removed-delete-files")});
  }
  std::string text = "\nSnapshots, newest first (" + CountText(static_cast<int64_t>(snapshots.size())) + ")\n" + Columns("<><>>>>>>>", rows);
  if (snapshots.size() > kListed) text += "  ... " + CountText(static_cast<int64_t>(snapshots.size() - kListed)) + " older\n";
  return text;
}

std::string FilesText(const Inspection& inspection) {
  struct Sum {
    int64_t files = 0, bytes = 0, records = 0, unused = 0;
  };
  std::map<std::string, Sum> kinds;
  for (const DeleteFileState& each : inspection.deletes) {
    const iceberg::DataFile& file = each.entry->file;
    Sum& sum = kinds[KindOf(file)];
    ++sum.files;
    sum.bytes += file.content_size_in_bytes.value_or(file.file_size_in_bytes);
    sum.records += file.record_count;
    sum.unused += each.applies_to == 0;
  }
  std::vector<std::vector<std::string>> rows = {{"content", "files", "bytes", "records", "that match no data file"}};
  rows.push_back({"data", CountText(static_cast<int64_t>(inspection.data.size())), BytesText(inspection.bytes), CountText(inspection.rows), ""});
  for (const auto& [kind, sum] : kinds) {
    rows.push_back({kind, CountText(sum.files), BytesText(sum.bytes), CountText(sum.records), CountText(sum.unused)});
  }
  return "\nFiles of the current snapshot\n" + Columns("<>>>>", rows) + "\n  " + CountText(inspection.rows - inspection.dead, "live row") +
         ", " + CountText(inspection.dead) + " dead (" + ShareText(inspection.dead, inspection.rows) + " of " + CountText(inspection.rows) +
         ")\n";
}

std::string DeadRowsText(const Inspection& inspection) {
  std::vector<const DataFileState*> files;
  for (const DataFileState& state : inspection.data) {
    if (state.dead > 0) files.push_back(&state);
  }
  if (files.empty()) return "";
  std::stable_sort(files.begin(), files.end(), [](const DataFileState* a, const DataFileState* b) {
    return static_cast<double>(a->dead) * static_cast<double>(b->file().record_count) >
           static_cast<double>(b->dead) * static_cast<double>(a->file().record_count);
  });
  std::vector<std::vector<std::string>> rows = {{"dead", "rows", "share", "vectors", "position", "equality", "file"}};
  for (size_t f = 0; f < std::min(files.size(), kListed); ++f) {
    const DataFileState& state = *files[f];
    rows.push_back({CountText(state.dead), CountText(state.file().record_count), ShareText(state.dead, state.file().record_count),
                    state.task.deletion_vector != nullptr ? "1" : "0", CountText(static_cast<int64_t>(state.task.position_deletes.size())),
                    CountText(static_cast<int64_t>(state.task.equality_deletes.size())), state.file().file_path});
  }
  std::string text = "\nData files with dead rows, worst first (" + CountText(static_cast<int64_t>(files.size())) +
                     ", with the delete files to merge into each)\n" + Columns(">>>>>><", rows);
  if (files.size() > kListed) text += "  ... " + CountText(static_cast<int64_t>(files.size() - kListed)) + " more\n";
  return text;
}

std::string UnusedDeletesText(const Inspection& inspection) {
  std::string text;
  size_t listed = 0;
  int64_t unused = 0;
  for (const DeleteFileState& each : inspection.deletes) {
    if (each.applies_to > 0) continue;
    ++unused;
    if (listed++ < kListed) text += "  " + each.entry->file.file_path + " (" + KindOf(each.entry->file) + ")\n";
  }
  if (unused == 0) return "";
  if (unused > static_cast<int64_t>(kListed)) text += "  ... " + CountText(unused - static_cast<int64_t>(kListed)) + " more\n";
  return "\nDelete files that match no data file (" + CountText(unused) + ")\n" + text;
}

std::vector<std::string> Advice(const LoadedTable& table, const Inspection& inspection) {
  std::vector<std::string> advice;
  int64_t rewritable = 0, rewritable_dead = 0, with_equality = 0, with_positions = 0, small = 0, unused = 0;
  for (const DataFileState& state : inspection.data) {
    const bool worth = static_cast<double>(state.dead) >= kRewriteShare * static_cast<double>(state.file().record_count) && state.dead > 0;
    rewritable += worth;
    rewritable_dead += worth ? state.dead : 0;
    with_equality += !state.task.equality_deletes.empty();
    with_positions += state.task.position_deletes.size() > 1;
    small += state.file().file_size_in_bytes < kSmallFileBytes;
  }
  for (const DeleteFileState& each : inspection.deletes) unused += each.applies_to == 0;
  if (rewritable > 0) {
    advice.push_back("Rewrite the " + CountText(rewritable, "data file") + " with 30% or more dead rows: drops " + CountText(rewritable_dead) +
                     " dead rows. Spark: CALL system.rewrite_data_files(table => '" + table.name +
                     "', options => map('delete-ratio-threshold', '0.3'))");
  }
  if (with_equality > 0) {
    advice.push_back("Equality deletes apply to " + CountText(with_equality, "data file") +
                     ": every scan reads their key columns. Compacting those files (rewrite_data_files) removes that cost.");
  }
  if (with_positions > 0) {
    advice.push_back("Several position-delete files apply to each of " + CountText(with_positions, "data file") +
                     ": merge them. Spark: CALL system.rewrite_position_delete_files(table => '" + table.name + "')");
  }
  if (with_positions > 0 && table.metadata->format_version == 2) {
    advice.push_back("Format version 3 keeps one deletion vector per data file instead of position-delete files: ALTER TABLE " + table.name +
                     " SET TBLPROPERTIES ('format-version'='3')");
  }
  if (unused > 0) {
    advice.push_back(CountText(unused, "delete file") + (unused == 1 ? " matches" : " match") +
                     " no data file and can go; rewriting data or position-delete files drops them.");
  }
  if (small >= kManySmallFiles) {
    advice.push_back(CountText(small) + " data files are smaller than " + BytesText(kSmallFileBytes) + ": compact them with rewrite_data_files.");
  }
  if (static_cast<int64_t>(table.metadata->snapshots.size()) > kManySnapshots) {
    advice.push_back(CountText(static_cast<int64_t>(table.metadata->snapshots.size())) +
                     " snapshots are kept: expire_snapshots frees the files only old ones need.");
  }
  if (advice.empty()) advice.push_back("Nothing to do: deletes cost little here.");
  return advice;
}

}  // namespace

arrow::Result<std::string> InspectionText(const LoadedTable& table, Session* session, const std::string& from) {
  const iceberg::Snapshot* snapshot = table.metadata->CurrentSnapshot();
  std::string text = HeaderText(table, snapshot);
  if (snapshot == nullptr) return text;
  ARROW_ASSIGN_OR_RAISE(const Inspection inspection, Inspect(table, *snapshot, session, from));
  text += SnapshotsText(*table.metadata) + FilesText(inspection) + DeadRowsText(inspection) + UnusedDeletesText(inspection);
  text += "\nWhat to do\n";
  for (const std::string& line : Advice(table, inspection)) text += "  - " + line + "\n";
  return text;
}

}  // namespace vecruntime::session
