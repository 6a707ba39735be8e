// SPDX-License-Identifier: Apache-2.0
#include "vecruntime/sql/parser.h"

#include <algorithm>
#include <array>

#include "vecruntime/base/error.h"
#include "vecruntime/sql/parser_internal.h"

namespace vecruntime::sql {

arrow::Result<QueryPtr> ParseQuery(std::string_view sql) {
  ARROW_ASSIGN_OR_RAISE(std::vector<Token> tokens, Tokenize(sql));
  return Parser(sql, std::move(tokens)).ParseStatement();
}

// Tokens and errors.

arrow::Status Parser::CheckLevel() const {
  if (level_ <= kMaxDepth) return arrow::Status::OK();
  return InvalidAt(Peek().begin, "The statement is nested too deeply; the limit is " + std::to_string(kMaxDepth) + " levels.");
}

bool Parser::IsKeyword(std::string_view word, size_t ahead) const {
  const Token& token = Peek(ahead);
  return token.kind == TokenKind::kWord && EqualsIgnoreCase(token.text, word);
}

bool Parser::IsAnyKeyword(std::initializer_list<std::string_view> words, size_t ahead) const {
  return std::ranges::any_of(words, [&](std::string_view word) { return IsKeyword(word, ahead); });
}

bool Parser::IsSymbol(std::string_view symbol, size_t ahead) const {
  const Token& token = Peek(ahead);
  return token.kind == TokenKind::kSymbol && token.text == symbol;
}

bool Parser::TakeKeyword(std::string_view word) {
  if (!IsKeyword(word)) return false;
  ++at_;
  return true;
}

bool Parser::TakeSymbol(std::string_view symbol) {
  if (!IsSymbol(symbol)) return false;
  ++at_;
  return true;
}

arrow::Status Parser::ExpectKeyword(std::string_view word) {
  return TakeKeyword(word) ? arrow::Status::OK() : SyntaxError(word);
}

arrow::Status Parser::ExpectSymbol(std::string_view symbol) {
  return TakeSymbol(symbol) ? arrow::Status::OK() : SyntaxError("'" + std::string(symbol) + "'");
}

arrow::Result<std::string> Parser::ExpectIdentifier(std::string_view what) {
  const Token& token = Peek();
  if (token.kind != TokenKind::kWord && token.kind != TokenKind::kQuotedIdentifier) return SyntaxError(what);
  ++at_;
  return token.text;
}

arrow::Status Parser::SyntaxError(std::string_view expected) const {
  const Token& token = Peek();
  std::string message = "[PARSE_SYNTAX_ERROR] Syntax error at or near ";
  message += token.kind == TokenKind::kEnd ? "end of input" : "'" + std::string(sql_.substr(token.begin, std::min<size_t>(token.end - token.begin, 60))) + "'";
  if (!expected.empty()) message += ": expected " + std::string(expected);
  return InvalidAt(token.begin, message + ".");
}

arrow::Status Parser::InvalidAt(size_t position, std::string_view message) const {
  return base::InvalidArgument(message, " ", PointAt(sql_, position));
}

arrow::Status Parser::UnsupportedAt(size_t position, std::string_view what) const {
  return base::Unsupported("Not supported: ", what, " ", PointAt(sql_, position));
}

// Nodes.

std::shared_ptr<Node> Parser::NewNode(NodeKind kind, size_t begin) const {
  auto node = std::make_shared<Node>();
  node->kind = kind;
  node->begin = begin;
  return node;
}

arrow::Result<NodePtr> Parser::Finish(std::shared_ptr<Node> node) const {
  node->end = LastEnd();
  for (const NodePtr& child : node->children) node->depth = std::max(node->depth, child->depth + 1);
  if (node->filter) node->depth = std::max(node->depth, node->filter->depth + 1);
  if (node->depth > kMaxDepth) {
    return InvalidAt(node->begin, "The expression is nested too deeply; the limit is " + std::to_string(kMaxDepth) + " levels.");
  }
  return NodePtr(std::move(node));
}

arrow::Result<NodePtr> Parser::MakeOperator(std::string_view name, size_t begin, std::vector<NodePtr> children) const {
  auto node = NewNode(NodeKind::kOperator, begin);
  node->name = name;
  node->children = std::move(children);
  return Finish(std::move(node));
}

// Statements.

bool Parser::AtQueryStart(size_t ahead) const {
  if (IsAnyKeyword({"SELECT", "WITH"}, ahead)) return true;
  return IsKeyword("VALUES", ahead) && !IsSymbol(")", ahead + 1) && !IsSymbol(",", ahead + 1);
}

arrow::Status Parser::RefuseStatement() const {
  constexpr std::array<std::string_view, 38> kStatements = {
      "INSERT", "UPDATE", "DELETE", "MERGE", "CREATE", "ALTER", "DROP", "TRUNCATE", "CALL", "EXPLAIN", "DESCRIBE", "DESC", "SHOW",
      "USE", "SET", "RESET", "CACHE", "UNCACHE", "REFRESH", "ANALYZE", "LOAD", "MSCK", "GRANT", "REVOKE", "COMMENT", "DECLARE",
      "EXECUTE", "BEGIN", "COMMIT", "ROLLBACK", "REPLACE", "ADD", "LIST", "CLEAR", "TABLE", "FROM", "MAP", "REDUCE"};
  for (const std::string_view statement : kStatements) {
    if (IsKeyword(statement)) return UnsupportedAt(Peek().begin, "the statement " + std::string(statement) + "; only queries (SELECT) are.");
  }
  return SyntaxError("SELECT, WITH or VALUES");
}

arrow::Result<QueryPtr> Parser::ParseStatement() {
  if (Peek().kind == TokenKind::kEnd || IsSymbol(";")) {
    return InvalidAt(Peek().begin, "[PARSE_EMPTY_STATEMENT] Syntax error, unexpected empty statement.");
  }
  if (!AtQueryStart() && !IsSymbol("(")) return RefuseStatement();
  ARROW_ASSIGN_OR_RAISE(QueryPtr query, ParseQueryBody());
  while (TakeSymbol(";")) {
  }
  if (Peek().kind != TokenKind::kEnd) return SyntaxError("end of input");
  return query;
}

arrow::Result<QueryPtr> Parser::ParseQueryBody() {
  const Level level(this);
  ARROW_RETURN_NOT_OK(CheckLevel());
  auto query = std::make_shared<Query>();
  if (IsKeyword("WITH")) ARROW_RETURN_NOT_OK(ParseWith(query.get()));
  ARROW_RETURN_NOT_OK(ParseTerms(query.get()));
  ARROW_RETURN_NOT_OK(ParseOrderAndLimit(query.get()));
  return QueryPtr(std::move(query));
}

arrow::Status Parser::ParseWith(Query* query) {
  ++at_;
  if (IsKeyword("RECURSIVE")) return UnsupportedAt(Peek().begin, "WITH RECURSIVE.");
  do {
    NamedQuery named;
    const size_t position = Peek().begin;
    ARROW_ASSIGN_OR_RAISE(named.name, ExpectIdentifier("the name of a common table expression"));
    if (IsSymbol("(")) {
      ARROW_ASSIGN_OR_RAISE(named.column_aliases, ParseIdentifierList());
    }
    TakeKeyword("AS");
    ARROW_RETURN_NOT_OK(ExpectSymbol("("));
    ARROW_ASSIGN_OR_RAISE(named.query, ParseQueryBody());
    ARROW_RETURN_NOT_OK(ExpectSymbol(")"));
    for (const NamedQuery& other : query->with) {
      if (EqualsIgnoreCase(other.name, named.name)) {
        return InvalidAt(position, "[DUPLICATED_CTE_DEFINITIONS_NAMES] CTE definition can't have duplicate names: `" + named.name + "`.");
      }
    }
    query->with.push_back(std::move(named));
  } while (TakeSymbol(","));
  return arrow::Status::OK();
}

arrow::Status Parser::ParseTerms(Query* query) {
  ARROW_ASSIGN_OR_RAISE(QueryTerm first, ParseTerm());
  query->terms.push_back(std::move(first));
  for (;;) {
    if (IsAnyKeyword({"EXCEPT", "INTERSECT", "MINUS"})) return UnsupportedAt(Peek().begin, ToUpper(Peek().text) + " between queries.");
    const size_t position = Peek().begin;
    if (!TakeKeyword("UNION")) return arrow::Status::OK();
    const bool all = TakeKeyword("ALL");
    if (!all) TakeKeyword("DISTINCT");
    if (IsKeyword("BY") && IsKeyword("NAME", 1)) return UnsupportedAt(position, "UNION BY NAME.");
    ARROW_ASSIGN_OR_RAISE(QueryTerm next, ParseTerm());
    next.union_distinct = !all;
    next.position = position;
    query->terms.push_back(std::move(next));
  }
}

arrow::Result<QueryTerm> Parser::ParseTerm() {
  QueryTerm term;
  term.position = Peek().begin;
  if (IsKeyword("SELECT")) {
    ARROW_ASSIGN_OR_RAISE(term.select, ParseSelect());
  } else if (TakeKeyword("VALUES")) {
    ARROW_ASSIGN_OR_RAISE(term.values, ParseValuesRows());
  } else if (TakeSymbol("(")) {
    ARROW_ASSIGN_OR_RAISE(term.nested, ParseQueryBody());
    ARROW_RETURN_NOT_OK(ExpectSymbol(")"));
  } else if (IsKeyword("TABLE") || IsKeyword("FROM")) {
    return UnsupportedAt(Peek().begin, "a query that begins with " + ToUpper(Peek().text) + ".");
  } else {
    return SyntaxError("SELECT");
  }
  return term;
}

arrow::Status Parser::ParseOrderAndLimit(Query* query) {
  if (IsKeyword("ORDER")) {
    ++at_;
    ARROW_RETURN_NOT_OK(ExpectKeyword("BY"));
    do {
      OrderItem item;
      ARROW_ASSIGN_OR_RAISE(item.expression, ParseExpression());
      if (TakeKeyword("DESC")) {
        item.descending = true;
      } else {
        TakeKeyword("ASC");
      }
      if (TakeKeyword("NULLS")) {
        item.nulls_first = TakeKeyword("FIRST");
        if (!*item.nulls_first) ARROW_RETURN_NOT_OK(ExpectKeyword("LAST"));
      }
      query->order_by.push_back(std::move(item));
    } while (TakeSymbol(","));
    const Node& first = *query->order_by[0].expression;
    query->order_by_all = query->order_by.size() == 1 && first.kind == NodeKind::kColumn && first.parts.size() == 1 &&
                          EqualsIgnoreCase(first.parts[0], "ALL");
  }
  if (IsAnyKeyword({"SORT", "CLUSTER", "DISTRIBUTE"}) && IsKeyword("BY", 1)) return UnsupportedAt(Peek().begin, ToUpper(Peek().text) + " BY.");
  if (IsKeyword("WINDOW")) return UnsupportedAt(Peek().begin, "WINDOW definitions.");
  if (TakeKeyword("LIMIT") && !TakeKeyword("ALL")) {
    ARROW_ASSIGN_OR_RAISE(query->limit, ParseExpression());
  }
  if (TakeKeyword("OFFSET")) {
    ARROW_ASSIGN_OR_RAISE(query->offset, ParseExpression());
  }
  if (IsKeyword("FETCH")) return UnsupportedAt(Peek().begin, "FETCH; use LIMIT.");
  return arrow::Status::OK();
}

arrow::Result<std::shared_ptr<const Select>> Parser::ParseSelect() {
  auto select = std::make_shared<Select>();
  select->position = Peek().begin;
  ++at_;
  if (TakeKeyword("DISTINCT")) {
    select->distinct = true;
  } else if (IsKeyword("ALL") && !AtClauseEnd(1) && !IsSymbol(",", 1)) {
    ++at_;
  }
  do {
    ARROW_ASSIGN_OR_RAISE(SelectItem item, ParseSelectItem());
    select->items.push_back(std::move(item));
  } while (TakeSymbol(","));
  if (IsKeyword("INTO")) return SyntaxError("FROM");
  if (TakeKeyword("FROM")) {
    ARROW_ASSIGN_OR_RAISE(select->from, ParseFromItem());
    if (IsSymbol(",")) return UnsupportedAt(Peek().begin, "a join: more than one table in FROM.");
    ARROW_RETURN_NOT_OK(RefuseJoin());
  }
  if (IsKeyword("LATERAL")) return UnsupportedAt(Peek().begin, "LATERAL VIEW.");
  if (IsAnyKeyword({"PIVOT", "UNPIVOT"})) return UnsupportedAt(Peek().begin, ToUpper(Peek().text) + ".");
  if (TakeKeyword("WHERE")) {
    ARROW_ASSIGN_OR_RAISE(select->where, ParseExpression());
  }
  if (IsKeyword("GROUP")) ARROW_RETURN_NOT_OK(ParseGroupBy(select.get()));
  if (TakeKeyword("HAVING")) {
    ARROW_ASSIGN_OR_RAISE(select->having, ParseExpression());
  }
  if (IsKeyword("QUALIFY")) return UnsupportedAt(Peek().begin, "QUALIFY.");
  return std::shared_ptr<const Select>(std::move(select));
}

arrow::Status Parser::RefuseJoin() const {
  if (IsAnyKeyword({"JOIN", "INNER", "CROSS", "LEFT", "RIGHT", "FULL", "SEMI", "ANTI", "NATURAL"})) {
    return UnsupportedAt(Peek().begin, "JOIN; a query reads one table.");
  }
  if (IsKeyword("TABLESAMPLE")) return UnsupportedAt(Peek().begin, "TABLESAMPLE.");
  return arrow::Status::OK();
}

// Words that end a select item or a table and so are no alias without AS.
bool Parser::AtClauseEnd(size_t ahead) const {
  return IsAnyKeyword({"FROM",    "WHERE",  "GROUP",   "HAVING",  "ORDER",   "SORT",       "CLUSTER", "DISTRIBUTE",  "WINDOW", "LIMIT",
                       "OFFSET",  "UNION",  "EXCEPT",  "MINUS",   "INTERSECT", "JOIN",     "INNER",   "CROSS",       "LEFT",   "RIGHT",
                       "FULL",    "SEMI",   "ANTI",    "NATURAL", "ON",      "USING",      "LATERAL", "PIVOT",       "UNPIVOT", "TABLESAMPLE",
                       "QUALIFY", "INTO",   "AS",      "AND",     "OR",      "NOT",        "IS",      "IN",          "BETWEEN", "LIKE",
                       "ILIKE",   "RLIKE",  "REGEXP",  "ESCAPE",  "OVER",    "FETCH",      "WHEN",    "THEN",        "ELSE",   "COLLATE",
                       "DIV",     "FILTER", "WITHIN",  "SELECT",  "TO",      "BY"},
                      ahead) ||
         Peek(ahead).kind == TokenKind::kEnd || IsSymbol(")", ahead) || IsSymbol(";", ahead);
}

arrow::Result<SelectItem> Parser::ParseSelectItem() {
  SelectItem item;
  ARROW_ASSIGN_OR_RAISE(item.expression, ParseExpression());
  if (TakeKeyword("AS")) {
    if (IsSymbol("(")) return UnsupportedAt(Peek().begin, "a list of aliases for one expression.");
    ARROW_ASSIGN_OR_RAISE(item.alias, ExpectIdentifier("an alias"));
  } else if (Peek().kind == TokenKind::kQuotedIdentifier || (Peek().kind == TokenKind::kWord && !AtClauseEnd())) {
    ARROW_ASSIGN_OR_RAISE(item.alias, ExpectIdentifier("an alias"));
  }
  return item;
}

arrow::Status Parser::ParseGroupBy(Select* select) {
  ++at_;
  ARROW_RETURN_NOT_OK(ExpectKeyword("BY"));
  do {
    if (IsAnyKeyword({"ROLLUP", "CUBE"}) && IsSymbol("(", 1)) return UnsupportedAt(Peek().begin, ToUpper(Peek().text) + ".");
    if (IsKeyword("GROUPING") && IsKeyword("SETS", 1)) return UnsupportedAt(Peek().begin, "GROUPING SETS.");
    ARROW_ASSIGN_OR_RAISE(NodePtr key, ParseExpression());
    select->group_by.push_back(std::move(key));
  } while (TakeSymbol(","));
  if (IsKeyword("WITH") && IsAnyKeyword({"ROLLUP", "CUBE"}, 1)) return UnsupportedAt(Peek().begin, "WITH " + ToUpper(Peek(1).text) + ".");
  if (IsKeyword("GROUPING") && IsKeyword("SETS", 1)) return UnsupportedAt(Peek().begin, "GROUPING SETS.");
  const Node& first = *select->group_by[0];
  select->group_by_all = select->group_by.size() == 1 && first.kind == NodeKind::kColumn && first.parts.size() == 1 &&
                         EqualsIgnoreCase(first.parts[0], "ALL");
  return arrow::Status::OK();
}

// FROM.

arrow::Result<FromItem> Parser::ParseFromItem() {
  FromItem item;
  item.position = Peek().begin;
  if (TakeKeyword("VALUES")) {
    auto query = std::make_shared<Query>();
    QueryTerm term;
    term.position = item.position;
    ARROW_ASSIGN_OR_RAISE(term.values, ParseValuesRows());
    query->terms.push_back(std::move(term));
    item.subquery = std::move(query);
  } else if (IsSymbol("(")) {
    const Level level(this);
    ARROW_RETURN_NOT_OK(CheckLevel());
    ++at_;
    if (AtQueryStart() || IsSymbol("(")) {
      ARROW_ASSIGN_OR_RAISE(item.subquery, ParseQueryBody());
    } else {
      ARROW_ASSIGN_OR_RAISE(item, ParseFromItem());
      ARROW_RETURN_NOT_OK(RefuseJoin());
    }
    ARROW_RETURN_NOT_OK(ExpectSymbol(")"));
  } else {
    if (IsKeyword("LATERAL")) return UnsupportedAt(Peek().begin, "LATERAL.");
    ARROW_ASSIGN_OR_RAISE(item.table, ParseTableName());
    if (IsSymbol("(")) return UnsupportedAt(item.position, "the table-valued function " + item.table->parts.back() + ".");
    ARROW_RETURN_NOT_OK(ParseTimeTravel(&*item.table));
  }
  ARROW_RETURN_NOT_OK(ParseFromAlias(&item));
  return item;
}

arrow::Status Parser::ParseFromAlias(FromItem* item) {
  const bool explicit_alias = TakeKeyword("AS");
  if (explicit_alias || Peek().kind == TokenKind::kQuotedIdentifier || (Peek().kind == TokenKind::kWord && !AtClauseEnd())) {
    ARROW_ASSIGN_OR_RAISE(item->alias, ExpectIdentifier("a table alias"));
    if (IsSymbol("(")) {
      ARROW_ASSIGN_OR_RAISE(item->column_aliases, ParseIdentifierList());
    }
  }
  if (IsAnyKeyword({"VERSION", "SYSTEM_VERSION", "TIMESTAMP", "SYSTEM_TIME", "FOR"})) return SyntaxError("time travel before the table's alias");
  return arrow::Status::OK();
}

arrow::Result<TableName> Parser::ParseTableName() {
  TableName table;
  table.position = Peek().begin;
  if (Peek().kind == TokenKind::kString) {
    table.parts.push_back(Peek().text);
    table.is_path = true;
    ++at_;
    return table;
  }
  const bool quoted_path = Peek().kind == TokenKind::kQuotedIdentifier && Peek().text.find('/') != std::string::npos;
  do {
    ARROW_ASSIGN_OR_RAISE(std::string part, ExpectIdentifier("a table name"));
    table.parts.push_back(std::move(part));
  } while (TakeSymbol("."));
  table.is_path = quoted_path && table.parts.size() == 1;
  return table;
}

arrow::Status Parser::ParseTimeTravel(TableName* table) {
  const size_t skip = IsKeyword("FOR") ? 1 : 0;
  const bool version = IsAnyKeyword({"VERSION", "SYSTEM_VERSION"}, skip);
  const bool timestamp = IsAnyKeyword({"TIMESTAMP", "SYSTEM_TIME"}, skip);
  if ((!version && !timestamp) || !IsKeyword("AS", skip + 1) || !IsKeyword("OF", skip + 2)) return arrow::Status::OK();
  at_ += skip + 3;
  if (timestamp) {
    ARROW_ASSIGN_OR_RAISE(table->timestamp, ParseValue(0));
    return arrow::Status::OK();
  }
  const Token& token = Peek();
  const bool digits = token.kind == TokenKind::kNumber && std::ranges::all_of(token.text, [](char c) { return c >= '0' && c <= '9'; });
  if (!digits && token.kind != TokenKind::kString) return SyntaxError("a snapshot id, or a branch or tag name in quotes");
  table->version = token.text;
  ++at_;
  return arrow::Status::OK();
}

arrow::Result<std::vector<std::vector<NodePtr>>> Parser::ParseValuesRows() {
  std::vector<std::vector<NodePtr>> rows;
  do {
    const size_t position = Peek().begin;
    ARROW_ASSIGN_OR_RAISE(NodePtr row, ParseExpression());
    std::vector<NodePtr> cells;
    // `(1, 2)` reads as a struct; here it is a row.
    if (row->is_row) {
      for (size_t i = 1; i < row->children.size(); i += 2) cells.push_back(row->children[i]);
    } else {
      cells.push_back(std::move(row));
    }
    if (!rows.empty() && cells.size() != rows[0].size()) {
      return InvalidAt(position, "[INVALID_INLINE_TABLE.NUM_COLUMNS_MISMATCH] VALUES rows have different numbers of columns: " +
                                     std::to_string(rows[0].size()) + " and " + std::to_string(cells.size()) + ".");
    }
    rows.push_back(std::move(cells));
  } while (TakeSymbol(","));
  return rows;
}

arrow::Result<std::vector<std::string>> Parser::ParseIdentifierList() {
  ARROW_RETURN_NOT_OK(ExpectSymbol("("));
  std::vector<std::string> names;
  do {
    ARROW_ASSIGN_OR_RAISE(std::string name, ExpectIdentifier("a column name"));
    names.push_back(std::move(name));
  } while (TakeSymbol(","));
  ARROW_RETURN_NOT_OK(ExpectSymbol(")"));
  return names;
}

}  // namespace vecruntime::sql
