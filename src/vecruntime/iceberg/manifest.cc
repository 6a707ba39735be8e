// SPDX-License-Identifier: Apache-2.0
#include "vecruntime/iceberg/manifest.h"

#include <algorithm>
#include <charconv>
#include <utility>

#include "vecruntime/base/error.h"
#include "vecruntime/iceberg/avro_reader.h"
#include "vecruntime/iceberg/json_node.h"
#include "vecruntime/iceberg/schema_json.h"

namespace vecruntime::iceberg {
namespace {

enum EntrySlot { kStatus, kSnapshotId, kSequenceNumber, kFileSequenceNumber, kDataFile };

// Spec(iceberg v3, "Manifests").
constexpr AvroSlot kEntryColumns[] = {{kStatus, 0, "status"},
                                      {kSnapshotId, 1, "snapshot_id"},
                                      {kSequenceNumber, 3, "sequence_number"},
                                      {kFileSequenceNumber, 4, "file_sequence_number"},
                                      {kDataFile, 2, "data_file"}};

enum FileSlot {
  kContent, kFilePath, kFileFormat, kPartition, kRecordCount, kFileSize, kColumnSizes, kValueCounts, kNullCounts, kNanCounts, kLowerBounds,
  kUpperBounds, kKeyMetadata, kSplitOffsets, kEqualityIds, kSortOrderId, kFirstRowId, kReferencedDataFile, kContentOffset, kContentSize,
  kFileSlots,
};

constexpr AvroSlot kFileColumns[] = {
    {kContent, 134, "content"},
    {kFilePath, 100, "file_path"},
    {kFileFormat, 101, "file_format"},
    {kPartition, 102, "partition"},
    {kRecordCount, 103, "record_count"},
    {kFileSize, 104, "file_size_in_bytes"},
    {kColumnSizes, 108, "column_sizes"},
    {kValueCounts, 109, "value_counts"},
    {kNullCounts, 110, "null_value_counts"},
    {kNanCounts, 137, "nan_value_counts"},
    {kLowerBounds, 125, "lower_bounds"},
    {kUpperBounds, 128, "upper_bounds"},
    {kKeyMetadata, 131, "key_metadata"},
    {kSplitOffsets, 132, "split_offsets"},
    {kEqualityIds, 135, "equality_ids"},
    {kSortOrderId, 140, "sort_order_id"},
    {kFirstRowId, 142, "first_row_id"},
    {kReferencedDataFile, 143, "referenced_data_file"},
    {kContentOffset, 144, "content_offset"},
    {kContentSize, 145, "content_size_in_bytes"},
};

bool HasColumn(const std::vector<int>& slots, int slot) { return std::find(slots.begin(), slots.end(), slot) != slots.end(); }

std::optional<int> HeaderInt(const AvroFile& file, const std::string& key) {
  const std::string* text = file.Find(key);
  int value = 0;
  if (text == nullptr) return std::nullopt;
  const auto [end, error] = std::from_chars(text->data(), text->data() + text->size(), value);
  return error == std::errc() ? std::optional<int>(value) : std::nullopt;
}

/// Widens a partition value that was written before its source column was promoted (Spec(iceberg v3, "Schema Evolution")).
arrow::Result<Value> Promote(const Type& type, Value value) {
  if (const auto* narrow = std::get_if<int32_t>(&value.data)) {
    if (type.id() == TypeId::kLong) return Value{int64_t{*narrow}};
    if (type.id() == TypeId::kTimestamp || type.id() == TypeId::kTimestampNs) return DecodeBound(type, EncodeBound(type, value));
  }
  if (const auto* narrow = std::get_if<float>(&value.data); narrow != nullptr && type.id() == TypeId::kDouble) {
    return Value{static_cast<double>(*narrow)};
  }
  if (const auto* wide = std::get_if<int64_t>(&value.data); wide != nullptr && (type.id() == TypeId::kInt || type.id() == TypeId::kDate)) {
    if (*wide != static_cast<int32_t>(*wide)) return base::CorruptData("partition value out of range: ", *wide);
    return Value{static_cast<int32_t>(*wide)};
  }
  return value;
}

/// The spec that a manifest's header carries; Iceberg writes it for readers without the table's metadata.
arrow::Result<PartitionSpec> SpecOfHeader(const AvroFile& file, int spec_id) {
  const std::string* text = file.Find("partition-spec");
  if (text == nullptr) return file.Error("manifest of an unknown partition spec: " + std::to_string(spec_id));
  ARROW_ASSIGN_OR_RAISE(const auto document, JsonDocument::Parse(*text));
  PartitionSpec spec{.spec_id = spec_id};
  ARROW_ASSIGN_OR_RAISE(spec.fields, ParsePartitionFields(document->root()));
  return spec;
}

/// Reads one kind of metrics map: an array of records (field id, value), as Avro has no maps with integer keys.
class MetricsColumn {
 public:
  MetricsColumn() = default;
  explicit MetricsColumn(const AvroNode& node) {
    const AvroNode* array = WithoutNull(node);
    if (array == nullptr || array->kind != AvroKind::kArray || array->items->kind != AvroKind::kRecord) return;
    if (array->items->fields.size() != 2 || array->items->fields[0].name != "key") return;
    pair_ = array->items;
  }

