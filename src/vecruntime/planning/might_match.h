// SPDX-License-Identifier: Apache-2.0
// Can rows described by statistics satisfy a predicate? Every answer errs towards "yes": pruning must never change a result, so bounds
// that are missing, inverted, undecodable or of another type count for nothing.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>

#include "vecruntime/iceberg/predicate.h"
#include "vecruntime/iceberg/transform.h"

namespace vecruntime::planning {

/// What is known of one field over some rows (a file, a row group, the files of a manifest). nullopt = unknown.
struct ColumnFacts {
  std::optional<iceberg::Value> lower;  // no non-NULL, non-NaN value is below it
  std::optional<iceberg::Value> upper;  // none is above it (strings of 16 bytes and more: or starts with it)
  std::optional<int64_t> null_count;
  std::optional<int64_t> nan_count;
  std::optional<int64_t> value_count;  // NULL and NaN included
  bool exact = false;                  // lower and upper are values of the rows, cut nowhere
};

/// Decodes Appendix-D bounds into `facts`, dropping those that cannot be trusted.
void SetBounds(const iceberg::Type& type, const std::string* lower, const std::string* upper, ColumnFacts* facts);

/// False only when no row described by `facts` can satisfy `leaf`. REQUIRES: leaf is not kTrue, kFalse, kAnd or kOr.
bool LeafMightMatch(const iceberg::Predicate& leaf, const ColumnFacts& facts);

/// True when `value` is surely above every value that `upper` bounds.
bool SurelyAbove(const iceberg::Value& value, const std::optional<iceberg::Value>& upper);

/// As LeafMightMatch where `facts` describe transform(field) instead of the field (partition values and summaries).
bool LeafMightMatchTransformed(const iceberg::Predicate& leaf, const iceberg::Transform& transform, const ColumnFacts& facts);

/// True only when every row described by `facts` satisfies `leaf`; every doubt is a "no": unknown or untrusted bounds and counts, any NULL,
/// floating-point values (NaN lies outside the bounds), truncated texts. REQUIRES: as LeafMightMatch; the field is no member of a list or map.
bool LeafAllMatch(const iceberg::Predicate& leaf, const ColumnFacts& facts);

using LeafTest = std::function<bool(const iceberg::Predicate& leaf)>;
/// Evaluates a predicate tree of which `leaf_might_match` decides the leaves: can some row satisfy it?
bool MightMatch(const iceberg::Predicate& predicate, const LeafTest& leaf_might_match);
/// The same with `leaf_all_match`: does every row satisfy it? (A disjunction whose branches share the rows between them is a "no".)
bool AllMatch(const iceberg::Predicate& predicate, const LeafTest& leaf_all_match);

}  // namespace vecruntime::planning
