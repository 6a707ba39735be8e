// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <utility>

#include "vecruntime/iceberg/type.h"

namespace vecruntime::iceberg {

Schema::Schema(int schema_id, std::vector<Field> columns, std::vector<FieldId> identifier_field_ids)
    : schema_id_(schema_id), struct_(Type::Struct(std::move(columns))), identifier_field_ids_(std::move(identifier_field_ids)) {
  Index(*struct_, kNoParent);
}

void Schema::Index(const Type& type, FieldId parent) {
  for (const Field& field : type.fields()) {
    if (!index_.try_emplace(field.id, Indexed{&field, parent}).second) continue;
    if (field.type->is_nested()) Index(*field.type, field.id);
  }
}

const Field* Schema::FindById(FieldId id) const {
  const auto found = index_.find(id);
  return found == index_.end() ? nullptr : found->second.field;
}

std::vector<FieldId> Schema::PathTo(FieldId id) const {
  std::vector<FieldId> path;
  for (auto found = index_.find(id); found != index_.end(); found = index_.find(found->second.parent)) {
    path.push_back(found->first);
    if (found->second.parent == kNoParent) break;
  }
  std::reverse(path.begin(), path.end());
  return path;
}

std::string Schema::NameOf(FieldId id) const {
  std::string name;
  for (const FieldId step : PathTo(id)) {
    if (!name.empty()) name += '.';
    name += index_.at(step).field->name;
  }
  return name;
}

}  // namespace vecruntime::iceberg
