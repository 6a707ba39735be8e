// SPDX-License-Identifier: Apache-2.0
#include "vecruntime/expr/expr.h"

#include <arrow/array.h>
#include <arrow/scalar.h>
#include <arrow/type.h>

#include <algorithm>
#include <string_view>

#include "vecruntime/expr/cast/cast.h"
#include "vecruntime/expr/function_registry.h"
#include "vecruntime/expr/in_set.h"

namespace vecruntime::expr {

ExprPtr Expr::Literal(std::shared_ptr<arrow::Scalar> value) {
  auto expr = std::shared_ptr<Expr>(new Expr());
  expr->kind_ = ExprKind::kLiteral;
  expr->type_ = value->type;
  expr->value_ = std::move(value);
  return expr;
}

ExprPtr Expr::Column(int index, std::string name, std::shared_ptr<arrow::DataType> type, bool /*nullable*/) {
  auto expr = std::shared_ptr<Expr>(new Expr());
  expr->kind_ = ExprKind::kColumn;
  expr->type_ = std::move(type);
  expr->name_ = std::move(name);
  expr->column_ = index;
  return expr;
}

ExprPtr Expr::Call(std::string name, std::shared_ptr<arrow::DataType> type, std::vector<ExprPtr> arguments, Kernel kernel) {
  auto expr = std::shared_ptr<Expr>(new Expr());
  expr->kind_ = ExprKind::kCall;
  expr->type_ = std::move(type);
  expr->name_ = std::move(name);
  expr->children_ = std::move(arguments);
  expr->kernel_ = std::move(kernel);
  return expr;
}

ExprPtr Expr::Cast(ExprPtr child, std::shared_ptr<arrow::DataType> to, bool try_cast) {
  auto expr = std::shared_ptr<Expr>(new Expr());
  expr->kind_ = ExprKind::kCast;
  expr->kernel_ = MakeCastKernel(child->type(), to, try_cast);
  expr->type_ = std::move(to);
  expr->children_ = {std::move(child)};
  expr->try_cast_ = try_cast;
  return expr;
}

ExprPtr Expr::And(ExprPtr left, ExprPtr right) {
  auto expr = std::shared_ptr<Expr>(new Expr());
  expr->kind_ = ExprKind::kAnd;
  expr->type_ = arrow::boolean();
  expr->children_ = {std::move(left), std::move(right)};
  return expr;
}

ExprPtr Expr::Or(ExprPtr left, ExprPtr right) {
  auto expr = std::shared_ptr<Expr>(new Expr());
  expr->kind_ = ExprKind::kOr;
  expr->type_ = arrow::boolean();
  expr->children_ = {std::move(left), std::move(right)};
  return expr;
}

ExprPtr Expr::Case(std::vector<ExprPtr> branches, std::shared_ptr<arrow::DataType> type) {
  auto expr = std::shared_ptr<Expr>(new Expr());
  expr->kind_ = ExprKind::kCase;
  if (branches.size() % 2 == 0) branches.push_back(Literal(arrow::MakeNullScalar(type)));
  expr->type_ = std::move(type);
  expr->children_ = std::move(branches);
  return expr;
}

ExprPtr Expr::Coalesce(std::vector<ExprPtr> children) {
  auto expr = std::shared_ptr<Expr>(new Expr());
  expr->kind_ = ExprKind::kCoalesce;
  expr->type_ = children.front()->type();
  expr->children_ = std::move(children);
  return expr;
}

ExprPtr Expr::In(ExprPtr child, std::shared_ptr<arrow::Array> set) {
  auto expr = std::shared_ptr<Expr>(new Expr());
  expr->kind_ = ExprKind::kIn;
  expr->type_ = arrow::boolean();
  expr->kernel_ = MakeInKernel(set);
  expr->children_ = {std::move(child)};
  expr->set_ = std::move(set);
  return expr;
}

namespace {

std::string LiteralText(const arrow::Scalar& value) {
  if (!value.is_valid) return "NULL";
  const std::string text = ScalarText(value);
  switch (value.type->id()) {
    case arrow::Type::STRING: {
      std::string quoted = "'";
      for (char c : text) {
        if (c == '\'' || c == '\\') quoted += '\\';
        quoted += c;
      }
      return quoted + "'";
    }
    case arrow::Type::DATE32:
      return "DATE '" + text + "'";
    case arrow::Type::TIMESTAMP:
      return static_cast<const arrow::TimestampType&>(*value.type).timezone().empty() ? "TIMESTAMP_NTZ '" + text + "'"
                                                                                      : "TIMESTAMP '" + text + "'";
    default:
      return text;
  }
}

std::string Joined(const std::vector<ExprPtr>& children, std::string_view separator) {
  std::string text;
  for (const ExprPtr& child : children) {
    if (!text.empty()) text += separator;
    text += child->ToString();
  }
  return text;
}

std::string CallText(const std::string& name, const std::vector<ExprPtr>& arguments) {
  const bool is_word = std::all_of(name.begin(), name.end(), [](unsigned char c) { return std::isalnum(c) || c == '_'; });
  const bool is_infix = !is_word || name == "div" || name == "like" || name == "ilike" || name == "rlike";
  if (is_infix && arguments.size() == 2 && name != "[]" && name != ".") {
    return "(" + Joined(arguments, " " + name + " ") + ")";
  }
  if (name == "[]") return arguments[0]->ToString() + "[" + arguments[1]->ToString() + "]";
  if (name.starts_with("is ")) return "(" + arguments[0]->ToString() + " " + name + ")";
  if (name == "not") return "(NOT " + arguments[0]->ToString() + ")";
  if (name == "negative") return "(- " + arguments[0]->ToString() + ")";
  if (name.starts_with(".")) return arguments[0]->ToString() + name;
  return name + "(" + Joined(arguments, ", ") + ")";
}

std::string CaseText(const std::vector<ExprPtr>& branches) {
  std::string text = "CASE";
  for (size_t k = 0; k + 1 < branches.size(); k += 2) {
    text += " WHEN " + branches[k]->ToString() + " THEN " + branches[k + 1]->ToString();
  }
  return text + " ELSE " + branches.back()->ToString() + " END";
}

std::string SetText(const arrow::Array& set) {
  constexpr int64_t kShown = 20;
  std::string text = "(";
  for (int64_t k = 0; k < set.length() && k < kShown; ++k) {
    if (k > 0) text += ", ";
    const auto value = set.GetScalar(k);
    text += value.ok() ? LiteralText(**value) : "?";
  }
  return text + (set.length() > kShown ? ", ...)" : ")");
}

}  // namespace

std::string Expr::ToString() const {
  switch (kind_) {
    case ExprKind::kLiteral:
      return LiteralText(*value_);
    case ExprKind::kColumn:
      return name_;
    case ExprKind::kCall:
      return CallText(name_, children_);
    case ExprKind::kCast:
      return (try_cast_ ? "TRY_CAST(" : "CAST(") + children_[0]->ToString() + " AS " + TypeName(*type_) + ")";
    case ExprKind::kAnd:
      return "(" + Joined(children_, " AND ") + ")";
    case ExprKind::kOr:
      return "(" + Joined(children_, " OR ") + ")";
    case ExprKind::kCase:
      return CaseText(children_);
    case ExprKind::kCoalesce:
      return "coalesce(" + Joined(children_, ", ") + ")";
    case ExprKind::kIn:
      return "(" + children_[0]->ToString() + " IN " + SetText(*set_) + ")";
  }
  return "";
}

void CollectColumns(const Expr& expr, std::vector<int>* columns) {
  if (expr.kind() == ExprKind::kColumn) {
    const auto at = std::lower_bound(columns->begin(), columns->end(), expr.column());
    if (at == columns->end() || *at != expr.column()) columns->insert(at, expr.column());
  }
  for (const ExprPtr& child : expr.children()) CollectColumns(*child, columns);
}

bool NeverRaises(const Expr& expr) {
  constexpr std::string_view kTotal[] = {"=", "==", "<>", "!=", "<", "<=", ">", ">=", "<=>", "not", "!", "is null", "is not null", "isnull", "isnotnull"};
  if (expr.kind() == ExprKind::kCast) return false;
  if (expr.kind() == ExprKind::kCall && std::ranges::find(kTotal, expr.name()) == std::end(kTotal)) return false;
  return std::ranges::all_of(expr.children(), [](const ExprPtr& child) { return NeverRaises(*child); });
}

namespace {

// The same node over other children; kernels depend on the types of the children only, which do not change.
ExprPtr WithChildren(const ExprPtr& expr, std::vector<ExprPtr> children) {
  switch (expr->kind()) {
    case ExprKind::kCall:
      return Expr::Call(expr->name(), expr->type(), std::move(children), expr->kernel());
    case ExprKind::kCast:
      return Expr::Cast(std::move(children[0]), expr->type(), expr->try_cast());
    case ExprKind::kAnd:
      return Expr::And(std::move(children[0]), std::move(children[1]));
    case ExprKind::kOr:
      return Expr::Or(std::move(children[0]), std::move(children[1]));
    case ExprKind::kCase:
      return Expr::Case(std::move(children), expr->type());
    case ExprKind::kCoalesce:
      return Expr::Coalesce(std::move(children));
    case ExprKind::kIn:
      return Expr::In(std::move(children[0]), expr->set());
    default:
      return expr;
  }
}

}  // namespace

ExprPtr TransformChildren(const ExprPtr& expr, const std::function<ExprPtr(const ExprPtr&)>& transform) {
  bool changed = false;
  std::vector<ExprPtr> children;
  children.reserve(expr->children().size());
  for (const ExprPtr& child : expr->children()) {
    children.push_back(transform(child));
    changed |= children.back() != child;
  }
  return changed ? WithChildren(expr, std::move(children)) : expr;
}

ExprPtr ReplaceColumns(const ExprPtr& expr, const std::function<ExprPtr(int column)>& replacement) {
  if (expr->kind() == ExprKind::kColumn) return replacement(expr->column());
  return TransformChildren(expr, [&](const ExprPtr& child) { return ReplaceColumns(child, replacement); });
}

std::vector<ExprPtr> SplitConjunction(const ExprPtr& expr) {
  if (expr->kind() != ExprKind::kAnd) return {expr};
  std::vector<ExprPtr> conjuncts = SplitConjunction(expr->children()[0]);
  for (ExprPtr& conjunct : SplitConjunction(expr->children()[1])) conjuncts.push_back(std::move(conjunct));
  return conjuncts;
}

}  // namespace vecruntime::expr
