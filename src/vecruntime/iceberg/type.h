// SPDX-License-Identifier: Apache-2.0
// Iceberg's types and schemas (Iceberg spec, "Schemas and Data Types"). Immutable, shared.
#pragma once

#include <arrow/type_fwd.h>

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "vecruntime/iceberg/value.h"

namespace vecruntime::iceberg {

using FieldId = int32_t;

enum class TypeId {
  kBoolean, kInt, kLong, kFloat, kDouble, kDecimal, kDate, kTime, kTimestamp, kTimestampTz, kTimestampNs, kTimestampTzNs,
  kString, kUuid, kFixed, kBinary, kStruct, kList, kMap, kUnknown, kVariant, kGeometry, kGeography,
};

class Type;
using TypePtr = std::shared_ptr<const Type>;

/// A named, numbered member of a struct; list elements and map keys/values are fields too (names "element", "key", "value").
struct Field {
  FieldId id = 0;
  std::string name;
  TypePtr type;
  bool required = false;
  std::string doc;
  std::optional<Value> initial_default;  // fills rows of files written before the field existed (v3)
  std::optional<Value> write_default;
};

class Type {
 public:
  static TypePtr Primitive(TypeId id);
  static TypePtr Decimal(int precision, int scale);
  static TypePtr Fixed(int length);
  static TypePtr Struct(std::vector<Field> fields);
  static TypePtr List(Field element);
  static TypePtr Map(Field key, Field value);
  /// Parses "decimal(9,2)", "fixed[16]", "timestamptz_ns", "geometry(...)": CorruptData for an unknown name.
  static arrow::Result<TypePtr> Parse(std::string_view text);

  TypeId id() const { return id_; }
  bool is_nested() const { return id_ == TypeId::kStruct || id_ == TypeId::kList || id_ == TypeId::kMap; }
  int precision() const { return precision_; }  // kDecimal
  int scale() const { return scale_; }          // kDecimal
  int length() const { return length_; }        // kFixed, bytes
  /// kStruct: the members; kList: {element}; kMap: {key, value}.
  const std::vector<Field>& fields() const { return fields_; }
  std::string ToString() const;

  /// The Arrow type a scan yields for this type: uuid as utf8, fixed as binary, unknown as null; Unsupported for variant and geo.
  arrow::Result<std::shared_ptr<arrow::DataType>> ToArrow() const;

 private:
  Type() = default;
  TypeId id_ = TypeId::kUnknown;
  int precision_ = 0;
  int scale_ = 0;
  int length_ = 0;
  std::vector<Field> fields_;
};

/// Structural equality incl. field ids and requiredness (not docs or defaults).
bool Equals(const Type& a, const Type& b);

class Schema {
 public:
  Schema(int schema_id, std::vector<Field> columns, std::vector<FieldId> identifier_field_ids = {});
  int schema_id() const { return schema_id_; }
  const std::vector<Field>& columns() const { return struct_->fields(); }
  const TypePtr& as_struct() const { return struct_; }
  const std::vector<FieldId>& identifier_field_ids() const { return identifier_field_ids_; }
  /// The field anywhere in the tree, or nullptr. Valid as long as the schema.
  const Field* FindById(FieldId id) const;
  /// Field ids from the top-level column down to `id` itself (list "element", map "key"/"value" included); empty when absent.
  std::vector<FieldId> PathTo(FieldId id) const;
  /// Dotted name ("s.k", "m.value.x") of `id`; empty when absent.
  std::string NameOf(FieldId id) const;

 private:
  struct Indexed {
    const Field* field;
    FieldId parent;  // kNoParent for a column
  };
  static constexpr FieldId kNoParent = -1;
  void Index(const Type& type, FieldId parent);

  int schema_id_;
  TypePtr struct_;
  std::vector<FieldId> identifier_field_ids_;
  std::unordered_map<FieldId, Indexed> index_;
};
using SchemaPtr = std::shared_ptr<const Schema>;

}  // namespace vecruntime::iceberg
