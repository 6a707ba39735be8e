// SPDX-License-Identifier: Apache-2.0
#include <bit>
#include <cstring>

#include "vecruntime/base/error.h"
#include "vecruntime/iceberg/type.h"
#include "vecruntime/iceberg/value.h"

namespace vecruntime::iceberg {
namespace {

constexpr int64_t kMicrosPerDay = 86'400'000'000;
constexpr int64_t kNanosPerDay = 86'400'000'000'000;

// All numbers are little endian on disk, as on every machine this builds for.
static_assert(std::endian::native == std::endian::little);

template <typename T>
T Load(std::string_view bytes) {
  T value;
  std::memcpy(&value, bytes.data(), sizeof(T));
  return value;
}

template <typename T>
std::string Store(T value) {
  return std::string(reinterpret_cast<const char*>(&value), sizeof(T));
}

/// Bytes of the code point at the front, 0 when it is not valid UTF-8 (overlong, surrogate, too large, cut).
size_t CodePointLength(std::string_view text) {
  const auto byte = [&](size_t i) { return static_cast<uint8_t>(text[i]); };
  const uint8_t first = byte(0);
  if (first < 0x80) return 1;
  const size_t length = first >= 0xF0 ? 4 : first >= 0xE0 ? 3 : 2;
  if (first < 0xC2 || first > 0xF4 || text.size() < length) return 0;
  for (size_t i = 1; i < length; ++i) {
    if ((byte(i) & 0xC0) != 0x80) return 0;
  }
  const uint8_t second = byte(1);
  const bool invalid = (first == 0xE0 && second < 0xA0) || (first == 0xED && second > 0x9F) || (first == 0xF0 && second < 0x90) ||
                       (first == 0xF4 && second > 0x8F);
  return invalid ? 0 : length;
}

bool IsUtf8(std::string_view text) {
  while (!text.empty()) {
    const size_t length = CodePointLength(text);
    if (length == 0) return false;
    text.remove_prefix(length);
  }
  return true;
}

arrow::Status BadLength(const Type& type, size_t length) {
  return base::CorruptData("bound of the wrong length for its type: ", type.ToString(), ", ", length, " bytes");
}

arrow::Result<Value> DecodeTimestamp(const Type& type, std::string_view bytes, int64_t per_day) {
  if (bytes.size() == 8) return Value{Load<int64_t>(bytes)};
  int64_t value = 0;
  if (bytes.size() != 4) return BadLength(type, bytes.size());
  // Spec(iceberg v3, "Schema Evolution"): date may be promoted to a timestamp without zone.
  if (__builtin_mul_overflow(int64_t{Load<int32_t>(bytes)}, per_day, &value)) return base::CorruptData("date bound out of range");
  return Value{value};
}

arrow::Result<Value> DecodeDecimal(const Type& type, std::string_view bytes) {
  if (bytes.empty()) return BadLength(type, 0);
  const char sign = bytes.front() < 0 ? '\xff' : '\0';
  while (bytes.size() > 16) {
    if (bytes.front() != sign) return BadLength(type, bytes.size());
    bytes.remove_prefix(1);
    if (bytes.size() == 16 && ((bytes.front() < 0) != (sign != 0))) return BadLength(type, bytes.size() + 1);
  }
  uint64_t high = sign != 0 ? ~uint64_t{0} : 0;
  uint64_t low = high;
  for (const char byte : bytes) {
    high = high << 8 | low >> 56;
    low = low << 8 | static_cast<uint8_t>(byte);
  }
  return Value{arrow::Decimal128(static_cast<int64_t>(high), low)};
}

}  // namespace

arrow::Result<Value> DecodeBound(const Type& type, std::string_view bytes) {
  const size_t length = bytes.size();
  switch (type.id()) {
    case TypeId::kBoolean:
      if (length != 1) return BadLength(type, length);
      return Value{bytes[0] != 0};
    case TypeId::kInt:
    case TypeId::kDate:
      if (length != 4) return BadLength(type, length);
      return Value{Load<int32_t>(bytes)};
    case TypeId::kLong:
      if (length == 4) return Value{int64_t{Load<int32_t>(bytes)}};
      if (length != 8) return BadLength(type, length);
      return Value{Load<int64_t>(bytes)};
    case TypeId::kFloat:
      if (length != 4) return BadLength(type, length);
      return Value{Load<float>(bytes)};
    case TypeId::kDouble:
      if (length == 4) return Value{double{Load<float>(bytes)}};
      if (length != 8) return BadLength(type, length);
      return Value{Load<double>(bytes)};
    case TypeId::kTime:
    case TypeId::kTimestampTz:
    case TypeId::kTimestampTzNs:
      if (length != 8) return BadLength(type, length);
      return Value{Load<int64_t>(bytes)};
    case TypeId::kTimestamp:
      return DecodeTimestamp(type, bytes, kMicrosPerDay);
    case TypeId::kTimestampNs:
      return DecodeTimestamp(type, bytes, kNanosPerDay);
    case TypeId::kDecimal:
      return DecodeDecimal(type, bytes);
    case TypeId::kString:
      // A prefix cut inside a code point sorts differently for readers that repair it, so it bounds nothing.
      if (!IsUtf8(bytes)) return base::CorruptData("string bound is not valid UTF-8");
      return Value{std::string(bytes)};
    case TypeId::kUuid:
      if (length != 16) return BadLength(type, length);
      return Value{std::string(bytes)};
    case TypeId::kFixed:
      // Column bounds of fixed may be truncated.
      if (length > static_cast<size_t>(type.length())) return BadLength(type, length);
      return Value{std::string(bytes)};
    case TypeId::kBinary:
      return Value{std::string(bytes)};
    default:
      return base::CorruptData("bound for a type without bounds: ", type.ToString());
  }
}

std::string DecimalBytes(const arrow::Decimal128& value) {
  std::string bytes;
  for (int shift = 56; shift >= 0; shift -= 8) bytes += static_cast<char>(value.high_bits() >> shift);
  for (int shift = 56; shift >= 0; shift -= 8) bytes += static_cast<char>(value.low_bits() >> shift);
  size_t start = 0;
  while (start < 15 && (bytes[start] == 0 || bytes[start] == '\xff') && (bytes[start] < 0) == (bytes[start + 1] < 0)) ++start;
  return bytes.substr(start);
}

std::string EncodeBound(const Type& type, const Value& value) {
  struct Encode {
    std::string operator()(std::monostate) const { return {}; }
    std::string operator()(bool v) const { return std::string(1, v ? '\1' : '\0'); }
    std::string operator()(int32_t v) const { return Store(v); }
    std::string operator()(int64_t v) const { return Store(v); }
    std::string operator()(float v) const { return Store(v); }
    std::string operator()(double v) const { return Store(v); }
    std::string operator()(const arrow::Decimal128& v) const { return DecimalBytes(v); }
    std::string operator()(const std::string& v) const { return v; }
    std::string operator()(const std::shared_ptr<const Value::Nested>&) const { return {}; }
  };
  return std::visit(Encode(), value.data);
}

}  // namespace vecruntime::iceberg
