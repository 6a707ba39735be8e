// SPDX-License-Identifier: Apache-2.0
// median(x) and percentile(x, p): exact, with linear interpolation between neighbours.
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

bool NanIsGreatest(double a, double b) { return std::isnan(b) ? !std::isnan(a) : a < b; }

class PercentileAccumulator : public Accumulator {
 public:
  explicit PercentileAccumulator(double fraction) : fraction_(fraction) {}

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
    std::vector<double> results(groups_, 0);
    std::vector<uint8_t> valid(groups_, 0);
    for (size_t begin = 0; begin < values_.size();) {
      const uint32_t group = values_[begin].group;
      size_t end = begin;
      while (end < values_.size() && values_[end].group == group) ++end;
      results[group] = Interpolate(std::span(values_).subspan(begin, end - begin));
      valid[group] = 1;
      begin = end;
    }
    return FixedWidthArray(arrow::float64(), results.data(), groups_, valid, pool);
  }

  int64_t bytes() const override { return BytesOf(values_); }

 private:
  struct Entry {
    uint32_t group;
    double value;
  };

  double Interpolate(std::span<const Entry> sorted) const {
    const double position = static_cast<double>(sorted.size() - 1) * fraction_;
    const double lower = std::floor(position), higher = std::ceil(position);
    const double low = sorted[static_cast<size_t>(lower)].value, high = sorted[static_cast<size_t>(higher)].value;
    if (lower == higher || low == high) return low;
    return (higher - position) * low + (position - lower) * high;
  }

  double fraction_;
  size_t groups_ = 0;
  std::vector<Entry> values_;
};

// The literal fraction of percentile(x, p) as a double literal.
arrow::Status BindFraction(AggregateCall* call) {
  auto& fraction = call->arguments[1];
  if (fraction->type()->id() == arrow::Type::LIST) return base::Unsupported("percentile with an array of fractions");
  ARROW_ASSIGN_OR_RAISE(fraction, expr::BindCast(fraction, arrow::float64(), false));
  fraction = expr::FoldConstants(fraction, expr::EvalContext{});
  if (fraction->kind() != expr::ExprKind::kLiteral || !fraction->value()->is_valid) {
    return base::InvalidArgument("[DATATYPE_MISMATCH.NON_FOLDABLE_INPUT] the second argument of percentile should be a foldable double");
  }
  const double value = static_cast<const arrow::DoubleScalar&>(*fraction->value()).value;
  if (value >= 0 && value <= 1) return arrow::Status::OK();
  return base::InvalidArgument("[DATATYPE_MISMATCH.VALUE_OUT_OF_RANGE] the percentage of percentile must be between 0.0 and 1.0: ", value);
}

arrow::Status Bind(AggregateCall* call) {
  if (call->function == "percentile" && call->arguments.size() == 3) return base::Unsupported("percentile with a frequency argument");
  ARROW_RETURN_NOT_OK(CheckArgumentCount(*call, call->function == "median" ? 1 : 2));
  if (call->function == "percentile") ARROW_RETURN_NOT_OK(BindFraction(call));
  const auto id = call->arguments[0]->type()->id();
  if (id == arrow::Type::INTERVAL_MONTHS || id == arrow::Type::DURATION) return base::Unsupported(call->function, " of intervals");
  call->type = arrow::float64();
  return CoerceArgumentsToDouble(call);
}

std::unique_ptr<Accumulator> Make(const AggregateCall& call) {
  const double fraction =
      call.arguments.size() == 2 ? static_cast<const arrow::DoubleScalar&>(*call.arguments[1]->value()).value : 0.5;
  return std::make_unique<PercentileAccumulator>(fraction);
}

}  // namespace

const AggregateFamily& PercentileFamily() {
  static const AggregateFamily family{{"median", "percentile"}, Bind, Make};
  return family;
}

}  // namespace vecruntime::exec
