// SPDX-License-Identifier: Apache-2.0
// Result batches to bytes: one writer per format.
#pragma once

#include <arrow/io/type_fwd.h>
#include <arrow/type_fwd.h>

#include <memory>
#include <string>

namespace vecruntime::cli {

enum class Format { kTable, kCsv, kJson, kArrow, kParquet };

struct WriterOptions {
  Format format = Format::kTable;
  /// How timestamps are shown; IANA name or "+hh:mm".
  std::string timezone = "UTC";
  /// Columns and rows of the terminal that is written to; 0 when it is none: then nothing is shortened.
  int terminal_columns = 0;
  int64_t terminal_rows_max = 0;
  /// Arrow only: the file format with its footer instead of the stream.
  bool arrow_file = false;
};

/// Calls in this order: Begin, Write for each batch, End. Used by one thread. Does not close the stream.
class RowWriter {
 public:
  virtual ~RowWriter() = default;
  virtual arrow::Status Begin(const std::shared_ptr<arrow::Schema>& schema) = 0;
  virtual arrow::Status Write(const arrow::RecordBatch& batch) = 0;
  virtual arrow::Status End() = 0;
};

/// REQUIRES: `stream` outlives the writer.
arrow::Result<std::unique_ptr<RowWriter>> MakeRowWriter(const WriterOptions& options, arrow::io::OutputStream* stream);

arrow::Result<Format> ParseFormat(const std::string& name);
/// By the file name's extension; InvalidArgument when it tells nothing.
arrow::Result<Format> FormatOfFile(const std::string& path);

std::unique_ptr<RowWriter> MakeArrowWriter(bool file_format, arrow::io::OutputStream* stream);
std::unique_ptr<RowWriter> MakeParquetWriter(arrow::io::OutputStream* stream);
arrow::Result<std::unique_ptr<RowWriter>> MakeCsvWriter(const std::string& timezone, arrow::io::OutputStream* stream);
arrow::Result<std::unique_ptr<RowWriter>> MakeJsonWriter(const std::string& timezone, arrow::io::OutputStream* stream);
arrow::Result<std::unique_ptr<RowWriter>> MakeTableWriter(const WriterOptions& options, arrow::io::OutputStream* stream);

}  // namespace vecruntime::cli
