// SPDX-License-Identifier: Apache-2.0
#include <arrow/result.h>

#include "vecruntime/sql/lexer.h"
#include "vecruntime/sql/statement.h"

namespace vecruntime::sql {

arrow::Result<std::vector<std::string>> SplitStatements(std::string_view script) {
  ARROW_ASSIGN_OR_RAISE(const std::vector<Token> tokens, Tokenize(script));
  std::vector<std::string> statements;
  size_t first = 0;
  for (size_t i = 0; i < tokens.size(); ++i) {
    const bool end = tokens[i].kind == TokenKind::kEnd;
    if (!end && !(tokens[i].kind == TokenKind::kSymbol && tokens[i].text == ";")) continue;
    if (i > first) statements.emplace_back(script.substr(tokens[first].begin, tokens[i - 1].end - tokens[first].begin));
    first = i + 1;
  }
  return statements;
}

}  // namespace vecruntime::sql
