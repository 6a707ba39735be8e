// SPDX-License-Identifier: Apache-2.0
#include <arrow/compare.h>
#include <arrow/scalar.h>
#include <arrow/type.h>

#include <algorithm>
#include <limits>
#include <string_view>

#include "vecruntime/expr/type_coercion.h"
#include "vecruntime/sql/plan_rewrite.h"
#include "vecruntime/sql/rules.h"

namespace vecruntime::sql {
namespace {

using expr::Expr;
using expr::ExprKind;
using expr::ExprPtr;

// The functions whose name and argument types say all there is to know of them, and which run on every row.
bool IsArithmetic(const Expr& expression) {
  constexpr std::string_view kOperators[] = {"+", "-", "*", "/", "%"};
  return expression.kind() == ExprKind::kCall && std::ranges::find(kOperators, expression.name()) != std::end(kOperators);
}

bool IsSame(const Expr& a, const Expr& b) {
  if (&a == &b) return true;
  if (a.kind() != b.kind() || !a.type()->Equals(*b.type()) || !expr::SameType(*a.type(), *b.type())) return false;
  switch (a.kind()) {
    case ExprKind::kColumn: return a.column() == b.column();
    case ExprKind::kLiteral: return a.value()->Equals(*b.value(), arrow::EqualOptions::Defaults().signed_zeros_equal(false));
    case ExprKind::kCall:
      if (!IsArithmetic(a) || a.name() != b.name()) return false;
      break;
    case ExprKind::kCast:
      if (a.try_cast() != b.try_cast()) return false;
      break;
    default: return false;
  }
  return std::ranges::equal(a.children(), b.children(), [](const ExprPtr& x, const ExprPtr& y) { return IsSame(*x, *y); });
}

struct Candidate {
  ExprPtr expression;
  int uses = 0;
  int64_t nodes = 0;
};

void Collect(const ExprPtr& expression, std::vector<Candidate>* candidates) {
  if (!IsArithmetic(*expression)) return;
  const auto known = std::ranges::find_if(*candidates, [&](const Candidate& each) { return IsSame(*each.expression, *expression); });
  if (known != candidates->end()) {
    ++known->uses;
  } else {
    candidates->push_back({expression, 1, CountNodes(*expression, std::numeric_limits<int64_t>::max())});
  }
  for (const ExprPtr& child : expression->children()) Collect(child, candidates);
}

ExprPtr Replace(const ExprPtr& expression, const Expr& shared, const ExprPtr& column) {
  if (IsSame(*expression, shared)) return column;
  if (!IsArithmetic(*expression)) return expression;
  return expr::TransformChildren(expression, [&](const ExprPtr& child) { return Replace(child, shared, column); });
}

// The largest arithmetic that several arguments contain; null when there is none. A FILTER clause may keep an argument from rows it
// would fail on, so those calls share nothing.
ExprPtr FindShared(const std::vector<exec::AggregateCall>& calls) {
  std::vector<Candidate> candidates;
  for (const auto& call : calls) {
    if (call.filter != nullptr) continue;
    for (const ExprPtr& argument : call.arguments) Collect(argument, &candidates);
  }
  std::erase_if(candidates, [](const Candidate& each) { return each.uses < 2; });
  const auto largest = std::ranges::max_element(candidates, {}, &Candidate::nodes);
  return largest == candidates.end() ? nullptr : largest->expression;
}

PlanPtr Share(const PlanPtr& node) {
  const auto* aggregate = std::get_if<Aggregate>(&node->op);
  if (aggregate == nullptr) return node;
  const Plan& input = *node->inputs[0];
  std::vector<ExprPtr> expressions;
  std::vector<std::string> names = OutputNames(input);
  for (int i = 0; i < input.schema->num_fields(); ++i) expressions.push_back(OutputColumn(input, i));
  std::vector<exec::AggregateCall> calls = aggregate->calls;
  while (const ExprPtr shared = FindShared(calls)) {
    const std::string name = shared->ToString();
    const ExprPtr column = Expr::Column(static_cast<int>(expressions.size()), name, shared->type(), /*nullable=*/true);
    for (auto& call : calls) {
      if (call.filter != nullptr) continue;
      for (ExprPtr& argument : call.arguments) argument = Replace(argument, *shared, column);
    }
    expressions.push_back(shared);
    names.push_back(name);
  }
  if (static_cast<int>(expressions.size()) == input.schema->num_fields()) return node;
  PlanPtr project = MakeProjectPlan(node->inputs[0], std::move(expressions), std::move(names));
  return MakeAggregatePlan(std::move(project), aggregate->keys, std::move(calls), OutputNames(*node));
}

}  // namespace

PlanPtr ShareExpressionsRule(const PlanPtr& plan) { return RewriteBottomUp(plan, Share); }

}  // namespace vecruntime::sql
