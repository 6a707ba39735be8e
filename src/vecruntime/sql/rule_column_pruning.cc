// SPDX-License-Identifier: Apache-2.0
#include <arrow/type.h>

#include <algorithm>
#include <numeric>

#include "vecruntime/sql/plan_rewrite.h"
#include "vecruntime/sql/rules.h"

namespace vecruntime::sql {
namespace {

// A pruned plan, and where each old output column is now (-1: gone).
struct Pruned {
  PlanPtr plan;
  std::vector<int> places;
};

expr::ExprPtr Move(const expr::ExprPtr& expression, const Pruned& input) {
  return expr::ReplaceColumns(expression, [&](int column) { return OutputColumn(*input.plan, input.places[static_cast<size_t>(column)]); });
}

void Require(const expr::Expr& expression, std::vector<bool>* required) {
  std::vector<int> columns;
  expr::CollectColumns(expression, &columns);
  for (const int column : columns) (*required)[static_cast<size_t>(column)] = true;
}

std::vector<bool> Nothing(const Plan& plan) { return std::vector<bool>(static_cast<size_t>(plan.schema->num_fields()), false); }

class ColumnPruner {
 public:
  explicit ColumnPruner(bool narrow_scans) : narrow_scans_(narrow_scans) {}

  Pruned Prune(const PlanPtr& plan, const std::vector<bool>& required) const {
    if (const auto* scan = std::get_if<Scan>(&plan->op)) return PruneScan(*scan, required);
    if (const auto* values = std::get_if<Values>(&plan->op)) return PruneValues(*plan, *values, required);
    if (const auto* filter = std::get_if<Filter>(&plan->op)) return PruneFilter(*plan, *filter, required);
    if (const auto* project = std::get_if<Project>(&plan->op)) return PruneProject(*plan, *project, required);
    if (const auto* aggregate = std::get_if<Aggregate>(&plan->op)) return PruneAggregate(*plan, *aggregate, required);
    if (const auto* sort = std::get_if<Sort>(&plan->op)) return PruneSort(*plan, *sort, required);
    if (std::holds_alternative<Union>(plan->op)) return PruneUnion(*plan, required);
    Pruned input = Prune(plan->inputs[0], required);  // Limit
    return {WithInputs(*plan, {input.plan}), input.places};
  }

 private:
  Pruned PruneScan(const Scan& scan, const std::vector<bool>& required) const {
    Pruned pruned;
    std::vector<int> columns;
    for (size_t i = 0; i < scan.columns.size(); ++i) {
      // A column that cannot be read has no type (void), and does no harm as long as nobody asks for it.
      const bool readable = scan.relation->schema()->field(scan.columns[i])->type()->id() != arrow::Type::NA;
      const bool kept = required[i] || (!narrow_scans_ && readable && scan.columns[i] < scan.relation->visible_columns());
      pruned.places.push_back(kept ? static_cast<int>(columns.size()) : -1);
      if (kept) columns.push_back(scan.columns[i]);
    }
    pruned.plan = MakeScanPlan(scan.relation, std::move(columns), scan.filter);
    return pruned;
  }

  static Pruned PruneValues(const Plan& plan, const Values& values, const std::vector<bool>& required) {
    Pruned pruned;
    arrow::FieldVector fields;
    std::vector<std::shared_ptr<arrow::Array>> columns;
    for (size_t i = 0; i < values.columns.size(); ++i) {
      pruned.places.push_back(required[i] ? static_cast<int>(columns.size()) : -1);
      if (!required[i]) continue;
      columns.push_back(values.columns[i]);
      fields.push_back(plan.schema->field(static_cast<int>(i)));
    }
    pruned.plan = MakeValuesPlan(arrow::schema(std::move(fields)), std::move(columns), values.rows);
    return pruned;
  }

  Pruned PruneFilter(const Plan& plan, const Filter& filter, std::vector<bool> required) const {
    Require(*filter.predicate, &required);
    Pruned input = Prune(plan.inputs[0], required);
    auto predicate = Move(filter.predicate, input);
    return {MakeFilterPlan(input.plan, std::move(predicate)), input.places};
  }

