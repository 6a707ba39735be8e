// SPDX-License-Identifier: Apache-2.0
// Makers of the operators a plan is built from; each operator's class lives in its own .cc.
#pragma once

#include <arrow/type_fwd.h>

#include <memory>
#include <string>
#include <vector>

#include "vecruntime/exec/aggregate_function.h"
#include "vecruntime/exec/pipeline.h"

namespace vecruntime::exec {

/// Keeps the rows for which `predicate` (boolean over the input) is true.
std::unique_ptr<Transform> MakeFilter(std::shared_ptr<arrow::Schema> input, expr::ExprPtr predicate);

/// One output column per expression.
std::unique_ptr<Transform> MakeProject(std::vector<expr::ExprPtr> expressions, std::vector<std::string> names);

/// GROUP BY `keys` (none: one global group, also over no rows). Output: keys in order, then calls in order, named by `names`. Grouping
/// follows Spark: NULL is a group, NaN one group, -0.0 and 0.0 one group (shown as 0.0).
std::unique_ptr<Sink> MakeAggregate(std::vector<expr::ExprPtr> keys, std::vector<AggregateCall> calls, std::vector<std::string> names);

struct SortKey {
  expr::ExprPtr expression;
  bool descending = false;
  bool nulls_first = true;  // Spark: ASC defaults to NULLS FIRST, DESC to NULLS LAST
};

/// Full sort, or top-N when `limit` >= 0 (limit + offset rows kept). Output schema = input schema. NaN sorts greatest.
std::unique_ptr<Sink> MakeSort(std::shared_ptr<arrow::Schema> input, std::vector<SortKey> keys, int64_t limit, int64_t offset);

/// At most `limit` rows (-1: all) after skipping `offset`; any rows when the input is unordered, the first ones when it comes from a sort.
std::unique_ptr<Sink> MakeLimit(std::shared_ptr<arrow::Schema> input, int64_t limit, int64_t offset);

/// Batches held in memory (metadata tables, VALUES, SELECT without FROM).
std::unique_ptr<Source> MakeBatchSource(std::shared_ptr<arrow::Schema> schema, std::vector<columnar::Batch> batches, std::string description);

}  // namespace vecruntime::exec
