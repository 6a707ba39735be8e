// SPDX-License-Identifier: Apache-2.0
// Runs bound expressions over batches.
#pragma once

#include <arrow/type_fwd.h>

#include <optional>

#include "vecruntime/columnar/dictionary.h"
#include "vecruntime/expr/expr.h"

namespace vecruntime::expr {

/// Values of `expr` for all rows of `batch` (a scalar when it is constant), never encoded. Only live rows may raise an ANSI error (InvalidArgument
/// whose message starts with Spark's error class, e.g. "[DIVIDE_BY_ZERO] ..."); values at dead rows are unspecified.
arrow::Result<arrow::Datum> Evaluate(const Expr& expr, const columnar::Batch& batch, const EvalContext& context);

/// As Evaluate, for the rows alive in `rows` instead of the batch's own selection.
arrow::Result<arrow::Datum> Evaluate(const Expr& expr, const std::vector<std::shared_ptr<arrow::Array>>& columns,
                                     const columnar::Selection& rows, const EvalContext& context);

/// As Evaluate, but the result may be encoded (columnar/decode.h): an expression over one column in codes runs once per dictionary entry.
arrow::Result<arrow::Datum> EvaluateEncoded(const Expr& expr, const std::vector<std::shared_ptr<arrow::Array>>& columns,
                                            const columnar::Selection& rows, const EvalContext& context);

/// Kills the live rows of `rows` where the boolean `predicate` is false or NULL.
arrow::Status Filter(const Expr& predicate, const std::vector<std::shared_ptr<arrow::Array>>& columns, const EvalContext& context,
                     columnar::Selection* rows);

/// Filter for one predicate over batch after batch: what it makes of a dictionary is remembered while batches share that. One thread.
class BatchFilter {
 public:
  explicit BatchFilter(ExprPtr predicate);

  const ExprPtr& predicate() const { return predicate_; }
  /// As Filter.
  arrow::Status Narrow(const std::vector<std::shared_ptr<arrow::Array>>& columns, const EvalContext& context, columnar::Selection* rows);

 private:
  arrow::Result<bool> Learn(const arrow::DictionaryArray& column, const columnar::Selection& rows, const EvalContext& context);

  const ExprPtr predicate_;
  std::optional<int> sole_column_;  // the one column it reads
  std::shared_ptr<arrow::ArrayData> dictionary_;
  int64_t rows_seen_ = 0;  // of columns over dictionary_
  bool tried_ = false;
  bool known_ = false;  // whether entries_ and null_passes_ say all about dictionary_; if not, some entry raises an error
  columnar::EntrySet entries_;
  bool null_passes_ = false;
};

/// Folds constant sub-expressions; one that raises is left as it is, to raise only if a row reaches it.
ExprPtr FoldConstants(const ExprPtr& expr, const EvalContext& context);

}  // namespace vecruntime::expr
