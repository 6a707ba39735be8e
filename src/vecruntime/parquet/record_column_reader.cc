// SPDX-License-Identifier: Apache-2.0
#include "vecruntime/parquet/record_column_reader_internal.h"

#include <arrow/array.h>
#include <arrow/array/concatenate.h>
#include <arrow/buffer.h>
#include <arrow/type.h>
#include <arrow/util/bit_util.h>
#include <parquet/column_reader.h>
#include <parquet/file_reader.h>
#include <parquet/properties.h>

#include <utility>
#include <vector>

#include "vecruntime/base/error.h"
#include "vecruntime/parquet/library_exception_internal.h"
#include "vecruntime/parquet/parquet_file_internal.h"

namespace vecruntime::parquet {
namespace {

using arrow::Result;
using DataPtr = std::shared_ptr<arrow::ArrayData>;
using ::parquet::internal::BinaryRecordReader;
using ::parquet::internal::RecordReader;

constexpr int64_t kStreamBufferBytes = 256 * 1024;

::parquet::ReaderProperties StreamProperties(arrow::MemoryPool* pool) {
  ::parquet::ReaderProperties properties(pool);
  properties.enable_buffered_stream();
  properties.set_buffer_size(kStreamBufferBytes);
  properties.set_page_checksum_verification(true);
  return properties;
}

// Without pages of no values, which writers leave and a RecordReader takes for the end.
std::unique_ptr<::parquet::PageReader> PagesOf(::parquet::RowGroupReader& group, int column) {
  auto pages = group.GetColumnPageReader(column);
  pages->set_data_page_filter([](const ::parquet::DataPageStats& page) { return page.num_values == 0; });
  return pages;
}

Result<DataPtr> TakeChunks(RecordReader& reader, const std::shared_ptr<arrow::DataType>& type, arrow::MemoryPool* pool) {
  std::vector<std::shared_ptr<arrow::Array>> chunks = dynamic_cast<BinaryRecordReader&>(reader).GetBuilderChunks();
  if (chunks.size() == 1) return chunks[0]->data();
  if (chunks.empty()) {
    ARROW_ASSIGN_OR_RAISE(auto empty, arrow::MakeEmptyArray(type, pool));
    return empty->data();
  }
  ARROW_ASSIGN_OR_RAISE(auto whole, arrow::Concatenate(chunks, pool));
  return whole->data();
}

// libparquet keeps booleans as one byte each.
Result<std::shared_ptr<arrow::Buffer>> PackBooleans(const RecordReader& reader, arrow::MemoryPool* pool) {
  const int64_t length = reader.values_written();
  ARROW_ASSIGN_OR_RAISE(std::shared_ptr<arrow::Buffer> bits, arrow::AllocateEmptyBitmap(length, pool));
  const uint8_t* bytes = reader.values();
  for (int64_t i = 0; i < length; ++i) {
    if (bytes[i] != 0) arrow::bit_util::SetBit(bits->mutable_data(), i);
  }
  return bits;
}

// The values decoded since the last Reset, moved out of the reader.
Result<DataPtr> TakeValues(RecordReader& reader, arrow::MemoryPool* pool) {
  const auto type = PhysicalArrowType(*reader.descr());
  const ::parquet::Type::type physical = reader.descr()->physical_type();
  if (physical == ::parquet::Type::BYTE_ARRAY || physical == ::parquet::Type::FIXED_LEN_BYTE_ARRAY) return TakeChunks(reader, type, pool);
  const int64_t length = reader.values_written();
  const int64_t null_count = reader.nullable_values() ? reader.null_count() : 0;
  std::shared_ptr<arrow::Buffer> values;
  if (physical == ::parquet::Type::BOOLEAN) {
    ARROW_ASSIGN_OR_RAISE(values, PackBooleans(reader, pool));
  } else {
    values = reader.ReleaseValues();
  }
  std::shared_ptr<arrow::Buffer> validity = reader.nullable_values() ? reader.ReleaseIsValid() : nullptr;
  if (null_count == 0) validity = nullptr;
  return arrow::ArrayData::Make(type, length, {std::move(validity), std::move(values)}, null_count);
}

class RecordColumnReader : public ColumnReader {
 public:
  RecordColumnReader(std::shared_ptr<const ParquetFile> file, Projection projection, arrow::MemoryPool* pool)
      : file_(std::move(file)), projection_(std::move(projection)), pool_(pool) {}

