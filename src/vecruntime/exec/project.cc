// SPDX-License-Identifier: Apache-2.0
#include <arrow/array.h>
#include <arrow/type.h>

#include "vecruntime/exec/evaluation.h"
#include "vecruntime/exec/operators.h"

namespace vecruntime::exec {
namespace {

class ProjectTransform : public Transform {
 public:
  ProjectTransform(std::vector<expr::ExprPtr> expressions, const std::vector<std::string>& names) : expressions_(std::move(expressions)) {
    arrow::FieldVector fields;
    for (size_t i = 0; i < expressions_.size(); ++i) fields.push_back(arrow::field(names[i], expressions_[i]->type()));
    schema_ = arrow::schema(std::move(fields));
  }

  const std::shared_ptr<arrow::Schema>& output_schema() const override { return schema_; }

  arrow::Status Apply(const ExecContext& context, columnar::Batch* batch) const override {
    ArrayVector output;
    output.reserve(expressions_.size());
    for (const auto& expression : expressions_) {
      ARROW_ASSIGN_OR_RAISE(auto column, EvaluateEncodedArray(*expression, batch->columns, batch->selection, context));
      output.push_back(std::move(column));
    }
    batch->columns = std::move(output);
    return arrow::Status::OK();
  }

  std::string Describe() const override {
    std::string text = "Project";
    for (size_t i = 0; i < expressions_.size(); ++i) {
      const std::string expression = expressions_[i]->ToString();
      text += (i == 0 ? " " : ", ") + expression;
      if (const auto& name = schema_->field(static_cast<int>(i))->name(); name != expression) text += " AS " + name;
    }
    return text;
  }

 private:
  std::vector<expr::ExprPtr> expressions_;
  std::shared_ptr<arrow::Schema> schema_;
};

}  // namespace

std::unique_ptr<Transform> MakeProject(std::vector<expr::ExprPtr> expressions, std::vector<std::string> names) {
  return std::make_unique<ProjectTransform>(std::move(expressions), names);
}

}  // namespace vecruntime::exec
