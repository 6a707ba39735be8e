// SPDX-License-Identifier: Apache-2.0
#include "vecruntime/deletes/key_field.h"

#include <arrow/array.h>
#include <arrow/result.h>

#include "vecruntime/base/error.h"
#include "vecruntime/columnar/decode.h"

namespace vecruntime::deletes {
namespace {

using iceberg::Field;
using iceberg::FieldId;
using iceberg::Schema;
using iceberg::Type;
using iceberg::TypeId;

const Schema* SchemaWith(const iceberg::TableMetadata& metadata, FieldId id) {
  const iceberg::SchemaPtr current = metadata.CurrentSchema();
  if (current != nullptr && current->FindById(id) != nullptr) return current.get();
  const Schema* newest = nullptr;
  for (const auto& schema : metadata.schemas) {
    const bool better = newest == nullptr || schema->schema_id() > newest->schema_id();
    if (better && schema->FindById(id) != nullptr) newest = schema.get();
  }
  return newest;
}

// `field` reduced to the one chain of members given by path[at..].
Field Pruned(const Field& field, const std::vector<FieldId>& path, size_t at) {
  if (at + 1 == path.size()) return field;
  for (const Field& member : field.type->fields()) {
    if (member.id != path[at + 1]) continue;
    Field pruned = field;
    pruned.type = Type::Struct({Pruned(member, path, at + 1)});
    return pruned;
  }
  return field;
}

}  // namespace

arrow::Result<KeyField> ResolveKeyField(const iceberg::TableMetadata& metadata, FieldId id) {
  const Schema* schema = SchemaWith(metadata, id);
  if (schema == nullptr) return base::CorruptData("equality delete key is in no schema of the table: field id ", id);
  const std::vector<FieldId> path = schema->PathTo(id);
  for (size_t i = 0; i + 1 < path.size(); ++i) {
    if (schema->FindById(path[i])->type->id() != TypeId::kStruct) {
      return base::Unsupported("equality delete key inside a list or map: field ", schema->NameOf(id), ", id ", id);
    }
  }
  if (schema->FindById(id)->type->is_nested()) {
    return base::Unsupported("equality delete key of nested type: field ", schema->NameOf(id), ", id ", id);
  }
  return KeyField{.column = Pruned(*schema->FindById(path[0]), path, 0), .depth = static_cast<int>(path.size()) - 1, .id = id};
}

arrow::Result<std::shared_ptr<arrow::Array>> ExtractKey(const KeyField& key, std::shared_ptr<arrow::Array> column, arrow::MemoryPool* pool) {
  for (int level = 0; level < key.depth; ++level) {
    ARROW_ASSIGN_OR_RAISE(column, static_cast<const arrow::StructArray&>(*column).GetFlattenedField(0, pool));
  }
  return columnar::Decode(std::move(column), pool);
}

}  // namespace vecruntime::deletes
