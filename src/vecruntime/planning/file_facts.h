// SPDX-License-Identifier: Apache-2.0
// The column metrics of one file as facts about a field.
#pragma once

#include "vecruntime/iceberg/manifest.h"
#include "vecruntime/iceberg/table_metadata.h"
#include "vecruntime/planning/might_match.h"

namespace vecruntime::planning {

/// What the manifest entry of `file` says of field `id`, whose current type is `type`. Bounds narrower than the type count only when some
/// schema of the table gave the field the narrower type.
ColumnFacts FactsOfFile(const iceberg::DataFile& file, iceberg::FieldId id, const iceberg::Type& type,
                        const iceberg::TableMetadata& metadata);

}  // namespace vecruntime::planning
