// SPDX-License-Identifier: Apache-2.0
#include "vecruntime/sql/binder.h"

#include <arrow/array.h>
#include <arrow/array/builder_base.h>
#include <arrow/builder.h>
#include <arrow/scalar.h>
#include <arrow/type.h>

#include <algorithm>

#include "vecruntime/base/error.h"
#include "vecruntime/exec/row_encoding.h"
#include "vecruntime/expr/function_registry.h"
#include "vecruntime/expr/type_coercion.h"
#include "vecruntime/sql/expression_binder.h"
#include "vecruntime/sql/lexer.h"

namespace vecruntime::sql {
namespace {

// Tables, subqueries and CTE references of one statement: CTEs that name each other twice would unfold without end.
constexpr int kMaxQueryBlocks = 1000;

// A plan and what names mean over it.
struct BoundQuery {
  PlanPtr plan;
  Scope scope;
};

// The common table expressions a query block can see, innermost first.
struct CteScope {
  const std::vector<NamedQuery>* named = nullptr;
  size_t visible = 0;  // the first ones only: a CTE sees those before it
  const CteScope* outer = nullptr;
};

// A SELECT list entry after '*' is expanded.
struct Item {
  NodePtr node;
  std::string alias;
};

Scope RequalifiedScope(const Plan& plan, std::vector<std::string> qualifier) {
  Scope scope;
  for (const auto& field : plan.schema->fields()) scope.Add({field->name(), field->type(), qualifier, false});
  return scope;
}

std::vector<expr::ExprPtr> AllColumns(const Plan& plan) {
  std::vector<expr::ExprPtr> columns;
  for (int i = 0; i < plan.schema->num_fields(); ++i) columns.push_back(OutputColumn(plan, i));
  return columns;
}

bool IsInt(const Node& node) { return node.kind == NodeKind::kLiteral && node.value->is_valid && node.value->type->id() == arrow::Type::INT32; }
int64_t IntOf(const Node& node) { return static_cast<const arrow::Int32Scalar&>(*node.value).value; }

class QueryBinder {
 public:
  QueryBinder(std::string_view sql, RelationResolver* resolver, const expr::EvalContext& eval) : expressions_(sql, eval), resolver_(resolver) {}

  arrow::Result<BoundQuery> BindQuery(const Query& query, const CteScope* outer) {
    if (++blocks_ > kMaxQueryBlocks) return base::InvalidArgument("The statement unfolds to more than ", kMaxQueryBlocks, " query blocks.");
    const CteScope ctes{&query.with, query.with.size(), outer};
    if (query.terms.size() == 1 && query.terms[0].select) return BindSelect(*query.terms[0].select, query, &ctes);
    ARROW_ASSIGN_OR_RAISE(BoundQuery bound, BindTerms(query, &ctes));
    ARROW_ASSIGN_OR_RAISE(bound.plan, SortOutput(std::move(bound.plan), bound.scope, query));
    ARROW_ASSIGN_OR_RAISE(bound.plan, ApplyLimit(std::move(bound.plan), query));
    return bound;
  }

 private:
  arrow::Status Invalid(size_t position, const std::string& message) const { return expressions_.At(base::InvalidArgument(message), position); }

  // FROM.

  arrow::Result<BoundQuery> BindFrom(const FromItem& item, const CteScope* ctes) {
    BoundQuery bound;
    std::vector<std::string> qualifier;
    if (item.table) {
      ARROW_ASSIGN_OR_RAISE(bound, BindTable(*item.table, ctes, &qualifier));
    } else {
      ARROW_ASSIGN_OR_RAISE(bound, BindQuery(*item.subquery, ctes));
    }
    if (!item.alias.empty()) qualifier = {item.alias};
    return Rename(std::move(bound), item.column_aliases, std::move(qualifier), item.position);
  }