  template <typename T>
  void Read(const AvroNode* node, const std::optional<std::vector<FieldId>>& wanted, AvroCursor* cursor, FieldMap<T>* map) const {
    cursor->Items(node, [&](const AvroNode* item) {
      if (item != pair_) return cursor->Fail("metrics are not a list of (key, value)");
      const auto id = cursor->OptionalInt(pair_->fields[0].type);
      const AvroNode* value = pair_->fields[1].type;
      const bool keep = id && (!wanted || std::binary_search(wanted->begin(), wanted->end(), *id));
      if (!keep) return cursor->Skip(value);
      if constexpr (std::is_same_v<T, std::string>) {
        if (const auto bytes = cursor->OptionalBytes(value)) map->emplace_back(*id, *bytes);
      } else {
        if (const auto number = cursor->OptionalLong(value)) map->emplace_back(*id, *number);
      }
    });
  }

 private:
  const AvroNode* pair_ = nullptr;
};

/// What is wrong with an entry: a fixed text, nullptr when nothing is.
using Fault = const char*;

class ManifestDecoder {
 public:
  ManifestDecoder(const AvroFile& file, const ManifestFile& manifest, const ManifestReadOptions& options)
      : file_(file), manifest_(manifest), wanted_(options.metrics_for), file_details_(options.file_details), next_row_id_(manifest.first_row_id) {
    if (wanted_) std::sort(wanted_->begin(), wanted_->end());
  }

  arrow::Status Prepare(const std::vector<PartitionSpec>& specs, const ManifestReadOptions& options) {
    const AvroNode& root = file_.root();
    entry_slots_ = MatchSlots(root, kEntryColumns);
    for (size_t i = 0; i < entry_slots_.size(); ++i) {
      if (entry_slots_[i] == kDataFile) file_record_ = WithoutNull(*root.fields[i].type);
    }
    if (file_record_ == nullptr || file_record_->kind != AvroKind::kRecord) return file_.Error("manifest without a data_file record");
    file_slots_ = MatchSlots(*file_record_, kFileColumns);
    if (!file_details_) {
      for (int& slot : file_slots_) slot = slot == kKeyMetadata || slot == kSplitOffsets || slot == kSortOrderId ? -1 : slot;
    }
    for (const int required : {kFilePath, kFileFormat, kRecordCount}) {
      if (!HasColumn(file_slots_, required)) {
        return file_.Error("manifest without the column " + std::string(kFileColumns[required].name));
      }
    }
    if (!HasColumn(entry_slots_, kStatus)) return file_.Error("manifest without the column status");
    for (size_t i = 0; i < file_slots_.size(); ++i) {
      if (file_slots_[i] >= kColumnSizes && file_slots_[i] <= kUpperBounds) {
        metrics_[file_slots_[i]] = MetricsColumn(*file_record_->fields[i].type);
      }
    }
    // Header keys get lost and columns get left out; version 1 is what has neither.
    const bool has_newer_columns =
        HasColumn(entry_slots_, kSequenceNumber) || HasColumn(entry_slots_, kFileSequenceNumber) || HasColumn(file_slots_, kContent);
    is_version_1_ = !has_newer_columns && HeaderInt(file_, "format-version").value_or(1) == 1;
    return PreparePartition(specs, options);
  }

