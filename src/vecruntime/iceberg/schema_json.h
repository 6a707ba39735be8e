// SPDX-License-Identifier: Apache-2.0
// Schemas, partition specs and single values in their JSON forms (Iceberg spec, Appendices C and D).
#pragma once

#include <arrow/type_fwd.h>

#include <string_view>
#include <vector>

#include "vecruntime/iceberg/transform.h"
#include "vecruntime/iceberg/type.h"

namespace vecruntime::iceberg {

class JsonNode;

/// CorruptData names the JSON path; a field id used twice in one schema is CorruptData.
arrow::Result<SchemaPtr> ParseSchema(const JsonNode& node);
/// The field list of a partition spec. Version 1 may leave out field ids: they are 1000, 1001, ... then.
arrow::Result<std::vector<PartitionField>> ParsePartitionFields(const JsonNode& node);
/// A default value: numbers, text forms of dates, times, decimals, UUIDs and bytes; structs by field id. JSON null is never passed.
arrow::Result<Value> ParseValue(const Type& type, const JsonNode& node);

}  // namespace vecruntime::iceberg
