// SPDX-License-Identifier: Apache-2.0
#include <arrow/util/decimal.h>

#include <utility>

#include "vecruntime/base/error.h"
#include "vecruntime/iceberg/calendar.h"
#include "vecruntime/iceberg/json_node.h"
#include "vecruntime/iceberg/schema_json.h"

namespace vecruntime::iceberg {
namespace {

/// Reads fixed text forms from the front of a string; once something did not match, everything fails.
class TextCursor {
 public:
  explicit TextCursor(std::string_view text) : rest_(text) {}
  bool done() const { return ok_ && rest_.empty(); }
  bool ok() const { return ok_; }
  bool Peek(char c) const { return !rest_.empty() && rest_.front() == c; }
  bool Take(char c) {
    if (!Peek(c)) return false;
    rest_.remove_prefix(1);
    return true;
  }
  void Expect(char c) { ok_ = Take(c) && ok_; }
  /// Between `least` and `most` digits.
  int64_t Digits(int least, int most) {
    int64_t value = 0;
    int count = 0;
    for (; count < most && !rest_.empty() && rest_.front() >= '0' && rest_.front() <= '9'; ++count, rest_.remove_prefix(1)) {
      value = value * 10 + (rest_.front() - '0');
    }
    ok_ = ok_ && count >= least;
    return value;
  }
  int64_t Date() {
    const bool negative = Take('-');
    if (!negative) Take('+');
    const int64_t year = Digits(4, 9);
    Expect('-');
    const auto month = static_cast<int>(Digits(2, 2));
    Expect('-');
    const auto day = static_cast<int>(Digits(2, 2));
    ok_ = ok_ && month >= 1 && month <= 12 && day >= 1 && day <= 31;
    return ok_ ? DaysFromCivil({negative ? -year : year, month, day}) : 0;
  }
  /// Time of day in nanoseconds.
  int64_t Time() {
    const int64_t hour = Digits(2, 2);
    Expect(':');
    const int64_t minute = Digits(2, 2);
    const int64_t second = Take(':') ? Digits(2, 2) : 0;
    int64_t nanos = 0;
    if (Take('.')) {
      const size_t before = rest_.size();
      nanos = Digits(1, 9);
      for (size_t digits = before - rest_.size(); digits < 9; ++digits) nanos *= 10;
    }
    ok_ = ok_ && hour < 24 && minute < 60 && second < 60;
    return ((hour * 60 + minute) * 60 + second) * 1'000'000'000 + nanos;
  }
  /// Offset from UTC in seconds.
  int64_t Zone() {
    if (Take('Z')) return 0;
    const bool negative = Take('-');
    if (!negative) Expect('+');
    const int64_t hour = Digits(2, 2);
    Expect(':');
    const int64_t minute = Digits(2, 2);
    return (negative ? -1 : 1) * (hour * 60 + minute) * 60;
  }