  arrow::Result<BoundQuery> BindTable(const TableName& table, const CteScope* ctes, std::vector<std::string>* qualifier) {
    if (!table.is_path) *qualifier = table.parts;
    if (table.parts.size() == 1 && !table.is_path) {
      for (const CteScope* scope = ctes; scope != nullptr; scope = scope->outer) {
        for (size_t i = scope->visible; i-- > 0;) {
          const NamedQuery& named = (*scope->named)[i];
          if (!EqualsIgnoreCase(named.name, table.parts[0])) continue;
          if (table.version || table.timestamp) return Invalid(table.position, "[UNSUPPORTED_FEATURE.TIME_TRAVEL] Time travel on the common table expression `" + named.name + "`.");
          const CteScope before{scope->named, i, scope->outer};
          ARROW_ASSIGN_OR_RAISE(BoundQuery bound, BindQuery(*named.query, &before));
          return Rename(std::move(bound), named.column_aliases, {named.name}, table.position);
        }
      }
    }
    if (++blocks_ > kMaxQueryBlocks) return base::InvalidArgument("The statement unfolds to more than ", kMaxQueryBlocks, " query blocks.");
    TableReference reference{table.parts, table.is_path, table.version, std::nullopt, table.position};
    if (table.timestamp) {
      ARROW_ASSIGN_OR_RAISE(reference.timestamp_us, EvaluateTimestamp(*table.timestamp));
    }
    auto resolved = resolver_->Resolve(reference);
    const bool about_name = !resolved.ok() && (KindOf(resolved.status()) == ErrorKind::kNotFound || KindOf(resolved.status()) == ErrorKind::kUnsupported);
    if (about_name) return expressions_.At(resolved.status(), table.position);
    ARROW_ASSIGN_OR_RAISE(auto relation, std::move(resolved));
    BoundQuery bound;
    const auto& fields = relation->schema()->fields();
    std::vector<int> columns;
    for (int i = 0; i < static_cast<int>(fields.size()); ++i) {
      columns.push_back(i);
      bound.scope.Add({fields[static_cast<size_t>(i)]->name(), fields[static_cast<size_t>(i)]->type(), {}, i >= relation->visible_columns()});
    }
    bound.plan = MakeScanPlan(std::move(relation), std::move(columns));
    return bound;
  }

  arrow::Result<BoundQuery> Rename(BoundQuery bound, const std::vector<std::string>& names, const std::vector<std::string>& qualifier, size_t position) {
    Scope renamed;
    size_t visible = 0;
    for (const ScopeColumn& column : bound.scope.columns()) {
      if (!names.empty() && column.hidden) continue;
      std::string name = column.name;
      if (!column.hidden && visible < names.size()) name = names[visible];
      if (!column.hidden) ++visible;
      renamed.Add({std::move(name), column.type, qualifier, column.hidden});
    }
    if (!names.empty() && names.size() != visible) {
      return Invalid(position, "[ASSIGNMENT_ARITY_MISMATCH] The list of column aliases has " + std::to_string(names.size()) + " names for " + std::to_string(visible) + " columns.");
    }
    bound.scope = std::move(renamed);
    return bound;
  }

  arrow::Result<int64_t> EvaluateTimestamp(const Node& node) {
    const Scope empty;
    ARROW_ASSIGN_OR_RAISE(const Bound bound, expressions_.Bind(node, {Clause::kValues, &empty}));
    const auto invalid = [&](const std::string& why) {
      return Invalid(node.begin, "[INVALID_TIME_TRAVEL_TIMESTAMP_EXPR] The time travel timestamp expression \"" + bound.name + "\" is invalid: " + why + ".");
    };
    auto cast = expr::BindCast(bound.expression, arrow::timestamp(arrow::TimeUnit::MICRO, "UTC"), false);
    if (!cast.ok()) return invalid("it cannot be cast to TIMESTAMP");
    const auto value = expressions_.Evaluate(*cast);
    if (!value.ok()) return invalid(value.status().message());
    if (!(*value)->is_valid) return invalid("it is NULL");
    return static_cast<const arrow::TimestampScalar&>(**value).value;
  }

  // UNION and VALUES.

  arrow::Result<BoundQuery> BindTerm(const QueryTerm& term, const CteScope* ctes) {
    if (term.nested) return BindQuery(*term.nested, ctes);
    if (term.select) {
      const Query plain;
      return BindSelect(*term.select, plain, ctes);
    }
    return BindValues(term);
  }