  Pruned PruneProject(const Plan& plan, const Project& project, const std::vector<bool>& required) const {
    std::vector<bool> below = Nothing(*plan.inputs[0]);
    for (size_t i = 0; i < project.expressions.size(); ++i) {
      if (required[i]) Require(*project.expressions[i], &below);
    }
    const Pruned input = Prune(plan.inputs[0], below);
    Pruned pruned;
    std::vector<expr::ExprPtr> expressions;
    std::vector<std::string> names;
    for (size_t i = 0; i < project.expressions.size(); ++i) {
      pruned.places.push_back(required[i] ? static_cast<int>(expressions.size()) : -1);
      if (!required[i]) continue;
      expressions.push_back(Move(project.expressions[i], input));
      names.push_back(plan.schema->field(static_cast<int>(i))->name());
    }
    pruned.plan = MakeProjectPlan(input.plan, std::move(expressions), std::move(names));
    return pruned;
  }

  // Keys stay: they decide how many rows there are.
  Pruned PruneAggregate(const Plan& plan, const Aggregate& aggregate, const std::vector<bool>& required) const {
    std::vector<bool> below = Nothing(*plan.inputs[0]);
    for (const auto& key : aggregate.keys) Require(*key, &below);
    Pruned pruned;
    std::vector<exec::AggregateCall> calls;
    std::vector<std::string> names;
    for (size_t i = 0; i < required.size(); ++i) {
      const bool is_key = i < aggregate.keys.size();
      const bool kept = is_key || required[i];
      pruned.places.push_back(kept ? static_cast<int>(names.size()) : -1);
      if (!kept) continue;
      names.push_back(plan.schema->field(static_cast<int>(i))->name());
      if (is_key) continue;
      calls.push_back(aggregate.calls[i - aggregate.keys.size()]);
      for (const auto& argument : calls.back().arguments) Require(*argument, &below);
      if (calls.back().filter) Require(*calls.back().filter, &below);
    }
    const Pruned input = Prune(plan.inputs[0], below);
    std::vector<expr::ExprPtr> keys;
    for (const auto& key : aggregate.keys) keys.push_back(Move(key, input));
    for (auto& call : calls) {
      for (auto& argument : call.arguments) argument = Move(argument, input);
      if (call.filter) call.filter = Move(call.filter, input);
    }
    pruned.plan = MakeAggregatePlan(input.plan, std::move(keys), std::move(calls), std::move(names));
    return pruned;
  }

  Pruned PruneSort(const Plan& plan, const Sort& sort, std::vector<bool> required) const {
    for (const auto& key : sort.keys) Require(*key.expression, &required);
    Pruned input = Prune(plan.inputs[0], required);
    std::vector<exec::SortKey> keys = sort.keys;
    for (auto& key : keys) key.expression = Move(key.expression, input);
    return {MakeSortPlan(input.plan, std::move(keys), sort.limit, sort.offset), input.places};
  }

  // Inputs may keep more than was asked for, each its own; a Project brings them to one layout.
  Pruned PruneUnion(const Plan& plan, const std::vector<bool>& required) const {
    Pruned pruned;
    arrow::FieldVector fields;
    for (size_t i = 0; i < required.size(); ++i) {
      pruned.places.push_back(required[i] ? static_cast<int>(fields.size()) : -1);
      if (required[i]) fields.push_back(plan.schema->field(static_cast<int>(i)));
    }
    std::vector<PlanPtr> inputs;
    for (const PlanPtr& branch : plan.inputs) inputs.push_back(Exactly(Prune(branch, required), required, branch->schema));
    pruned.plan = MakeUnionPlan(std::move(inputs), arrow::schema(std::move(fields)));
    return pruned;
  }

 public:
  /// The required columns alone, in their old order and with their old names.
  static PlanPtr Exactly(const Pruned& pruned, const std::vector<bool>& required, const std::shared_ptr<arrow::Schema>& schema) {
    std::vector<expr::ExprPtr> expressions;
    std::vector<std::string> names;
    bool same = true;
    for (size_t i = 0; i < required.size(); ++i) {
      if (!required[i]) continue;
      same = same && pruned.places[i] == static_cast<int>(expressions.size());
      expressions.push_back(OutputColumn(*pruned.plan, pruned.places[i]));
      names.push_back(schema->field(static_cast<int>(i))->name());
    }
    if (same && static_cast<int>(expressions.size()) == pruned.plan->schema->num_fields()) return pruned.plan;
    return MakeProjectPlan(pruned.plan, std::move(expressions), std::move(names));
  }

 private:
  bool narrow_scans_;
};

}  // namespace

PlanPtr PruneColumnsRule(const PlanPtr& plan, bool narrow_scans) {
  const std::vector<bool> all(static_cast<size_t>(plan->schema->num_fields()), true);
  return ColumnPruner::Exactly(ColumnPruner(narrow_scans).Prune(plan, all), all, plan->schema);
}

}  // namespace vecruntime::sql
