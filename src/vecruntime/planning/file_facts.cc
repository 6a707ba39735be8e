// SPDX-License-Identifier: Apache-2.0
#include "vecruntime/planning/file_facts.h"

#include <algorithm>
#include <optional>
#include <string>

namespace vecruntime::planning {
namespace {

using iceberg::FieldId;
using iceberg::TypeId;

// Bytes of a bound of a fixed-width type; 0 for the others.
size_t WidthOf(TypeId id) {
  switch (id) {
    case TypeId::kInt:
    case TypeId::kDate:
    case TypeId::kFloat:
      return 4;
    case TypeId::kLong:
    case TypeId::kDouble:
    case TypeId::kTimestamp:
    case TypeId::kTimestampTz:
    case TypeId::kTimestampNs:
    case TypeId::kTimestampTzNs:
      return 8;
    default:
      return 0;
  }
}

bool WasOnceOfWidth(const iceberg::TableMetadata& metadata, FieldId id, size_t width) {
  return std::any_of(metadata.schemas.begin(), metadata.schemas.end(), [&](const auto& schema) {
    const iceberg::Field* field = schema->FindById(id);
    return field != nullptr && WidthOf(field->type->id()) == width;
  });
}

std::optional<int64_t> Count(const iceberg::FieldMap<int64_t>& counts, FieldId id) {
  const int64_t* count = iceberg::Find(counts, id);
  return count == nullptr ? std::nullopt : std::optional<int64_t>(*count);
}

}  // namespace

ColumnFacts FactsOfFile(const iceberg::DataFile& file, FieldId id, const iceberg::Type& type, const iceberg::TableMetadata& metadata) {
  ColumnFacts facts{.null_count = Count(file.null_value_counts, id),
                    .nan_count = Count(file.nan_value_counts, id),
                    .value_count = Count(file.value_counts, id)};
  const size_t width = WidthOf(type.id());
  const auto trusted = [&](const std::string* bound) {
    const bool narrower = bound != nullptr && width != 0 && bound->size() != width;
    return narrower && !WasOnceOfWidth(metadata, id, bound->size()) ? nullptr : bound;
  };
  SetBounds(type, trusted(iceberg::Find(file.lower_bounds, id)), trusted(iceberg::Find(file.upper_bounds, id)), &facts);
  return facts;
}

}  // namespace vecruntime::planning
