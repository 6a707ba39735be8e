// SPDX-License-Identifier: Apache-2.0
#include "vecruntime/iceberg/value.h"

#include <bit>
#include <cmath>
#include <cstdio>
#include <functional>
#include <limits>

#include "vecruntime/base/error.h"
#include "vecruntime/iceberg/calendar.h"
#include "vecruntime/iceberg/type.h"

namespace vecruntime::iceberg {
namespace {

/// Bits that order as Java's Float/Double.compare: NaN above everything, -0.0 below 0.0.
int64_t OrderedBits(double value) {
  if (std::isnan(value)) return std::numeric_limits<int64_t>::max();
  const auto bits = std::bit_cast<int64_t>(value);
  return bits >= 0 ? bits : bits ^ std::numeric_limits<int64_t>::max();
}

std::strong_ordering OrderBytes(std::string_view a, std::string_view b) {
  const int order = std::char_traits<char>::compare(a.data(), b.data(), std::min(a.size(), b.size()));
  if (order != 0) return order < 0 ? std::strong_ordering::less : std::strong_ordering::greater;
  return a.size() <=> b.size();
}

std::strong_ordering OrderNested(const Value::Nested& a, const Value::Nested& b) {
  for (size_t i = 0; i < a.size() && i < b.size(); ++i) {
    if (a[i].is_null() || b[i].is_null()) {
      if (a[i].is_null() != b[i].is_null()) return b[i].is_null() <=> a[i].is_null();
      continue;
    }
    if (const auto order = Compare(a[i], b[i]); order != 0) return order;
  }
  return a.size() <=> b.size();
}

size_t Mix(size_t seed, size_t hash) { return seed ^ (hash + 0x9e3779b97f4a7c15ULL + (seed << 6) + (seed >> 2)); }

std::string Hex(std::string_view bytes) {
  constexpr char kDigits[] = "0123456789abcdef";
  std::string text;
  for (const char c : bytes) {
    text += kDigits[static_cast<uint8_t>(c) >> 4];
    text += kDigits[static_cast<uint8_t>(c) & 15];
  }
  return text;
}

std::string FormatDouble(double value, int digits) {
  if (std::isnan(value)) return "NaN";
  if (std::isinf(value)) return value < 0 ? "-Infinity" : "Infinity";
  char buffer[40];
  std::snprintf(buffer, sizeof(buffer), "%.*g", digits, value);
  return buffer;
}

std::string FormatTimestamp(int64_t value, int64_t per_second, int fraction_digits, bool utc) {
  int64_t seconds = value / per_second;
  int64_t fraction = value % per_second;
  if (fraction < 0) {
    fraction += per_second;
    --seconds;
  }
  int64_t days = seconds / 86400;
  int64_t rest = seconds % 86400;
  if (rest < 0) {
    rest += 86400;
    --days;
  }
  const CivilDate date = CivilFromDays(days);
  char buffer[80];
  std::snprintf(buffer, sizeof(buffer), "%04lld-%02d-%02dT%02d:%02d:%02d.%0*lld%s", static_cast<long long>(date.year), date.month, date.day,
                static_cast<int>(rest / 3600), static_cast<int>(rest / 60 % 60), static_cast<int>(rest % 60), fraction_digits,
                static_cast<long long>(fraction), utc ? "+00:00" : "");
  return buffer;
}

std::string FormatDate(int64_t days) {
  const CivilDate date = CivilFromDays(days);
  char buffer[40];
  std::snprintf(buffer, sizeof(buffer), "%04lld-%02d-%02d", static_cast<long long>(date.year), date.month, date.day);
  return buffer;
}

std::string FormatTime(int64_t micros) {
  char buffer[80];
  std::snprintf(buffer, sizeof(buffer), "%02lld:%02d:%02d.%06d", static_cast<long long>(micros / 3'600'000'000),
                static_cast<int>(micros / 60'000'000 % 60), static_cast<int>(micros / 1'000'000 % 60), static_cast<int>(micros % 1'000'000));
  return buffer;
}

std::string FormatLong(const Type& type, int64_t value) {
  switch (type.id()) {
    case TypeId::kTime:
      return FormatTime(value);
    case TypeId::kTimestamp:
    case TypeId::kTimestampTz:
      return FormatTimestamp(value, 1'000'000, 6, type.id() == TypeId::kTimestampTz);
    case TypeId::kTimestampNs:
    case TypeId::kTimestampTzNs:
      return FormatTimestamp(value, 1'000'000'000, 9, type.id() == TypeId::kTimestampTzNs);
    default:
      return std::to_string(value);
  }
}

std::string FormatNested(const Type& type, const Value::Nested& nested) {
  const bool is_list = type.id() == TypeId::kList;
  std::string text = is_list ? "[" : "{";
  for (size_t i = 0; i < nested.size(); ++i) {
    const size_t member = is_list ? 0 : type.id() == TypeId::kMap ? i % 2 : i;
    if (member >= type.fields().size()) break;
    const bool is_map_value = type.id() == TypeId::kMap && member == 1;
    if (i > 0) text += is_map_value ? "=" : ", ";
    if (type.id() == TypeId::kStruct) text += type.fields()[member].name + "=";
    text += ToString(*type.fields()[member].type, nested[i]);
  }
  return text + (is_list ? "]" : "}");
}

}  // namespace

bool Value::operator==(const Value& other) const {
  if (data.index() != other.data.index()) return false;
  if (is_null()) return true;
  return Compare(*this, other) == 0;
}

std::strong_ordering Compare(const Value& a, const Value& b) {
  if (a.data.index() != b.data.index()) return a.data.index() <=> b.data.index();
  struct Order {
    const Value& other;
    std::strong_ordering operator()(std::monostate) const { return std::strong_ordering::equal; }
    std::strong_ordering operator()(bool value) const { return value <=> std::get<bool>(other.data); }
    std::strong_ordering operator()(int32_t value) const { return value <=> std::get<int32_t>(other.data); }
    std::strong_ordering operator()(int64_t value) const { return value <=> std::get<int64_t>(other.data); }
    // Widening a float to double keeps order, zeros and NaN.
    std::strong_ordering operator()(float value) const { return OrderedBits(value) <=> OrderedBits(std::get<float>(other.data)); }
    std::strong_ordering operator()(double value) const { return OrderedBits(value) <=> OrderedBits(std::get<double>(other.data)); }
    std::strong_ordering operator()(const arrow::Decimal128& value) const {
      const auto& theirs = std::get<arrow::Decimal128>(other.data);
      if (value.high_bits() != theirs.high_bits()) return value.high_bits() <=> theirs.high_bits();
      return value.low_bits() <=> theirs.low_bits();
    }
    std::strong_ordering operator()(const std::string& value) const { return OrderBytes(value, std::get<std::string>(other.data)); }
    std::strong_ordering operator()(const std::shared_ptr<const Value::Nested>& value) const {
      return OrderNested(*value, *std::get<std::shared_ptr<const Value::Nested>>(other.data));
    }
  };
  return std::visit(Order{b}, a.data);
}

size_t HashOf(const Value& value) {
  struct Hash {
    size_t operator()(std::monostate) const { return 0x6e756c6c; }
    size_t operator()(bool v) const { return v ? 0x74 : 0x66; }
    size_t operator()(int32_t v) const { return std::hash<int64_t>()(v); }
    size_t operator()(int64_t v) const { return std::hash<int64_t>()(v); }
    size_t operator()(float v) const { return std::hash<int64_t>()(OrderedBits(v)); }
    size_t operator()(double v) const { return std::hash<int64_t>()(OrderedBits(v)); }
    size_t operator()(const arrow::Decimal128& v) const {
      return Mix(std::hash<int64_t>()(v.high_bits()), std::hash<uint64_t>()(v.low_bits()));
    }
    size_t operator()(const std::string& v) const { return std::hash<std::string>()(v); }
    size_t operator()(const std::shared_ptr<const Value::Nested>& v) const {
      size_t hash = v->size();
      for (const Value& member : *v) hash = Mix(hash, HashOf(member));
      return hash;
    }
  };
  return Mix(value.data.index(), std::visit(Hash(), value.data));
}

std::string UuidText(std::string_view bytes) {
  if (bytes.size() != 16) return Hex(bytes);
  std::string text = Hex(bytes);
  for (const size_t at : {8, 13, 18, 23}) text.insert(at, "-");
  return text;
}

arrow::Result<std::string> UuidBytes(std::string_view text) {
  std::string bytes;
  int high = -1;
  for (size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (c == '-' && (i == 8 || i == 13 || i == 18 || i == 23)) continue;
    const int digit = c >= '0' && c <= '9' ? c - '0' : c >= 'a' && c <= 'f' ? c - 'a' + 10 : c >= 'A' && c <= 'F' ? c - 'A' + 10 : -1;
    if (digit < 0) return base::InvalidArgument("not a UUID: ", text);
    if (high < 0) {
      high = digit;
    } else {
      bytes += static_cast<char>(high << 4 | digit);
      high = -1;
    }
  }
  if (text.size() != 36 || bytes.size() != 16) return base::InvalidArgument("not a UUID: ", text);
  return bytes;
}

std::string ToString(const Type& type, const Value& value) {
  struct Format {
    const Type& type;
    std::string operator()(std::monostate) const { return "null"; }
    std::string operator()(bool v) const { return v ? "true" : "false"; }
    std::string operator()(int32_t v) const { return type.id() == TypeId::kDate ? FormatDate(v) : std::to_string(v); }
    std::string operator()(int64_t v) const { return FormatLong(type, v); }
    std::string operator()(float v) const { return FormatDouble(v, 9); }
    std::string operator()(double v) const { return FormatDouble(v, 17); }
    std::string operator()(const arrow::Decimal128& v) const { return v.ToString(type.scale()); }
    std::string operator()(const std::string& v) const {
      if (type.id() == TypeId::kUuid) return UuidText(v);
      return type.id() == TypeId::kString ? v : "0x" + Hex(v);
    }
    std::string operator()(const std::shared_ptr<const Value::Nested>& v) const { return FormatNested(type, *v); }
  };
  return std::visit(Format{type}, value.data);
}

}  // namespace vecruntime::iceberg
