// SPDX-License-Identifier: Apache-2.0
// SQL text to tokens, by Spark's lexical rules: words may start with a digit, numbers carry type suffixes, strings take ' or " with
// backslash escapes (or r'..' raw), identifiers are quoted with backquotes, comments are -- and nested /* */.
#pragma once

#include <arrow/type_fwd.h>

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace vecruntime::sql {

enum class TokenKind : uint8_t {
  kWord,              // bare identifier or keyword; `text` as written
  kQuotedIdentifier,  // `text` without the backquotes
  kString,            // `text` decoded
  kNumber,            // `text` as written, suffix included
  kSymbol,            // operator or punctuation
  kEnd,               // one past the last token
};

struct Token {
  TokenKind kind = TokenKind::kEnd;
  size_t begin = 0;  // byte range in the statement
  size_t end = 0;
  std::string text;
};

/// All tokens of `sql`, ending in one kEnd. InvalidArgument for an unclosed string, comment or identifier, or a stray character.
arrow::Result<std::vector<Token>> Tokenize(std::string_view sql);

/// ASCII case-insensitive equality; how keywords and identifiers compare.
bool EqualsIgnoreCase(std::string_view a, std::string_view b);
std::string ToLower(std::string_view text);
std::string ToUpper(std::string_view text);

/// "(line L, column C)" plus the line of text at `position` and a caret under it.
std::string PointAt(std::string_view sql, size_t position);

}  // namespace vecruntime::sql
