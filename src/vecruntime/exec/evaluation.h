// SPDX-License-Identifier: Apache-2.0
// Expressions of an operator as dense columns, and the defaults of a context that was left empty.
#pragma once

#include <arrow/type_fwd.h>

#include <memory>
#include <vector>

#include "vecruntime/columnar/batch.h"
#include "vecruntime/exec/pipeline.h"
#include "vecruntime/expr/expr.h"

namespace vecruntime::exec {

using ArrayVector = std::vector<std::shared_ptr<arrow::Array>>;

arrow::MemoryPool* PoolOf(const ExecContext& context);

/// Values of `expression` for every row of `columns` as an array of rows.length() elements; only rows alive in `rows` may raise an error.
arrow::Result<std::shared_ptr<arrow::Array>> EvaluateArray(const expr::Expr& expression, const ArrayVector& columns,
                                                           const columnar::Selection& rows, const ExecContext& context);

/// As EvaluateArray, but maybe encoded (columnar/decode.h).
arrow::Result<std::shared_ptr<arrow::Array>> EvaluateEncodedArray(const expr::Expr& expression, const ArrayVector& columns,
                                                                  const columnar::Selection& rows, const ExecContext& context);

/// Joins the chunks of one column; an empty array of `type` when there is none. ResourceExhausted when it exceeds what one array can hold.
arrow::Result<std::shared_ptr<arrow::Array>> Concatenate(const ArrayVector& chunks, const std::shared_ptr<arrow::DataType>& type,
                                                         arrow::MemoryPool* pool);

/// values[indices[i]] for each i. A negative index gives NULL.
arrow::Result<std::shared_ptr<arrow::Array>> TakeRows(const std::shared_ptr<arrow::Array>& values, const std::vector<int64_t>& indices,
                                                      arrow::MemoryPool* pool);

}  // namespace vecruntime::exec
