// SPDX-License-Identifier: Apache-2.0
#include "vecruntime/expr/time_zone.h"

#include <gtest/gtest.h>

#include "vecruntime/expr/calendar.h"

namespace vecruntime::expr {
namespace {

int64_t Seconds(int64_t year, int month, int day, int hour, int minute) {
  return DaysFromCivil(year, month, day) * kSecondsPerDay + hour * 3600 + minute * 60;
}

TEST(TimeZone, FollowsDaylightSaving) {
  const auto zone = *TimeZone::Find("America/Los_Angeles");
  EXPECT_EQ(zone->OffsetAt(Seconds(2020, 1, 1, 0, 0)), -8 * 3600);
  EXPECT_EQ(zone->OffsetAt(Seconds(2020, 7, 1, 0, 0)), -7 * 3600);
  EXPECT_EQ(zone->OffsetAt(Seconds(2150, 7, 1, 0, 0)), -7 * 3600) << "by the rule, beyond the table";
  EXPECT_EQ(zone->OffsetAt(Seconds(2150, 12, 1, 0, 0)), -8 * 3600);
  EXPECT_EQ(zone->OffsetAt(Seconds(1800, 1, 1, 0, 0)), -(7 * 3600 + 52 * 60 + 58)) << "local mean time";
}

TEST(TimeZone, MovesGapsForwardAndTakesTheEarlierOfTwo) {
  const auto zone = *TimeZone::Find("America/Los_Angeles");
  EXPECT_EQ(zone->OffsetAtLocal(Seconds(2020, 3, 8, 2, 30)), -8 * 3600) << "does not exist, becomes 03:30";
  EXPECT_EQ(zone->OffsetAtLocal(Seconds(2020, 3, 8, 3, 0)), -7 * 3600);
  EXPECT_EQ(zone->OffsetAtLocal(Seconds(2020, 11, 1, 1, 30)), -7 * 3600) << "happens twice";
  EXPECT_EQ(zone->OffsetAtLocal(Seconds(2020, 11, 1, 2, 0)), -8 * 3600);
  EXPECT_EQ(zone->OffsetAtLocal(Seconds(2100, 3, 14, 2, 30)), -8 * 3600) << "a gap made by the rule";
}

TEST(TimeZone, ReadsOffsetsAndShortNames) {
  EXPECT_EQ((*TimeZone::Find("+05:30"))->OffsetAt(0), 19800);
  EXPECT_EQ((*TimeZone::Find("-8:00"))->OffsetAt(0), -28800);
  EXPECT_EQ((*TimeZone::Find("UTC+1"))->OffsetAt(0), 3600);
  EXPECT_EQ((*TimeZone::Find("Z"))->OffsetAt(0), 0);
  EXPECT_EQ((*TimeZone::Find("PST"))->OffsetAt(Seconds(2020, 7, 1, 0, 0)), -7 * 3600);
}

TEST(TimeZone, RefusesWhatIsNoZone) {
  for (const char* name : {"", "Mars/Olympus", "../etc/passwd", "+19:00", "+1:2:3:4", "America"}) {
    EXPECT_FALSE(TimeZone::Find(name).ok()) << name;
  }
}

}  // namespace
}  // namespace vecruntime::expr