  Fault Read(AvroCursor* cursor, ManifestEntry* entry) {
    std::optional<int32_t> status;
    for (size_t i = 0; i < entry_slots_.size() && cursor->ok(); ++i) {
      const AvroNode* node = file_.root().fields[i].type;
      switch (entry_slots_[i]) {
        case kStatus:
          status = cursor->OptionalInt(node);
          break;
        case kSnapshotId:
          entry->snapshot_id = cursor->OptionalLong(node);
          break;
        case kSequenceNumber:
          entry->data_sequence_number = cursor->OptionalLong(node);
          break;
        case kFileSequenceNumber:
          entry->file_sequence_number = cursor->OptionalLong(node);
          break;
        case kDataFile:
          ReadFile(cursor->Resolve(node), cursor, &entry->file);
          break;
        default:
          cursor->Skip(node);
      }
    }
    if (!cursor->ok()) return cursor->fault();
    if (!status || *status < 0 || *status > 2) return "unknown entry status";
    entry->status = static_cast<EntryStatus>(*status);
    if (const Fault fault = Check(entry->file)) return fault;
    return Inherit(entry);
  }

 private:
  arrow::Status PreparePartition(const std::vector<PartitionSpec>& specs, const ManifestReadOptions& options) {
    // For an inline manifest of version 1 nothing but the path is known.
    const bool inline_manifest = manifest_.manifest_length < 0 && !manifest_.added_snapshot_id;
    spec_id_ = inline_manifest ? HeaderInt(file_, "partition-spec-id").value_or(manifest_.partition_spec_id) : manifest_.partition_spec_id;
    const auto known = std::find_if(specs.begin(), specs.end(), [&](const PartitionSpec& spec) { return spec.spec_id == spec_id_; });
    PartitionSpec spec;
    if (known != specs.end()) {
      spec = *known;
    } else {
      ARROW_ASSIGN_OR_RAISE(spec, SpecOfHeader(file_, spec_id_));
    }
    partition_size_ = spec.fields.size();
    if (const auto types = options.partition_types.find(spec_id_); types != options.partition_types.end()) partition_types_ = types->second;
    partition_types_.resize(partition_size_, Type::Primitive(TypeId::kUnknown));
    std::vector<AvroSlot> wanted;
    for (const PartitionField& field : spec.fields) wanted.push_back({static_cast<int>(wanted.size()), field.field_id, field.name});
    for (size_t i = 0; i < file_slots_.size(); ++i) {
      if (file_slots_[i] != kPartition) continue;
      partition_record_ = WithoutNull(*file_record_->fields[i].type);
      if (partition_record_ == nullptr || partition_record_->kind != AvroKind::kRecord) return file_.Error("partition is not a record");
      partition_slots_ = MatchSlots(*partition_record_, wanted);
    }
    // NULL in place of a value that is not there would prune data files. The type is unknown where the source column was dropped; writers
    // then have nothing to write. Deletes stay without effect, as in Java (iceberg#14678).
    if (manifest_.content == ManifestContent::kDeletes) return arrow::Status::OK();
    for (size_t i = 0; i < spec.fields.size(); ++i) {
      const bool has_values = spec.fields[i].transform.kind != TransformKind::kVoid && partition_types_[i]->id() != TypeId::kUnknown;
      if (!has_values || HasColumn(partition_slots_, static_cast<int>(i))) continue;
      return file_.Error("manifest without the partition field " + spec.fields[i].name);
    }
    return arrow::Status::OK();
  }