  arrow::Result<BoundQuery> BindValues(const QueryTerm& term) {
    const Scope empty;
    const size_t width = term.values[0].size();
    std::vector<std::vector<Bound>> cells(width);
    for (const auto& row : term.values) {
      for (size_t c = 0; c < width; ++c) {
        if (ContainsAggregate(*row[c])) return Invalid(row[c]->begin, "[INVALID_INLINE_TABLE.CANNOT_EVALUATE_EXPRESSION_IN_INLINE_TABLE] VALUES cannot hold aggregate functions.");
        ARROW_ASSIGN_OR_RAISE(Bound cell, expressions_.Bind(*row[c], {Clause::kValues, &empty}));
        cells[c].push_back(std::move(cell));
      }
    }
    arrow::FieldVector fields;
    std::vector<std::shared_ptr<arrow::Array>> columns;
    for (size_t c = 0; c < width; ++c) {
      std::vector<std::shared_ptr<arrow::DataType>> types;
      for (const Bound& cell : cells[c]) types.push_back(cell.expression->type());
      const auto type = expr::CommonType(types);
      if (!type.ok()) return Invalid(term.position, "[INVALID_INLINE_TABLE.INCOMPATIBLE_TYPES_IN_INLINE_TABLE] Found incompatible types in column " + std::to_string(c + 1) + " of VALUES.");
      std::unique_ptr<arrow::ArrayBuilder> builder;
      ARROW_RETURN_NOT_OK(arrow::MakeBuilder(arrow::default_memory_pool(), *type, &builder));
      for (size_t r = 0; r < cells[c].size(); ++r) {
        ARROW_ASSIGN_OR_RAISE(const auto cast, expr::CoerceTo(cells[c][r].expression, *type));
        const auto value = expressions_.Evaluate(cast);
        if (!value.ok()) return expressions_.At(value.status(), term.values[r][c]->begin);
        ARROW_RETURN_NOT_OK((*value)->is_valid ? builder->AppendScalar(**value) : builder->AppendNull());
      }
      ARROW_ASSIGN_OR_RAISE(auto column, builder->Finish());
      columns.push_back(std::move(column));
      fields.push_back(arrow::field("col" + std::to_string(c + 1), *type));
    }
    BoundQuery bound;
    bound.plan = MakeValuesPlan(arrow::schema(std::move(fields)), std::move(columns), static_cast<int64_t>(term.values.size()));
    bound.scope = RequalifiedScope(*bound.plan, {});
    return bound;
  }

  arrow::Result<BoundQuery> BindTerms(const Query& query, const CteScope* ctes) {
    ARROW_ASSIGN_OR_RAISE(BoundQuery bound, BindTerm(query.terms[0], ctes));
    std::vector<PlanPtr> inputs{bound.plan};
    for (size_t i = 1; i < query.terms.size(); ++i) {
      ARROW_ASSIGN_OR_RAISE(const BoundQuery next, BindTerm(query.terms[i], ctes));
      inputs.push_back(next.plan);
      const bool last = i + 1 == query.terms.size();
      if (!last && query.terms[i].union_distinct == query.terms[i + 1].union_distinct) continue;
      ARROW_ASSIGN_OR_RAISE(PlanPtr combined, Unite(std::move(inputs), query.terms[i].position));
      if (query.terms[i].union_distinct) {
        ARROW_ASSIGN_OR_RAISE(combined, Distinct(std::move(combined), query.terms[i].position));
      }
      inputs = {std::move(combined)};
    }
    bound.plan = inputs[0];
    // Only a union loses the qualifiers.
    if (query.terms.size() > 1) bound.scope = RequalifiedScope(*bound.plan, {});
    return bound;
  }

