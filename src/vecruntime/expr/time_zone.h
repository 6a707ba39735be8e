// SPDX-License-Identifier: Apache-2.0
// Time zones by IANA name (from the system's TZif files, RFC 8536, with their rule for the future) or as fixed offsets.
#pragma once

#include <arrow/result.h>

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace vecruntime::expr {

/// Immutable; shared between threads.
class TimeZone {
 public:
  /// What java.time.ZoneId accepts: "Z", "UTC", "+05:30", "GMT+1", "Europe/Paris", old short ids such as "PST". InvalidArgument naming
  /// the zone when it does not exist. Zones are cached.
  static arrow::Result<std::shared_ptr<const TimeZone>> Find(std::string_view name);

  bool is_utc() const { return transitions_.empty() && rule_.empty() && first_offset_ == 0; }
  const std::string& name() const { return name_; }
  /// Seconds east of UTC at an instant.
  int64_t OffsetAt(int64_t utc_seconds) const;
  /// Seconds east of UTC at a local time. A local time that does not exist moves forward by the gap; of two, the earlier is meant.
  int64_t OffsetAtLocal(int64_t local_seconds) const;

  int64_t ToLocalMicros(int64_t utc_micros) const;
  int64_t ToUtcMicros(int64_t local_micros) const;

 private:
  struct Transition {
    int64_t at;      // UTC seconds
    int64_t offset;  // from then on
  };
  // One side of a POSIX TZ rule: when it begins each year, in seconds of local wall time before the change.
  struct YearlyChange {
    char kind = 'M';  // 'M' month.week.day, 'J' day 1..365 without 29 February, 'D' day 0..365
    int month = 0, week = 0, day = 0;
    int64_t time = 7200;
    int64_t offset_before = 0;
    int64_t offset_after = 0;

    int64_t UtcSecondsIn(int64_t year) const;
  };

  static arrow::Result<std::shared_ptr<const TimeZone>> Load(const std::string& name);
  arrow::Status ParseTzif(std::string_view bytes);
  bool ParseRule(std::string_view footer);
  /// The transitions that the rule makes in the years around an instant.
  std::vector<Transition> RuleTransitionsAround(int64_t seconds) const;

  std::string name_;
  int64_t first_offset_ = 0;
  std::vector<Transition> transitions_;
  std::vector<YearlyChange> rule_;  // empty, or two
};

}  // namespace vecruntime::expr
