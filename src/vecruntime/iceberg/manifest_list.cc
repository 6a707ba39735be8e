// SPDX-License-Identifier: Apache-2.0
#include <utility>

#include "vecruntime/base/error.h"
#include "vecruntime/iceberg/avro_reader.h"
#include "vecruntime/iceberg/manifest.h"

namespace vecruntime::iceberg {
namespace {

enum Slot {
  kPath, kLength, kSpecId, kContent, kSequenceNumber, kMinSequenceNumber, kAddedSnapshotId, kAddedFiles, kExistingFiles, kDeletedFiles,
  kAddedRows, kExistingRows, kDeletedRows, kPartitions, kFirstRowId, kKeyMetadata,
};

// Spec(iceberg v3, "Manifest Lists").
constexpr AvroSlot kColumns[] = {
    {kPath, 500, "manifest_path"},
    {kLength, 501, "manifest_length"},
    {kSpecId, 502, "partition_spec_id"},
    {kContent, 517, "content"},
    {kSequenceNumber, 515, "sequence_number"},
    {kMinSequenceNumber, 516, "min_sequence_number"},
    {kAddedSnapshotId, 503, "added_snapshot_id"},
    {kAddedFiles, 504, "added_files_count"},
    {kExistingFiles, 505, "existing_files_count"},
    {kDeletedFiles, 506, "deleted_files_count"},
    {kAddedRows, 512, "added_rows_count"},
    {kExistingRows, 513, "existing_rows_count"},
    {kDeletedRows, 514, "deleted_rows_count"},
    {kPartitions, 507, "partitions"},
    {kFirstRowId, 520, "first_row_id"},
    {kKeyMetadata, 519, "key_metadata"},
};

enum SummarySlot { kContainsNull, kContainsNan, kLowerBound, kUpperBound };

constexpr AvroSlot kSummaryColumns[] = {{kContainsNull, 509, "contains_null"},
                                        {kContainsNan, 518, "contains_nan"},
                                        {kLowerBound, 510, "lower_bound"},
                                        {kUpperBound, 511, "upper_bound"}};

std::optional<std::string> ToOptionalString(std::optional<std::string_view> bytes) {
  return bytes ? std::optional<std::string>(*bytes) : std::nullopt;
}

class ManifestListDecoder {
 public:
  explicit ManifestListDecoder(const AvroNode& record) : record_(record), slots_(MatchSlots(record, kColumns)) {
    for (size_t i = 0; i < slots_.size(); ++i) {
      if (slots_[i] == kContent) has_content_ = true;
      if (slots_[i] != kPartitions) continue;
      const AvroNode* array = WithoutNull(*record.fields[i].type);
      if (array == nullptr || array->kind != AvroKind::kArray || array->items->kind != AvroKind::kRecord) continue;
      summary_record_ = array->items;
      summary_slots_ = MatchSlots(*summary_record_, kSummaryColumns);
    }
  }

  /// What is wrong with the row, or nullptr.
  const char* Read(AvroCursor* cursor, ManifestFile* file) const {
    std::optional<int64_t> spec_id, sequence_number;
    for (size_t i = 0; i < slots_.size() && cursor->ok(); ++i) {
      const AvroNode* node = record_.fields[i].type;
      if (slots_[i] == kSpecId) {
        spec_id = cursor->OptionalInt(node);
      } else if (slots_[i] == kSequenceNumber) {
        sequence_number = cursor->OptionalLong(node);
      } else {
        ReadColumn(slots_[i], node, cursor, file);
      }
    }
    if (!cursor->ok()) return cursor->fault();
    if (file->manifest_path.empty()) return "manifest without a path";
    if (!spec_id) return "manifest without a partition spec id";
    file->partition_spec_id = static_cast<int>(*spec_id);
    file->sequence_number = sequence_number.value_or(0);
    // Version 1 has neither column. Its number, zero, would leave deletes without effect.
    if (!sequence_number && has_content_) return "manifest without a sequence number";
    if (file->content != ManifestContent::kData && file->content != ManifestContent::kDeletes) return "unknown manifest content";
    return nullptr;
  }

