// SPDX-License-Identifier: Apache-2.0
// Functions that take lambdas: transform, filter, exists, forall, aggregate, zip_with and those of maps. A call of one is an ordinary
// Expr::Call: its kernel holds the bound bodies, and the columns that a body reads from outside are arguments of the call, so whoever
// looks at the tree sees all columns that it reads.
#pragma once

#include <arrow/result.h>

#include <functional>
#include <memory>
#include <string_view>
#include <vector>

#include "vecruntime/expr/expr.h"

namespace vecruntime::expr {

/// A bound lambda over columns of its own: parameter k is column k, capture j is column (number of parameters) + j.
struct Lambda {
  ExprPtr body;
  std::vector<ExprPtr> captures;  // over the columns of the call
};

/// A lambda as written, whose body can be bound once the types of its parameters are known.
struct UnboundLambda {
  size_t parameters = 0;
  std::function<arrow::Result<Lambda>(const std::vector<std::shared_ptr<arrow::DataType>>& types)> bind;
};

bool IsHigherOrderFunction(std::string_view name);

/// Binds a call of a higher-order function: `arguments` come before the lambdas. Errors as BindCall; Unsupported naming the function where
/// it is one of Spark's that we do not have, InvalidArgument where it takes no lambda.
arrow::Result<ExprPtr> BindHigherOrderCall(std::string_view name, std::vector<ExprPtr> arguments, std::vector<UnboundLambda> lambdas,
                                           const EvalContext& context);

}  // namespace vecruntime::expr
