// SPDX-License-Identifier: Apache-2.0
#include <arrow/type.h>

#include <algorithm>

#include "vecruntime/sql/plan_rewrite.h"
#include "vecruntime/sql/rules.h"

namespace vecruntime::sql {
namespace {

void CountUses(const expr::Expr& expression, std::vector<int>* uses) {
  if (expression.kind() == expr::ExprKind::kColumn) ++(*uses)[static_cast<size_t>(expression.column())];
  for (const auto& child : expression.children()) CountUses(*child, uses);
}

bool IsTrivial(const expr::Expr& expression) {
  return expression.kind() == expr::ExprKind::kColumn || expression.kind() == expr::ExprKind::kLiteral;
}

bool IsIdentity(const Plan& node, const Project& project) {
  const auto& input = *node.inputs[0]->schema;
  if (static_cast<int>(project.expressions.size()) != input.num_fields()) return false;
  for (int i = 0; i < input.num_fields(); ++i) {
    const expr::Expr& expression = *project.expressions[static_cast<size_t>(i)];
    if (expression.kind() != expr::ExprKind::kColumn || expression.column() != i || node.schema->field(i)->name() != input.field(i)->name()) return false;
  }
  return true;
}

}  // namespace

PlanPtr MergeProjectsRule(const PlanPtr& plan) {
  return RewriteBottomUp(plan, [](const PlanPtr& node) -> PlanPtr {
    const auto* outer = std::get_if<Project>(&node->op);
    const auto* inner = outer == nullptr ? nullptr : std::get_if<Project>(&node->inputs[0]->op);
    if (inner == nullptr) return node;
    std::vector<int> uses(inner->expressions.size(), 0);
    for (const auto& expression : outer->expressions) CountUses(*expression, &uses);
    for (size_t i = 0; i < uses.size(); ++i) {
      if (uses[i] > 1 && !IsTrivial(*inner->expressions[i])) return node;
    }
    std::vector<expr::ExprPtr> merged;
    for (const auto& expression : outer->expressions) {
      merged.push_back(expr::ReplaceColumns(expression, [&](int column) { return inner->expressions[static_cast<size_t>(column)]; }));
    }
    return MakeProjectPlan(node->inputs[0]->inputs[0], std::move(merged), OutputNames(*node));
  });
}

PlanPtr RemoveIdentityProjectsRule(const PlanPtr& plan) {
  return RewriteBottomUp(plan, [](const PlanPtr& node) -> PlanPtr {
    const auto* project = std::get_if<Project>(&node->op);
    return project != nullptr && IsIdentity(*node, *project) ? node->inputs[0] : node;
  });
}

}  // namespace vecruntime::sql
