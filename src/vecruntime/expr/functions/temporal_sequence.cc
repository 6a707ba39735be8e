// SPDX-License-Identifier: Apache-2.0
// sequence() of dates and of timestamps by an interval. Step k is counted from the start, not from the step before: a month after
// January 31 is the end of February, two months after it March 31.
#include <limits>

#include "vecruntime/base/error.h"
#include "vecruntime/expr/calendar.h"
#include "vecruntime/expr/functions/collection.h"
#include "vecruntime/expr/functions/gather.h"
#include "vecruntime/expr/interval_type.h"
#include "vecruntime/expr/time_zone.h"

namespace vecruntime::expr {
namespace {

// A step, of which only one of months and micros is not zero; whole days of it move the wall clock.
struct Step {
  int64_t months = 0;
  int64_t micros = 0;

  bool forward() const { return months + micros > 0; }
  bool none() const { return months == 0 && micros == 0; }

  /// `start` moved by `count` steps; false when out of range.
  bool Move(int64_t start, int64_t count, const TimeZone& zone, int64_t* moved) const {
    int64_t local = zone.ToLocalMicros(start), shift = 0, rest = 0;
    if (months != 0) {
      const int64_t days = AddMonths(FloorDiv(local, kMicrosPerDay), months * count);
      if (__builtin_mul_overflow(days, kMicrosPerDay, &shift) || __builtin_add_overflow(shift, FloorMod(local, kMicrosPerDay), &local)) return false;
    } else {
      if (__builtin_mul_overflow(micros / kMicrosPerDay * kMicrosPerDay, count, &shift) || __builtin_add_overflow(local, shift, &local)) return false;
      if (__builtin_mul_overflow(micros % kMicrosPerDay, count, &rest)) return false;
    }
    return !__builtin_add_overflow(zone.ToUtcMicros(local), rest, moved);
  }
};

arrow::Status AppendRow(int64_t start, int64_t stop, const Step& step, const TimeZone& zone, std::vector<int64_t>* values) {
  constexpr size_t kMostElements = size_t{1} << 26;
  if (start == stop) {
    values->push_back(start);
    return arrow::Status::OK();
  }
  if (step.none() || step.forward() != (start < stop)) return base::InvalidArgument("Illegal sequence boundaries: the step does not lead from the start to the stop");
  int64_t at = start;
  for (int64_t count = 1; step.forward() ? at <= stop : at >= stop; ++count) {
    if (values->size() >= kMostElements) return base::ResourceExhausted("Sequence is too long");
    values->push_back(at);
    if (!step.Move(start, count, zone, &at)) return base::InvalidArgument("[DATETIME_OVERFLOW] Datetime overflow in sequence");
  }
  return arrow::Status::OK();
}

}  // namespace

arrow::Result<ExprPtr> BindTemporalSequence(const CallSite& site) {
  ARROW_ASSIGN_OR_RAISE(const TypePtr element, CommonType({site[0]->type(), site[1]->type()}));
  const bool date = element->id() == arrow::Type::DATE32;
  if (!date && !(IsTimestamp(*element) && static_cast<const arrow::TimestampType&>(*element).unit() == arrow::TimeUnit::MICRO)) {
    return base::Unsupported("sequence of ", TypeName(*element), " is not supported");
  }
  const bool with_step = site.size() > 2;
  if (with_step && !IsInterval(site.type(2))) return WrongType(site, 2, "interval");
  const bool months = with_step && site.type(2).id() == arrow::Type::INTERVAL_MONTHS;
  std::vector<ExprPtr> arguments{CastIfNeeded(site[0], element), CastIfNeeded(site[1], element)};
  if (with_step) arguments.push_back(site[2]);
  const TypePtr type = ListOf(element);
  const bool zoned = IsZoned(*element);
  Kernel kernel = [=](const std::vector<arrow::Datum>& inputs, const columnar::Selection& rows, const EvalContext& context) -> arrow::Result<arrow::Datum> {
    ARROW_ASSIGN_OR_RAISE(const KernelCall call, KernelCall::Make(inputs, rows, context));
    ARROW_ASSIGN_OR_RAISE(const auto zone, TimeZone::Find(zoned ? context.timezone : "UTC"));
    const auto instant = [&](size_t k, int64_t row) {
      return date ? Column<int32_t>(call.argument(k))[row] * kMicrosPerDay : Column<int64_t>(call.argument(k))[row];
    };
    const columnar::Selection valid = call.ValidRows();
    ListGather gather(call.num_rows());
    std::vector<int64_t> values;
    for (int64_t row = 0; row < call.num_rows(); ++row) {
      if (valid.IsLive(row) && rows.IsLive(row)) {
        const int64_t start = instant(0, row), stop = instant(1, row);
        Step step{0, start <= stop ? kMicrosPerDay : -kMicrosPerDay};
        if (months) step = {Column<int32_t>(call.argument(2))[row], 0};
        if (with_step && !months) step = {0, Column<int64_t>(call.argument(2))[row]};
        if (date && step.micros % kMicrosPerDay != 0) return base::InvalidArgument("A sequence of dates needs a step of whole days");
        const size_t begin = values.size();
        ARROW_RETURN_NOT_OK(AppendRow(start, stop, step, *zone, &values));
        for (size_t k = begin; k < values.size(); ++k) gather.Add(static_cast<int64_t>(k));
      }
      gather.EndRow();
    }
    const auto count = static_cast<int64_t>(values.size());
    std::shared_ptr<arrow::Buffer> buffer;
    if (date) {
      std::vector<int32_t> days(values.size());
      for (size_t k = 0; k < values.size(); ++k) days[k] = static_cast<int32_t>(FloorDiv(values[k], kMicrosPerDay));
      buffer = arrow::Buffer::FromVector(std::move(days));
    } else {
      buffer = arrow::Buffer::FromVector(std::move(values));
    }
    return gather.FinishAround(type, arrow::ArrayData::Make(element, count, {nullptr, std::move(buffer)}, 0), valid, context.pool);
  };
  return Expr::Call(site.name, type, std::move(arguments), kernel);
}

}  // namespace vecruntime::expr
