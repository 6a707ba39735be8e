// SPDX-License-Identifier: Apache-2.0
// The plan between binder and lowering: a tree of small immutable nodes. Expressions in a node refer to columns of the node's input by
// index (of the first input, where there are several; a Scan's filter refers to the scan's own output).
#pragma once

#include <arrow/type_fwd.h>

#include <cstdint>
#include <memory>
#include <string>
#include <variant>
#include <vector>

#include "vecruntime/exec/aggregate_function.h"
#include "vecruntime/exec/operators.h"
#include "vecruntime/expr/expr.h"
#include "vecruntime/sql/relation.h"

namespace vecruntime::sql {

struct Plan;
using PlanPtr = std::shared_ptr<const Plan>;

/// Leaf: columns of a relation, and the rows its filter keeps.
struct Scan {
  std::shared_ptr<Relation> relation;
  std::vector<int> columns;  // indexes into relation->schema()
  expr::ExprPtr filter;      // or null
  std::vector<columnar::ColumnUse> uses;  // as ScanRequest::uses
};

/// Leaf: rows held in memory; without columns, only their number counts (SELECT without FROM has one).
struct Values {
  std::vector<std::shared_ptr<arrow::Array>> columns;
  int64_t rows = 0;
};

struct Filter {
  expr::ExprPtr predicate;
};

struct Project {
  std::vector<expr::ExprPtr> expressions;
};

/// Output: keys, then calls. No keys: one row, always.
struct Aggregate {
  std::vector<expr::ExprPtr> keys;
  std::vector<exec::AggregateCall> calls;
};

struct Sort {
  std::vector<exec::SortKey> keys;
  int64_t limit = -1;  // -1: all rows
  int64_t offset = 0;
};

struct Limit {
  int64_t limit = -1;
  int64_t offset = 0;
};

/// All rows of all inputs, whose schemas have the same types.
struct Union {};

using PlanOperator = std::variant<Scan, Values, Filter, Project, Aggregate, Sort, Limit, Union>;

struct Plan {
  PlanOperator op;
  std::vector<PlanPtr> inputs;
  std::shared_ptr<arrow::Schema> schema;  // of the output
};

PlanPtr MakeScanPlan(std::shared_ptr<Relation> relation, std::vector<int> columns, expr::ExprPtr filter = nullptr);
PlanPtr MakeValuesPlan(std::shared_ptr<arrow::Schema> schema, std::vector<std::shared_ptr<arrow::Array>> columns, int64_t rows);
/// No rows of `schema`.
PlanPtr MakeEmptyPlan(const std::shared_ptr<arrow::Schema>& schema);
PlanPtr MakeFilterPlan(PlanPtr input, expr::ExprPtr predicate);
PlanPtr MakeProjectPlan(PlanPtr input, std::vector<expr::ExprPtr> expressions, std::vector<std::string> names);
PlanPtr MakeAggregatePlan(PlanPtr input, std::vector<expr::ExprPtr> keys, std::vector<exec::AggregateCall> calls, std::vector<std::string> names);
PlanPtr MakeSortPlan(PlanPtr input, std::vector<exec::SortKey> keys, int64_t limit = -1, int64_t offset = 0);
PlanPtr MakeLimitPlan(PlanPtr input, int64_t limit, int64_t offset);
PlanPtr MakeUnionPlan(std::vector<PlanPtr> inputs, std::shared_ptr<arrow::Schema> schema);
/// `scan`, a Scan, with other uses of its columns.
PlanPtr WithUses(const Plan& scan, std::vector<columnar::ColumnUse> uses);
/// The same operator over other inputs; the schema of Filter, Sort and Limit follows them.
PlanPtr WithInputs(const Plan& plan, std::vector<PlanPtr> inputs);

/// Column `index` of `plan` as an expression.
expr::ExprPtr OutputColumn(const Plan& plan, int index);
/// Names of the output columns.
std::vector<std::string> OutputNames(const Plan& plan);

/// One line for this operator alone: "Filter (a > 1)".
std::string DescribeOperator(const Plan& plan);
/// The tree, one operator a line, two spaces a level.
std::string ToString(const Plan& plan);

}  // namespace vecruntime::sql