  arrow::Result<PlanPtr> Unite(std::vector<PlanPtr> inputs, size_t position) {
    const int width = inputs[0]->schema->num_fields();
    for (const PlanPtr& input : inputs) {
      if (input->schema->num_fields() != width) {
        return Invalid(position, "[NUM_COLUMNS_MISMATCH] UNION can only be performed on inputs with the same number of columns, but the first input has " +
                                     std::to_string(width) + " columns and another has " + std::to_string(input->schema->num_fields()) + ".");
      }
    }
    arrow::FieldVector fields;
    for (int c = 0; c < width; ++c) {
      std::vector<std::shared_ptr<arrow::DataType>> types;
      for (const PlanPtr& input : inputs) types.push_back(input->schema->field(c)->type());
      const auto type = expr::CommonType(types);
      if (!type.ok()) return Invalid(position, "[INCOMPATIBLE_COLUMN_TYPE] UNION: column " + std::to_string(c + 1) + " has types that do not fit together.");
      fields.push_back(arrow::field(inputs[0]->schema->field(c)->name(), *type));
    }
    for (PlanPtr& input : inputs) {
      std::vector<expr::ExprPtr> casts;
      bool same = true;
      for (int c = 0; c < width; ++c) {
        auto cast = expr::CoerceTo(OutputColumn(*input, c), fields[static_cast<size_t>(c)]->type());
        if (!cast.ok()) return expressions_.At(cast.status(), position);
        const arrow::DataType &from = *input->schema->field(c)->type(), &to = *fields[static_cast<size_t>(c)]->type();
        same = same && from.Equals(to) && expr::SameType(from, to);
        casts.push_back(*cast);
      }
      if (!same) input = MakeProjectPlan(input, std::move(casts), OutputNames(*input));
    }
    return MakeUnionPlan(std::move(inputs), arrow::schema(std::move(fields)));
  }

  arrow::Result<PlanPtr> Distinct(PlanPtr input, size_t position) {
    for (const auto& field : input->schema->fields()) ARROW_RETURN_NOT_OK(CheckComparable(*field->type(), "DISTINCT", position));
    auto keys = AllColumns(*input);
    auto names = OutputNames(*input);
    return MakeAggregatePlan(std::move(input), std::move(keys), {}, std::move(names));
  }

  arrow::Status CheckComparable(const arrow::DataType& type, std::string_view clause, size_t position) const {
    if (exec::IsEncodable(type)) return arrow::Status::OK();
    return expressions_.At(base::Unsupported("[DATATYPE_MISMATCH.INVALID_ORDERING_TYPE] Not supported: ", clause, " on a value of type ", expr::TypeName(type), "."), position);
  }

  // SELECT.

  arrow::Result<BoundQuery> BindSelect(const Select& select, const Query& query, const CteScope* ctes) {
    BoundQuery input;
    if (select.from) {
      ARROW_ASSIGN_OR_RAISE(input, BindFrom(*select.from, ctes));
    } else {
      input.plan = MakeValuesPlan(arrow::schema({}), {}, 1);
    }
    if (select.where) {
      ARROW_ASSIGN_OR_RAISE(auto predicate, expressions_.BindPredicate(*select.where, {Clause::kWhere, &input.scope}, "Filter expression"));
      input.plan = MakeFilterPlan(std::move(input.plan), std::move(predicate));
    }
    ARROW_ASSIGN_OR_RAISE(const std::vector<Item> items, ExpandItems(select, input.scope));
    const bool grouped = !select.group_by.empty() || select.having ||
                         std::ranges::any_of(items, [](const Item& item) { return ContainsAggregate(*item.node); });
    Grouping grouping;
    Context context{Clause::kSelect, &input.scope, grouped ? &grouping : nullptr, nullptr};
    if (grouped) ARROW_RETURN_NOT_OK(BindKeys(select, items, input.scope, &grouping));
    ARROW_ASSIGN_OR_RAISE(const std::vector<OutputAlias> outputs, BindItems(items, context));
    expr::ExprPtr having;
    if (select.having) {
      ARROW_ASSIGN_OR_RAISE(having, expressions_.BindPredicate(*select.having, {Clause::kHaving, &input.scope, &grouping, &outputs}, "Filter expression"));
    }
    std::vector<exec::SortKey> order;
    if (!select.distinct) {
      ARROW_ASSIGN_OR_RAISE(order, BindOrder(query, {Clause::kOrderBy, &input.scope, context.grouping, &outputs}, outputs));
    }
    PlanPtr plan = std::move(input.plan);
    if (grouped) plan = MakeGroupedPlan(std::move(plan), grouping);
    if (having) plan = MakeFilterPlan(std::move(plan), std::move(having));
    BoundQuery bound;
    bound.plan = ProjectAndSort(std::move(plan), outputs, std::move(order));
    bound.scope = RequalifiedScope(*bound.plan, {});
    if (select.distinct) {
      ARROW_ASSIGN_OR_RAISE(bound.plan, Distinct(std::move(bound.plan), select.position));
      ARROW_ASSIGN_OR_RAISE(bound.plan, SortOutput(std::move(bound.plan), QualifiedOutput(outputs, input.scope), query));
    }
    ARROW_ASSIGN_OR_RAISE(bound.plan, ApplyLimit(std::move(bound.plan), query));
    return bound;
  }

