// SPDX-License-Identifier: Apache-2.0
// Values of INTERVAL literals. A literal is either year-month (months) or day-time (microseconds);
// Spark refuses to mix the two.
#pragma once

#include <arrow/type_fwd.h>

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "vecruntime/expr/interval_type.h"

namespace vecruntime::sql {

using expr::IntervalUnit;

struct IntervalValue {
  expr::IntervalUnits units;
  int64_t amount = 0;  // months or microseconds
};

/// "YEAR", "days", ...: the unit of a `UNIT TO UNIT` range; nullopt for anything else.
std::optional<IntervalUnit> ParseIntervalUnit(std::string_view word);
/// True for every unit of the `number unit` form, which adds weeks, milliseconds and microseconds.
bool IsIntervalWord(std::string_view word);

struct IntervalPart {
  std::string number;  // "[+-]digits[.digits]"
  std::string unit;
};

/// `1 DAY 2 HOURS`. InvalidArgument for mixed kinds, fractions of anything but seconds, and overflow.
arrow::Result<IntervalValue> IntervalFromParts(const std::vector<IntervalPart>& parts);
/// `'1 day 2 hours'` without a unit after it.
arrow::Result<IntervalValue> IntervalFromText(std::string_view text);
/// `'1-2' YEAR TO MONTH`, `'1 02:03:04.5' DAY TO SECOND`, ...
arrow::Result<IntervalValue> IntervalFromRange(std::string_view text, IntervalUnit start, IntervalUnit end);

}  // namespace vecruntime::sql
