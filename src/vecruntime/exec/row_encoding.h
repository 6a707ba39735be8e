// SPDX-License-Identifier: Apache-2.0
// Rows of typed columns as byte strings: either their bytes order as the rows do (sorting, min, max), or they are merely equal when the
// rows are (grouping). Spark's rules in both: NaN is one value and greatest, -0.0 is 0.0, strings and binary by unsigned bytes, structs by
// their members and arrays by their elements with NULL least.
//
//   row    = column*
//   column = marker, value when not NULL     marker: 0 NULL first, 1 value, 2 NULL last; a descending value has all of its bytes inverted
#pragma once

#include <arrow/type_fwd.h>

#include <cstdint>
#include <memory>
#include <string_view>
#include <vector>

#include "vecruntime/columnar/selection.h"
#include "vecruntime/exec/evaluation.h"

namespace vecruntime::exec {

struct ColumnOrder {
  bool descending = false;
  bool nulls_first = true;
};

/// Encoded rows, back to back. Row i of the batch is bytes [offsets[i], offsets[i+1]); dead rows are empty.
struct EncodedRows {
  std::vector<uint8_t> bytes;
  std::vector<int64_t> offsets;
  std::string_view row(int64_t i) const {
    const auto at = static_cast<size_t>(i);
    return {reinterpret_cast<const char*>(bytes.data()) + offsets[at], static_cast<size_t>(offsets[at + 1] - offsets[at])};
  }
  int64_t memory() const { return static_cast<int64_t>(bytes.capacity() + offsets.capacity() * sizeof(int64_t)); }
};

/// Whether values of `type` can be ordered or grouped (maps cannot).
bool IsEncodable(const arrow::DataType& type);

/// Bytes that order as the rows do. REQUIRES: one order per column.
arrow::Result<EncodedRows> EncodeOrdered(const ArrayVector& columns, const std::vector<ColumnOrder>& orders,
                                         const columnar::Selection& rows);

/// Bytes that are equal exactly when the rows are one group; cheaper than EncodeOrdered for strings.
arrow::Result<EncodedRows> EncodeForEquality(const ArrayVector& columns, const columnar::Selection& rows);

}  // namespace vecruntime::exec
