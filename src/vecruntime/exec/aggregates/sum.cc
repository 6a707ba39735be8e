// SPDX-License-Identifier: Apache-2.0
// sum(x) with ANSI overflow, try_sum(x) with NULL instead.
#include <arrow/type.h>

#include <algorithm>
#include <limits>

#include "vecruntime/base/error.h"
#include "vecruntime/exec/aggregates/accumulator.h"
#include "vecruntime/exec/aggregates/sums.h"
#include "vecruntime/expr/function_registry.h"

namespace vecruntime::exec {

arrow::Status SumOverflow(const arrow::DataType& type) {
  constexpr const char* kAdvice = " If necessary set \"spark.sql.ansi.enabled\" to \"false\" to bypass this error.";
  switch (type.id()) {
    case arrow::Type::DECIMAL128: return base::InvalidArgument("[ARITHMETIC_OVERFLOW] Overflow in sum of decimals.", kAdvice);
    case arrow::Type::INTERVAL_MONTHS:
    case arrow::Type::DURATION:
      return base::InvalidArgument("[INTERVAL_ARITHMETIC_OVERFLOW.WITHOUT_SUGGESTION] Integer overflow while operating with intervals.");
    default: return base::InvalidArgument("[ARITHMETIC_OVERFLOW] long overflow.", kAdvice);
  }
}

arrow::Status CoerceSummable(AggregateCall* call) {
  ARROW_RETURN_NOT_OK(CheckArgumentCount(*call, 1));
  const auto id = call->arguments[0]->type()->id();
  if (arrow::is_integer(id) || arrow::is_floating(id) || id == arrow::Type::DECIMAL128 || id == arrow::Type::INTERVAL_MONTHS ||
      id == arrow::Type::DURATION) {
    return arrow::Status::OK();
  }
  if (id != arrow::Type::STRING && id != arrow::Type::NA) return UnexpectedType(*call, 0, "\"NUMERIC\" or \"ANSI INTERVAL\"");
  return expr::BindCast(call->arguments[0], arrow::float64(), false).Value(&call->arguments[0]);
}

bool FitsPrecision(Int128 value, int precision) {
  const auto decimal = arrow::Decimal128(static_cast<int64_t>(value >> 64), static_cast<uint64_t>(value));
  return decimal.FitsInPrecision(precision);
}

namespace {

template <typename T>
arrow::Result<std::shared_ptr<arrow::Array>> FinishExact(const ExactSums& sums, const std::shared_ptr<arrow::DataType>& type,
                                                         bool null_on_overflow, arrow::MemoryPool* pool) {
  return FinishSums<T>(sums, type, pool, [&](const Wide& sum, int64_t, T* value) -> arrow::Result<bool> {
    const auto exact = static_cast<Int128>(sum.low);
    const bool fits = sum.FitsInt128() && (type->id() == arrow::Type::DECIMAL128
                                               ? FitsPrecision(exact, static_cast<const arrow::Decimal128Type&>(*type).precision())
                                               : exact == static_cast<Int128>(static_cast<T>(exact)));
    if (!fits && !null_on_overflow) return SumOverflow(*type);
    *value = static_cast<T>(exact);
    return fits;
  });
}

arrow::Result<std::shared_ptr<arrow::Array>> FinishDouble(const DoubleSums& sums, arrow::MemoryPool* pool) {
  return FinishSums<double>(sums, arrow::float64(), pool, [](double sum, int64_t, double* value) -> arrow::Result<bool> {
    *value = sum;
    return true;
  });
}

arrow::Status Bind(AggregateCall* call) {
  ARROW_RETURN_NOT_OK(CoerceSummable(call));
  const auto& type = call->arguments[0]->type();
  if (type->id() == arrow::Type::DECIMAL128) {
    const auto& decimal = static_cast<const arrow::Decimal128Type&>(*type);
    call->type = arrow::decimal128(std::min(38, decimal.precision() + 10), decimal.scale());
  } else if (arrow::is_integer(type->id())) {
    call->type = arrow::int64();
  } else {
    call->type = arrow::is_floating(type->id()) ? arrow::float64() : type;
  }
  return arrow::Status::OK();
}

std::unique_ptr<Accumulator> Make(const AggregateCall& call) {
  if (call.type->id() == arrow::Type::DOUBLE) return std::make_unique<SumsAccumulator<double>>(FinishDouble);
  return std::make_unique<SumsAccumulator<Wide>>(
      [type = call.type, null_on_overflow = call.function == "try_sum"](const ExactSums& sums, arrow::MemoryPool* pool) {
        switch (type->id()) {
          case arrow::Type::DECIMAL128: return FinishExact<Int128>(sums, type, null_on_overflow, pool);
          case arrow::Type::INTERVAL_MONTHS: return FinishExact<int32_t>(sums, type, null_on_overflow, pool);
          default: return FinishExact<int64_t>(sums, type, null_on_overflow, pool);
        }
      });
}

}  // namespace

const AggregateFamily& SumFamily() {
  static const AggregateFamily family{{"sum", "try_sum"}, Bind, Make};
  return family;
}

}  // namespace vecruntime::exec
