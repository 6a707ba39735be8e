// SPDX-License-Identifier: Apache-2.0
// covar_pop, covar_samp, corr over pairs of which neither is NULL.
#include <arrow/type.h>

#include <cmath>

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

enum class Statistic { kCovarPop, kCovarSamp, kCorr };

class CovarianceAccumulator : public Accumulator {
 public:
  explicit CovarianceAccumulator(Statistic statistic) : statistic_(statistic) {}

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
      if (m.n == 0 || (m.n == 1 && statistic_ != Statistic::kCovarPop)) continue;
      const double divisor = statistic_ == Statistic::kCovarPop    ? m.n
                             : statistic_ == Statistic::kCovarSamp ? m.n - 1
                                                                   : std::sqrt(m.x_m2 * m.y_m2);
      values[g] = m.co / divisor;
      valid[g] = 1;
    }
    return FixedWidthArray(arrow::float64(), values.data(), values.size(), valid, pool);
  }

  int64_t bytes() const override { return BytesOf(moments_); }

 private:
  Statistic statistic_;
  std::vector<CoMoments> moments_;
};

arrow::Status Bind(AggregateCall* call) {
  ARROW_RETURN_NOT_OK(CheckArgumentCount(*call, 2));
  call->type = arrow::float64();
  return CoerceArgumentsToDouble(call);
}

std::unique_ptr<Accumulator> Make(const AggregateCall& call) {
  return std::make_unique<CovarianceAccumulator>(call.function == "covar_pop"    ? Statistic::kCovarPop
                                                 : call.function == "covar_samp" ? Statistic::kCovarSamp
                                                                                 : Statistic::kCorr);
}

}  // namespace

const AggregateFamily& CovarianceFamily() {
  static const AggregateFamily family{{"covar_pop", "covar_samp", "corr"}, Bind, Make};
  return family;
}

}  // namespace vecruntime::exec
