// SPDX-License-Identifier: Apache-2.0
// variance, standard deviation, skewness, kurtosis by central moments.
// Paper(Pebay 2008, "Formulas for robust, one-pass parallel computation of covariances and arbitrary-order statistical moments").
#include <arrow/type.h>

#include <cmath>

#include "vecruntime/exec/aggregates/accumulator.h"

namespace vecruntime::exec {
namespace {

struct Moments {
  double n = 0, mean = 0, m2 = 0, m3 = 0, m4 = 0;

  // The second moment only, for the functions that need no more.
  void AddToSecond(double value) {
    n += 1;
    const double delta = value - mean;
    mean += delta / n;
    m2 += delta * (value - mean);
  }

  void Add(double value) { Add(Moments{1, value, 0, 0, 0}); }

  void Add(const Moments& other) {
    if (other.n == 0) return;
    const double total = n + other.n;
    const double delta = other.mean - mean;
    const double delta_n = delta / total;
    const double product = n * other.n;
    const double m4_sum = m4 + other.m4 + delta_n * delta_n * delta_n * delta * product * (n * n - product + other.n * other.n) +
                          6 * delta_n * delta_n * (n * n * other.m2 + other.n * other.n * m2) + 4 * delta_n * (n * other.m3 - other.n * m3);
    const double m3_sum =
        m3 + other.m3 + delta_n * delta_n * delta * product * (n - other.n) + 3 * delta_n * (n * other.m2 - other.n * m2);
    m2 += other.m2 + delta * delta_n * product;
    m3 = m3_sum;
    m4 = m4_sum;
    mean += delta_n * other.n;
    n = total;
  }
};

enum class Statistic { kStddevSamp, kStddevPop, kVarSamp, kVarPop, kSkewness, kKurtosis };

Statistic StatisticOf(std::string_view name) {
  if (name == "stddev_samp") return Statistic::kStddevSamp;
  if (name == "stddev_pop") return Statistic::kStddevPop;
  if (name == "var_samp") return Statistic::kVarSamp;
  if (name == "var_pop") return Statistic::kVarPop;
  return name == "skewness" ? Statistic::kSkewness : Statistic::kKurtosis;
}

class MomentsAccumulator : public Accumulator {
 public:
  explicit MomentsAccumulator(Statistic statistic) : statistic_(statistic) {}

  void Resize(size_t groups) override { moments_.resize(groups); }

  arrow::Status Update(const ArrayVector& arguments, const GroupedRows& rows) override {
    const columnar::Selection valid = WithoutNulls(*rows.rows, arguments);
    const auto* values = arguments[0]->data()->GetValues<double>(1);
    if (statistic_ == Statistic::kSkewness || statistic_ == Statistic::kKurtosis) {
      VisitRows(rows.Among(valid), [&](uint32_t group, int64_t i) { moments_[group].Add(values[i]); });
    } else {
      VisitRows(rows.Among(valid), [&](uint32_t group, int64_t i) { moments_[group].AddToSecond(values[i]); });
    }
    return arrow::Status::OK();
  }

  arrow::Status Merge(Accumulator* other, std::span<const uint32_t> to) override {
    const auto& from = static_cast<MomentsAccumulator*>(other)->moments_;
    for (size_t g = 0; g < to.size(); ++g) moments_[to[g]].Add(from[g]);
    return arrow::Status::OK();
  }

  arrow::Result<std::shared_ptr<arrow::Array>> Finish(arrow::MemoryPool* pool) override {
    std::vector<double> values(moments_.size(), 0);
    std::vector<uint8_t> valid(moments_.size());
    for (size_t g = 0; g < moments_.size(); ++g) valid[g] = Result(moments_[g], &values[g]);
    return FixedWidthArray(arrow::float64(), values.data(), values.size(), valid, pool);
  }

  int64_t bytes() const override { return BytesOf(moments_); }

 private:
  // False makes NULL.
  bool Result(const Moments& m, double* value) const {
    const bool sample = statistic_ == Statistic::kStddevSamp || statistic_ == Statistic::kVarSamp;
    if (m.n == 0 || (sample && m.n == 1)) return false;
    switch (statistic_) {
      case Statistic::kStddevSamp: *value = std::sqrt(m.m2 / (m.n - 1)); return true;
      case Statistic::kVarSamp: *value = m.m2 / (m.n - 1); return true;
      case Statistic::kStddevPop: *value = std::sqrt(m.m2 / m.n); return true;
      case Statistic::kVarPop: *value = m.m2 / m.n; return true;
      case Statistic::kSkewness: *value = std::sqrt(m.n) * m.m3 / std::sqrt(m.m2 * m.m2 * m.m2); return m.m2 != 0;
      case Statistic::kKurtosis: *value = m.n * m.m4 / (m.m2 * m.m2) - 3; return m.m2 != 0;
    }
    return false;
  }

  Statistic statistic_;
  std::vector<Moments> moments_;
};

arrow::Status Bind(AggregateCall* call) {
  ARROW_RETURN_NOT_OK(CheckArgumentCount(*call, 1));
  if (call->function == "stddev" || call->function == "std") call->function = "stddev_samp";
  if (call->function == "variance") call->function = "var_samp";
  call->type = arrow::float64();
  return CoerceArgumentsToDouble(call);
}

std::unique_ptr<Accumulator> Make(const AggregateCall& call) {
  return std::make_unique<MomentsAccumulator>(StatisticOf(call.function));
}

}  // namespace

const AggregateFamily& MomentsFamily() {
  static const AggregateFamily family{
      {"stddev", "std", "stddev_samp", "stddev_pop", "variance", "var_samp", "var_pop", "skewness", "kurtosis"}, Bind, Make};
  return family;
}

}  // namespace vecruntime::exec
