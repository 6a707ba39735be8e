// SPDX-License-Identifier: Apache-2.0
#include "vecruntime/sql/statement.h"

#include <arrow/memory_pool.h>
#include <arrow/result.h>

#include "vecruntime/sql/binder.h"
#include "vecruntime/sql/lower.h"
#include "vecruntime/sql/parser.h"
#include "vecruntime/sql/rules.h"

namespace vecruntime::sql {

arrow::Result<PhysicalPlan> PlanStatement(std::string_view sql, RelationResolver* resolver, const PlanOptions& options) {
  expr::EvalContext eval = options.eval;
  if (eval.pool == nullptr) eval.pool = arrow::default_memory_pool();
  ARROW_ASSIGN_OR_RAISE(const QueryPtr query, ParseQuery(sql));
  ARROW_ASSIGN_OR_RAISE(PlanPtr plan, BindQuery(*query, sql, resolver, eval));
  plan = Optimize(std::move(plan), eval, options.push_down);
  return Lower(plan);
}

}  // namespace vecruntime::sql
