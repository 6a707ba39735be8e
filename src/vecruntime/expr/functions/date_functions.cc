// SPDX-License-Identifier: Apache-2.0
// Fields of dates and timestamps, shifting, truncating, making and converting them.
#include <arrow/scalar.h>

#include <array>
#include <cmath>
#include <limits>
#include <optional>

#include "vecruntime/base/error.h"
#include "vecruntime/expr/calendar.h"
#include "vecruntime/expr/function_registry.h"
#include "vecruntime/expr/functions/function_table.h"
#include "vecruntime/expr/interval_type.h"
#include "vecruntime/expr/row_kernel.h"
#include "vecruntime/expr/time_zone.h"
#include "vecruntime/expr/utf8.h"

namespace vecruntime::expr {
namespace {

using Text = std::string_view;

const TypePtr& Date() {
  static const TypePtr type = arrow::date32();
  return type;
}
const TypePtr& Timestamp() {
  static const TypePtr type = arrow::timestamp(arrow::TimeUnit::MICRO, "UTC");
  return type;
}
const TypePtr& TimestampNtz() {
  static const TypePtr type = arrow::timestamp(arrow::TimeUnit::MICRO);
  return type;
}

std::string Upper(Text text) {
  std::string upper;
  AppendUpper(text, &upper);
  return upper;
}

arrow::Status OutOfBounds(Text what) { return base::InvalidArgument("[DATETIME_FIELD_OUT_OF_BOUNDS] Date or time field out of bounds: ", what); }
arrow::Status DatetimeOverflow() { return base::InvalidArgument("[DATETIME_OVERFLOW] Date or timestamp out of range"); }

// ----------------------------------------------------------------------------------------------------------------- fields

using DateField = int32_t (*)(int32_t days);

int32_t QuarterOf(int32_t days) { return (CivilFromDays(days).month - 1) / 3 + 1; }
int32_t YearOf(int32_t days) { return static_cast<int32_t>(CivilFromDays(days).year); }
int32_t MonthOf(int32_t days) { return CivilFromDays(days).month; }
int32_t DayOf(int32_t days) { return CivilFromDays(days).day; }
int32_t SundayFirst(int32_t days) { return IsoDayOfWeek(days) % 7 + 1; }
int32_t WeekOf(int32_t days) { return IsoWeekOf(days).week; }
int32_t WeekYearOf(int32_t days) { return static_cast<int32_t>(IsoWeekOf(days).year); }
int32_t OrdinalDayOf(int32_t days) { return DayOfYear(days); }
int32_t IsoDayOf(int32_t days) { return IsoDayOfWeek(days); }
int32_t MondayFirst(int32_t days) { return IsoDayOfWeek(days) - 1; }

Binder Field(DateField field) {
  return [field](const CallSite& site) -> arrow::Result<ExprPtr> {
    ARROW_ASSIGN_OR_RAISE(auto date, CoerceTo(site[0], Date()));
    return Expr::Call(site.name, arrow::int32(), {date},
                      RowKernel<int32_t, int32_t>(arrow::int32(), [field](Writer<int32_t>& out, int32_t days) { out.Set(field(days)); }));
  };
}

std::string ZoneOf(const arrow::DataType& type, const EvalContext& context) { return IsZoned(type) ? context.timezone : "UTC"; }

// The argument of hour() and its kin: timestamps of either kind and times stay, everything else becomes a timestamp.
arrow::Result<ExprPtr> ClockArgument(const ExprPtr& argument) {
  if (argument->type()->id() == arrow::Type::TIME64) return argument;
  if (IsTimestamp(*argument->type())) return CoerceTo(argument, IsZoned(*argument->type()) ? Timestamp() : TimestampNtz());
  return CoerceTo(argument, Timestamp());
}

// micros of the local day / divisor % modulus.
Binder ClockField(int64_t divisor, int64_t modulus) {
  return [=](const CallSite& site) -> arrow::Result<ExprPtr> {
    ARROW_ASSIGN_OR_RAISE(auto clock, ClockArgument(site[0]));
    const TypePtr type = clock->type();
    Kernel kernel = [=](const std::vector<arrow::Datum>& arguments, const columnar::Selection& rows,
                        const EvalContext& context) -> arrow::Result<arrow::Datum> {
      ARROW_ASSIGN_OR_RAISE(const KernelCall call, KernelCall::Make(arguments, rows, context));
      ARROW_ASSIGN_OR_RAISE(const auto zone, TimeZone::Find(ZoneOf(*type, context)));
      return MapUnary<int32_t, int64_t>(call, arrow::int32(), [&](int64_t micros) {
        return static_cast<int32_t>(FloorMod(zone->ToLocalMicros(micros), kMicrosPerDay) / divisor % modulus);
      });
    };
    return Expr::Call(site.name, arrow::int32(), {clock}, kernel);
  };
}

// Seconds with their fraction, decimal(8,6).
arrow::Result<ExprPtr> BindSecondWithFraction(const CallSite& site) {
  ARROW_ASSIGN_OR_RAISE(auto clock, ClockArgument(site[0]));
  const TypePtr type = arrow::decimal128(8, 6);
  // No zone has an offset that is not whole seconds, and seconds of a minute shift only with historic local mean times.
  const TypePtr clock_type = clock->type();
  Kernel kernel = [=](const std::vector<arrow::Datum>& arguments, const columnar::Selection& rows,
                      const EvalContext& context) -> arrow::Result<arrow::Datum> {
    ARROW_ASSIGN_OR_RAISE(const KernelCall call, KernelCall::Make(arguments, rows, context));
    ARROW_ASSIGN_OR_RAISE(const auto zone, TimeZone::Find(ZoneOf(*clock_type, context)));
    return MapUnary<Int128, int64_t>(call, type, [&](int64_t micros) { return Int128{FloorMod(zone->ToLocalMicros(micros), kMicrosPerMinute)}; });
  };
  return Expr::Call(site.name, type, {clock}, kernel);
}

bool HoldsField(IntervalUnits units, Text field) {
  constexpr std::array<Text, 6> kFields = {"YEAR", "MONTH", "DAY", "HOUR", "MINUTE", "SECOND"};
  const auto found = std::ranges::find(kFields, field);
  return found != kFields.end() && units.Contains(static_cast<IntervalUnit>(found - kFields.begin()));
}

// Fields of intervals.
arrow::Result<ExprPtr> BindIntervalField(const CallSite& site, Text field) {
  const ExprPtr& interval = site[0];
  if (!HoldsField(UnitsOf(*interval->type()), field)) {
    return base::InvalidArgument("[INVALID_EXTRACT_FIELD] Cannot extract the field from an interval: ", field);
  }
  // Years and days are int, the other fields but seconds tinyint, as in Spark.
  if (field == "YEAR") {
    return Expr::Call(site.name, arrow::int32(), {interval},
                      RowKernel<int32_t, int32_t>(arrow::int32(), [](Writer<int32_t>& out, int32_t months) { out.Set(months / 12); }));
  }
  if (field == "MONTH") {
    return Expr::Call(site.name, arrow::int8(), {interval}, RowKernel<int8_t, int32_t>(arrow::int8(), [](Writer<int8_t>& out, int32_t months) {
                        out.Set(static_cast<int8_t>(months % 12));
                      }));
  }
  if (field == "DAY") {
    return Expr::Call(site.name, arrow::int32(), {interval}, RowKernel<int32_t, int64_t>(arrow::int32(), [](Writer<int32_t>& out, int64_t span) {
                        out.Set(static_cast<int32_t>(span / kMicrosPerDay));
                      }));
  }
  if (field == "HOUR" || field == "MINUTE") {
    const bool hour = field == "HOUR";
    return Expr::Call(site.name, arrow::int8(), {interval}, RowKernel<int8_t, int64_t>(arrow::int8(), [hour](Writer<int8_t>& out, int64_t span) {
                        out.Set(static_cast<int8_t>(hour ? span % kMicrosPerDay / kMicrosPerHour : span % kMicrosPerHour / kMicrosPerMinute));
                      }));
  }
  const TypePtr type = arrow::decimal128(8, 6);
  return Expr::Call(site.name, type, {interval},
                    RowKernel<Int128, int64_t>(type, [](Writer<Int128>& out, int64_t span) { out.Set(span % kMicrosPerMinute); }));
}

// The canonical name of an EXTRACT field, or empty.
Text FieldName(Text upper) {
  struct Synonyms {
    Text name;
    std::array<Text, 6> words;
  };
  static constexpr std::array<Synonyms, 13> kFields = {{
      {"YEAR", {"YEAR", "Y", "YEARS", "YR", "YRS"}},
      {"YEAROFWEEK", {"YEAROFWEEK"}},
      {"QUARTER", {"QUARTER", "QTR"}},
      {"MONTH", {"MONTH", "MON", "MONS", "MONTHS"}},
      {"WEEK", {"WEEK", "W", "WEEKS"}},
      {"DAY", {"DAY", "D", "DAYS"}},
      {"DAYOFWEEK", {"DAYOFWEEK", "DOW"}},
      {"DAYOFWEEK_ISO", {"DAYOFWEEK_ISO", "DOW_ISO"}},
      {"DOY", {"DOY"}},
      {"HOUR", {"HOUR", "H", "HOURS", "HR", "HRS"}},
      {"MINUTE", {"MINUTE", "M", "MIN", "MINS", "MINUTES"}},
      {"SECOND", {"SECOND", "S", "SEC", "SECONDS", "SECS"}},
      {"MICROSECOND", {"MICROSECOND"}},
  }};
  for (const Synonyms& field : kFields) {
    for (const Text word : field.words) {
      if (!word.empty() && word == upper) return field.name;
    }
  }
  return {};
}

arrow::Result<ExprPtr> BindExtract(const CallSite& site) {
  std::string storage;
  const std::string* written = ConstantText(site[0], &storage);
  if (written == nullptr) return base::Unsupported("The field of ", site.name, " must be constant");
  const Text field = FieldName(Upper(*written));
  const CallSite inner{site.name, {site[1]}, site.context};
  if (IsInterval(site.type(1))) return BindIntervalField(inner, field);
  if (field == "YEAR") return Field(YearOf)(inner);
  if (field == "YEAROFWEEK") return Field(WeekYearOf)(inner);
  if (field == "QUARTER") return Field(QuarterOf)(inner);
  if (field == "MONTH") return Field(MonthOf)(inner);
  if (field == "WEEK") return Field(WeekOf)(inner);
  if (field == "DAY") return Field(DayOf)(inner);
  if (field == "DAYOFWEEK") return Field(SundayFirst)(inner);
  if (field == "DAYOFWEEK_ISO") return Field(IsoDayOf)(inner);
  if (field == "DOY") return Field(OrdinalDayOf)(inner);
  if (field == "HOUR") return ClockField(kMicrosPerHour, 24)(inner);
  if (field == "MINUTE") return ClockField(kMicrosPerMinute, 60)(inner);
  if (field == "SECOND") return BindSecondWithFraction(inner);
  return base::InvalidArgument("[INVALID_EXTRACT_FIELD] Cannot extract the field: ", *written);
}

// --------------------------------------------------------------------------------------------------------------- shifting

arrow::Result<ExprPtr> BindDateAdd(const CallSite& site, int sign) {
  ARROW_ASSIGN_OR_RAISE(auto date, CoerceTo(site[0], Date()));
  // Only whole numbers of at most four bytes shift a date; strings are read as such.
  const auto id = site.type(1).id();
  if (id == arrow::Type::INT64 || IsFloating(site.type(1)) || IsDecimal(site.type(1))) return WrongType(site, 1, "int, smallint or tinyint");
  ARROW_ASSIGN_OR_RAISE(auto days, CoerceTo(site[1], arrow::int32()));
  return Expr::Call(site.name, Date(), {date, days},
                    RowKernel<int32_t, int32_t, int32_t>(Date(), [sign](Writer<int32_t>& out, int32_t start, int32_t count) {
                      out.Set(static_cast<int32_t>(int64_t{start} + int64_t{count} * sign));
                    }));
}

void AddMonthsTo(Writer<int32_t>& out, int32_t days, int32_t months) {
  const int64_t shifted = AddMonths(days, months);
  if (static_cast<int32_t>(shifted) != shifted) return out.Fail(base::InvalidArgument("[ARITHMETIC_OVERFLOW] Integer overflow in add_months"));
  out.Set(static_cast<int32_t>(shifted));
}

void LastDay(Writer<int32_t>& out, int32_t days) {
  const CivilDate date = CivilFromDays(days);
  out.Set(static_cast<int32_t>(DaysFromCivil(date.year, date.month, DaysInMonth(date.year, date.month))));
}

// 1 = Monday .. 7 = Sunday, or 0.
int DayNumber(const std::string& upper) {
  constexpr std::array<std::array<Text, 3>, 7> kNames = {{{"MO", "MON", "MONDAY"},
                                                          {"TU", "TUE", "TUESDAY"},
                                                          {"WE", "WED", "WEDNESDAY"},
                                                          {"TH", "THU", "THURSDAY"},
                                                          {"FR", "FRI", "FRIDAY"},
                                                          {"SA", "SAT", "SATURDAY"},
                                                          {"SU", "SUN", "SUNDAY"}}};
  for (size_t k = 0; k < kNames.size(); ++k) {
    for (const Text name : kNames[k]) {
      if (name == upper) return static_cast<int>(k) + 1;
    }
  }
  return 0;
}

void NextDay(Writer<int32_t>& out, int32_t days, Text name) {
  const int wanted = DayNumber(Upper(name));
  if (wanted == 0) return out.Fail(base::InvalidArgument("[ILLEGAL_DAY_OF_WEEK] Illegal day of week: ", name));
  out.Set(static_cast<int32_t>(days + 1 + FloorMod(wanted - IsoDayOfWeek(days + 1), 7)));
}

// --------------------------------------------------------------------------------------------------------------- truncating

enum class Unit { kYear, kQuarter, kMonth, kWeek, kDay, kHour, kMinute, kSecond, kMillisecond, kMicrosecond };

std::optional<Unit> TruncUnit(const std::string& upper) {
  if (upper == "YEAR" || upper == "YYYY" || upper == "YY") return Unit::kYear;
  if (upper == "QUARTER") return Unit::kQuarter;
  if (upper == "MONTH" || upper == "MM" || upper == "MON") return Unit::kMonth;
  if (upper == "WEEK") return Unit::kWeek;
  if (upper == "DAY" || upper == "DD") return Unit::kDay;
  if (upper == "HOUR") return Unit::kHour;
  if (upper == "MINUTE") return Unit::kMinute;
  if (upper == "SECOND") return Unit::kSecond;
  if (upper == "MILLISECOND") return Unit::kMillisecond;
  if (upper == "MICROSECOND") return Unit::kMicrosecond;
  return std::nullopt;
}

int64_t TruncDays(int64_t days, Unit unit) {
  const CivilDate date = CivilFromDays(days);
  switch (unit) {
    case Unit::kYear:
      return DaysFromCivil(date.year, 1, 1);
    case Unit::kQuarter:
      return DaysFromCivil(date.year, (date.month - 1) / 3 * 3 + 1, 1);
    case Unit::kMonth:
      return DaysFromCivil(date.year, date.month, 1);
    case Unit::kWeek:
      return days - (IsoDayOfWeek(days) - 1);
    default:
      return days;
  }
}

void TruncDate(Writer<int32_t>& out, int32_t days, Text format) {
  const auto unit = TruncUnit(Upper(format));
  if (!unit || *unit >= Unit::kDay) return out.Null();
  out.Set(static_cast<int32_t>(TruncDays(days, *unit)));
}

int64_t UnitMicros(Unit unit) {
  switch (unit) {
    case Unit::kHour:
      return kMicrosPerHour;
    case Unit::kMinute:
      return kMicrosPerMinute;
    case Unit::kSecond:
      return kMicrosPerSecond;
    case Unit::kMillisecond:
      return kMicrosPerMilli;
    default:
      return 1;
  }
}

// REQUIRES a body(out, zone, values...) run with the session's zone found once.
template <typename Out, typename... In, typename Body>
Kernel ZoneKernel(TypePtr type, Body body) {
  return [type, body](const std::vector<arrow::Datum>& arguments, const columnar::Selection& rows,
                      const EvalContext& context) -> arrow::Result<arrow::Datum> {
    ARROW_ASSIGN_OR_RAISE(const KernelCall call, KernelCall::Make(arguments, rows, context));
    ARROW_ASSIGN_OR_RAISE(const auto zone, TimeZone::Find(context.timezone));
    return RunRows<Out, In...>(call, type, [&](Writer<Out>& out, In... values) { body(out, *zone, values...); });
  };
}

void TruncTimestamp(Writer<int64_t>& out, const TimeZone& zone, Text format, int64_t micros) {
  const auto unit = TruncUnit(Upper(format));
  if (!unit) return out.Null();
  const int64_t local = zone.ToLocalMicros(micros);
  if (*unit > Unit::kDay) {
    // Within a day the offset is kept, so that the hour of an ambiguous time stays the one it was.
    const int64_t offset = local - micros;
    return out.Set(local - FloorMod(local, UnitMicros(*unit)) - offset);
  }
  out.Set(zone.ToUtcMicros(TruncDays(FloorDiv(local, kMicrosPerDay), *unit) * kMicrosPerDay));
}

// ----------------------------------------------------------------------------------------------------------- months_between

void MonthsBetween(Writer<double>& out, const TimeZone& zone, int64_t a, int64_t b, bool round_off) {
  const int64_t local_a = zone.ToLocalMicros(a), local_b = zone.ToLocalMicros(b);
  const int64_t days_a = FloorDiv(local_a, kMicrosPerDay), days_b = FloorDiv(local_b, kMicrosPerDay);
  const CivilDate date_a = CivilFromDays(days_a), date_b = CivilFromDays(days_b);
  const auto months = static_cast<double>((date_a.year - date_b.year) * 12 + date_a.month - date_b.month);
  const bool last_a = date_a.day == DaysInMonth(date_a.year, date_a.month);
  const bool last_b = date_b.day == DaysInMonth(date_b.year, date_b.month);
  if (date_a.day == date_b.day || (last_a && last_b)) return out.Set(months);
  const int64_t second_a = FloorMod(local_a, kMicrosPerDay) / kMicrosPerSecond, second_b = FloorMod(local_b, kMicrosPerDay) / kMicrosPerSecond;
  const int64_t seconds = (date_a.day - date_b.day) * kSecondsPerDay + second_a - second_b;
  const double difference = months + static_cast<double>(seconds) / static_cast<double>(31 * kSecondsPerDay);
  out.Set(round_off ? std::floor(difference * 1e8 + 0.5) / 1e8 : difference);
}

// ------------------------------------------------------------------------------------------------------------------ making

void MakeDate(Writer<int32_t>& out, int32_t year, int32_t month, int32_t day) {
  if (!IsValidDate(year, month, day)) return out.Fail(OutOfBounds("make_date"));
  const int64_t days = DaysFromCivil(year, month, day);
  if (static_cast<int32_t>(days) != days) return out.Fail(OutOfBounds("make_date"));
  out.Set(static_cast<int32_t>(days));
}

// Micros of the local time, or nothing after a Fail or Null. `seconds` has scale 6; 60 counts as the next minute.
std::optional<int64_t> LocalMicros(RowOutcome& out, bool null_on_failure, int32_t year, int32_t month, int32_t day, int32_t hour, int32_t minute, Int128 seconds) {
  const bool leap = seconds == 60 * kMicrosPerSecond;
  if (!IsValidDate(year, month, day) || hour < 0 || hour > 23 || minute < 0 || minute > 59 || seconds < 0 ||
      (seconds >= 60 * kMicrosPerSecond && !leap)) {
    if (null_on_failure) {
      out.Null();
    } else {
      out.Fail(OutOfBounds("make_timestamp"));
    }
    return std::nullopt;
  }
  const int64_t of_day = hour * kMicrosPerHour + minute * kMicrosPerMinute + static_cast<int64_t>(seconds);
  int64_t micros = 0;
  if (__builtin_mul_overflow(DaysFromCivil(year, month, day), kMicrosPerDay, &micros) || __builtin_add_overflow(micros, of_day, &micros)) {
    if (null_on_failure) {
      out.Null();
    } else {
      out.Fail(OutOfBounds("make_timestamp"));
    }
    return std::nullopt;
  }
  return micros;
}

arrow::Result<ExprPtr> BindMakeTimestamp(const CallSite& site, TypePtr type, bool null_on_failure) {
  std::vector<ExprPtr> arguments;
  for (size_t k = 0; k < site.size(); ++k) {
    const TypePtr wanted = k < 5 ? arrow::int32() : k == 5 ? arrow::decimal128(16, 6) : arrow::utf8();
    ARROW_ASSIGN_OR_RAISE(auto argument, CoerceTo(site[k], wanted));
    arguments.push_back(std::move(argument));
  }
  if (arguments.size() == 7) {
    return Expr::Call(site.name, type, arguments,
                      RowKernel<int64_t, int32_t, int32_t, int32_t, int32_t, int32_t, Int128, Text>(
                          type, [null_on_failure](Writer<int64_t>& out, int32_t y, int32_t m, int32_t d, int32_t h, int32_t mi, Int128 s, Text name) {
                            const auto zone = TimeZone::Find(name);
                            if (!zone.ok()) return out.Fail(zone.status());
                            if (const auto micros = LocalMicros(out, null_on_failure, y, m, d, h, mi, s)) out.Set((*zone)->ToUtcMicros(*micros));
                          }));
  }
  if (!IsZoned(*type)) {
    return Expr::Call(site.name, type, arguments,
                      RowKernel<int64_t, int32_t, int32_t, int32_t, int32_t, int32_t, Int128>(
                          type, [null_on_failure](Writer<int64_t>& out, int32_t y, int32_t m, int32_t d, int32_t h, int32_t mi, Int128 s) {
                            if (const auto micros = LocalMicros(out, null_on_failure, y, m, d, h, mi, s)) out.Set(*micros);
                          }));
  }
  return Expr::Call(site.name, type, arguments,
                    ZoneKernel<int64_t, int32_t, int32_t, int32_t, int32_t, int32_t, Int128>(
                        type, [null_on_failure](Writer<int64_t>& out, const TimeZone& zone, int32_t y, int32_t m, int32_t d, int32_t h, int32_t mi, Int128 s) {
                          if (const auto micros = LocalMicros(out, null_on_failure, y, m, d, h, mi, s)) out.Set(zone.ToUtcMicros(*micros));
                        }));
}

void MakeDayTimeInterval(Writer<int64_t>& out, int32_t days, int32_t hours, int32_t minutes, Int128 seconds) {
  const Int128 micros = Int128{days} * kMicrosPerDay + Int128{hours} * kMicrosPerHour + Int128{minutes} * kMicrosPerMinute + seconds;
  if (static_cast<int64_t>(micros) != micros) return out.Fail(base::InvalidArgument("[INTERVAL_ARITHMETIC_OVERFLOW] Interval overflow"));
  out.Set(static_cast<int64_t>(micros));
}

void MakeYearMonthInterval(Writer<int32_t>& out, int32_t years, int32_t months) {
  const int64_t total = int64_t{years} * 12 + months;
  if (static_cast<int32_t>(total) != total) return out.Fail(base::InvalidArgument("[INTERVAL_ARITHMETIC_OVERFLOW] Interval overflow"));
  out.Set(static_cast<int32_t>(total));
}

// -------------------------------------------------------------------------------------------------------------- epoch numbers

Binder UnixOf(int64_t divisor) {
  return [divisor](const CallSite& site) -> arrow::Result<ExprPtr> {
    if (!IsZoned(site.type(0)) && site.type(0).id() != arrow::Type::NA) return WrongType(site, 0, "timestamp");
    ARROW_ASSIGN_OR_RAISE(auto time, CoerceTo(site[0], Timestamp()));
    return Expr::Call(site.name, arrow::int64(), {time}, RowKernel<int64_t, int64_t>(arrow::int64(), [divisor](Writer<int64_t>& out, int64_t micros) {
                        out.Set(FloorDiv(micros, divisor));
                      }));
  };
}

arrow::Result<ExprPtr> BindUnixDate(const CallSite& site) {
  if (site.type(0).id() != arrow::Type::DATE32 && site.type(0).id() != arrow::Type::NA) return WrongType(site, 0, "date");
  return Expr::Call(site.name, arrow::int32(), {CastIfNeeded(site[0], Date())},
                    RowKernel<int32_t, int32_t>(arrow::int32(), [](Writer<int32_t>& out, int32_t days) { out.Set(days); }));
}

Binder TimestampOf(int64_t factor) {
  return [factor](const CallSite& site) -> arrow::Result<ExprPtr> {
    if (factor == kMicrosPerSecond && (IsDecimal(site.type(0)) || IsFloating(site.type(0)))) return BindCast(site[0], Timestamp(), false);
    if (!IsIntegral(site.type(0)) && site.type(0).id() != arrow::Type::NA) return WrongType(site, 0, "integral");
    ARROW_ASSIGN_OR_RAISE(auto number, CoerceTo(site[0], arrow::int64()));
    return Expr::Call(site.name, Timestamp(), {number}, RowKernel<int64_t, int64_t>(Timestamp(), [factor](Writer<int64_t>& out, int64_t value) {
                        int64_t micros = 0;
                        if (__builtin_mul_overflow(value, factor, &micros)) return out.Fail(base::InvalidArgument("[ARITHMETIC_OVERFLOW] Long overflow: ", value));
                        out.Set(micros);
                      }));
  };
}

arrow::Result<ExprPtr> BindCurrentDate(const CallSite& site) {
  ARROW_ASSIGN_OR_RAISE(const auto zone, TimeZone::Find(site.context->timezone));
  const int64_t days = FloorDiv(zone->ToLocalMicros(site.context->statement_time_us), kMicrosPerDay);
  return Expr::Literal(std::make_shared<arrow::Date32Scalar>(static_cast<int32_t>(days)));
}

arrow::Result<ExprPtr> BindNow(const CallSite& site) {
  return Expr::Literal(std::make_shared<arrow::TimestampScalar>(site.context->statement_time_us, Timestamp()));
}

arrow::Result<ExprPtr> BindLocalTimestamp(const CallSite& site) {
  ARROW_ASSIGN_OR_RAISE(const auto zone, TimeZone::Find(site.context->timezone));
  return Expr::Literal(std::make_shared<arrow::TimestampScalar>(zone->ToLocalMicros(site.context->statement_time_us), TimestampNtz()));
}

// from_utc_timestamp (to_utc = false) shows the instant's UTC clock in a zone as if it were the session's; to_utc_timestamp reverses it.
Binder ShiftZone(bool to_utc) {
  return [to_utc](const CallSite& site) -> arrow::Result<ExprPtr> {
    ARROW_ASSIGN_OR_RAISE(auto time, CoerceTo(site[0], Timestamp()));
    ARROW_ASSIGN_OR_RAISE(auto name, CoerceTo(site[1], arrow::utf8()));
    return Expr::Call(site.name, Timestamp(), {time, name},
                      RowKernel<int64_t, int64_t, Text>(Timestamp(), [to_utc](Writer<int64_t>& out, int64_t micros, Text zone_name) {
                        const auto zone = TimeZone::Find(zone_name);
                        if (!zone.ok()) return out.Fail(zone.status());
                        out.Set(to_utc ? (*zone)->ToUtcMicros(micros) : (*zone)->ToLocalMicros(micros));
                      }));
  };
}

arrow::Result<ExprPtr> BindConvertTimezone(const CallSite& site) {
  const bool has_source = site.size() == 3;
  ARROW_ASSIGN_OR_RAISE(auto source, CoerceTo(has_source ? site[0] : StringLiteral(site.context->timezone), arrow::utf8()));
  ARROW_ASSIGN_OR_RAISE(auto target, CoerceTo(site[has_source ? 1 : 0], arrow::utf8()));
  ARROW_ASSIGN_OR_RAISE(auto time, CoerceTo(site[has_source ? 2 : 1], TimestampNtz()));
  return Expr::Call(site.name, TimestampNtz(), {source, target, time},
                    RowKernel<int64_t, Text, Text, int64_t>(TimestampNtz(), [](Writer<int64_t>& out, Text from, Text to, int64_t local) {
                      const auto from_zone = TimeZone::Find(from), to_zone = TimeZone::Find(to);
                      if (!from_zone.ok()) return out.Fail(from_zone.status());
                      if (!to_zone.ok()) return out.Fail(to_zone.status());
                      out.Set((*to_zone)->ToLocalMicros((*from_zone)->ToUtcMicros(local)));
                    }));
}

// ------------------------------------------------------------------------------------------------- timestampadd, timestampdiff

std::optional<Unit> ArithmeticUnit(const CallSite& site, int64_t* factor) {
  std::string storage;
  const std::string* written = ConstantText(site[0], &storage);
  if (written == nullptr) return std::nullopt;
  std::string unit = Upper(*written);
  *factor = 1;
  if (unit == "DAYOFYEAR") unit = "DAY";
  if (unit == "QUARTER") return *factor = 3, Unit::kMonth;
  if (unit == "YEAR") return *factor = 12, Unit::kMonth;
  if (unit == "MONTH") return Unit::kMonth;
  if (unit == "WEEK") return *factor = 7, Unit::kDay;
  if (unit == "DAY") return Unit::kDay;
  const auto clock = TruncUnit(unit);
  return clock && *clock > Unit::kDay ? clock : std::nullopt;
}

arrow::Status BadUnit(const CallSite& site) {
  return base::InvalidArgument("[INVALID_PARAMETER_VALUE.DATETIME_UNIT] Unit is not a date or time unit in ", site.name);
}

// A timestamp of either kind as it is, anything else as a timestamp.
arrow::Result<ExprPtr> TimestampArgument(const ExprPtr& argument) {
  return CoerceTo(argument, IsTimestamp(*argument->type()) && !IsZoned(*argument->type()) ? TimestampNtz() : Timestamp());
}

arrow::Result<ExprPtr> BindTimestampAdd(const CallSite& site) {
  int64_t factor = 1;
  const auto unit = ArithmeticUnit(site, &factor);
  if (!unit) return BadUnit(site);
  ARROW_ASSIGN_OR_RAISE(auto quantity, CoerceTo(site[1], arrow::int64()));
  ARROW_ASSIGN_OR_RAISE(auto start, TimestampArgument(site[2]));
  const TypePtr type = start->type();
  Kernel kernel = [=](const std::vector<arrow::Datum>& arguments, const columnar::Selection& rows,
                      const EvalContext& context) -> arrow::Result<arrow::Datum> {
    ARROW_ASSIGN_OR_RAISE(const KernelCall call, KernelCall::Make(arguments, rows, context));
    ARROW_ASSIGN_OR_RAISE(const auto zone, TimeZone::Find(ZoneOf(*type, context)));
    return RunRows<int64_t, int64_t, int64_t>(call, type, [&](Writer<int64_t>& out, int64_t count, int64_t micros) {
      int64_t amount = 0, result = 0;
      if (__builtin_mul_overflow(count, factor, &amount)) return out.Fail(DatetimeOverflow());
      if (*unit > Unit::kDay) {
        if (__builtin_mul_overflow(amount, UnitMicros(*unit), &amount) || __builtin_add_overflow(micros, amount, &result)) {
          return out.Fail(DatetimeOverflow());
        }
        return out.Set(result);
      }
      const int64_t local = zone->ToLocalMicros(micros);
      if (*unit == Unit::kDay) {
        if (__builtin_mul_overflow(amount, kMicrosPerDay, &amount) || __builtin_add_overflow(local, amount, &result)) return out.Fail(DatetimeOverflow());
      } else {
        constexpr int64_t kMostMonths = 12LL * 600'000;
        if (amount > kMostMonths || amount < -kMostMonths) return out.Fail(DatetimeOverflow());
        const int64_t days = AddMonths(FloorDiv(local, kMicrosPerDay), amount);
        if (__builtin_mul_overflow(days, kMicrosPerDay, &result) || __builtin_add_overflow(result, FloorMod(local, kMicrosPerDay), &result)) {
          return out.Fail(DatetimeOverflow());
        }
      }
      out.Set(zone->ToUtcMicros(result));
    });
  };
  return Expr::Call(site.name, type, {quantity, start}, kernel);
}

// Whole months from a to b, towards zero.
int64_t WholeMonths(int64_t a, int64_t b) {
  const CivilDate from = CivilFromDays(FloorDiv(a, kMicrosPerDay)), to = CivilFromDays(FloorDiv(b, kMicrosPerDay));
  int64_t months = (to.year - from.year) * 12 + to.month - from.month;
  const int64_t from_rest = from.day * kMicrosPerDay + FloorMod(a, kMicrosPerDay), to_rest = to.day * kMicrosPerDay + FloorMod(b, kMicrosPerDay);
  if (months > 0 && to_rest < from_rest) --months;
  if (months < 0 && to_rest > from_rest) ++months;
  return months;
}

arrow::Result<ExprPtr> BindTimestampDiff(const CallSite& site) {
  int64_t factor = 1;
  const auto unit = ArithmeticUnit(site, &factor);
  if (!unit) return BadUnit(site);
  ARROW_ASSIGN_OR_RAISE(auto start, CoerceTo(site[1], Timestamp()));
  ARROW_ASSIGN_OR_RAISE(auto end, CoerceTo(site[2], Timestamp()));
  const int64_t micros = *unit == Unit::kDay ? kMicrosPerDay : *unit == Unit::kMonth ? 1 : UnitMicros(*unit);
  return Expr::Call(site.name, arrow::int64(), {start, end},
                    ZoneKernel<int64_t, int64_t, int64_t>(arrow::int64(), [=](Writer<int64_t>& out, const TimeZone& zone, int64_t a, int64_t b) {
                      a = zone.ToLocalMicros(a);
                      b = zone.ToLocalMicros(b);
                      out.Set((*unit == Unit::kMonth ? WholeMonths(a, b) : (b - a) / micros) / factor);
                    }));
}

// date_add(date, n) and dateadd(unit, n, time) share their names, so do the differences.
arrow::Result<ExprPtr> BindAddByArity(const CallSite& site) { return site.size() == 3 ? BindTimestampAdd(site) : BindDateAdd(site, 1); }

arrow::Result<ExprPtr> BindDiffByArity(const CallSite& site) {
  if (site.size() == 3) return BindTimestampDiff(site);
  ARROW_ASSIGN_OR_RAISE(auto end, CoerceTo(site[0], Date()));
  ARROW_ASSIGN_OR_RAISE(auto start, CoerceTo(site[1], Date()));
  return Expr::Call(site.name, arrow::int32(), {end, start},
                    RowKernel<int32_t, int32_t, int32_t>(arrow::int32(), [](Writer<int32_t>& out, int32_t b, int32_t a) {
                      out.Set(static_cast<int32_t>(static_cast<uint32_t>(b) - static_cast<uint32_t>(a)));
                    }));
}

constexpr std::array<Text, 7> kDayNames = {"Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun"};
constexpr std::array<Text, 12> kMonthNames = {"Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"};

}  // namespace

void AddDateFunctions(FunctionTable* table) {
  table->Add({"year"}, 1, 1, Field(YearOf));
  table->Add({"quarter"}, 1, 1, Field(QuarterOf));
  table->Add({"month"}, 1, 1, Field(MonthOf));
  table->Add({"day", "dayofmonth"}, 1, 1, Field(DayOf));
  table->Add({"dayofweek"}, 1, 1, Field(SundayFirst));
  table->Add({"weekday"}, 1, 1, Field(MondayFirst));
  table->Add({"dayofyear"}, 1, 1, Field(OrdinalDayOf));
  table->Add({"weekofyear"}, 1, 1, Field(WeekOf));
  table->Add({"hour"}, 1, 1, ClockField(kMicrosPerHour, 24));
  table->Add({"minute"}, 1, 1, ClockField(kMicrosPerMinute, 60));
  table->Add({"second"}, 1, 1, ClockField(kMicrosPerSecond, 60));
  table->Add({"extract", "date_part", "datepart"}, 2, 2, BindExtract);
  table->AddSimple({"dayname"}, {Date()}, arrow::utf8(), RowKernel<Text, int32_t>(arrow::utf8(), [](Writer<Text>& out, int32_t days) {
                     out.Set(kDayNames[static_cast<size_t>(IsoDayOfWeek(days) - 1)]);
                   }));
  table->AddSimple({"monthname"}, {Date()}, arrow::utf8(), RowKernel<Text, int32_t>(arrow::utf8(), [](Writer<Text>& out, int32_t days) {
                     out.Set(kMonthNames[static_cast<size_t>(CivilFromDays(days).month - 1)]);
                   }));
  table->Add({"date_add", "dateadd"}, 2, 3, BindAddByArity);
  table->Add({"date_sub"}, 2, 2, [](const CallSite& site) { return BindDateAdd(site, -1); });
  table->Add({"datediff", "date_diff"}, 2, 3, BindDiffByArity);
  table->Add({"timestampadd"}, 3, 3, BindTimestampAdd);
  table->Add({"timestampdiff", "timediff"}, 3, 3, BindTimestampDiff);
  table->AddSimple({"add_months"}, {Date(), arrow::int32()}, Date(), RowKernel<int32_t, int32_t, int32_t>(Date(), AddMonthsTo));
  table->AddSimple({"last_day"}, {Date()}, Date(), RowKernel<int32_t, int32_t>(Date(), LastDay));
  table->AddSimple({"next_day"}, {Date(), arrow::utf8()}, Date(), RowKernel<int32_t, int32_t, Text>(Date(), NextDay));
  table->AddSimple({"trunc"}, {Date(), arrow::utf8()}, Date(), RowKernel<int32_t, int32_t, Text>(Date(), TruncDate));
  table->AddSimple({"date_trunc"}, {arrow::utf8(), Timestamp()}, Timestamp(), ZoneKernel<int64_t, Text, int64_t>(Timestamp(), TruncTimestamp));
  table->AddSimple({"months_between"}, {Timestamp(), Timestamp(), arrow::boolean()}, arrow::float64(),
                   ZoneKernel<double, int64_t, int64_t, bool>(arrow::float64(), MonthsBetween), {BooleanLiteral(true)});
  table->AddSimple({"make_date"}, {arrow::int32(), arrow::int32(), arrow::int32()}, Date(),
                   RowKernel<int32_t, int32_t, int32_t, int32_t>(Date(), MakeDate));
  table->Add({"make_timestamp", "make_timestamp_ltz"}, 6, 7, [](const CallSite& site) { return BindMakeTimestamp(site, Timestamp(), false); });
  table->Add({"make_timestamp_ntz"}, 6, 6, [](const CallSite& site) { return BindMakeTimestamp(site, TimestampNtz(), false); });
  table->Add({"try_make_timestamp", "try_make_timestamp_ltz"}, 6, 7, [](const CallSite& site) { return BindMakeTimestamp(site, Timestamp(), true); });
  table->Add({"try_make_timestamp_ntz"}, 6, 6, [](const CallSite& site) { return BindMakeTimestamp(site, TimestampNtz(), true); });
  const ExprPtr zero = IntLiteral(0);
  const TypePtr day_time = IntervalType(kDayToSecond), year_month = IntervalType(kYearToMonth), seconds = arrow::decimal128(18, 6);
  table->AddSimple({"make_dt_interval"}, {arrow::int32(), arrow::int32(), arrow::int32(), seconds}, day_time,
                   RowKernel<int64_t, int32_t, int32_t, int32_t, Int128>(day_time, MakeDayTimeInterval),
                   {zero, zero, zero, Expr::Literal(std::make_shared<arrow::Decimal128Scalar>(arrow::Decimal128(0), seconds))});
  table->AddSimple({"make_ym_interval"}, {arrow::int32(), arrow::int32()}, year_month,
                   RowKernel<int32_t, int32_t, int32_t>(year_month, MakeYearMonthInterval), {zero, zero});
  table->Add({"unix_micros"}, 1, 1, UnixOf(1));
  table->Add({"unix_millis"}, 1, 1, UnixOf(kMicrosPerMilli));
  table->Add({"unix_seconds"}, 1, 1, UnixOf(kMicrosPerSecond));
  table->Add({"unix_date"}, 1, 1, BindUnixDate);
  table->AddSimple({"date_from_unix_date"}, {arrow::int32()}, Date(),
                   RowKernel<int32_t, int32_t>(Date(), [](Writer<int32_t>& out, int32_t days) { out.Set(days); }));
  table->Add({"timestamp_seconds"}, 1, 1, TimestampOf(kMicrosPerSecond));
  table->Add({"timestamp_millis"}, 1, 1, TimestampOf(kMicrosPerMilli));
  table->Add({"timestamp_micros"}, 1, 1, TimestampOf(1));
  table->Add({"current_date", "curdate"}, 0, 0, BindCurrentDate);
  table->Add({"current_timestamp", "now"}, 0, 0, BindNow);
  table->Add({"localtimestamp"}, 0, 0, BindLocalTimestamp);
  table->Add({"current_timezone"}, 0, 0, [](const CallSite& site) -> arrow::Result<ExprPtr> { return StringLiteral(site.context->timezone); });
  table->Add({"from_utc_timestamp"}, 2, 2, ShiftZone(false));
  table->Add({"to_utc_timestamp"}, 2, 2, ShiftZone(true));
  table->Add({"convert_timezone"}, 2, 3, BindConvertTimezone);
}

}  // namespace vecruntime::expr
