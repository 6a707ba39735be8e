// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "vecruntime/sql/connectives.h"
#include "vecruntime/sql/plan_rewrite.h"
#include "vecruntime/sql/rules.h"

namespace vecruntime::sql {
namespace {

// A predicate with the expressions of a Project put in may not grow beyond this.
constexpr int64_t kMaxSubstitutedNodes = 10000;

bool SubstitutionFits(const expr::Expr& predicate, const std::vector<expr::ExprPtr>& expressions) {
  if (predicate.kind() == expr::ExprKind::kColumn) {
    return CountNodes(*expressions[static_cast<size_t>(predicate.column())], kMaxSubstitutedNodes + 1) <= kMaxSubstitutedNodes / 10;
  }
  return std::ranges::all_of(predicate.children(), [&](const expr::ExprPtr& child) { return SubstitutionFits(*child, expressions); });
}

expr::ExprPtr Substitute(const expr::ExprPtr& predicate, const std::vector<expr::ExprPtr>& expressions) {
  return expr::ReplaceColumns(predicate, [&](int column) { return expressions[static_cast<size_t>(column)]; });
}

PlanPtr Push(PlanPtr input, const expr::ExprPtr& predicate);

PlanPtr PushThroughAggregate(const PlanPtr& input, const Aggregate& aggregate, const expr::ExprPtr& predicate) {
  // Without keys there is one row even over no input; and a conjunct may move only when all before it move too, or it could raise an error
  // on a row that they would have dropped.
  std::vector<expr::ExprPtr> below;
  std::vector<expr::ExprPtr> above;
  for (const expr::ExprPtr& conjunct : expr::SplitConjunction(predicate)) {
    std::vector<int> columns;
    expr::CollectColumns(*conjunct, &columns);
    const auto is_key = [&](int column) { return column < static_cast<int>(aggregate.keys.size()); };
    const bool moves = above.empty() && !columns.empty() && !aggregate.keys.empty() && std::ranges::all_of(columns, is_key) &&
                       SubstitutionFits(*conjunct, aggregate.keys);
    (moves ? below : above).push_back(conjunct);
  }
  if (below.empty()) return MakeFilterPlan(input, predicate);
  PlanPtr pushed = WithInputs(*input, {Push(input->inputs[0], Substitute(MakeConjunction(below), aggregate.keys))});
  return above.empty() ? pushed : MakeFilterPlan(std::move(pushed), MakeConjunction(above));
}

PlanPtr Push(PlanPtr input, const expr::ExprPtr& predicate) {
  if (const auto* filter = std::get_if<Filter>(&input->op)) {
    return Push(input->inputs[0], expr::Expr::And(filter->predicate, predicate));
  }
  if (const auto* project = std::get_if<Project>(&input->op); project != nullptr && SubstitutionFits(*predicate, project->expressions)) {
    return WithInputs(*input, {Push(input->inputs[0], Substitute(predicate, project->expressions))});
  }
  if (const auto* sort = std::get_if<Sort>(&input->op); sort != nullptr && sort->limit < 0 && sort->offset == 0) {
    return WithInputs(*input, {Push(input->inputs[0], predicate)});
  }
  if (std::holds_alternative<Union>(input->op)) {
    std::vector<PlanPtr> inputs;
    for (const PlanPtr& branch : input->inputs) inputs.push_back(Push(branch, predicate));
    return WithInputs(*input, std::move(inputs));
  }
  if (const auto* aggregate = std::get_if<Aggregate>(&input->op)) return PushThroughAggregate(input, *aggregate, predicate);
  return MakeFilterPlan(std::move(input), predicate);
}

}  // namespace

PlanPtr PushFiltersRule(const PlanPtr& plan) {
  return RewriteBottomUp(plan, [](const PlanPtr& node) -> PlanPtr {
    const auto* filter = std::get_if<Filter>(&node->op);
    return filter == nullptr ? node : Push(node->inputs[0], filter->predicate);
  });
}

PlanPtr PushFilterIntoScanRule(const PlanPtr& plan) {
  return RewriteBottomUp(plan, [](const PlanPtr& node) -> PlanPtr {
    const auto* filter = std::get_if<Filter>(&node->op);
    if (filter == nullptr) return node;
    const auto* scan = std::get_if<Scan>(&node->inputs[0]->op);
    if (scan == nullptr) return node;
    return MakeScanPlan(scan->relation, scan->columns, scan->filter ? expr::Expr::And(scan->filter, filter->predicate) : filter->predicate);
  });
}

}  // namespace vecruntime::sql
