// SPDX-License-Identifier: Apache-2.0
// Proleptic Gregorian calendar over the whole range of Iceberg's dates and timestamps (std::chrono stops at year 32767).
#pragma once

#include <cstdint>

namespace vecruntime::iceberg {

struct CivilDate {
  int64_t year = 1970;
  int month = 1;  // 1..12
  int day = 1;    // 1..31
};

/// The date `days` after 1970-01-01. REQUIRES: |days| < 2^53.
constexpr CivilDate CivilFromDays(int64_t days) {
  // Counts eras of 400 years from 0000-03-01, so that leap days end a year.
  days += 719468;
  const int64_t era = (days >= 0 ? days : days - 146096) / 146097;
  const int64_t day_of_era = days - era * 146097;
  const int64_t year_of_era = (day_of_era - day_of_era / 1460 + day_of_era / 36524 - day_of_era / 146096) / 365;
  const int64_t day_of_year = day_of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
  const int64_t shifted_month = (5 * day_of_year + 2) / 153;
  const int month = static_cast<int>(shifted_month < 10 ? shifted_month + 3 : shifted_month - 9);
  return CivilDate{year_of_era + era * 400 + (month <= 2 ? 1 : 0), month,
                   static_cast<int>(day_of_year - (153 * shifted_month + 2) / 5 + 1)};
}

/// Days from 1970-01-01 to the date. REQUIRES: a valid month; |year| < 2^40.
constexpr int64_t DaysFromCivil(const CivilDate& date) {
  const int64_t year = date.month <= 2 ? date.year - 1 : date.year;
  const int64_t era = (year >= 0 ? year : year - 399) / 400;
  const int64_t year_of_era = year - era * 400;
  const int64_t day_of_year = (153 * (date.month > 2 ? date.month - 3 : date.month + 9) + 2) / 5 + date.day - 1;
  const int64_t day_of_era = year_of_era * 365 + year_of_era / 4 - year_of_era / 100 + day_of_year;
  return era * 146097 + day_of_era - 719468;
}

}  // namespace vecruntime::iceberg
