// SPDX-License-Identifier: Apache-2.0
// Names to scalar functions, with Spark's ANSI type rules.
#pragma once

#include <arrow/type_fwd.h>

#include <string>
#include <string_view>
#include <vector>

#include "vecruntime/expr/expr.h"

namespace vecruntime::expr {

/// Binds a call of scalar function or operator `name` (case-insensitive; operators by their SQL names: "+", "-", "*", "/", "div", "%",
/// "=", "<>", "<", "<=", ">", ">=", "<=>", "not", "negative", "||", "&", "|", "^", "~", "like", "ilike", "rlike", "is null",
/// "is not null", "is true", ..., "[]" (element access), "." is GetField) to `arguments`: inserts Spark's implicit casts and computes the
/// result type. Unsupported naming the function when it does not exist; InvalidArgument with Spark's error class
/// ([DATATYPE_MISMATCH...], [WRONG_NUM_ARGS...]) when the types do not fit.
arrow::Result<ExprPtr> BindCall(std::string_view name, std::vector<ExprPtr> arguments, const EvalContext& context);

/// struct.field by name (case-insensitive) on a struct; on array<struct> the array of fields; on a map the value of that key.
arrow::Result<ExprPtr> BindField(ExprPtr child, std::string_view field);

/// Explicit CAST or TRY_CAST with Spark's ANSI cast matrix; InvalidArgument [DATATYPE_MISMATCH.CAST_WITHOUT_SUGGESTION] when not allowed.
arrow::Result<ExprPtr> BindCast(ExprPtr child, const std::shared_ptr<arrow::DataType>& to, bool try_cast);

/// The implicit cast Spark's ANSI type coercion would insert to bring `child` to `to`; InvalidArgument when there is none.
arrow::Result<ExprPtr> CoerceTo(ExprPtr child, const std::shared_ptr<arrow::DataType>& to);

/// Spark's least common type of CASE/COALESCE/IN/UNION branches under ANSI; InvalidArgument when there is none.
arrow::Result<std::shared_ptr<arrow::DataType>> CommonType(const std::vector<std::shared_ptr<arrow::DataType>>& types);

bool IsScalarFunction(std::string_view name);
/// All names, for documentation and "did you mean".
std::vector<std::string> ScalarFunctionNames();

/// Spark's simpleString of a SQL type ("decimal(10,2)", "struct<a:int>", "timestamp_ntz", ...), and back.
std::string TypeName(const arrow::DataType& type);
/// Parses a type as written in CAST; InvalidArgument naming the text.
arrow::Result<std::shared_ptr<arrow::DataType>> ParseTypeName(std::string_view text);

}  // namespace vecruntime::expr
