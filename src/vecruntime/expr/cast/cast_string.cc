// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <array>

#include "vecruntime/base/error.h"
#include "vecruntime/expr/calendar.h"
#include "vecruntime/expr/cast/cast_internal.h"
#include "vecruntime/expr/datetime_text.h"
#include "vecruntime/expr/number_text.h"

namespace vecruntime::expr {
namespace {

using Text = std::string_view;

// parse(trimmed text, T*) -> bool, else CAST_INVALID_INPUT.
template <typename T, typename Parse>
arrow::Result<arrow::Datum> Read(const KernelCall& call, const CastStep& step, Parse&& parse) {
  return RunRows<T, Text>(call, step.to, [&](Writer<T>& out, Text text) {
    T value{};
    if (parse(TrimAll(text), &value)) {
      out.Set(value);
    } else {
      Reject(out, step, [&] { return InvalidInput(text, step); });
    }
  });
}

bool ParseBoolean(Text text, bool* value) {
  if (text.size() > 5) return false;
  std::string lower(text);
  for (char& c : lower) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  constexpr std::array<Text, 5> kTrue = {"t", "true", "y", "yes", "1"};
  constexpr std::array<Text, 5> kFalse = {"f", "false", "n", "no", "0"};
  *value = std::find(kTrue.begin(), kTrue.end(), lower) != kTrue.end();
  return *value || std::find(kFalse.begin(), kFalse.end(), lower) != kFalse.end();
}

arrow::Result<arrow::Datum> ReadDecimal(const KernelCall& call, const CastStep& step) {
  const int precision = DecimalPrecision(*step.to);
  const int scale = DecimalScale(*step.to);
  return RunRows<Int128, Text>(call, step.to, [&](Writer<Int128>& out, Text text) {
    Int128 value = 0;
    switch (ParseDecimal(TrimAll(text), precision, scale, &value)) {
      case DecimalParse::kOk:
        return out.Set(value);
      case DecimalParse::kMalformed:
        return Reject(out, step, [&] { return InvalidInput(text, step); });
      case DecimalParse::kOverflow:
        return Reject(out, step, [&] {
          if (ParseDecimal(TrimAll(text), kMaxDecimalPrecision, 0, &value) != DecimalParse::kOverflow) return DecimalOverflow(text, *step.to);
          return base::InvalidArgument("[NUMERIC_OUT_OF_SUPPORTED_RANGE] The value has more than 38 digits before the point: '", text, "'");
        });
    }
  });
}

// In the target's unit; false when it does not fit.
bool ToUnit(int64_t micros, int nanos, const arrow::TimestampType& type, int64_t* value) {
  if (type.unit() != arrow::TimeUnit::NANO) {
    *value = micros;
    return true;
  }
  return !__builtin_mul_overflow(micros, kNanosPerMicro, value) && !__builtin_add_overflow(*value, int64_t{nanos}, value);
}

arrow::Result<arrow::Datum> ReadTimestamp(const KernelCall& call, const CastStep& step) {
  const auto& type = static_cast<const arrow::TimestampType&>(*step.to);
  if (!IsZoned(type)) {
    return Read<int64_t>(call, step, [&](Text text, int64_t* value) {
      ParsedTimestamp parsed;
      return ParseTimestamp(text, &parsed) && !parsed.time_only &&
             (parsed.zone.empty() || TimeZone::Find(parsed.zone).ok()) && ToUnit(parsed.local_micros, parsed.nanos, type, value);
    });
  }
  ARROW_ASSIGN_OR_RAISE(const auto zone, TimeZone::Find(call.context().timezone));
  return Read<int64_t>(call, step, [&](Text text, int64_t* value) {
    int64_t micros = 0;
    int nanos = 0;
    return ParseInstant(text, *zone, call.context().statement_time_us, &micros, &nanos) && ToUnit(micros, nanos, type, value);
  });
}

}  // namespace

arrow::Result<arrow::Datum> CastFromString(const KernelCall& call, const CastStep& step) {
  switch (step.to->id()) {
    case arrow::Type::BOOL:
      return Read<bool>(call, step, ParseBoolean);
    case arrow::Type::INT8:
      return Read<int8_t>(call, step, ParseInteger<int8_t>);
    case arrow::Type::INT16:
      return Read<int16_t>(call, step, ParseInteger<int16_t>);
    case arrow::Type::INT32:
      return Read<int32_t>(call, step, ParseInteger<int32_t>);
    case arrow::Type::INT64:
      return Read<int64_t>(call, step, ParseInteger<int64_t>);
    case arrow::Type::FLOAT:
      return Read<float>(call, step, ParseFloat);
    case arrow::Type::DOUBLE:
      return Read<double>(call, step, ParseDouble);
    case arrow::Type::DECIMAL128:
      return ReadDecimal(call, step);
    case arrow::Type::DATE32:
      return Read<int32_t>(call, step, ParseDate);
    case arrow::Type::TIMESTAMP:
      return ReadTimestamp(call, step);
    case arrow::Type::TIME64:
      return Read<int64_t>(call, step, ParseTimeOfDay);
    case arrow::Type::BINARY:
      return RunRows<Text, Text>(call, step.to, [](Writer<Text>& out, Text text) { out.Append(text); });
    default:
      return base::Unsupported("Cast of a string to this type is not supported");
  }
}

}  // namespace vecruntime::expr
