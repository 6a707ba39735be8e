// SPDX-License-Identifier: Apache-2.0
#include "vecruntime/expr/evaluator.h"

#include <arrow/array.h>
#include <arrow/datum.h>
#include <arrow/scalar.h>
#include <arrow/type.h>

#include "vecruntime/base/error.h"
#include "vecruntime/expr/branch_merger.h"
#include "vecruntime/expr/row_kernel.h"

namespace vecruntime::expr {
namespace {

using columnar::Selection;
using Columns = std::vector<std::shared_ptr<arrow::Array>>;

// The rows where a boolean column is true, and where it is false; NULL in neither.
struct Truth {
  Selection is_true;
  Selection is_false;
};

Truth ReadTruth(const arrow::Datum& values, int64_t num_rows) {
  Truth truth{Selection::None(num_rows), Selection::None(num_rows)};
  if (values.is_scalar()) {
    if (!values.scalar()->is_valid) return truth;
    const bool value = static_cast<const arrow::BooleanScalar&>(*values.scalar()).value;
    (value ? truth.is_true : truth.is_false) = Selection::All(num_rows);
    return truth;
  }
  const arrow::ArrayData& data = *values.array();
  Selection valid = Selection::All(num_rows);
  if (data.GetNullCount() > 0) valid.AndBitmap(data.buffers[0]->data(), data.offset);
  truth.is_true = valid;
  if (num_rows > 0) truth.is_true.AndBitmap(data.buffers[1]->data(), data.offset);
  truth.is_false = std::move(valid);
  truth.is_false.AndNot(truth.is_true);
  return truth;
}

arrow::Result<arrow::Datum> WriteTruth(const Truth& truth, const EvalContext& context) {
  Selection valid = truth.is_true;
  valid.Or(truth.is_false);
  return BooleanResult(valid, truth.is_true, context.pool);
}

bool IsScalarOf(const arrow::Datum& values, bool value) {
  return values.is_scalar() && values.scalar()->is_valid &&
         static_cast<const arrow::BooleanScalar&>(*values.scalar()).value == value;
}

// AND and OR are one function: `decides` is the operand value that settles the result (false for AND, true for OR).
arrow::Result<arrow::Datum> EvaluateLogic(const Expr& expr, bool decides, const Columns& columns, const Selection& rows,
                                          const EvalContext& context) {
  ARROW_ASSIGN_OR_RAISE(const arrow::Datum left, Evaluate(*expr.children()[0], columns, rows, context));
  if (IsScalarOf(left, decides)) return left;
  Truth truth = ReadTruth(left, rows.length());
  Selection open = rows;
  open.AndNot(decides ? truth.is_true : truth.is_false);
  ARROW_ASSIGN_OR_RAISE(const arrow::Datum right, Evaluate(*expr.children()[1], columns, open, context));
  if (IsScalarOf(left, !decides)) return right;
  const Truth other = ReadTruth(right, rows.length());
  if (decides) {
    truth.is_true.Or(other.is_true);
    truth.is_false.And(other.is_false);
  } else {
    truth.is_true.And(other.is_true);
    truth.is_false.Or(other.is_false);
  }
  return WriteTruth(truth, context);
}

arrow::Result<arrow::Datum> EvaluateCase(const Expr& expr, const Columns& columns, const Selection& rows,
                                         const EvalContext& context) {
  BranchMerger merger(expr.type(), rows.length(), context.pool);
  Selection open = rows;
  const auto& branches = expr.children();
  for (size_t k = 0; k + 1 < branches.size() && !open.NoneLive(); k += 2) {
    ARROW_ASSIGN_OR_RAISE(const arrow::Datum condition, Evaluate(*branches[k], columns, open, context));
    Selection hit = ReadTruth(condition, rows.length()).is_true;
    hit.And(open);
    if (hit.NoneLive()) continue;
    open.AndNot(hit);
    ARROW_ASSIGN_OR_RAISE(arrow::Datum values, Evaluate(*branches[k + 1], columns, hit, context));
    merger.Add(std::move(values), std::move(hit));
  }
  if (!open.NoneLive()) {
    ARROW_ASSIGN_OR_RAISE(arrow::Datum values, Evaluate(*branches.back(), columns, open, context));
    merger.Add(std::move(values), std::move(open));
  }
  return merger.Finish();
}

arrow::Result<arrow::Datum> EvaluateCoalesce(const Expr& expr, const Columns& columns, const Selection& rows,
                                             const EvalContext& context) {
  BranchMerger merger(expr.type(), rows.length(), context.pool);
  Selection open = rows;
  for (const ExprPtr& child : expr.children()) {
    if (open.NoneLive()) break;
    ARROW_ASSIGN_OR_RAISE(arrow::Datum values, Evaluate(*child, columns, open, context));
    Selection hit = open;
    if (values.null_count() > 0) {
      if (values.is_scalar()) continue;
      hit.AndBitmap(values.array()->buffers[0]->data(), values.array()->offset);
    }
    open.AndNot(hit);
    merger.Add(std::move(values), std::move(hit));
  }
  return merger.Finish();
}

arrow::Result<arrow::Datum> RunKernel(const Expr& expr, const Columns& columns, const Selection& rows, const EvalContext& context) {
  std::vector<arrow::Datum> arguments;
  arguments.reserve(expr.children().size());
  bool constant = true;
  for (const ExprPtr& child : expr.children()) {
    ARROW_ASSIGN_OR_RAISE(arrow::Datum values, Evaluate(*child, columns, rows, context));
    constant &= values.is_scalar();
    arguments.push_back(std::move(values));
  }
  if (!constant) return expr.kernel()(arguments, rows, context);
  ARROW_ASSIGN_OR_RAISE(const arrow::Datum one, expr.kernel()(arguments, Selection::All(1), context));
  if (one.is_scalar()) return one;
  ARROW_ASSIGN_OR_RAISE(const auto value, one.make_array()->GetScalar(0));
  return arrow::Datum(value);
}

}  // namespace

arrow::Result<arrow::Datum> Evaluate(const Expr& expr, const Columns& columns, const Selection& rows, const EvalContext& context) {
  if (expr.kind() == ExprKind::kLiteral) return arrow::Datum(expr.value());
  if (expr.kind() == ExprKind::kColumn) {
    const auto index = static_cast<size_t>(expr.column());
    if (index >= columns.size()) return base::Internal("Expression reads a column that the batch does not have: ", expr.name());
    return arrow::Datum(columns[index]);
  }
  if (rows.NoneLive()) return arrow::Datum(arrow::MakeNullScalar(expr.type()));
  switch (expr.kind()) {
    case ExprKind::kAnd:
      return EvaluateLogic(expr, false, columns, rows, context);
    case ExprKind::kOr:
      return EvaluateLogic(expr, true, columns, rows, context);
    case ExprKind::kCase:
      return EvaluateCase(expr, columns, rows, context);
    case ExprKind::kCoalesce:
      return EvaluateCoalesce(expr, columns, rows, context);
    default:
      return RunKernel(expr, columns, rows, context);
  }
}

arrow::Result<arrow::Datum> Evaluate(const Expr& expr, const columnar::Batch& batch, const EvalContext& context) {
  return Evaluate(expr, batch.columns, batch.selection, context);
}

arrow::Status Filter(const Expr& predicate, const Columns& columns, const EvalContext& context, Selection* rows) {
  if (predicate.kind() == ExprKind::kAnd) {
    ARROW_RETURN_NOT_OK(Filter(*predicate.children()[0], columns, context, rows));
    return Filter(*predicate.children()[1], columns, context, rows);
  }
  if (rows->NoneLive()) return arrow::Status::OK();
  ARROW_ASSIGN_OR_RAISE(const arrow::Datum values, Evaluate(predicate, columns, *rows, context));
  if (IsScalarOf(values, true)) return arrow::Status::OK();
  rows->And(ReadTruth(values, rows->length()).is_true);
  return arrow::Status::OK();
}

namespace {

bool IsBooleanLiteral(const Expr& expr, bool value) {
  return expr.kind() == ExprKind::kLiteral && expr.type()->id() == arrow::Type::BOOL && IsScalarOf(arrow::Datum(expr.value()), value);
}

bool IsNullLiteral(const Expr& expr) { return expr.kind() == ExprKind::kLiteral && !expr.value()->is_valid; }

// AND and OR with one constant operand.
ExprPtr SimplifyLogic(const ExprPtr& expr, bool decides) {
  const ExprPtr& left = expr->children()[0];
  const ExprPtr& right = expr->children()[1];
  if (IsBooleanLiteral(*left, decides) || IsBooleanLiteral(*right, !decides)) return left;
  if (IsBooleanLiteral(*right, decides) || IsBooleanLiteral(*left, !decides)) return right;
  return expr;
}

// Drops branches that cannot be reached.
ExprPtr SimplifyCase(const ExprPtr& expr) {
  const auto& old = expr->children();
  std::vector<ExprPtr> branches;
  for (size_t k = 0; k + 1 < old.size(); k += 2) {
    if (IsBooleanLiteral(*old[k], false) || IsNullLiteral(*old[k])) continue;
    if (IsBooleanLiteral(*old[k], true)) {
      if (branches.empty()) return old[k + 1];
      branches.push_back(old[k + 1]);
      return Expr::Case(std::move(branches), expr->type());
    }
    branches.push_back(old[k]);
    branches.push_back(old[k + 1]);
  }
  if (branches.empty()) return old.back();
  if (branches.size() + 1 == old.size()) return expr;
  branches.push_back(old.back());
  return Expr::Case(std::move(branches), expr->type());
}

ExprPtr SimplifyCoalesce(const ExprPtr& expr) {
  std::vector<ExprPtr> children;
  for (const ExprPtr& child : expr->children()) {
    if (IsNullLiteral(*child)) continue;
    children.push_back(child);
    if (child->kind() == ExprKind::kLiteral) break;
  }
  if (children.empty()) return expr->children().front();
  if (children.size() == 1) return children.front();
  return children.size() == expr->children().size() ? expr : Expr::Coalesce(std::move(children));
}

}  // namespace

ExprPtr FoldConstants(const ExprPtr& expr, const EvalContext& context) {
  if (expr->kind() == ExprKind::kLiteral || expr->kind() == ExprKind::kColumn) return expr;
  const ExprPtr folded = TransformChildren(expr, [&](const ExprPtr& child) { return FoldConstants(child, context); });
  switch (folded->kind()) {
    case ExprKind::kAnd:
      return SimplifyLogic(folded, false);
    case ExprKind::kOr:
      return SimplifyLogic(folded, true);
    case ExprKind::kCase:
      return SimplifyCase(folded);
    case ExprKind::kCoalesce:
      return SimplifyCoalesce(folded);
    default:
      break;
  }
  for (const ExprPtr& child : folded->children()) {
    if (child->kind() != ExprKind::kLiteral) return folded;
  }
  const auto value = Evaluate(*folded, {}, Selection::All(1), context);
  return value.ok() && value->is_scalar() ? Expr::Literal(value->scalar()) : folded;
}

}  // namespace vecruntime::expr
