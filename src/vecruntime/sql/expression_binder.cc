// SPDX-License-Identifier: Apache-2.0
#include "vecruntime/sql/expression_binder.h"

#include <arrow/array.h>
#include <arrow/array/builder_base.h>
#include <arrow/builder.h>
#include <arrow/datum.h>
#include <arrow/scalar.h>
#include <arrow/type.h>
#include <arrow/type_traits.h>

#include <algorithm>
#include <array>

#include "vecruntime/base/error.h"
#include "vecruntime/expr/evaluator.h"
#include "vecruntime/expr/function_registry.h"
#include "vecruntime/sql/connectives.h"
#include "vecruntime/sql/display_name.h"
#include "vecruntime/sql/lexer.h"

namespace vecruntime::sql {
namespace {

// What an alias of an alias of ... may unfold to.
constexpr int64_t kMaxExpressionSize = 100000;

// What a dotted name means where it stands.
struct NameTarget {
  const OutputAlias* alias = nullptr;
  std::optional<ResolvedName> input;
  std::vector<std::string> fields;  // after the alias
};

std::string Quote(std::string_view text) { return std::to_string(text.size()) + ":" + std::string(text); }

std::string InputText(const ResolvedName& resolved, size_t fields) {
  std::string text = "#" + std::to_string(resolved.column);
  for (size_t i = 0; i < fields; ++i) text = "(." + text + " " + Quote(ToLower(resolved.fields[i])) + ")";
  return text;
}

// The key that is `resolved` or a struct around it: the number of its fields in *fields; -1 when there is none.
int FindKey(const Grouping& grouping, const ResolvedName& resolved, size_t* fields) {
  for (size_t taken = resolved.fields.size() + 1; taken-- > 0;) {
    const auto found = std::ranges::find(grouping.key_texts, InputText(resolved, taken));
    if (found == grouping.key_texts.end()) continue;
    *fields = taken;
    return static_cast<int>(found - grouping.key_texts.begin());
  }
  return -1;
}

std::vector<const OutputAlias*> MatchingAliases(const Context& context, const std::string& name) {
  std::vector<const OutputAlias*> matches;
  if (context.aliases == nullptr) return matches;
  for (const OutputAlias& alias : *context.aliases) {
    if (!EqualsIgnoreCase(alias.name, name)) continue;
    // Output columns that are the same expression are no ambiguity; lateral aliases always are.
    const bool known = std::ranges::any_of(matches, [&](const OutputAlias* other) { return other->key == alias.key; });
    if (!known || context.clause == Clause::kSelect) matches.push_back(&alias);
  }
  return matches;
}

// ORDER BY looks among the output columns first; where several have the name, Spark falls back to the input.
arrow::Result<NameTarget> ResolveInOrderBy(const std::vector<std::string>& parts, const Context& context) {
  NameTarget target;
  if (parts.size() > 1) {
    ARROW_ASSIGN_OR_RAISE(target.input, context.input->FindQualified(parts));
    if (target.input) return target;
  }
  const auto aliases = MatchingAliases(context, parts[0]);
  if (aliases.size() == 1) {
    target.alias = aliases[0];
    target.fields.assign(parts.begin() + 1, parts.end());
    return target;
  }
  ARROW_ASSIGN_OR_RAISE(target.input, context.input->Find(parts));
  if (!target.input && aliases.size() > 1) {
    return base::InvalidArgument("[AMBIGUOUS_REFERENCE] Reference ", QuotedName(parts), " is ambiguous: several output columns have this name.");
  }
  return target;
}

arrow::Result<NameTarget> Resolve(const std::vector<std::string>& parts, const Context& context) {
  if (context.clause == Clause::kOrderBy) return ResolveInOrderBy(parts, context);
  NameTarget target;
  ARROW_ASSIGN_OR_RAISE(target.input, context.input->Find(parts));
  size_t fields = 0;
  const bool grouped_having = context.clause == Clause::kHaving && context.grouping != nullptr;
  const bool usable = target.input && !(grouped_having && FindKey(*context.grouping, *target.input, &fields) < 0);
  if (context.clause == Clause::kAggregateArgument) {
    // Inside an aggregate of ORDER BY, Spark cannot tell an input column from an output column of that name.
    const auto aliases = MatchingAliases(context, parts[0]);
    const bool other = std::ranges::any_of(aliases, [&](const OutputAlias* alias) { return !target.input || alias->key != InputText(*target.input, 0); });
    if (other && target.input) {
      return base::InvalidArgument("[AMBIGUOUS_REFERENCE] Reference ", QuotedName(parts), " in an aggregate function of ORDER BY may mean an output column or an input column.");
    }
    return target;
  }
  if (usable) return target;
  const auto aliases = MatchingAliases(context, parts[0]);
  if (aliases.size() > 1) {
    return base::InvalidArgument("[AMBIGUOUS_LATERAL_COLUMN_ALIAS] Lateral column alias `", parts[0], "` is ambiguous and has ", aliases.size(), " matches.");
  }
  if (aliases.size() == 1) {
    target.input.reset();
    target.alias = aliases[0];
    target.fields.assign(parts.begin() + 1, parts.end());
  }
  return target;
}

// The lambda parameter that a name begins with: the innermost of that name.
const LambdaScope* FindParameter(const std::vector<std::string>& parts, const Context& context, size_t* parameter) {
  for (const LambdaScope* scope = context.lambda; scope != nullptr; scope = scope->outer) {
    for (*parameter = 0; *parameter < scope->names->size(); ++*parameter) {
      if (EqualsIgnoreCase((*scope->names)[*parameter], parts[0])) return scope;
    }
  }
  return nullptr;
}

// The distinct columns that an expression reads, in the order they are met.
void CollectColumnExpressions(const expr::ExprPtr& expression, std::vector<expr::ExprPtr>* columns) {
  if (expression->kind() == expr::ExprKind::kColumn) {
    const bool known = std::ranges::any_of(*columns, [&](const expr::ExprPtr& other) { return other->column() == expression->column(); });
    if (!known) columns->push_back(expression);
  }
  for (const auto& child : expression->children()) CollectColumnExpressions(child, columns);
}

std::vector<expr::ExprPtr> Expressions(const std::vector<Bound>& bounds) {
  std::vector<expr::ExprPtr> expressions;
  for (const Bound& bound : bounds) expressions.push_back(bound.expression);
  return expressions;
}

std::vector<std::string> Names(const std::vector<Bound>& bounds) {
  std::vector<std::string> names;
  for (const Bound& bound : bounds) names.push_back(bound.name);
  return names;
}

std::vector<std::shared_ptr<arrow::DataType>> Types(const std::vector<Bound>& bounds) {
  std::vector<std::shared_ptr<arrow::DataType>> types;
  for (const Bound& bound : bounds) types.push_back(bound.expression->type());
  return types;
}

int64_t TotalSize(const std::vector<Bound>& bounds) {
  int64_t size = 1;
  for (const Bound& bound : bounds) size += bound.size;
  return size;
}

std::string_view ClauseName(Clause clause) {
  switch (clause) {
    case Clause::kSelect: return "SELECT";
    case Clause::kWhere: return "WHERE";
    case Clause::kGroupBy: return "GROUP BY";
    case Clause::kHaving: return "HAVING";
    case Clause::kOrderBy: return "ORDER BY";
    case Clause::kLimit: return "LIMIT";
    case Clause::kAggregateArgument: return "an aggregate function";
    case Clause::kValues: return "VALUES";
  }
  return "";
}

bool IsCount(const Node& node) { return EqualsIgnoreCase(node.name, "count"); }

// count(1) and count(*) count the same rows.
bool CountsRows(const Node& node) {
  if (!IsCount(node) || node.distinct) return false;
  if (node.star_argument) return true;
  return node.children.size() == 1 && node.children[0]->kind == NodeKind::kLiteral && node.children[0]->value->is_valid;
}

}  // namespace

bool ContainsAggregate(const Node& node) {
  if (node.kind == NodeKind::kCall && exec::IsAggregateFunction(node.name)) return true;
  return std::ranges::any_of(node.children, [](const NodePtr& child) { return ContainsAggregate(*child); });
}

arrow::Status ExpressionBinder::At(const arrow::Status& status, size_t position) const {
  if (status.ok() || status.message().find("\n") != std::string::npos) return status;
  return base::MakeError(KindOf(status), status.message(), " ", PointAt(sql_, position));
}

arrow::Result<expr::ExprPtr> ExpressionBinder::Function(std::string_view name, std::vector<expr::ExprPtr> arguments, size_t position) const {
  auto bound = expr::BindCall(name, std::move(arguments), eval_);
  if (!bound.ok()) return At(bound.status(), position);
  return bound;
}

arrow::Result<expr::ExprPtr> ExpressionBinder::ToBoolean(const Bound& bound, size_t position, std::string_view what) const {
  const arrow::DataType& type = *bound.expression->type();
  if (type.id() == arrow::Type::BOOL) return bound.expression;
  return At(base::InvalidArgument("[DATATYPE_MISMATCH.FILTER_NOT_BOOLEAN] Cannot resolve \"", bound.name, "\" due to data type mismatch: ", what, " of type \"",
                                  ToUpper(expr::TypeName(type)), "\" is not a boolean."),
            position);
}

arrow::Result<expr::ExprPtr> ExpressionBinder::BindPredicate(const Node& node, const Context& context, std::string_view what) {
  ARROW_ASSIGN_OR_RAISE(const Bound bound, Bind(node, context));
  return ToBoolean(bound, node.begin, what);
}

arrow::Result<std::shared_ptr<arrow::Scalar>> ExpressionBinder::Evaluate(const expr::ExprPtr& expression) const {
  const std::vector<std::shared_ptr<arrow::Array>> no_columns;
  ARROW_ASSIGN_OR_RAISE(const arrow::Datum value, expr::Evaluate(*expression, no_columns, columnar::Selection::All(1), eval_));
  if (value.is_scalar()) return value.scalar();
  return value.make_array()->GetScalar(0);
}

arrow::Result<std::vector<Bound>> ExpressionBinder::BindAll(const std::vector<NodePtr>& nodes, const Context& context) {
  std::vector<Bound> bounds;
  bounds.reserve(nodes.size());
  for (const NodePtr& node : nodes) {
    ARROW_ASSIGN_OR_RAISE(Bound bound, Bind(*node, context));
    bounds.push_back(std::move(bound));
  }
  return bounds;
}

arrow::Result<Bound> ExpressionBinder::Bind(const Node& node, const Context& context) {
  if (context.grouping == nullptr || node.kind == NodeKind::kColumn || node.kind == NodeKind::kLiteral) return BindUngrouped(node, context);
  const auto& texts = context.grouping->key_texts;
  const auto found = std::ranges::find(texts, CanonicalText(node, context));
  if (found == texts.end()) return BindUngrouped(node, context);
  const auto index = static_cast<size_t>(found - texts.begin());
  Context plain = context;
  plain.grouping = nullptr;
  const auto named = BindUngrouped(node, plain);  // for Spark's name of what was written, not of the key
  Bound bound;
  bound.name = named.ok() ? named->name : context.grouping->key_names[index];
  bound.expression = expr::Expr::Column(static_cast<int>(index), context.grouping->key_names[index], context.grouping->keys[index]->type(), true);
  return bound;
}

arrow::Result<Bound> ExpressionBinder::BindUngrouped(const Node& node, const Context& context) {
  switch (node.kind) {
    case NodeKind::kLiteral:
      return BindLiteral(node);
    case NodeKind::kTypedLiteral:
      return BindTypedLiteral(node);
    case NodeKind::kColumn:
      return BindColumn(node, context);
    case NodeKind::kStar:
      return At(base::InvalidArgument("[INVALID_USAGE_OF_STAR_OR_REGEX] Invalid usage of '*' in ", ClauseName(context.clause), "."), node.begin);
    case NodeKind::kField: {
      ARROW_ASSIGN_OR_RAISE(Bound child, Bind(*node.children[0], context));
      return BindFields(std::move(child), {node.name}, node.begin);
    }
    case NodeKind::kElement: {
      ARROW_ASSIGN_OR_RAISE(const auto operands, BindAll(node.children, context));
      ARROW_ASSIGN_OR_RAISE(auto element, Function("[]", Expressions(operands), node.begin));
      return Bound{std::move(element), operands[0].name + "[" + operands[1].name + "]", TotalSize(operands)};
    }
    case NodeKind::kOperator:
      return BindOperator(node, context);
    case NodeKind::kCall:
      return BindCall(node, context);
    case NodeKind::kCast:
      return BindCast(node, context);
    case NodeKind::kCase:
      return BindCase(node, context);
    case NodeKind::kExtract: {
      ARROW_ASSIGN_OR_RAISE(const Bound source, Bind(*node.children[0], context));
      auto field = expr::Expr::Literal(std::make_shared<arrow::StringScalar>(node.name));
      ARROW_ASSIGN_OR_RAISE(auto call, Function("date_part", {std::move(field), source.expression}, node.begin));
      return Bound{std::move(call), "extract(" + node.name + " FROM " + source.name + ")", source.size + 1};
    }
    case NodeKind::kTrim:
      return BindTrim(node, context);
    case NodeKind::kLambda:
      return At(base::InvalidArgument("[INVALID_LAMBDA_FUNCTION_CALL.NON_HIGHER_ORDER_FUNCTION] A lambda can only be an argument of a function that takes one."), node.begin);
  }
  return base::Internal("unknown node kind");
}

arrow::Result<Bound> ExpressionBinder::BindLiteral(const Node& node) { return Bound{expr::Expr::Literal(node.value), node.text}; }

// DATE'today', TIMESTAMP'now', ...; null for any other text.
arrow::Result<expr::ExprPtr> ExpressionBinder::SpecialTime(std::string_view text, const std::shared_ptr<arrow::DataType>& type) const {
  constexpr std::array<std::string_view, 5> kWords = {"epoch", "now", "yesterday", "today", "tomorrow"};
  const size_t first = text.find_first_not_of(' ');
  if (first == std::string_view::npos) return nullptr;
  const std::string word = ToLower(text.substr(first, text.find_last_not_of(' ') - first + 1));
  const auto found = std::ranges::find(kWords, word) - kWords.begin();
  if (found == static_cast<std::ptrdiff_t>(kWords.size())) return nullptr;
  const bool local = type->id() == arrow::Type::TIMESTAMP && static_cast<const arrow::TimestampType&>(*type).timezone().empty();
  if (word == "now" && type->id() == arrow::Type::TIMESTAMP) return expr::BindCall(local ? "localtimestamp" : "now", {}, eval_);
  ARROW_ASSIGN_OR_RAISE(auto day, expr::BindCall("current_date", {}, eval_));
  if (word == "yesterday" || word == "tomorrow") {
    ARROW_ASSIGN_OR_RAISE(day, expr::BindCall("date_add", {day, expr::Expr::Literal(std::make_shared<arrow::Int32Scalar>(word == "tomorrow" ? 1 : -1))}, eval_));
  } else if (word == "epoch") {
    if (type->id() == arrow::Type::TIMESTAMP) return expr::Expr::Literal(std::make_shared<arrow::TimestampScalar>(0, type));
    day = expr::Expr::Literal(std::make_shared<arrow::Date32Scalar>(0));
  }
  return expr::BindCast(day, type, false);
}

arrow::Result<Bound> ExpressionBinder::BindTypedLiteral(const Node& node) {
  const auto invalid = [&] {
    return At(base::InvalidArgument("[INVALID_TYPED_LITERAL] The value of the typed literal \"", ToUpper(node.name), "\" is invalid: '", node.text, "'."), node.begin);
  };
  ARROW_ASSIGN_OR_RAISE(const auto type, expr::ParseTypeName(node.name));
  ARROW_ASSIGN_OR_RAISE(auto cast, SpecialTime(node.text, type));
  if (cast == nullptr) {
    ARROW_ASSIGN_OR_RAISE(cast, expr::BindCast(expr::Expr::Literal(std::make_shared<arrow::StringScalar>(node.text)), type, false));
  }
  const auto value = Evaluate(cast);
  if (!value.ok() || !(*value)->is_valid) return invalid();
  auto literal = expr::Expr::Literal(*value);
  ARROW_ASSIGN_OR_RAISE(const auto text_cast, expr::BindCast(literal, arrow::utf8(), false));
  ARROW_ASSIGN_OR_RAISE(const auto text, Evaluate(text_cast));
  return Bound{std::move(literal), ToUpper(node.name) + " '" + static_cast<const arrow::StringScalar&>(*text).value->ToString() + "'"};
}

// Stars.

arrow::Result<std::vector<NodePtr>> ExpressionBinder::ExpandStar(const Node& star, const Scope& scope) {
  std::vector<int> columns = scope.Expand(star.parts);
  if (columns.empty() && !star.parts.empty()) return ExpandStruct(star, scope);
  if (columns.empty() && scope.columns().empty()) {
    return At(base::InvalidArgument("[INVALID_USAGE_OF_STAR_OR_REGEX] '*' needs a FROM clause."), star.begin);
  }
  for (const auto& parts : star.except) {
    const auto found = scope.Find(parts);
    if (!found.ok()) return At(found.status(), star.begin);
    if (!*found) return At(scope.Unresolved(parts), star.begin);
    if (!(*found)->fields.empty()) return At(base::Unsupported("Not supported: EXCEPT of a struct's field ", QuotedName(parts), "."), star.begin);
    std::erase(columns, (*found)->column);
  }
  std::vector<NodePtr> nodes;
  for (const int column : columns) {
    auto node = std::make_shared<Node>();
    node->kind = NodeKind::kColumn;
    node->begin = star.begin;
    node->end = star.end;
    node->parts = {scope.columns()[static_cast<size_t>(column)].name};
    node->input_column = column;
    nodes.push_back(std::move(node));
  }
  return nodes;
}

// s.* where s is a struct column.
arrow::Result<std::vector<NodePtr>> ExpressionBinder::ExpandStruct(const Node& star, const Scope& scope) {
  const auto found = scope.Find(star.parts);
  if (!found.ok()) return At(found.status(), star.begin);
  if (!*found) {
    return At(base::InvalidArgument("[CANNOT_RESOLVE_STAR_EXPAND] Cannot resolve ", QuotedName(star.parts), ".*: no table or struct of that name is in FROM."),
              star.begin);
  }
  Node column = star;
  column.kind = NodeKind::kColumn;
  ARROW_ASSIGN_OR_RAISE(const Bound bound, Bind(column, {Clause::kSelect, &scope}));
  if (bound.expression->type()->id() != arrow::Type::STRUCT) {
    return At(base::InvalidArgument("Can only star expand struct data types; ", QuotedName(star.parts), " is none."), star.begin);
  }
  if (!star.except.empty()) return At(base::Unsupported("Not supported: EXCEPT on the fields of a struct."), star.begin);
  std::vector<NodePtr> nodes;
  for (const auto& field : bound.expression->type()->fields()) {
    auto node = std::make_shared<Node>(column);
    node->parts.push_back(field->name());
    nodes.push_back(std::move(node));
  }
  return nodes;
}

// Columns.

arrow::Result<Bound> ExpressionBinder::BindFields(Bound bound, const std::vector<std::string>& fields, size_t position) const {
  for (const std::string& field : fields) {
    auto child = expr::BindField(bound.expression, field);
    if (!child.ok()) return At(child.status(), position);
    bound.expression = *child;
    bound.name += "." + field;
    bound.size += 1;
    bound.plain_column = -1;
  }
  return bound;
}

arrow::Result<Bound> ExpressionBinder::BindInputColumn(const Node& node, const ResolvedName& resolved, const Context& context) {
  const ScopeColumn& column = context.input->columns()[static_cast<size_t>(resolved.column)];
  Bound bound;
  // Spark shows a name as it was written, without its qualifier.
  bound.name = node.input_column >= 0 ? column.name : node.parts[node.parts.size() - 1 - resolved.fields.size()];
  size_t taken = 0;
  if (context.grouping != nullptr) {
    const int key = FindKey(*context.grouping, resolved, &taken);
    if (key < 0) {
      const bool no_group_by = context.grouping->keys.empty();
      if (no_group_by) {
        return At(base::InvalidArgument("[MISSING_GROUP_BY] The query does not include a GROUP BY clause: the column `", column.name,
                                        "` is outside of any aggregate function."),
                  node.begin);
      }
      return At(base::InvalidArgument("[MISSING_AGGREGATION] The non-aggregating expression \"", column.name,
                                      "\" is based on columns which are not participating in the GROUP BY clause. Add the columns or the expression "
                                      "to the GROUP BY, aggregate the expression, or use \"any_value(", column.name, ")\"."),
                node.begin);
    }
    bound.expression = expr::Expr::Column(key, context.grouping->key_names[static_cast<size_t>(key)], context.grouping->keys[static_cast<size_t>(key)]->type(), true);
    for (size_t i = 0; i < taken; ++i) bound.name += "." + resolved.fields[i];
  } else {
    bound.expression = expr::Expr::Column(resolved.column, column.name, column.type, true);
  }
  if (resolved.fields.empty()) bound.plain_column = resolved.column;
  const std::vector<std::string> rest(resolved.fields.begin() + static_cast<std::ptrdiff_t>(taken), resolved.fields.end());
  return BindFields(std::move(bound), rest, node.begin);
}

arrow::Result<Bound> ExpressionBinder::BindAlias(const Node& node, const OutputAlias& alias, const Context& context) {
  Bound bound = alias.bound;
  if (bound.size > kMaxExpressionSize) return At(base::InvalidArgument("The expression behind the alias `", alias.name, "` is too large."), node.begin);
  bound.name = context.clause == Clause::kSelect ? "lateralAliasReference(" + node.parts[0] + ")" : alias.name;
  const std::vector<std::string> fields(node.parts.begin() + 1, node.parts.end());
  return BindFields(std::move(bound), fields, node.begin);
}

arrow::Result<Bound> ExpressionBinder::BindColumn(const Node& node, const Context& context) {
  if (node.input_column >= 0) return BindInputColumn(node, ResolvedName{node.input_column, {}}, context);
  size_t parameter = 0;
  if (const LambdaScope* scope = FindParameter(node.parts, context, &parameter)) {
    auto variable = expr::Expr::Column(scope->ColumnOf(parameter), (*scope->names)[parameter], scope->types[parameter], true);
    return BindFields(Bound{std::move(variable), "namedlambdavariable()"}, {node.parts.begin() + 1, node.parts.end()}, node.begin);
  }
  const auto target = Resolve(node.parts, context);
  if (!target.ok()) return At(target.status(), node.begin);
  if (target->alias != nullptr) return BindAlias(node, *target->alias, context);
  if (target->input) return BindInputColumn(node, *target->input, context);
  if (context.clause == Clause::kLimit) {
    return At(base::InvalidArgument("[INVALID_LIMIT_LIKE_EXPRESSION.IS_UNFOLDABLE] The limit expression must evaluate to a constant value."), node.begin);
  }
  return At(context.input->Unresolved(node.parts), node.begin);
}

// Operators.

arrow::Result<Bound> ExpressionBinder::BindLogical(const Node& node, const Context& context) {
  ARROW_ASSIGN_OR_RAISE(auto operands, BindAll(node.children, context));
  // A bare NULL is a boolean here, though not as a whole condition.
  for (Bound& operand : operands) {
    if (operand.expression->type()->id() == arrow::Type::NA) operand.expression = expr::Expr::Cast(operand.expression, arrow::boolean(), false);
  }
  ARROW_ASSIGN_OR_RAISE(auto left, ToBoolean(operands[0], node.children[0]->begin, "an operand of AND or OR"));
  ARROW_ASSIGN_OR_RAISE(auto right, ToBoolean(operands[1], node.children[1]->begin, "an operand of AND or OR"));
  auto expression = node.name == "and" ? expr::Expr::And(std::move(left), std::move(right)) : expr::Expr::Or(std::move(left), std::move(right));
  return Bound{std::move(expression), OperatorName(node, Names(operands), Types(operands)), TotalSize(operands)};
}

arrow::Result<Bound> ExpressionBinder::BindBetween(const Node& node, const Context& context) {
  ARROW_ASSIGN_OR_RAISE(const auto operands, BindAll(node.children, context));
  ARROW_ASSIGN_OR_RAISE(auto low, Function(">=", {operands[0].expression, operands[1].expression}, node.begin));
  ARROW_ASSIGN_OR_RAISE(auto high, Function("<=", {operands[0].expression, operands[2].expression}, node.begin));
  return Bound{expr::Expr::And(std::move(low), std::move(high)), OperatorName(node, Names(operands), {}), TotalSize(operands) + operands[0].size};
}

arrow::Result<Bound> ExpressionBinder::BindIn(const Node& node, const Context& context) {
  ARROW_ASSIGN_OR_RAISE(const auto operands, BindAll(node.children, context));
  const auto common = expr::CommonType(Types(operands));
  const bool rows = std::ranges::all_of(operands, [](const Bound& each) { return each.expression->type()->id() == arrow::Type::STRUCT; });
  if (!common.ok() && rows) return BindInRows(node, operands);
  if (!common.ok()) {
    return At(base::InvalidArgument("[DATATYPE_MISMATCH.DATA_DIFF_TYPES] Cannot resolve \"", operands[0].name,
                                    " IN (...)\" due to data type mismatch: ", common.status().message()),
              node.begin);
  }
  std::vector<expr::ExprPtr> elements;
  bool constant = !arrow::is_nested((*common)->id());
  for (const Bound& operand : operands) {
    auto element = expr::CoerceTo(operand.expression, *common);
    if (!element.ok()) return At(element.status(), node.begin);
    elements.push_back(elements.empty() ? *element : expr::FoldConstants(*element, eval_));
    constant = constant && (elements.size() == 1 || elements.back()->kind() == expr::ExprKind::kLiteral);
  }
  Bound bound{nullptr, OperatorName(node, Names(operands), {}), TotalSize(operands)};
  if (constant) {
    std::unique_ptr<arrow::ArrayBuilder> builder;
    ARROW_RETURN_NOT_OK(arrow::MakeBuilder(arrow::default_memory_pool(), *common, &builder));
    for (size_t i = 1; i < elements.size(); ++i) ARROW_RETURN_NOT_OK(builder->AppendScalar(*elements[i]->value()));
    ARROW_ASSIGN_OR_RAISE(auto set, builder->Finish());
    bound.expression = expr::Expr::In(elements[0], std::move(set));
    return bound;
  }
  std::vector<expr::ExprPtr> equalities;
  for (size_t i = 1; i < elements.size(); ++i) {
    ARROW_ASSIGN_OR_RAISE(auto equality, Function("=", {elements[0], elements[i]}, node.begin));
    equalities.push_back(std::move(equality));
  }
  bound.expression = MakeDisjunction(equalities);
  return bound;
}

// (a, b) IN ((1, 2), (3, 4)): rows without a common type are equal or not by their fields, whose names do not matter.
arrow::Result<Bound> ExpressionBinder::BindInRows(const Node& node, const std::vector<Bound>& operands) const {
  std::vector<expr::ExprPtr> equalities;
  for (size_t i = 1; i < operands.size(); ++i) {
    ARROW_ASSIGN_OR_RAISE(auto equality, Function("=", {operands[0].expression, operands[i].expression}, node.begin));
    equalities.push_back(std::move(equality));
  }
  return Bound{MakeDisjunction(equalities), OperatorName(node, Names(operands), {}), TotalSize(operands)};
}

arrow::Result<Bound> ExpressionBinder::BindQuantifiedLike(const Node& node, const Context& context) {
  ARROW_ASSIGN_OR_RAISE(const auto operands, BindAll(node.children, context));
  const bool negated = node.name.starts_with("not ");
  const bool all = node.name.ends_with(" all");
  const std::string_view function = node.name.find("ilike") != std::string::npos ? "ilike" : "like";
  std::vector<expr::ExprPtr> matches;
  for (size_t i = 1; i < operands.size(); ++i) {
    ARROW_ASSIGN_OR_RAISE(auto match, Function(function, {operands[0].expression, operands[i].expression}, node.begin));
    if (negated) {
      ARROW_ASSIGN_OR_RAISE(match, Function("not", {std::move(match)}, node.begin));
    }
    matches.push_back(std::move(match));
  }
  auto expression = all ? MakeConjunction(matches) : MakeDisjunction(matches);
  return Bound{std::move(expression), OperatorName(node, Names(operands), {}), TotalSize(operands)};
}

arrow::Result<Bound> ExpressionBinder::BindOperator(const Node& node, const Context& context) {
  if (node.name == "and" || node.name == "or") return BindLogical(node, context);
  if (node.name == "between") return BindBetween(node, context);
  if (node.name == "in") return BindIn(node, context);
  if (node.name.ends_with("like any") || node.name.ends_with("like all")) return BindQuantifiedLike(node, context);
  ARROW_ASSIGN_OR_RAISE(const auto operands, BindAll(node.children, context));
  std::string name = OperatorName(node, Names(operands), Types(operands));
  ARROW_ASSIGN_OR_RAISE(auto call, Function(node.name, Expressions(operands), node.begin));
  return Bound{std::move(call), std::move(name), TotalSize(operands)};
}

// Calls.

arrow::Status ExpressionBinder::UnknownFunction(const std::string& name, size_t position) const {
  std::string near;
  for (const std::string& candidate : NearestNames(name, expr::ScalarFunctionNames(), 3)) near += (near.empty() ? "`" : ", `") + candidate + "`";
  return At(base::Unsupported("[UNRESOLVED_ROUTINE] Cannot resolve routine `", name, "`: there is no such function, or it is not supported. Did you mean one of the following? [",
                              near, "]."),
            position);
}

arrow::Result<Bound> ExpressionBinder::BindCall(const Node& node, const Context& context) {
  const auto is_star = [](const NodePtr& child) { return child->kind == NodeKind::kStar; };
  if (std::ranges::any_of(node.children, is_star)) {
    Node expanded = node;
    expanded.children.clear();
    for (const NodePtr& child : node.children) {
      std::vector<NodePtr> columns{child};
      if (is_star(child)) {
        ARROW_ASSIGN_OR_RAISE(columns, ExpandStar(*child, *context.input));
      }
      expanded.children.insert(expanded.children.end(), columns.begin(), columns.end());
    }
    return BindCall(expanded, context);
  }
  const bool higher_order = expr::IsHigherOrderFunction(node.name) || std::ranges::any_of(node.children, [](const NodePtr& child) { return child->kind == NodeKind::kLambda; });
  if (higher_order) return BindHigherOrder(node, context);
  if (exec::IsAggregateFunction(node.name)) return BindAggregate(node, context);
  // current_date and its like are columns where there is one of that name.
  if (!node.text.empty()) {
    Node column = node;
    column.kind = NodeKind::kColumn;
    column.parts = {node.text};
    const auto target = Resolve(column.parts, context);
    if (target.ok() && (target->alias != nullptr || target->input)) return BindColumn(column, context);
  }
  return BindScalarCall(node, context);
}

arrow::Result<Bound> ExpressionBinder::BindScalarCall(const Node& node, const Context& context) {
  std::string function = ToLower(node.name);
  if (function == "user" || function == "session_user") function = "current_user";
  if (function == "collate") return BindCollate(node, context);
  if (!expr::IsScalarFunction(function)) return UnknownFunction(node.name, node.begin);
  if (node.distinct || node.filter) {
    return At(base::InvalidArgument("[INVALID_SQL_SYNTAX.FUNCTION_WITH_UNSUPPORTED_SYNTAX] The function `", function, "` does not support ",
                                    node.distinct ? "DISTINCT" : "FILTER", "."),
              node.begin);
  }
  ARROW_ASSIGN_OR_RAISE(const auto arguments, BindAll(node.children, context));
  ARROW_ASSIGN_OR_RAISE(auto call, Function(function, Expressions(arguments), node.begin));
  return Bound{std::move(call), CallName(node, Names(arguments), ""), TotalSize(arguments)};
}

arrow::Result<Bound> ExpressionBinder::BindHigherOrder(const Node& node, const Context& context) {
  if (node.distinct || node.filter) {
    return At(base::InvalidArgument("[INVALID_SQL_SYNTAX.FUNCTION_WITH_UNSUPPORTED_SYNTAX] The function `", node.name, "` does not support DISTINCT or FILTER."), node.begin);
  }
  if (!expr::IsHigherOrderFunction(node.name) && !expr::IsScalarFunction(node.name) && !exec::IsAggregateFunction(node.name) && !EqualsIgnoreCase(node.name, "map_zip_with")) {
    return UnknownFunction(node.name, node.begin);
  }
  std::vector<Bound> operands;
  size_t lambdas_from = 0;
  while (lambdas_from < node.children.size() && node.children[lambdas_from]->kind != NodeKind::kLambda) {
    ARROW_ASSIGN_OR_RAISE(Bound operand, Bind(*node.children[lambdas_from], context));
    operands.push_back(std::move(operand));
    ++lambdas_from;
  }
  const auto arguments = Expressions(operands);
  std::vector<expr::UnboundLambda> lambdas;
  operands.resize(node.children.size());
  for (size_t i = lambdas_from; i < node.children.size(); ++i) {
    const Node& lambda = *node.children[i];
    if (lambda.kind != NodeKind::kLambda) return At(base::InvalidArgument("The arguments of ", node.name, " must come before its lambda."), lambda.begin);
    lambdas.push_back({lambda.parts.size(), [&, i](const auto& types) { return BindLambda(*node.children[i], context, types, &operands[i]); }});
  }
  auto call = expr::BindHigherOrderCall(node.name, arguments, std::move(lambdas), eval_);
  if (!call.ok()) return At(call.status(), node.begin);
  return Bound{*call, CallName(node, Names(operands), ""), TotalSize(operands)};
}

arrow::Result<expr::Lambda> ExpressionBinder::BindLambda(const Node& node, const Context& context, const std::vector<std::shared_ptr<arrow::DataType>>& types,
                                                         Bound* bound) {
  LambdaScope scope{&node.parts, types, context.lambda, context.lambda == nullptr ? 0 : context.lambda->level + 1};
  Context inside = context;
  inside.lambda = &scope;
  ARROW_ASSIGN_OR_RAISE(*bound, Bind(*node.children[0], inside));
  expr::Lambda lambda;
  std::vector<expr::ExprPtr> read;
  CollectColumnExpressions(bound->expression, &read);
  std::map<int, expr::ExprPtr> local;  // what takes the place of each column
  for (size_t k = 0; k < types.size(); ++k) local[scope.ColumnOf(k)] = expr::Expr::Column(static_cast<int>(k), node.parts[k], types[k], true);
  for (const expr::ExprPtr& column : read) {
    if (local.contains(column->column())) continue;
    local[column->column()] = expr::Expr::Column(static_cast<int>(types.size() + lambda.captures.size()), column->name(), column->type(), true);
    lambda.captures.push_back(column);
  }
  lambda.body = expr::ReplaceColumns(bound->expression, [&](int column) { return local.at(column); });
  std::string parameters;
  for (size_t k = 0; k < types.size(); ++k) parameters += ", namedlambdavariable()";
  bound->name = "lambdafunction(" + bound->name + parameters + ")";
  return lambda;
}

// Strings compare by their bytes anyway, which is what UTF8_BINARY says.
arrow::Result<Bound> ExpressionBinder::BindCollate(const Node& node, const Context& context) {
  if (node.children.size() != 2 || !EqualsIgnoreCase(node.children[1]->text, "UTF8_BINARY")) {
    return At(base::Unsupported("Not supported: a collation other than UTF8_BINARY."), node.begin);
  }
  ARROW_ASSIGN_OR_RAISE(const auto operands, BindAll(node.children, context));
  auto text = expr::CoerceTo(operands[0].expression, arrow::utf8());
  if (!text.ok()) return At(text.status(), node.begin);
  return Bound{*text, CallName(node, Names(operands), ""), TotalSize(operands)};
}

arrow::Result<Bound> ExpressionBinder::BindAggregate(const Node& node, const Context& context) {
  if (context.clause == Clause::kAggregateArgument) {
    return At(base::InvalidArgument("[NESTED_AGGREGATE_FUNCTION] It is not allowed to use an aggregate function in the argument of another aggregate function."),
              node.begin);
  }
  if (context.lambda != nullptr) return At(base::Unsupported("Not supported: the aggregate function ", node.name, " inside a lambda."), node.begin);
  if (context.clause == Clause::kWhere) {
    return At(base::InvalidArgument("[INVALID_WHERE_CONDITION] The WHERE condition contains the aggregate function ", node.name, "; use HAVING."), node.begin);
  }
  if (context.clause == Clause::kGroupBy) {
    return At(base::InvalidArgument("[GROUP_BY_AGGREGATE] Aggregate functions are not allowed in GROUP BY, but found ", node.name, "."), node.begin);
  }
  Context inner;
  inner.clause = Clause::kAggregateArgument;
  inner.input = context.input;
  if (context.clause == Clause::kOrderBy) inner.aliases = context.aliases;
  ARROW_ASSIGN_OR_RAISE(const auto arguments, BindAll(node.children, inner));
  expr::ExprPtr filter;
  std::string filter_name;
  if (node.filter) {
    ARROW_ASSIGN_OR_RAISE(const Bound bound, Bind(*node.filter, inner));
    filter_name = bound.name;
    ARROW_ASSIGN_OR_RAISE(filter, ToBoolean(bound, node.filter->begin, "FILTER expression"));
  }
  Bound bound;
  bound.name = CallName(node, Names(arguments), filter_name);
  if (!node.within_group && (EqualsIgnoreCase(node.name, "percentile_cont") || EqualsIgnoreCase(node.name, "percentile_disc"))) {
    return At(base::InvalidArgument("[INVALID_WITHIN_GROUP_EXPRESSION.WITHIN_GROUP_MISSING] ", node.name, " needs WITHIN GROUP (ORDER BY ...)."), node.begin);
  }
  auto call = exec::BindAggregate(node.name, node.distinct, CountsRows(node) ? std::vector<expr::ExprPtr>{} : Expressions(arguments), std::move(filter));
  if (!call.ok()) return At(call.status(), node.begin);
  if (IsCount(node) && arguments.empty() && !node.star_argument) {
    return At(base::InvalidArgument("[WRONG_NUM_ARGS.WITH_SUGGESTION] The `count` requires >= 1 parameters but the actual number is 0."), node.begin);
  }
  if (context.grouping == nullptr) {  // bound for its name alone, or in a clause that has no groups
    if (context.clause == Clause::kSelect || context.clause == Clause::kHaving) {
      bound.expression = expr::Expr::Column(0, bound.name, call->type, true);
      return bound;
    }
    return At(base::InvalidArgument("[UNSUPPORTED_EXPR_FOR_OPERATOR] The aggregate function ", node.name, " cannot be used in ", ClauseName(context.clause),
                                    " of this query."),
              node.begin);
  }
  Grouping& grouping = *context.grouping;
  std::string text = CanonicalText(node, inner);
  const auto found = std::ranges::find(grouping.call_texts, text);
  const auto index = static_cast<size_t>(found - grouping.call_texts.begin());
  if (found == grouping.call_texts.end()) {
    grouping.call_texts.push_back(std::move(text));
    grouping.call_names.push_back(bound.name);
    grouping.calls.push_back(*call);
  }
  bound.expression = expr::Expr::Column(static_cast<int>(grouping.keys.size() + index), grouping.call_names[index], grouping.calls[index].type, true);
  return bound;
}

arrow::Result<Bound> ExpressionBinder::BindCast(const Node& node, const Context& context) {
  ARROW_ASSIGN_OR_RAISE(const Bound child, Bind(*node.children[0], context));
  const auto type = expr::ParseTypeName(node.text);
  if (!type.ok()) return At(type.status(), node.begin);
  auto cast = expr::BindCast(child.expression, *type, node.try_cast);
  if (!cast.ok()) return At(cast.status(), node.begin);
  const std::string type_name = ToUpper(expr::TypeName(**type));
  return Bound{*cast, (node.try_cast ? "TRY_CAST(" : "CAST(") + child.name + " AS " + type_name + ")", child.size + 1};
}

arrow::Result<Bound> ExpressionBinder::BindCase(const Node& node, const Context& context) {
  ARROW_ASSIGN_OR_RAISE(const auto children, BindAll(node.children, context));
  std::vector<std::shared_ptr<arrow::DataType>> results;
  for (size_t i = 0; i < children.size(); ++i) {
    if (i % 2 == 1 || i + 1 == children.size()) results.push_back(children[i].expression->type());
  }
  const auto common = expr::CommonType(results);
  if (!common.ok()) {
    return At(base::InvalidArgument("[DATATYPE_MISMATCH.DATA_DIFF_TYPES] Cannot resolve CASE due to data type mismatch: ", common.status().message()), node.begin);
  }
  std::vector<expr::ExprPtr> branches;
  for (size_t i = 0; i < children.size(); ++i) {
    const bool condition = i % 2 == 0 && i + 1 < children.size();
    auto branch = condition ? ToBoolean(children[i], node.children[i]->begin, "a WHEN condition") : expr::CoerceTo(children[i].expression, *common);
    if (!branch.ok()) return At(branch.status(), node.children[i]->begin);
    branches.push_back(*branch);
  }
  return Bound{expr::Expr::Case(std::move(branches), *common), CaseName(Names(children)), TotalSize(children)};
}

arrow::Result<Bound> ExpressionBinder::BindTrim(const Node& node, const Context& context) {
  ARROW_ASSIGN_OR_RAISE(const auto operands, BindAll(node.children, context));
  expr::ExprPtr call;
  // Spark's btrim takes (text, characters), ltrim and rtrim (characters, text).
  if (node.name == "BOTH") {
    ARROW_ASSIGN_OR_RAISE(call, Function("btrim", {operands[1].expression, operands[0].expression}, node.begin));
  } else {
    ARROW_ASSIGN_OR_RAISE(call, Function(node.name == "LEADING" ? "ltrim" : "rtrim", {operands[0].expression, operands[1].expression}, node.begin));
  }
  return Bound{std::move(call), "TRIM(" + node.name + " " + operands[0].name + " FROM " + operands[1].name + ")", TotalSize(operands)};
}

// Canonical text.

std::string ExpressionBinder::CanonicalColumn(const Node& node, const Context& context) const {
  if (node.input_column >= 0) return "#" + std::to_string(node.input_column);
  size_t parameter = 0;
  if (const LambdaScope* scope = FindParameter(node.parts, context, &parameter)) {
    std::string text = "#" + std::to_string(scope->ColumnOf(parameter));
    for (size_t i = 1; i < node.parts.size(); ++i) text = "(." + text + " " + Quote(ToLower(node.parts[i])) + ")";
    return text;
  }
  const auto target = Resolve(node.parts, context);
  if (!target.ok() || (target->alias == nullptr && !target->input)) return "?" + std::to_string(node.begin);
  if (target->input) return InputText(*target->input, target->input->fields.size());
  std::string text = target->alias->key;
  for (const std::string& field : target->fields) text = "(." + text + " " + Quote(ToLower(field)) + ")";
  return text;
}

std::string ExpressionBinder::CanonicalText(const Node& node, const Context& context) const {
  switch (node.kind) {
    case NodeKind::kColumn:
      return CanonicalColumn(node, context);
    case NodeKind::kLiteral:
      return "(literal " + node.value->type->ToString() + " " + Quote(node.text) + ")";
    case NodeKind::kTypedLiteral:
      return "(" + node.name + " " + Quote(node.text) + ")";
    case NodeKind::kStar:
      return "?" + std::to_string(node.begin);
    case NodeKind::kLambda: {
      const LambdaScope scope{&node.parts, {}, context.lambda, context.lambda == nullptr ? 0 : context.lambda->level + 1};
      Context inside = context;
      inside.lambda = &scope;
      return "(lambda " + std::to_string(node.parts.size()) + " " + CanonicalText(*node.children[0], inside) + ")";
    }
    case NodeKind::kField:
      return "(." + CanonicalText(*node.children[0], context) + " " + Quote(ToLower(node.name)) + ")";
    default:
      break;
  }
  std::string text = "(" + std::to_string(static_cast<int>(node.kind)) + " " + Quote(ToLower(node.name)) + " ";
  if (node.kind == NodeKind::kCast) text += (node.try_cast ? "try " : "") + Quote(ToLower(node.text)) + " ";
  if (node.kind == NodeKind::kCall && CountsRows(node)) {
    text += "rows";
  } else {
    if (node.distinct) text += "distinct ";
    std::vector<std::string> operands;
    for (const NodePtr& child : node.children) operands.push_back(CanonicalText(*child, context));
    constexpr std::array<std::string_view, 9> kCommutative = {"+", "*", "=", "<=>", "and", "or", "&", "|", "^"};
    if (node.kind == NodeKind::kOperator && std::ranges::find(kCommutative, node.name) != kCommutative.end()) std::ranges::sort(operands);
    for (const std::string& operand : operands) text += operand + " ";
  }
  if (node.filter) text += "filter " + CanonicalText(*node.filter, context);
  return text + ")";
}

}  // namespace vecruntime::sql
