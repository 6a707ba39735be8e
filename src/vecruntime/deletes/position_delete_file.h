// SPDX-License-Identifier: Apache-2.0
// Reads position-delete files (Iceberg spec, "Position Delete Files").
#pragma once

#include <arrow/io/type_fwd.h>
#include <arrow/type_fwd.h>

#include <functional>
#include <map>
#include <memory>
#include <string>

#include "vecruntime/base/memory_budget.h"
#include "vecruntime/deletes/deleted_rows.h"

namespace vecruntime::deletes {

/// What one position-delete file says: the deleted rows by path of the data file (compared as exact strings).
using PositionDeletes = std::map<std::string, DeletedRows, std::less<>>;

/// Every row is checked: a NULL or negative position or a NULL path anywhere is CorruptData naming `path`, the delete file. `memory` is grown
/// to what is collected on the way and left at what the result takes.
arrow::Result<PositionDeletes> ReadPositionDeletes(std::shared_ptr<arrow::io::RandomAccessFile> file, const std::string& path,
                                                   arrow::MemoryPool* pool, base::Reservation* memory);

}  // namespace vecruntime::deletes
