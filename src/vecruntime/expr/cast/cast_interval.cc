// SPDX-License-Identifier: Apache-2.0
// Intervals to intervals of other units, from strings, and to and from exact numbers, which count the last unit.
#include <type_traits>

#include "vecruntime/base/error.h"
#include "vecruntime/expr/cast/cast_internal.h"
#include "vecruntime/expr/function_registry.h"
#include "vecruntime/expr/interval_type.h"
#include "vecruntime/expr/number_text.h"

namespace vecruntime::expr {
namespace {

template <typename T>
std::string NumberText(T value, [[maybe_unused]] const arrow::DataType& type) {
  if constexpr (std::is_same_v<T, Int128>) {
    std::string text;
    AppendDecimal(value, DecimalScale(type), &text);
    return text;
  } else {
    return std::to_string(value);
  }
}

// Units finer than the last one of the target are cut off.
template <typename T>
arrow::Result<arrow::Datum> ToUnits(const KernelCall& call, const CastStep& step) {
  const IntervalUnit end = UnitsOf(*step.to).end;
  const int64_t kept = end == IntervalUnit::kSecond ? 1 : AmountOf(end);
  return RunRows<T, T>(call, step.to, [kept](Writer<T>& out, T amount) { out.Set(static_cast<T>(amount - amount % kept)); });
}

template <typename T>
arrow::Result<arrow::Datum> FromText(const KernelCall& call, const CastStep& step) {
  const IntervalUnits units = UnitsOf(*step.to);
  return RunRows<T, std::string_view>(call, step.to, [&](Writer<T>& out, std::string_view text) {
    int64_t amount = 0;
    if (ParseInterval(text, units, &amount)) return out.Set(static_cast<T>(amount));
    Reject(out, step, [&] {
      return base::InvalidArgument("[INVALID_INTERVAL_FORMAT.UNMATCHED_FORMAT_STRING] Error parsing '", text, "' to ", TypeName(*step.to));
    });
  });
}

template <typename T, typename Number>
arrow::Result<arrow::Datum> ToNumber(const KernelCall& call, const CastStep& step) {
  const IntervalUnits units = UnitsOf(*step.from);
  const int64_t unit = AmountOf(units.end);
  return RunRows<Number, T>(call, step.to, [&](Writer<Number>& out, T amount) {
    if constexpr (std::is_same_v<Number, Int128>) {
      const bool seconds = units.end == IntervalUnit::kSecond;
      Int128 value = 0;
      if (Rescale(seconds ? amount : amount / unit, seconds ? 6 : 0, DecimalScale(*step.to), DecimalPrecision(*step.to), &value)) {
        return out.Set(value);
      }
      Reject(out, step, [&] { return DecimalOverflow(std::to_string(amount / unit), *step.to); });
    } else {
      const int64_t value = amount / unit;
      if (static_cast<Number>(value) == value) return out.Set(static_cast<Number>(value));
      std::string text;
      AppendInterval(amount, units, &text);
      Reject(out, step, [&] { return CastOverflow(text, step); });
    }
  });
}

template <typename T>
arrow::Result<arrow::Datum> ToAnyNumber(const KernelCall& call, const CastStep& step) {
  switch (step.to->id()) {
    case arrow::Type::INT8:
      return ToNumber<T, int8_t>(call, step);
    case arrow::Type::INT16:
      return ToNumber<T, int16_t>(call, step);
    case arrow::Type::INT32:
      return ToNumber<T, int32_t>(call, step);
    case arrow::Type::INT64:
      return ToNumber<T, int64_t>(call, step);
    default:
      return ToNumber<T, Int128>(call, step);
  }
}

template <typename T, typename Number>
arrow::Result<arrow::Datum> FromNumber(const KernelCall& call, const CastStep& step) {
  const int64_t unit = AmountOf(UnitsOf(*step.to).end);
  const int scale = std::is_same_v<Number, Int128> ? DecimalScale(*step.from) : 0;
  return RunRows<T, Number>(call, step.to, [&](Writer<T>& out, Number value) {
    Int128 amount = 0;
    const bool fits = !__builtin_mul_overflow(static_cast<Int128>(value), static_cast<Int128>(unit), &amount) &&
                      Rescale(amount, scale, 0, kMaxDecimalPrecision, &amount) && static_cast<T>(amount) == amount;
    if (fits) return out.Set(static_cast<T>(amount));
    Reject(out, step, [&] { return CastOverflow(NumberText(value, *step.from), step); });
  });
}

template <typename T>
arrow::Result<arrow::Datum> FromAnyNumber(const KernelCall& call, const CastStep& step) {
  switch (step.from->id()) {
    case arrow::Type::INT8:
      return FromNumber<T, int8_t>(call, step);
    case arrow::Type::INT16:
      return FromNumber<T, int16_t>(call, step);
    case arrow::Type::INT32:
      return FromNumber<T, int32_t>(call, step);
    case arrow::Type::INT64:
      return FromNumber<T, int64_t>(call, step);
    default:
      return FromNumber<T, Int128>(call, step);
  }
}

template <typename T>
arrow::Result<arrow::Datum> CastIntervalOf(const KernelCall& call, const CastStep& step) {
  if (!IsInterval(*step.to)) return ToAnyNumber<T>(call, step);
  if (IsInterval(*step.from)) return ToUnits<T>(call, step);
  return IsString(*step.from) ? FromText<T>(call, step) : FromAnyNumber<T>(call, step);
}

}  // namespace

arrow::Result<arrow::Datum> CastInterval(const KernelCall& call, const CastStep& step) {
  const arrow::DataType& interval = IsInterval(*step.to) ? *step.to : *step.from;
  return UnitsOf(interval).is_year_month() ? CastIntervalOf<int32_t>(call, step) : CastIntervalOf<int64_t>(call, step);
}

}  // namespace vecruntime::expr
