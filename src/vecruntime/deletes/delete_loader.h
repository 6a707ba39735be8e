// SPDX-License-Identifier: Apache-2.0
// Reads every delete file that the tasks of a scan need: each file once, all before the first row comes out, so that a delete that cannot
// be read, decoded or verified fails the scan instead of showing a dead row. What was made of files that are still the same is remembered
// by the session's cache (io::FileIO::Recall): rows of deletion vectors and position-delete files, and equality sets.
#pragma once

#include <arrow/type_fwd.h>

#include <memory>
#include <vector>

#include "vecruntime/base/memory_budget.h"
#include "vecruntime/base/parallel.h"
#include "vecruntime/deletes/deleted_rows.h"
#include "vecruntime/deletes/equality_delete_set.h"
#include "vecruntime/deletes/key_field.h"
#include "vecruntime/iceberg/table_metadata.h"
#include "vecruntime/io/file_io.h"
#include "vecruntime/planning/scan_task.h"

namespace vecruntime::deletes {

/// The deletes of one task, decoded.
struct TaskDeletes {
  struct Equality {
    std::shared_ptr<const EqualityDeleteSet> set;
    std::shared_ptr<const std::vector<KeyField>> keys;
  };
  std::shared_ptr<const DeletedRows> positions;  // null when there are none
  std::vector<Equality> equality;                // one per (field ids, scope)
  base::Reservation reservation;                 // of positions
};

struct LoadOptions {
  int workers = 1;
  base::MemoryBudget* budget = nullptr;
  const base::CancelToken* cancel = nullptr;
  arrow::MemoryPool* pool = nullptr;
};

/// One TaskDeletes per task, in order. The budget must outlive the result.
arrow::Result<std::vector<TaskDeletes>> LoadDeletes(const io::FileIO& file_io, const std::vector<planning::ScanTask>& tasks,
                                                    std::shared_ptr<const iceberg::TableMetadata> metadata, const LoadOptions& options);

}  // namespace vecruntime::deletes
