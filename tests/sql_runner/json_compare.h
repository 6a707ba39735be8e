// SPDX-License-Identifier: Apache-2.0
// Expected against actual JSON rows: equal when they are the same values in the same order of columns; doubles to 1e-9 relative.
#pragma once

#include <arrow/type_fwd.h>

#include <string>
#include <vector>

namespace vecruntime::sql_test {

/// A row as a flat list: braces, names, values.
struct Token {
  enum class Kind { kPunctuation, kString, kNumber, kWord } kind;
  std::string text;     // decoded strings, numbers as written
  bool inexact = false;  // a number of a floating column
};
using RowTokens = std::vector<Token>;

/// False when `line` is no JSON object. `schema` tells which columns hold floats (by position).
bool Tokenize(const std::string& line, const arrow::Schema& schema, RowTokens* tokens);

bool Equal(const RowTokens& a, const RowTokens& b);

/// Empty when the rows agree, else what is missing and what is too much.
std::string CompareRows(const std::vector<std::string>& expected, const std::vector<std::string>& actual, const arrow::Schema& schema,
                        bool ordered);

}  // namespace vecruntime::sql_test
