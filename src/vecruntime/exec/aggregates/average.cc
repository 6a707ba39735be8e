// SPDX-License-Identifier: Apache-2.0
// avg(x), and try_avg(x) with NULL on overflow: of decimals an exact quotient rounded half up, of intervals likewise, of everything else a double.
#include <arrow/type.h>
#include <arrow/util/decimal.h>

#include <algorithm>

#include "vecruntime/base/error.h"
#include "vecruntime/exec/aggregates/accumulator.h"
#include "vecruntime/exec/aggregates/sums.h"
#include "vecruntime/expr/interval_type.h"

namespace vecruntime::exec {
namespace {

arrow::Decimal256 Widen(Int128 value) {
  return arrow::Decimal256(arrow::Decimal128(static_cast<int64_t>(value >> 64), static_cast<uint64_t>(value)));
}

// sum * 10^extra_digits / count, halves away from zero.
arrow::Result<arrow::Decimal256> RoundedQuotient(Int128 sum, int extra_digits, int64_t count) {
  const arrow::Decimal256 scaled = Widen(sum) * arrow::Decimal256::GetScaleMultiplier(extra_digits);
  ARROW_ASSIGN_OR_RAISE(auto division, scaled.Divide(arrow::Decimal256(count)));
  arrow::Decimal256 quotient = division.first;
  arrow::Decimal256 twice = division.second * arrow::Decimal256(2);
  if (arrow::Decimal256(twice.Abs()) >= arrow::Decimal256(count)) quotient = quotient + arrow::Decimal256(sum < 0 ? -1 : 1);
  return quotient;
}

class ExactAverageAccumulator : public Accumulator {
 public:
  ExactAverageAccumulator(std::shared_ptr<arrow::DataType> argument, std::shared_ptr<arrow::DataType> type, bool null_on_overflow)
      : argument_(std::move(argument)), type_(std::move(type)), null_on_overflow_(null_on_overflow) {}

  void Resize(size_t groups) override { sums_.Resize(groups); }

  arrow::Status Update(const ArrayVector& arguments, const GroupedRows& rows) override {
    const columnar::Selection valid = WithoutNulls(*rows.rows, arguments);
    sums_.Update(*arguments[0], rows.Among(valid));
    return arrow::Status::OK();
  }

  arrow::Status UpdateParts(const ArrayVector& arguments, GroupParts* groups) override {
    if (arguments[0]->null_count() > 0) return Accumulator::UpdateParts(arguments, groups);
    sums_.UpdateParts(*arguments[0], groups);
    return arrow::Status::OK();
  }

  bool TakesCodes() const override { return true; }

  arrow::Status Merge(Accumulator* other, std::span<const uint32_t> to) override {
    sums_.Merge(static_cast<ExactAverageAccumulator*>(other)->sums_, to);
    return arrow::Status::OK();
  }

  arrow::Result<std::shared_ptr<arrow::Array>> Finish(arrow::MemoryPool* pool) override {
    switch (type_->id()) {
      case arrow::Type::DOUBLE: return FinishDouble(pool);
      case arrow::Type::DECIMAL128: return FinishExact<Int128>(pool);
      case arrow::Type::INTERVAL_MONTHS: return FinishExact<int32_t>(pool);
      default: return FinishExact<int64_t>(pool);
    }
  }

  int64_t bytes() const override { return sums_.bytes(); }

 private:
  arrow::Result<std::shared_ptr<arrow::Array>> FinishDouble(arrow::MemoryPool* pool) const {
    const size_t groups = sums_.sums().size();
    std::vector<double> values(groups, 0);
    std::vector<uint8_t> valid(groups, 0);
    for (size_t g = 0; g < groups; ++g) {
      if (sums_.counts()[g] == 0) continue;
      values[g] = static_cast<double>(static_cast<Int128>(sums_.sums()[g].low)) / static_cast<double>(sums_.counts()[g]);
      valid[g] = 1;
    }
    return FixedWidthArray(type_, values.data(), groups, valid, pool);
  }

