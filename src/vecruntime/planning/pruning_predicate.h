// SPDX-License-Identifier: Apache-2.0
// From a bound filter to the predicate that planning and row-group pruning understand.
#pragma once

#include <functional>

#include "vecruntime/expr/expr.h"
#include "vecruntime/iceberg/predicate.h"

namespace vecruntime::planning {

/// A predicate that every row satisfying `filter` satisfies (what cannot be expressed becomes True). `field_of(i)` is the table field
/// that column i of the filter shows, or null when it is not one (metadata columns).
iceberg::PredicatePtr ToPruningPredicate(const expr::Expr& filter, const std::function<const iceberg::Field*(int column)>& field_of);

/// The other side: a predicate that no row satisfies on which `filter` is not true, or fails (what cannot be expressed becomes False). Where all
/// rows of a file satisfy it, the filter need not run.
iceberg::PredicatePtr ToProofPredicate(const expr::Expr& filter, const std::function<const iceberg::Field*(int column)>& field_of);

}  // namespace vecruntime::planning
