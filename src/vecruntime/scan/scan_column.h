// SPDX-License-Identifier: Apache-2.0
// A column a scan yields: a field of the table, or one of the metadata columns (Iceberg spec, "Reserved Field IDs").
#pragma once

#include <arrow/type_fwd.h>

#include <memory>
#include <vector>

#include "vecruntime/iceberg/table_metadata.h"

namespace vecruntime::scan {

enum class ScanColumnKind { kField, kFile, kPos, kDeleted, kSpecId, kPartition, kRowId, kLastUpdatedSequenceNumber };

struct ScanColumn {
  ScanColumnKind kind = ScanColumnKind::kField;
  /// kField: the field as the query wants it. Metadata columns: reserved id, name and type (`_partition`: the union of all specs' fields).
  iceberg::Field field;
};

/// _file, _pos, _deleted, _spec_id, _partition, _row_id, _last_updated_sequence_number, for this table.
std::vector<ScanColumn> MetadataColumns(const iceberg::TableMetadata& metadata);

}  // namespace vecruntime::scan
