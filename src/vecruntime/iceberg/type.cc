// SPDX-License-Identifier: Apache-2.0
#include "vecruntime/iceberg/type.h"

#include <arrow/type.h>

#include <array>
#include <charconv>
#include <utility>

#include "vecruntime/base/error.h"

namespace vecruntime::iceberg {
namespace {

struct PrimitiveName {
  TypeId id;
  std::string_view name;
};

constexpr std::array<PrimitiveName, 17> kPrimitiveNames = {{
    {TypeId::kBoolean, "boolean"},
    {TypeId::kInt, "int"},
    {TypeId::kLong, "long"},
    {TypeId::kFloat, "float"},
    {TypeId::kDouble, "double"},
    {TypeId::kDate, "date"},
    {TypeId::kTime, "time"},
    {TypeId::kTimestamp, "timestamp"},
    {TypeId::kTimestampTz, "timestamptz"},
    {TypeId::kTimestampNs, "timestamp_ns"},
    {TypeId::kTimestampTzNs, "timestamptz_ns"},
    {TypeId::kString, "string"},
    {TypeId::kUuid, "uuid"},
    {TypeId::kBinary, "binary"},
    {TypeId::kUnknown, "unknown"},
    {TypeId::kVariant, "variant"},
    {TypeId::kGeometry, "geometry"},
}};

std::string_view Trim(std::string_view text) {
  while (!text.empty() && text.front() == ' ') text.remove_prefix(1);
  while (!text.empty() && text.back() == ' ') text.remove_suffix(1);
  return text;
}

bool ParseInt(std::string_view text, int* out) {
  text = Trim(text);
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), *out);
  return error == std::errc() && end == text.data() + text.size();
}

/// The text between `open` and `close` when `text` is name + open + ... + close.
std::optional<std::string_view> Arguments(std::string_view text, std::string_view name, char open, char close) {
  if (!text.starts_with(name) || text.size() < name.size() + 2) return std::nullopt;
  if (text[name.size()] != open || text.back() != close) return std::nullopt;
  return text.substr(name.size() + 1, text.size() - name.size() - 2);
}

arrow::Result<TypePtr> ParseDecimal(std::string_view text, std::string_view arguments) {
  const size_t comma = arguments.find(',');
  int precision = 0;
  int scale = 0;
  if (comma == std::string_view::npos || !ParseInt(arguments.substr(0, comma), &precision) ||
      !ParseInt(arguments.substr(comma + 1), &scale) || precision < 1 || precision > 38 || scale < 0 || scale > 38) {
    return base::CorruptData("invalid decimal type: ", text);
  }
  return Type::Decimal(precision, scale);
}

arrow::Result<std::shared_ptr<arrow::DataType>> NestedToArrow(const Type& type) {
  std::vector<std::shared_ptr<arrow::Field>> members;
  for (const Field& field : type.fields()) {
    ARROW_ASSIGN_OR_RAISE(auto member, field.type->ToArrow());
    members.push_back(arrow::field(field.name, std::move(member), !field.required));
  }
  switch (type.id()) {
    case TypeId::kList:
      return arrow::list(members[0]);
    case TypeId::kMap:
      return std::make_shared<arrow::MapType>(members[0]->WithNullable(false), members[1]);
    default:
      return arrow::struct_(std::move(members));
  }
}

}  // namespace

TypePtr Type::Primitive(TypeId id) {
  static const auto kTypes = [] {
    std::array<TypePtr, static_cast<size_t>(TypeId::kGeography) + 1> types;
    for (size_t i = 0; i < types.size(); ++i) {
      auto type = std::shared_ptr<Type>(new Type());
      type->id_ = static_cast<TypeId>(i);
      types[i] = std::move(type);
    }
    return types;
  }();
  return kTypes[static_cast<size_t>(id)];
}

TypePtr Type::Decimal(int precision, int scale) {
  auto type = std::shared_ptr<Type>(new Type());
  type->id_ = TypeId::kDecimal;
  type->precision_ = precision;
  type->scale_ = scale;
  return type;
}

TypePtr Type::Fixed(int length) {
  auto type = std::shared_ptr<Type>(new Type());
  type->id_ = TypeId::kFixed;
  type->length_ = length;
  return type;
}

TypePtr Type::Struct(std::vector<Field> fields) {
  auto type = std::shared_ptr<Type>(new Type());
  type->id_ = TypeId::kStruct;
  type->fields_ = std::move(fields);
  return type;
}

TypePtr Type::List(Field element) {
  auto type = std::shared_ptr<Type>(new Type());
  type->id_ = TypeId::kList;
  element.name = "element";
  type->fields_.push_back(std::move(element));
  return type;
}

