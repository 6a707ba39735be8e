// SPDX-License-Identifier: Apache-2.0
// Which snapshot of a table a FROM item reads, and under which schema.
#pragma once

#include <arrow/type_fwd.h>

#include <optional>
#include <string>

#include "vecruntime/iceberg/table_metadata.h"
#include "vecruntime/sql/relation.h"

namespace vecruntime::session {

struct SnapshotSelection {
  const iceberg::Snapshot* snapshot = nullptr;  // null: the table has none yet
  iceberg::SchemaPtr schema;
  bool is_current = true;
};

/// `selector` is the last part of the name when it is branch_x, tag_x, snapshot_id_n or at_timestamp_ms (Spark's identifiers), else empty.
/// Snapshots, tags and timestamps are read under the snapshot's schema, branches and the current state under the table's (Iceberg docs,
/// "Time travel"). NotFound for an unknown version; InvalidArgument when two of selector, version and timestamp are given.
arrow::Result<SnapshotSelection> SelectSnapshot(const iceberg::TableMetadata& metadata, const sql::TableReference& reference,
                                                const std::string& selector);

/// Whether a name part is one of Spark's snapshot selectors.
bool IsSnapshotSelector(const std::string& part);

}  // namespace vecruntime::session
