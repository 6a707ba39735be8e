// SPDX-License-Identifier: Apache-2.0
// An opened Parquet file: its footer, with columns resolved to Iceberg field ids. Immutable after Open; shared by all workers.
#pragma once

#include <arrow/io/type_fwd.h>
#include <arrow/type_fwd.h>

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "vecruntime/base/row.h"
#include "vecruntime/iceberg/table_metadata.h"
#include "vecruntime/iceberg/type.h"
#include "vecruntime/io/file_io.h"

namespace vecruntime::parquet {

/// What a row group's footer says of one primitive column, in the terms of the requested type. A missing optional means "unknown".
struct ColumnStatistics {
  std::optional<iceberg::Value> min;  // only when trustworthy: right unit, right order, min <= max, not NaN
  std::optional<iceberg::Value> max;
  std::optional<int64_t> null_count;
  int64_t value_count = 0;
};

/// The rows of one data page of a column and what the column index says of their values.
struct PageStatistics {
  base::FileRowRange rows;
  ColumnStatistics statistics;
};

class ParquetFile {
 public:
  /// Reads the footer. `path` is for error messages. `name_mapping` gives ids to files whose columns have none at all; with neither, the
  /// file has no fields. CorruptData names path and place; encrypted files are Unsupported.
  static arrow::Result<std::shared_ptr<const ParquetFile>> Open(std::shared_ptr<arrow::io::RandomAccessFile> file, std::string path,
                                                                const std::vector<iceberg::MappedField>& name_mapping);
  /// As above; the parsed footer is remembered between statements (io::FileIO::DecodePartOnce).
  static arrow::Result<std::shared_ptr<const ParquetFile>> Open(const io::FileIO& file_io, io::IdentifiedFile opened, std::string path,
                                                                const std::vector<iceberg::MappedField>& name_mapping);
  ~ParquetFile();

  const std::string& path() const;
  int64_t num_rows() const;
  /// Top-level columns of the file, with or without field ids.
  int num_columns() const;
  /// Rows of each row group; empty groups included. Together they are [0, num_rows()).
  const std::vector<base::FileRowRange>& row_groups() const;
  /// The file's columns as Iceberg fields (ids from the file or the name mapping; columns without an id are left out). Types are the
  /// closest Iceberg reading of the Parquet types.
  const iceberg::Schema& schema() const;
  bool HasField(iceberg::FieldId id) const { return schema().FindById(id) != nullptr; }
  /// Whether a column or a part of one has this id, even if it cannot be read because parts of it have none.
  bool Mentions(iceberg::FieldId id) const;
  /// Statistics of the primitive field `requested` (current type; the file's may be narrower) in a row group; nullopt when there are none.
  std::optional<ColumnStatistics> Statistics(int row_group, const iceberg::Field& requested) const;
  /// Statistics of the data pages of the primitive field `requested` in a row group, which they cover in order; empty when the file's page
  /// index (parquet.thrift, "ColumnIndex", "OffsetIndex") is missing or does not tell.
  std::vector<PageStatistics> StatisticsByPage(int row_group, const iceberg::Field& requested) const;
  /// First rows of the data pages of top-level field `id` in a row group, ascending, the group's own first row included; only that one
  /// when the file has no offset index.
  arrow::Result<std::vector<base::FileRow>> PageStarts(int row_group, iceberg::FieldId id) const;

  class Impl;
  const Impl& impl() const { return *impl_; }

 private:
  explicit ParquetFile(std::unique_ptr<Impl> impl);
  std::unique_ptr<Impl> impl_;
};

}  // namespace vecruntime::parquet
