// SPDX-License-Identifier: Apache-2.0
#include "vecruntime/sql/scope.h"

#include <algorithm>

#include "vecruntime/base/error.h"
#include "vecruntime/sql/lexer.h"

namespace vecruntime::sql {
namespace {

bool QualifierMatches(const std::vector<std::string>& qualifier, const std::vector<std::string>& parts, size_t count) {
  if (count > qualifier.size()) return false;
  return std::equal(parts.begin(), parts.begin() + static_cast<std::ptrdiff_t>(count), qualifier.end() - static_cast<std::ptrdiff_t>(count),
                    [](const std::string& a, const std::string& b) { return EqualsIgnoreCase(a, b); });
}

size_t EditDistance(std::string_view a, std::string_view b) {
  std::vector<size_t> row(b.size() + 1);
  for (size_t j = 0; j <= b.size(); ++j) row[j] = j;
  for (size_t i = 1; i <= a.size(); ++i) {
    size_t diagonal = row[0];
    row[0] = i;
    for (size_t j = 1; j <= b.size(); ++j) {
      const size_t above = row[j];
      row[j] = std::min({above + 1, row[j - 1] + 1, diagonal + (a[i - 1] == b[j - 1] ? 0 : 1)});
      diagonal = above;
    }
  }
  return row[b.size()];
}

}  // namespace

arrow::Result<std::optional<ResolvedName>> Scope::FindAt(const std::vector<std::string>& parts, size_t qualifier_parts) const {
  const std::string& name = parts[qualifier_parts];
  std::vector<int> matches;
  for (const bool hidden : {false, true}) {
    for (size_t i = 0; i < columns_.size(); ++i) {
      const ScopeColumn& column = columns_[i];
      if (column.hidden == hidden && EqualsIgnoreCase(column.name, name) && QualifierMatches(column.qualifier, parts, qualifier_parts)) {
        matches.push_back(static_cast<int>(i));
      }
    }
    if (!matches.empty()) break;
  }
  if (matches.empty()) return std::nullopt;
  if (matches.size() > 1) {
    std::string candidates;
    for (const int i : matches) {
      std::vector<std::string> full = columns_[static_cast<size_t>(i)].qualifier;
      full.push_back(columns_[static_cast<size_t>(i)].name);
      candidates += (candidates.empty() ? "" : ", ") + QuotedName(full);
    }
    return base::InvalidArgument("[AMBIGUOUS_REFERENCE] Reference ", QuotedName(parts), " is ambiguous, could be: [", candidates, "].");
  }
  return ResolvedName{matches[0], {parts.begin() + static_cast<std::ptrdiff_t>(qualifier_parts) + 1, parts.end()}};
}

arrow::Result<std::optional<ResolvedName>> Scope::FindQualified(const std::vector<std::string>& parts) const {
  for (size_t qualifier_parts = parts.size() - 1; qualifier_parts > 0; --qualifier_parts) {
    ARROW_ASSIGN_OR_RAISE(auto found, FindAt(parts, qualifier_parts));
    if (found) return found;
  }
  return std::nullopt;
}

arrow::Result<std::optional<ResolvedName>> Scope::Find(const std::vector<std::string>& parts) const {
  ARROW_ASSIGN_OR_RAISE(auto found, FindQualified(parts));
  if (found) return found;
  return FindAt(parts, 0);
}

std::vector<int> Scope::Expand(const std::vector<std::string>& qualifier) const {
  std::vector<int> expanded;
  for (size_t i = 0; i < columns_.size(); ++i) {
    if (!columns_[i].hidden && QualifierMatches(columns_[i].qualifier, qualifier, qualifier.size())) expanded.push_back(static_cast<int>(i));
  }
  return expanded;
}

arrow::Status Scope::Unresolved(const std::vector<std::string>& parts) const {
  std::vector<std::string> names;
  for (const ScopeColumn& column : columns_) {
    if (!column.hidden) names.push_back(column.name);
  }
  std::string near;
  for (const std::string& name : NearestNames(parts.back(), std::move(names), 5)) near += (near.empty() ? "`" : ", `") + name + "`";
  if (near.empty()) {
    return base::InvalidArgument("[UNRESOLVED_COLUMN.WITHOUT_SUGGESTION] A column, variable, or function parameter with name ", QuotedName(parts),
                                 " cannot be resolved.");
  }
  return base::InvalidArgument("[UNRESOLVED_COLUMN.WITH_SUGGESTION] A column, variable, or function parameter with name ", QuotedName(parts),
                               " cannot be resolved. Did you mean one of the following? [", near, "].");
}

std::string QuotedName(const std::vector<std::string>& parts) {
  std::string text;
  for (const std::string& part : parts) text += (text.empty() ? "`" : ".`") + part + "`";
  return text;
}

std::vector<std::string> NearestNames(const std::string& name, std::vector<std::string> candidates, size_t limit) {
  // Very long names are no typing slips, and the distance is quadratic.
  const std::string wanted = ToLower(name.substr(0, 64));
  std::vector<std::pair<size_t, std::string>> ranked;
  for (std::string& candidate : candidates) {
    const size_t distance = EditDistance(wanted, ToLower(candidate.substr(0, 64)));
    ranked.emplace_back(distance, std::move(candidate));
  }
  std::ranges::sort(ranked);
  std::vector<std::string> nearest;
  for (auto& [distance, candidate] : ranked) {
    if (nearest.size() == limit) break;
    nearest.push_back(std::move(candidate));
  }
  return nearest;
}

}  // namespace vecruntime::sql
