// SPDX-License-Identifier: Apache-2.0
#include "vecruntime/iceberg/transform.h"

#include <charconv>
#include <limits>

#include "vecruntime/base/error.h"
#include "vecruntime/iceberg/bucket_hash.h"
#include "vecruntime/iceberg/calendar.h"

namespace vecruntime::iceberg {
namespace {

constexpr int64_t FloorDiv(int64_t a, int64_t b) { return a / b - (a % b < 0 ? 1 : 0); }

std::string Lower(std::string_view text) {
  std::string lower(text);
  for (char& c : lower) {
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  }
  return lower;
}

/// N of "name[N]", or 0.
int ParameterOf(std::string_view text, std::string_view name) {
  if (!text.starts_with(name) || !text.substr(name.size()).starts_with("[") || !text.ends_with("]")) return 0;
  const char* const begin = text.data() + name.size() + 1;
  const char* const end = text.data() + text.size() - 1;
  int value = 0;
  const auto [stop, error] = std::from_chars(begin, end, value);
  return error == std::errc() && stop == end && value > 0 ? value : 0;
}

arrow::Status NotApplicable(const Transform& transform, const Type& source) {
  return base::InvalidArgument("transform does not apply to the type: ", transform.text, " of ", source.ToString());
}

arrow::Status OutOfRange(const Transform& transform) { return base::InvalidArgument("transformed value out of range: ", transform.text); }

template <typename T>
const T* Get(const Value& value) { return std::get_if<T>(&value.data); }

arrow::Result<Value> Bucket(const Transform& transform, const Type& source, const Value& value) {
  int32_t hash = 0;
  switch (source.id()) {
    case TypeId::kInt:
    case TypeId::kDate:
      if (Get<int32_t>(value) == nullptr) return NotApplicable(transform, source);
      hash = Murmur3(int64_t{*Get<int32_t>(value)});
      break;
    case TypeId::kLong:
    case TypeId::kTime:
    case TypeId::kTimestamp:
    case TypeId::kTimestampTz:
      if (Get<int64_t>(value) == nullptr) return NotApplicable(transform, source);
      hash = Murmur3(*Get<int64_t>(value));
      break;
    case TypeId::kTimestampNs:
    case TypeId::kTimestampTzNs:
      // Spec(iceberg v3, Appendix B): nanoseconds hash as the microseconds they floor to.
      if (Get<int64_t>(value) == nullptr) return NotApplicable(transform, source);
      hash = Murmur3(FloorDiv(*Get<int64_t>(value), 1000));
      break;
    case TypeId::kDecimal:
      if (Get<arrow::Decimal128>(value) == nullptr) return NotApplicable(transform, source);
      hash = Murmur3(std::string_view(DecimalBytes(*Get<arrow::Decimal128>(value))));
      break;
    case TypeId::kString:
    case TypeId::kUuid:
    case TypeId::kFixed:
    case TypeId::kBinary:
      if (Get<std::string>(value) == nullptr) return NotApplicable(transform, source);
      hash = Murmur3(std::string_view(*Get<std::string>(value)));
      break;
    default:
      return NotApplicable(transform, source);
  }
  return Value{static_cast<int32_t>((hash & std::numeric_limits<int32_t>::max()) % transform.parameter)};
}

template <typename T>
arrow::Result<Value> TruncateInteger(const Transform& transform, T value) {
  const T width = transform.parameter;
  const T remainder = value % width < 0 ? value % width + width : value % width;
  T result = 0;
  if (__builtin_sub_overflow(value, remainder, &result)) return OutOfRange(transform);
  return Value{result};
}

arrow::Result<Value> TruncateDecimal(const Transform& transform, const arrow::Decimal128& value) {
  const arrow::Decimal128 width(transform.parameter);
  arrow::Decimal128 remainder = value % width;
  if (remainder < 0) remainder += width;
  // Values have at most 38 digits, 128 bits hold 1.7 * 10^38: taking an int from them cannot wrap.
  return Value{arrow::Decimal128(value - remainder)};
}

std::string_view FirstCodePoints(std::string_view text, int count) {
  size_t end = 0;
  for (int seen = 0; end < text.size(); ++end) {
    const bool starts_code_point = (static_cast<uint8_t>(text[end]) & 0xC0) != 0x80;
    if (starts_code_point && seen++ == count) break;
  }
  return text.substr(0, end);
}

arrow::Result<Value> Truncate(const Transform& transform, const Type& source, const Value& value) {
  if (source.id() == TypeId::kInt && Get<int32_t>(value)) return TruncateInteger(transform, *Get<int32_t>(value));
  if (source.id() == TypeId::kLong && Get<int64_t>(value)) return TruncateInteger(transform, *Get<int64_t>(value));
  if (source.id() == TypeId::kDecimal && Get<arrow::Decimal128>(value)) return TruncateDecimal(transform, *Get<arrow::Decimal128>(value));
  if (Get<std::string>(value) == nullptr) return NotApplicable(transform, source);
  const std::string_view bytes = *Get<std::string>(value);
  if (source.id() == TypeId::kString) return Value{std::string(FirstCodePoints(bytes, transform.parameter))};
  if (source.id() == TypeId::kBinary || source.id() == TypeId::kFixed) {
    return Value{std::string(bytes.substr(0, static_cast<size_t>(transform.parameter)))};
  }
  return NotApplicable(transform, source);
}

/// Units of `source` in an hour, 0 when it has no time of day.
int64_t PerHour(const Type& source) {
  switch (source.id()) {
    case TypeId::kTimestamp:
    case TypeId::kTimestampTz:
      return 3'600'000'000;
    case TypeId::kTimestampNs:
    case TypeId::kTimestampTzNs:
      return 3'600'000'000'000;
    default:
      return 0;
  }
}

arrow::Result<Value> TimePart(const Transform& transform, const Type& source, const Value& value) {
  const int64_t per_hour = PerHour(source);
  int64_t days = 0;
  if (source.id() == TypeId::kDate && Get<int32_t>(value) && transform.kind != TransformKind::kHour) {
    days = *Get<int32_t>(value);
  } else if (per_hour != 0 && Get<int64_t>(value)) {
    const int64_t hours = FloorDiv(*Get<int64_t>(value), per_hour);
    if (transform.kind == TransformKind::kHour) {
      if (hours != static_cast<int32_t>(hours)) return OutOfRange(transform);
      return Value{static_cast<int32_t>(hours)};
    }
    days = FloorDiv(hours, 24);
  } else {
    return NotApplicable(transform, source);
  }
  if (transform.kind == TransformKind::kDay) return Value{static_cast<int32_t>(days)};
  const CivilDate date = CivilFromDays(days);
  const int64_t years = date.year - 1970;
  return Value{static_cast<int32_t>(transform.kind == TransformKind::kYear ? years : years * 12 + date.month - 1)};
}

}  // namespace

Transform Transform::Parse(std::string_view text) {
  Transform transform{TransformKind::kUnknown, 0, std::string(text)};
  const std::string lower = Lower(text);
  constexpr std::pair<std::string_view, TransformKind> kPlain[] = {
      {"identity", TransformKind::kIdentity}, {"year", TransformKind::kYear}, {"month", TransformKind::kMonth},
      {"day", TransformKind::kDay},           {"hour", TransformKind::kHour}, {"void", TransformKind::kVoid}};
  for (const auto& [name, kind] : kPlain) {
    if (lower == name) transform.kind = kind;
  }
  if (const int buckets = ParameterOf(lower, "bucket"); buckets > 0) {
    transform.kind = TransformKind::kBucket;
    transform.parameter = buckets;
  } else if (const int width = ParameterOf(lower, "truncate"); width > 0) {
    transform.kind = TransformKind::kTruncate;
    transform.parameter = width;
  }
  return transform;
}

TypePtr Transform::ResultType(const TypePtr& source) const {
  switch (kind) {
    case TransformKind::kBucket:
    case TransformKind::kYear:
    case TransformKind::kMonth:
    case TransformKind::kHour:
      return Type::Primitive(TypeId::kInt);
    case TransformKind::kDay:
      return Type::Primitive(TypeId::kDate);
    case TransformKind::kUnknown:
      return Type::Primitive(TypeId::kString);
    default:
      return source;
  }
}

arrow::Result<Value> Transform::Apply(const Type& source, const Value& value) const {
  if (value.is_null()) return Value{};
  switch (kind) {
    case TransformKind::kIdentity:
      return value;
    case TransformKind::kVoid:
      return Value{};
    case TransformKind::kBucket:
      return Bucket(*this, source, value);
    case TransformKind::kTruncate:
      return Truncate(*this, source, value);
    case TransformKind::kUnknown:
      return base::Internal("an unknown transform cannot be applied: ", text);
    default:
      return TimePart(*this, source, value);
  }
}

}  // namespace vecruntime::iceberg
