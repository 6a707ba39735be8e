// SPDX-License-Identifier: Apache-2.0
// Dates, timestamps and intervals under +, -, * and /.
#include <arrow/scalar.h>

#include <cmath>
#include <limits>

#include "vecruntime/base/error.h"
#include "vecruntime/expr/calendar.h"
#include "vecruntime/expr/function_registry.h"
#include "vecruntime/expr/functions/function_table.h"
#include "vecruntime/expr/interval_type.h"
#include "vecruntime/expr/row_kernel.h"
#include "vecruntime/expr/time_zone.h"

namespace vecruntime::expr {
namespace {

using arrow::Type;

bool IsDate(const arrow::DataType& type) { return type.id() == Type::DATE32; }
bool IsDuration(const arrow::DataType& type) { return type.id() == Type::DURATION; }
bool IsMonths(const arrow::DataType& type) { return type.id() == Type::INTERVAL_MONTHS; }
bool IsDayInterval(const arrow::DataType& type) { return UnitsOf(type) == IntervalUnits{IntervalUnit::kDay, IntervalUnit::kDay}; }

arrow::Status IntervalOverflow() { return base::InvalidArgument("[INTERVAL_ARITHMETIC_OVERFLOW] Interval overflow"); }
arrow::Status DatetimeOverflow() { return base::InvalidArgument("[DATETIME_OVERFLOW] Date or timestamp out of range"); }

TypePtr TimestampType() { return arrow::timestamp(arrow::TimeUnit::MICRO, "UTC"); }
bool IsNano(const arrow::DataType& type) {
  return IsTimestamp(type) && static_cast<const arrow::TimestampType&>(type).unit() == arrow::TimeUnit::NANO;
}

ExprPtr DateShift(const CallSite& site, const ExprPtr& date, const ExprPtr& amount, int sign) {
  return Expr::Call(site.name, arrow::date32(), {date, amount},
                    RowKernel<int32_t, int32_t, int32_t>(arrow::date32(), [sign](Writer<int32_t>& out, int32_t days, int32_t count) {
                      const int64_t shifted = int64_t{days} + int64_t{count} * sign;
                      out.Set(static_cast<int32_t>(shifted));
                    }));
}

ExprPtr DateShiftByDays(const CallSite& site, const ExprPtr& date, const ExprPtr& interval, int sign) {
  return Expr::Call(site.name, arrow::date32(), {date, interval},
                    RowKernel<int32_t, int32_t, int64_t>(arrow::date32(), [sign](Writer<int32_t>& out, int32_t days, int64_t span) {
                      const int64_t shifted = int64_t{days} + span / kMicrosPerDay * sign;
                      if (static_cast<int32_t>(shifted) != shifted) return out.Fail(DatetimeOverflow());
                      out.Set(static_cast<int32_t>(shifted));
                    }));
}

ExprPtr DateShiftByMonths(const CallSite& site, const ExprPtr& date, const ExprPtr& months, int sign) {
  return Expr::Call(site.name, arrow::date32(), {date, months},
                    RowKernel<int32_t, int32_t, int32_t>(arrow::date32(), [sign](Writer<int32_t>& out, int32_t days, int32_t count) {
                      const int64_t shifted = AddMonths(days, int64_t{count} * sign);
                      if (static_cast<int32_t>(shifted) != shifted) return out.Fail(DatetimeOverflow());
                      out.Set(static_cast<int32_t>(shifted));
                    }));
}

std::string ZoneFor(const arrow::DataType& type, const EvalContext& context) { return IsZoned(type) ? context.timezone : "UTC"; }

// Whole days move the local wall clock, the rest of the interval moves the instant.
arrow::Result<arrow::Datum> ShiftTimestamps(const KernelCall& call, const TypePtr& type, int sign) {
  ARROW_ASSIGN_OR_RAISE(const auto zone, TimeZone::Find(ZoneFor(*type, call.context())));
  return RunRows<int64_t, int64_t, int64_t>(call, type, [&](Writer<int64_t>& out, int64_t start, int64_t span) {
    int64_t result = 0;
    if (zone->is_utc()) {
      if (sign > 0 ? __builtin_add_overflow(start, span, &result) : __builtin_sub_overflow(start, span, &result)) {
        return out.Fail(DatetimeOverflow());
      }
      return out.Set(result);
    }
    const int64_t days = span / kMicrosPerDay * sign;
    const int64_t rest = span % kMicrosPerDay * sign;
    int64_t local = 0;
    if (__builtin_add_overflow(zone->ToLocalMicros(start), days * kMicrosPerDay, &local) ||
        __builtin_add_overflow(zone->ToUtcMicros(local), rest, &result)) {
      return out.Fail(DatetimeOverflow());
    }
    out.Set(result);
  });
}

arrow::Result<arrow::Datum> ShiftTimestampsByMonths(const KernelCall& call, const TypePtr& type, int sign) {
  ARROW_ASSIGN_OR_RAISE(const auto zone, TimeZone::Find(ZoneFor(*type, call.context())));
  return RunRows<int64_t, int64_t, int32_t>(call, type, [&](Writer<int64_t>& out, int64_t start, int32_t months) {
    const int64_t local = zone->ToLocalMicros(start);
    const int64_t days = AddMonths(FloorDiv(local, kMicrosPerDay), int64_t{months} * sign);
    int64_t shifted = 0;
    if (__builtin_mul_overflow(days, kMicrosPerDay, &shifted) ||
        __builtin_add_overflow(shifted, FloorMod(local, kMicrosPerDay), &shifted)) {
      return out.Fail(DatetimeOverflow());
    }
    out.Set(zone->ToUtcMicros(shifted));
  });
}

using Run = arrow::Result<arrow::Datum> (*)(const KernelCall& call, const TypePtr& type, int sign);

ExprPtr TimestampCall(const CallSite& site, const ExprPtr& start, const ExprPtr& interval, int sign, Run run) {
  const TypePtr type = start->type();
  Kernel kernel = [=](const std::vector<arrow::Datum>& arguments, const columnar::Selection& rows,
                      const EvalContext& context) -> arrow::Result<arrow::Datum> {
    ARROW_ASSIGN_OR_RAISE(const KernelCall call, KernelCall::Make(arguments, rows, context));
    return run(call, type, sign);
  };
  return Expr::Call(site.name, type, {start, interval}, kernel);
}

ExprPtr TimestampShift(const CallSite& site, const ExprPtr& start, const ExprPtr& interval, int sign) {
  return TimestampCall(site, start, interval, sign, ShiftTimestamps);
}

// A date, timestamp or string moved by an interval.
arrow::Result<ExprPtr> ShiftByInterval(const CallSite& site, const ExprPtr& start, const ExprPtr& interval, int sign) {
  const arrow::DataType& type = *start->type();
  if (IsNano(type)) return base::Unsupported("Interval arithmetic on timestamps in nanoseconds is not supported");
  if (type.id() == Type::TIME64) return base::Unsupported("Interval arithmetic on times is not supported");
  if (IsDate(type)) {
    if (IsMonths(*interval->type())) return DateShiftByMonths(site, start, interval, sign);
    if (IsDayInterval(*interval->type())) return DateShiftByDays(site, start, interval, sign);
    return TimestampShift(site, CastIfNeeded(start, TimestampType()), interval, sign);
  }
  if (IsTimestamp(type)) {
    if (IsMonths(*interval->type())) return TimestampCall(site, start, interval, sign, ShiftTimestampsByMonths);
    return TimestampShift(site, start, interval, sign);
  }
  if (IsString(type) && IsDuration(*interval->type())) {
    return CastIfNeeded(TimestampShift(site, CastIfNeeded(start, TimestampType()), interval, sign), arrow::utf8());
  }
  return WrongType(site, 0, "a date or timestamp");
}

template <typename T>
Kernel SumKernel(const TypePtr& type, bool subtract) {
  return RowKernel<T, T, T>(type, [subtract](Writer<T>& out, T a, T b) {
    T result{};
    if (subtract ? __builtin_sub_overflow(a, b, &result) : __builtin_add_overflow(a, b, &result)) return out.Fail(IntervalOverflow());
    out.Set(result);
  });
}

ExprPtr IntervalSum(const CallSite& site, ExprPtr left, ExprPtr right, bool subtract) {
  const TypePtr type = CommonTypeOf(left->type(), right->type());
  left = CastIfNeeded(left, type);
  right = CastIfNeeded(right, type);
  return Expr::Call(site.name, type, {left, right}, IsMonths(*type) ? SumKernel<int32_t>(type, subtract) : SumKernel<int64_t>(type, subtract));
}

// interval * number and interval / number, rounded half up. Decimals keep their digits, floating factors go through double.
template <typename T>
Kernel ScaleKernel(const TypePtr& type, bool divide, int factor_scale) {
  return RowKernel<T, T, Int128>(type, [divide, factor_scale](Writer<T>& out, T value, Int128 factor) {
    if (divide && factor == 0) return out.Fail(base::InvalidArgument("[INTERVAL_DIVIDED_BY_ZERO] Division of an interval by zero"));
    Int128 result = 0;
    const bool fits = divide ? DivideDecimals(value, factor, factor_scale, true, kMaxDecimalPrecision, &result)
                             : MultiplyDecimals(value, factor, factor_scale, 0, kMaxDecimalPrecision, &result);
    if (!fits || static_cast<T>(result) != result) return out.Fail(IntervalOverflow());
    out.Set(static_cast<T>(result));
  });
}

template <typename T>
Kernel ScaleByDoubleKernel(const TypePtr& type, bool divide) {
  return RowKernel<T, T, double>(type, [divide](Writer<T>& out, T value, double factor) {
    if (divide && factor == 0) return out.Fail(base::InvalidArgument("[INTERVAL_DIVIDED_BY_ZERO] Division of an interval by zero"));
    const double result = std::round(divide ? static_cast<double>(value) / factor : static_cast<double>(value) * factor);
    if (!(std::abs(result) < static_cast<double>(std::numeric_limits<T>::max()))) return out.Fail(IntervalOverflow());
    out.Set(static_cast<T>(result));
  });
}

arrow::Result<ExprPtr> ScaleInterval(const CallSite& site, const ExprPtr& interval, ExprPtr factor, bool divide) {
  const TypePtr type = WidestInterval(*interval->type());
  const bool months = IsMonths(*type);
  if (IsString(*factor->type())) factor = CastIfNeeded(factor, arrow::float64());
  if (IsFloating(*factor->type())) {
    factor = CastIfNeeded(factor, arrow::float64());
    return Expr::Call(site.name, type, {interval, factor},
                      months ? ScaleByDoubleKernel<int32_t>(type, divide) : ScaleByDoubleKernel<int64_t>(type, divide));
  }
  if (IsIntegral(*factor->type())) factor = CastIfNeeded(factor, DecimalForIntegral(*factor->type()));
  if (!IsDecimal(*factor->type())) return WrongType(site, 1, "numeric");
  const int scale = DecimalScale(*factor->type());
  return Expr::Call(site.name, type, {interval, factor}, months ? ScaleKernel<int32_t>(type, divide, scale) : ScaleKernel<int64_t>(type, divide, scale));
}

arrow::Result<arrow::Datum> SubtractTimestamps(const KernelCall& call, const TypePtr& zoned, int /*sign*/) {
  ARROW_ASSIGN_OR_RAISE(const auto zone, TimeZone::Find(ZoneFor(*zoned, call.context())));
  return RunRows<int64_t, int64_t, int64_t>(call, IntervalType(kDayToSecond), [&](Writer<int64_t>& out, int64_t a, int64_t b) {
    int64_t result = 0;
    if (__builtin_sub_overflow(zone->ToLocalMicros(a), zone->ToLocalMicros(b), &result)) return out.Fail(IntervalOverflow());
    out.Set(result);
  });
}

arrow::Result<ExprPtr> TimestampDifference(const CallSite& site, ExprPtr left, ExprPtr right) {
  // A string or date takes the type of the timestamp beside it; two kinds of timestamps meet in the one with a zone.
  TypePtr type = IsTimestamp(*left->type()) ? left->type() : right->type();
  if (IsTimestamp(*left->type()) && IsTimestamp(*right->type())) type = CommonTypeOf(left->type(), right->type());
  if (IsNano(*type)) return base::Unsupported("Subtraction of timestamps in nanoseconds is not supported");
  ARROW_ASSIGN_OR_RAISE(left, CoerceTo(left, type));
  ARROW_ASSIGN_OR_RAISE(right, CoerceTo(right, type));
  Kernel kernel = [type](const std::vector<arrow::Datum>& arguments, const columnar::Selection& rows,
                         const EvalContext& context) -> arrow::Result<arrow::Datum> {
    ARROW_ASSIGN_OR_RAISE(const KernelCall call, KernelCall::Make(arguments, rows, context));
    return SubtractTimestamps(call, type, 1);
  };
  return Expr::Call(site.name, IntervalType(kDayToSecond), {left, right}, kernel);
}

ExprPtr DateDifference(const CallSite& site, const ExprPtr& left, const ExprPtr& right) {
  const TypePtr type = IntervalType({IntervalUnit::kDay, IntervalUnit::kDay});
  return Expr::Call(site.name, type, {CastIfNeeded(left, arrow::date32()), CastIfNeeded(right, arrow::date32())},
                    RowKernel<int64_t, int32_t, int32_t>(type, [](Writer<int64_t>& out, int32_t a, int32_t b) {
                      int64_t micros = 0;
                      if (__builtin_mul_overflow(int64_t{a} - int64_t{b}, kMicrosPerDay, &micros)) return out.Fail(IntervalOverflow());
                      out.Set(micros);
                    }));
}

arrow::Result<ExprPtr> DateShiftByNumber(const CallSite& site, const ExprPtr& date, const ExprPtr& days, int sign) {
  if (!IsIntegral(*days->type()) && days->type()->id() != Type::NA) return WrongType(site, 1, "int");
  ARROW_ASSIGN_OR_RAISE(const ExprPtr count, CoerceTo(days, arrow::int32()));
  return DateShift(site, date, count, sign);
}

arrow::Result<ExprPtr> BindPlus(const CallSite& site, const ExprPtr& left, const ExprPtr& right) {
  const arrow::DataType &l = *left->type(), &r = *right->type();
  if (IsInterval(l) && IsInterval(r)) {
    if (l.id() != r.id()) return WrongType(site, 1, "the same kind of interval");
    return IntervalSum(site, left, right, false);
  }
  if (IsInterval(r) && l.id() == Type::NA) return IntervalSum(site, CastIfNeeded(left, right->type()), right, false);
  if (IsInterval(l) && r.id() == Type::NA) return IntervalSum(site, left, CastIfNeeded(right, left->type()), false);
  if (IsInterval(r)) return ShiftByInterval(site, left, right, 1);
  if (IsInterval(l)) return ShiftByInterval(site, right, left, 1);
  if (IsDate(l)) return DateShiftByNumber(site, left, right, 1);
  if (IsDate(r)) return DateShiftByNumber(site, right, left, 1);
  return WrongType(site, 1, "an interval");
}

arrow::Result<ExprPtr> BindMinus(const CallSite& site, const ExprPtr& left, const ExprPtr& right) {
  const arrow::DataType &l = *left->type(), &r = *right->type();
  if (IsInterval(l) && IsInterval(r)) {
    if (l.id() != r.id()) return WrongType(site, 1, "the same kind of interval");
    return IntervalSum(site, left, right, true);
  }
  if (IsInterval(r) && l.id() == Type::NA) return IntervalSum(site, CastIfNeeded(left, right->type()), right, true);
  if (IsInterval(l) && r.id() == Type::NA) return IntervalSum(site, left, CastIfNeeded(right, left->type()), true);
  if (IsInterval(r)) return ShiftByInterval(site, left, right, -1);
  if (IsInterval(l)) return WrongType(site, 1, "an interval");
  if (IsTimestamp(l) || IsTimestamp(r)) return TimestampDifference(site, left, right);
  if (IsDate(r)) {
    if (!IsDate(l) && !IsString(l) && l.id() != Type::NA) return WrongType(site, 0, "a date");
    return DateDifference(site, left, right);
  }
  if (IsString(r)) return DateDifference(site, left, right);
  return DateShiftByNumber(site, left, right, -1);
}

}  // namespace

arrow::Result<ExprPtr> BindTemporalArithmetic(const CallSite& site) {
  const auto temporal = [](const arrow::DataType& type) {
    return IsInterval(type) || IsTimestamp(type) || IsDate(type) || type.id() == Type::TIME64;
  };
  if (!temporal(site.type(0)) && !temporal(site.type(1))) return ExprPtr();
  if (site.name == "+") return BindPlus(site, site[0], site[1]);
  if (site.name == "-") return BindMinus(site, site[0], site[1]);
  const bool divide = site.name == "/";
  if (IsInterval(site.type(0))) return ScaleInterval(site, site[0], site[1], divide);
  if (!divide && IsInterval(site.type(1))) return ScaleInterval(site, site[1], site[0], divide);
  return WrongType(site, 0, "numeric or interval");
}

}  // namespace vecruntime::expr
