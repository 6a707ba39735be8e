// SPDX-License-Identifier: Apache-2.0
// Dates, times and timestamps as text: what CAST writes and reads.
#pragma once

#include <arrow/type_fwd.h>

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include "vecruntime/expr/time_zone.h"

namespace vecruntime::expr {

void AppendPadded(int64_t value, int width, std::string* out);
/// "2020-01-31", "+12345-01-01", "-0001-12-31".
void AppendDate(int64_t days, std::string* out);
/// "HH:mm:ss" with the fraction (`nanos` of the day) cut of trailing zeros.
void AppendTimeOfDay(int64_t nanos_of_day, std::string* out);
/// Local wall time: date, blank, time of day.
void AppendLocalTimestamp(int64_t local_micros, std::string* out);
void AppendLocalTimestampNanos(int64_t local_nanos, std::string* out);
/// Spark's lenient reading; false when malformed.
bool ParseDate(std::string_view text, int32_t* days);

struct ParsedTimestamp {
  int64_t local_micros;
  int nanos;               // 0..999, below the microsecond
  bool time_only;          // no date was written
  std::string_view zone;   // empty when none was written
};
bool ParseTimestamp(std::string_view text, ParsedTimestamp* out);
/// A timestamp with zone; local times are in `zone`, a time without a date is of the day of `now_micros` in its zone. False when malformed
/// or when the zone does not exist.
bool ParseInstant(std::string_view text, const TimeZone& zone, int64_t now_micros, int64_t* utc_micros, int* nanos);
/// "HH:mm[:ss[.ffffff]]" in microseconds of the day.
bool ParseTimeOfDay(std::string_view text, int64_t* micros);

}  // namespace vecruntime::expr
