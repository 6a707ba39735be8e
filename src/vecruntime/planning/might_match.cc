// SPDX-License-Identifier: Apache-2.0
#include "vecruntime/planning/might_match.h"

#include <arrow/result.h>
#include <arrow/util/utf8.h>

#include <algorithm>
#include <cmath>
#include <compare>
#include <limits>
#include <string>

namespace vecruntime::planning {
namespace {

using iceberg::Predicate;
using iceberg::PredicateOp;
using iceberg::Type;
using iceberg::TypeId;
using iceberg::Value;

// Metrics truncate strings to 16 characters by default; a bound at least this long may be a prefix that was not rounded up.
constexpr size_t kMaybeTruncatedBytes = 16;

std::optional<double> AsDouble(const Value& value) {
  if (const auto* f = std::get_if<float>(&value.data)) return *f;
  if (const auto* d = std::get_if<double>(&value.data)) return *d;
  return std::nullopt;
}

std::optional<int64_t> AsInt64(const Value& value) {
  if (const auto* i = std::get_if<int32_t>(&value.data)) return *i;
  if (const auto* l = std::get_if<int64_t>(&value.data)) return *l;
  return std::nullopt;
}

bool IsNan(const Value& value) {
  const auto d = AsDouble(value);
  return d && std::isnan(*d);
}

// SQL order of two values of possibly promoted widths; nullopt when they do not compare. -0.0 equals 0.0, as in Spark.
std::optional<std::partial_ordering> Order(const Value& a, const Value& b) {
  if (const auto x = AsInt64(a), y = AsInt64(b); x && y) return *x <=> *y;
  if (const auto x = AsDouble(a), y = AsDouble(b); x && y) {
    if (std::isnan(*x) || std::isnan(*y)) return std::nullopt;
    return *x <=> *y;
  }
  if (a.is_null() || b.is_null() || a.data.index() != b.data.index()) return std::nullopt;
  return Compare(a, b);
}

bool Less(const Value& a, const Value& b) {
  const auto order = Order(a, b);
  return order && *order < 0;
}

bool SameOrder(const Value& a, const Value& b) {
  const auto order = Order(a, b);
  return order && *order == 0;
}

bool AboveUpper(const Value& value, const std::optional<Value>& upper) {
  if (!upper || !Less(*upper, value)) return false;
  // An upper bound of a text may be a prefix that was not rounded up.
  const auto* bound = std::get_if<std::string>(&upper->data);
  const auto* text = std::get_if<std::string>(&value.data);
  return bound == nullptr || text == nullptr || bound->size() < kMaybeTruncatedBytes || !text->starts_with(*bound);
}

bool BelowLower(const Value& value, const std::optional<Value>& lower) { return lower && Less(value, *lower); }

bool AllNull(const ColumnFacts& facts) {
  return facts.null_count && facts.value_count && *facts.null_count == *facts.value_count;
}

// NaN lies outside the bounds and above every number: it satisfies >, >=, <>, NOT IN and everything compared with NaN.
bool MayHoldNan(const Predicate& leaf, const ColumnFacts& facts) {
  const TypeId id = leaf.type->id();
  return (id == TypeId::kFloat || id == TypeId::kDouble) && facts.nan_count != 0;
}

bool EqMightMatch(const Value& value, const ColumnFacts& facts) {
  return IsNan(value) || (!BelowLower(value, facts.lower) && !AboveUpper(value, facts.upper));
}

// All non-NULL values are this one value; not claimed for strings, whose bounds may be truncated.
bool AllEqual(const Value& value, const ColumnFacts& facts) {
  return facts.lower && facts.upper && !std::holds_alternative<std::string>(value.data) && SameOrder(*facts.lower, value) &&
         SameOrder(*facts.upper, value);
}

bool StartsWithMightMatch(const std::string& prefix, const ColumnFacts& facts) {
  const auto bound_of = [](const std::optional<Value>& bound) { return bound ? std::get_if<std::string>(&bound->data) : nullptr; };
  if (const std::string* lower = bound_of(facts.lower); lower && lower->compare(0, prefix.size(), prefix) > 0) return false;
  const std::string* upper = bound_of(facts.upper);
  if (upper == nullptr || prefix.starts_with(*upper)) return true;
  return upper->compare(0, prefix.size(), prefix) >= 0;
}

bool ValueLeafMightMatch(const Predicate& leaf, const ColumnFacts& facts) {
  const bool nan_matches_above = MayHoldNan(leaf, facts);
  switch (leaf.op) {
    case PredicateOp::kEq:
      return EqMightMatch(leaf.values[0], facts);
    case PredicateOp::kIn:
      return std::any_of(leaf.values.begin(), leaf.values.end(), [&](const Value& v) { return EqMightMatch(v, facts); });
    case PredicateOp::kNotEq:
      return nan_matches_above || !AllEqual(leaf.values[0], facts);
    case PredicateOp::kLt:
      return IsNan(leaf.values[0]) || !facts.lower || !Order(*facts.lower, leaf.values[0]) || Less(*facts.lower, leaf.values[0]);
    case PredicateOp::kLtEq:
      return IsNan(leaf.values[0]) || !BelowLower(leaf.values[0], facts.lower);
    case PredicateOp::kGt:
      if (nan_matches_above || IsNan(leaf.values[0]) || !facts.upper || !Order(*facts.upper, leaf.values[0])) return true;
      return Less(leaf.values[0], *facts.upper) || (std::holds_alternative<std::string>(facts.upper->data) && !AboveUpper(leaf.values[0], facts.upper));
    case PredicateOp::kGtEq:
      return nan_matches_above || IsNan(leaf.values[0]) || !AboveUpper(leaf.values[0], facts.upper);
    case PredicateOp::kStartsWith: {
      const auto* prefix = std::get_if<std::string>(&leaf.values[0].data);
      return prefix == nullptr || StartsWithMightMatch(*prefix, facts);
    }
    default:
      return true;
  }
}

// Types whose values all lie between the bounds, in the order that SQL compares them by.
bool BoundsAreOrdered(TypeId id) {
  switch (id) {
    case TypeId::kBoolean:
    case TypeId::kInt:
    case TypeId::kLong:
    case TypeId::kDecimal:
    case TypeId::kDate:
    case TypeId::kTimestamp:
    case TypeId::kTimestampTz:
    case TypeId::kTimestampNs:
    case TypeId::kTimestampTzNs:
    case TypeId::kString:
      return true;
    default:
      return false;
  }
}

// The values are all this one. The bounds of a text may be prefixes, unless they are known to be exact.
bool AllAre(const Value& value, const ColumnFacts& facts) {
  const bool cut = std::holds_alternative<std::string>(value.data) && !facts.exact;
  return !cut && SameOrder(*facts.lower, value) && SameOrder(*facts.upper, value);
}

bool NoneIs(const Value& value, const ColumnFacts& facts) { return BelowLower(value, facts.lower) || AboveUpper(value, facts.upper); }

// REQUIRES: both bounds, no NULL.
bool ValueLeafAllMatch(const Predicate& leaf, const ColumnFacts& facts) {
  const bool cut = std::holds_alternative<std::string>(facts.upper->data) && !facts.exact;
  const auto is_all = [&](const Value& value) { return AllAre(value, facts); };
  const auto is_none = [&](const Value& value) { return NoneIs(value, facts); };
  switch (leaf.op) {
    case PredicateOp::kEq:
    case PredicateOp::kIn:
      return std::any_of(leaf.values.begin(), leaf.values.end(), is_all);
    case PredicateOp::kNotEq:
    case PredicateOp::kNotIn:
      return std::all_of(leaf.values.begin(), leaf.values.end(), is_none);
    case PredicateOp::kLt:
      return AboveUpper(leaf.values[0], facts.upper);
    case PredicateOp::kLtEq:
      return AboveUpper(leaf.values[0], facts.upper) || (!cut && SameOrder(*facts.upper, leaf.values[0]));
    case PredicateOp::kGt:
      return BelowLower(leaf.values[0], facts.lower);
    case PredicateOp::kGtEq:
      return BelowLower(leaf.values[0], facts.lower) || SameOrder(*facts.lower, leaf.values[0]);
    case PredicateOp::kStartsWith: {
      const auto starts = [&](const Value& bound) {
        const auto* text = std::get_if<std::string>(&bound.data);
        const auto* prefix = std::get_if<std::string>(&leaf.values[0].data);
        return text != nullptr && prefix != nullptr && text->starts_with(*prefix);
      };
      return starts(*facts.lower) && starts(*facts.upper);
    }
    default:
      return false;
  }
}

// Some writers cut times before 1970 towards the epoch instead of down, which makes their tuples greater by one.
Value RoundedTowardsEpoch(iceberg::TransformKind kind, const Value& transformed) {
  const bool is_time = kind >= iceberg::TransformKind::kYear && kind <= iceberg::TransformKind::kHour;
  const auto* unit = std::get_if<int32_t>(&transformed.data);
  if (!is_time || unit == nullptr || *unit >= 0) return transformed;
  return Value{*unit + 1};
}

// Java wraps around when it truncates a value near the type's minimum: the tuple is then near the maximum.
bool MayHaveWrapped(TypeId id, int width, const ColumnFacts& facts) {
  const auto upper = facts.upper ? AsInt64(*facts.upper) : std::nullopt;
  if (id == TypeId::kInt) return upper && *upper > std::numeric_limits<int32_t>::max() - width;
  if (id == TypeId::kLong) return upper && *upper > std::numeric_limits<int64_t>::max() - width;
  return false;
}

bool MatchTree(const Predicate& predicate, const LeafTest& leaf_matches) {
  switch (predicate.op) {
    case PredicateOp::kTrue:
      return true;
    case PredicateOp::kFalse:
      return false;
    case PredicateOp::kAnd:
      return std::all_of(predicate.children.begin(), predicate.children.end(),
                         [&](const auto& child) { return MatchTree(*child, leaf_matches); });
    case PredicateOp::kOr:
      return std::any_of(predicate.children.begin(), predicate.children.end(),
                         [&](const auto& child) { return MatchTree(*child, leaf_matches); });
    default:
      return leaf_matches(predicate);
  }
}

}  // namespace

void SetBounds(const Type& type, const std::string* lower, const std::string* upper, ColumnFacts* facts) {
  const auto decode = [&](const std::string* bytes) -> std::optional<Value> {
    if (bytes == nullptr) return std::nullopt;
    arrow::Result<Value> value = iceberg::DecodeBound(type, *bytes);
    if (!value.ok() || value->is_null() || IsNan(*value)) return std::nullopt;
    // A string bound cut inside a code point orders differently from the values it bounds.
    const bool bad_text = type.id() == TypeId::kString &&
                          !arrow::util::ValidateUTF8(reinterpret_cast<const uint8_t*>(bytes->data()), static_cast<int64_t>(bytes->size()));
    if (bad_text) return std::nullopt;
    return *std::move(value);
  };
  facts->lower = decode(lower);
  facts->upper = decode(upper);
  if (facts->lower && facts->upper) {
    const bool inverted = Less(*facts->upper, *facts->lower);
    // Writers disagree on the order of UUIDs (signed or unsigned halves), so only a single value is a bound.
    const bool unordered = type.id() == TypeId::kUuid && !SameOrder(*facts->lower, *facts->upper);
    if (inverted || unordered) facts->lower = facts->upper = std::nullopt;
  } else if (type.id() == TypeId::kUuid) {
    facts->lower = facts->upper = std::nullopt;
  }
}

bool LeafMightMatch(const Predicate& leaf, const ColumnFacts& facts) {
  switch (leaf.op) {
    case PredicateOp::kIsNull:
      return facts.null_count != 0;
    case PredicateOp::kIsNan:
      return facts.nan_count != 0;
    default:
      break;
  }
  // Everything else needs a non-NULL value.
  if (AllNull(facts)) return false;
  return ValueLeafMightMatch(leaf, facts);
}

bool SurelyAbove(const Value& value, const std::optional<Value>& upper) { return AboveUpper(value, upper); }

bool LeafAllMatch(const Predicate& leaf, const ColumnFacts& facts) {
  if (leaf.op == PredicateOp::kIsNull) return facts.value_count && facts.null_count == facts.value_count;
  if (facts.null_count != 0) return false;
  if (leaf.op == PredicateOp::kNotNull) return true;
  if (!BoundsAreOrdered(leaf.type->id()) || !facts.lower || !facts.upper) return false;
  return ValueLeafAllMatch(leaf, facts);
}

bool LeafMightMatchTransformed(const Predicate& leaf, const iceberg::Transform& transform, const ColumnFacts& facts) {
  using iceberg::TransformKind;
  if (transform.kind == TransformKind::kUnknown || transform.kind == TransformKind::kVoid) return true;
  if (transform.kind == TransformKind::kIdentity) return LeafMightMatch(leaf, facts);
  if (leaf.op == PredicateOp::kIsNull) return facts.null_count != 0;
  if (AllNull(facts)) return false;
  if (leaf.op == PredicateOp::kStartsWith || leaf.values.empty()) return true;
  // The other transforms are monotonic, or (bucket) only keep equality: x < v implies t(x) <= t(v).
  const bool bucket = transform.kind == TransformKind::kBucket;
  const bool equality = leaf.op == PredicateOp::kEq || leaf.op == PredicateOp::kIn;
  const bool below = leaf.op == PredicateOp::kLt || leaf.op == PredicateOp::kLtEq;
  const bool above = leaf.op == PredicateOp::kGt || leaf.op == PredicateOp::kGtEq;
  if (!equality && (bucket || (!below && !above))) return true;
  const TypeId id = leaf.type->id();
  if (id == TypeId::kFloat || id == TypeId::kDouble) return true;
  if (transform.kind == TransformKind::kTruncate && MayHaveWrapped(leaf.type->id(), transform.parameter, facts)) return true;
  return std::any_of(leaf.values.begin(), leaf.values.end(), [&](const Value& value) {
    const arrow::Result<Value> transformed = transform.Apply(*leaf.type, value);
    if (!transformed.ok()) return true;
    if (!above && BelowLower(RoundedTowardsEpoch(transform.kind, *transformed), facts.lower)) return false;
    return below || !AboveUpper(*transformed, facts.upper);
  });
}

bool MightMatch(const Predicate& predicate, const LeafTest& leaf_might_match) { return MatchTree(predicate, leaf_might_match); }
bool AllMatch(const Predicate& predicate, const LeafTest& leaf_all_match) { return MatchTree(predicate, leaf_all_match); }

}  // namespace vecruntime::planning
