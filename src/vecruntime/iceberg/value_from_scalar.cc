// SPDX-License-Identifier: Apache-2.0
#include <arrow/scalar.h>
#include <arrow/type.h>
#include <arrow/util/decimal.h>

#include <cmath>
#include <optional>

#include "vecruntime/base/error.h"
#include "vecruntime/iceberg/type.h"
#include "vecruntime/iceberg/value.h"

namespace vecruntime::iceberg {
namespace {

using arrow::Decimal128;

arrow::Status DoesNotFit(const Type& type, const arrow::Scalar& scalar) {
  return base::InvalidArgument("literal is not exactly a ", type.ToString(), ": ", scalar.ToString());
}

/// An exact number: unscaled * 10^-scale.
struct Exact {
  Decimal128 unscaled;
  int scale = 0;
};

std::optional<Exact> ExactNumber(const arrow::Scalar& scalar) {
  switch (scalar.type->id()) {
    case arrow::Type::INT8:
      return Exact{Decimal128(static_cast<const arrow::Int8Scalar&>(scalar).value)};
    case arrow::Type::INT16:
      return Exact{Decimal128(static_cast<const arrow::Int16Scalar&>(scalar).value)};
    case arrow::Type::INT32:
      return Exact{Decimal128(static_cast<const arrow::Int32Scalar&>(scalar).value)};
    case arrow::Type::INT64:
      return Exact{Decimal128(static_cast<const arrow::Int64Scalar&>(scalar).value)};
    case arrow::Type::DECIMAL128:
      return Exact{static_cast<const arrow::Decimal128Scalar&>(scalar).value,
                   static_cast<const arrow::Decimal128Type&>(*scalar.type).scale()};
    default:
      return std::nullopt;
  }
}

std::optional<double> FloatingNumber(const arrow::Scalar& scalar) {
  if (scalar.type->id() == arrow::Type::FLOAT) return static_cast<const arrow::FloatScalar&>(scalar).value;
  if (scalar.type->id() == arrow::Type::DOUBLE) return static_cast<const arrow::DoubleScalar&>(scalar).value;
  return std::nullopt;
}

arrow::Result<Value> IntegerFrom(const Type& type, const arrow::Scalar& scalar) {
  const auto number = ExactNumber(scalar);
  if (!number) return DoesNotFit(type, scalar);
  auto whole = number->unscaled.Rescale(number->scale, 0);
  if (!whole.ok()) return DoesNotFit(type, scalar);
  int64_t value = 0;
  if (!whole->ToInteger(&value).ok()) return DoesNotFit(type, scalar);
  if (type.id() == TypeId::kLong) return Value{value};
  if (value != static_cast<int32_t>(value)) return DoesNotFit(type, scalar);
  return Value{static_cast<int32_t>(value)};
}

arrow::Result<Value> FloatingFrom(const Type& type, const arrow::Scalar& scalar) {
  double value = 0;
  if (const auto floating = FloatingNumber(scalar)) {
    value = *floating;
  } else {
    const auto number = ExactNumber(scalar);
    if (!number) return DoesNotFit(type, scalar);
    value = number->unscaled.ToDouble(number->scale);
    const auto back = Decimal128::FromReal(value, 38, number->scale);
    if (!back.ok() || *back != number->unscaled) return DoesNotFit(type, scalar);
  }
  if (type.id() == TypeId::kDouble) return Value{value};
  const auto narrow = static_cast<float>(value);
  if (!std::isnan(value) && static_cast<double>(narrow) != value) return DoesNotFit(type, scalar);
  return Value{narrow};
}

arrow::Result<Value> DecimalFrom(const Type& type, const arrow::Scalar& scalar) {
  const auto number = ExactNumber(scalar);
  if (!number) return DoesNotFit(type, scalar);
  const auto rescaled = number->unscaled.Rescale(number->scale, type.scale());
  if (!rescaled.ok() || !rescaled->FitsInPrecision(type.precision())) return DoesNotFit(type, scalar);
  return Value{*rescaled};
}

int64_t PerSecond(arrow::TimeUnit::type unit) {
  switch (unit) {
    case arrow::TimeUnit::SECOND:
      return 1;
    case arrow::TimeUnit::MILLI:
      return 1'000;
    case arrow::TimeUnit::MICRO:
      return 1'000'000;
    default:
      return 1'000'000'000;
  }
}

arrow::Result<Value> Rescaled(const Type& type, const arrow::Scalar& scalar, int64_t value, int64_t from, int64_t to) {
  if (from > to) {
    if (value % (from / to) != 0) return DoesNotFit(type, scalar);
    return Value{value / (from / to)};
  }
  if (__builtin_mul_overflow(value, to / from, &value)) return DoesNotFit(type, scalar);
  return Value{value};
}

arrow::Result<Value> TimestampFrom(const Type& type, const arrow::Scalar& scalar) {
  if (scalar.type->id() != arrow::Type::TIMESTAMP) return DoesNotFit(type, scalar);
  const auto& from = static_cast<const arrow::TimestampType&>(*scalar.type);
  const bool with_zone = type.id() == TypeId::kTimestampTz || type.id() == TypeId::kTimestampTzNs;
  const bool nanos = type.id() == TypeId::kTimestampNs || type.id() == TypeId::kTimestampTzNs;
  // With and without zone convert only through the session's time zone, which is not known here.
  if (with_zone == from.timezone().empty()) return DoesNotFit(type, scalar);
  return Rescaled(type, scalar, static_cast<const arrow::TimestampScalar&>(scalar).value, PerSecond(from.unit()),
                  nanos ? 1'000'000'000 : 1'000'000);
}

arrow::Result<Value> TimeFrom(const Type& type, const arrow::Scalar& scalar) {
  if (scalar.type->id() == arrow::Type::TIME64) {
    return Rescaled(type, scalar, static_cast<const arrow::Time64Scalar&>(scalar).value,
                    PerSecond(static_cast<const arrow::Time64Type&>(*scalar.type).unit()), 1'000'000);
  }
  if (scalar.type->id() == arrow::Type::TIME32) {
    return Rescaled(type, scalar, static_cast<const arrow::Time32Scalar&>(scalar).value,
                    PerSecond(static_cast<const arrow::Time32Type&>(*scalar.type).unit()), 1'000'000);
  }
  return DoesNotFit(type, scalar);
}

arrow::Result<Value> BytesFrom(const Type& type, const arrow::Scalar& scalar) {
  const arrow::Type::type from = scalar.type->id();
  const bool is_text = from == arrow::Type::STRING || from == arrow::Type::LARGE_STRING;
  const bool is_bytes = from == arrow::Type::BINARY || from == arrow::Type::LARGE_BINARY || from == arrow::Type::FIXED_SIZE_BINARY;
  if (!is_text && !is_bytes) return DoesNotFit(type, scalar);
  const std::string bytes = static_cast<const arrow::BaseBinaryScalar&>(scalar).value->ToString();
  switch (type.id()) {
    case TypeId::kString:
      if (!is_text) return DoesNotFit(type, scalar);
      return Value{bytes};
    case TypeId::kUuid: {
      if (is_text) {
        ARROW_ASSIGN_OR_RAISE(std::string uuid, UuidBytes(bytes));
        // Spark compares UUIDs as text, which orders as the bytes do in its one spelling only: 'B' is below 'a'.
        if (UuidText(uuid) != bytes) return DoesNotFit(type, scalar);
        return Value{std::move(uuid)};
      }
      if (bytes.size() != 16) return DoesNotFit(type, scalar);
      return Value{bytes};
    }
    case TypeId::kFixed:
      if (!is_bytes || bytes.size() != static_cast<size_t>(type.length())) return DoesNotFit(type, scalar);
      return Value{bytes};
    default:
      if (!is_bytes) return DoesNotFit(type, scalar);
      return Value{bytes};
  }
}

}  // namespace

arrow::Result<Value> FromScalar(const Type& type, const arrow::Scalar& scalar) {
  if (!scalar.is_valid) return Value{};
  switch (type.id()) {
    case TypeId::kBoolean:
      if (scalar.type->id() != arrow::Type::BOOL) return DoesNotFit(type, scalar);
      return Value{static_cast<const arrow::BooleanScalar&>(scalar).value};
    case TypeId::kInt:
    case TypeId::kLong:
      return IntegerFrom(type, scalar);
    case TypeId::kFloat:
    case TypeId::kDouble:
      return FloatingFrom(type, scalar);
    case TypeId::kDecimal:
      return DecimalFrom(type, scalar);
    case TypeId::kDate:
      if (scalar.type->id() != arrow::Type::DATE32) return DoesNotFit(type, scalar);
      return Value{static_cast<const arrow::Date32Scalar&>(scalar).value};
    case TypeId::kTime:
      return TimeFrom(type, scalar);
    case TypeId::kTimestamp:
    case TypeId::kTimestampTz:
    case TypeId::kTimestampNs:
    case TypeId::kTimestampTzNs:
      return TimestampFrom(type, scalar);
    case TypeId::kString:
    case TypeId::kUuid:
    case TypeId::kFixed:
    case TypeId::kBinary:
      return BytesFrom(type, scalar);
    default:
      return DoesNotFit(type, scalar);
  }
}

}  // namespace vecruntime::iceberg
