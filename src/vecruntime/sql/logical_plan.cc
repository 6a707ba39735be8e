// SPDX-License-Identifier: Apache-2.0
#include "vecruntime/sql/logical_plan.h"

#include <arrow/array.h>
#include <arrow/array/util.h>
#include <arrow/type.h>

#include <utility>

namespace vecruntime::sql {
namespace {

PlanPtr Make(PlanOperator op, std::vector<PlanPtr> inputs, std::shared_ptr<arrow::Schema> schema) {
  return std::make_shared<const Plan>(Plan{std::move(op), std::move(inputs), std::move(schema)});
}

template <typename Range, typename Text>
std::string Join(const Range& range, Text&& text) {
  std::string out;
  for (const auto& element : range) out += (out.empty() ? "" : ", ") + text(element);
  return out;
}

std::string DescribeCall(const exec::AggregateCall& call) {
  std::string arguments = Join(call.arguments, [](const expr::ExprPtr& argument) { return argument->ToString(); });
  if (arguments.empty()) arguments = "*";
  std::string text = call.function + "(" + (call.distinct ? "DISTINCT " : "") + arguments + ")";
  if (call.filter) text += " FILTER (WHERE " + call.filter->ToString() + ")";
  return text;
}

std::string DescribeRange(int64_t limit, int64_t offset) {
  std::string text;
  if (limit >= 0) text += " limit=" + std::to_string(limit);
  if (offset > 0) text += " offset=" + std::to_string(offset);
  return text;
}

struct Describer {
  const Plan& plan;