  template <typename T>
  arrow::Result<std::shared_ptr<arrow::Array>> FinishExact(arrow::MemoryPool* pool) const {
    int sum_precision = 38, precision = 38, extra_digits = 0;
    if (type_->id() == arrow::Type::DECIMAL128) {
      const auto& from = static_cast<const arrow::Decimal128Type&>(*argument_);
      const auto& to = static_cast<const arrow::Decimal128Type&>(*type_);
      sum_precision = std::min(38, from.precision() + 10);
      precision = to.precision();
      extra_digits = to.scale() - from.scale();
    }
    const size_t groups = sums_.sums().size();
    std::vector<T> values(groups, 0);
    std::vector<uint8_t> valid(groups, 0);
    for (size_t g = 0; g < groups; ++g) {
      if (sums_.counts()[g] == 0) continue;
      const Wide& sum = sums_.sums()[g];
      if (!sum.FitsInt128() || !FitsPrecision(static_cast<Int128>(sum.low), sum_precision)) {
        if (null_on_overflow_) continue;
        return SumOverflow(*type_);
      }
      ARROW_ASSIGN_OR_RAISE(const auto quotient, RoundedQuotient(static_cast<Int128>(sum.low), extra_digits, sums_.counts()[g]));
      if (!quotient.FitsInPrecision(precision)) {
        if (null_on_overflow_) continue;
        return SumOverflow(*type_);
      }
      const auto words = quotient.little_endian_array();
      values[g] = static_cast<T>(static_cast<Int128>(static_cast<unsigned __int128>(words[1]) << 64 | words[0]));
      valid[g] = 1;
    }
    return FixedWidthArray(type_, values.data(), groups, valid, pool);
  }

  std::shared_ptr<arrow::DataType> argument_;
  std::shared_ptr<arrow::DataType> type_;
  bool null_on_overflow_;
  ExactSums sums_;
};

class DoubleAverageAccumulator : public Accumulator {
 public:
  void Resize(size_t groups) override { sums_.Resize(groups); }

  arrow::Status Update(const ArrayVector& arguments, const GroupedRows& rows) override {
    const columnar::Selection valid = WithoutNulls(*rows.rows, arguments);
    sums_.Update(*arguments[0], rows.Among(valid));
    return arrow::Status::OK();
  }

  arrow::Status UpdateParts(const ArrayVector& arguments, GroupParts* groups) override {
    if (arguments[0]->null_count() > 0) return Accumulator::UpdateParts(arguments, groups);
    sums_.UpdateParts(*arguments[0], groups);
    return arrow::Status::OK();
  }

  bool TakesCodes() const override { return true; }

  arrow::Status Merge(Accumulator* other, std::span<const uint32_t> to) override {
    sums_.Merge(static_cast<DoubleAverageAccumulator*>(other)->sums_, to);
    return arrow::Status::OK();
  }

  arrow::Result<std::shared_ptr<arrow::Array>> Finish(arrow::MemoryPool* pool) override {
    const size_t groups = sums_.sums().size();
    std::vector<double> values(groups, 0);
    std::vector<uint8_t> valid(groups, 0);
    for (size_t g = 0; g < groups; ++g) {
      if (sums_.counts()[g] == 0) continue;
      values[g] = sums_.sums()[g] / static_cast<double>(sums_.counts()[g]);
      valid[g] = 1;
    }
    return FixedWidthArray(arrow::float64(), values.data(), groups, valid, pool);
  }

  int64_t bytes() const override { return sums_.bytes(); }

 private:
  DoubleSums sums_;
};

arrow::Status Bind(AggregateCall* call) {
  ARROW_RETURN_NOT_OK(CoerceSummable(call));
  if (call->function == "mean") call->function = "avg";
  const auto& type = call->arguments[0]->type();
  if (type->id() == arrow::Type::DECIMAL128) {
    const auto& decimal = static_cast<const arrow::Decimal128Type&>(*type);
    call->type = arrow::decimal128(std::min(38, decimal.precision() + 4), std::min(38, decimal.scale() + 4));
  } else {
    call->type = arrow::is_integer(type->id()) || arrow::is_floating(type->id()) ? arrow::float64() : expr::WidestInterval(*type);
  }
  return arrow::Status::OK();
}

std::unique_ptr<Accumulator> Make(const AggregateCall& call) {
  if (arrow::is_floating(call.arguments[0]->type()->id())) return std::make_unique<DoubleAverageAccumulator>();
  return std::make_unique<ExactAverageAccumulator>(call.arguments[0]->type(), call.type, call.function == "try_avg");
}

}  // namespace

const AggregateFamily& AverageFamily() {
  static const AggregateFamily family{{"avg", "mean", "try_avg"}, Bind, Make};
  return family;
}

}  // namespace vecruntime::exec
