// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <array>
#include <iterator>

#include "vecruntime/base/error.h"
#include "vecruntime/sql/parser_internal.h"

namespace vecruntime::sql {
namespace {

struct BinaryOperator {
  std::string_view symbol;
  int precedence;
  std::string_view name;
};

// Loosest first; all associate to the left.
constexpr std::array<BinaryOperator, 23> kBinaryOperators = {{
    {"=", 1, "="},   {"==", 1, "="},  {"<>", 1, "<>"}, {"!=", 1, "<>"}, {"<", 1, "<"},   {"<=", 1, "<="}, {"!>", 1, "<="}, {">", 1, ">"},
    {">=", 1, ">="}, {"!<", 1, ">="}, {"<=>", 1, "<=>"}, {"|", 2, "|"}, {"^", 3, "^"},   {"&", 4, "&"},   {"<<", 5, "<<"}, {">>", 5, ">>"},
    {">>>", 5, ">>>"}, {"+", 6, "+"}, {"-", 6, "-"},   {"||", 6, "||"}, {"*", 7, "*"},   {"/", 7, "/"},   {"%", 7, "%"},
}};
constexpr int kMultiplicative = 7;

// The name of a struct's field: its alias, its column's name, else its place.
std::string FieldName(const Node& value, const std::string& alias, size_t place) {
  if (!alias.empty()) return alias;
  return value.kind == NodeKind::kColumn ? value.parts.back() : "col" + std::to_string(place);
}

// Words that never begin an expression; a syntax error here reads better than one further on.
constexpr std::array<std::string_view, 22> kNeverExpressions = {"SELECT", "FROM",  "WHERE", "HAVING", "UNION", "AND",   "OR",  "IN",
                                                                "BETWEEN", "IS",   "WHEN",  "THEN",   "ELSE",  "ON",    "USING", "JOIN",
                                                                "AS",      "BY",   "DISTINCT", "EXCEPT", "INTERSECT", "WITH"};

}  // namespace

arrow::Result<NodePtr> Parser::MakeBalanced(std::string_view name, const std::vector<NodePtr>& operands, size_t low, size_t high) const {
  // Spark's shape (reduceToExpressionTree), which its column names show; it also keeps long chains shallow.
  if (low == high) return operands[low];
  const size_t middle = low + (high - low) / 2;
  const bool pair = high - low == 1;
  ARROW_ASSIGN_OR_RAISE(NodePtr left, MakeBalanced(name, operands, low, pair ? low : middle));
  ARROW_ASSIGN_OR_RAISE(NodePtr right, MakeBalanced(name, operands, pair ? high : middle + 1, high));
  const size_t begin = left->begin;
  return MakeOperator(name, begin, {std::move(left), std::move(right)});
}

arrow::Result<NodePtr> Parser::ParseExpression() {
  std::vector<NodePtr> operands;
  do {
    ARROW_ASSIGN_OR_RAISE(NodePtr operand, ParseAnd());
    operands.push_back(std::move(operand));
  } while (TakeKeyword("OR"));
  return MakeBalanced("or", operands, 0, operands.size() - 1);
}

arrow::Result<NodePtr> Parser::ParseAnd() {
  std::vector<NodePtr> operands;
  do {
    ARROW_ASSIGN_OR_RAISE(NodePtr operand, ParseNot());
    operands.push_back(std::move(operand));
  } while (TakeKeyword("AND"));
  return MakeBalanced("and", operands, 0, operands.size() - 1);
}

arrow::Result<NodePtr> Parser::ParseNot() {
  const size_t begin = Peek().begin;
  const bool word = IsKeyword("NOT");
  if (!word && !IsSymbol("!")) return ParsePredicated();
  const Level level(this);
  ARROW_RETURN_NOT_OK(CheckLevel());
  ++at_;
  ARROW_ASSIGN_OR_RAISE(NodePtr operand, ParseNot());
  return MakeOperator("not", begin, {std::move(operand)});
}

arrow::Result<NodePtr> Parser::ParsePredicated() {
  const size_t begin = Peek().begin;
  if (IsKeyword("EXISTS") && IsSymbol("(", 1) && AtQueryStart(2)) return UnsupportedAt(begin, "EXISTS with a subquery.");
  ARROW_ASSIGN_OR_RAISE(NodePtr value, ParseValue(0));
  return ParsePredicate(std::move(value), begin);
}

arrow::Result<NodePtr> Parser::ParsePredicate(NodePtr value, size_t begin) {
  if (IsKeyword("IS")) return ParseIs(std::move(value), begin);
  const bool negated = IsAnyKeyword({"NOT"}) && IsAnyKeyword({"BETWEEN", "IN", "LIKE", "ILIKE", "RLIKE", "REGEXP"}, 1);
  if (negated) ++at_;
  const bool quantified = IsAnyKeyword({"LIKE", "ILIKE"}) && IsAnyKeyword({"ANY", "SOME", "ALL"}, 1) && IsSymbol("(", 2);
  if (quantified) return ParseQuantifiedLike(std::move(value), begin, negated);
  NodePtr predicate;
  if (TakeKeyword("BETWEEN")) {
    ARROW_ASSIGN_OR_RAISE(NodePtr low, ParseValue(0));
    ARROW_RETURN_NOT_OK(ExpectKeyword("AND"));
    ARROW_ASSIGN_OR_RAISE(NodePtr high, ParseValue(0));
    ARROW_ASSIGN_OR_RAISE(predicate, MakeOperator("between", begin, {std::move(value), std::move(low), std::move(high)}));
  } else if (IsKeyword("IN")) {
    ARROW_ASSIGN_OR_RAISE(predicate, ParseIn(std::move(value), begin));
  } else if (IsAnyKeyword({"LIKE", "ILIKE"})) {
    ARROW_ASSIGN_OR_RAISE(predicate, ParseLike(std::move(value), begin));
  } else if (TakeKeyword("RLIKE") || TakeKeyword("REGEXP")) {
    ARROW_ASSIGN_OR_RAISE(NodePtr pattern, ParseValue(0));
    ARROW_ASSIGN_OR_RAISE(predicate, MakeOperator("rlike", begin, {std::move(value), std::move(pattern)}));
  } else {
    return value;
  }
  if (!negated) return predicate;
  return MakeOperator("not", begin, {std::move(predicate)});
}

arrow::Result<NodePtr> Parser::ParseIs(NodePtr value, size_t begin) {
  ++at_;
  bool negated = TakeKeyword("NOT");
  NodePtr predicate;
  if (TakeKeyword("NULL") || TakeKeyword("UNKNOWN")) {
    return MakeOperator(negated ? "is not null" : "is null", begin, {std::move(value)});
  }
  if (IsAnyKeyword({"TRUE", "FALSE"})) {
    const std::string name = "is " + ToLower(Peek().text);
    ++at_;
    ARROW_ASSIGN_OR_RAISE(predicate, MakeOperator(name, begin, {std::move(value)}));
  } else if (TakeKeyword("DISTINCT")) {
    ARROW_RETURN_NOT_OK(ExpectKeyword("FROM"));
    ARROW_ASSIGN_OR_RAISE(NodePtr other, ParseValue(0));
    ARROW_ASSIGN_OR_RAISE(predicate, MakeOperator("<=>", begin, {std::move(value), std::move(other)}));
    negated = !negated;
  } else {
    return SyntaxError("NULL, TRUE, FALSE, UNKNOWN or DISTINCT FROM");
  }
  if (!negated) return predicate;
  return MakeOperator("not", begin, {std::move(predicate)});
}

arrow::Result<NodePtr> Parser::ParseIn(NodePtr value, size_t begin) {
  const size_t position = Peek().begin;
  ++at_;
  ARROW_RETURN_NOT_OK(ExpectSymbol("("));
  if (AtQueryStart()) return UnsupportedAt(position, "IN with a subquery.");
  std::vector<NodePtr> operands{std::move(value)};
  do {
    ARROW_ASSIGN_OR_RAISE(NodePtr element, ParseExpression());
    operands.push_back(std::move(element));
  } while (TakeSymbol(","));
  ARROW_RETURN_NOT_OK(ExpectSymbol(")"));
  return MakeOperator("in", begin, std::move(operands));
}

// x NOT LIKE ANY (p, q) is x NOT LIKE p OR x NOT LIKE q, which is not NOT (x LIKE ANY (p, q)); so the negation is part of the name.
arrow::Result<NodePtr> Parser::ParseQuantifiedLike(NodePtr value, size_t begin, bool negated) {
  const std::string name = (negated ? "not " : "") + ToLower(Peek().text) + (IsKeyword("ALL", 1) ? " all" : " any");
  at_ += 3;
  if (AtQueryStart()) return UnsupportedAt(Peek().begin, "LIKE with a subquery.");
  std::vector<NodePtr> operands{std::move(value)};
  do {
    ARROW_ASSIGN_OR_RAISE(NodePtr pattern, ParseExpression());
    operands.push_back(std::move(pattern));
  } while (TakeSymbol(","));
  ARROW_RETURN_NOT_OK(ExpectSymbol(")"));
  return MakeOperator(name, begin, std::move(operands));
}

arrow::Result<NodePtr> Parser::ParseLike(NodePtr value, size_t begin) {
  const std::string name = ToLower(Peek().text);
  ++at_;
  std::vector<NodePtr> operands{std::move(value)};
  ARROW_ASSIGN_OR_RAISE(NodePtr pattern, ParseValue(0));
  operands.push_back(std::move(pattern));
  if (TakeKeyword("ESCAPE")) {
    const Token& escape = Peek();
    if (escape.kind != TokenKind::kString) return SyntaxError("the escape character in quotes");
    if (escape.text.size() != 1) return InvalidAt(escape.begin, "[INVALID_ESCAPE_CHAR] `EscapeChar` should be a string literal of length one.");
    operands.push_back(StringLiteral(escape.text, escape.begin));
    ++at_;
  }
  return MakeOperator(name, begin, std::move(operands));
}

arrow::Result<NodePtr> Parser::ParseValue(int min_precedence) {
  const size_t begin = Peek().begin;
  ARROW_ASSIGN_OR_RAISE(NodePtr left, ParseUnary());
  for (;;) {
    std::string_view name;
    int precedence = 0;
    if (IsKeyword("DIV")) {
      name = "div";
      precedence = kMultiplicative;
    } else if (Peek().kind == TokenKind::kSymbol) {
      const auto* found = std::ranges::find(kBinaryOperators, std::string_view(Peek().text), &BinaryOperator::symbol);
      if (found == kBinaryOperators.end()) return left;
      name = found->name;
      precedence = found->precedence;
    } else {
      return left;
    }
    if (precedence <= min_precedence) return left;
    ++at_;
    ARROW_ASSIGN_OR_RAISE(NodePtr right, ParseValue(precedence));
    const bool not_equal = name == "<>";
    ARROW_ASSIGN_OR_RAISE(left, MakeOperator(not_equal ? "=" : name, begin, {std::move(left), std::move(right)}));
    if (not_equal) {
      ARROW_ASSIGN_OR_RAISE(left, MakeOperator("not", begin, {std::move(left)}));
    }
  }
}

// Every nested expression but NOT passes here, so this is where nesting is counted.
arrow::Result<NodePtr> Parser::ParseUnary() {
  const Level level(this);
  ARROW_RETURN_NOT_OK(CheckLevel());
  const size_t begin = Peek().begin;
  const bool minus = IsSymbol("-");
  if (!minus && !IsSymbol("+") && !IsSymbol("~")) return ParsePostfix();
  if (minus && Peek(1).kind == TokenKind::kNumber) return ParsePostfix();
  const std::string_view name = minus ? "negative" : (IsSymbol("+") ? "positive" : "~");
  ++at_;
  ARROW_ASSIGN_OR_RAISE(NodePtr operand, ParseUnary());
  return MakeOperator(name, begin, {std::move(operand)});
}

arrow::Result<NodePtr> Parser::ParsePostfix() {
  const size_t begin = Peek().begin;
  ARROW_ASSIGN_OR_RAISE(NodePtr node, ParsePrimary());
  for (;;) {
    if (IsSymbol("[")) {
      ++at_;
      auto element = NewNode(NodeKind::kElement, begin);
      ARROW_ASSIGN_OR_RAISE(NodePtr index, ParseValue(0));
      ARROW_RETURN_NOT_OK(ExpectSymbol("]"));
      element->children = {std::move(node), std::move(index)};
      ARROW_ASSIGN_OR_RAISE(node, Finish(std::move(element)));
    } else if (IsSymbol(".") && node->kind != NodeKind::kStar) {
      ++at_;
      auto field = NewNode(NodeKind::kField, begin);
      ARROW_ASSIGN_OR_RAISE(field->name, ExpectIdentifier("a field name"));
      field->children = {std::move(node)};
      ARROW_ASSIGN_OR_RAISE(node, Finish(std::move(field)));
    } else if (TakeSymbol("::")) {
      auto cast = NewNode(NodeKind::kCast, begin);
      ARROW_ASSIGN_OR_RAISE(cast->text, ParseTypeText());
      cast->children = {std::move(node)};
      ARROW_ASSIGN_OR_RAISE(node, Finish(std::move(cast)));
    } else if (IsSymbol("->")) {
      return ParseLambda(*node, begin);
    } else if (IsSymbol(":")) {
      return UnsupportedAt(Peek().begin, "semi-structured access with ':'.");
    } else if (IsKeyword("COLLATE")) {
      if (!IsKeyword("UTF8_BINARY", 1)) return UnsupportedAt(Peek().begin, "a collation other than UTF8_BINARY.");
      auto collate = NewNode(NodeKind::kCall, begin);
      collate->name = "collate";
      collate->children = {std::move(node), StringLiteral(Peek(1).text, Peek(1).begin)};
      at_ += 2;
      ARROW_ASSIGN_OR_RAISE(node, Finish(std::move(collate)));
    } else {
      return node;
    }
  }
}

// x -> body or (x, y) -> body; what stands before the arrow has been parsed as a name or as a row of names.
arrow::Result<NodePtr> Parser::ParseLambda(const Node& parameters, size_t begin) {
  const auto is_name = [](const Node& node) { return node.kind == NodeKind::kColumn && node.parts.size() == 1; };
  auto lambda = NewNode(NodeKind::kLambda, begin);
  if (is_name(parameters) && parameters.begin == begin) {
    lambda->parts = parameters.parts;
  } else if (parameters.is_row) {
    for (size_t i = 1; i < parameters.children.size(); i += 2) {
      if (!is_name(*parameters.children[i])) return SyntaxError("names before '->'");
      lambda->parts.push_back(parameters.children[i]->parts[0]);
    }
  } else {
    return SyntaxError("a name, or names in parentheses, before '->'");
  }
  ++at_;
  ARROW_ASSIGN_OR_RAISE(NodePtr body, ParseExpression());
  lambda->children = {std::move(body)};
  return Finish(std::move(lambda));
}

arrow::Result<NodePtr> Parser::ParsePrimary() {
  const Token& token = Peek();
  switch (token.kind) {
    case TokenKind::kNumber: {
      return ParseNumber(/*negative=*/false, token.begin);
    }
    case TokenKind::kString:
      return ParseString();
    case TokenKind::kQuotedIdentifier:
      return ParseNameOrCall();
    case TokenKind::kWord:
      return ParseWord();
    case TokenKind::kSymbol:
      break;
    case TokenKind::kEnd:
      return SyntaxError("an expression");
  }
  const size_t begin = token.begin;
  if (IsSymbol("(")) return ParseParenthesised();
  if (TakeSymbol("-")) return ParseNumber(/*negative=*/true, begin);
  if (TakeSymbol("*")) {
    auto star = NewNode(NodeKind::kStar, begin);
    ARROW_RETURN_NOT_OK(ParseExcept(star.get()));
    return Finish(std::move(star));
  }
  if (IsSymbol("?") || IsSymbol(":")) return UnsupportedAt(begin, "statement parameters.");
  return SyntaxError("an expression");
}

arrow::Status Parser::ParseExcept(Node* star) {
  if (!IsKeyword("EXCEPT") || !IsSymbol("(", 1) || AtQueryStart(2)) return arrow::Status::OK();
  at_ += 2;
  do {
    std::vector<std::string> parts;
    do {
      ARROW_ASSIGN_OR_RAISE(std::string part, ExpectIdentifier("a column name"));
      parts.push_back(std::move(part));
    } while (TakeSymbol("."));
    star->except.push_back(std::move(parts));
  } while (TakeSymbol(","));
  return ExpectSymbol(")");
}

arrow::Result<NodePtr> Parser::ParseParenthesised() {
  const size_t begin = Peek().begin;
  ++at_;
  if (AtQueryStart()) return UnsupportedAt(begin, "a scalar subquery.");
  ARROW_ASSIGN_OR_RAISE(NodePtr first, ParseExpression());
  if (TakeSymbol(")")) return first;
  if (!IsSymbol(",")) return SyntaxError("')'");
  // A row constructor is Spark's named_struct of its fields.
  auto row = NewNode(NodeKind::kCall, begin);
  row->name = "named_struct";
  row->is_row = true;
  std::vector<NodePtr> fields{std::move(first)};
  while (TakeSymbol(",")) {
    ARROW_ASSIGN_OR_RAISE(NodePtr next, ParseExpression());
    fields.push_back(std::move(next));
  }
  for (NodePtr& field : fields) {
    row->children.push_back(StringLiteral(FieldName(*field, "", row->children.size() / 2 + 1), field->begin));
    row->children.push_back(std::move(field));
  }
  ARROW_RETURN_NOT_OK(ExpectSymbol(")"));
  return Finish(std::move(row));
}

arrow::Result<NodePtr> Parser::ParseWord() {
  const size_t begin = Peek().begin;
  if (Peek(1).kind == TokenKind::kString && IsAnyKeyword({"DATE", "TIMESTAMP", "TIMESTAMP_LTZ", "TIMESTAMP_NTZ", "X", "TIME"})) {
    return ParseTypedLiteral();
  }
  if (AtInterval()) return ParseInterval();
  const bool bare = !IsSymbol("(", 1) && !IsSymbol(".", 1);
  if (bare && TakeKeyword("NULL")) return NullLiteral(begin);
  if (bare && TakeKeyword("TRUE")) return BooleanLiteral(true, begin);
  if (bare && TakeKeyword("FALSE")) return BooleanLiteral(false, begin);
  if (IsKeyword("CASE") && !IsSymbol(",", 1) && !AtClauseEnd(1)) return ParseCase();
  if (IsKeyword("CASE") && IsKeyword("WHEN", 1)) return ParseCase();
  const std::string word = ToUpper(Peek().text);
  if (bare && IsAnyKeyword({"CURRENT_DATE", "CURRENT_TIMESTAMP", "CURRENT_TIME", "CURRENT_USER", "USER", "SESSION_USER"})) {
    ++at_;
    auto call = NewNode(NodeKind::kCall, begin);
    call->name = ToLower(word);
    call->text = sql_.substr(begin, LastEnd() - begin);  // may turn out to be a column of that name
    return Finish(std::move(call));
  }
  if (IsSymbol("(", 1)) {
    bool matched = true;
    ARROW_ASSIGN_OR_RAISE(NodePtr node, ParseSpecialForm(word, &matched));
    if (matched) return node;
  }
  const bool clause = IsAnyKeyword({"GROUP", "ORDER"}) && IsKeyword("BY", 1);
  if (clause || (bare && std::ranges::find(kNeverExpressions, word) != kNeverExpressions.end())) return SyntaxError("an expression");
  return ParseNameOrCall();
}

arrow::Result<NodePtr> Parser::ParseSpecialForm(std::string_view word, bool* matched) {
  if (word == "CAST") return ParseCast(/*try_cast=*/false);
  if (word == "TRY_CAST") return ParseCast(/*try_cast=*/true);
  if (word == "EXTRACT") return ParseExtract();
  if (word == "TRIM") return ParseTrim();
  if (word == "SUBSTRING" || word == "SUBSTR") return ParseSubstring();
  if (word == "POSITION") return ParsePosition();
  if (word == "OVERLAY") return ParseOverlay();
  if (word == "STRUCT") return ParseStruct();
  if (word == "DATEADD" || word == "DATE_ADD" || word == "TIMESTAMPADD" || word == "DATEDIFF" || word == "DATE_DIFF" ||
      word == "TIMEDIFF" || word == "TIMESTAMPDIFF") {
    return ParseTimestampArithmetic();
  }
  *matched = false;
  return NodePtr();
}

arrow::Result<NodePtr> Parser::ParseCase() {
  const size_t begin = Peek().begin;
  ++at_;
  auto node = NewNode(NodeKind::kCase, begin);
  NodePtr operand;
  if (!IsKeyword("WHEN")) {
    ARROW_ASSIGN_OR_RAISE(operand, ParseExpression());
  }
  if (!IsKeyword("WHEN")) return SyntaxError("WHEN");
  while (TakeKeyword("WHEN")) {
    const size_t when_begin = Peek().begin;
    ARROW_ASSIGN_OR_RAISE(NodePtr when, ParseExpression());
    if (operand) {
      ARROW_ASSIGN_OR_RAISE(when, MakeOperator("=", when_begin, {operand, std::move(when)}));
    }
    ARROW_RETURN_NOT_OK(ExpectKeyword("THEN"));
    ARROW_ASSIGN_OR_RAISE(NodePtr then, ParseExpression());
    node->children.push_back(std::move(when));
    node->children.push_back(std::move(then));
  }
  if (TakeKeyword("ELSE")) {
    ARROW_ASSIGN_OR_RAISE(NodePtr otherwise, ParseExpression());
    node->children.push_back(std::move(otherwise));
  }
  ARROW_RETURN_NOT_OK(ExpectKeyword("END"));
  return Finish(std::move(node));
}

arrow::Result<NodePtr> Parser::ParseCast(bool try_cast) {
  auto node = NewNode(NodeKind::kCast, Peek().begin);
  at_ += 2;
  node->try_cast = try_cast;
  ARROW_ASSIGN_OR_RAISE(NodePtr child, ParseExpression());
  node->children.push_back(std::move(child));
  ARROW_RETURN_NOT_OK(ExpectKeyword("AS"));
  ARROW_ASSIGN_OR_RAISE(node->text, ParseTypeText());
  ARROW_RETURN_NOT_OK(ExpectSymbol(")"));
  return Finish(std::move(node));
}

// The source text of a type: a name, then balanced (...) or <...>. Interval types and TIMESTAMP WITHOUT TIME ZONE have several words.
arrow::Result<std::string> Parser::ParseTypeText() {
  const size_t begin = Peek().begin;
  const bool interval = IsKeyword("INTERVAL");
  const bool timestamp = IsKeyword("TIMESTAMP");
  ARROW_RETURN_NOT_OK(ExpectIdentifier("a type").status());
  if (interval) {
    if (IsAnyKeyword({"YEAR", "MONTH", "DAY", "HOUR", "MINUTE", "SECOND"})) ++at_;
    if (TakeKeyword("TO")) ARROW_RETURN_NOT_OK(ExpectIdentifier("an interval unit").status());
  } else if (timestamp && IsAnyKeyword({"WITH", "WITHOUT"}) && IsKeyword("TIME", 1) && IsKeyword("ZONE", 2)) {
    at_ += 3;
  } else if (IsSymbol("(") || IsSymbol("<")) {
    int depth = 0;
    do {
      if (Peek().kind == TokenKind::kEnd) return SyntaxError("the end of the type");
      const std::string& text = Peek().text;
      if (Peek().kind == TokenKind::kSymbol) {
        if (text == "(" || text == "<") ++depth;
        if (text == ")" || text == ">") --depth;
        if (text == ">>") depth -= 2;
        if (text == ">>>") depth -= 3;
      }
      ++at_;
      if (depth > 64) return InvalidAt(begin, "The type is nested too deeply.");
    } while (depth > 0);
    if (depth < 0) return InvalidAt(begin, "[PARSE_SYNTAX_ERROR] Syntax error in a type.");
  } else if (TakeSymbol("<>")) {
    // STRUCT<> has no fields.
  }
  return std::string(sql_.substr(begin, LastEnd() - begin));
}

arrow::Result<NodePtr> Parser::ParseExtract() {
  auto node = NewNode(NodeKind::kExtract, Peek().begin);
  at_ += 2;
  if (Peek().kind == TokenKind::kString) {
    node->name = Peek().text;
    ++at_;
  } else {
    ARROW_ASSIGN_OR_RAISE(node->name, ExpectIdentifier("a field such as YEAR"));
  }
  ARROW_RETURN_NOT_OK(ExpectKeyword("FROM"));
  ARROW_ASSIGN_OR_RAISE(NodePtr source, ParseValue(0));
  node->children.push_back(std::move(source));
  ARROW_RETURN_NOT_OK(ExpectSymbol(")"));
  return Finish(std::move(node));
}

arrow::Result<NodePtr> Parser::ParseTrim() {
  const size_t begin = Peek().begin;
  const bool side = IsAnyKeyword({"BOTH", "LEADING", "TRAILING"}, 2) && !IsSymbol(")", 3) && !IsSymbol(",", 3);
  std::string mode = side ? ToUpper(Peek(2).text) : "BOTH";
  std::string name = Peek().text;
  at_ += side ? 3 : 2;
  if (!side && IsSymbol(")")) return ParseArguments(std::move(name), begin, nullptr);
  NodePtr characters;
  if (!IsKeyword("FROM") || !side) {
    ARROW_ASSIGN_OR_RAISE(characters, ParseValue(0));
  }
  if (!TakeKeyword("FROM")) {
    if (side) return SyntaxError("FROM");
    return ParseArguments(std::move(name), begin, std::move(characters));
  }
  ARROW_ASSIGN_OR_RAISE(NodePtr source, ParseValue(0));
  ARROW_RETURN_NOT_OK(ExpectSymbol(")"));
  if (!characters) {
    auto call = NewNode(NodeKind::kCall, begin);
    call->name = mode == "BOTH" ? "trim" : (mode == "LEADING" ? "ltrim" : "rtrim");
    call->children = {std::move(source)};
    return Finish(std::move(call));
  }
  auto node = NewNode(NodeKind::kTrim, begin);
  node->name = std::move(mode);
  node->children = {std::move(characters), std::move(source)};
  return Finish(std::move(node));
}

arrow::Result<NodePtr> Parser::ParseSubstring() {
  const size_t begin = Peek().begin;
  std::string name = Peek().text;
  at_ += 2;
  if (IsSymbol(")")) return ParseArguments(std::move(name), begin, nullptr);
  ARROW_ASSIGN_OR_RAISE(NodePtr source, ParseValue(0));
  if (!TakeKeyword("FROM")) return ParseArguments(std::move(name), begin, std::move(source));
  auto call = NewNode(NodeKind::kCall, begin);
  call->name = "substring";
  call->children.push_back(std::move(source));
  ARROW_ASSIGN_OR_RAISE(NodePtr from, ParseValue(0));
  call->children.push_back(std::move(from));
  if (TakeKeyword("FOR")) {
    ARROW_ASSIGN_OR_RAISE(NodePtr length, ParseValue(0));
    call->children.push_back(std::move(length));
  }
  ARROW_RETURN_NOT_OK(ExpectSymbol(")"));
  return Finish(std::move(call));
}

arrow::Result<NodePtr> Parser::ParsePosition() {
  const size_t begin = Peek().begin;
  std::string name = Peek().text;
  at_ += 2;
  if (IsSymbol(")")) return ParseArguments(std::move(name), begin, nullptr);
  ARROW_ASSIGN_OR_RAISE(NodePtr needle, ParseValue(0));
  if (!TakeKeyword("IN")) return ParseArguments(std::move(name), begin, std::move(needle));
  auto call = NewNode(NodeKind::kCall, begin);
  call->name = "locate";
  ARROW_ASSIGN_OR_RAISE(NodePtr haystack, ParseValue(0));
  call->children = {std::move(needle), std::move(haystack)};
  ARROW_RETURN_NOT_OK(ExpectSymbol(")"));
  return Finish(std::move(call));
}

arrow::Result<NodePtr> Parser::ParseOverlay() {
  const size_t begin = Peek().begin;
  std::string name = Peek().text;
  at_ += 2;
  if (IsSymbol(")")) return ParseArguments(std::move(name), begin, nullptr);
  ARROW_ASSIGN_OR_RAISE(NodePtr source, ParseValue(0));
  if (!TakeKeyword("PLACING")) return ParseArguments(std::move(name), begin, std::move(source));
  auto call = NewNode(NodeKind::kCall, begin);
  call->name = "overlay";
  ARROW_ASSIGN_OR_RAISE(NodePtr replacement, ParseValue(0));
  ARROW_RETURN_NOT_OK(ExpectKeyword("FROM"));
  ARROW_ASSIGN_OR_RAISE(NodePtr from, ParseValue(0));
  call->children = {std::move(source), std::move(replacement), std::move(from)};
  if (TakeKeyword("FOR")) {
    ARROW_ASSIGN_OR_RAISE(NodePtr length, ParseValue(0));
    call->children.push_back(std::move(length));
  }
  ARROW_RETURN_NOT_OK(ExpectSymbol(")"));
  return Finish(std::move(call));
}

// struct(a AS x, b): an aliased field makes it named_struct; `parts` keeps the aliases for its column name.
arrow::Result<NodePtr> Parser::ParseStruct() {
  auto call = NewNode(NodeKind::kCall, Peek().begin);
  call->name = Peek().text;
  at_ += 2;
  if (TakeSymbol(")")) return Finish(std::move(call));
  std::vector<NodePtr> named;
  bool any_alias = false;
  do {
    ARROW_ASSIGN_OR_RAISE(SelectItem item, ParseSelectItem());
    any_alias |= !item.alias.empty();
    named.push_back(StringLiteral(FieldName(*item.expression, item.alias, call->children.size() + 1), item.expression->begin));
    call->parts.push_back(item.alias);
    named.push_back(item.expression);
    call->children.push_back(std::move(item.expression));
  } while (TakeSymbol(","));
  ARROW_RETURN_NOT_OK(ExpectSymbol(")"));
  const auto star = std::ranges::find(call->children, NodeKind::kStar, [](const NodePtr& child) { return child->kind; });
  if (any_alias) {
    if (star != call->children.end()) return UnsupportedAt((*star)->begin, "'*' next to named fields of struct.");
    call->name = "named_struct";
    call->children = std::move(named);
  }
  return Finish(std::move(call));
}

// DATEADD(unit, n, x) and its kin; with other arguments they are plain functions.
arrow::Result<NodePtr> Parser::ParseTimestampArithmetic() {
  constexpr std::array<std::string_view, 12> kUnits = {"YEAR",   "QUARTER", "MONTH",       "WEEK",        "DAY",    "DAYOFYEAR",
                                                       "HOUR",   "MINUTE",  "SECOND",      "MILLISECOND", "MICROSECOND", "NANOSECOND"};
  const bool unit_first = Peek(2).kind == TokenKind::kWord && IsSymbol(",", 3) && std::ranges::find(kUnits, ToUpper(Peek(2).text)) != kUnits.end();
  if (!unit_first) return ParseNameOrCall();
  auto call = NewNode(NodeKind::kCall, Peek().begin);
  const std::string word = ToUpper(Peek().text);
  call->name = word.find("ADD") != std::string::npos ? "timestampadd" : "timestampdiff";
  call->children.push_back(StringLiteral(Peek(2).text, Peek(2).begin));
  at_ += 3;
  while (TakeSymbol(",")) {
    ARROW_ASSIGN_OR_RAISE(NodePtr argument, ParseExpression());
    call->children.push_back(std::move(argument));
  }
  ARROW_RETURN_NOT_OK(ExpectSymbol(")"));
  return Finish(std::move(call));
}

arrow::Result<NodePtr> Parser::ParseNameOrCall() {
  const size_t begin = Peek().begin;
  std::vector<std::string> parts;
  for (;;) {
    ARROW_ASSIGN_OR_RAISE(std::string part, ExpectIdentifier("a name"));
    parts.push_back(std::move(part));
    if (!IsSymbol(".")) break;
    if (IsSymbol("*", 1)) {
      at_ += 2;
      auto star = NewNode(NodeKind::kStar, begin);
      star->parts = std::move(parts);
      ARROW_RETURN_NOT_OK(ParseExcept(star.get()));
      return Finish(std::move(star));
    }
    ++at_;
  }
  if (IsSymbol("(")) {
    if (parts.size() > 1) return UnsupportedAt(begin, "functions with a qualified name.");
    ++at_;
    return ParseArguments(std::move(parts[0]), begin, nullptr);
  }
  auto column = NewNode(NodeKind::kColumn, begin);
  column->parts = std::move(parts);
  return Finish(std::move(column));
}

// The rest of a call after its '(' and, where a special form turned out to be a plain call, after its first argument. Nothing is parsed
// twice: nested calls would take exponential time.
arrow::Result<NodePtr> Parser::ParseArguments(std::string name, size_t begin, NodePtr first) {
  auto call = NewNode(NodeKind::kCall, begin);
  call->name = std::move(name);
  if (first) {
    call->children.push_back(std::move(first));
    if (!IsSymbol(")") && !IsSymbol(",")) return SyntaxError("',' or ')'");
    TakeSymbol(",");
  } else if (IsKeyword("DISTINCT") && !IsSymbol(",", 1) && !IsSymbol(")", 1)) {
    call->distinct = true;
    ++at_;
  } else if (IsKeyword("ALL") && !IsSymbol(",", 1) && !IsSymbol(")", 1)) {
    ++at_;
  }
  if (!IsSymbol(")")) {
    do {
      if (AtQueryStart()) return UnsupportedAt(Peek().begin, "a subquery as an argument.");
      if (Peek().kind == TokenKind::kWord && IsSymbol("=>", 1)) return UnsupportedAt(Peek().begin, "named arguments.");
      ARROW_ASSIGN_OR_RAISE(NodePtr argument, ParseExpression());
      const bool bare_star = argument->kind == NodeKind::kStar && argument->parts.empty() && argument->except.empty();
      if (bare_star && !call->distinct && call->children.empty() && IsSymbol(")") && EqualsIgnoreCase(call->name, "count")) {
        call->star_argument = true;
        break;
      }
      call->children.push_back(std::move(argument));
    } while (TakeSymbol(","));
  }
  ARROW_RETURN_NOT_OK(ExpectSymbol(")"));
  ARROW_RETURN_NOT_OK(ParseCallTail(call.get()));
  return Finish(std::move(call));
}

arrow::Status Parser::ParseWithinGroup(Node* call) {
  const bool percentile = EqualsIgnoreCase(call->name, "percentile_cont") || EqualsIgnoreCase(call->name, "percentile_disc");
  if (!percentile || call->children.size() != 1 || call->distinct) return UnsupportedAt(Peek().begin, "WITHIN GROUP of this function.");
  const size_t begin = Peek().begin;
  at_ += 2;
  ARROW_RETURN_NOT_OK(ExpectSymbol("("));
  ARROW_RETURN_NOT_OK(ExpectKeyword("ORDER"));
  ARROW_RETURN_NOT_OK(ExpectKeyword("BY"));
  ARROW_ASSIGN_OR_RAISE(NodePtr order, ParseExpression());
  const bool descending = TakeKeyword("DESC");
  if (!descending) TakeKeyword("ASC");
  if (IsKeyword("NULLS")) return UnsupportedAt(Peek().begin, "NULLS FIRST or LAST in WITHIN GROUP.");
  ARROW_RETURN_NOT_OK(ExpectSymbol(")"));
  ARROW_ASSIGN_OR_RAISE(NodePtr flag, BooleanLiteral(descending, begin));
  call->children.insert(call->children.begin(), std::move(order));
  call->children.push_back(std::move(flag));
  call->within_group = true;
  return arrow::Status::OK();
}

arrow::Status Parser::ParseCallTail(Node* call) {
  if (IsKeyword("WITHIN") && IsKeyword("GROUP", 1)) ARROW_RETURN_NOT_OK(ParseWithinGroup(call));
  if (TakeKeyword("FILTER")) {
    ARROW_RETURN_NOT_OK(ExpectSymbol("("));
    ARROW_RETURN_NOT_OK(ExpectKeyword("WHERE"));
    ARROW_ASSIGN_OR_RAISE(call->filter, ParseExpression());
    ARROW_RETURN_NOT_OK(ExpectSymbol(")"));
  }
  if (IsAnyKeyword({"IGNORE", "RESPECT"}) && IsKeyword("NULLS", 1)) {
    // first(x) IGNORE NULLS is first(x, true).
    if (!IsKeyword("RESPECT")) {
      ARROW_ASSIGN_OR_RAISE(NodePtr flag, BooleanLiteral(true, Peek().begin));
      call->children.push_back(std::move(flag));
    }
    at_ += 2;
  }
  if (IsKeyword("OVER")) return UnsupportedAt(Peek().begin, "window functions (OVER).");
  return arrow::Status::OK();
}

}  // namespace vecruntime::sql
