// SPDX-License-Identifier: Apache-2.0
#include "vecruntime/sql/rules.h"

namespace vecruntime::sql {

PlanPtr Optimize(PlanPtr plan, const expr::EvalContext& eval, bool push_down) {
  // Filters first: moving them replaces names by expressions, and what those make constant is for folding to see.
  plan = PushFiltersRule(plan);
  // Folding decides which filters are trivial, and whether a scan gets literals it can prune by.
  plan = FoldConstantsRule(plan, eval);
  plan = SimplifyFiltersRule(plan);
  // Projects merge before limits move, so that a limit finds its sort.
  plan = MergeProjectsRule(plan);
  plan = PushLimitsRule(plan);
  // Pruning wants everything else in place; it must see filters as operators, since a filter's columns are read too.
  plan = PruneColumnsRule(plan, push_down);
  if (push_down) plan = PushFilterIntoScanRule(plan);
  plan = RemoveIdentityProjectsRule(plan);
  // Last: what is looked at of a scan depends on what stands above it in the end.
  return push_down ? NoteColumnUsesRule(plan) : plan;
}

}  // namespace vecruntime::sql
