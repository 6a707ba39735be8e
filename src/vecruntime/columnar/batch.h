// SPDX-License-Identifier: Apache-2.0
// What flows between operators: equal-length Arrow arrays and the Selection that tells which of their rows count.
#pragma once

#include <arrow/type_fwd.h>

#include <memory>
#include <vector>

#include "vecruntime/columnar/selection.h"

namespace vecruntime::columnar {

/// A run of rows. Every array has num_rows() elements; values at rows that are not alive are unspecified (but valid memory). Operators
/// narrow `selection`; they do not copy the columns to do it. Columns may be encoded (decode.h).
struct Batch {
  std::vector<std::shared_ptr<arrow::Array>> columns;
  Selection selection;

  int64_t num_rows() const { return selection.length(); }
};

/// The live rows alone, as dense arrays (the columns themselves when every row is alive).
arrow::Result<std::vector<std::shared_ptr<arrow::Array>>> CompactEncoded(const Batch& batch, arrow::MemoryPool* pool);
/// The same, with no column encoded any more.
arrow::Result<std::vector<std::shared_ptr<arrow::Array>>> Compact(const Batch& batch, arrow::MemoryPool* pool);

}  // namespace vecruntime::columnar
