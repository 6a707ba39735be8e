// SPDX-License-Identifier: Apache-2.0
// One value of an Iceberg type: partition values, bounds, defaults, literals of predicates.
#pragma once

#include <arrow/type_fwd.h>
#include <arrow/util/decimal.h>

#include <compare>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

namespace vecruntime::iceberg {

class Type;

/// NULL (monostate), bool, int32 (int, date), int64 (long, time, timestamps), float, double, Decimal128 (unscaled), string (string, uuid
/// as 16 raw bytes, fixed, binary), or nested: list elements / struct members / map as alternating key, value.
struct Value {
  using Nested = std::vector<Value>;
  std::variant<std::monostate, bool, int32_t, int64_t, float, double, arrow::Decimal128, std::string, std::shared_ptr<const Nested>> data;

  bool is_null() const { return data.index() == 0; }
  /// Identity as partition tuples need it (spec, "Scan Planning"): NULL equals NULL, NaN equals NaN, -0.0 differs from 0.0.
  bool operator==(const Value& other) const;
};

/// Total order of two non-null values of one primitive type as Iceberg's Java comparators define it: -0.0 < 0.0, NaN greatest, strings by
/// code point (unsigned bytes of UTF-8), binary/fixed/uuid unsigned bytes. REQUIRES: same alternative.
std::strong_ordering Compare(const Value& a, const Value& b);

size_t HashOf(const Value& value);

/// Decodes the single-value binary serialization (spec, Appendix D) of `type`; accepts the width a value had before promotion (int->long,
/// float->double, date->timestamp). CorruptData when the length does not fit.
arrow::Result<Value> DecodeBound(const Type& type, std::string_view bytes);
/// The same serialization; empty for NULL and nested values, which have none.
std::string EncodeBound(const Type& type, const Value& value);
/// Shortest big-endian two's complement of an unscaled decimal, at least one byte.
std::string DecimalBytes(const arrow::Decimal128& value);
/// "f79c3e09-677c-4bbd-a479-3f349cb785e7" for 16 raw bytes, and back (Invalid when it is no UUID).
std::string UuidText(std::string_view bytes);
arrow::Result<std::string> UuidBytes(std::string_view text);

/// JSON single-value form lives in schema_json.h. Text for EXPLAIN and partition display.
std::string ToString(const Type& type, const Value& value);

/// A scalar of type.ToArrow(), NULL included (uuid as its text form).
arrow::Result<std::shared_ptr<arrow::Scalar>> ToScalar(const Type& type, const Value& value);
/// Appends the value to a builder of type.ToArrow().
arrow::Status AppendTo(const Type& type, const Value& value, arrow::ArrayBuilder* builder);
/// The reverse for literals: converts a scalar of a compatible Arrow type (same type, or an integer/decimal/string/timestamp that is
/// exactly representable) to a Value of `type`; Invalid when it does not fit exactly.
arrow::Result<Value> FromScalar(const Type& type, const arrow::Scalar& scalar);

}  // namespace vecruntime::iceberg
