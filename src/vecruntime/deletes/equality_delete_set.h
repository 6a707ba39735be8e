// SPDX-License-Identifier: Apache-2.0
// All keys that equality deletes of one field-id set remove in one scope, each with the greatest data sequence number that removes it.
// Filled by one thread, then immutable and shared by all workers.
#pragma once

#include <arrow/type_fwd.h>

#include <cstdint>
#include <memory>
#include <vector>

#include "vecruntime/base/memory_budget.h"
#include "vecruntime/columnar/selection.h"

namespace vecruntime::deletes {

/// Keys compare as Iceberg's Java comparators do: NULL equals NULL, NaN equals NaN, -0.0 differs from 0.0.
class EqualityDeleteSet {
 public:
  /// One integer-like column (int, long, date, time, timestamps, boolean) is kept as 64-bit values, anything else as encoded rows.
  static std::unique_ptr<EqualityDeleteSet> Make(const std::vector<std::shared_ptr<arrow::DataType>>& key_types, base::Reservation memory);
  virtual ~EqualityDeleteSet() = default;

  /// Adds every row of `keys` (one array per key column) as removed by a delete of `sequence`.
  virtual arrow::Status Add(const std::vector<std::shared_ptr<arrow::Array>>& keys, int64_t sequence) = 0;
  /// Kills the rows of `rows` whose key a delete newer than `data_sequence` removes. REQUIRES: arrays of rows->length() values.
  virtual arrow::Status Narrow(const std::vector<std::shared_ptr<arrow::Array>>& keys, int64_t data_sequence,
                               columnar::Selection* rows) const = 0;
  virtual int64_t size() const = 0;  // distinct keys
};

}  // namespace vecruntime::deletes
