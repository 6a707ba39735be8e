// SPDX-License-Identifier: Apache-2.0
#include <arrow/scalar.h>

#include "vecruntime/sql/connectives.h"
#include "vecruntime/sql/plan_rewrite.h"
#include "vecruntime/sql/rules.h"

namespace vecruntime::sql {
namespace {

bool IsTrue(const expr::Expr& expression) {
  return expression.kind() == expr::ExprKind::kLiteral && expression.value()->is_valid &&
         expression.value()->type->id() == arrow::Type::BOOL && static_cast<const arrow::BooleanScalar&>(*expression.value()).value;
}

// The conjuncts that are not literally true; null when none is left.
expr::ExprPtr WithoutTrue(const expr::ExprPtr& predicate) {
  std::vector<expr::ExprPtr> conjuncts = expr::SplitConjunction(predicate);
  if (std::erase_if(conjuncts, [](const expr::ExprPtr& conjunct) { return IsTrue(*conjunct); }) == 0) return predicate;
  return conjuncts.empty() ? nullptr : MakeConjunction(conjuncts);
}

}  // namespace

PlanPtr SimplifyFiltersRule(const PlanPtr& plan) {
  return RewriteBottomUp(plan, [](const PlanPtr& node) -> PlanPtr {
    const auto* filter = std::get_if<Filter>(&node->op);
    if (filter == nullptr) return node;
    const expr::ExprPtr predicate = WithoutTrue(filter->predicate);
    if (!predicate) return node->inputs[0];
    if (predicate->kind() == expr::ExprKind::kLiteral) return MakeEmptyPlan(node->schema);
    return predicate == filter->predicate ? node : MakeFilterPlan(node->inputs[0], predicate);
  });
}

}  // namespace vecruntime::sql
