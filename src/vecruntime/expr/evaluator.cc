// SPDX-License-Identifier: Apache-2.0
#include "vecruntime/expr/evaluator.h"

#include <arrow/array.h>
#include <arrow/array/util.h>
#include <arrow/datum.h>
#include <arrow/scalar.h>
#include <arrow/type.h>

#include <algorithm>
#include <iterator>
#include <optional>
#include <string_view>

#include "vecruntime/base/error.h"
#include "vecruntime/columnar/decode.h"
#include "vecruntime/columnar/dictionary.h"
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

// The dictionary-encoded column that is all `expr` reads, when running over its entries takes less than running over the rows; else null.
// A NULL row has no entry to stand for it.
const arrow::DictionaryArray* SoleEncodedColumn(const Expr& expr, const Columns& columns, const Selection& rows, size_t* index) {
  std::vector<int> read;
  CollectColumns(expr, &read);
  if (read.size() != 1 || static_cast<size_t>(read[0]) >= columns.size()) return nullptr;
  *index = static_cast<size_t>(read[0]);
  const arrow::DictionaryArray* encoded = columnar::AsEncoded(*columns[*index]);
  if (encoded == nullptr || encoded->indices()->null_count() > 0) return nullptr;
  return encoded->dictionary()->length() * 2 <= rows.CountLive() ? encoded : nullptr;
}

// nullopt when `expr` has to run over the rows; also when it raises for an entry, which no live row may have.
std::optional<arrow::Datum> EvaluateEntries(const Expr& expr, const Columns& columns, const Selection& rows, const EvalContext& context) {
  size_t index = 0;
  const arrow::DictionaryArray* encoded = SoleEncodedColumn(expr, columns, rows, &index);
  if (encoded == nullptr) return std::nullopt;
  Columns entries(columns.size());
  entries[index] = encoded->dictionary();
  auto values = Evaluate(expr, entries, Selection::All(encoded->dictionary()->length()), context);
  if (!values.ok()) return std::nullopt;
  if (values->is_scalar()) return *std::move(values);
  return arrow::Datum(columnar::WithDictionary(*encoded, values->make_array()));
}

}  // namespace