 private:
  std::string_view rest_;
  bool ok_ = true;
};

arrow::Result<Value> ParseTimestamp(const Type& type, std::string_view text, const JsonNode& node) {
  const bool with_zone = type.id() == TypeId::kTimestampTz || type.id() == TypeId::kTimestampTzNs;
  const bool in_nanos = type.id() == TypeId::kTimestampNs || type.id() == TypeId::kTimestampTzNs;
  TextCursor cursor(text);
  const int64_t days = cursor.Date();
  cursor.Expect('T');
  const int64_t nanos = cursor.Time();
  const int64_t offset_seconds = with_zone ? cursor.Zone() : 0;
  const int64_t per_second = in_nanos ? 1'000'000'000 : 1'000'000;
  const int64_t per_unit = in_nanos ? 1 : 1000;
  int64_t value = 0;
  if (!cursor.done() || nanos % per_unit != 0 || __builtin_mul_overflow(days * 86400 - offset_seconds, per_second, &value) ||
      __builtin_add_overflow(value, nanos / per_unit, &value)) {
    return node.Error("invalid " + type.ToString());
  }
  return Value{value};
}

arrow::Result<Value> ParseHex(const Type& type, std::string_view text, const JsonNode& node) {
  std::string bytes;
  int high = -1;
  for (const char c : text) {
    const int digit = c >= '0' && c <= '9' ? c - '0' : c >= 'a' && c <= 'f' ? c - 'a' + 10 : c >= 'A' && c <= 'F' ? c - 'A' + 10 : -1;
    if (digit < 0) return node.Error("invalid hexadecimal bytes");
    if (high < 0) {
      high = digit;
    } else {
      bytes += static_cast<char>(high << 4 | digit);
      high = -1;
    }
  }
  if (high >= 0 || (type.id() == TypeId::kFixed && bytes.size() != static_cast<size_t>(type.length()))) {
    return node.Error("invalid " + type.ToString());
  }
  return Value{std::move(bytes)};
}

arrow::Result<Value> ParseDecimal(const Type& type, const std::string& text, const JsonNode& node) {
  arrow::Decimal128 value;
  int32_t precision = 0;
  int32_t scale = 0;
  if (!arrow::Decimal128::FromString(text, &value, &precision, &scale).ok()) return node.Error("invalid decimal");
  const auto rescaled = value.Rescale(scale, type.scale());
  if (!rescaled.ok() || !rescaled->FitsInPrecision(type.precision())) return node.Error("value is no " + type.ToString());
  return Value{*rescaled};
}

arrow::Result<Value> ParseText(const Type& type, const JsonNode& node) {
  ARROW_ASSIGN_OR_RAISE(const std::string text, node.As<std::string>());
  TextCursor cursor(text);
  switch (type.id()) {
    case TypeId::kString:
      return Value{text};
    case TypeId::kDecimal:
      return ParseDecimal(type, text, node);
    case TypeId::kDate: {
      const int64_t days = cursor.Date();
      if (!cursor.done() || days != static_cast<int32_t>(days)) return node.Error("invalid date");
      return Value{static_cast<int32_t>(days)};
    }
    case TypeId::kTime: {
      const int64_t nanos = cursor.Time();
      if (!cursor.done()) return node.Error("invalid time");
      return Value{nanos / 1000};
    }
    case TypeId::kUuid: {
      auto bytes = UuidBytes(text);
      if (!bytes.ok()) return node.Error("invalid uuid");
      return Value{*std::move(bytes)};
    }
    case TypeId::kFixed:
    case TypeId::kBinary:
      return ParseHex(type, text, node);
    default:
      return ParseTimestamp(type, text, node);
  }
}

Value NestedValue(Value::Nested members) { return Value{std::make_shared<const Value::Nested>(std::move(members))}; }

arrow::Result<Value> ParseStruct(const Type& type, const JsonNode& node) {
  if (!node.is_object()) return node.Error("expected an object");
  Value::Nested members;
  for (const Field& field : type.fields()) {
    // Spec(iceberg v3, "Default values"): a member that is left out takes its own default.
    Value member = field.initial_default.value_or(Value{});
    if (const auto given = node.Find(std::to_string(field.id))) {
      ARROW_ASSIGN_OR_RAISE(member, ParseValue(*field.type, *given));
    }
    members.push_back(std::move(member));
  }
  return NestedValue(std::move(members));
}

arrow::Result<Value::Nested> ParseElements(const Type& type, const JsonNode& node) {
  ARROW_ASSIGN_OR_RAISE(const auto items, node.Items());
  Value::Nested values;
  for (const JsonNode& item : items) {
    Value value;
    if (!item.is_null()) {
      ARROW_ASSIGN_OR_RAISE(value, ParseValue(type, item));
    }
    values.push_back(std::move(value));
  }
  return values;
}

arrow::Result<Value> ParseMap(const Type& type, const JsonNode& node) {
  ARROW_ASSIGN_OR_RAISE(const JsonNode key_list, node.Get("keys"));
  ARROW_ASSIGN_OR_RAISE(const JsonNode value_list, node.Get("values"));
  ARROW_ASSIGN_OR_RAISE(auto keys, ParseElements(*type.fields()[0].type, key_list));
  ARROW_ASSIGN_OR_RAISE(auto values, ParseElements(*type.fields()[1].type, value_list));
  if (keys.size() != values.size()) return node.Error("map keys and values differ in number");
  Value::Nested entries;
  for (size_t i = 0; i < keys.size(); ++i) {
    entries.push_back(std::move(keys[i]));
    entries.push_back(std::move(values[i]));
  }
  return NestedValue(std::move(entries));
}

}  // namespace

arrow::Result<Value> ParseValue(const Type& type, const JsonNode& node) {
  switch (type.id()) {
    case TypeId::kBoolean: {
      ARROW_ASSIGN_OR_RAISE(const bool value, node.As<bool>());
      return Value{value};
    }
    case TypeId::kInt: {
      ARROW_ASSIGN_OR_RAISE(const int32_t value, node.As<int32_t>());
      return Value{value};
    }
    case TypeId::kLong: {
      ARROW_ASSIGN_OR_RAISE(const int64_t value, node.As<int64_t>());
      return Value{value};
    }
    case TypeId::kFloat: {
      ARROW_ASSIGN_OR_RAISE(const double value, node.As<double>());
      return Value{static_cast<float>(value)};
    }
    case TypeId::kDouble: {
      ARROW_ASSIGN_OR_RAISE(const double value, node.As<double>());
      return Value{value};
    }
    case TypeId::kStruct:
      return ParseStruct(type, node);
    case TypeId::kList: {
      ARROW_ASSIGN_OR_RAISE(auto elements, ParseElements(*type.fields()[0].type, node));
      return NestedValue(std::move(elements));
    }
    case TypeId::kMap:
      return ParseMap(type, node);
    case TypeId::kUnknown:
    case TypeId::kVariant:
    case TypeId::kGeometry:
    case TypeId::kGeography:
      return node.Error("a default that is not null is not allowed for " + type.ToString());
    default:
      return ParseText(type, node);
  }
}

}  // namespace vecruntime::iceberg
