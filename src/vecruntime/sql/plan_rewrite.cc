// SPDX-License-Identifier: Apache-2.0
#include "vecruntime/sql/plan_rewrite.h"

#include <utility>

namespace vecruntime::sql {

PlanPtr RewriteBottomUp(const PlanPtr& plan, const std::function<PlanPtr(const PlanPtr& node)>& rewrite) {
  std::vector<PlanPtr> inputs;
  bool changed = false;
  for (const PlanPtr& input : plan->inputs) {
    inputs.push_back(RewriteBottomUp(input, rewrite));
    changed = changed || inputs.back() != input;
  }
  return rewrite(changed ? WithInputs(*plan, std::move(inputs)) : plan);
}

PlanPtr MapExpressions(const PlanPtr& plan, const std::function<expr::ExprPtr(const expr::ExprPtr& expression)>& map) {
  auto copy = std::make_shared<Plan>(*plan);
  const auto apply = [&](expr::ExprPtr* expression) {
    if (*expression) *expression = map(*expression);
  };
  if (auto* scan = std::get_if<Scan>(&copy->op)) apply(&scan->filter);
  if (auto* filter = std::get_if<Filter>(&copy->op)) apply(&filter->predicate);
  if (auto* project = std::get_if<Project>(&copy->op)) {
    for (auto& expression : project->expressions) apply(&expression);
  }
  if (auto* aggregate = std::get_if<Aggregate>(&copy->op)) {
    for (auto& key : aggregate->keys) apply(&key);
    for (auto& call : aggregate->calls) {
      for (auto& argument : call.arguments) apply(&argument);
      apply(&call.filter);
    }
  }
  if (auto* sort = std::get_if<Sort>(&copy->op)) {
    for (auto& key : sort->keys) apply(&key.expression);
  }
  return copy;
}

int64_t CountNodes(const expr::Expr& expression, int64_t limit) {
  int64_t count = 1;
  for (const auto& child : expression.children()) {
    if (count >= limit) break;
    count += CountNodes(*child, limit - count);
  }
  return count;
}

}  // namespace vecruntime::sql
