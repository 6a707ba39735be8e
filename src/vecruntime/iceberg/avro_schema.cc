// SPDX-License-Identifier: Apache-2.0
#include "vecruntime/iceberg/avro_schema.h"

#include <algorithm>
#include <array>
#include <unordered_map>
#include <utility>

#include "vecruntime/base/error.h"
#include "vecruntime/iceberg/json_node.h"

namespace vecruntime::iceberg {
namespace {

constexpr std::array<std::pair<std::string_view, AvroKind>, 8> kPrimitives = {{{"null", AvroKind::kNull},
                                                                               {"boolean", AvroKind::kBoolean},
                                                                               {"int", AvroKind::kInt},
                                                                               {"long", AvroKind::kLong},
                                                                               {"float", AvroKind::kFloat},
                                                                               {"double", AvroKind::kDouble},
                                                                               {"bytes", AvroKind::kBytes},
                                                                               {"string", AvroKind::kString}}};

std::string_view Unqualified(std::string_view name) { return name.substr(name.rfind('.') + 1); }

}  // namespace

class AvroSchema::Parser {
 public:
  explicit Parser(AvroSchema* schema) : schema_(schema) {}

  arrow::Result<const AvroNode*> Parse(const JsonNode& json) {
    if (json.is_array()) return ParseUnion(json);
    if (json.is_string()) {
      ARROW_ASSIGN_OR_RAISE(const std::string name, json.As<std::string>());
      return Named(name, json);
    }
    ARROW_ASSIGN_OR_RAISE(const JsonNode type, json.Get("type"));
    // {"type": {"type": "record", ...}} wraps another declaration.
    if (!type.is_string()) return Parse(type);
    ARROW_ASSIGN_OR_RAISE(const std::string kind, type.As<std::string>());
    if (kind == "record" || kind == "error") return ParseRecord(json);
    if (kind == "array") return ParseContainer(json, AvroKind::kArray, "items");
    if (kind == "map") return ParseContainer(json, AvroKind::kMap, "values");
    if (kind == "fixed") return ParseFixed(json);
    if (kind == "enum") return Declare(json, AvroKind::kEnum);
    return Annotated(kind, json);
  }

 private:
  AvroNode* Add(AvroKind kind) {
    schema_->nodes_.push_back(std::make_unique<AvroNode>());
    schema_->nodes_.back()->kind = kind;
    return schema_->nodes_.back().get();
  }

  arrow::Result<AvroNode*> Declare(const JsonNode& json, AvroKind kind) {
    ARROW_ASSIGN_OR_RAISE(const std::string name, json.Get<std::string>("name"));
    AvroNode* node = Add(kind);
    named_[std::string(Unqualified(name))] = node;
    return node;
  }

  arrow::Result<const AvroNode*> Named(const std::string& name, const JsonNode& json) {
    for (const auto& [primitive, kind] : kPrimitives) {
      if (name != primitive) continue;
      AvroNode* node = Add(kind);
      node->zero_size = kind == AvroKind::kNull;
      return node;
    }
    const auto found = named_.find(std::string(Unqualified(name)));
    if (found == named_.end()) return json.Error("unknown Avro type: " + name);
    return found->second;
  }

  /// A primitive or a reference inside an object, perhaps with a logical type. A record has none, and copies of it could outgrow the schema.
  arrow::Result<const AvroNode*> Annotated(const std::string& name, const JsonNode& json) {
    ARROW_ASSIGN_OR_RAISE(const AvroNode* named, Named(name, json));
    ARROW_ASSIGN_OR_RAISE(auto logical_type, json.Find<std::string>("logicalType"));
    if (!logical_type || named->kind == AvroKind::kRecord) return named;
    AvroNode* node = Add(named->kind);
    *node = *named;
    node->logical_type = std::move(*logical_type);
    return node;
  }