  void ReadFile(const AvroNode* record, AvroCursor* cursor, DataFile* file) const {
    if (record != file_record_) return cursor->Fail("data_file is null");
    file->spec_id = spec_id_;
    file->partition.resize(partition_size_);
    file->record_count = -1;
    for (size_t i = 0; i < file_slots_.size() && cursor->ok(); ++i) {
      const int slot = file_slots_[i];
      const AvroNode* node = record->fields[i].type;
      if (slot >= kColumnSizes && slot <= kUpperBounds) {
        ReadMetrics(slot, node, cursor, file);
      } else {
        ReadColumn(slot, node, cursor, file);
      }
    }
  }

  void ReadColumn(int slot, const AvroNode* node, AvroCursor* cursor, DataFile* file) const {
    switch (slot) {
      case kContent:
        file->content = static_cast<FileContent>(cursor->OptionalInt(node).value_or(0));
        break;
      case kFilePath:
        file->file_path = cursor->OptionalBytes(node).value_or("");
        break;
      case kFileFormat:
        file->file_format = cursor->OptionalBytes(node).value_or("");
        for (char& c : file->file_format) c = c >= 'a' && c <= 'z' ? static_cast<char>(c - 'a' + 'A') : c;
        break;
      case kPartition:
        ReadPartition(cursor->Resolve(node), cursor, &file->partition);
        break;
      case kRecordCount:
        file->record_count = cursor->OptionalLong(node).value_or(-1);
        break;
      case kFileSize:
        file->file_size_in_bytes = cursor->OptionalLong(node).value_or(0);
        break;
      case kKeyMetadata:
        if (const auto bytes = cursor->OptionalBytes(node)) file->key_metadata = *bytes;
        break;
      case kSplitOffsets:
        cursor->Items(node, [&](const AvroNode* item) { file->split_offsets.push_back(cursor->OptionalLong(item).value_or(0)); });
        break;
      case kEqualityIds:
        cursor->Items(node, [&](const AvroNode* item) { file->equality_ids.push_back(cursor->OptionalInt(item).value_or(0)); });
        break;
      case kSortOrderId:
        file->sort_order_id = cursor->OptionalInt(node);
        break;
      case kFirstRowId:
        file->first_row_id = cursor->OptionalLong(node);
        break;
      case kReferencedDataFile:
        if (const auto path = cursor->OptionalBytes(node)) file->referenced_data_file = *path;
        break;
      case kContentOffset:
        file->content_offset = cursor->OptionalLong(node);
        break;
      case kContentSize:
        file->content_size_in_bytes = cursor->OptionalLong(node);
        break;
      default:
        cursor->Skip(node);
    }
  }

  void ReadMetrics(int slot, const AvroNode* node, AvroCursor* cursor, DataFile* file) const {
    const MetricsColumn& column = metrics_[slot];
    node = cursor->Resolve(node);
    if (node == nullptr || node->kind == AvroKind::kNull) return;
    file->present_maps |= static_cast<uint8_t>(1U << (slot - kColumnSizes));
    switch (slot) {
      case kColumnSizes:
        return column.Read(node, wanted_, cursor, &file->column_sizes);
      case kValueCounts:
        return column.Read(node, wanted_, cursor, &file->value_counts);
      case kNullCounts:
        return column.Read(node, wanted_, cursor, &file->null_value_counts);
      case kNanCounts:
        return column.Read(node, wanted_, cursor, &file->nan_value_counts);
      case kLowerBounds:
        return column.Read(node, wanted_, cursor, &file->lower_bounds);
      default:
        return column.Read(node, wanted_, cursor, &file->upper_bounds);
    }
  }

  void ReadPartition(const AvroNode* record, AvroCursor* cursor, std::vector<Value>* partition) const {
    if (record != partition_record_) return cursor->Fail("partition is null");
    for (size_t i = 0; i < partition_slots_.size() && cursor->ok(); ++i) {
      const AvroNode* node = record->fields[i].type;
      if (partition_slots_[i] < 0) {
        cursor->Skip(node);
        continue;
      }
      const auto slot = static_cast<size_t>(partition_slots_[i]);
      auto value = Promote(*partition_types_[slot], cursor->ReadValue(node));
      if (!value.ok()) return cursor->Fail("partition value out of range");
      (*partition)[slot] = *std::move(value);
    }
  }

