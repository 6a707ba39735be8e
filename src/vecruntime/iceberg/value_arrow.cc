// SPDX-License-Identifier: Apache-2.0
#include <arrow/array/builder_binary.h>
#include <arrow/array/builder_decimal.h>
#include <arrow/array/builder_nested.h>
#include <arrow/array/builder_primitive.h>
#include <arrow/array/builder_time.h>
#include <arrow/builder.h>
#include <arrow/scalar.h>
#include <arrow/type.h>
#include <arrow/util/decimal.h>

#include "vecruntime/base/error.h"
#include "vecruntime/iceberg/type.h"
#include "vecruntime/iceberg/value.h"

namespace vecruntime::iceberg {
namespace {

using arrow::Decimal128;
using Nested = Value::Nested;

template <typename Builder, typename T>
arrow::Status AppendAs(const Value& value, arrow::ArrayBuilder* builder) {
  return static_cast<Builder*>(builder)->Append(std::get<T>(value.data));
}

bool HoldsWhat(const Type& type, const Value& value) {
  switch (type.id()) {
    case TypeId::kBoolean:
      return std::holds_alternative<bool>(value.data);
    case TypeId::kInt:
    case TypeId::kDate:
      return std::holds_alternative<int32_t>(value.data);
    case TypeId::kLong:
    case TypeId::kTime:
    case TypeId::kTimestamp:
    case TypeId::kTimestampTz:
    case TypeId::kTimestampNs:
    case TypeId::kTimestampTzNs:
      return std::holds_alternative<int64_t>(value.data);
    case TypeId::kFloat:
      return std::holds_alternative<float>(value.data);
    case TypeId::kDouble:
      return std::holds_alternative<double>(value.data);
    case TypeId::kDecimal:
      return std::holds_alternative<Decimal128>(value.data);
    case TypeId::kString:
    case TypeId::kUuid:
    case TypeId::kFixed:
    case TypeId::kBinary:
      return std::holds_alternative<std::string>(value.data);
    default:
      return type.is_nested() && std::holds_alternative<std::shared_ptr<const Nested>>(value.data);
  }
}

arrow::Status AppendNested(const Type& type, const Nested& members, arrow::ArrayBuilder* builder) {
  switch (type.id()) {
    case TypeId::kStruct: {
      auto* out = static_cast<arrow::StructBuilder*>(builder);
      if (members.size() != type.fields().size()) return base::CorruptData("struct value has the wrong number of members");
      ARROW_RETURN_NOT_OK(out->Append());
      for (size_t i = 0; i < members.size(); ++i) {
        ARROW_RETURN_NOT_OK(AppendTo(*type.fields()[i].type, members[i], out->field_builder(static_cast<int>(i))));
      }
      return arrow::Status::OK();
    }
    case TypeId::kList: {
      auto* out = static_cast<arrow::ListBuilder*>(builder);
      ARROW_RETURN_NOT_OK(out->Append());
      for (const Value& member : members) ARROW_RETURN_NOT_OK(AppendTo(*type.fields()[0].type, member, out->value_builder()));
      return arrow::Status::OK();
    }
    default: {
      auto* out = static_cast<arrow::MapBuilder*>(builder);
      ARROW_RETURN_NOT_OK(out->Append());
      for (size_t i = 0; i + 1 < members.size(); i += 2) {
        ARROW_RETURN_NOT_OK(AppendTo(*type.fields()[0].type, members[i], out->key_builder()));
        ARROW_RETURN_NOT_OK(AppendTo(*type.fields()[1].type, members[i + 1], out->item_builder()));
      }
      return arrow::Status::OK();
    }
  }
}

}  // namespace

arrow::Status AppendTo(const Type& type, const Value& value, arrow::ArrayBuilder* builder) {
  if (value.is_null()) return builder->AppendNull();
  if (!HoldsWhat(type, value)) return base::CorruptData("value does not fit its type: ", type.ToString());
  switch (type.id()) {
    case TypeId::kBoolean:
      return AppendAs<arrow::BooleanBuilder, bool>(value, builder);
    case TypeId::kInt:
      return AppendAs<arrow::Int32Builder, int32_t>(value, builder);
    case TypeId::kDate:
      return AppendAs<arrow::Date32Builder, int32_t>(value, builder);
    case TypeId::kLong:
      return AppendAs<arrow::Int64Builder, int64_t>(value, builder);
    case TypeId::kTime:
      return AppendAs<arrow::Time64Builder, int64_t>(value, builder);
    case TypeId::kTimestamp:
    case TypeId::kTimestampTz:
    case TypeId::kTimestampNs:
    case TypeId::kTimestampTzNs:
      return AppendAs<arrow::TimestampBuilder, int64_t>(value, builder);
    case TypeId::kFloat:
      return AppendAs<arrow::FloatBuilder, float>(value, builder);
    case TypeId::kDouble:
      return AppendAs<arrow::DoubleBuilder, double>(value, builder);
    case TypeId::kDecimal:
      return AppendAs<arrow::Decimal128Builder, Decimal128>(value, builder);
    case TypeId::kString:
    case TypeId::kFixed:
    case TypeId::kBinary:
      return static_cast<arrow::BinaryBuilder*>(builder)->Append(std::get<std::string>(value.data));
    case TypeId::kUuid:
      return static_cast<arrow::BinaryBuilder*>(builder)->Append(UuidText(std::get<std::string>(value.data)));
    default:
      return AppendNested(type, *std::get<std::shared_ptr<const Nested>>(value.data), builder);
  }
}

arrow::Result<std::shared_ptr<arrow::Scalar>> ToScalar(const Type& type, const Value& value) {
  ARROW_ASSIGN_OR_RAISE(const auto arrow_type, type.ToArrow());
  ARROW_ASSIGN_OR_RAISE(const auto builder, arrow::MakeBuilder(arrow_type));
  ARROW_RETURN_NOT_OK(AppendTo(type, value, builder.get()));
  ARROW_ASSIGN_OR_RAISE(const auto array, builder->Finish());
  return array->GetScalar(0);
}

}  // namespace vecruntime::iceberg
