// SPDX-License-Identifier: Apache-2.0
// Anything that deletes rows of one data file narrows a Selection over a run of its rows. Nobody calls back per row.
#pragma once

#include <arrow/type_fwd.h>

#include <functional>
#include <memory>
#include <vector>

#include "vecruntime/columnar/selection.h"
#include "vecruntime/deletes/deleted_rows.h"
#include "vecruntime/deletes/equality_delete_set.h"
#include "vecruntime/deletes/key_field.h"
#include "vecruntime/parquet/parquet_file.h"

namespace vecruntime::deletes {

/// The deletes of one kind for one data file. Owned by one worker.
class DeleteSource {
 public:
  virtual ~DeleteSource() = default;
  /// Kills the deleted ones among the live rows of `rows`. REQUIRES: rows->range() lies in the data file.
  virtual arrow::Status Narrow(columnar::Selection* rows) = 0;
};

/// Deletion vectors and position-delete files.
std::unique_ptr<DeleteSource> MakePositionSource(std::shared_ptr<const DeletedRows> deleted);

/// Values of a (pruned) top-level column of the data file for the rows of a Selection: from the file, or the constant that stands for it.
using ColumnSupplier =
    std::function<arrow::Result<std::shared_ptr<arrow::Array>>(const iceberg::Field& column, const columnar::Selection& rows)>;

/// One equality-delete set over the key columns `keys`, for the data file `file` (may be null) of data sequence number `data_sequence`. Asks
/// for no key column where the statistics of the row group say that no row can match. REQUIRES: each Selection lies in one row group.
std::unique_ptr<DeleteSource> MakeEqualitySource(std::shared_ptr<const EqualityDeleteSet> set, std::vector<KeyField> keys,
                                                 std::shared_ptr<const parquet::ParquetFile> file, int64_t data_sequence,
                                                 ColumnSupplier supplier, arrow::MemoryPool* pool);

}  // namespace vecruntime::deletes
