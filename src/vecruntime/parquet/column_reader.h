// SPDX-License-Identifier: Apache-2.0
// Reads one top-level column of one file for ascending row ranges. Owned by one worker; keeps decompression and page state between calls.
#pragma once

#include <arrow/type_fwd.h>

#include <atomic>
#include <cstdint>
#include <memory>

#include "vecruntime/columnar/selection.h"
#include "vecruntime/parquet/parquet_file.h"

namespace vecruntime::parquet {

/// Which decoder reads the pages. kAutomatic is our own where it can, libparquet's elsewhere; kLibrary is for comparing the two.
enum class PageDecoder { kAutomatic, kLibrary };

struct ColumnReaderOptions {
  PageDecoder decoder = PageDecoder::kAutomatic;
  /// Arrays may be encoded (columnar/decode.h) as the pages are.
  bool encoded = false;
  /// Time spent on inflating pages is added to it; null for nobody who wants to know.
  std::atomic<int64_t>* inflate_ns = nullptr;
};

class ColumnReader {
 public:
  /// `requested` is the field as the query wants it: its id is in the file; its type may be promoted, and nested types may have members
  /// added (filled by initial_default, else NULL), dropped, renamed or reordered, or be a pruned subset. Unsupported by name for types
  /// that cannot be read; CorruptData when the file's type cannot become the requested one.
  static arrow::Result<std::unique_ptr<ColumnReader>> Make(std::shared_ptr<const ParquetFile> file, const iceberg::Field& requested,
                                                           arrow::MemoryPool* pool, ColumnReaderOptions options = {});
  virtual ~ColumnReader() = default;

  /// Values of `rows` (length rows.range().length(), type requested.type->ToArrow() unless encoded). Values at rows not alive are unspecified, and what only
  /// they need may be skipped undecoded. REQUIRES: the range lies in one row group; successive calls ascend (gaps are fine).
  virtual arrow::Result<std::shared_ptr<arrow::Array>> Read(const columnar::Selection& rows) = 0;
};

}  // namespace vecruntime::parquet
