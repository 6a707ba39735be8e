// SPDX-License-Identifier: Apache-2.0
// What the rules share: walking a plan bottom-up, and replacing the expressions of an operator.
#pragma once

#include <functional>

#include "vecruntime/sql/logical_plan.h"

namespace vecruntime::sql {

/// Calls `rewrite` on every node, inputs first; the node it sees has rewritten inputs.
PlanPtr RewriteBottomUp(const PlanPtr& plan, const std::function<PlanPtr(const PlanPtr& node)>& rewrite);

/// The node with `map` applied to each expression it holds.
PlanPtr MapExpressions(const PlanPtr& plan, const std::function<expr::ExprPtr(const expr::ExprPtr& expression)>& map);

/// Nodes of an expression tree, counted up to `limit`.
int64_t CountNodes(const expr::Expr& expression, int64_t limit);

}  // namespace vecruntime::sql
