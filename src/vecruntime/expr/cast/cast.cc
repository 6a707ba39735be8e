// SPDX-License-Identifier: Apache-2.0
#include "vecruntime/expr/cast/cast.h"

#include <arrow/array.h>
#include <arrow/array/util.h>
#include <arrow/scalar.h>

#include <cctype>

#include "vecruntime/base/error.h"
#include "vecruntime/expr/cast/cast_internal.h"
#include "vecruntime/expr/function_registry.h"

namespace vecruntime::expr {
namespace {

bool CanCastNested(const arrow::DataType& from, const arrow::DataType& to) {
  if (from.id() != to.id()) return false;
  if (from.id() == arrow::Type::MAP) {
    const auto& x = static_cast<const arrow::MapType&>(from);
    const auto& y = static_cast<const arrow::MapType&>(to);
    return CanCast(*x.key_type(), *y.key_type()) && CanCast(*x.item_type(), *y.item_type());
  }
  if (from.num_fields() != to.num_fields()) return false;
  for (int k = 0; k < from.num_fields(); ++k) {
    if (!CanCast(*from.field(k)->type(), *to.field(k)->type())) return false;
  }
  return true;
}

bool IsDate(const arrow::DataType& type) { return type.id() == arrow::Type::DATE32; }
bool IsBoolean(const arrow::DataType& type) { return type.id() == arrow::Type::BOOL; }

// An exact number stands for that many of the last unit of an interval.
bool CanCastInterval(const arrow::DataType& from, const arrow::DataType& to) {
  if (from.id() == to.id()) return true;
  const arrow::DataType& number = IsInterval(from) ? to : from;
  return IsIntegral(number) || IsDecimal(number);
}

std::string UpperTypeName(const arrow::DataType& type) {
  std::string name = TypeName(type);
  for (char& c : name) c = static_cast<char>(std::toupper(static_cast<unsigned char>(c)));
  return name;
}

}  // namespace

bool CanCast(const arrow::DataType& from, const arrow::DataType& to) {
  if (SameType(from, to) || from.id() == arrow::Type::NA || IsString(to)) return true;
  if (IsNested(from) || IsNested(to)) return CanCastNested(from, to);
  if (IsString(from)) return true;
  if (IsInterval(from) || IsInterval(to)) return CanCastInterval(from, to);
  if (IsNumeric(from)) return IsNumeric(to) || IsBoolean(to) || (IsZoned(to));
  if (IsBoolean(from)) return IsNumeric(to);
  if (IsDate(from)) return IsTimestamp(to);
  if (IsTimestamp(from)) return IsDate(to) || IsTimestamp(to) || (IsZoned(from) && IsNumeric(to));
  return false;
}

arrow::Status InvalidInput(std::string_view value, const CastStep& step) {
  return base::InvalidArgument("[CAST_INVALID_INPUT] The value cannot be cast from \"", UpperTypeName(*step.from), "\" to \"",
                               UpperTypeName(*step.to), "\" because it is malformed; use `try_cast` to get NULL instead: '", value, "'");
}

arrow::Status CastOverflow(std::string_view value, const CastStep& step) {
  return base::InvalidArgument("[CAST_OVERFLOW] The value cannot be cast from \"", UpperTypeName(*step.from), "\" to \"",
                               UpperTypeName(*step.to), "\" due to an overflow; use `try_cast` to get NULL instead: ", value);
}

arrow::Status DecimalOverflow(std::string_view value, const arrow::DataType& to) {
  return base::InvalidArgument("[NUMERIC_VALUE_OUT_OF_RANGE.WITH_SUGGESTION] The value cannot be represented as ", UpperTypeName(to),
                               ": ", value);
}

arrow::Result<arrow::Datum> CastColumn(const KernelCall& call, const CastStep& step) {
  if (SameType(*step.from, *step.to)) {
    // Only the names of list and map children may differ; the buffers are the same.
    auto data = call.argument(0).data->Copy();
    data->type = step.to;
    if (IsNested(*step.to)) return CastNested(call, step);
    return arrow::Datum(std::move(data));
  }
  if (step.from->id() == arrow::Type::NA) return arrow::Datum(arrow::MakeNullScalar(step.to));
  if (!CanCast(*step.from, *step.to)) {
    return base::Unsupported("Cast is not supported: ", TypeName(*step.from), " to ", TypeName(*step.to));
  }
  if (IsString(*step.to)) return CastToString(call, step);
  if (IsInterval(*step.from) || IsInterval(*step.to)) return CastInterval(call, step);
  if (IsString(*step.from)) return CastFromString(call, step);
  if (IsNested(*step.from)) return CastNested(call, step);
  const auto is_number = [](const arrow::DataType& type) { return IsNumeric(type) || IsBoolean(type); };
  if (is_number(*step.from) && is_number(*step.to)) return CastNumber(call, step);
  return CastTemporal(call, step);
}

Kernel MakeCastKernel(const std::shared_ptr<arrow::DataType>& from, const std::shared_ptr<arrow::DataType>& to, bool try_cast) {
  return [step = CastStep{from, to, try_cast}](const std::vector<arrow::Datum>& arguments, const columnar::Selection& rows,
                                               const EvalContext& context) -> arrow::Result<arrow::Datum> {
    ARROW_ASSIGN_OR_RAISE(const KernelCall call, KernelCall::Make(arguments, rows, context));
    return CastColumn(call, step);
  };
}

std::string ScalarText(const arrow::Scalar& value) {
  if (!value.is_valid) return "NULL";
  const EvalContext context{arrow::default_memory_pool(), "UTC", 0};
  const Kernel kernel = MakeCastKernel(value.type, arrow::utf8(), false);
  const auto text = kernel({arrow::Datum(value.GetSharedPtr())}, columnar::Selection::All(1), context);
  if (!text.ok()) return "?";
  return std::string(static_cast<const arrow::StringArray&>(*text->make_array()).GetView(0));
}

}  // namespace vecruntime::expr
