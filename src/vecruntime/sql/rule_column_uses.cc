// SPDX-License-Identifier: Apache-2.0
#include <arrow/type.h>

#include "vecruntime/sql/plan_rewrite.h"
#include "vecruntime/sql/rules.h"

namespace vecruntime::sql {
namespace {

using columnar::ColumnUse;
using Uses = std::vector<ColumnUse>;

void UseValues(const expr::ExprPtr& expression, Uses* uses) {
  if (expression == nullptr) return;
  std::vector<int> columns;
  expr::CollectColumns(*expression, &columns);
  for (const int column : columns) (*uses)[static_cast<size_t>(column)].values = true;
}

// Over one group of all rows, count(a), min(a) and max(a) see the column as a whole; everything else sees its rows.
void UseByCall(const exec::AggregateCall& call, bool one_group, Uses* uses) {
  const bool whole = one_group && !call.distinct && call.filter == nullptr && call.arguments.size() == 1 &&
                     call.arguments[0]->kind() == expr::ExprKind::kColumn;
  if (whole && (call.function == "count" || call.function == "min" || call.function == "max")) {
    ColumnUse& use = (*uses)[static_cast<size_t>(call.arguments[0]->column())];
    (call.function == "count" ? use.null_count : use.extremes) = true;
    return;
  }
  for (const expr::ExprPtr& argument : call.arguments) UseValues(argument, uses);
  UseValues(call.filter, uses);
}

PlanPtr NoteUses(const PlanPtr& node) {
  const auto* project = std::get_if<Project>(&node->op);
  const auto* aggregate = std::get_if<Aggregate>(&node->op);
  if ((project == nullptr && aggregate == nullptr) || !std::holds_alternative<Scan>(node->inputs[0]->op)) return node;
  const Plan& scan = *node->inputs[0];
  Uses uses(static_cast<size_t>(scan.schema->num_fields()));
  if (project != nullptr) {
    for (const expr::ExprPtr& expression : project->expressions) UseValues(expression, &uses);
  } else {
    for (const expr::ExprPtr& key : aggregate->keys) UseValues(key, &uses);
    for (const exec::AggregateCall& call : aggregate->calls) UseByCall(call, aggregate->keys.empty(), &uses);
  }
  return WithInputs(*node, {WithUses(scan, std::move(uses))});
}

}  // namespace

PlanPtr NoteColumnUsesRule(const PlanPtr& plan) { return RewriteBottomUp(plan, NoteUses); }

}  // namespace vecruntime::sql
