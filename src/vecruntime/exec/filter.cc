// SPDX-License-Identifier: Apache-2.0
#include <arrow/status.h>
#include <arrow/type.h>

#include "vecruntime/exec/operators.h"
#include "vecruntime/expr/evaluator.h"

namespace vecruntime::exec {
namespace {

class FilterTransform : public Transform {
 public:
  FilterTransform(std::shared_ptr<arrow::Schema> input, expr::ExprPtr predicate)
      : schema_(std::move(input)), predicate_(std::move(predicate)) {}

  const std::shared_ptr<arrow::Schema>& output_schema() const override { return schema_; }
  arrow::Status Apply(const ExecContext& context, columnar::Batch* batch) const override {
    return expr::Filter(*predicate_, batch->columns, context.eval, &batch->selection);
  }
  std::string Describe() const override { return "Filter " + predicate_->ToString(); }

 private:
  std::shared_ptr<arrow::Schema> schema_;
  expr::ExprPtr predicate_;
};

}  // namespace

std::unique_ptr<Transform> MakeFilter(std::shared_ptr<arrow::Schema> input, expr::ExprPtr predicate) {
  return std::make_unique<FilterTransform>(std::move(input), std::move(predicate));
}

}  // namespace vecruntime::exec
