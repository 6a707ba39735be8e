// SPDX-License-Identifier: Apache-2.0
#include "vecruntime/parquet/column_reader.h"

#include <utility>

#include "vecruntime/base/error.h"
#include "vecruntime/parquet/flat_column_reader_internal.h"
#include "vecruntime/parquet/library_exception_internal.h"
#include "vecruntime/parquet/parquet_file_internal.h"
#include "vecruntime/parquet/projection_internal.h"
#include "vecruntime/parquet/record_column_reader_internal.h"

namespace vecruntime::parquet {

arrow::Result<std::unique_ptr<ColumnReader>> ColumnReader::Make(std::shared_ptr<const ParquetFile> file, const iceberg::Field& requested,
                                                                arrow::MemoryPool* pool, ColumnReaderOptions options) {
  const ParquetFile::Impl& impl = file->impl();
  const NodeLocation location = FindNode(impl.nodes, requested.id);
  if (location.node == nullptr) {
    return base::Internal("column to read is not in the file: ", file->path(), ", field id ", requested.id, " (", requested.name, ")");
  }
  return CatchLibraryExceptions(impl.path, [&]() -> arrow::Result<std::unique_ptr<ColumnReader>> {
    const FileNode& node = *location.node;
    if (options.decoder == PageDecoder::kAutomatic && node.kind == FileNode::Kind::kLeaf && IsFlat(*impl.parquet_schema().Column(node.column))) {
      ARROW_ASSIGN_OR_RAISE(LeafConversion conversion, MakeLeafConversion(*impl.parquet_schema().Column(node.column), requested, impl.path, options.encoded));
      ARROW_ASSIGN_OR_RAISE(auto type, requested.type->ToArrow());
      return MakeFlatColumnReader(std::move(file), node.column, std::move(conversion), std::move(type), options, pool);
    }
    ARROW_ASSIGN_OR_RAISE(Projection projection, Projection::Make(node, requested, impl.parquet_schema(), impl.path));
    return MakeRecordColumnReader(std::move(file), std::move(projection), pool);
  });
}

}  // namespace vecruntime::parquet
