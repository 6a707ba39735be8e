// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "vecruntime/sql/plan_rewrite.h"
#include "vecruntime/sql/rules.h"

namespace vecruntime::sql {
namespace {

// Rows [offset, offset + limit) of rows [inner.offset, inner.offset + inner.limit).
Limit Compose(const Limit& outer, int64_t inner_limit, int64_t inner_offset) {
  Limit both;
  if (__builtin_add_overflow(inner_offset, outer.offset, &both.offset)) both.offset = INT64_MAX;
  const int64_t left = inner_limit < 0 ? -1 : std::max<int64_t>(0, inner_limit - outer.offset);
  both.limit = left < 0 ? outer.limit : (outer.limit < 0 ? left : std::min(left, outer.limit));
  return both;
}

PlanPtr PushLimit(const PlanPtr& input, const Limit& limit) {
  if (limit.limit == 0) return MakeEmptyPlan(input->schema);
  if (std::holds_alternative<Project>(input->op)) return WithInputs(*input, {PushLimit(input->inputs[0], limit)});
  if (const auto* inner = std::get_if<Limit>(&input->op)) return PushLimit(input->inputs[0], Compose(limit, inner->limit, inner->offset));
  if (const auto* sort = std::get_if<Sort>(&input->op)) {
    const Limit both = Compose(limit, sort->limit, sort->offset);
    if (both.limit == 0) return MakeEmptyPlan(input->schema);
    // A full sort that only skips rows stays a sort with a Limit above.
    if (both.limit > 0) return MakeSortPlan(input->inputs[0], sort->keys, both.limit, both.offset);
  }
  return MakeLimitPlan(input, limit.limit, limit.offset);
}

}  // namespace

PlanPtr PushLimitsRule(const PlanPtr& plan) {
  return RewriteBottomUp(plan, [](const PlanPtr& node) -> PlanPtr {
    const auto* limit = std::get_if<Limit>(&node->op);
    return limit == nullptr ? node : PushLimit(node->inputs[0], *limit);
  });
}

}  // namespace vecruntime::sql
