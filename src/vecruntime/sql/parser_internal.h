// SPDX-License-Identifier: Apache-2.0
// The recursive-descent parser. One class over three files: parser.cc (queries), parser_expression.cc, parser_literal.cc.
#pragma once

#include <arrow/result.h>

#include <algorithm>
#include <initializer_list>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "vecruntime/sql/ast.h"
#include "vecruntime/sql/lexer.h"
#include "vecruntime/sql/parser.h"

namespace vecruntime::sql {

class Parser {
 public:
  Parser(std::string_view sql, std::vector<Token> tokens) : sql_(sql), tokens_(std::move(tokens)) {}

  arrow::Result<QueryPtr> ParseStatement();

 private:
  // Counts nesting for as long as it lives.
  class Level {
   public:
    explicit Level(Parser* parser) : parser_(parser) { ++parser_->level_; }
    ~Level() { --parser_->level_; }
    Level(const Level&) = delete;
    Level& operator=(const Level&) = delete;

   private:
    Parser* parser_;
  };
  arrow::Status CheckLevel() const;

  // Tokens.
  const Token& Peek(size_t ahead = 0) const { return tokens_[std::min(at_ + ahead, tokens_.size() - 1)]; }
  bool IsKeyword(std::string_view word, size_t ahead = 0) const;
  bool IsAnyKeyword(std::initializer_list<std::string_view> words, size_t ahead = 0) const;
  bool IsSymbol(std::string_view symbol, size_t ahead = 0) const;
  bool TakeKeyword(std::string_view word);
  bool TakeSymbol(std::string_view symbol);
  arrow::Status ExpectKeyword(std::string_view word);
  arrow::Status ExpectSymbol(std::string_view symbol);
  arrow::Result<std::string> ExpectIdentifier(std::string_view what);
  size_t LastEnd() const { return at_ == 0 ? 0 : tokens_[at_ - 1].end; }
  arrow::Status SyntaxError(std::string_view expected = {}) const;
  arrow::Status InvalidAt(size_t position, std::string_view message) const;
  arrow::Status UnsupportedAt(size_t position, std::string_view what) const;

  // Nodes.
  std::shared_ptr<Node> NewNode(NodeKind kind, size_t begin) const;
  arrow::Result<NodePtr> Finish(std::shared_ptr<Node> node) const;  // sets end and depth, checks depth
  arrow::Result<NodePtr> MakeOperator(std::string_view name, size_t begin, std::vector<NodePtr> children) const;
  arrow::Result<NodePtr> MakeBalanced(std::string_view name, const std::vector<NodePtr>& operands, size_t low, size_t high) const;

  // Queries (parser.cc).
  bool AtQueryStart(size_t ahead = 0) const;
  bool AtClauseEnd(size_t ahead = 0) const;
  arrow::Status RefuseStatement() const;
  arrow::Status RefuseJoin() const;
  arrow::Result<QueryPtr> ParseQueryBody();
  arrow::Status ParseWith(Query* query);
  arrow::Status ParseTerms(Query* query);
  arrow::Result<QueryTerm> ParseTerm();
  arrow::Status ParseOrderAndLimit(Query* query);
  arrow::Result<std::shared_ptr<const Select>> ParseSelect();
  arrow::Result<SelectItem> ParseSelectItem();
  arrow::Status ParseGroupBy(Select* select);
  arrow::Result<FromItem> ParseFromItem();
  arrow::Status ParseFromAlias(FromItem* item);
  arrow::Result<TableName> ParseTableName();
  arrow::Status ParseTimeTravel(TableName* table);
  arrow::Result<std::vector<std::vector<NodePtr>>> ParseValuesRows();
  arrow::Result<std::vector<std::string>> ParseIdentifierList();

  // Expressions (parser_expression.cc).
  arrow::Result<NodePtr> ParseExpression();
  arrow::Result<NodePtr> ParseAnd();
  arrow::Result<NodePtr> ParseNot();
  arrow::Result<NodePtr> ParsePredicated();
  arrow::Result<NodePtr> ParsePredicate(NodePtr value, size_t begin);
  arrow::Result<NodePtr> ParseIs(NodePtr value, size_t begin);
  arrow::Result<NodePtr> ParseIn(NodePtr value, size_t begin);
  arrow::Result<NodePtr> ParseLike(NodePtr value, size_t begin);
  arrow::Result<NodePtr> ParseQuantifiedLike(NodePtr value, size_t begin, bool negated);
  arrow::Result<NodePtr> ParseValue(int min_precedence);
  arrow::Result<NodePtr> ParseUnary();
  arrow::Result<NodePtr> ParsePostfix();
  arrow::Result<NodePtr> ParseLambda(const Node& parameters, size_t begin);
  arrow::Result<NodePtr> ParsePrimary();
  arrow::Result<NodePtr> ParseParenthesised();
  arrow::Result<NodePtr> ParseWord();
  arrow::Result<NodePtr> ParseSpecialForm(std::string_view word, bool* matched);
  arrow::Result<NodePtr> ParseCase();
  arrow::Result<NodePtr> ParseCast(bool try_cast);
  arrow::Result<NodePtr> ParseExtract();
  arrow::Result<NodePtr> ParseTrim();
  arrow::Result<NodePtr> ParseSubstring();
  arrow::Result<NodePtr> ParsePosition();
  arrow::Result<NodePtr> ParseOverlay();
  arrow::Result<NodePtr> ParseStruct();
  arrow::Result<NodePtr> ParseTimestampArithmetic();
  arrow::Result<NodePtr> ParseNameOrCall();
  arrow::Result<NodePtr> ParseArguments(std::string name, size_t begin, NodePtr first);
  arrow::Status ParseWithinGroup(Node* call);
  arrow::Status ParseCallTail(Node* call);
  arrow::Status ParseExcept(Node* star);
  arrow::Result<std::string> ParseTypeText();

  // Literals (parser_literal.cc).
  arrow::Result<NodePtr> ParseNumber(bool negative, size_t begin);
  arrow::Result<NodePtr> ParseString();
  arrow::Result<NodePtr> ParseTypedLiteral();
  bool AtInterval() const;
  arrow::Result<NodePtr> ParseInterval();
  arrow::Result<NodePtr> MakeLiteral(std::shared_ptr<arrow::Scalar> value, std::string text, size_t begin) const;
  NodePtr StringLiteral(std::string value, size_t begin) const;
  arrow::Result<NodePtr> NullLiteral(size_t begin) const;
  arrow::Result<NodePtr> BooleanLiteral(bool value, size_t begin) const;

  std::string_view sql_;
  std::vector<Token> tokens_;
  size_t at_ = 0;
  int level_ = 0;
};

/// Spark's name of a double or float value: Java's Double.toString.
std::string JavaDoubleText(double value);
std::string JavaFloatText(float value);

}  // namespace vecruntime::sql
