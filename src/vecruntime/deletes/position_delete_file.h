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
#include <vector>

#include "vecruntime/base/memory_budget.h"

namespace vecruntime::deletes {

/// Numbers of the data files that a scan reads, by path (compared as exact strings).
using DataFileNumbers = std::unordered_map<std::string_view, uint32_t>;

/// What one position-delete file says of those data files.
struct PositionDeletes {
  // positions[begin, end) are rows of one data file, in file order.
  struct Run { uint32_t data_file; size_t begin; size_t end; };
  std::vector<int64_t> positions;
  std::vector<Run> runs;  // ascending by data_file
};

/// The positions of the data files in `numbers`. Every row is checked: a NULL or negative position or a NULL path anywhere is CorruptData
/// naming `path`, the delete file. What is collected is added to `reservation`.
arrow::Result<PositionDeletes> ReadPositionDeletes(std::shared_ptr<arrow::io::RandomAccessFile> file, const std::string& path,
                                                   const DataFileNumbers& numbers, arrow::MemoryPool* pool,
                                                   base::Reservation* reservation);

}  // namespace vecruntime::deletes