arrow::Result<arrow::Datum> EvaluateEncoded(const Expr& expr, const Columns& columns, const Selection& rows, const EvalContext& context) {
  if (expr.kind() == ExprKind::kLiteral) return arrow::Datum(expr.value());
  if (expr.kind() == ExprKind::kColumn) {
    const auto index = static_cast<size_t>(expr.column());
    if (index >= columns.size()) return base::Internal("Expression reads a column that the batch does not have: ", expr.name());
    return arrow::Datum(columns[index]);
  }
  if (auto values = EvaluateEntries(expr, columns, rows, context)) return *std::move(values);
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

arrow::Result<arrow::Datum> Evaluate(const Expr& expr, const Columns& columns, const Selection& rows, const EvalContext& context) {
  ARROW_ASSIGN_OR_RAISE(arrow::Datum values, EvaluateEncoded(expr, columns, rows, context));
  if (!values.is_array() || !columnar::IsEncoded(*values.type())) return values;
  ARROW_ASSIGN_OR_RAISE(auto decoded, columnar::Decode(values.make_array(), context.pool));
  return arrow::Datum(std::move(decoded));
}

arrow::Result<arrow::Datum> Evaluate(const Expr& expr, const columnar::Batch& batch, const EvalContext& context) {
  return Evaluate(expr, batch.columns, batch.selection, context);
}

arrow::Status Filter(const Expr& predicate, const Columns& columns, const EvalContext& context, Selection* rows) {
  if (rows->NoneLive()) return arrow::Status::OK();
  size_t sole_column = 0;
  if (predicate.kind() == ExprKind::kAnd && SoleEncodedColumn(predicate, columns, *rows, &sole_column) == nullptr) {
    ARROW_RETURN_NOT_OK(Filter(*predicate.children()[0], columns, context, rows));
    return Filter(*predicate.children()[1], columns, context, rows);
  }
  ARROW_ASSIGN_OR_RAISE(const arrow::Datum values, EvaluateEncoded(predicate, columns, *rows, context));
  if (IsScalarOf(values, true)) return arrow::Status::OK();
  if (values.is_array() && values.type()->id() == arrow::Type::DICTIONARY) {
    const auto array = values.make_array();
    const auto& encoded = static_cast<const arrow::DictionaryArray&>(*array);
    rows->And(columnar::EntrySet(static_cast<const arrow::BooleanArray&>(*encoded.dictionary())).Match(encoded));
    return arrow::Status::OK();
  }
  rows->And(ReadTruth(values, rows->length()).is_true);
  return arrow::Status::OK();
}

BatchFilter::BatchFilter(ExprPtr predicate) : predicate_(std::move(predicate)) {
  std::vector<int> read;
  CollectColumns(*predicate_, &read);
  if (read.size() == 1) sole_column_ = read[0];
}

arrow::Status BatchFilter::Narrow(const Columns& columns, const EvalContext& context, Selection* rows) {
  const arrow::DictionaryArray* encoded = nullptr;
  if (sole_column_ && static_cast<size_t>(*sole_column_) < columns.size()) {
    encoded = columnar::AsEncoded(*columns[static_cast<size_t>(*sole_column_)]);
  }
  if (encoded == nullptr) return Filter(*predicate_, columns, context, rows);
  ARROW_ASSIGN_OR_RAISE(const bool known, Learn(*encoded, *rows, context));
  if (!known) return Filter(*predicate_, columns, context, rows);
  const arrow::ArrayData& indices = *encoded->indices()->data();
  if (entries_.all() && (indices.GetNullCount() == 0 || null_passes_)) return arrow::Status::OK();
  Selection passed = entries_.Match(*encoded);
  if (null_passes_ && indices.GetNullCount() > 0) {
    Selection valid = Selection::All(rows->length());
    valid.AndBitmap(indices.buffers[0]->data(), indices.offset);
    Selection nulls = Selection::All(rows->length());
    nulls.AndNot(valid);
    passed.Or(nulls);
  }
  rows->And(passed);
  return arrow::Status::OK();
}

// Runs the predicate over the dictionary of `column`, and over NULL: once, and not before as many rows have come as it has entries, so that
// few rows over a large dictionary cost no more than they would alone.
arrow::Result<bool> BatchFilter::Learn(const arrow::DictionaryArray& column, const Selection& rows, const EvalContext& context) {
  if (dictionary_ != column.data()->dictionary) {
    dictionary_ = column.data()->dictionary;
    rows_seen_ = 0;
    known_ = tried_ = false;
  }
  if (tried_) return known_;
  rows_seen_ += rows.CountLive();
  if (rows_seen_ < column.dictionary()->length()) return false;
  tried_ = true;
  const auto passes = [&](std::shared_ptr<arrow::Array> values) -> arrow::Result<std::shared_ptr<arrow::Array>> {
    const int64_t length = values->length();
    Columns columns(static_cast<size_t>(*sole_column_) + 1);
    columns[static_cast<size_t>(*sole_column_)] = std::move(values);
    ARROW_ASSIGN_OR_RAISE(const arrow::Datum result, Evaluate(*predicate_, columns, Selection::All(length), context));
    if (result.is_array()) return result.make_array();
    return arrow::MakeArrayFromScalar(*result.scalar(), length, context.pool);
  };
  ARROW_ASSIGN_OR_RAISE(auto null, arrow::MakeArrayOfNull(column.dictionary()->type(), 1, context.pool));
  const auto of_entries = passes(column.dictionary());
  const auto of_null = passes(std::move(null));
  known_ = of_entries.ok() && of_null.ok();
  if (!known_) return false;
  entries_ = columnar::EntrySet(static_cast<const arrow::BooleanArray&>(**of_entries));
  null_passes_ = columnar::EntrySet(static_cast<const arrow::BooleanArray&>(**of_null)).all();
  return true;
}

namespace {

bool IsBooleanLiteral(const Expr& expr, bool value) {
  return expr.kind() == ExprKind::kLiteral && expr.type()->id() == arrow::Type::BOOL && IsScalarOf(arrow::Datum(expr.value()), value);
}

bool IsNullLiteral(const Expr& expr) { return expr.kind() == ExprKind::kLiteral && !expr.value()->is_valid; }

bool IsNullIntolerant(const Expr& expr) {
  constexpr std::string_view kOperators[] = {"+", "-", "*", "/", "%", "div", "pmod", "=", "<", "<=", ">", ">="};
  return expr.kind() == ExprKind::kCall && std::ranges::find(kOperators, expr.name()) != std::end(kOperators);
}

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
  // Spark's NullPropagation: beside a NULL the other operand is not looked at, though it may raise.
  if (IsNullIntolerant(*folded) && std::ranges::any_of(folded->children(), [](const ExprPtr& child) { return IsNullLiteral(*child); })) {
    return Expr::Literal(arrow::MakeNullScalar(folded->type()));
  }
  for (const ExprPtr& child : folded->children()) {
    if (child->kind() != ExprKind::kLiteral) return folded;
  }
  const auto value = Evaluate(*folded, {}, Selection::All(1), context);
  return value.ok() && value->is_scalar() ? Expr::Literal(value->scalar()) : folded;
}

}  // namespace vecruntime::expr
