// SPDX-License-Identifier: Apache-2.0
// covar_pop, covar_samp, corr and the regr_ functions over pairs of which neither is NULL. The latter take (y, x).
#include <arrow/type.h>

#include <algorithm>
#include <cmath>
#include <string_view>

#include "vecruntime/base/error.h"
#include "vecruntime/exec/aggregates/accumulator.h"

namespace vecruntime::exec {
namespace {

struct CoMoments {
  double n = 0, x_mean = 0, y_mean = 0, co = 0, x_m2 = 0, y_m2 = 0;

  void Add(const CoMoments& other) {
    if (other.n == 0) return;
    const double total = n + other.n;
    const double dx = other.x_mean - x_mean, dy = other.y_mean - y_mean;
    const double weight = n * other.n / total;
    co += other.co + dx * dy * weight;
    x_m2 += other.x_m2 + dx * dx * weight;
    y_m2 += other.y_m2 + dy * dy * weight;
    x_mean += dx * other.n / total;
    y_mean += dy * other.n / total;
    n = total;
  }
};

struct Statistic {
  std::string_view name;
  /// The value over at least one pair; false where it is NULL.
  bool (*value)(const CoMoments& m, double* value);
};

// In the regr_ functions y is the first argument, so x of CoMoments is y.
constexpr Statistic kStatistics[] = {
    {"covar_pop", [](const CoMoments& m, double* value) { return *value = m.co / m.n, true; }},
    {"covar_samp", [](const CoMoments& m, double* value) { return *value = m.co / (m.n - 1), m.n > 1; }},
    {"corr", [](const CoMoments& m, double* value) { return *value = m.co / std::sqrt(m.x_m2 * m.y_m2), m.n > 1; }},
    {"regr_avgx", [](const CoMoments& m, double* value) { return *value = m.y_mean, true; }},
    {"regr_avgy", [](const CoMoments& m, double* value) { return *value = m.x_mean, true; }},
    {"regr_sxx", [](const CoMoments& m, double* value) { return *value = m.y_m2, true; }},
    {"regr_syy", [](const CoMoments& m, double* value) { return *value = m.x_m2, true; }},
    {"regr_sxy", [](const CoMoments& m, double* value) { return *value = m.co, true; }},
    {"regr_slope", [](const CoMoments& m, double* value) { return *value = m.co / m.y_m2, m.y_m2 != 0; }},
    {"regr_intercept", [](const CoMoments& m, double* value) { return *value = m.x_mean - m.co / m.y_m2 * m.y_mean, m.y_m2 != 0; }},
    {"regr_r2", [](const CoMoments& m, double* value) { return *value = m.x_m2 == 0 ? 1 : m.co / m.x_m2 * m.co / m.y_m2, m.y_m2 != 0; }},
};

class CovarianceAccumulator : public Accumulator {
 public:
  explicit CovarianceAccumulator(const Statistic& statistic) : statistic_(statistic) {}

  void Resize(size_t groups) override { moments_.resize(groups); }

  arrow::Status Update(const ArrayVector& arguments, const GroupedRows& rows) override {
    const columnar::Selection valid = WithoutNulls(*rows.rows, arguments);
    const auto* x = arguments[0]->data()->GetValues<double>(1);
    const auto* y = arguments[1]->data()->GetValues<double>(1);
    VisitRows(rows.Among(valid), [&](uint32_t group, int64_t i) { moments_[group].Add(CoMoments{1, x[i], y[i], 0, 0, 0}); });
    return arrow::Status::OK();
  }

  arrow::Status Merge(Accumulator* other, std::span<const uint32_t> to) override {
    const auto& from = static_cast<CovarianceAccumulator*>(other)->moments_;
    for (size_t g = 0; g < to.size(); ++g) moments_[to[g]].Add(from[g]);
    return arrow::Status::OK();
  }

  arrow::Result<std::shared_ptr<arrow::Array>> Finish(arrow::MemoryPool* pool) override {
    std::vector<double> values(moments_.size(), 0);
    std::vector<uint8_t> valid(moments_.size(), 0);
    for (size_t g = 0; g < moments_.size(); ++g) {
      const CoMoments& m = moments_[g];
      if (statistic_.name == "corr" && m.n > 1 && m.x_m2 * m.y_m2 == 0) {
        return base::InvalidArgument("[DIVIDE_BY_ZERO] Division by zero in corr: all values of an argument are equal");
      }
      valid[g] = m.n > 0 && statistic_.value(m, &values[g]);
    }
    return FixedWidthArray(arrow::float64(), values.data(), values.size(), valid, pool);
  }

  int64_t bytes() const override { return BytesOf(moments_); }

 private:
  const Statistic& statistic_;
  std::vector<CoMoments> moments_;
};

arrow::Status Bind(AggregateCall* call) {
  ARROW_RETURN_NOT_OK(CheckArgumentCount(*call, 2));
  call->type = arrow::float64();
  return CoerceArgumentsToDouble(call);
}

std::unique_ptr<Accumulator> Make(const AggregateCall& call) {
  return std::make_unique<CovarianceAccumulator>(*std::ranges::find(kStatistics, std::string_view(call.function), &Statistic::name));
}

}  // namespace

const AggregateFamily& CovarianceFamily() {
  static const AggregateFamily family = [] {
    AggregateFamily all{{}, Bind, Make};
    for (const Statistic& statistic : kStatistics) all.names.push_back(statistic.name);
    return all;
  }();
  return family;
}

}  // namespace vecruntime::exec
