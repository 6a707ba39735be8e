// SPDX-License-Identifier: Apache-2.0
#include "vecruntime/exec/shared_expressions.h"

#include <arrow/compare.h>
#include <arrow/scalar.h>
#include <arrow/type.h>

#include <algorithm>
#include <string_view>

#include "vecruntime/expr/type_coercion.h"

namespace vecruntime::exec {
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

int64_t CountNodes(const Expr& expression) {
  int64_t count = 1;
  for (const ExprPtr& child : expression.children()) count += CountNodes(*child);
  return count;
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
    candidates->push_back({expression, 1, CountNodes(*expression)});
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
ExprPtr FindShared(const std::vector<AggregateCall>& calls) {
  std::vector<Candidate> candidates;
  for (const auto& call : calls) {
    if (call.filter != nullptr) continue;
    for (const ExprPtr& argument : call.arguments) Collect(argument, &candidates);
  }
  std::erase_if(candidates, [](const Candidate& each) { return each.uses < 2; });
  const auto largest = std::ranges::max_element(candidates, {}, &Candidate::nodes);
  return largest == candidates.end() ? nullptr : largest->expression;
}

// One more than the last column that keys and calls read.
size_t ColumnsRead(const std::vector<ExprPtr>& keys, const std::vector<AggregateCall>& calls) {
  std::vector<int> columns;
  for (const ExprPtr& key : keys) expr::CollectColumns(*key, &columns);
  for (const AggregateCall& call : calls) {
    for (const ExprPtr& argument : call.arguments) expr::CollectColumns(*argument, &columns);
    if (call.filter != nullptr) expr::CollectColumns(*call.filter, &columns);
  }
  return columns.empty() ? 0 : static_cast<size_t>(columns.back()) + 1;
}

}  // namespace

SharedExpressions ShareExpressions(const std::vector<ExprPtr>& keys, std::vector<AggregateCall> calls) {
  SharedExpressions shared{.first_column = ColumnsRead(keys, calls)};
  while (const ExprPtr next = FindShared(calls)) {
    const auto index = static_cast<int>(shared.first_column + shared.expressions.size());
    const ExprPtr column = Expr::Column(index, next->ToString(), next->type(), /*nullable=*/true);
    for (AggregateCall& call : calls) {
      if (call.filter != nullptr) continue;
      for (ExprPtr& argument : call.arguments) argument = Replace(argument, *next, column);
    }
    shared.expressions.push_back(next);
  }
  shared.calls = std::move(calls);
  return shared;
}

}  // namespace vecruntime::exec
