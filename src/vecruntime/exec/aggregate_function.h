// SPDX-License-Identifier: Apache-2.0
// Aggregate functions by name, with Spark's argument coercion and result types.
#pragma once

#include <arrow/type_fwd.h>

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "vecruntime/expr/expr.h"

namespace vecruntime::exec {

/// One aggregate of a GROUP BY: bound, typed. Arguments and filter are expressions over the aggregate operator's input.
struct AggregateCall {
  std::string function;                 // canonical lower-case name ("count", "sum", "stddev_samp", ...)
  bool distinct = false;
  std::vector<expr::ExprPtr> arguments;  // coerced; empty for count(*)
  expr::ExprPtr filter;                 // FILTER (WHERE ...), or null
  std::shared_ptr<arrow::DataType> type;  // result type
};

bool IsAggregateFunction(std::string_view name);

/// Binds aggregate `name`: count, sum, avg/mean, min, max, stddev/stddev_samp, stddev_pop, variance/var_samp, var_pop, min_by, max_by,
/// any_value, first, last, bool_and/every, bool_or/some/any, count_if, collect_list, collect_set, ... Errors as expr::BindCall.
arrow::Result<AggregateCall> BindAggregate(std::string_view name, bool distinct, std::vector<expr::ExprPtr> arguments,
                                           expr::ExprPtr filter);

}  // namespace vecruntime::exec
