// SPDX-License-Identifier: Apache-2.0
// Text to syntax tree, in Spark 4.1's dialect. Operators appear as kOperator nodes named "or", "and", "not", "between", "in",
// "is null", "is not null", "is true", "is false", "<=>", "like", "ilike", "rlike", "[not ][i]like any|all", "negative", "positive", "~",
// "=", "<", "<=", ">", ">=", "+", "-", "*", "/", "%", "div", "||", "&", "|", "^", "<<", ">>", ">>>"; any other negated predicate
// is "not" over the plain one, and <> is "not" over "=", as in Spark.
#pragma once

#include <arrow/type_fwd.h>

#include <string>
#include <string_view>

#include "vecruntime/sql/ast.h"

namespace vecruntime::sql {

/// Levels of nesting (parentheses, subqueries, tree height) a statement may have; deeper is InvalidArgument.
inline constexpr int kMaxDepth = 250;

/// Parses one query (a trailing semicolon is allowed). InvalidArgument for what is no SQL, Unsupported for what we do not run: both
/// with line, column and a caret.
arrow::Result<QueryPtr> ParseQuery(std::string_view sql);

/// The tree as an s-expression; for tests and for looking at.
std::string ToString(const Node& node);
std::string ToString(const Query& query);

}  // namespace vecruntime::sql
