// SPDX-License-Identifier: Apache-2.0
// The columns that names in a clause may refer to, and how Spark finds them.
#pragma once

#include <arrow/result.h>
#include <arrow/type_fwd.h>

#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace vecruntime::sql {

struct ScopeColumn {
  std::string name;
  std::shared_ptr<arrow::DataType> type;
  std::vector<std::string> qualifier;  // the table's alias, or its dotted name; any suffix of it qualifies the column
  bool hidden = false;                 // metadata column: found by name, not by '*'
};

/// A name split into the column it means and the struct fields after it.
struct ResolvedName {
  int column = -1;
  std::vector<std::string> fields;
};

/// Column i is column i of the plan under the clause. Names compare without case, so names that differ in case only are ambiguous, as in
/// Spark.
class Scope {
 public:
  void Add(ScopeColumn column) { columns_.push_back(std::move(column)); }
  const std::vector<ScopeColumn>& columns() const { return columns_; }

  /// `t.a.b`: first as table.column, longest qualifier first, then as column.field. nullopt when there is no such column;
  /// InvalidArgument [AMBIGUOUS_REFERENCE] when there are several.
  arrow::Result<std::optional<ResolvedName>> Find(const std::vector<std::string>& parts) const;
  /// Only as table.column with a qualifier.
  arrow::Result<std::optional<ResolvedName>> FindQualified(const std::vector<std::string>& parts) const;
  /// Visible columns that `qualifier.*` (or `*`, when empty) expands to.
  std::vector<int> Expand(const std::vector<std::string>& qualifier) const;
  /// [UNRESOLVED_COLUMN...] with the nearest names.
  arrow::Status Unresolved(const std::vector<std::string>& parts) const;

 private:
  arrow::Result<std::optional<ResolvedName>> FindAt(const std::vector<std::string>& parts, size_t qualifier_parts) const;
  std::vector<ScopeColumn> columns_;
};

/// `a`.`b` of a dotted name.
std::string QuotedName(const std::vector<std::string>& parts);

/// The `limit` names nearest to `name`, best first, by edit distance without case.
std::vector<std::string> NearestNames(const std::string& name, std::vector<std::string> candidates, size_t limit);

}  // namespace vecruntime::sql