  // ORDER BY of a DISTINCT sees output columns only; those that are plain columns keep their table's name.
  static Scope QualifiedOutput(const std::vector<OutputAlias>& outputs, const Scope& input) {
    Scope scope;
    for (const OutputAlias& output : outputs) {
      std::vector<std::string> qualifier;
      if (output.bound.plain_column >= 0) {
        const ScopeColumn& column = input.columns()[static_cast<size_t>(output.bound.plain_column)];
        if (EqualsIgnoreCase(column.name, output.name)) qualifier = column.qualifier;
      }
      scope.Add({output.name, output.bound.expression->type(), std::move(qualifier), false});
    }
    return scope;
  }

  arrow::Result<std::vector<Item>> ExpandItems(const Select& select, const Scope& scope) {
    std::vector<Item> items;
    for (const SelectItem& item : select.items) {
      if (item.expression->kind == NodeKind::kStar) {
        if (!item.alias.empty()) return Invalid(item.expression->begin, "[INVALID_USAGE_OF_STAR_OR_REGEX] Invalid usage of '*' in expression `alias`.");
        ARROW_ASSIGN_OR_RAISE(const std::vector<NodePtr> columns, expressions_.ExpandStar(*item.expression, scope));
        for (const NodePtr& column : columns) items.push_back({column, ""});
      } else {
        items.push_back({item.expression, item.alias});
      }
    }
    return items;
  }

  // GROUP BY.

  arrow::Status BindKeys(const Select& select, const std::vector<Item>& items, const Scope& scope, Grouping* grouping) {
    std::vector<NodePtr> keys;
    if (select.group_by_all) {
      for (const Item& item : items) {
        if (!ContainsAggregate(*item.node)) keys.push_back(item.node);
      }
    } else {
      for (const NodePtr& key : select.group_by) {
        ARROW_ASSIGN_OR_RAISE(NodePtr resolved, ResolveKey(key, items, scope));
        keys.push_back(std::move(resolved));
      }
    }
    const Context context{Clause::kGroupBy, &scope};
    for (const NodePtr& key : keys) {
      std::string text = expressions_.CanonicalText(*key, context);
      if (std::ranges::find(grouping->key_texts, text) != grouping->key_texts.end()) continue;
      ARROW_ASSIGN_OR_RAISE(Bound bound, expressions_.Bind(*key, context));
      ARROW_RETURN_NOT_OK(CheckComparable(*bound.expression->type(), "GROUP BY", key->begin));
      grouping->keys.push_back(bound.expression);
      grouping->key_texts.push_back(std::move(text));
      grouping->key_names.push_back(std::move(bound.name));
    }
    return arrow::Status::OK();
  }

  // A number is a place in the SELECT list; a name is an input column before it is an alias.
  arrow::Result<NodePtr> ResolveKey(const NodePtr& key, const std::vector<Item>& items, const Scope& scope) {
    const Item* item = nullptr;
    if (IsInt(*key)) {
      const int64_t place = IntOf(*key);
      if (place < 1 || place > static_cast<int64_t>(items.size())) {
        return Invalid(key->begin, "[GROUP_BY_POS_OUT_OF_RANGE] GROUP BY position " + std::to_string(place) + " is not in select list (valid range is [1, " + std::to_string(items.size()) + "]).");
      }
      item = &items[static_cast<size_t>(place - 1)];
      if (ContainsAggregate(*item->node)) {
        return Invalid(key->begin, "[GROUP_BY_POS_AGGREGATE] GROUP BY " + std::to_string(place) + " refers to an expression that contains an aggregate function.");
      }
      return item->node;
    }
    if (key->kind != NodeKind::kColumn || key->parts.size() != 1) return key;
    const auto found = scope.Find(key->parts);
    if (!found.ok()) return expressions_.At(found.status(), key->begin);
    if (*found) return key;
    const auto match = std::ranges::find_if(items, [&](const Item& candidate) { return EqualsIgnoreCase(candidate.alias, key->parts[0]); });
    return match == items.end() ? key : match->node;
  }

