// SPDX-License-Identifier: Apache-2.0
#include "cli/query_list.h"

#include <arrow/result.h>

#include <algorithm>
#include <cctype>

namespace vecruntime::cli {
namespace {

bool IsSpace(char c) { return std::isspace(static_cast<unsigned char>(c)) != 0; }

std::string_view Trimmed(std::string_view text) {
  while (!text.empty() && IsSpace(text.front())) text.remove_prefix(1);
  while (!text.empty() && IsSpace(text.back())) text.remove_suffix(1);
  return text;
}

std::string OnOneLine(std::string_view sql) {
  std::string line;
  for (char c : Trimmed(sql)) {
    if (!IsSpace(c)) {
      line.push_back(c);
    } else if (line.back() != ' ') {
      line.push_back(' ');
    }
  }
  return line;
}

// Passes over blanks, semicolons and comments from *position on, to the next statement; the name one of the comments gives, or "".
std::string PassOverComments(std::string_view script, size_t* position) {
  static constexpr std::string_view kNamePrefix = "name:";
  std::string name;
  while (*position < script.size()) {
    const std::string_view rest = script.substr(*position);
    if (rest.starts_with("--")) {
      const size_t length = std::min(rest.find('\n'), rest.size());
      const std::string_view comment = Trimmed(rest.substr(2, length - 2));
      if (comment.starts_with(kNamePrefix)) name = Trimmed(comment.substr(kNamePrefix.size()));
      *position += length;
    } else if (rest.starts_with("/*")) {
      const size_t end = rest.find("*/");
      *position = end == std::string_view::npos ? script.size() : *position + end + 2;
    } else if (IsSpace(rest.front()) || rest.front() == ';') {
      ++*position;
    } else {
      break;
    }
  }
  return name;
}

}  // namespace

arrow::Result<std::vector<NamedQuery>> ParseQueryList(const Session& session, std::string_view script) {
  ARROW_ASSIGN_OR_RAISE(const std::vector<std::string> statements, session.SplitScript(script));
  std::vector<NamedQuery> queries;
  size_t position = 0;
  for (const std::string& sql : statements) {
    std::string name = PassOverComments(script, &position);
    position = std::min(script.find(sql, position), script.size() - sql.size()) + sql.size();
    queries.push_back({name.empty() ? OnOneLine(sql) : std::move(name), sql});
  }
  return queries;
}

}  // namespace vecruntime::cli