 private:
  void ReadColumn(int slot, const AvroNode* node, AvroCursor* cursor, ManifestFile* file) const {
    switch (slot) {
      case kPath:
        file->manifest_path = cursor->OptionalBytes(node).value_or("");
        break;
      case kLength:
        file->manifest_length = cursor->OptionalLong(node).value_or(-1);
        break;
      case kContent:
        // Spec(iceberg v2, "Manifest Lists"): absent in version 1, where every manifest holds data files.
        file->content = static_cast<ManifestContent>(cursor->OptionalInt(node).value_or(0));
        break;
      case kMinSequenceNumber:
        file->min_sequence_number = cursor->OptionalLong(node).value_or(0);
        break;
      case kAddedSnapshotId:
        file->added_snapshot_id = cursor->OptionalLong(node);
        break;
      case kAddedFiles:
        file->added_files_count = cursor->OptionalInt(node);
        break;
      case kExistingFiles:
        file->existing_files_count = cursor->OptionalInt(node);
        break;
      case kDeletedFiles:
        file->deleted_files_count = cursor->OptionalInt(node);
        break;
      case kAddedRows:
        file->added_rows_count = cursor->OptionalLong(node);
        break;
      case kExistingRows:
        file->existing_rows_count = cursor->OptionalLong(node);
        break;
      case kDeletedRows:
        file->deleted_rows_count = cursor->OptionalLong(node);
        break;
      case kPartitions:
        ReadSummaries(node, cursor, file);
        break;
      case kFirstRowId:
        file->first_row_id = cursor->OptionalLong(node);
        break;
      case kKeyMetadata:
        file->key_metadata = ToOptionalString(cursor->OptionalBytes(node));
        break;
      default:
        cursor->Skip(node);
    }
  }

  void ReadSummaries(const AvroNode* node, AvroCursor* cursor, ManifestFile* file) const {
    cursor->Items(node, [&](const AvroNode* item) {
      if (item != summary_record_) return cursor->Fail("partition summary is not a record");
      PartitionFieldSummary& summary = file->partitions.emplace_back();
      for (size_t i = 0; i < summary_slots_.size() && cursor->ok(); ++i) {
        const AvroNode* column = item->fields[i].type;
        switch (summary_slots_[i]) {
          case kContainsNull:
            summary.contains_null = cursor->OptionalBool(column).value_or(true);
            break;
          case kContainsNan:
            summary.contains_nan = cursor->OptionalBool(column);
            break;
          case kLowerBound:
            summary.lower_bound = ToOptionalString(cursor->OptionalBytes(column));
            break;
          case kUpperBound:
            summary.upper_bound = ToOptionalString(cursor->OptionalBytes(column));
            break;
          default:
            cursor->Skip(column);
        }
      }
    });
  }

  const AvroNode& record_;
  std::vector<int> slots_;
  bool has_content_ = false;
  const AvroNode* summary_record_ = nullptr;
  std::vector<int> summary_slots_;
};

}  // namespace

arrow::Result<std::vector<ManifestFile>> ReadManifestList(std::string_view bytes, std::string_view path) {
  ARROW_ASSIGN_OR_RAISE(const auto file, AvroFile::Open(bytes, path));
  const ManifestListDecoder decoder(file->root());
  std::vector<ManifestFile> manifests;
  while (true) {
    ARROW_ASSIGN_OR_RAISE(const bool more, file->NextBlock());
    if (!more) return manifests;
    AvroCursor cursor = file->block();
    for (int64_t i = 0; i < file->block_records(); ++i) {
      ManifestFile& manifest = manifests.emplace_back();
      if (const char* fault = decoder.Read(&cursor, &manifest)) return file->Error(fault, &cursor);
    }
    if (!cursor.at_end()) return file->Error("bytes left over after the last record", &cursor);
  }
}

}  // namespace vecruntime::iceberg
