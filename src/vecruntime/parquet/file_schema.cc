// SPDX-License-Identifier: Apache-2.0
#include <parquet/types.h>

#include <algorithm>

#include "vecruntime/parquet/file_schema_internal.h"

namespace vecruntime::parquet {
namespace {

using ::parquet::ConvertedType;
using ::parquet::LogicalType;
using ::parquet::internal::LevelInfo;
using ::parquet::schema::GroupNode;
using ::parquet::schema::Node;
using ::parquet::schema::PrimitiveNode;
using iceberg::Type;
using iceberg::TypeId;
using iceberg::TypePtr;

bool HasAnyId(const GroupNode& group) {
  for (int i = 0; i < group.field_count(); ++i) {
    const Node& node = *group.field(i);
    if (node.field_id() >= 0) return true;
    if (node.is_group() && HasAnyId(static_cast<const GroupNode&>(node))) return true;
  }
  return false;
}

TypePtr TimestampType(const ::parquet::TimestampLogicalType& type) {
  const bool nanos = type.time_unit() == LogicalType::TimeUnit::NANOS;
  if (type.is_adjusted_to_utc()) return Type::Primitive(nanos ? TypeId::kTimestampTzNs : TypeId::kTimestampTz);
  return Type::Primitive(nanos ? TypeId::kTimestampNs : TypeId::kTimestamp);
}

TypePtr UnannotatedType(const PrimitiveNode& node) {
  switch (node.physical_type()) {
    case ::parquet::Type::BOOLEAN: return Type::Primitive(TypeId::kBoolean);
    case ::parquet::Type::INT32: return Type::Primitive(TypeId::kInt);
    case ::parquet::Type::INT64: return Type::Primitive(TypeId::kLong);
    case ::parquet::Type::INT96: return Type::Primitive(TypeId::kTimestampTz);
    case ::parquet::Type::FLOAT: return Type::Primitive(TypeId::kFloat);
    case ::parquet::Type::DOUBLE: return Type::Primitive(TypeId::kDouble);
    case ::parquet::Type::FIXED_LEN_BYTE_ARRAY: return Type::Fixed(node.type_length());
    default: return Type::Primitive(TypeId::kBinary);
  }
}

TypePtr LeafTypeOf(const PrimitiveNode& node) {
  const LogicalType& logical = *node.logical_type();
  switch (logical.type()) {
    case LogicalType::Type::STRING:
    case LogicalType::Type::ENUM:
    case LogicalType::Type::JSON: return Type::Primitive(TypeId::kString);
    case LogicalType::Type::DECIMAL: {
      const auto& decimal = static_cast<const ::parquet::DecimalLogicalType&>(logical);
      return Type::Decimal(decimal.precision(), decimal.scale());
    }
    case LogicalType::Type::DATE: return Type::Primitive(TypeId::kDate);
    case LogicalType::Type::TIME: return Type::Primitive(TypeId::kTime);
    case LogicalType::Type::TIMESTAMP: return TimestampType(static_cast<const ::parquet::TimestampLogicalType&>(logical));
    case LogicalType::Type::INT: {
      const auto& integer = static_cast<const ::parquet::IntLogicalType&>(logical);
      if (node.physical_type() == ::parquet::Type::INT32 && integer.bit_width() == 32 && !integer.is_signed()) {
        return Type::Primitive(TypeId::kLong);
      }
      return UnannotatedType(node);
    }
    case LogicalType::Type::UUID: return Type::Primitive(TypeId::kUuid);
    case LogicalType::Type::NIL: return Type::Primitive(TypeId::kUnknown);
    case LogicalType::Type::GEOMETRY: return Type::Primitive(TypeId::kGeometry);
    case LogicalType::Type::GEOGRAPHY: return Type::Primitive(TypeId::kGeography);
    default: return UnannotatedType(node);
  }
}

const iceberg::MappedField* FindMapped(const std::vector<iceberg::MappedField>& mapping, std::string_view name) {
  for (const iceberg::MappedField& field : mapping) {
    if (std::find(field.names.begin(), field.names.end(), name) != field.names.end()) return &field;
  }
  return nullptr;
}

class TreeBuilder {
 public:
  TreeBuilder(const ::parquet::SchemaDescriptor& schema, bool use_mapping) : schema_(schema), use_mapping_(use_mapping) {}

