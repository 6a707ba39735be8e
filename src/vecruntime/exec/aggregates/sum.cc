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

class ExactSumAccumulator : public Accumulator {
 public:
  ExactSumAccumulator(std::shared_ptr<arrow::DataType> type, bool null_on_overflow)
      : type_(std::move(type)), null_on_overflow_(null_on_overflow) {}

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
    sums_.Merge(static_cast<ExactSumAccumulator*>(other)->sums_, to);
    return arrow::Status::OK();
  }

  arrow::Result<std::shared_ptr<arrow::Array>> Finish(arrow::MemoryPool* pool) override {
    switch (type_->id()) {
      case arrow::Type::DECIMAL128: return FinishAs<Int128>(pool);
      case arrow::Type::INTERVAL_MONTHS: return FinishAs<int32_t>(pool);
      default: return FinishAs<int64_t>(pool);
    }
  }

  int64_t bytes() const override { return sums_.bytes(); }

 private:
  template <typename T>
  arrow::Result<std::shared_ptr<arrow::Array>> FinishAs(arrow::MemoryPool* pool) const {
    const size_t groups = sums_.sums().size();
    std::vector<T> values(groups, 0);
    std::vector<uint8_t> valid(groups, 0);
    for (size_t g = 0; g < groups; ++g) {
      if (sums_.counts()[g] == 0) continue;
      const Wide& sum = sums_.sums()[g];
      const auto exact = static_cast<Int128>(sum.low);
      const bool fits = sum.FitsInt128() && (type_->id() == arrow::Type::DECIMAL128
                                                 ? FitsPrecision(exact, static_cast<const arrow::Decimal128Type&>(*type_).precision())
                                                 : exact == static_cast<Int128>(static_cast<T>(exact)));
      if (!fits && null_on_overflow_) continue;
      if (!fits) return SumOverflow(*type_);
      values[g] = static_cast<T>(exact);
      valid[g] = 1;
    }
    return FixedWidthArray(type_, values.data(), groups, valid, pool);
  }

  std::shared_ptr<arrow::DataType> type_;
  bool null_on_overflow_;
  ExactSums sums_;
};

class DoubleSumAccumulator : public Accumulator {
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
    sums_.Merge(static_cast<DoubleSumAccumulator*>(other)->sums_, to);
    return arrow::Status::OK();
  }

  arrow::Result<std::shared_ptr<arrow::Array>> Finish(arrow::MemoryPool* pool) override {
    const size_t groups = sums_.sums().size();
    std::vector<uint8_t> valid(groups);
    for (size_t g = 0; g < groups; ++g) valid[g] = sums_.counts()[g] != 0;
    return FixedWidthArray(arrow::float64(), sums_.sums().data(), groups, valid, pool);
  }

  int64_t bytes() const override { return sums_.bytes(); }

 private:
  DoubleSums sums_;
};

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
  if (call.type->id() == arrow::Type::DOUBLE) return std::make_unique<DoubleSumAccumulator>();
  return std::make_unique<ExactSumAccumulator>(call.type, call.function == "try_sum");
}

}  // namespace

const AggregateFamily& SumFamily() {
  static const AggregateFamily family{{"sum", "try_sum"}, Bind, Make};
  return family;
}

}  // namespace vecruntime::exec