  std::string operator()(const Scan& scan) const {
    std::string text = "Scan " + scan.relation->name() + " columns=[" +
                       Join(plan.schema->fields(), [](const std::shared_ptr<arrow::Field>& field) { return field->name(); }) + "]";
    if (scan.filter) text += " filter=" + scan.filter->ToString();
    return text;
  }
  std::string operator()(const Values& values) const { return "Values rows=" + std::to_string(values.rows); }
  std::string operator()(const Filter& filter) const { return "Filter " + filter.predicate->ToString(); }
  std::string operator()(const Project& project) const {
    std::string text;
    for (size_t i = 0; i < project.expressions.size(); ++i) {
      const std::string expression = project.expressions[i]->ToString();
      const std::string& name = plan.schema->field(static_cast<int>(i))->name();
      text += (i == 0 ? "" : ", ") + expression + (expression == name ? "" : " AS " + name);
    }
    return "Project [" + text + "]";
  }
  std::string operator()(const Aggregate& aggregate) const {
    return "Aggregate keys=[" + Join(aggregate.keys, [](const expr::ExprPtr& key) { return key->ToString(); }) + "] calls=[" +
           Join(aggregate.calls, DescribeCall) + "]";
  }
  std::string operator()(const Sort& sort) const {
    const auto key_text = [](const exec::SortKey& key) {
      return key.expression->ToString() + (key.descending ? " DESC" : " ASC") + (key.nulls_first ? " NULLS FIRST" : " NULLS LAST");
    };
    return std::string(sort.limit >= 0 ? "TopN" : "Sort") + " keys=[" + Join(sort.keys, key_text) + "]" + DescribeRange(sort.limit, sort.offset);
  }
  std::string operator()(const Limit& limit) const { return "Limit" + DescribeRange(limit.limit, limit.offset); }
  std::string operator()(const Union&) const { return "Union"; }
};

void AppendTree(const Plan& plan, int level, std::string* out) {
  out->append(static_cast<size_t>(level) * 2, ' ').append(DescribeOperator(plan)).append("\n");
  for (const PlanPtr& input : plan.inputs) AppendTree(*input, level + 1, out);
}

}  // namespace

PlanPtr MakeScanPlan(std::shared_ptr<Relation> relation, std::vector<int> columns, expr::ExprPtr filter) {
  arrow::FieldVector fields;
  for (const int column : columns) fields.push_back(relation->schema()->field(column));
  return Make(Scan{std::move(relation), std::move(columns), std::move(filter)}, {}, arrow::schema(std::move(fields)));
}

PlanPtr MakeValuesPlan(std::shared_ptr<arrow::Schema> schema, std::vector<std::shared_ptr<arrow::Array>> columns, int64_t rows) {
  return Make(Values{std::move(columns), rows}, {}, std::move(schema));
}

PlanPtr MakeEmptyPlan(const std::shared_ptr<arrow::Schema>& schema) {
  std::vector<std::shared_ptr<arrow::Array>> columns;
  for (const auto& field : schema->fields()) columns.push_back(arrow::MakeEmptyArray(field->type()).ValueOrDie());
  return MakeValuesPlan(schema, std::move(columns), 0);
}

PlanPtr MakeFilterPlan(PlanPtr input, expr::ExprPtr predicate) {
  auto schema = input->schema;
  return Make(Filter{std::move(predicate)}, {std::move(input)}, std::move(schema));
}

PlanPtr MakeProjectPlan(PlanPtr input, std::vector<expr::ExprPtr> expressions, std::vector<std::string> names) {
  arrow::FieldVector fields;
  for (size_t i = 0; i < expressions.size(); ++i) fields.push_back(arrow::field(names[i], expressions[i]->type()));
  return Make(Project{std::move(expressions)}, {std::move(input)}, arrow::schema(std::move(fields)));
}

PlanPtr MakeAggregatePlan(PlanPtr input, std::vector<expr::ExprPtr> keys, std::vector<exec::AggregateCall> calls, std::vector<std::string> names) {
  arrow::FieldVector fields;
  for (const auto& key : keys) fields.push_back(arrow::field(names[fields.size()], key->type()));
  for (const auto& call : calls) fields.push_back(arrow::field(names[fields.size()], call.type));
  return Make(Aggregate{std::move(keys), std::move(calls)}, {std::move(input)}, arrow::schema(std::move(fields)));
}

PlanPtr MakeSortPlan(PlanPtr input, std::vector<exec::SortKey> keys, int64_t limit, int64_t offset) {
  auto schema = input->schema;
  return Make(Sort{std::move(keys), limit, offset}, {std::move(input)}, std::move(schema));
}

PlanPtr MakeLimitPlan(PlanPtr input, int64_t limit, int64_t offset) {
  auto schema = input->schema;
  return Make(Limit{limit, offset}, {std::move(input)}, std::move(schema));
}

PlanPtr MakeUnionPlan(std::vector<PlanPtr> inputs, std::shared_ptr<arrow::Schema> schema) {
  return Make(Union{}, std::move(inputs), std::move(schema));
}

PlanPtr WithUses(const Plan& scan, std::vector<columnar::ColumnUse> uses) {
  Scan op = std::get<Scan>(scan.op);
  op.uses = std::move(uses);
  return Make(std::move(op), {}, scan.schema);
}

PlanPtr WithInputs(const Plan& plan, std::vector<PlanPtr> inputs) {
  const bool passes_through =
      std::holds_alternative<Filter>(plan.op) || std::holds_alternative<Sort>(plan.op) || std::holds_alternative<Limit>(plan.op);
  auto schema = passes_through ? inputs[0]->schema : plan.schema;
  return Make(plan.op, std::move(inputs), std::move(schema));
}

expr::ExprPtr OutputColumn(const Plan& plan, int index) {
  const auto& field = plan.schema->field(index);
  return expr::Expr::Column(index, field->name(), field->type(), field->nullable());
}

std::vector<std::string> OutputNames(const Plan& plan) { return plan.schema->field_names(); }

std::string DescribeOperator(const Plan& plan) { return std::visit(Describer{plan}, plan.op); }

std::string ToString(const Plan& plan) {
  std::string out;
  AppendTree(plan, 0, &out);
  return out;
}

}  // namespace vecruntime::sql
