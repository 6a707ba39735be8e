// SPDX-License-Identifier: Apache-2.0
#include "cli/output/text_columns.h"

#include <arrow/array.h>
#include <arrow/array/builder_binary.h>
#include <arrow/array/util.h>
#include <arrow/datum.h>
#include <arrow/record_batch.h>
#include <arrow/type.h>
#include <arrow/util/string.h>

#include "vecruntime/expr/evaluator.h"
#include "vecruntime/expr/function_registry.h"

namespace vecruntime::cli {
namespace {

arrow::Result<std::shared_ptr<arrow::StringArray>> Hexadecimal(const arrow::BinaryArray& binary) {
  arrow::StringBuilder builder;
  for (int64_t i = 0; i < binary.length(); ++i) {
    ARROW_RETURN_NOT_OK(binary.IsNull(i) ? builder.AppendNull() : builder.Append(arrow::HexEncode(binary.GetView(i))));
  }
  ARROW_ASSIGN_OR_RAISE(auto text, builder.Finish());
  return std::static_pointer_cast<arrow::StringArray>(text);
}

arrow::Result<std::shared_ptr<arrow::StringArray>> AsText(const std::shared_ptr<arrow::Array>& column, const expr::EvalContext& context) {
  if (column->type_id() == arrow::Type::STRING) return std::static_pointer_cast<arrow::StringArray>(column);
  if (column->type_id() == arrow::Type::BINARY) return Hexadecimal(static_cast<const arrow::BinaryArray&>(*column));
  ARROW_ASSIGN_OR_RAISE(auto cast, expr::BindCast(expr::Expr::Column(0, "value", column->type(), true), arrow::utf8(), false));
  ARROW_ASSIGN_OR_RAISE(arrow::Datum text, expr::Evaluate(*cast, {column}, columnar::Selection::All(column->length()), context));
  if (!text.is_scalar()) return std::static_pointer_cast<arrow::StringArray>(text.make_array());
  ARROW_ASSIGN_OR_RAISE(auto repeated, arrow::MakeArrayFromScalar(*text.scalar(), column->length()));
  return std::static_pointer_cast<arrow::StringArray>(repeated);
}

}  // namespace

arrow::Result<std::vector<std::shared_ptr<arrow::StringArray>>> TextColumns::Convert(const arrow::RecordBatch& batch) const {
  expr::EvalContext context;
  context.pool = arrow::default_memory_pool();
  context.timezone = timezone_;
  std::vector<std::shared_ptr<arrow::StringArray>> texts;
  for (const auto& column : batch.columns()) {
    ARROW_ASSIGN_OR_RAISE(auto text, AsText(column, context));
    texts.push_back(std::move(text));
  }
  return texts;
}

}  // namespace vecruntime::cli