  arrow::Result<const AvroNode*> ParseUnion(const JsonNode& json) {
    AvroNode* node = Add(AvroKind::kUnion);
    ARROW_ASSIGN_OR_RAISE(const auto items, json.Items());
    for (const JsonNode& item : items) {
      ARROW_ASSIGN_OR_RAISE(const AvroNode* branch, Parse(item));
      if (branch->kind == AvroKind::kUnion) return item.Error("Avro union directly inside a union");
      node->branches.push_back(branch);
    }
    return node;
  }

  arrow::Result<const AvroNode*> ParseRecord(const JsonNode& json) {
    ARROW_ASSIGN_OR_RAISE(AvroNode * node, Declare(json, AvroKind::kRecord));
    ARROW_ASSIGN_OR_RAISE(const JsonNode list, json.Get("fields"));
    ARROW_ASSIGN_OR_RAISE(const auto items, list.Items());
    bool zero_size = true;
    for (const JsonNode& item : items) {
      AvroField field;
      ARROW_ASSIGN_OR_RAISE(field.name, item.Get<std::string>("name"));
      ARROW_ASSIGN_OR_RAISE(field.id, item.Find<int32_t>("field-id"));
      ARROW_ASSIGN_OR_RAISE(const JsonNode type, item.Get("type"));
      ARROW_ASSIGN_OR_RAISE(field.type, Parse(type));
      zero_size = zero_size && field.type->zero_size;
      node->fields.push_back(std::move(field));
    }
    node->zero_size = zero_size;
    return node;
  }

  arrow::Result<const AvroNode*> ParseContainer(const JsonNode& json, AvroKind kind, std::string_view member) {
    AvroNode* node = Add(kind);
    ARROW_ASSIGN_OR_RAISE(const JsonNode items, json.Get(member));
    ARROW_ASSIGN_OR_RAISE(node->items, Parse(items));
    return node;
  }

  arrow::Result<const AvroNode*> ParseFixed(const JsonNode& json) {
    ARROW_ASSIGN_OR_RAISE(AvroNode * node, Declare(json, AvroKind::kFixed));
    ARROW_ASSIGN_OR_RAISE(const int32_t size, json.Get<int32_t>("size"));
    if (size < 0) return json.Error("negative size of an Avro fixed");
    node->fixed_size = static_cast<size_t>(size);
    node->zero_size = size == 0;
    ARROW_ASSIGN_OR_RAISE(auto logical_type, json.Find<std::string>("logicalType"));
    node->logical_type = std::move(logical_type).value_or("");
    return node;
  }

  AvroSchema* schema_;
  std::unordered_map<std::string, AvroNode*> named_;
};

arrow::Result<std::unique_ptr<AvroSchema>> AvroSchema::Parse(std::string_view json) {
  ARROW_ASSIGN_OR_RAISE(const auto document, JsonDocument::Parse(json));
  auto schema = std::make_unique<AvroSchema>();
  ARROW_ASSIGN_OR_RAISE(schema->root_, Parser(schema.get()).Parse(document->root()));
  return schema;
}

std::vector<int> MatchSlots(const AvroNode& record, std::span<const AvroSlot> wanted) {
  std::vector<int> slots;
  for (const AvroField& field : record.fields) {
    const auto matches = [&](const AvroSlot& slot) { return field.id ? *field.id == slot.field_id : field.name == slot.name; };
    const auto found = std::find_if(wanted.begin(), wanted.end(), matches);
    // A second column with the same id would overwrite the first.
    const bool usable = found != wanted.end() && std::find(slots.begin(), slots.end(), found->slot) == slots.end();
    slots.push_back(usable ? found->slot : -1);
  }
  return slots;
}

const AvroNode* WithoutNull(const AvroNode& node) {
  if (node.kind != AvroKind::kUnion) return &node;
  const AvroNode* only = nullptr;
  for (const AvroNode* branch : node.branches) {
    if (branch->kind == AvroKind::kNull) continue;
    if (only != nullptr) return nullptr;
    only = branch;
  }
  return only;
}

}  // namespace vecruntime::iceberg
