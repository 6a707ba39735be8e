// SPDX-License-Identifier: Apache-2.0
#include "vecruntime/session/quoting.h"

namespace vecruntime::session {

std::string QuoteIdentifier(std::string_view name) {
  std::string quoted = "`";
  for (char c : name) {
    if (c == '`') quoted.push_back('`');
    quoted.push_back(c);
  }
  return quoted + "`";
}

std::string QuoteString(std::string_view text) {
  std::string quoted = "'";
  for (char c : text) {
    if (c == '\'' || c == '\\') quoted.push_back('\\');
    quoted.push_back(c);
  }
  return quoted + "'";
}

bool IsTablePath(std::string_view name) { return name.find('/') != std::string_view::npos && !name.starts_with('`'); }

std::string QuoteTable(const std::string& name) {
  if (name.size() >= 2 && name.front() == '\'' && name.back() == '\'') return name;
  return IsTablePath(name) ? QuoteString(name) : name;
}

}  // namespace vecruntime::session
