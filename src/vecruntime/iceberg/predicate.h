// SPDX-License-Identifier: Apache-2.0
// Predicates on fields by id, as used for pruning only. A predicate may be weaker than the query's filter (it keeps every row the filter
// keeps); the filter itself still runs on rows. Semantics are Spark's: NaN equals NaN and is greater than every number, -0.0 equals 0.0.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "vecruntime/iceberg/type.h"

namespace vecruntime::iceberg {

enum class PredicateOp {
  kTrue, kFalse, kAnd, kOr,                        // no kNot: negation is pushed to the leaves
  kIsNull, kNotNull, kIsNan, kNotNan,
  kEq, kNotEq, kLt, kLtEq, kGt, kGtEq,             // one value; a NULL cell never satisfies these
  kIn, kNotIn,                                     // values, none NULL
  kStartsWith, kNotStartsWith,                     // one string value
};

struct Predicate;
using PredicatePtr = std::shared_ptr<const Predicate>;

struct Predicate {
  PredicateOp op = PredicateOp::kTrue;
  std::vector<PredicatePtr> children;  // kAnd, kOr
  FieldId field_id = 0;                // leaves
  TypePtr type;                        // leaves: type of the values (the field's current type)
  std::vector<Value> values;

  static PredicatePtr True();
  static PredicatePtr False();
  static PredicatePtr And(PredicatePtr a, PredicatePtr b);  // simplifies True/False
  static PredicatePtr Or(PredicatePtr a, PredicatePtr b);
  static PredicatePtr Leaf(PredicateOp op, FieldId field_id, TypePtr type, std::vector<Value> values = {});
  std::string ToString(const Schema& schema) const;
};

}  // namespace vecruntime::iceberg
