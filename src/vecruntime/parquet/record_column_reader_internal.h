// SPDX-License-Identifier: Apache-2.0
// The ColumnReader over libparquet's record readers: every type, nesting, encoding and codec that libparquet knows.
#pragma once

#include <arrow/result.h>

#include <memory>

#include "vecruntime/parquet/column_reader.h"
#include "vecruntime/parquet/projection_internal.h"

namespace vecruntime::parquet {

/// REQUIRES: `projection` was made from `file`.
arrow::Result<std::unique_ptr<ColumnReader>> MakeRecordColumnReader(std::shared_ptr<const ParquetFile> file, Projection projection,
                                                                    arrow::MemoryPool* pool);

}  // namespace vecruntime::parquet
