// SPDX-License-Identifier: Apache-2.0
// Arithmetic that the arguments of several aggregates contain, taken out to be computed once a batch.
#pragma once

#include <cstddef>
#include <vector>

#include "vecruntime/exec/aggregate_function.h"
#include "vecruntime/expr/expr.h"

namespace vecruntime::exec {

struct SharedExpressions {
  std::vector<expr::ExprPtr> expressions;  // over the aggregation's input
  /// The calls over the first `first_column` columns of the input, followed by the expressions' values.
  std::vector<AggregateCall> calls;
  size_t first_column = 0;
};

/// `keys` are evaluated before, and only tell which columns stay.
SharedExpressions ShareExpressions(const std::vector<expr::ExprPtr>& keys, std::vector<AggregateCall> calls);

}  // namespace vecruntime::exec
