// SPDX-License-Identifier: Apache-2.0
// Rewrites of the logical plan. Each takes a plan and returns one that gives the same rows (in the same order where the order is
// defined) and raises no error that the original could not; each has its own rule_*.cc. `Optimize` runs them in the order that rules.cc
// explains.
#pragma once

#include "vecruntime/expr/expr.h"
#include "vecruntime/sql/logical_plan.h"

namespace vecruntime::sql {

/// Runs all rules. Without `push_down`, scans keep all visible columns and no filter.
PlanPtr Optimize(PlanPtr plan, const expr::EvalContext& eval, bool push_down);

/// Every expression with its constant parts computed.
///   Filter (a > 1 + 1)  ->  Filter (a > 2)
PlanPtr FoldConstantsRule(const PlanPtr& plan, const expr::EvalContext& eval);

/// Filters that are always true go; under those that are always false or NULL nothing is read.
///   Filter true, x  ->  x            Filter false, x  ->  Values rows=0
PlanPtr SimplifyFiltersRule(const PlanPtr& plan);

/// Filters move towards the leaves: through Project (names replaced by what they stand for), Sort without limit, Union, and through
/// Aggregate when they read keys only; adjacent ones become one conjunction, the lower one first. Never through Limit or TopN.
///   Filter (x > 1), Project [a + 1 AS x], t  ->  Project [a + 1 AS x], Filter (a + 1 > 1), t
PlanPtr PushFiltersRule(const PlanPtr& plan);

/// Two Projects in a row become one, unless that would compute something twice.
PlanPtr MergeProjectsRule(const PlanPtr& plan);

/// A Limit moves below a Project, two become one, and a Limit over a Sort becomes its top-N.
///   Limit 5, Project, Sort, x  ->  Project, TopN 5, x
PlanPtr PushLimitsRule(const PlanPtr& plan);

/// Columns nobody above reads are not computed, and not read: count(*) reads none.
///   Aggregate calls=[count(*)], Scan columns=[a, b]  ->  Aggregate calls=[count(*)], Scan columns=[]
/// Without `narrow_scans` a scan keeps all visible columns and drops only hidden ones.
PlanPtr PruneColumnsRule(const PlanPtr& plan, bool narrow_scans);

/// A Filter directly over a Scan becomes the scan's filter. Runs after pruning: the filter's columns count as read.
///   Filter (a > 1), Scan  ->  Scan filter=(a > 1)
PlanPtr PushFilterIntoScanRule(const PlanPtr& plan);

/// A Scan under an Aggregate or a Project learns what they look at: columns that only the scan's own filter reads, of which only the extremes
/// or the number of NULLs matter. Runs last.
///   Aggregate calls=[count(*), min(a)], Scan columns=[a, b] filter=(b > 1)  ->  a: extremes, b: nothing
PlanPtr NoteColumnUsesRule(const PlanPtr& plan);

/// Projects that change neither columns nor names go.
PlanPtr RemoveIdentityProjectsRule(const PlanPtr& plan);

}  // namespace vecruntime::sql
