// SPDX-License-Identifier: Apache-2.0
#include "vecruntime/scan/scan_column.h"

#include <algorithm>
#include <utility>

#include "vecruntime/iceberg/metadata_columns.h"

namespace vecruntime::scan {
namespace {

using iceberg::Field;
using iceberg::Type;
using iceberg::TypeId;

// Every partition field of every spec once, newest spec's name first; a field whose source column is gone from every schema is left out.
iceberg::TypePtr PartitionType(const iceberg::TableMetadata& metadata) {
  std::vector<Field> fields;
  std::vector<const iceberg::PartitionSpec*> specs;
  for (const auto& spec : metadata.specs) specs.push_back(&spec);
  std::stable_sort(specs.begin(), specs.end(), [](const auto* a, const auto* b) { return a->spec_id > b->spec_id; });
  for (const auto* spec : specs) {
    for (const auto& field : spec->fields) {
      const bool known = std::any_of(fields.begin(), fields.end(), [&](const Field& f) { return f.id == field.field_id; });
      const Field* source = metadata.FindFieldEverywhere(field.source_id);
      const bool is_void = field.transform.kind == iceberg::TransformKind::kVoid;
      if (known || source == nullptr || is_void) continue;
      fields.push_back({.id = field.field_id, .name = field.name, .type = field.transform.ResultType(source->type)});
    }
  }
  std::sort(fields.begin(), fields.end(), [](const Field& a, const Field& b) { return a.id < b.id; });
  return Type::Struct(std::move(fields));
}

}  // namespace

std::vector<ScanColumn> MetadataColumns(const iceberg::TableMetadata& metadata) {
  const auto column = [](ScanColumnKind kind, iceberg::FieldId id, const char* name, iceberg::TypePtr type) {
    return ScanColumn{kind, Field{.id = id, .name = name, .type = std::move(type)}};
  };
  const auto type = [](TypeId id) { return Type::Primitive(id); };
  return {column(ScanColumnKind::kFile, iceberg::kFileColumnId, "_file", type(TypeId::kString)),
          column(ScanColumnKind::kPos, iceberg::kPosColumnId, "_pos", type(TypeId::kLong)),
          column(ScanColumnKind::kDeleted, iceberg::kDeletedColumnId, "_deleted", type(TypeId::kBoolean)),
          column(ScanColumnKind::kSpecId, iceberg::kSpecIdColumnId, "_spec_id", type(TypeId::kInt)),
          column(ScanColumnKind::kPartition, iceberg::kPartitionColumnId, "_partition", PartitionType(metadata)),
          column(ScanColumnKind::kRowId, iceberg::kRowIdColumnId, "_row_id", type(TypeId::kLong)),
          column(ScanColumnKind::kLastUpdatedSequenceNumber, iceberg::kLastUpdatedSequenceNumberColumnId, "_last_updated_sequence_number",
                 type(TypeId::kLong))};
}

}  // namespace vecruntime::scan
