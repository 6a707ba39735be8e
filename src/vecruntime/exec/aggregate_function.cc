// SPDX-License-Identifier: Apache-2.0
#include "vecruntime/exec/aggregate_function.h"

#include <arrow/array.h>
#include <arrow/type.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <unordered_map>

#include "vecruntime/base/error.h"
#include "vecruntime/exec/aggregates/accumulator.h"
#include "vecruntime/exec/row_encoding.h"
#include "vecruntime/expr/function_registry.h"

namespace vecruntime::exec {
namespace {

// Spark's aggregates that are refused by name: a scalar function of the same name must not be looked for.
constexpr std::array<std::string_view, 30> kRefused = {
    "approx_count_distinct", "approx_percentile", "percentile_approx", "listagg", "string_agg", "histogram_numeric", "count_min_sketch", "grouping", "grouping_id", "bitmap_construct_agg",
    "bitmap_or_agg", "bitmap_and_agg", "hll_sketch_agg", "hll_union_agg", "schema_of_json_agg", "approx_top_k", "row_number", "rank",
    "dense_rank", "lag", "lead", "ntile", "percent_rank", "cume_dist", "nth_value", "theta_sketch_agg", "theta_union_agg",
    "theta_intersection_agg", "kll_sketch_agg_bigint", "kll_sketch_agg_double"};

std::string Lower(std::string_view name) {
  std::string lower(name);
  std::transform(lower.begin(), lower.end(), lower.begin(), [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return lower;
}

// The first family that owns the name; null when there is none.
const AggregateFamily* FindFamily(std::string_view name) {
  static const auto* families = [] {
    auto* map = new std::unordered_map<std::string_view, const AggregateFamily*>();
    for (const AggregateFamily* family :
         {&CountFamily(), &SumFamily(), &AverageFamily(), &MinMaxFamily(), &MinMaxByFamily(), &FirstLastFamily(), &BooleanFamily(),
          &BitwiseFamily(), &MomentsFamily(), &CovarianceFamily(), &CollectFamily(), &PercentileFamily(), &ModeFamily()}) {
      for (std::string_view each : family->names) map->emplace(each, family);
    }
    return map;
  }();
  const auto found = families->find(name);
  return found == families->end() ? nullptr : found->second;
}

bool IsRefused(std::string_view lower_name) { return std::find(kRefused.begin(), kRefused.end(), lower_name) != kRefused.end(); }

}  // namespace

bool IsAggregateFunction(std::string_view name) {
  const std::string lower = Lower(name);
  return FindFamily(lower) != nullptr || IsRefused(lower);
}

arrow::Result<AggregateCall> BindAggregate(std::string_view name, bool distinct, std::vector<expr::ExprPtr> arguments,
                                           expr::ExprPtr filter) {
  AggregateCall call;
  call.function = Lower(name);
  call.distinct = distinct;
  call.arguments = std::move(arguments);
  call.filter = std::move(filter);
  const AggregateFamily* family = FindFamily(call.function);
  if (family == nullptr) return base::Unsupported("aggregate or window function ", call.function);
  ARROW_RETURN_NOT_OK(family->bind(&call));
  if (call.filter != nullptr && call.filter->type()->id() != arrow::Type::BOOL) {
    return base::InvalidArgument("[INVALID_AGGREGATE_FILTER] the FILTER expression is not a boolean: ", call.filter->ToString());
  }
  for (const auto& argument : call.arguments) {
    if (call.distinct && !IsEncodable(*argument->type())) {
      return base::Unsupported(call.function, "(DISTINCT ...) of type ", expr::TypeName(*argument->type()));
    }
  }
  return call;
}

std::unique_ptr<Accumulator> MakeAccumulator(const AggregateCall& call) { return FindFamily(call.function)->make(call); }

}  // namespace vecruntime::exec
