// SPDX-License-Identifier: Apache-2.0
// Spark's ANSI type coercion: which type values of different types meet in, and which casts are inserted without being written.
#pragma once

#include <arrow/result.h>
#include <arrow/type_fwd.h>

#include <memory>
#include <vector>

#include "vecruntime/expr/expr.h"

namespace vecruntime::expr {

using TypePtr = std::shared_ptr<arrow::DataType>;

bool IsIntegral(const arrow::DataType& type);
bool IsFloating(const arrow::DataType& type);
bool IsDecimal(const arrow::DataType& type);
bool IsNumeric(const arrow::DataType& type);
bool IsString(const arrow::DataType& type);
bool IsTimestamp(const arrow::DataType& type);
/// A timestamp that stands for an instant.
bool IsZoned(const arrow::DataType& type);
bool IsInterval(const arrow::DataType& type);
bool IsNested(const arrow::DataType& type);
int DecimalPrecision(const arrow::DataType& type);
int DecimalScale(const arrow::DataType& type);

/// Equal as SQL types: nullability and the names of list and map children do not count; struct fields compare by name without case.
bool SameType(const arrow::DataType& a, const arrow::DataType& b);

/// The decimal that holds every value of an integral type.
TypePtr DecimalForIntegral(const arrow::DataType& type);
/// The decimal of the digits that an integral literal has.
TypePtr DecimalForLiteral(const Expr& literal);
/// Cuts precision to 38, keeping at least six digits of scale (spark.sql.decimalOperations.allowPrecisionLoss).
TypePtr AdjustedDecimal(int precision, int scale);
/// The decimal that holds both; over 38 digits, digits before the point are kept.
TypePtr WiderDecimal(const arrow::DataType& a, const arrow::DataType& b);

/// Least common type of two operands, or nullptr.
TypePtr CommonTypeOf(const TypePtr& a, const TypePtr& b);
/// The type that a string and a value of another type are compared in, or nullptr when neither is a string or there is none.
TypePtr StringPromotion(const arrow::DataType& a, const arrow::DataType& b);

/// `child` as an expression of type `to` (which is a legal cast); `child` itself when the types are the same.
ExprPtr CastIfNeeded(const ExprPtr& child, const TypePtr& to);

/// Brings both sides of a comparison to their common type; InvalidArgument [DATATYPE_MISMATCH...] naming `op` when there is none.
arrow::Status UnifyComparison(std::string_view op, ExprPtr* left, ExprPtr* right);

}  // namespace vecruntime::expr
