// SPDX-License-Identifier: Apache-2.0
#include "vecruntime/scan/file_columns.h"

#include <arrow/array.h>
#include <arrow/array/util.h>
#include <arrow/buffer.h>
#include <arrow/builder.h>
#include <arrow/result.h>
#include <arrow/scalar.h>
#include <arrow/type.h>

#include <algorithm>
#include <numeric>
#include <optional>
#include <utility>

#include "vecruntime/base/error.h"
#include "vecruntime/parquet/column_reader.h"

namespace vecruntime::scan {

using columnar::Selection;
using iceberg::Field;

// Where the values of one column of one file come from.
class FileColumnSource {
 public:
  virtual ~FileColumnSource() = default;
  virtual arrow::Result<std::shared_ptr<arrow::Array>> Read(const Selection& rows) = 0;
};

struct FileColumns::Slot {
  ScanColumn column;
  std::unique_ptr<FileColumnSource> source;
  std::shared_ptr<arrow::Array> current;  // of the run that BeginRows started; null until read
};

namespace {

// Row positions [begin + first, ...) as longs.
arrow::Result<std::shared_ptr<arrow::Array>> Ascending(int64_t first, int64_t length, arrow::MemoryPool* pool) {
  ARROW_ASSIGN_OR_RAISE(std::shared_ptr<arrow::Buffer> buffer, arrow::AllocateBuffer(length * 8, pool));
  auto* values = reinterpret_cast<int64_t*>(buffer->mutable_data());
  std::iota(values, values + length, first);
  return std::make_shared<arrow::Int64Array>(length, std::move(buffer));
}

class ReaderSource : public FileColumnSource {
 public:
  explicit ReaderSource(std::unique_ptr<parquet::ColumnReader> reader) : reader_(std::move(reader)) {}
  arrow::Result<std::shared_ptr<arrow::Array>> Read(const Selection& rows) override { return reader_->Read(rows); }

 private:
  const std::unique_ptr<parquet::ColumnReader> reader_;
};

class ConstantSource : public FileColumnSource {
 public:
  ConstantSource(std::shared_ptr<arrow::Scalar> value, arrow::MemoryPool* pool) : value_(std::move(value)), pool_(pool) {}
  arrow::Result<std::shared_ptr<arrow::Array>> Read(const Selection& rows) override {
    if (cached_ == nullptr || cached_->length() < rows.length()) {
      ARROW_ASSIGN_OR_RAISE(cached_, arrow::MakeArrayFromScalar(*value_, rows.length(), pool_));
    }
    return cached_->Slice(0, rows.length());
  }

 private:
  const std::shared_ptr<arrow::Scalar> value_;
  arrow::MemoryPool* const pool_;
  std::shared_ptr<arrow::Array> cached_;
};

// offset + position, except where the file stores a value of its own (`stored`, may be null): _pos and _row_id.
class PositionSource : public FileColumnSource {
 public:
  PositionSource(int64_t offset, std::unique_ptr<parquet::ColumnReader> stored, arrow::MemoryPool* pool)
      : offset_(offset), stored_(std::move(stored)), pool_(pool) {}
  arrow::Result<std::shared_ptr<arrow::Array>> Read(const Selection& rows) override {
    ARROW_ASSIGN_OR_RAISE(auto computed, Ascending(offset_ + rows.begin().value, rows.length(), pool_));
    if (stored_ == nullptr) return computed;
    ARROW_ASSIGN_OR_RAISE(auto stored, stored_->Read(rows));
    return Overlay(static_cast<const arrow::Int64Array&>(*stored), static_cast<const arrow::Int64Array&>(*computed), pool_);
  }

  // stored where it is not NULL, else fallback.
  static arrow::Result<std::shared_ptr<arrow::Array>> Overlay(const arrow::Int64Array& stored, const arrow::Int64Array& fallback,
                                                              arrow::MemoryPool* pool) {
    ARROW_ASSIGN_OR_RAISE(std::shared_ptr<arrow::Buffer> buffer, arrow::AllocateBuffer(stored.length() * 8, pool));
    auto* values = reinterpret_cast<int64_t*>(buffer->mutable_data());
    for (int64_t i = 0; i < stored.length(); ++i) values[i] = stored.IsNull(i) ? fallback.Value(i) : stored.Value(i);
    return std::make_shared<arrow::Int64Array>(stored.length(), std::move(buffer));
  }

