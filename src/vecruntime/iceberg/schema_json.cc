// SPDX-License-Identifier: Apache-2.0
#include "vecruntime/iceberg/schema_json.h"

#include <unordered_set>
#include <utility>

#include "vecruntime/base/error.h"
#include "vecruntime/iceberg/json_node.h"

namespace vecruntime::iceberg {
namespace {

constexpr int kFirstPartitionFieldId = 1000;

arrow::Result<TypePtr> ParseType(const JsonNode& node);

arrow::Result<Field> ParseField(const JsonNode& node) {
  Field field;
  ARROW_ASSIGN_OR_RAISE(field.id, node.Get<int32_t>("id"));
  ARROW_ASSIGN_OR_RAISE(field.name, node.Get<std::string>("name"));
  ARROW_ASSIGN_OR_RAISE(field.required, node.Get<bool>("required"));
  ARROW_ASSIGN_OR_RAISE(const JsonNode type, node.Get("type"));
  ARROW_ASSIGN_OR_RAISE(field.type, ParseType(type));
  ARROW_ASSIGN_OR_RAISE(auto doc, node.Find<std::string>("doc"));
  if (doc) field.doc = std::move(*doc);
  if (const auto value = node.Find("initial-default")) {
    ARROW_ASSIGN_OR_RAISE(field.initial_default, ParseValue(*field.type, *value));
  }
  if (const auto value = node.Find("write-default")) {
    ARROW_ASSIGN_OR_RAISE(field.write_default, ParseValue(*field.type, *value));
  }
  return field;
}

arrow::Result<std::vector<Field>> ParseFields(const JsonNode& node) {
  ARROW_ASSIGN_OR_RAISE(const JsonNode list, node.Get("fields"));
  ARROW_ASSIGN_OR_RAISE(const auto items, list.Items());
  std::vector<Field> fields;
  for (const JsonNode& item : items) {
    ARROW_ASSIGN_OR_RAISE(Field field, ParseField(item));
    fields.push_back(std::move(field));
  }
  return fields;
}

/// Member of a list or map: `prefix` is "element", "key" or "value".
arrow::Result<Field> ParseMember(const JsonNode& node, const std::string& prefix, bool required) {
  Field field;
  field.required = required;
  ARROW_ASSIGN_OR_RAISE(field.id, node.Get<int32_t>(prefix + "-id"));
  ARROW_ASSIGN_OR_RAISE(const JsonNode type, node.Get(prefix));
  ARROW_ASSIGN_OR_RAISE(field.type, ParseType(type));
  return field;
}

arrow::Result<TypePtr> ParseType(const JsonNode& node) {
  if (node.is_string()) {
    ARROW_ASSIGN_OR_RAISE(const std::string text, node.As<std::string>());
    auto type = Type::Parse(text);
    if (!type.ok()) return node.Error(type.status().message());
    return type;
  }
  ARROW_ASSIGN_OR_RAISE(const std::string kind, node.Get<std::string>("type"));
  if (kind == "struct") {
    ARROW_ASSIGN_OR_RAISE(auto fields, ParseFields(node));
    return Type::Struct(std::move(fields));
  }
  if (kind == "list") {
    ARROW_ASSIGN_OR_RAISE(const bool required, node.Get<bool>("element-required"));
    ARROW_ASSIGN_OR_RAISE(Field element, ParseMember(node, "element", required));
    return Type::List(std::move(element));
  }
  if (kind == "map") {
    ARROW_ASSIGN_OR_RAISE(const bool required, node.Get<bool>("value-required"));
    ARROW_ASSIGN_OR_RAISE(Field key, ParseMember(node, "key", true));
    ARROW_ASSIGN_OR_RAISE(Field value, ParseMember(node, "value", required));
    return Type::Map(std::move(key), std::move(value));
  }
  return node.Error("unknown nested type: " + kind);
}

/// The first field id that occurs twice, if any.
std::optional<FieldId> FindDuplicateId(const Type& type, std::unordered_set<FieldId>* seen) {
  for (const Field& field : type.fields()) {
    if (!seen->insert(field.id).second) return field.id;
    if (const auto nested = FindDuplicateId(*field.type, seen)) return nested;
  }
  return std::nullopt;
}

arrow::Result<PartitionField> ParsePartitionField(const JsonNode& node, int default_id) {
  PartitionField field;
  ARROW_ASSIGN_OR_RAISE(field.name, node.Get<std::string>("name"));
  ARROW_ASSIGN_OR_RAISE(const std::string transform, node.Get<std::string>("transform"));
  field.transform = Transform::Parse(transform);
  ARROW_ASSIGN_OR_RAISE(const auto id, node.Find<int32_t>("field-id"));
  field.field_id = id.value_or(default_id);
  if (const auto sources = node.Find("source-ids")) {
    ARROW_ASSIGN_OR_RAISE(const auto ids, sources->AsList<int32_t>());
    if (ids.empty()) return sources->Error("expected at least one source id");
    field.source_id = ids.front();
    // Spec(iceberg v3, "Partition Transforms"): a transform of several arguments is unknown to this reader.
    if (ids.size() > 1) field.transform.kind = TransformKind::kUnknown;
    return field;
  }
  ARROW_ASSIGN_OR_RAISE(field.source_id, node.Get<int32_t>("source-id"));
  return field;
}

}  // namespace

arrow::Result<SchemaPtr> ParseSchema(const JsonNode& node) {
  ARROW_ASSIGN_OR_RAISE(auto columns, ParseFields(node));
  ARROW_ASSIGN_OR_RAISE(const auto schema_id, node.Find<int32_t>("schema-id"));
  std::vector<FieldId> identifiers;
  if (const auto ids = node.Find("identifier-field-ids")) {
    ARROW_ASSIGN_OR_RAISE(identifiers, ids->AsList<FieldId>());
  }
  auto schema = std::make_shared<Schema>(schema_id.value_or(0), std::move(columns), std::move(identifiers));
  std::unordered_set<FieldId> seen;
  if (const auto duplicate = FindDuplicateId(*schema->as_struct(), &seen)) {
    return node.Error("field id used twice in a schema: " + std::to_string(*duplicate));
  }
  return schema;
}

arrow::Result<std::vector<PartitionField>> ParsePartitionFields(const JsonNode& node) {
  ARROW_ASSIGN_OR_RAISE(const auto items, node.Items());
  std::vector<PartitionField> fields;
  for (const JsonNode& item : items) {
    ARROW_ASSIGN_OR_RAISE(PartitionField field, ParsePartitionField(item, kFirstPartitionFieldId + static_cast<int>(fields.size())));
    fields.push_back(std::move(field));
  }
  return fields;
}

}  // namespace vecruntime::iceberg
