// SPDX-License-Identifier: Apache-2.0
#include "vecruntime/sql/lower.h"

#include <arrow/array.h>
#include <arrow/type.h>

#include <utility>

#include "vecruntime/exec/operators.h"
#include "vecruntime/sql/union_source.h"

namespace vecruntime::sql {
namespace {

// Builds the pipelines under one node, deepest operators first.
class Lowering {
 public:
  explicit Lowering(std::string* explanation) : explanation_(explanation) {}

  arrow::Result<std::vector<exec::Pipeline>> Run(const Plan& plan, int level) {
    ARROW_RETURN_NOT_OK(Append(plan, level));
    pipelines_.push_back(std::move(current_));
    return std::move(pipelines_);
  }

 private:
  void Explain(int level, const std::string& line) { explanation_->append(static_cast<size_t>(level) * 2, ' ').append(line).append("\n"); }

  // The current pipeline ends in `sink`; the next one reads what it holds.
  void Break(std::unique_ptr<exec::Sink> sink) {
    current_.sink = std::move(sink);
    pipelines_.push_back(std::move(current_));
    current_ = exec::Pipeline{};
  }

  arrow::Status Append(const Plan& plan, int level) {
    Explain(level, DescribeOperator(plan));
    if (const auto* scan = std::get_if<Scan>(&plan.op)) return AppendScan(*scan);
    if (const auto* values = std::get_if<Values>(&plan.op)) return AppendValues(plan, *values);
    if (std::holds_alternative<Union>(plan.op)) return AppendUnion(plan, level);
    const Plan& input = *plan.inputs[0];
    ARROW_RETURN_NOT_OK(Append(input, level + 1));
    if (const auto* filter = std::get_if<Filter>(&plan.op)) current_.transforms.push_back(exec::MakeFilter(input.schema, filter->predicate));
    if (const auto* project = std::get_if<Project>(&plan.op)) current_.transforms.push_back(exec::MakeProject(project->expressions, OutputNames(plan)));
    if (const auto* aggregate = std::get_if<Aggregate>(&plan.op)) Break(exec::MakeAggregate(aggregate->keys, aggregate->calls, OutputNames(plan)));
    if (const auto* sort = std::get_if<Sort>(&plan.op)) Break(exec::MakeSort(input.schema, sort->keys, sort->limit, sort->offset));
    if (const auto* limit = std::get_if<Limit>(&plan.op)) Break(exec::MakeLimit(input.schema, limit->limit, limit->offset));
    return arrow::Status::OK();
  }

  arrow::Status AppendScan(const Scan& scan) {
    ARROW_ASSIGN_OR_RAISE(current_.source, scan.relation->Scan({scan.columns, scan.filter, scan.uses}));
    return arrow::Status::OK();
  }

  arrow::Status AppendValues(const Plan& plan, const Values& values) {
    std::vector<columnar::Batch> batches;
    if (values.rows > 0) batches.push_back({values.columns, columnar::Selection::All(values.rows)});
    current_.source = exec::MakeBatchSource(plan.schema, std::move(batches), "Values");
    return arrow::Status::OK();
  }

  arrow::Status AppendUnion(const Plan& plan, int level) {
    std::vector<std::vector<exec::Pipeline>> branches;
    for (const PlanPtr& input : plan.inputs) {
      ARROW_ASSIGN_OR_RAISE(auto branch, Lowering(explanation_).Run(*input, level + 1));
      branches.push_back(std::move(branch));
    }
    current_.source = MakeUnionSource(plan.schema, std::move(branches));
    return arrow::Status::OK();
  }

  std::string* explanation_;
  std::vector<exec::Pipeline> pipelines_;
  exec::Pipeline current_;
};

}  // namespace

arrow::Result<PhysicalPlan> Lower(const PlanPtr& plan) {
  PhysicalPlan physical;
  physical.output_schema = plan->schema;
  ARROW_ASSIGN_OR_RAISE(physical.pipelines, Lowering(&physical.explanation).Run(*plan, 0));
  return physical;
}

}  // namespace vecruntime::sql
