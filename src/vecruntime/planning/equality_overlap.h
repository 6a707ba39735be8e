// SPDX-License-Identifier: Apache-2.0
// Can an equality-delete file hold a key of a data file? Decided by the bounds of both.
#pragma once

#include "vecruntime/iceberg/manifest.h"
#include "vecruntime/iceberg/table_metadata.h"

namespace vecruntime::planning {

/// False only when for some key field the values of the two files cannot meet. Fields whose bounds, null counts or type are unknown, and
/// floating-point keys (bounds leave NaN out), never exclude.
bool EqualityMightOverlap(const iceberg::DataFile& deletes, const iceberg::DataFile& data, const iceberg::TableMetadata& metadata);

}  // namespace vecruntime::planning