  Fault Check(const DataFile& file) const {
    if (file.file_path.empty()) return "entry without a file path";
    if (file.file_format.empty()) return "entry without a file format";
    if (file.record_count < 0) return "entry without a valid record count";
    if (file.content != FileContent::kData && file.content != FileContent::kPositionDeletes && file.content != FileContent::kEqualityDeletes) {
      return "unknown file content";
    }
    if (manifest_.content == ManifestContent::kDeletes && file.content == FileContent::kData) return "data file in a delete manifest";
    return nullptr;
  }

  /// Spec(iceberg v3, "Sequence Number Inheritance"): only added entries inherit; version 1 knows no numbers, all are 0 there.
  std::optional<int64_t> InheritedSequenceNumber(EntryStatus status) const {
    if (status == EntryStatus::kAdded) return manifest_.sequence_number;
    if (is_version_1_ || manifest_.sequence_number == 0) return 0;
    return std::nullopt;
  }

  Fault Inherit(ManifestEntry* entry) {
    const auto inherited = InheritedSequenceNumber(entry->status);
    if (!entry->snapshot_id) entry->snapshot_id = manifest_.added_snapshot_id;
    if (!entry->data_sequence_number) entry->data_sequence_number = inherited;
    if (!entry->file_sequence_number) entry->file_sequence_number = inherited;
    if (entry->live() && !entry->data_sequence_number) return "existing entry without a sequence number";
    if (entry->data_sequence_number.value_or(0) < 0) return "negative sequence number";
    // Spec(iceberg v3, "First Row ID Inheritance"): a manifest without an id has no row ids, as Java reads it too.
    if (entry->file.content != FileContent::kData || !manifest_.first_row_id) {
      entry->file.first_row_id.reset();
    } else if (entry->live() && !entry->file.first_row_id) {
      entry->file.first_row_id = next_row_id_;
      if (__builtin_add_overflow(*next_row_id_, entry->file.record_count, &*next_row_id_)) return "row ids overflow";
    }
    return nullptr;
  }

  const AvroFile& file_;
  const ManifestFile& manifest_;
  std::optional<std::vector<FieldId>> wanted_;
  const bool file_details_;
  std::optional<int64_t> next_row_id_;
  bool is_version_1_ = false;
  std::vector<int> entry_slots_;
  const AvroNode* file_record_ = nullptr;
  std::vector<int> file_slots_;
  MetricsColumn metrics_[kFileSlots];
  int spec_id_ = 0;
  size_t partition_size_ = 0;
  std::vector<TypePtr> partition_types_;
  const AvroNode* partition_record_ = nullptr;
  std::vector<int> partition_slots_;
};

}  // namespace

arrow::Result<std::vector<ManifestEntry>> ReadManifest(std::string_view bytes, const ManifestFile& manifest,
                                                       const std::vector<PartitionSpec>& specs, const ManifestReadOptions& options) {
  // An Avro file cut between two blocks is a valid one with fewer entries: only its length in the manifest list tells.
  if (manifest.manifest_length >= 0 && static_cast<int64_t>(bytes.size()) < manifest.manifest_length) {
    return base::CorruptData("manifest is shorter than its manifest list says: ", manifest.manifest_path, ", ", bytes.size(), " of ",
                             manifest.manifest_length, " bytes");
  }
  ARROW_ASSIGN_OR_RAISE(const auto file, AvroFile::Open(bytes, manifest.manifest_path));
  ManifestDecoder decoder(*file, manifest, options);
  ARROW_RETURN_NOT_OK(decoder.Prepare(specs, options));
  std::vector<ManifestEntry> entries;
  while (true) {
    ARROW_ASSIGN_OR_RAISE(const bool more, file->NextBlock());
    if (!more) return entries;
    AvroCursor cursor = file->block();
    for (int64_t i = 0; i < file->block_records(); ++i) {
      ManifestEntry& entry = entries.emplace_back();
      if (const Fault fault = decoder.Read(&cursor, &entry)) return file->Error(fault, &cursor);
      if (options.live_only && !entry.live()) entries.pop_back();
    }
    if (!cursor.at_end()) return file->Error("bytes left over after the last record", &cursor);
  }
}

}  // namespace vecruntime::iceberg
