// SPDX-License-Identifier: Apache-2.0
// The key columns of equality deletes: which top-level column to read and where the key lies in it.
#pragma once

#include <arrow/type_fwd.h>

#include <memory>
#include <vector>

#include "vecruntime/iceberg/table_metadata.h"

namespace vecruntime::deletes {

struct KeyField {
  iceberg::Field column;  // top-level, pruned to the members that lead to the key; the type the table gives it now (or last gave it)
  int depth = 0;          // struct levels between the column and the key
  iceberg::FieldId id = 0;
};

/// Resolves a key by field id in the current schema, else in the newest historic one that has it (a dropped column). CorruptData when no
/// schema has it: which rows are dead is then unknown. Unsupported for keys inside lists and maps.
arrow::Result<KeyField> ResolveKeyField(const iceberg::TableMetadata& metadata, iceberg::FieldId id);

/// The key's values inside an array of key.column's type; a NULL struct on the way makes a NULL key.
arrow::Result<std::shared_ptr<arrow::Array>> ExtractKey(const KeyField& key, std::shared_ptr<arrow::Array> column, arrow::MemoryPool* pool);

}  // namespace vecruntime::deletes
