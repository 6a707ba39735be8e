// SPDX-License-Identifier: Apache-2.0
// Spark's ANSI casts. Errors: [CAST_INVALID_INPUT] for text that does not parse, [CAST_OVERFLOW] and [NUMERIC_VALUE_OUT_OF_RANGE] for
// values the target cannot hold; NULL instead under try_cast.
#pragma once

#include <arrow/type_fwd.h>

#include <memory>
#include <string>

#include "vecruntime/expr/expr.h"

namespace vecruntime::expr {

/// Whether Spark's ANSI mode allows CAST(from AS to).
bool CanCast(const arrow::DataType& from, const arrow::DataType& to);

/// Kernel of one argument. When CanCast is false the kernel fails with Unsupported.
Kernel MakeCastKernel(const std::shared_ptr<arrow::DataType>& from, const std::shared_ptr<arrow::DataType>& to, bool try_cast);

/// What CAST(value AS STRING) gives in UTC; "NULL" for NULL.
std::string ScalarText(const arrow::Scalar& value);

}  // namespace vecruntime::expr
