// SPDX-License-Identifier: Apache-2.0
// median(x) and percentile(x, p), p one fraction or an array of them: exact, with linear interpolation between neighbours.
// percentile_cont(p) WITHIN GROUP (ORDER BY x) is percentile over the values in that order; percentile_disc takes the first value
// that at least the fraction p of them do not come after.
#include <arrow/array/builder_nested.h>
#include <arrow/array/builder_primitive.h>
#include <arrow/scalar.h>
#include <arrow/type.h>

#include <algorithm>
#include <cmath>

#include "vecruntime/base/error.h"
#include "vecruntime/exec/aggregates/accumulator.h"
#include "vecruntime/expr/evaluator.h"
#include "vecruntime/expr/function_registry.h"

namespace vecruntime::exec {
namespace {

std::shared_ptr<arrow::DataType> ListOfDoubles() { return arrow::list(arrow::field("element", arrow::float64(), false)); }

bool NanIsGreatest(double a, double b) { return std::isnan(b) ? !std::isnan(a) : a < b; }

struct Percentiles {
  std::vector<double> fractions;
  bool many = false;        // the result is an array
  bool discrete = false;
  bool descending = false;
};

class PercentileAccumulator : public Accumulator {
 public:
  explicit PercentileAccumulator(Percentiles wanted) : wanted_(std::move(wanted)) {}

  void Resize(size_t groups) override { groups_ = groups; }

  arrow::Status Update(const ArrayVector& arguments, const GroupedRows& rows) override {
    const columnar::Selection valid = WithoutNulls(*rows.rows, {arguments[0]});
    const auto* values = arguments[0]->data()->GetValues<double>(1);
    VisitRows(rows.Among(valid), [&](uint32_t group, int64_t i) { values_.push_back({group, values[i]}); });
    return arrow::Status::OK();
  }

  arrow::Status Merge(Accumulator* other, std::span<const uint32_t> to) override {
    for (const Entry& entry : static_cast<PercentileAccumulator*>(other)->values_) values_.push_back({to[entry.group], entry.value});
    return arrow::Status::OK();
  }

  arrow::Result<std::shared_ptr<arrow::Array>> Finish(arrow::MemoryPool* pool) override {
    std::sort(values_.begin(), values_.end(), [](const Entry& a, const Entry& b) {
      return a.group != b.group ? a.group < b.group : NanIsGreatest(a.value, b.value);
    });
    const size_t count = wanted_.fractions.size();
    std::vector<double> results(groups_ * count, 0);
    std::vector<uint8_t> valid(groups_, 0);
    for (size_t begin = 0; begin < values_.size();) {
      const uint32_t group = values_[begin].group;
      size_t end = begin;
      while (end < values_.size() && values_[end].group == group) ++end;
      for (size_t k = 0; k < count; ++k) results[group * count + k] = Percentile(std::span(values_).subspan(begin, end - begin), wanted_.fractions[k]);
      valid[group] = count > 0;
      begin = end;
    }
    return wanted_.many ? Lists(results, valid, pool) : FixedWidthArray(arrow::float64(), results.data(), groups_, valid, pool);
  }

  int64_t bytes() const override { return BytesOf(values_); }

 private:
  struct Entry {
    uint32_t group;
    double value;
  };

  double Percentile(std::span<const Entry> sorted, double fraction) const {
    const auto at = [&](double place) {
      const auto index = static_cast<size_t>(place);
      return sorted[wanted_.descending ? sorted.size() - 1 - index : index].value;
    };
    if (wanted_.discrete) return at(std::max(std::ceil(static_cast<double>(sorted.size()) * fraction), 1.0) - 1);
    const double position = static_cast<double>(sorted.size() - 1) * fraction;
    const double lower = std::floor(position), higher = std::ceil(position);
    const double low = at(lower), high = at(higher);
    if (lower == higher || low == high) return low;
    return (higher - position) * low + (position - lower) * high;
  }

  // One array a group, of as many values as there are fractions.
  arrow::Result<std::shared_ptr<arrow::Array>> Lists(const std::vector<double>& results, std::span<const uint8_t> valid, arrow::MemoryPool* pool) const {
    auto values = std::make_shared<arrow::DoubleBuilder>(pool);
    arrow::ListBuilder lists(pool, values, ListOfDoubles());
    const size_t count = wanted_.fractions.size();
    for (size_t group = 0; group < groups_; ++group) {
      if (valid[group] == 0) {
        ARROW_RETURN_NOT_OK(lists.AppendNull());
        continue;
      }
      ARROW_RETURN_NOT_OK(lists.Append());
      ARROW_RETURN_NOT_OK(values->AppendValues(results.data() + group * count, static_cast<int64_t>(count)));
    }
    return lists.Finish();
  }

