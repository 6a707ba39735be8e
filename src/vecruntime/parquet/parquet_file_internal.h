// SPDX-License-Identifier: Apache-2.0
// What the readers of this layer need of an opened file. Immutable after Open.
#pragma once

#include <arrow/io/interfaces.h>
#include <parquet/metadata.h>
#include <parquet/page_index.h>

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "vecruntime/parquet/file_schema_internal.h"
#include "vecruntime/parquet/page_header_internal.h"
#include "vecruntime/parquet/parquet_file.h"

namespace vecruntime::parquet {

// What the end of a file says, without the file: it may outlive its handle. Immutable.
struct Footer {
  Footer(int64_t size, std::shared_ptr<::parquet::FileMetaData> metadata, const std::vector<iceberg::MappedField>& mapping);

  const int64_t size;  // of the file, bytes
  const std::shared_ptr<::parquet::FileMetaData> metadata;
  const std::vector<FileNode> nodes;
  const iceberg::Schema schema;
  std::vector<base::FileRowRange> row_groups;
};

class ParquetFile::Impl {
 public:
  Impl(std::shared_ptr<arrow::io::RandomAccessFile> file, std::string file_path, std::shared_ptr<const Footer> file_footer)
      : source(std::move(file)), path(std::move(file_path)), footer(std::move(file_footer)) {}

  const std::shared_ptr<arrow::io::RandomAccessFile> source;
  const std::string path;
  const std::shared_ptr<const Footer> footer;
  const int64_t size = footer->size;
  const std::shared_ptr<::parquet::FileMetaData>& metadata = footer->metadata;
  const std::vector<FileNode>& nodes = footer->nodes;
  const iceberg::Schema& schema = footer->schema;
  const std::vector<base::FileRowRange>& row_groups = footer->row_groups;

  const ::parquet::SchemaDescriptor& parquet_schema() const { return *metadata->schema(); }
  /// The row group that holds `rows` whole, or -1. The empty range belongs to none.
  int RowGroupOf(base::FileRowRange rows) const;
  /// The pages of a column chunk; empty when the file has no usable offset index for it.
  arrow::Result<std::vector<PageLocation>> ReadOffsetIndex(int row_group, int column) const;
};

/// min, max and null count of one column chunk in terms of `requested`; nullopt when the footer says nothing usable.
std::optional<ColumnStatistics> ReadStatistics(const ::parquet::ColumnChunkMetaData& chunk, const ::parquet::ColumnDescriptor& column,
                                               const iceberg::Type& requested);

/// The same of each data page by its chunk's column index; `rows` are the pages' row counts. Empty when the index says nothing usable.
/// REQUIRES: a column that is not repeated.
std::vector<ColumnStatistics> ReadPageStatistics(const ::parquet::ColumnIndex& index, const ::parquet::ColumnDescriptor& column,
                                                 const iceberg::Type& requested, const std::vector<int64_t>& rows);

}  // namespace vecruntime::parquet
