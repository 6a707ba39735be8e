// SPDX-License-Identifier: Apache-2.0
#include "vecruntime/exec/evaluation.h"

#include <arrow/array.h>
#include <arrow/array/builder_primitive.h>
#include <arrow/array/concatenate.h>
#include <arrow/array/util.h>
#include <arrow/compute/api_vector.h>
#include <arrow/compute/exec.h>
#include <arrow/datum.h>
#include <arrow/memory_pool.h>

#include "vecruntime/base/error.h"
#include "vecruntime/columnar/decode.h"
#include "vecruntime/expr/evaluator.h"

namespace vecruntime::exec {

arrow::MemoryPool* PoolOf(const ExecContext& context) {
  return context.eval.pool != nullptr ? context.eval.pool : arrow::default_memory_pool();
}

arrow::Result<std::shared_ptr<arrow::Array>> EvaluateArray(const expr::Expr& expression, const ArrayVector& columns,
                                                           const columnar::Selection& rows, const ExecContext& context) {
  ARROW_ASSIGN_OR_RAISE(auto values, EvaluateEncodedArray(expression, columns, rows, context));
  return columnar::Decode(std::move(values), PoolOf(context));
}

arrow::Result<std::shared_ptr<arrow::Array>> EvaluateEncodedArray(const expr::Expr& expression, const ArrayVector& columns,
                                                                  const columnar::Selection& rows, const ExecContext& context) {
  if (expression.kind() == expr::ExprKind::kColumn) return columns[static_cast<size_t>(expression.column())];
  ARROW_ASSIGN_OR_RAISE(arrow::Datum datum, expr::EvaluateEncoded(expression, columns, rows, context.eval));
  if (datum.is_scalar()) return arrow::MakeArrayFromScalar(*datum.scalar(), rows.length(), PoolOf(context));
  return datum.make_array();
}

arrow::Result<std::shared_ptr<arrow::Array>> Concatenate(const ArrayVector& chunks, const std::shared_ptr<arrow::DataType>& type,
                                                         arrow::MemoryPool* pool) {
  if (chunks.empty()) return arrow::MakeEmptyArray(type, pool);
  if (chunks.size() == 1) return chunks[0];
  auto joined = arrow::Concatenate(chunks, pool);
  if (!joined.ok() && joined.status().IsInvalid()) {
    return base::ResourceExhausted("a column of an intermediate result is larger than 2 GiB: ", joined.status().message());
  }
  return joined;
}

arrow::Result<std::shared_ptr<arrow::Array>> TakeRows(const std::shared_ptr<arrow::Array>& values, const std::vector<int64_t>& indices,
                                                      arrow::MemoryPool* pool) {
  arrow::Int64Builder builder(pool);
  ARROW_RETURN_NOT_OK(builder.Reserve(static_cast<int64_t>(indices.size())));
  for (int64_t index : indices) {
    index < 0 ? builder.UnsafeAppendNull() : builder.UnsafeAppend(index);
  }
  std::shared_ptr<arrow::Array> positions;
  ARROW_RETURN_NOT_OK(builder.Finish(&positions));
  arrow::compute::ExecContext context(pool);
  context.set_use_threads(false);
  ARROW_ASSIGN_OR_RAISE(arrow::Datum taken,
                        arrow::compute::Take(values, positions, arrow::compute::TakeOptions::NoBoundsCheck(), &context));
  return taken.make_array();
}

}  // namespace vecruntime::exec
