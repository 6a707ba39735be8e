// SPDX-License-Identifier: Apache-2.0
// The ColumnReader for columns without repetition and with at most one level of NULL, over our own page decoding.
#pragma once

#include <arrow/result.h>

#include <memory>

#include "vecruntime/parquet/column_reader.h"
#include "vecruntime/parquet/leaf_conversion_internal.h"

namespace vecruntime::parquet {

bool IsFlat(const ::parquet::ColumnDescriptor& column);

/// REQUIRES: IsFlat(column); `conversion` turns its physical values into `type`.
std::unique_ptr<ColumnReader> MakeFlatColumnReader(std::shared_ptr<const ParquetFile> file, int column, LeafConversion conversion,
                                                   std::shared_ptr<arrow::DataType> type, const ColumnReaderOptions& options, arrow::MemoryPool* pool);

}  // namespace vecruntime::parquet
