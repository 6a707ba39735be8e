// SPDX-License-Identifier: Apache-2.0
#include "vecruntime/expr/type_coercion.h"

#include <arrow/scalar.h>
#include <arrow/type.h>

#include <algorithm>
#include <cctype>

#include "vecruntime/base/error.h"
#include "vecruntime/expr/cast/cast.h"
#include "vecruntime/expr/decimal.h"
#include "vecruntime/expr/function_registry.h"
#include "vecruntime/expr/interval_type.h"

namespace vecruntime::expr {

bool IsIntegral(const arrow::DataType& type) {
  return type.id() == arrow::Type::INT8 || type.id() == arrow::Type::INT16 || type.id() == arrow::Type::INT32 ||
         type.id() == arrow::Type::INT64;
}
bool IsFloating(const arrow::DataType& type) { return type.id() == arrow::Type::FLOAT || type.id() == arrow::Type::DOUBLE; }
bool IsDecimal(const arrow::DataType& type) { return type.id() == arrow::Type::DECIMAL128; }
bool IsNumeric(const arrow::DataType& type) { return IsIntegral(type) || IsFloating(type) || IsDecimal(type); }
bool IsString(const arrow::DataType& type) { return type.id() == arrow::Type::STRING; }
bool IsTimestamp(const arrow::DataType& type) { return type.id() == arrow::Type::TIMESTAMP; }
bool IsZoned(const arrow::DataType& type) {
  return IsTimestamp(type) && !static_cast<const arrow::TimestampType&>(type).timezone().empty();
}
bool IsInterval(const arrow::DataType& type) {
  return type.id() == arrow::Type::DURATION || type.id() == arrow::Type::INTERVAL_MONTHS;
}
bool IsNested(const arrow::DataType& type) {
  return type.id() == arrow::Type::LIST || type.id() == arrow::Type::MAP || type.id() == arrow::Type::STRUCT;
}
int DecimalPrecision(const arrow::DataType& type) { return static_cast<const arrow::Decimal128Type&>(type).precision(); }
int DecimalScale(const arrow::DataType& type) { return static_cast<const arrow::Decimal128Type&>(type).scale(); }

namespace {

bool EqualsIgnoreCase(std::string_view a, std::string_view b) {
  return a.size() == b.size() && std::equal(a.begin(), a.end(), b.begin(), [](unsigned char x, unsigned char y) {
           return std::tolower(x) == std::tolower(y);
         });
}

arrow::TimeUnit::type UnitOf(const arrow::DataType& type) { return static_cast<const arrow::TimestampType&>(type).unit(); }

}  // namespace

bool SameType(const arrow::DataType& a, const arrow::DataType& b) {
  if (a.id() != b.id()) return false;
  switch (a.id()) {
    case arrow::Type::DECIMAL128:
      return DecimalPrecision(a) == DecimalPrecision(b) && DecimalScale(a) == DecimalScale(b);
    case arrow::Type::TIMESTAMP:
      return UnitOf(a) == UnitOf(b) && IsZoned(a) == IsZoned(b);
    case arrow::Type::DURATION:
    case arrow::Type::INTERVAL_MONTHS:
      return UnitsOf(a) == UnitsOf(b);
    case arrow::Type::LIST:
      return SameType(*a.field(0)->type(), *b.field(0)->type());
    case arrow::Type::MAP: {
      const auto& x = static_cast<const arrow::MapType&>(a);
      const auto& y = static_cast<const arrow::MapType&>(b);
      return SameType(*x.key_type(), *y.key_type()) && SameType(*x.item_type(), *y.item_type());
    }
    case arrow::Type::STRUCT: {
      if (a.num_fields() != b.num_fields()) return false;
      for (int k = 0; k < a.num_fields(); ++k) {
        if (!EqualsIgnoreCase(a.field(k)->name(), b.field(k)->name())) return false;
        if (!SameType(*a.field(k)->type(), *b.field(k)->type())) return false;
      }
      return true;
    }
    default:
      return true;
  }
}

TypePtr DecimalForIntegral(const arrow::DataType& type) {
  switch (type.id()) {
    case arrow::Type::INT8:
      return arrow::decimal128(3, 0);
    case arrow::Type::INT16:
      return arrow::decimal128(5, 0);
    case arrow::Type::INT32:
      return arrow::decimal128(10, 0);
    default:
      return arrow::decimal128(20, 0);
  }
}

TypePtr DecimalForLiteral(const Expr& literal) {
  const auto& value = literal.value();
  if (!value->is_valid) return DecimalForIntegral(*literal.type());
  int64_t number = 0;
  switch (literal.type()->id()) {
    case arrow::Type::INT8:
      number = static_cast<const arrow::Int8Scalar&>(*value).value;
      break;
    case arrow::Type::INT16:
      number = static_cast<const arrow::Int16Scalar&>(*value).value;
      break;
    case arrow::Type::INT32:
      number = static_cast<const arrow::Int32Scalar&>(*value).value;
      break;
    default:
      number = static_cast<const arrow::Int64Scalar&>(*value).value;
  }
  int digits = 1;
  while (!FitsPrecision(number, digits)) ++digits;
  return arrow::decimal128(digits, 0);
}

TypePtr AdjustedDecimal(int precision, int scale) {
  constexpr int kMinimumAdjustedScale = 6;
  if (precision <= kMaxDecimalPrecision) return arrow::decimal128(precision, scale);
  const int integral = precision - scale;
  const int minimum = std::min(scale, kMinimumAdjustedScale);
  return arrow::decimal128(kMaxDecimalPrecision, std::max(kMaxDecimalPrecision - integral, minimum));
}

TypePtr WiderDecimal(const arrow::DataType& a, const arrow::DataType& b) {
  const int scale = std::max(DecimalScale(a), DecimalScale(b));
  const int range = std::max(DecimalPrecision(a) - DecimalScale(a), DecimalPrecision(b) - DecimalScale(b));
  const int excess = std::max(range + scale - kMaxDecimalPrecision, 0);
  return arrow::decimal128(range + scale - excess, std::max(scale - excess, 0));
}

TypePtr StringPromotion(const arrow::DataType& a, const arrow::DataType& b) {
  if (!IsString(a) && IsString(b)) return StringPromotion(b, a);
  if (!IsString(a) || IsString(b) || IsInterval(b) || IsNested(b)) return nullptr;
  if (IsIntegral(b)) return arrow::int64();
  if (IsNumeric(b)) return arrow::float64();
  if (b.id() == arrow::Type::NA) return arrow::utf8();
  return b.GetSharedPtr();
}

namespace {

TypePtr CommonNumeric(const TypePtr& a, const TypePtr& b) {
  if (IsDecimal(*a) && IsDecimal(*b)) return WiderDecimal(*a, *b);
  if (IsDecimal(*a) && IsIntegral(*b)) return WiderDecimal(*a, *DecimalForIntegral(*b));
  if (IsIntegral(*a) && IsDecimal(*b)) return WiderDecimal(*DecimalForIntegral(*a), *b);
  if (IsFloating(*a) || IsFloating(*b)) return a->id() == b->id() ? a : arrow::float64();
  return a->id() > b->id() ? a : b;  // Arrow numbers the signed integers by width
}

TypePtr CommonDatetime(const arrow::DataType& a, const arrow::DataType& b) {
  const bool nanos = (IsTimestamp(a) && UnitOf(a) == arrow::TimeUnit::NANO) || (IsTimestamp(b) && UnitOf(b) == arrow::TimeUnit::NANO);
  const auto unit = nanos ? arrow::TimeUnit::NANO : arrow::TimeUnit::MICRO;
  return IsZoned(a) || IsZoned(b) ? arrow::timestamp(unit, "UTC") : arrow::timestamp(unit);
}

TypePtr CommonInterval(IntervalUnits a, IntervalUnits b) { return IntervalType({std::min(a.start, b.start), std::max(a.end, b.end)}); }

TypePtr CommonNested(const arrow::DataType& a, const arrow::DataType& b) {
  if (a.id() == arrow::Type::LIST) {
    const TypePtr element = CommonTypeOf(a.field(0)->type(), b.field(0)->type());
    return element ? arrow::list(arrow::field("element", element)) : nullptr;
  }
  if (a.id() == arrow::Type::MAP) {
    const auto& x = static_cast<const arrow::MapType&>(a);
    const auto& y = static_cast<const arrow::MapType&>(b);
    const TypePtr key = CommonTypeOf(x.key_type(), y.key_type());
    const TypePtr item = CommonTypeOf(x.item_type(), y.item_type());
    return key && item ? arrow::map(key, item) : nullptr;
  }
  if (a.num_fields() != b.num_fields()) return nullptr;
  arrow::FieldVector fields;
  for (int k = 0; k < a.num_fields(); ++k) {
    if (!EqualsIgnoreCase(a.field(k)->name(), b.field(k)->name())) return nullptr;
    const TypePtr type = CommonTypeOf(a.field(k)->type(), b.field(k)->type());
    if (!type) return nullptr;
    fields.push_back(arrow::field(a.field(k)->name(), type));
  }
  return arrow::struct_(fields);
}

bool IsDatetime(const arrow::DataType& type) { return IsTimestamp(type) || type.id() == arrow::Type::DATE32; }

}  // namespace

TypePtr CommonTypeOf(const TypePtr& a, const TypePtr& b) {
  if (SameType(*a, *b)) return a;
  if (a->id() == arrow::Type::NA) return b;
  if (b->id() == arrow::Type::NA) return a;
  if (IsNumeric(*a) && IsNumeric(*b)) return CommonNumeric(a, b);
  if (IsDatetime(*a) && IsDatetime(*b)) return CommonDatetime(*a, *b);
  if (IsInterval(*a) && a->id() == b->id()) return CommonInterval(UnitsOf(*a), UnitsOf(*b));
  if (const TypePtr promoted = StringPromotion(*a, *b)) return promoted;
  if (IsNested(*a) && a->id() == b->id()) return CommonNested(*a, *b);
  return nullptr;
}

arrow::Result<TypePtr> CommonType(const std::vector<TypePtr>& types) {
  TypePtr common = arrow::null();
  for (const TypePtr& type : types) {
    const TypePtr wider = CommonTypeOf(common, type);
    if (!wider) {
      return base::InvalidArgument("[DATATYPE_MISMATCH.DATA_DIFF_TYPES] Expressions have no common type: ", TypeName(*common), ", ",
                                   TypeName(*type));
    }
    common = wider;
  }
  return common;
}

ExprPtr CastIfNeeded(const ExprPtr& child, const TypePtr& to) {
  // Nested types that differ in nullability or child names are the same to SQL but not to Arrow, which concatenates only equal ones.
  if (SameType(*child->type(), *to) && (!IsNested(*to) || child->type()->Equals(*to))) return child;
  if (child->kind() == ExprKind::kLiteral && !child->value()->is_valid) return Expr::Literal(arrow::MakeNullScalar(to));
  return Expr::Cast(child, to, false);
}

namespace {

// Spark's Cast.canANSIStoreAssign: the casts that may be inserted without losing meaning.
bool CanStore(const arrow::DataType& from, const arrow::DataType& to) {
  if (SameType(from, to) || from.id() == arrow::Type::NA) return true;
  if (IsNumeric(from) && IsNumeric(to)) return true;
  if (IsString(to)) return !IsNested(from);
  if (IsDatetime(from) && IsDatetime(to)) return true;
  if (IsInterval(from)) return from.id() == to.id();
  if (from.id() != to.id() || !IsNested(from)) return false;
  if (from.id() == arrow::Type::MAP) {
    const auto& x = static_cast<const arrow::MapType&>(from);
    const auto& y = static_cast<const arrow::MapType&>(to);
    return CanStore(*x.key_type(), *y.key_type()) && CanStore(*x.item_type(), *y.item_type());
  }
  if (from.num_fields() != to.num_fields()) return false;
  for (int k = 0; k < from.num_fields(); ++k) {
    if (!CanStore(*from.field(k)->type(), *to.field(k)->type())) return false;
  }
  return true;
}

}  // namespace

arrow::Result<ExprPtr> CoerceTo(ExprPtr child, const TypePtr& to) {
  const arrow::DataType& from = *child->type();
  const bool from_string = IsString(from) && !IsNested(*to) && !IsInterval(*to);
  if (from_string || CanStore(from, *to)) return CastIfNeeded(child, to);
  return base::InvalidArgument("[DATATYPE_MISMATCH.UNEXPECTED_INPUT_TYPE] Expected ", TypeName(*to), " but ", child->ToString(),
                               " has type ", TypeName(from));
}

namespace {

// Structs are compared field by field, whatever the fields are called.
bool SameButForNames(const arrow::DataType& a, const arrow::DataType& b) {
  if (a.id() != b.id() || !IsNested(a)) return SameType(a, b);
  if (a.num_fields() != b.num_fields()) return false;
  for (int k = 0; k < a.num_fields(); ++k) {
    if (!SameButForNames(*a.field(k)->type(), *b.field(k)->type())) return false;
  }
  return true;
}

}  // namespace

arrow::Status UnifyComparison(std::string_view op, ExprPtr* left, ExprPtr* right) {
  const TypePtr a = (*left)->type();
  const TypePtr b = (*right)->type();
  TypePtr common;
  const auto literal_decimal = [](const ExprPtr& side, const ExprPtr& other) -> TypePtr {
    if (side->kind() != ExprKind::kLiteral || !IsIntegral(*side->type()) || !IsDecimal(*other->type())) return nullptr;
    return WiderDecimal(*DecimalForLiteral(*side), *other->type());
  };
  common = literal_decimal(*left, *right);
  if (!common) common = literal_decimal(*right, *left);
  if (!common) common = CommonTypeOf(a, b);
  if (!common && SameButForNames(*a, *b)) common = a;
  if (!common) {
    return base::InvalidArgument("[DATATYPE_MISMATCH.BINARY_OP_DIFF_TYPES] Operands of ", op, " have different types: ", TypeName(*a),
                                 ", ", TypeName(*b));
  }
  *left = CastIfNeeded(*left, common);
  *right = CastIfNeeded(*right, common);
  return arrow::Status::OK();
}

}  // namespace vecruntime::expr
