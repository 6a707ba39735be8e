// SPDX-License-Identifier: Apache-2.0
#include "cli/output/row_writer.h"

#include <array>
#include <utility>

#include "vecruntime/base/error.h"

namespace vecruntime::cli {

arrow::Result<std::unique_ptr<RowWriter>> MakeRowWriter(const WriterOptions& options, arrow::io::OutputStream* stream) {
  switch (options.format) {
    case Format::kTable: return MakeTableWriter(options, stream);
    case Format::kCsv: return MakeCsvWriter(options.timezone, stream);
    case Format::kJson: return MakeJsonWriter(options.timezone, stream);
    case Format::kArrow: return MakeArrowWriter(options.arrow_file, stream);
    case Format::kParquet: return MakeParquetWriter(stream);
  }
  return base::Internal("format without a writer");
}

arrow::Result<Format> ParseFormat(const std::string& name) {
  constexpr std::array<std::pair<const char*, Format>, 5> kFormats = {{{"table", Format::kTable},
                                                                       {"csv", Format::kCsv},
                                                                       {"json", Format::kJson},
                                                                       {"arrow", Format::kArrow},
                                                                       {"parquet", Format::kParquet}}};
  for (const auto& [each, format] : kFormats) {
    if (name == each) return format;
  }
  return base::InvalidArgument("format is none of table, csv, json, arrow, parquet: ", name);
}

arrow::Result<Format> FormatOfFile(const std::string& path) {
  constexpr std::array<std::pair<const char*, Format>, 10> kExtensions = {{{".csv", Format::kCsv},
                                                                           {".json", Format::kJson},
                                                                           {".jsonl", Format::kJson},
                                                                           {".ndjson", Format::kJson},
                                                                           {".arrow", Format::kArrow},
                                                                           {".arrows", Format::kArrow},
                                                                           {".feather", Format::kArrow},
                                                                           {".parquet", Format::kParquet},
                                                                           {".pq", Format::kParquet},
                                                                           {".txt", Format::kTable}}};
  for (const auto& [extension, format] : kExtensions) {
    if (path.ends_with(extension)) return format;
  }
  return base::InvalidArgument("the output's format is not clear from its name, --format tells it: ", path);
}

}  // namespace vecruntime::cli
