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

// Of integers.
arrow::Result<std::shared_ptr<arrow::Array>> FinishQuotient(const ExactSums& sums, arrow::MemoryPool* pool) {
  return FinishSums<double>(sums, arrow::float64(), pool, [](const Wide& sum, int64_t count, double* value) -> arrow::Result<bool> {
    *value = static_cast<double>(static_cast<Int128>(sum.low)) / static_cast<double>(count);
    return true;
  });
}

// Of decimals and intervals.
template <typename T>
arrow::Result<std::shared_ptr<arrow::Array>> FinishExact(const ExactSums& sums, const arrow::DataType& argument,
                                                         const std::shared_ptr<arrow::DataType>& type, bool null_on_overflow,
                                                         arrow::MemoryPool* pool) {
  int sum_precision = 38, precision = 38, extra_digits = 0;
  if (type->id() == arrow::Type::DECIMAL128) {
    const auto& from = static_cast<const arrow::Decimal128Type&>(argument);
    const auto& to = static_cast<const arrow::Decimal128Type&>(*type);
    sum_precision = std::min(38, from.precision() + 10);
    precision = to.precision();
    extra_digits = to.scale() - from.scale();
  }
  return FinishSums<T>(sums, type, pool, [&](const Wide& sum, int64_t count, T* value) -> arrow::Result<bool> {
    bool fits = sum.FitsInt128() && FitsPrecision(static_cast<Int128>(sum.low), sum_precision);
    if (fits) {
      ARROW_ASSIGN_OR_RAISE(const auto quotient, RoundedQuotient(static_cast<Int128>(sum.low), extra_digits, count));
      fits = quotient.FitsInPrecision(precision);
      const auto words = quotient.little_endian_array();
      *value = static_cast<T>(static_cast<Int128>(static_cast<unsigned __int128>(words[1]) << 64 | words[0]));
    }
    if (!fits && !null_on_overflow) return SumOverflow(*type);
    return fits;
  });
}

arrow::Result<std::shared_ptr<arrow::Array>> FinishDouble(const DoubleSums& sums, arrow::MemoryPool* pool) {
  return FinishSums<double>(sums, arrow::float64(), pool, [](double sum, int64_t count, double* value) -> arrow::Result<bool> {
    *value = sum / static_cast<double>(count);
    return true;
  });
}

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
  const auto argument = call.arguments[0]->type();
  if (arrow::is_floating(argument->id())) return std::make_unique<SumsAccumulator<double>>(FinishDouble);
  if (call.type->id() == arrow::Type::DOUBLE) return std::make_unique<SumsAccumulator<Wide>>(FinishQuotient);
  return std::make_unique<SumsAccumulator<Wide>>(
      [argument, type = call.type, null_on_overflow = call.function == "try_avg"](const ExactSums& sums, arrow::MemoryPool* pool) {
        switch (type->id()) {
          case arrow::Type::DECIMAL128: return FinishExact<Int128>(sums, *argument, type, null_on_overflow, pool);
          case arrow::Type::INTERVAL_MONTHS: return FinishExact<int32_t>(sums, *argument, type, null_on_overflow, pool);
          default: return FinishExact<int64_t>(sums, *argument, type, null_on_overflow, pool);
        }
      });
}

}  // namespace

const AggregateFamily& AverageFamily() {
  static const AggregateFamily family{{"avg", "mean", "try_avg"}, Bind, Make};
  return family;
}

}  // namespace vecruntime::exec
