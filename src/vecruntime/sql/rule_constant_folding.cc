// SPDX-License-Identifier: Apache-2.0
#include "vecruntime/expr/evaluator.h"
#include "vecruntime/sql/plan_rewrite.h"
#include "vecruntime/sql/rules.h"

namespace vecruntime::sql {

PlanPtr FoldConstantsRule(const PlanPtr& plan, const expr::EvalContext& eval) {
  return RewriteBottomUp(plan, [&](const PlanPtr& node) {
    return MapExpressions(node, [&](const expr::ExprPtr& expression) { return expr::FoldConstants(expression, eval); });
  });
}

}  // namespace vecruntime::sql