  Percentiles wanted_;
  size_t groups_ = 0;
  std::vector<Entry> values_;
};

// Of a literal: a double or an array of doubles; a NULL among them is no fraction.
std::vector<double> FractionsOf(const expr::Expr& literal) {
  if (literal.type()->id() != arrow::Type::LIST) return {static_cast<const arrow::DoubleScalar&>(*literal.value()).value};
  const auto& values = static_cast<const arrow::DoubleArray&>(*static_cast<const arrow::ListScalar&>(*literal.value()).value);
  std::vector<double> fractions;
  for (int64_t i = 0; i < values.length(); ++i) fractions.push_back(values.IsValid(i) ? values.Value(i) : -1);
  return fractions;
}

// The literal fraction or fractions of percentile(x, p) as a literal of doubles.
arrow::Status BindFraction(AggregateCall* call) {
  auto& fraction = call->arguments[1];
  const bool many = fraction->type()->id() == arrow::Type::LIST;
  ARROW_ASSIGN_OR_RAISE(fraction, expr::BindCast(fraction, many ? ListOfDoubles() : arrow::float64(), false));
  fraction = expr::FoldConstants(fraction, expr::EvalContext{.pool = arrow::default_memory_pool()});
  if (fraction->kind() != expr::ExprKind::kLiteral || !fraction->value()->is_valid) {
    return base::InvalidArgument("[DATATYPE_MISMATCH.NON_FOLDABLE_INPUT] the second argument of ", call->function, " should be a foldable double");
  }
  for (const double value : FractionsOf(*fraction)) {
    if (value >= 0 && value <= 1) continue;
    return base::InvalidArgument("[DATATYPE_MISMATCH.VALUE_OUT_OF_RANGE] the percentage of ", call->function, " must be between 0.0 and 1.0: ", value);
  }
  return arrow::Status::OK();
}

bool IsOrdered(const AggregateCall& call) { return call.function == "percentile_cont" || call.function == "percentile_disc"; }

// The arguments of the ordered ones are (x, p, descending).
arrow::Status Bind(AggregateCall* call) {
  if (call->function == "percentile" && call->arguments.size() == 3) return base::Unsupported("percentile with a frequency argument");
  ARROW_RETURN_NOT_OK(CheckArgumentCount(*call, call->function == "median" ? 1 : IsOrdered(*call) ? 3 : 2));
  if (call->function != "median") ARROW_RETURN_NOT_OK(BindFraction(call));
  const bool many = call->arguments.size() > 1 && call->arguments[1]->type()->id() == arrow::Type::LIST;
  const auto id = call->arguments[0]->type()->id();
  if (id == arrow::Type::INTERVAL_MONTHS || id == arrow::Type::DURATION) return base::Unsupported(call->function, " of intervals");
  call->type = many ? ListOfDoubles() : arrow::float64();
  const std::vector<expr::ExprPtr> options(call->arguments.begin() + 1, call->arguments.end());
  call->arguments.resize(1);
  ARROW_RETURN_NOT_OK(CoerceArgumentsToDouble(call));
  call->arguments.insert(call->arguments.end(), options.begin(), options.end());
  return arrow::Status::OK();
}

std::unique_ptr<Accumulator> Make(const AggregateCall& call) {
  Percentiles wanted{{0.5}};
  if (call.arguments.size() > 1) {
    wanted.fractions = FractionsOf(*call.arguments[1]);
    wanted.many = call.arguments[1]->type()->id() == arrow::Type::LIST;
  }
  wanted.discrete = call.function == "percentile_disc";
  wanted.descending = IsOrdered(call) && static_cast<const arrow::BooleanScalar&>(*call.arguments[2]->value()).value;
  return std::make_unique<PercentileAccumulator>(std::move(wanted));
}

}  // namespace

const AggregateFamily& PercentileFamily() {
  static const AggregateFamily family{{"median", "percentile", "percentile_cont", "percentile_disc"}, Bind, Make};
  return family;
}

}  // namespace vecruntime::exec