  static PlanPtr MakeGroupedPlan(PlanPtr input, const Grouping& grouping) {
    std::vector<std::string> names = grouping.key_names;
    names.insert(names.end(), grouping.call_names.begin(), grouping.call_names.end());
    return MakeAggregatePlan(std::move(input), grouping.keys, grouping.calls, std::move(names));
  }

  // SELECT list.

  arrow::Result<std::vector<OutputAlias>> BindItems(const std::vector<Item>& items, Context context) {
    std::vector<OutputAlias> outputs;
    std::vector<OutputAlias> laterals;  // only what has an alias can be referred to by later items
    context.aliases = &laterals;
    for (const Item& item : items) {
      OutputAlias output;
      ARROW_ASSIGN_OR_RAISE(output.bound, expressions_.Bind(*item.node, context));
      output.key = expressions_.CanonicalText(*item.node, context);
      output.name = item.alias.empty() ? DefaultName(*item.node, output.bound, context) : item.alias;
      if (!item.alias.empty()) laterals.push_back(output);
      outputs.push_back(std::move(output));
    }
    return outputs;
  }

  // A column is named by its last part, a cast of a plain column by the column.
  std::string DefaultName(const Node& node, const Bound& bound, const Context& context) {
    if (node.kind == NodeKind::kColumn) return node.parts.back();
    if (node.kind == NodeKind::kCast && node.children[0]->kind == NodeKind::kColumn) {
      Context plain = context;
      plain.grouping = nullptr;
      const auto child = expressions_.Bind(*node.children[0], plain);
      if (child.ok() && child->plain_column >= 0) return child->name;
    }
    return bound.name;
  }

  // ORDER BY, LIMIT.

  arrow::Result<std::vector<exec::SortKey>> BindOrder(const Query& query, const Context& context, const std::vector<OutputAlias>& outputs) {
    std::vector<exec::SortKey> keys;
    if (query.order_by_all) {
      for (const OutputAlias& output : outputs) {
        ARROW_RETURN_NOT_OK(AddSortKey(query.order_by[0], output.bound.expression, &keys));
      }
      return keys;
    }
    for (const OrderItem& item : query.order_by) {
      const Node& node = *item.expression;
      if (IsInt(node)) {
        const int64_t place = IntOf(node);
        if (place < 1 || place > static_cast<int64_t>(outputs.size())) {
          return Invalid(node.begin, "[ORDER_BY_POS_OUT_OF_RANGE] ORDER BY position " + std::to_string(place) + " is not in select list (valid range is [1, " + std::to_string(outputs.size()) + "]).");
        }
        ARROW_RETURN_NOT_OK(AddSortKey(item, outputs[static_cast<size_t>(place - 1)].bound.expression, &keys));
        continue;
      }
      ARROW_ASSIGN_OR_RAISE(const Bound bound, expressions_.Bind(node, context));
      ARROW_RETURN_NOT_OK(AddSortKey(item, bound.expression, &keys));
    }
    return keys;
  }

  arrow::Status AddSortKey(const OrderItem& item, expr::ExprPtr expression, std::vector<exec::SortKey>* keys) const {
    ARROW_RETURN_NOT_OK(CheckComparable(*expression->type(), "ORDER BY", item.expression->begin));
    keys->push_back({std::move(expression), item.descending, item.nulls_first.value_or(!item.descending)});
    return arrow::Status::OK();
  }

  // Sorts by expressions over the output columns alone (UNION, DISTINCT).
  arrow::Result<PlanPtr> SortOutput(PlanPtr plan, const Scope& scope, const Query& query) {
    if (query.order_by.empty()) return plan;
    std::vector<OutputAlias> outputs;
    for (int i = 0; i < plan->schema->num_fields(); ++i) {
      outputs.push_back({plan->schema->field(i)->name(), Bound{OutputColumn(*plan, i), plan->schema->field(i)->name()}, ""});
    }
    ARROW_ASSIGN_OR_RAISE(auto keys, BindOrder(query, {Clause::kOrderBy, &scope}, outputs));
    return MakeSortPlan(std::move(plan), std::move(keys));
  }