 private:
  const int64_t offset_;
  const std::unique_ptr<parquet::ColumnReader> stored_;
  arrow::MemoryPool* const pool_;
};

// A stored long, or `fallback` where it is NULL: _last_updated_sequence_number.
class StoredOrConstantSource : public FileColumnSource {
 public:
  StoredOrConstantSource(std::unique_ptr<parquet::ColumnReader> stored, int64_t fallback, arrow::MemoryPool* pool)
      : stored_(std::move(stored)), fallback_(fallback), pool_(pool) {}
  arrow::Result<std::shared_ptr<arrow::Array>> Read(const Selection& rows) override {
    ARROW_ASSIGN_OR_RAISE(auto stored, stored_->Read(rows));
    ARROW_ASSIGN_OR_RAISE(auto fallback, arrow::MakeArrayFromScalar(arrow::Int64Scalar(fallback_), rows.length(), pool_));
    return PositionSource::Overlay(static_cast<const arrow::Int64Array&>(*stored), static_cast<const arrow::Int64Array&>(*fallback),
                                         pool_);
  }

 private:
  const std::unique_ptr<parquet::ColumnReader> stored_;
  const int64_t fallback_;
  arrow::MemoryPool* const pool_;
};

}  // namespace

FileColumns::FileColumns(std::shared_ptr<const parquet::ParquetFile> file, planning::EntryPtr entry,
                         std::shared_ptr<const iceberg::TableMetadata> metadata, ScanMetrics* metrics, arrow::MemoryPool* pool)
    : file_(std::move(file)), entry_(std::move(entry)), metadata_(std::move(metadata)), metrics_(metrics), pool_(pool) {}
FileColumns::~FileColumns() = default;

void FileColumns::BeginRows() {
  for (auto& slot : slots_) slot->current = nullptr;
}

arrow::Result<std::shared_ptr<arrow::Array>> FileColumns::Get(const ScanColumn& column, const Selection& rows) {
  ARROW_ASSIGN_OR_RAISE(Slot* const slot, SlotOf(column));
  if (slot->current == nullptr) {
    auto values = slot->source->Read(rows);
    if (!values.ok()) return values.status();
    slot->current = *std::move(values);
  }
  return slot->current;
}

arrow::Result<FileColumns::Slot*> FileColumns::SlotOf(const ScanColumn& column) {
  for (const auto& slot : slots_) {
    const bool same = slot->column.kind == column.kind && slot->column.field.id == column.field.id &&
                      iceberg::Equals(*slot->column.field.type, *column.field.type);
    if (same) return slot.get();
  }
  ARROW_ASSIGN_OR_RAISE(auto source, MakeSource(column));
  slots_.push_back(std::make_unique<Slot>(Slot{column, std::move(source), nullptr}));
  return slots_.back().get();
}

bool FileColumns::FileHolds(iceberg::FieldId id) const {
  const auto& columns = file_->schema().columns();
  return std::any_of(columns.begin(), columns.end(), [&](const Field& field) { return field.id == id; });
}

arrow::Result<std::unique_ptr<FileColumnSource>> FileColumns::MakeSource(const ScanColumn& column) const {
  const auto constant = [&](std::shared_ptr<arrow::Scalar> value) -> std::unique_ptr<FileColumnSource> {
    return std::make_unique<ConstantSource>(std::move(value), pool_);
  };
  switch (column.kind) {
    case ScanColumnKind::kField:
      return MakeFieldSource(column.field);
    case ScanColumnKind::kFile:
      return constant(std::make_shared<arrow::StringScalar>(entry_->file.file_path));
    case ScanColumnKind::kSpecId:
      return constant(std::make_shared<arrow::Int32Scalar>(entry_->file.spec_id));
    case ScanColumnKind::kPartition: {
      ARROW_ASSIGN_OR_RAISE(auto value, PartitionStruct(column.field));
      return constant(std::move(value));
    }
    case ScanColumnKind::kPos:
      return std::unique_ptr<FileColumnSource>(std::make_unique<PositionSource>(0, nullptr, pool_));
    case ScanColumnKind::kRowId:
    case ScanColumnKind::kLastUpdatedSequenceNumber:
      return MakeLineageSource(column);
    case ScanColumnKind::kDeleted:
      break;
  }
  return base::Internal("the scan fills this column itself: ", column.field.name);
}

arrow::Result<std::unique_ptr<FileColumnSource>> FileColumns::MakeFieldSource(const Field& field) const {
  if (FileHolds(field.id)) {
    ARROW_ASSIGN_OR_RAISE(auto reader, parquet::ColumnReader::Make(file_, field, pool_, {.encoded = true, .inflate_ns = &metrics_->inflate_ns}));
    return std::unique_ptr<FileColumnSource>(std::make_unique<ReaderSource>(std::move(reader)));
  }
  // It is there, but what it is made of cannot be told: NULL would hide its values.
  if (metadata_->name_mapping.empty() && file_->Mentions(field.id)) {
    return base::CorruptData("column of Parquet file has parts without field ids: ", entry_->file.file_path, ", field ", field.name, ", id ", field.id);
  }
  ARROW_ASSIGN_OR_RAISE(auto value, AbsentValue(field));
  return std::unique_ptr<FileColumnSource>(std::make_unique<ConstantSource>(std::move(value), pool_));
}

// Spec(iceberg v3, "Row Lineage"): a stored value wins, else first_row_id + position and the data sequence number; both are NULL for files
// without a first_row_id.
arrow::Result<std::unique_ptr<FileColumnSource>> FileColumns::MakeLineageSource(const ScanColumn& column) const {
  if (!entry_->file.first_row_id) {
    ARROW_ASSIGN_OR_RAISE(auto null, iceberg::ToScalar(*column.field.type, {}));
    return std::unique_ptr<FileColumnSource>(std::make_unique<ConstantSource>(std::move(null), pool_));
  }
  std::unique_ptr<parquet::ColumnReader> stored;
  if (FileHolds(column.field.id)) {
    ARROW_ASSIGN_OR_RAISE(stored, parquet::ColumnReader::Make(file_, column.field, pool_));
  }
  std::unique_ptr<FileColumnSource> source;
  if (column.kind == ScanColumnKind::kRowId) {
    source = std::make_unique<PositionSource>(*entry_->file.first_row_id, std::move(stored), pool_);
  } else if (stored != nullptr) {
    source = std::make_unique<StoredOrConstantSource>(std::move(stored), *entry_->data_sequence_number, pool_);
  } else {
    source = std::make_unique<ConstantSource>(std::make_shared<arrow::Int64Scalar>(*entry_->data_sequence_number), pool_);
  }
  return source;
}

// Spec(iceberg v3, "Column Projection"): identity partition value, else initial-default, else NULL.
arrow::Result<std::shared_ptr<arrow::Scalar>> FileColumns::AbsentValue(const Field& field) const {
  const iceberg::PartitionSpec* spec = metadata_->FindSpec(entry_->file.spec_id);
  for (size_t i = 0; spec != nullptr && i < spec->fields.size() && i < entry_->file.partition.size(); ++i) {
    const iceberg::PartitionField& partition = spec->fields[i];
    if (partition.source_id == field.id && partition.transform.kind == iceberg::TransformKind::kIdentity) {
      return iceberg::ToScalar(*field.type, entry_->file.partition[i]);
    }
  }
  if (field.initial_default) return iceberg::ToScalar(*field.type, *field.initial_default);
  if (field.required) {
    return base::CorruptData("data file lacks a required column without default: field ", field.name, ", id ", field.id, ", file ",
                             entry_->file.file_path);
  }
  ARROW_ASSIGN_OR_RAISE(auto type, field.type->ToArrow());
  return arrow::MakeNullScalar(type);
}

arrow::Result<std::shared_ptr<arrow::Scalar>> FileColumns::PartitionStruct(const Field& field) const {
  const iceberg::PartitionSpec* spec = metadata_->FindSpec(entry_->file.spec_id);
  arrow::ScalarVector values;
  for (const Field& member : field.type->fields()) {
    iceberg::Value value;
    for (size_t i = 0; spec != nullptr && i < spec->fields.size() && i < entry_->file.partition.size(); ++i) {
      if (spec->fields[i].field_id == member.id) value = entry_->file.partition[i];
    }
    ARROW_ASSIGN_OR_RAISE(values.emplace_back(), iceberg::ToScalar(*member.type, value));
  }
  ARROW_ASSIGN_OR_RAISE(auto type, field.type->ToArrow());
  return std::make_shared<arrow::StructScalar>(std::move(values), std::move(type));
}

}  // namespace vecruntime::scan
