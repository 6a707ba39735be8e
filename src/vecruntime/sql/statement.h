// SPDX-License-Identifier: Apache-2.0
// From SQL text to a runnable plan.
#pragma once

#include <arrow/type_fwd.h>

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "vecruntime/exec/pipeline.h"
#include "vecruntime/sql/relation.h"

namespace vecruntime::sql {

struct PlanOptions {
  expr::EvalContext eval;
  bool push_down = true;  // projection and predicates into the scan; off only to test that the answer does not change
};

/// Pipelines in running order; the last one has no sink. The source of every one but the first is null: it is what the sink before it holds
/// (Sink::AsSource), once that has run.
struct PhysicalPlan {
  std::vector<exec::Pipeline> pipelines;
  std::shared_ptr<arrow::Schema> output_schema;
  /// The logical plan and operators as an indented tree, one operator a line.
  std::string explanation;
};

/// Parses, binds, optimises and lowers one statement. Syntax errors are InvalidArgument with line, column and the offending text;
/// understood but unsupported syntax is Unsupported naming it and its position.
arrow::Result<PhysicalPlan> PlanStatement(std::string_view sql, RelationResolver* resolver, const PlanOptions& options);

/// Splits a script into statements at top-level semicolons (not in strings, comments or quoted identifiers).
arrow::Result<std::vector<std::string>> SplitStatements(std::string_view script);

}  // namespace vecruntime::sql
