// SPDX-License-Identifier: Apache-2.0
// Syntax trees to bound expressions: names are looked up, functions bound with Spark's implicit casts, aggregate calls collected, and the
// name Spark would give the column is made along the way.
#pragma once

#include <arrow/result.h>

#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "vecruntime/exec/aggregate_function.h"
#include "vecruntime/expr/expr.h"
#include "vecruntime/expr/higher_order.h"
#include "vecruntime/sql/ast.h"
#include "vecruntime/sql/scope.h"

namespace vecruntime::sql {

/// A bound expression, Spark's SQL text for it, and what it is made of.
struct Bound {
  expr::ExprPtr expression;
  std::string name;
  int64_t size = 1;            // nodes of the tree, to bound what aliases of aliases can grow to
  int plain_column = -1;       // the input column, when it is nothing else
};

/// An output column of the SELECT list, as later clauses and later items see it.
struct OutputAlias {
  std::string name;
  Bound bound;
  std::string key;  // canonical text
};

/// What GROUP BY made of the input: expressions bound after it refer to keys, then calls, by index.
struct Grouping {
  std::vector<expr::ExprPtr> keys;  // over the input
  std::vector<std::string> key_texts;
  std::vector<std::string> key_names;
  std::vector<exec::AggregateCall> calls;
  std::vector<std::string> call_texts;
  std::vector<std::string> call_names;
};

/// The parameters of a lambda whose body is being bound, and the lambdas around it. Parameter k of the lambda at `level` is column
/// ColumnOf(k), beyond all columns of tables, until the body is made an expression of its own.
struct LambdaScope {
  const std::vector<std::string>* names = nullptr;
  std::vector<std::shared_ptr<arrow::DataType>> types;
  const LambdaScope* outer = nullptr;
  int level = 0;

  int ColumnOf(size_t parameter) const { return (1 << 24) + level * 16 + static_cast<int>(parameter); }
};

enum class Clause : uint8_t { kSelect, kWhere, kGroupBy, kHaving, kOrderBy, kLimit, kAggregateArgument, kValues };

/// Where an expression stands and what its names may mean.
struct Context {
  Clause clause = Clause::kSelect;
  const Scope* input = nullptr;
  Grouping* grouping = nullptr;                        // not null: the expression is over the grouped rows
  const std::vector<OutputAlias>* aliases = nullptr;   // select items visible here
  const LambdaScope* lambda = nullptr;                 // the innermost lambda around the expression
};

class ExpressionBinder {
 public:
  ExpressionBinder(std::string_view sql, expr::EvalContext eval) : sql_(sql), eval_(std::move(eval)) {}

  arrow::Result<Bound> Bind(const Node& node, const Context& context);
  /// Bind, and bring to boolean; `what` names the clause in errors.
  arrow::Result<expr::ExprPtr> BindPredicate(const Node& node, const Context& context, std::string_view what);
  /// The columns that `*`, `t.*` or `struct.*` stands for.
  arrow::Result<std::vector<NodePtr>> ExpandStar(const Node& star, const Scope& scope);
  /// Text that is equal for expressions of equal meaning: names resolved, function names in lower case, operands of commutative
  /// operators ordered. Never equal to anything for names that cannot be resolved.
  std::string CanonicalText(const Node& node, const Context& context) const;
  /// The value of an expression without columns.
  arrow::Result<std::shared_ptr<arrow::Scalar>> Evaluate(const expr::ExprPtr& expression) const;

  /// `status` with line, column and caret of `position`, unless it points somewhere already.
  arrow::Status At(const arrow::Status& status, size_t position) const;
  const expr::EvalContext& eval() const { return eval_; }
  std::string_view sql() const { return sql_; }

 private:
  arrow::Result<std::vector<NodePtr>> ExpandStruct(const Node& star, const Scope& scope);
  arrow::Result<Bound> BindUngrouped(const Node& node, const Context& context);
  arrow::Result<Bound> BindLiteral(const Node& node);
  arrow::Result<expr::ExprPtr> SpecialTime(std::string_view text, const std::shared_ptr<arrow::DataType>& type) const;
  arrow::Result<Bound> BindTypedLiteral(const Node& node);
  arrow::Result<Bound> BindColumn(const Node& node, const Context& context);
  arrow::Result<Bound> BindInputColumn(const Node& node, const ResolvedName& resolved, const Context& context);
  arrow::Result<Bound> BindAlias(const Node& node, const OutputAlias& alias, const Context& context);
  arrow::Result<Bound> BindFields(Bound bound, const std::vector<std::string>& fields, size_t position) const;
  arrow::Result<Bound> BindOperator(const Node& node, const Context& context);
  arrow::Result<Bound> BindLogical(const Node& node, const Context& context);
  arrow::Result<Bound> BindBetween(const Node& node, const Context& context);
  arrow::Result<Bound> BindIn(const Node& node, const Context& context);
  arrow::Result<Bound> BindInRows(const Node& node, const std::vector<Bound>& operands) const;
  arrow::Result<Bound> BindQuantifiedLike(const Node& node, const Context& context);
  arrow::Result<Bound> BindCall(const Node& node, const Context& context);
  arrow::Result<Bound> BindScalarCall(const Node& node, const Context& context);
  arrow::Result<Bound> BindHigherOrder(const Node& node, const Context& context);
  arrow::Result<expr::Lambda> BindLambda(const Node& node, const Context& context, const std::vector<std::shared_ptr<arrow::DataType>>& types, Bound* bound);
  arrow::Result<Bound> BindCollate(const Node& node, const Context& context);
  arrow::Result<Bound> BindAggregate(const Node& node, const Context& context);
  arrow::Result<Bound> BindCast(const Node& node, const Context& context);
  arrow::Result<Bound> BindCase(const Node& node, const Context& context);
  arrow::Result<Bound> BindTrim(const Node& node, const Context& context);
  arrow::Result<std::vector<Bound>> BindAll(const std::vector<NodePtr>& nodes, const Context& context);
  arrow::Result<expr::ExprPtr> Function(std::string_view name, std::vector<expr::ExprPtr> arguments, size_t position) const;
  arrow::Result<expr::ExprPtr> ToBoolean(const Bound& bound, size_t position, std::string_view what) const;
  arrow::Status UnknownFunction(const std::string& name, size_t position) const;

  std::string CanonicalColumn(const Node& node, const Context& context) const;
  std::string_view sql_;
  expr::EvalContext eval_;
};

/// True when `node` holds an aggregate function call.
bool ContainsAggregate(const Node& node);

}  // namespace vecruntime::sql
