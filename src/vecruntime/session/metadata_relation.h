// SPDX-License-Identifier: Apache-2.0
// Metadata tables (t.snapshots, t.files, ...) as relations held in memory.
#pragma once

#include <arrow/type_fwd.h>

#include <memory>
#include <string>

#include "vecruntime/session/table_loader.h"
#include "vecruntime/sql/relation.h"

namespace vecruntime::session {

/// Whether `name` (any case) is a metadata table.
bool IsMetadataTableName(const std::string& name);

/// Metadata table `name` of `table`, as of `snapshot` (null: the table has none). REQUIRES: IsMetadataTableName(name).
arrow::Result<std::shared_ptr<sql::Relation>> MakeMetadataRelation(const LoadedTable& table, const std::string& name,
                                                                   const iceberg::Snapshot* snapshot, const expr::EvalContext& eval);

}  // namespace vecruntime::session
