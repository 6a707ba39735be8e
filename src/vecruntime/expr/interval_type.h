// SPDX-License-Identifier: Apache-2.0
// Spark's interval types, YearMonthIntervalType(start, end) and DayTimeIntervalType(start, end), as Arrow types. Arrow has only one type
// of each kind, month_interval and duration(us), so the units are kept by classes derived from those: to Arrow all intervals of a kind are
// equal and stored alike, SameType() tells them apart. A plain Arrow type counts as YEAR TO MONTH or DAY TO SECOND.
#pragma once

#include <arrow/type_fwd.h>

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

namespace vecruntime::expr {

/// Ordered from coarse to fine; kYear and kMonth are year-month units, the rest day-time units.
enum class IntervalUnit : uint8_t { kYear, kMonth, kDay, kHour, kMinute, kSecond };

struct IntervalUnits {
  IntervalUnit start = IntervalUnit::kDay;
  IntervalUnit end = IntervalUnit::kDay;

  bool operator==(const IntervalUnits&) const = default;
  bool is_year_month() const { return start <= IntervalUnit::kMonth; }
  bool is_single() const { return start == end; }
  bool Contains(IntervalUnit unit) const { return start <= unit && unit <= end; }
  /// "DAY", "HOUR TO SECOND".
  std::string ToString() const;
};

constexpr IntervalUnits kYearToMonth{IntervalUnit::kYear, IntervalUnit::kMonth};
constexpr IntervalUnits kDayToSecond{IntervalUnit::kDay, IntervalUnit::kSecond};

/// `units.start` must not be finer than `units.end`, and both of one kind.
std::shared_ptr<arrow::DataType> IntervalType(IntervalUnits units);
/// The units of an interval type.
IntervalUnits UnitsOf(const arrow::DataType& type);
/// The widest type of the kind of an interval type, which products and averages have.
std::shared_ptr<arrow::DataType> WidestInterval(const arrow::DataType& type);
/// Months or microseconds in one `unit`.
int64_t AmountOf(IntervalUnit unit);

/// INTERVAL '1 02:03' DAY TO MINUTE; `amount` is in months or microseconds.
void AppendInterval(int64_t amount, IntervalUnits units, std::string* out);
/// Reads "1 02:03" or the text above, whose units must be `units`; false when malformed or out of range.
bool ParseInterval(std::string_view text, IntervalUnits units, int64_t* amount);

}  // namespace vecruntime::expr
