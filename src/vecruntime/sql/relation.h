// SPDX-License-Identifier: Apache-2.0
// What SQL knows of a table: columns and a way to scan them. Implemented by session/; sql never touches a file.
#pragma once

#include <arrow/type_fwd.h>

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "vecruntime/columnar/column_use.h"
#include "vecruntime/exec/pipeline.h"
#include "vecruntime/expr/expr.h"

namespace vecruntime::sql {

struct ScanRequest {
  /// Indexes into Relation::schema(), in output order; may be empty (only row counts matter).
  std::vector<int> columns;
  /// Rows that do not satisfy it need not come out... and must not: the scan applies it in full. Column i of the expression is columns[i].
  /// Null for none.
  expr::ExprPtr filter;
  /// What is looked at of each column once the filter is applied; empty: all values of all.
  std::vector<columnar::ColumnUse> uses;
};

class Relation {
 public:
  virtual ~Relation() = default;
  /// The columns of `SELECT *` first, then the hidden metadata columns (_file, _pos, ...).
  virtual const std::shared_ptr<arrow::Schema>& schema() const = 0;
  /// How many of schema()'s fields `*` expands to.
  virtual int visible_columns() const = 0;
  /// "ns.t", or the quoted path.
  virtual const std::string& name() const = 0;
  virtual arrow::Result<std::unique_ptr<exec::Source>> Scan(const ScanRequest& request) = 0;
};

/// FROM item as written.
struct TableReference {
  std::vector<std::string> parts;            // identifiers of a dotted name; one element holding the text when `is_path`
  bool is_path = false;                      // FROM '/data/t' or FROM `/data/t`
  std::optional<std::string> version;        // VERSION AS OF: snapshot id digits, or a branch/tag name
  std::optional<int64_t> timestamp_us;       // TIMESTAMP AS OF
  size_t position = 0;                       // byte offset in the statement, for errors
};

class RelationResolver {
 public:
  virtual ~RelationResolver() = default;
  /// NotFound (naming the table and near names) or InvalidArgument.
  virtual arrow::Result<std::shared_ptr<Relation>> Resolve(const TableReference& reference) = 0;
};

}  // namespace vecruntime::sql
