// SPDX-License-Identifier: Apache-2.0
// Runs bound expressions over batches.
#pragma once

#include <arrow/type_fwd.h>

#include "vecruntime/expr/expr.h"

namespace vecruntime::expr {

/// Values of `expr` for all rows of `batch` (a scalar when it is constant). Only live rows may raise an ANSI error (InvalidArgument
/// whose message starts with Spark's error class, e.g. "[DIVIDE_BY_ZERO] ..."); values at dead rows are unspecified.
arrow::Result<arrow::Datum> Evaluate(const Expr& expr, const columnar::Batch& batch, const EvalContext& context);

/// As Evaluate, for the rows alive in `rows` instead of the batch's own selection.
arrow::Result<arrow::Datum> Evaluate(const Expr& expr, const std::vector<std::shared_ptr<arrow::Array>>& columns,
                                     const columnar::Selection& rows, const EvalContext& context);

/// Kills the live rows of `rows` where the boolean `predicate` is false or NULL.
arrow::Status Filter(const Expr& predicate, const std::vector<std::shared_ptr<arrow::Array>>& columns, const EvalContext& context,
                     columnar::Selection* rows);

/// Folds constant sub-expressions; one that raises is left as it is, to raise only if a row reaches it.
ExprPtr FoldConstants(const ExprPtr& expr, const EvalContext& context);

}  // namespace vecruntime::expr
