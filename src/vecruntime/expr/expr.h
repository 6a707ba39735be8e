// SPDX-License-Identifier: Apache-2.0
// Bound expressions: what the SQL binder produces, what the scan prunes with and the evaluator runs. Immutable after Make; shared
// between threads.
//
// SQL types are Arrow types: boolean=bool_, tinyint/smallint/int/bigint=int8..int64, float, double, decimal=decimal128(p,s),
// date=date32, timestamp=timestamp(us,"UTC"), timestamp_ntz=timestamp(us), timestamp_ns=timestamp(ns), timestamptz_ns=
// timestamp(ns,"UTC"), time=time64(us), string=utf8, binary=binary, array=list, map=map, struct=struct_, void=null,
// intervals=month_interval or duration(us), whose units interval_type.h keeps.
#pragma once

#include <arrow/type_fwd.h>

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "vecruntime/columnar/batch.h"

namespace vecruntime::expr {

class Expr;
using ExprPtr = std::shared_ptr<const Expr>;

enum class ExprKind {
  kLiteral,   // scalar
  kColumn,    // column of the input batch
  kCall,      // strict or null-handling function; children are the arguments
  kCast,      // child 0 to type(); `try_cast` gives NULL where ANSI cast raises
  kAnd,       // children 0, 1; three-valued; child 1 runs only where child 0 is not false
  kOr,        // children 0, 1; child 1 runs only where child 0 is not true
  kCase,      // children: when0, then0, when1, then1, ..., else; each branch runs only on its own rows
  kCoalesce,  // children in order; child k runs only where all before are NULL
  kIn,        // child 0 IN (constants in `set`); NULL rules of SQL
};

/// What a kernel is given besides its arguments.
struct EvalContext {
  arrow::MemoryPool* pool = nullptr;
  /// IANA name or "+hh:mm"; how timestamps are shown, parsed and cut into fields.
  std::string timezone = "UTC";
  /// Start of the statement, microseconds since the epoch (now(), current_date()).
  int64_t statement_time_us = 0;
};

/// Computes one value per row of `rows`. Each argument is an array of rows.length() values or a scalar. Only rows alive in `rows` may
/// raise an ANSI error; values at other rows are unspecified. Never evaluated row by row through a virtual call.
using Kernel = std::function<arrow::Result<arrow::Datum>(const std::vector<arrow::Datum>& arguments, const columnar::Selection& rows,
                                                         const EvalContext& context)>;

class Expr {
 public:
  static ExprPtr Literal(std::shared_ptr<arrow::Scalar> value);
  static ExprPtr Column(int index, std::string name, std::shared_ptr<arrow::DataType> type, bool nullable);
  /// `name` is the function's SQL name (canonical, lower case); used by Describe, pruning and rewriting.
  static ExprPtr Call(std::string name, std::shared_ptr<arrow::DataType> type, std::vector<ExprPtr> arguments, Kernel kernel);
  static ExprPtr Cast(ExprPtr child, std::shared_ptr<arrow::DataType> to, bool try_cast);
  static ExprPtr And(ExprPtr left, ExprPtr right);
  static ExprPtr Or(ExprPtr left, ExprPtr right);
  /// `branches` = when0, then0, ..., [else]; without else the result is NULL. All results already have type `type`.
  static ExprPtr Case(std::vector<ExprPtr> branches, std::shared_ptr<arrow::DataType> type);
  static ExprPtr Coalesce(std::vector<ExprPtr> children);
  /// `set` has the child's type; may hold NULLs.
  static ExprPtr In(ExprPtr child, std::shared_ptr<arrow::Array> set);

  ExprKind kind() const { return kind_; }
  const std::shared_ptr<arrow::DataType>& type() const { return type_; }
  const std::vector<ExprPtr>& children() const { return children_; }
  const std::string& name() const { return name_; }         // kCall, kColumn
  int column() const { return column_; }                    // kColumn
  const std::shared_ptr<arrow::Scalar>& value() const { return value_; }  // kLiteral
  const std::shared_ptr<arrow::Array>& set() const { return set_; }       // kIn
  bool try_cast() const { return try_cast_; }               // kCast
  const Kernel& kernel() const { return kernel_; }          // kCall

  /// SQL-like text for EXPLAIN and error messages.
  std::string ToString() const;

 private:
  Expr() = default;

  ExprKind kind_ = ExprKind::kLiteral;
  std::shared_ptr<arrow::DataType> type_;
  std::vector<ExprPtr> children_;
  std::string name_;
  int column_ = -1;
  std::shared_ptr<arrow::Scalar> value_;
  std::shared_ptr<arrow::Array> set_;
  bool try_cast_ = false;
  Kernel kernel_;
};

/// Adds the column indexes that `expr` reads to `columns` (ascending, unique).
void CollectColumns(const Expr& expr, std::vector<int>* columns);

/// Whether it is known that no row can make `expr` raise an error: columns, literals, comparisons, NULL tests and their connectives.
bool NeverRaises(const Expr& expr);

/// The same expression with column i replaced by `replacement(i)`.
ExprPtr ReplaceColumns(const ExprPtr& expr, const std::function<ExprPtr(int column)>& replacement);

/// `expr` with every child replaced by `transform(child)`, whose type is the same; `expr` itself when no child changes.
ExprPtr TransformChildren(const ExprPtr& expr, const std::function<ExprPtr(const ExprPtr&)>& transform);

/// Splits a conjunction into its conjuncts, left to right.
std::vector<ExprPtr> SplitConjunction(const ExprPtr& expr);

}  // namespace vecruntime::expr