TypePtr Type::Map(Field key, Field value) {
  auto type = std::shared_ptr<Type>(new Type());
  type->id_ = TypeId::kMap;
  key.name = "key";
  key.required = true;
  value.name = "value";
  type->fields_.push_back(std::move(key));
  type->fields_.push_back(std::move(value));
  return type;
}

arrow::Result<TypePtr> Type::Parse(std::string_view text) {
  for (const auto& [id, name] : kPrimitiveNames) {
    if (text == name) return Primitive(id);
  }
  if (const auto arguments = Arguments(text, "decimal", '(', ')')) return ParseDecimal(text, *arguments);
  if (const auto arguments = Arguments(text, "fixed", '[', ']')) {
    int length = 0;
    if (!ParseInt(*arguments, &length) || length < 0) return base::CorruptData("invalid fixed type: ", text);
    return Fixed(length);
  }
  // The coordinate system does not matter to a reader that refuses the column.
  if (Arguments(text, "geometry", '(', ')')) return Primitive(TypeId::kGeometry);
  if (text == "geography" || Arguments(text, "geography", '(', ')')) return Primitive(TypeId::kGeography);
  return base::CorruptData("unknown type: ", text);
}

std::string Type::ToString() const {
  switch (id_) {
    case TypeId::kDecimal:
      return "decimal(" + std::to_string(precision_) + ", " + std::to_string(scale_) + ")";
    case TypeId::kFixed:
      return "fixed[" + std::to_string(length_) + "]";
    case TypeId::kGeography:
      return "geography";
    case TypeId::kList:
      return "list<" + fields_[0].type->ToString() + ">";
    case TypeId::kMap:
      return "map<" + fields_[0].type->ToString() + ", " + fields_[1].type->ToString() + ">";
    case TypeId::kStruct: {
      std::string text = "struct<";
      for (const Field& field : fields_) {
        if (text.size() > 7) text += ", ";
        text += std::to_string(field.id) + ": " + field.name + (field.required ? ": required " : ": optional ") + field.type->ToString();
      }
      return text + ">";
    }
    default:
      for (const auto& [id, name] : kPrimitiveNames) {
        if (id == id_) return std::string(name);
      }
      return "unknown";
  }
}

arrow::Result<std::shared_ptr<arrow::DataType>> Type::ToArrow() const {
  switch (id_) {
    case TypeId::kBoolean:
      return arrow::boolean();
    case TypeId::kInt:
      return arrow::int32();
    case TypeId::kLong:
      return arrow::int64();
    case TypeId::kFloat:
      return arrow::float32();
    case TypeId::kDouble:
      return arrow::float64();
    case TypeId::kDecimal:
      return arrow::decimal128(precision_, scale_);
    case TypeId::kDate:
      return arrow::date32();
    case TypeId::kTime:
      return arrow::time64(arrow::TimeUnit::MICRO);
    case TypeId::kTimestamp:
      return arrow::timestamp(arrow::TimeUnit::MICRO);
    case TypeId::kTimestampTz:
      return arrow::timestamp(arrow::TimeUnit::MICRO, "UTC");
    case TypeId::kTimestampNs:
      return arrow::timestamp(arrow::TimeUnit::NANO);
    case TypeId::kTimestampTzNs:
      return arrow::timestamp(arrow::TimeUnit::NANO, "UTC");
    case TypeId::kString:
    case TypeId::kUuid:
      return arrow::utf8();
    case TypeId::kFixed:
    case TypeId::kBinary:
      return arrow::binary();
    case TypeId::kUnknown:
      return arrow::null();
    case TypeId::kVariant:
    case TypeId::kGeometry:
    case TypeId::kGeography:
      return base::Unsupported("reading columns of this type: ", ToString());
    case TypeId::kStruct:
    case TypeId::kList:
    case TypeId::kMap:
      return NestedToArrow(*this);
  }
  return base::Internal("type without an Arrow form: ", ToString());
}

bool Equals(const Type& a, const Type& b) {
  if (&a == &b) return true;
  if (a.id() != b.id() || a.precision() != b.precision() || a.scale() != b.scale() || a.length() != b.length() ||
      a.fields().size() != b.fields().size()) {
    return false;
  }
  for (size_t i = 0; i < a.fields().size(); ++i) {
    const Field& x = a.fields()[i];
    const Field& y = b.fields()[i];
    if (x.id != y.id || x.name != y.name || x.required != y.required || !Equals(*x.type, *y.type)) return false;
  }
  return true;
}

}  // namespace vecruntime::iceberg