  // The SELECT list, with sort keys that are no output column carried along and dropped after the sort.
  static PlanPtr ProjectAndSort(PlanPtr input, const std::vector<OutputAlias>& outputs, std::vector<exec::SortKey> order) {
    std::vector<expr::ExprPtr> expressions;
    std::vector<std::string> names;
    for (const OutputAlias& output : outputs) {
      expressions.push_back(output.bound.expression);
      names.push_back(output.name);
    }
    for (exec::SortKey& key : order) {
      const auto found = std::ranges::find(expressions, key.expression);
      const auto index = static_cast<int>(found - expressions.begin());
      if (found == expressions.end()) {
        expressions.push_back(key.expression);
        names.push_back(key.expression->ToString());
      }
      key.expression = expr::Expr::Column(index, names[static_cast<size_t>(index)], key.expression->type(), true);
    }
    const bool extra = names.size() > outputs.size();
    PlanPtr plan = MakeProjectPlan(std::move(input), std::move(expressions), names);
    if (order.empty()) return plan;
    plan = MakeSortPlan(std::move(plan), std::move(order));
    if (!extra) return plan;
    std::vector<expr::ExprPtr> kept = AllColumns(*plan);
    kept.resize(outputs.size());
    names.resize(outputs.size());
    return MakeProjectPlan(std::move(plan), std::move(kept), std::move(names));
  }

  arrow::Result<PlanPtr> ApplyLimit(PlanPtr plan, const Query& query) {
    if (!query.limit && !query.offset) return plan;
    int64_t limit = -1;
    int64_t offset = 0;
    if (query.limit) {
      ARROW_ASSIGN_OR_RAISE(limit, EvaluateCount(*query.limit));
    }
    if (query.offset) {
      ARROW_ASSIGN_OR_RAISE(offset, EvaluateCount(*query.offset));
    }
    return MakeLimitPlan(std::move(plan), limit, offset);
  }

  arrow::Result<int64_t> EvaluateCount(const Node& node) {
    const Scope empty;
    ARROW_ASSIGN_OR_RAISE(const Bound bound, expressions_.Bind(node, {Clause::kLimit, &empty}));
    const auto type = bound.expression->type();
    if (type->id() != arrow::Type::INT8 && type->id() != arrow::Type::INT16 && type->id() != arrow::Type::INT32) {
      return Invalid(node.begin, "[INVALID_LIMIT_LIKE_EXPRESSION.DATA_TYPE] The limit like expression \"" + bound.name + "\" is invalid: it must be integer type, but got \"" +
                                     ToUpper(expr::TypeName(*type)) + "\".");
    }
    ARROW_ASSIGN_OR_RAISE(const auto cast, expr::BindCast(bound.expression, arrow::int64(), false));
    const auto value = expressions_.Evaluate(cast);
    if (!value.ok()) return expressions_.At(value.status(), node.begin);
    if (!(*value)->is_valid) return Invalid(node.begin, "[INVALID_LIMIT_LIKE_EXPRESSION.IS_NULL] The limit like expression \"" + bound.name + "\" is NULL.");
    const int64_t count = static_cast<const arrow::Int64Scalar&>(**value).value;
    if (count < 0) {
      return Invalid(node.begin, "[INVALID_LIMIT_LIKE_EXPRESSION.IS_NEGATIVE] The limit expression must be equal to or greater than 0, but got " + std::to_string(count) + ".");
    }
    return count;
  }

  ExpressionBinder expressions_;
  RelationResolver* resolver_;
  int blocks_ = 0;
};

}  // namespace

arrow::Result<PlanPtr> BindQuery(const Query& query, std::string_view sql, RelationResolver* resolver, const expr::EvalContext& eval) {
  ARROW_ASSIGN_OR_RAISE(BoundQuery bound, QueryBinder(sql, resolver, eval).BindQuery(query, nullptr));
  return bound.plan;
}

}  // namespace vecruntime::sql
