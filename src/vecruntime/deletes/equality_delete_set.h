// SPDX-License-Identifier: Apache-2.0
// All keys that equality deletes of one field-id set remove in one scope, each with the greatest data sequence number that removes it.
// Immutable, shared by all workers.
#pragma once

#include <arrow/type_fwd.h>

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "vecruntime/base/memory_budget.h"
#include "vecruntime/columnar/selection.h"
#include "vecruntime/parquet/parquet_file.h"

namespace vecruntime::deletes {

/// Keys removed by a delete of one sequence number: one array per key column, all equally long.
struct DeletedKeys {
  std::vector<std::shared_ptr<arrow::Array>> columns;
  int64_t sequence = 0;
};

/// What the deleted keys have in one key column.
struct KeyBounds {
  bool has_null = false;
  bool has_value = false;
  // The least and the greatest value: integer-like ones, or strings and binaries; unknown for other types.
  std::optional<int64_t> min_integer, max_integer;
  std::optional<std::string> min_bytes, max_bytes;

  /// False only when no row of a row group with these statistics equals a deleted key in this column.
  bool MightMatch(const parquet::ColumnStatistics& rows) const;
};

/// Keys compare as Iceberg's Java comparators do: NULL equals NULL, NaN equals NaN, -0.0 differs from 0.0.
class EqualityDeleteSet {
 public:
  /// One integer-like column (int, long, date, time, timestamps, boolean) becomes a bitmap or a table of 64-bit values, anything else a
  /// table of encoded rows. What the set takes is reserved from `memory` before it grows; the keys in `parts` are the caller's.
  static arrow::Result<std::shared_ptr<const EqualityDeleteSet>> Build(const std::vector<std::shared_ptr<arrow::DataType>>& key_types,
                                                                       const std::vector<DeletedKeys>& parts, base::Reservation* memory);
  virtual ~EqualityDeleteSet() = default;

  /// Kills the rows of `rows` whose key a delete newer than `data_sequence` removes. REQUIRES: arrays of rows->length() values, not
  /// dictionary-encoded. Only values of live rows are looked at.
  virtual arrow::Status Narrow(const std::vector<std::shared_ptr<arrow::Array>>& keys, int64_t data_sequence,
                               columnar::Selection* rows) const = 0;
  virtual int64_t size() const = 0;  // distinct keys
  /// Newest delete; data as new as that loses nothing.
  int64_t max_sequence() const { return max_sequence_; }
  const std::vector<KeyBounds>& bounds() const { return bounds_; }
  int64_t size_bytes() const { return size_bytes_; }

 private:
  int64_t max_sequence_ = -1;
  int64_t size_bytes_ = 0;
  std::vector<KeyBounds> bounds_;  // by key column
};

}  // namespace vecruntime::deletes
