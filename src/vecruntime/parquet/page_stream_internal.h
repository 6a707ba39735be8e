// SPDX-License-Identifier: Apache-2.0
// Walks the pages of one column chunk of a column without repetition, and inflates those that are wanted. Pages passed over are not inflated, and with an
// offset index not read. Buffers are kept from chunk to chunk. One thread at a time.
#pragma once

#include <arrow/io/type_fwd.h>
#include <arrow/result.h>
#include <arrow/type_fwd.h>
#include <arrow/util/type_fwd.h>

#include <atomic>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "vecruntime/parquet/page_header_internal.h"
#include "vecruntime/parquet/parquet_file_internal.h"

namespace vecruntime::parquet {

/// Rows [first_row, first_row + rows) of the row group.
struct Page {
  PageHeader header;
  int64_t offset = 0;  // of the header in the file
  int64_t first_row = 0;
  int64_t rows = 0;
  int64_t end_row() const { return first_row + rows; }
};

/// Views into the stream's buffers, valid until the next call.
struct PageBytes {
  std::span<const uint8_t> def_levels;  // empty when the column has none
  std::span<const uint8_t> values;
};

class PageStream {
 public:
  /// `inflate_ns` as in ColumnReaderOptions; `pool` feeds the buffers.
  PageStream(std::shared_ptr<const ParquetFile> file, int column, std::atomic<int64_t>* inflate_ns, arrow::MemoryPool* pool);

  /// Goes to the start of the column's chunk in `row_group`.
  arrow::Status OpenChunk(int row_group);
  /// Makes the data page that holds `row` the current one. REQUIRES: rows ascend.
  arrow::Status Seek(int64_t row);
  const Page& page() const { return page_; }

  /// The current page's levels and values, inflated.
  arrow::Result<PageBytes> Load();
  /// Room before a place for values in which a page's levels may lie for a moment; what was there is restored.
  static constexpr int64_t kLevelRoom = 64;
  /// Inflates the current page straight to `out`: false (and `out` unspecified) unless the page is exactly out.size() bytes of values without
  /// a NULL. REQUIRES: kLevelRoom writable bytes before `out`.
  arrow::Result<bool> LoadInto(std::span<uint8_t> out);
  /// Whether the pages up to the current one begin with a dictionary.
  bool has_dictionary() const { return has_dictionary_; }
  /// The chunk's dictionary page, inflated; valid until the next OpenChunk. CorruptData when it has none.
  arrow::Result<std::span<const uint8_t>> Dictionary(int32_t* value_count) const;

  /// `status` as CorruptData (or its own kind) that names file, column and the offset of the page last looked at.
  arrow::Status Explain(const arrow::Status& status) const;

 private:
  arrow::Status Corrupt(std::string_view what, int64_t offset) const;
  arrow::Result<std::span<const uint8_t>> View(int64_t offset, int64_t length);
  arrow::Status ReadWindow(int64_t offset, int64_t length);
  arrow::Result<PageHeader> ReadHeader(int64_t offset);
  arrow::Status CheckSizes(const PageHeader& header, int64_t offset) const;
  arrow::Status Inflate(std::span<const uint8_t> in, std::span<uint8_t> out);
  arrow::Status NextPage();
  arrow::Status LoadDictionary(const PageHeader& header, int64_t offset);
  arrow::Status JumpTowards(int64_t row);
  arrow::Result<std::span<const uint8_t>> StoredBody(const Page& page);
  arrow::Result<std::span<const uint8_t>> InflateBody(const Page& page, int64_t skip_bytes, std::shared_ptr<arrow::ResizableBuffer>* buffer);
  arrow::Result<bool> InflateBehindLevels(int64_t level_bytes, std::span<uint8_t> out);
  bool IsWithoutNulls(std::span<const uint8_t> levels) const;
  arrow::Result<PageBytes> SplitV1(std::span<const uint8_t> body) const;

  const std::shared_ptr<const ParquetFile> file_;
  const int column_;
  std::atomic<int64_t>* const inflate_ns_;
  arrow::MemoryPool* const pool_;
  const int16_t max_def_level_;

  // The chunk.
  int row_group_ = -1;
  int64_t group_rows_ = 0;
  arrow::Compression::type compression_{};
  int64_t chunk_begin_ = 0;
  int64_t chunk_end_ = 0;
  int64_t chunk_inflated_bytes_ = 0;
  bool has_dictionary_ = false;
  int32_t dictionary_value_count_ = 0;
  std::span<const uint8_t> dictionary_;
  int64_t offset_ = 0;  // of the page last looked at
  int64_t next_offset_ = 0;
  int64_t next_row_ = 0;
  Page page_;
  bool index_read_ = false;
  std::vector<PageLocation> index_;

  // Bytes [window_begin_, window_begin_ + window_.size()) of the file.
  std::shared_ptr<arrow::ResizableBuffer> window_buffer_;
  std::shared_ptr<arrow::Buffer> window_view_;  // of a file that is memory already
  int64_t window_begin_ = 0;
  int64_t window_bytes_ = 0;  // of the last read
  std::span<const uint8_t> window_;
  std::shared_ptr<arrow::ResizableBuffer> body_;
  std::shared_ptr<arrow::ResizableBuffer> dictionary_body_;
};

}  // namespace vecruntime::parquet
