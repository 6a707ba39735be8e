// SPDX-License-Identifier: Apache-2.0
#include <cmath>
#include <limits>

#include "vecruntime/base/error.h"
#include "vecruntime/expr/cast/cast_internal.h"
#include "vecruntime/expr/number_text.h"

namespace vecruntime::expr {
namespace {

template <typename T>
std::string TextOf(T value) {
  std::string text;
  if constexpr (std::is_same_v<T, float>) {
    AppendFloat(value, &text);
  } else if constexpr (std::is_same_v<T, double>) {
    AppendDouble(value, &text);
  } else {
    AppendInteger(value, &text);
  }
  return text;
}

// Spark compares floor and ceil with the bounds of the target as floating numbers, then narrows as Java does (saturating).
template <typename To, typename From>
bool Narrow(From value, To* out) {
  if constexpr (std::is_floating_point_v<From>) {
    constexpr auto kMin = std::numeric_limits<To>::min();
    constexpr auto kMax = std::numeric_limits<To>::max();
    if (!(std::floor(value) <= static_cast<From>(kMax) && std::ceil(value) >= static_cast<From>(kMin))) return false;
    *out = value >= static_cast<From>(kMax) ? kMax : static_cast<To>(value);
    return true;
  } else {
    *out = static_cast<To>(value);
    return *out == value;
  }
}

template <typename To, typename From>
arrow::Result<arrow::Datum> NumberToNumber(const KernelCall& call, const CastStep& step) {
  if constexpr (std::is_floating_point_v<To> || (std::is_integral_v<From> && sizeof(To) >= sizeof(From))) {
    return MapUnary<To, From>(call, step.to, [](From value) { return static_cast<To>(value); });
  } else {
    return RunRows<To, From>(call, step.to, [&](Writer<To>& out, From value) {
      To narrowed{};
      if (Narrow(value, &narrowed)) {
        out.Set(narrowed);
      } else {
        Reject(out, step, [&] { return CastOverflow(TextOf(value), step); });
      }
    });
  }
}

template <typename From>
arrow::Result<arrow::Datum> NumberToDecimal(const KernelCall& call, const CastStep& step) {
  const int precision = DecimalPrecision(*step.to);
  const int scale = DecimalScale(*step.to);
  return RunRows<Int128, From>(call, step.to, [&](Writer<Int128>& out, From value) {
    Int128 decimal = 0;
    bool fits = true;
    if constexpr (std::is_floating_point_v<From>) {
      // Through the shortest text of the double, as Spark's BigDecimal(double) does; NaN and infinities become NULL there.
      if (!std::isfinite(value)) return out.Null();
      fits = ParseDecimal(TextOf(static_cast<double>(value)), precision, scale, &decimal) == DecimalParse::kOk;
    } else {
      fits = Rescale(value, 0, scale, precision, &decimal);
    }
    if (fits) {
      out.Set(decimal);
    } else {
      Reject(out, step, [&] { return DecimalOverflow(TextOf(value), *step.to); });
    }
  });
}

template <typename From>
arrow::Result<arrow::Datum> FromNumber(const KernelCall& call, const CastStep& step) {
  switch (step.to->id()) {
    case arrow::Type::BOOL:
      return RunRows<bool, From>(call, step.to, [](Writer<bool>& out, From value) { out.Set(value != 0); });
    case arrow::Type::INT8:
      return NumberToNumber<int8_t, From>(call, step);
    case arrow::Type::INT16:
      return NumberToNumber<int16_t, From>(call, step);
    case arrow::Type::INT32:
      return NumberToNumber<int32_t, From>(call, step);
    case arrow::Type::INT64:
      return NumberToNumber<int64_t, From>(call, step);
    case arrow::Type::FLOAT:
      return NumberToNumber<float, From>(call, step);
    case arrow::Type::DOUBLE:
      return NumberToNumber<double, From>(call, step);
    default:
      return NumberToDecimal<From>(call, step);
  }
}

template <typename To>
arrow::Result<arrow::Datum> BooleanToNumber(const KernelCall& call, const CastStep& step, To one) {
  return RunRows<To, bool>(call, step.to, [one](Writer<To>& out, bool value) { out.Set(value ? one : To{0}); });
}

arrow::Result<arrow::Datum> FromBoolean(const KernelCall& call, const CastStep& step) {
  switch (step.to->id()) {
    case arrow::Type::INT8:
      return BooleanToNumber<int8_t>(call, step, 1);
    case arrow::Type::INT16:
      return BooleanToNumber<int16_t>(call, step, 1);
    case arrow::Type::INT32:
      return BooleanToNumber<int32_t>(call, step, 1);
    case arrow::Type::INT64:
      return BooleanToNumber<int64_t>(call, step, 1);
    case arrow::Type::FLOAT:
      return BooleanToNumber<float>(call, step, 1);
    case arrow::Type::DOUBLE:
      return BooleanToNumber<double>(call, step, 1);
    default: {
      Int128 one = 0;
      if (!Rescale(1, 0, DecimalScale(*step.to), DecimalPrecision(*step.to), &one) && !step.try_cast) {
        return DecimalOverflow("true", *step.to);
      }
      return BooleanToNumber<Int128>(call, step, one);
    }
  }
}

std::string DecimalText(Int128 value, const arrow::DataType& type) {
  std::string text;
  AppendDecimal(value, DecimalScale(type), &text);
  return text;
}

template <typename To>
arrow::Result<arrow::Datum> DecimalToInteger(const KernelCall& call, const CastStep& step) {
  const Int128 unit = PowerOfTen(DecimalScale(*step.from));
  return RunRows<To, Int128>(call, step.to, [&](Writer<To>& out, Int128 value) {
    const Int128 whole = value / unit;
    if (whole >= std::numeric_limits<To>::min() && whole <= std::numeric_limits<To>::max()) {
      out.Set(static_cast<To>(whole));
    } else {
      Reject(out, step, [&] { return CastOverflow(DecimalText(value, *step.from), step); });
    }
  });
}

arrow::Result<arrow::Datum> DecimalToDecimal(const KernelCall& call, const CastStep& step) {
  const int from_scale = DecimalScale(*step.from);
  const int to_scale = DecimalScale(*step.to);
  const int precision = DecimalPrecision(*step.to);
  if (from_scale == to_scale && precision >= DecimalPrecision(*step.from)) {
    auto data = call.argument(0).data->Copy();
    data->type = step.to;
    if (!call.argument(0).constant) return arrow::Datum(std::move(data));
  }
  return RunRows<Int128, Int128>(call, step.to, [&](Writer<Int128>& out, Int128 value) {
    Int128 rescaled = 0;
    if (Rescale(value, from_scale, to_scale, precision, &rescaled)) {
      out.Set(rescaled);
    } else {
      Reject(out, step, [&] { return DecimalOverflow(DecimalText(value, *step.from), *step.to); });
    }
  });
}

arrow::Result<arrow::Datum> FromDecimal(const KernelCall& call, const CastStep& step) {
  const int scale = DecimalScale(*step.from);
  switch (step.to->id()) {
    case arrow::Type::BOOL:
      return RunRows<bool, Int128>(call, step.to, [](Writer<bool>& out, Int128 value) { out.Set(value != 0); });
    case arrow::Type::INT8:
      return DecimalToInteger<int8_t>(call, step);
    case arrow::Type::INT16:
      return DecimalToInteger<int16_t>(call, step);
    case arrow::Type::INT32:
      return DecimalToInteger<int32_t>(call, step);
    case arrow::Type::INT64:
      return DecimalToInteger<int64_t>(call, step);
    case arrow::Type::FLOAT:
      return RunRows<float, Int128>(call, step.to, [scale](Writer<float>& out, Int128 value) {
        std::string text;
        AppendDecimal(value, scale, &text);
        float number = 0;
        ParseFloat(text, &number);
        out.Set(number);
      });
    case arrow::Type::DOUBLE:
      return RunRows<double, Int128>(call, step.to,
                                     [scale](Writer<double>& out, Int128 value) { out.Set(DecimalToDouble(value, scale)); });
    default:
      return DecimalToDecimal(call, step);
  }
}

}  // namespace

arrow::Result<arrow::Datum> CastNumber(const KernelCall& call, const CastStep& step) {
  switch (step.from->id()) {
    case arrow::Type::BOOL:
      return FromBoolean(call, step);
    case arrow::Type::INT8:
      return FromNumber<int8_t>(call, step);
    case arrow::Type::INT16:
      return FromNumber<int16_t>(call, step);
    case arrow::Type::INT32:
      return FromNumber<int32_t>(call, step);
    case arrow::Type::INT64:
      return FromNumber<int64_t>(call, step);
    case arrow::Type::FLOAT:
      return FromNumber<float>(call, step);
    case arrow::Type::DOUBLE:
      return FromNumber<double>(call, step);
    default:
      return FromDecimal(call, step);
  }
}

}  // namespace vecruntime::expr
