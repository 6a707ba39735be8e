// SPDX-License-Identifier: Apache-2.0
// Reads position-delete files (Iceberg spec, "Position Delete Files").
#pragma once

#include <arrow/io/type_fwd.h>
#include <arrow/type_fwd.h>

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "vecruntime/base/memory_budget.h"

namespace vecruntime::deletes {

/// Positions by data file path, compared as exact strings; in file order.
using PositionsByPath = std::unordered_map<std::string, std::vector<int64_t>>;

/// The positions of the data files named in `wanted`. Every row is checked: a NULL or negative position or a NULL path anywhere is
/// CorruptData naming `path`, the delete file. What is collected is added to `reservation`.
arrow::Result<PositionsByPath> ReadPositionDeletes(std::shared_ptr<arrow::io::RandomAccessFile> file, const std::string& path,
                                                   const std::unordered_set<std::string>& wanted, arrow::MemoryPool* pool,
                                                   base::Reservation* reservation);

}  // namespace vecruntime::deletes
