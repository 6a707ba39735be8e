// SPDX-License-Identifier: Apache-2.0
#include <cmath>
#include <limits>

#include "vecruntime/base/error.h"
#include "vecruntime/expr/calendar.h"
#include "vecruntime/expr/cast/cast_internal.h"
#include "vecruntime/expr/number_text.h"
#include "vecruntime/expr/time_zone.h"

namespace vecruntime::expr {
namespace {

bool IsNano(const arrow::DataType& type) {
  return static_cast<const arrow::TimestampType&>(type).unit() == arrow::TimeUnit::NANO;
}

std::string TextOf(int64_t value) { return std::to_string(value); }

// micros in the unit of `to`; false when nanoseconds cannot hold it.
bool FromMicros(int64_t micros, bool nano, int64_t* value) {
  if (!nano) {
    *value = micros;
    return true;
  }
  return !__builtin_mul_overflow(micros, kNanosPerMicro, value);
}

arrow::Result<arrow::Datum> DateToTimestamp(const KernelCall& call, const CastStep& step) {
  ARROW_ASSIGN_OR_RAISE(const auto zone, TimeZone::Find(IsZoned(*step.to) ? call.context().timezone : "UTC"));
  const bool nano = IsNano(*step.to);
  return RunRows<int64_t, int32_t>(call, step.to, [&](Writer<int64_t>& out, int32_t days) {
    int64_t local = 0, value = 0;
    if (!__builtin_mul_overflow(int64_t{days}, kMicrosPerDay, &local) && FromMicros(zone->ToUtcMicros(local), nano, &value)) {
      out.Set(value);
    } else {
      Reject(out, step, [&] { return CastOverflow(TextOf(days), step); });
    }
  });
}

arrow::Result<arrow::Datum> TimestampToDate(const KernelCall& call, const CastStep& step) {
  ARROW_ASSIGN_OR_RAISE(const auto zone, TimeZone::Find(IsZoned(*step.from) ? call.context().timezone : "UTC"));
  const int64_t divisor = IsNano(*step.from) ? kNanosPerMicro : 1;
  return MapUnary<int32_t, int64_t>(call, step.to, [&](int64_t value) {
    return static_cast<int32_t>(FloorDiv(zone->ToLocalMicros(FloorDiv(value, divisor)), kMicrosPerDay));
  });
}

// Between zones and units: the wall time stays when the zone comes or goes.
arrow::Result<arrow::Datum> TimestampToTimestamp(const KernelCall& call, const CastStep& step) {
  const bool from_zoned = IsZoned(*step.from), to_zoned = IsZoned(*step.to);
  const bool from_nano = IsNano(*step.from), to_nano = IsNano(*step.to);
  ARROW_ASSIGN_OR_RAISE(const auto zone, TimeZone::Find(from_zoned != to_zoned ? call.context().timezone : "UTC"));
  return RunRows<int64_t, int64_t>(call, step.to, [&](Writer<int64_t>& out, int64_t value) {
    const int64_t rest = from_nano ? FloorMod(value, kNanosPerMicro) : 0;
    int64_t micros = from_nano ? FloorDiv(value, kNanosPerMicro) : value;
    if (from_zoned && !to_zoned) micros = zone->ToLocalMicros(micros);
    if (!from_zoned && to_zoned) micros = zone->ToUtcMicros(micros);
    int64_t result = 0;
    if (!FromMicros(micros, to_nano, &result)) return Reject(out, step, [&] { return CastOverflow(TextOf(value), step); });
    out.Set(result + (to_nano ? rest : 0));
  });
}

template <typename To>
arrow::Result<arrow::Datum> TimestampToInteger(const KernelCall& call, const CastStep& step, int64_t per_second) {
  return RunRows<To, int64_t>(call, step.to, [&](Writer<To>& out, int64_t value) {
    const int64_t seconds = FloorDiv(value, per_second);
    if (static_cast<To>(seconds) == seconds) {
      out.Set(static_cast<To>(seconds));
    } else {
      Reject(out, step, [&] { return CastOverflow(TextOf(value), step); });
    }
  });
}

arrow::Result<arrow::Datum> TimestampToNumber(const KernelCall& call, const CastStep& step) {
  const int64_t per_second = IsNano(*step.from) ? 1'000'000'000 : kMicrosPerSecond;
  switch (step.to->id()) {
    case arrow::Type::INT8:
      return TimestampToInteger<int8_t>(call, step, per_second);
    case arrow::Type::INT16:
      return TimestampToInteger<int16_t>(call, step, per_second);
    case arrow::Type::INT32:
      return TimestampToInteger<int32_t>(call, step, per_second);
    case arrow::Type::INT64:
      return TimestampToInteger<int64_t>(call, step, per_second);
    case arrow::Type::FLOAT:
      return MapUnary<float, int64_t>(call, step.to, [&](int64_t value) {
        return static_cast<float>(static_cast<double>(value) / static_cast<double>(per_second));
      });
    case arrow::Type::DOUBLE:
      return MapUnary<double, int64_t>(call, step.to,
                                       [&](int64_t value) { return static_cast<double>(value) / static_cast<double>(per_second); });
    default: {
      const int precision = DecimalPrecision(*step.to), scale = DecimalScale(*step.to);
      const int fraction_digits = IsNano(*step.from) ? 9 : 6;
      return RunRows<Int128, int64_t>(call, step.to, [&](Writer<Int128>& out, int64_t value) {
        Int128 decimal = 0;
        if (Rescale(value, fraction_digits, scale, precision, &decimal)) return out.Set(decimal);
        Reject(out, step, [&] { return DecimalOverflow(TextOf(value), *step.to); });
      });
    }
  }
}

template <typename From>
arrow::Result<arrow::Datum> IntegerToTimestamp(const KernelCall& call, const CastStep& step) {
  return RunRows<int64_t, From>(call, step.to, [](Writer<int64_t>& out, From seconds) {
    // TimeUnit.SECONDS.toMicros saturates.
    int64_t micros = 0;
    if (__builtin_mul_overflow(static_cast<int64_t>(seconds), kMicrosPerSecond, &micros)) {
      micros = seconds < 0 ? std::numeric_limits<int64_t>::min() : std::numeric_limits<int64_t>::max();
    }
    out.Set(micros);
  });
}

template <typename From>
arrow::Result<arrow::Datum> FloatingToTimestamp(const KernelCall& call, const CastStep& step) {
  return RunRows<int64_t, From>(call, step.to, [&](Writer<int64_t>& out, From seconds) {
    std::string text;
    AppendDouble(static_cast<double>(seconds), &text);
    if (!std::isfinite(seconds)) return Reject(out, step, [&] { return InvalidInput(text, step); });
    const double micros = static_cast<double>(seconds) * static_cast<double>(kMicrosPerSecond);
    constexpr double kLimit = 9223372036854775808.0;
    if (std::floor(micros) > kLimit || std::ceil(micros) < -kLimit) return Reject(out, step, [&] { return CastOverflow(text, step); });
    out.Set(micros >= kLimit ? std::numeric_limits<int64_t>::max() : static_cast<int64_t>(micros));
  });
}

arrow::Result<arrow::Datum> NumberToTimestamp(const KernelCall& call, const CastStep& step) {
  if (IsNano(*step.to)) return base::Unsupported("Cast of a number to a timestamp in nanoseconds is not supported");
  switch (step.from->id()) {
    case arrow::Type::INT8:
      return IntegerToTimestamp<int8_t>(call, step);
    case arrow::Type::INT16:
      return IntegerToTimestamp<int16_t>(call, step);
    case arrow::Type::INT32:
      return IntegerToTimestamp<int32_t>(call, step);
    case arrow::Type::INT64:
      return IntegerToTimestamp<int64_t>(call, step);
    case arrow::Type::FLOAT:
      return FloatingToTimestamp<float>(call, step);
    case arrow::Type::DOUBLE:
      return FloatingToTimestamp<double>(call, step);
    default: {
      const int scale = DecimalScale(*step.from);
      return RunRows<int64_t, Int128>(call, step.to, [&](Writer<int64_t>& out, Int128 value) {
        Int128 micros = 0;
        const bool fits = scale >= 6 || Rescale(value, scale, 6, kMaxDecimalPrecision, &micros);
        if (scale >= 6) micros = value / PowerOfTen(scale - 6);
        if (fits && micros >= std::numeric_limits<int64_t>::min() && micros <= std::numeric_limits<int64_t>::max()) {
          return out.Set(static_cast<int64_t>(micros));
        }
        std::string text;
        AppendDecimal(value, scale, &text);
        Reject(out, step, [&] { return CastOverflow(text, step); });
      });
    }
  }
}

}  // namespace

arrow::Result<arrow::Datum> CastTemporal(const KernelCall& call, const CastStep& step) {
  const bool from_timestamp = IsTimestamp(*step.from);
  const bool to_timestamp = IsTimestamp(*step.to);
  if (from_timestamp && to_timestamp) return TimestampToTimestamp(call, step);
  if (from_timestamp && step.to->id() == arrow::Type::DATE32) return TimestampToDate(call, step);
  if (from_timestamp) return TimestampToNumber(call, step);
  if (step.from->id() == arrow::Type::DATE32) return DateToTimestamp(call, step);
  return NumberToTimestamp(call, step);
}

}  // namespace vecruntime::expr
