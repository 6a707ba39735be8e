// SPDX-License-Identifier: Apache-2.0
#include <charconv>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <string>

#include "vecruntime/iceberg/calendar.h"
#include "vecruntime/iceberg/transform.h"

// The text forms are those of Iceberg's Java library, which rest on java.time and java.lang.

namespace vecruntime::iceberg {
namespace {

std::string Formatted(const char* format, int64_t a, int b = 0, int c = 0, int d = 0) {
  char buffer[80];
  std::snprintf(buffer, sizeof(buffer), format, static_cast<long long>(a), b, c, d);
  return buffer;
}

std::string DateText(int64_t days) {
  const CivilDate date = CivilFromDays(days);
  return Formatted("%04lld-%02d-%02d", date.year, date.month, date.day);
}

/// java.time.LocalTime.toString: seconds and fraction only as far as they are needed.
std::string TimeText(int64_t nanos_of_day) {
  const int64_t seconds = nanos_of_day / 1'000'000'000;
  const int64_t nanos = nanos_of_day % 1'000'000'000;
  std::string text = Formatted("%02lld:%02d", seconds / 3600, static_cast<int>(seconds / 60 % 60));
  if (seconds % 60 != 0 || nanos != 0) text += Formatted(":%02lld", seconds % 60);
  if (nanos == 0) return text;
  if (nanos % 1'000'000 == 0) return text + Formatted(".%03lld", nanos / 1'000'000);
  if (nanos % 1'000 == 0) return text + Formatted(".%06lld", nanos / 1'000);
  return text + Formatted(".%09lld", nanos);
}

/// The ISO form: seconds always, of the fraction as many digits as are not zero.
std::string TimestampText(int64_t value, int64_t per_day, bool with_zone) {
  int64_t days = value / per_day;
  int64_t rest = value % per_day;
  if (rest < 0) {
    rest += per_day;
    --days;
  }
  const int64_t nanos_of_day = rest * (86'400'000'000'000 / per_day);
  const int64_t seconds = nanos_of_day / 1'000'000'000;
  std::string text = DateText(days) + Formatted("T%02lld:%02d:%02d", seconds / 3600, static_cast<int>(seconds / 60 % 60),
                                                static_cast<int>(seconds % 60));
  if (const int64_t nanos = nanos_of_day % 1'000'000'000; nanos != 0) {
    text += Formatted(".%09lld", nanos);
    text.resize(text.find_last_not_of('0') + 1);
  }
  return text + (with_zone ? "+00:00" : "");
}

/// java.lang.Double.toString and Float.toString.
template <typename T>
std::string FloatingText(T value) {
  if (std::isnan(value)) return "NaN";
  if (std::isinf(value)) return value < 0 ? "-Infinity" : "Infinity";
  const T magnitude = std::abs(value);
  const bool plain = magnitude == 0 || (magnitude >= static_cast<T>(1e-3) && magnitude < static_cast<T>(1e7));
  char buffer[64];
  const auto end = std::to_chars(buffer, buffer + sizeof(buffer), value, plain ? std::chars_format::fixed : std::chars_format::scientific).ptr;
  std::string text(buffer, end);
  if (plain) return text.find('.') == std::string::npos ? text + ".0" : text;
  const size_t exponent = text.find('e');
  std::string mantissa = text.substr(0, exponent);
  if (mantissa.find('.') == std::string::npos) mantissa += ".0";
  return mantissa + "E" + std::to_string(std::atoi(text.c_str() + exponent + 1));
}

std::string Base64(std::string_view bytes) {
  constexpr char kDigits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  std::string text;
  for (size_t i = 0; i < bytes.size(); i += 3) {
    uint32_t group = 0;
    for (size_t j = 0; j < 3; ++j) group = group << 8 | (i + j < bytes.size() ? static_cast<uint8_t>(bytes[i + j]) : 0);
    for (size_t j = 0; j < 4; ++j) text += i + j <= bytes.size() ? kDigits[group >> (18 - 6 * j) & 63] : '=';
  }
  return text;
}

std::string LongText(const Type& type, int64_t value) {
  switch (type.id()) {
    case TypeId::kTime:
      return TimeText(value * 1000);
    case TypeId::kTimestamp:
    case TypeId::kTimestampTz:
      return TimestampText(value, 86'400'000'000, type.id() == TypeId::kTimestampTz);
    case TypeId::kTimestampNs:
    case TypeId::kTimestampTzNs:
      return TimestampText(value, 86'400'000'000'000, type.id() == TypeId::kTimestampTzNs);
    default:
      return std::to_string(value);
  }
}

int64_t FloorDiv(int64_t a, int64_t b) { return a / b - (a % b < 0 ? 1 : 0); }

std::string PeriodText(TransformKind kind, int64_t value) {
  if (kind == TransformKind::kYear) return Formatted("%04lld", 1970 + value);
  if (kind == TransformKind::kMonth) {
    const int64_t years = FloorDiv(value, 12);
    return Formatted("%04lld-%02d", 1970 + years, static_cast<int>(value - years * 12 + 1));
  }
  const int64_t days = FloorDiv(value, 24);
  return DateText(days) + Formatted("-%02lld", value - days * 24);
}

}  // namespace

std::string Transform::HumanText(const Type& result, const Value& value) const {
  struct Text {
    TransformKind kind;
    const Type& type;
    std::string operator()(std::monostate) const { return "null"; }
    std::string operator()(bool v) const { return v ? "true" : "false"; }
    std::string operator()(int32_t v) const {
      if (kind == TransformKind::kYear || kind == TransformKind::kMonth || kind == TransformKind::kHour) return PeriodText(kind, v);
      return type.id() == TypeId::kDate ? DateText(v) : std::to_string(v);
    }
    std::string operator()(int64_t v) const { return LongText(type, v); }
    std::string operator()(float v) const { return FloatingText(v); }
    std::string operator()(double v) const { return FloatingText(v); }
    std::string operator()(const std::string& v) const {
      if (type.id() == TypeId::kString) return v;
      return type.id() == TypeId::kUuid ? UuidText(v) : Base64(v);
    }
    std::string operator()(const arrow::Decimal128& v) const { return v.ToString(type.scale()); }
    std::string operator()(const std::shared_ptr<const Value::Nested>&) const { return "null"; }
  };
  return std::visit(Text{kind, result}, value.data);
}

}  // namespace vecruntime::iceberg
