// SPDX-License-Identifier: Apache-2.0
// The proleptic Gregorian calendar on day numbers since 1970-01-01, and the units of time. Total for every int32 day number.
#pragma once

#include <cstdint>

namespace vecruntime::expr {

constexpr int64_t kMicrosPerMilli = 1000;
constexpr int64_t kMicrosPerSecond = 1'000'000;
constexpr int64_t kSecondsPerDay = 86'400;
constexpr int64_t kMicrosPerMinute = 60 * kMicrosPerSecond;
constexpr int64_t kMicrosPerHour = 60 * kMicrosPerMinute;
constexpr int64_t kMicrosPerDay = kSecondsPerDay * kMicrosPerSecond;
constexpr int64_t kNanosPerMicro = 1000;

constexpr int64_t FloorDiv(int64_t a, int64_t b) {
  const int64_t quotient = a / b;
  return quotient - ((a % b != 0) && ((a < 0) != (b < 0)) ? 1 : 0);
}
constexpr int64_t FloorMod(int64_t a, int64_t b) { return a % b + (a % b < 0 ? b : 0); }

struct CivilDate {
  int64_t year;
  int month;  // 1..12
  int day;    // 1..31
};

// Howard Hinnant's algorithms ("chrono-Compatible Low-Level Date Algorithms"): eras of 400 years that begin on 1 March.
constexpr CivilDate CivilFromDays(int64_t days) {
  const int64_t shifted = days + 719468;
  const int64_t era = FloorDiv(shifted, 146097);
  const int64_t day_of_era = shifted - era * 146097;
  const int64_t year_of_era = (day_of_era - day_of_era / 1460 + day_of_era / 36524 - day_of_era / 146096) / 365;
  const int64_t day_of_year = day_of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
  const int64_t month_from_march = (5 * day_of_year + 2) / 153;
  const int day = static_cast<int>(day_of_year - (153 * month_from_march + 2) / 5 + 1);
  const int month = static_cast<int>(month_from_march < 10 ? month_from_march + 3 : month_from_march - 9);
  return {year_of_era + era * 400 + (month <= 2 ? 1 : 0), month, day};
}

constexpr int64_t DaysFromCivil(int64_t year, int month, int day) {
  const int64_t shifted_year = year - (month <= 2 ? 1 : 0);
  const int64_t era = FloorDiv(shifted_year, 400);
  const int64_t year_of_era = shifted_year - era * 400;
  const int64_t day_of_year = (153 * (month + (month > 2 ? -3 : 9)) + 2) / 5 + day - 1;
  const int64_t day_of_era = year_of_era * 365 + year_of_era / 4 - year_of_era / 100 + day_of_year;
  return era * 146097 + day_of_era - 719468;
}

constexpr bool IsLeapYear(int64_t year) { return year % 4 == 0 && (year % 100 != 0 || year % 400 == 0); }

constexpr int DaysInMonth(int64_t year, int month) {
  constexpr int kDays[] = {31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31};
  return month == 2 && IsLeapYear(year) ? 29 : kDays[month - 1];
}

constexpr bool IsValidDate(int64_t year, int64_t month, int64_t day) {
  return month >= 1 && month <= 12 && day >= 1 && day <= DaysInMonth(year, static_cast<int>(month));
}

/// 1 = Monday .. 7 = Sunday.
constexpr int IsoDayOfWeek(int64_t days) { return static_cast<int>(FloorMod(days + 3, 7)) + 1; }

constexpr int DayOfYear(int64_t days) { return static_cast<int>(days - DaysFromCivil(CivilFromDays(days).year, 1, 1)) + 1; }

struct IsoWeek {
  int64_t year;
  int week;  // 1..53
};

/// The ISO week is that of its Thursday.
constexpr IsoWeek IsoWeekOf(int64_t days) {
  const int64_t thursday = days + 4 - IsoDayOfWeek(days);
  const int64_t year = CivilFromDays(thursday).year;
  return {year, static_cast<int>((thursday - DaysFromCivil(year, 1, 1)) / 7) + 1};
}

/// The date `months` later; the day is cut to the length of the month.
constexpr int64_t AddMonths(int64_t days, int64_t months) {
  const CivilDate date = CivilFromDays(days);
  const int64_t total = date.year * 12 + (date.month - 1) + months;
  const int64_t year = FloorDiv(total, 12);
  const int month = static_cast<int>(FloorMod(total, 12)) + 1;
  const int last = DaysInMonth(year, month);
  return DaysFromCivil(year, month, date.day < last ? date.day : last);
}

}  // namespace vecruntime::expr
