// SPDX-License-Identifier: Apache-2.0
// What the parser produces: one uniform node type for expressions, and the query blocks around them. Positions are byte offsets in the
// statement, kept for error messages. Immutable once parsed.
#pragma once

#include <arrow/type_fwd.h>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace vecruntime::sql {

struct Node;
using NodePtr = std::shared_ptr<const Node>;

enum class NodeKind : uint8_t {
  kLiteral,       // value; text = how Spark names it
  kTypedLiteral,  // DATE '...': name = "date", "timestamp", "timestamp_ntz"; text = the string
  kColumn,        // parts = the dotted name
  kStar,          // parts = the qualifier (may be empty); except = dropped columns
  kField,         // child 0 . name, where child 0 is no plain name
  kElement,       // child 0 [ child 1 ]
  kOperator,      // name = SQL name of expr::BindCall, or and, or, between, in, like any, ...; see parser.h
  kCall,          // name as written; children = arguments
  kCast,          // CAST(child 0 AS text), TRY_CAST when `try_cast`
  kCase,          // when0, then0, ..., [else]
  kExtract,       // EXTRACT(name FROM child 0)
  kLambda,        // parts = parameters, child 0 = body; only as an argument of a call
  kTrim,          // TRIM(name = BOTH|LEADING|TRAILING, child 0 = characters, FROM child 1)
};

struct Node {
  NodeKind kind = NodeKind::kLiteral;
  size_t begin = 0;
  size_t end = 0;
  int depth = 1;  // levels of the tree below and including this node
  std::string name;
  std::string text;
  std::vector<NodePtr> children;
  std::vector<std::string> parts;
  std::vector<std::vector<std::string>> except;  // kStar
  std::shared_ptr<arrow::Scalar> value;          // kLiteral
  int input_column = -1;                         // kColumn that '*' expanded to: its place in the input
  bool distinct = false;                         // kCall: f(DISTINCT ...)
  bool star_argument = false;                    // kCall: f(*)
  bool is_row = false;                           // kCall: written (a, b)
  bool try_cast = false;                         // kCast
  bool within_group = false;                     // kCall: f(a) WITHIN GROUP (ORDER BY x), whose children are x, a, descending
  NodePtr filter;                                // kCall: FILTER (WHERE ...)
};

struct Query;
using QueryPtr = std::shared_ptr<const Query>;

struct SelectItem {
  NodePtr expression;
  std::string alias;  // empty: none
};

struct OrderItem {
  NodePtr expression;
  bool descending = false;
  std::optional<bool> nulls_first;
};

/// A table name with its time travel. The expression of TIMESTAMP AS OF is kept as written: the binder evaluates it.
struct TableName {
  std::vector<std::string> parts;
  bool is_path = false;
  std::optional<std::string> version;
  NodePtr timestamp;
  size_t position = 0;
};

/// FROM item: a table, a subquery, or VALUES.
struct FromItem {
  std::optional<TableName> table;
  QueryPtr subquery;
  std::string alias;
  std::vector<std::string> column_aliases;
  size_t position = 0;
};

/// One SELECT block.
struct Select {
  bool distinct = false;
  std::vector<SelectItem> items;
  std::optional<FromItem> from;
  NodePtr where;
  bool group_by_all = false;
  std::vector<NodePtr> group_by;
  NodePtr having;
  size_t position = 0;
};

struct NamedQuery {
  std::string name;
  std::vector<std::string> column_aliases;
  QueryPtr query;
};

/// What UNION combines: a SELECT block, VALUES rows, or a query in parentheses; exactly one is set.
struct QueryTerm {
  std::shared_ptr<const Select> select;
  std::vector<std::vector<NodePtr>> values;
  QueryPtr nested;
  bool union_distinct = false;  // joined to the terms before it by UNION (DISTINCT), not UNION ALL
  size_t position = 0;
};

/// [WITH ...] term [UNION [ALL] term]... [ORDER BY] [LIMIT] [OFFSET].
struct Query {
  std::vector<NamedQuery> with;
  std::vector<QueryTerm> terms;
  std::vector<OrderItem> order_by;
  bool order_by_all = false;
  NodePtr limit;
  NodePtr offset;
};

}  // namespace vecruntime::sql