  std::vector<FileNode> Members(const GroupNode& group, LevelInfo levels, const std::vector<iceberg::MappedField>& mapping) const {
    std::vector<FileNode> members;
    for (int i = 0; i < group.field_count(); ++i) {
      if (auto node = Member(group.field(i), levels, mapping, group.field(i)->name())) members.push_back(std::move(*node));
    }
    return members;
  }

 private:
  using Mapping = std::vector<iceberg::MappedField>;

  // A node in a struct, or a list's element or a map's key or value, whatever the file calls those. A repeated field without LIST
  // annotation is a required list of required elements (Parquet LogicalTypes.md, "Lists").
  std::optional<FileNode> Member(const ::parquet::schema::NodePtr& node, LevelInfo levels, const Mapping& mapping,
                                 std::string_view mapped_name) const {
    if (!node->is_repeated()) return Plain(node, levels, mapping, mapped_name);
    FileNode list = Named(*node, mapping, mapped_name);
    list.kind = FileNode::Kind::kList;
    list.optional = false;
    const int16_t ancestor = levels.IncrementRepeated();
    const iceberg::MappedField* field = use_mapping_ ? FindMapped(mapping, mapped_name) : nullptr;
    auto element = Plain(node, levels, field == nullptr ? Mapping() : field->fields, "element");
    if (!element) return std::nullopt;
    if (!use_mapping_) element->id.reset();
    list.children.push_back(std::move(*element));
    list.levels = levels;
    list.levels.repeated_ancestor_def_level = ancestor;
    return list;
  }

  FileNode Named(const Node& node, const Mapping& mapping, std::string_view mapped_name) const {
    FileNode named;
    named.name = node.name();
    named.optional = node.is_optional();
    if (!use_mapping_) {
      if (node.field_id() >= 0) named.id = node.field_id();
    } else if (const iceberg::MappedField* field = FindMapped(mapping, mapped_name)) {
      named.id = field->field_id;
    }
    return named;
  }

  std::optional<FileNode> Plain(const ::parquet::schema::NodePtr& node, LevelInfo levels, const Mapping& mapping,
                                std::string_view mapped_name) const {
    FileNode built = Named(*node, mapping, mapped_name);
    if (node->is_optional()) levels.IncrementOptional();
    built.levels = levels;
    if (node->is_primitive()) {
      built.column = schema_.ColumnIndex(*node);
      built.leaf_type = LeafTypeOf(static_cast<const PrimitiveNode&>(*node));
      return built;
    }
    static const Mapping kNone;
    const iceberg::MappedField* field = use_mapping_ ? FindMapped(mapping, mapped_name) : nullptr;
    const Mapping& inner = field == nullptr ? kNone : field->fields;
    const auto& group = static_cast<const GroupNode&>(*node);
    if (group.logical_type()->type() == LogicalType::Type::LIST) return List(std::move(built), group, levels, inner);
    if (group.logical_type()->type() == LogicalType::Type::MAP || group.converted_type() == ConvertedType::MAP_KEY_VALUE) {
      return Map(std::move(built), group, levels, inner);
    }
    built.kind = FileNode::Kind::kStruct;
    if (group.logical_type()->type() == LogicalType::Type::VARIANT) built.leaf_type = Type::Primitive(TypeId::kVariant);
    built.children = Members(group, levels, inner);
    return built;
  }

