// SPDX-License-Identifier: Apache-2.0
// A parsed query to a logical plan: tables are resolved, names bound, aggregates and sort keys put in their place.
#pragma once

#include <arrow/type_fwd.h>

#include <string_view>

#include "vecruntime/expr/expr.h"
#include "vecruntime/sql/ast.h"
#include "vecruntime/sql/logical_plan.h"
#include "vecruntime/sql/relation.h"

namespace vecruntime::sql {

/// `sql` is the text the query was parsed from, for positions in errors. The plan is as written: no rule has run.
arrow::Result<PlanPtr> BindQuery(const Query& query, std::string_view sql, RelationResolver* resolver, const expr::EvalContext& eval);

}  // namespace vecruntime::sql
