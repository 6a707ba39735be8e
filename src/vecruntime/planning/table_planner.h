// SPDX-License-Identifier: Apache-2.0
// Snapshot + predicate -> ScanTasks. Reads manifest lists and manifests, never a data or delete file.
#pragma once

#include <arrow/type_fwd.h>

#include <memory>
#include <vector>

#include "vecruntime/iceberg/predicate.h"
#include "vecruntime/iceberg/table_metadata.h"
#include "vecruntime/io/file_io.h"
#include "vecruntime/planning/scan_task.h"

namespace vecruntime::planning {

struct PlannerOptions {
  int workers = 1;
  bool pruning = true;  // off only to test that the answer does not change
  iceberg::PredicatePtr proof;  // see ToProofPredicate; null proves nothing
  std::vector<iceberg::FieldId> metrics_for;  // fields whose column metrics the data files' entries have to hold
};

/// The files of `snapshot` (null: an empty table) whose rows might satisfy `predicate`, in manifest order, each with its deletes. The
/// predicate prunes data files only: a delete is dropped for being out of scope, never because the query's filter rules it out.
arrow::Result<ScanPlan> PlanScan(const io::FileIO& file_io, std::shared_ptr<const iceberg::TableMetadata> metadata,
                                 const iceberg::Snapshot* snapshot, const iceberg::Predicate& predicate, const PlannerOptions& options);

}  // namespace vecruntime::planning