  std::optional<FileNode> List(FileNode list, const GroupNode& group, LevelInfo levels, const Mapping& mapping) const {
    if (group.field_count() != 1 || !group.field(0)->is_repeated()) return std::nullopt;
    const auto& repeated = group.field(0);
    const int16_t ancestor = levels.IncrementRepeated();
    list.kind = FileNode::Kind::kList;
    list.levels = levels;
    list.levels.repeated_ancestor_def_level = ancestor;
    const bool two_level = IsElement(*repeated, group.name());
    const auto element = two_level ? Plain(repeated, levels, mapping, "element")
                                   : Member(static_cast<const GroupNode&>(*repeated).field(0), levels, mapping, "element");
    if (!element) return std::nullopt;
    list.children.push_back(*element);
    return list;
  }

  // Parquet LogicalTypes.md, "Backward-compatibility rules": when the repeated node itself is the element.
  static bool IsElement(const Node& repeated, const std::string& list_name) {
    if (repeated.is_primitive()) return true;
    const auto& group = static_cast<const GroupNode&>(repeated);
    return group.field_count() != 1 || group.field(0)->is_repeated() || repeated.name() == "array" ||
           repeated.name() == list_name + "_tuple";
  }

  std::optional<FileNode> Map(FileNode map, const GroupNode& group, LevelInfo levels, const Mapping& mapping) const {
    if (group.field_count() != 1 || !group.field(0)->is_repeated() || !group.field(0)->is_group()) return std::nullopt;
    const auto& entries = static_cast<const GroupNode&>(*group.field(0));
    if (entries.field_count() != 2) return std::nullopt;
    const int16_t ancestor = levels.IncrementRepeated();
    map.kind = FileNode::Kind::kMap;
    map.levels = levels;
    map.levels.repeated_ancestor_def_level = ancestor;
    auto key = Member(entries.field(0), levels, mapping, "key");
    auto value = Member(entries.field(1), levels, mapping, "value");
    if (!key || !value) return std::nullopt;
    map.children.push_back(std::move(*key));
    map.children.push_back(std::move(*value));
    return map;
  }

  const ::parquet::SchemaDescriptor& schema_;
  const bool use_mapping_;
};

}  // namespace

std::vector<FileNode> BuildFileNodes(const ::parquet::SchemaDescriptor& schema, const std::vector<iceberg::MappedField>& mapping) {
  const GroupNode& root = *schema.group_node();
  return TreeBuilder(schema, !HasAnyId(root)).Members(root, LevelInfo(), mapping);
}

std::optional<iceberg::Field> FieldOf(const FileNode& node) {
  if (!node.id) return std::nullopt;
  iceberg::Field field{.id = *node.id, .name = node.name, .type = node.leaf_type, .required = !node.optional};
  if (node.leaf_type != nullptr) return field;
  std::vector<iceberg::Field> members;
  for (const FileNode& child : node.children) {
    if (auto member = FieldOf(child)) members.push_back(std::move(*member));
  }
  switch (node.kind) {
    case FileNode::Kind::kList:
      if (members.size() != 1) return std::nullopt;
      members[0].name = "element";
      field.type = iceberg::Type::List(std::move(members[0]));
      return field;
    case FileNode::Kind::kMap:
      if (members.size() != 2) return std::nullopt;
      members[0].name = "key";
      members[1].name = "value";
      field.type = iceberg::Type::Map(std::move(members[0]), std::move(members[1]));
      return field;
    default:
      field.type = iceberg::Type::Struct(std::move(members));
      return field;
  }
}

NodeLocation FindNode(const std::vector<FileNode>& nodes, iceberg::FieldId id) {
  for (const FileNode& node : nodes) {
    if (node.id == id) return {&node, false};
    const NodeLocation inner = FindNode(node.children, id);
    if (inner.node != nullptr) return {inner.node, inner.repeated || node.kind == FileNode::Kind::kList || node.kind == FileNode::Kind::kMap};
  }
  return {};
}

}  // namespace vecruntime::parquet
