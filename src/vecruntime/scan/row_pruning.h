// SPDX-License-Identifier: Apache-2.0
// What Parquet statistics say of a filter: which rows of a row group can pass it, and whether all of them do. Pruning errs towards reading.
#pragma once

#include <vector>

#include "vecruntime/base/row.h"
#include "vecruntime/iceberg/predicate.h"
#include "vecruntime/parquet/parquet_file.h"

namespace vecruntime::scan {

/// False only when no row of the row group can satisfy `predicate`.
bool RowGroupMightMatch(const parquet::ParquetFile& file, int row_group, const iceberg::Predicate& predicate);

/// True only when every row of the row group satisfies `predicate`; unknown columns say no.
bool RowGroupAllMatches(const parquet::ParquetFile& file, int row_group, const iceberg::Predicate& predicate);

/// The rows of a row group that can satisfy `predicate`, by the page indexes of its columns: ascending ranges apart from one another.
std::vector<base::FileRowRange> RowsThatMightMatch(const parquet::ParquetFile& file, int row_group, const iceberg::Predicate& predicate);

}  // namespace vecruntime::scan
