// SPDX-License-Identifier: Apache-2.0
// Reads dictionary-encoded pages as codes of 8 or 16 bits instead of values.
#pragma once

#include <arrow/type_fwd.h>

#include <cstdint>
#include <memory>

#include "vecruntime/parquet/value_reader_internal.h"

namespace vecruntime::parquet {

/// A ValueReader whose array is the codes, each below `entry_count`: uint8 up to 256 entries, else uint16. Takes dictionary-encoded pages only.
/// REQUIRES: 0 < entry_count <= columnar::kDictionaryEntriesMax.
std::unique_ptr<ValueReader> MakeCodeReader(int32_t entry_count, arrow::MemoryPool* pool);
std::shared_ptr<arrow::DataType> CodeType(int32_t entry_count);

}  // namespace vecruntime::parquet