  arrow::Status Open() {
    const ParquetFile::Impl& impl = file_->impl();
    return CatchLibraryExceptions(file_->path(), [&] {
      reader_ = ::parquet::ParquetFileReader::Open(impl.source, StreamProperties(pool_), impl.metadata);
      return arrow::Status::OK();
    });
  }

  Result<std::shared_ptr<arrow::Array>> Read(const columnar::Selection& rows) override {
    if (rows.NoneLive()) return arrow::MakeArrayOfNull(projection_.type(), rows.length(), pool_);
    return CatchLibraryExceptions(file_->path(), [&]() -> Result<std::shared_ptr<arrow::Array>> {
      ARROW_RETURN_NOT_OK(Position(rows.range()));
      std::vector<LeafBatch> batches;
      for (size_t i = 0; i < leaves_.size(); ++i) {
        ARROW_ASSIGN_OR_RAISE(LeafBatch batch, ReadLeaf(*leaves_[i], projection_.leaves()[i], rows.length()));
        batches.push_back(std::move(batch));
      }
      next_row_ = rows.range().end;
      return projection_.Assemble(batches, rows.length(), pool_);
    });
  }

 private:
  // Brings every leaf to the first row of `rows`: into another row group by starting it, inside one by skipping ahead.
  arrow::Status Position(base::FileRowRange rows) {
    const int group = file_->impl().RowGroupOf(rows);
    if (group < 0) return base::Internal("rows to read do not lie in one row group: ", file_->path(), ", rows ", rows.begin.value, " to ", rows.end.value);
    if (group != group_) {
      leaves_.clear();
      const auto group_reader = reader_->RowGroup(group);
      for (const ProjectedLeaf& leaf : projection_.leaves()) {
        auto record_reader = RecordReader::Make(file_->impl().parquet_schema().Column(leaf.column), leaf.levels, pool_);
        record_reader->SetPageReader(PagesOf(*group_reader, leaf.column));
        leaves_.push_back(std::move(record_reader));
      }
      group_ = group;
      next_row_ = file_->row_groups()[static_cast<size_t>(group)].begin;
    }
    if (rows.begin < next_row_) return base::Internal("rows to read do not ascend: ", file_->path(), ", row ", rows.begin.value);
    const int64_t gap = rows.begin - next_row_;
    for (const auto& leaf : leaves_) {
      if (gap > 0 && leaf->SkipRecords(gap) != gap) return MissingRows(*leaf);
    }
    next_row_ = rows.begin;
    return arrow::Status::OK();
  }

  arrow::Status MissingRows(const RecordReader& leaf) const {
    return base::CorruptData("column chunk of Parquet file has fewer rows than its row group: ", file_->path(), ", column ",
                             leaf.descr()->path()->ToDotString());
  }

  Result<LeafBatch> ReadLeaf(RecordReader& reader, const ProjectedLeaf& leaf, int64_t rows) {
    reader.Reset();
    reader.Reserve(rows);
    for (int64_t missing = rows; missing > 0;) {
      const int64_t read = reader.ReadRecords(missing);
      if (read == 0) return MissingRows(reader);
      missing -= read;
    }
    LeafBatch batch{.level_count = reader.levels_position()};
    if (reader.descr()->max_definition_level() > 0) batch.def_levels = reader.def_levels();
    if (reader.descr()->max_repetition_level() > 0) batch.rep_levels = reader.rep_levels();
    auto values = TakeValues(reader, pool_);
    if (!values.ok()) return StatusOfLibrary(values.status(), file_->path());
    if (leaf.conversion == nullptr) return batch;
    auto converted = leaf.conversion(std::move(*values), pool_);
    if (!converted.ok()) return base::WithContext(converted.status(), file_->path() + ", column " + reader.descr()->path()->ToDotString());
    batch.values = std::move(*converted);
    return batch;
  }

  const std::shared_ptr<const ParquetFile> file_;
  const Projection projection_;
  arrow::MemoryPool* const pool_;
  std::unique_ptr<::parquet::ParquetFileReader> reader_;
  std::vector<std::shared_ptr<RecordReader>> leaves_;  // of row group group_, all at next_row_
  int group_ = -1;
  base::FileRow next_row_;
};

}  // namespace

Result<std::unique_ptr<ColumnReader>> MakeRecordColumnReader(std::shared_ptr<const ParquetFile> file, Projection projection,
                                                             arrow::MemoryPool* pool) {
  auto reader = std::make_unique<RecordColumnReader>(std::move(file), std::move(projection), pool);
  ARROW_RETURN_NOT_OK(reader->Open());
  return reader;
}

}  // namespace vecruntime::parquet
