// SPDX-License-Identifier: Apache-2.0
#include "vecruntime/expr/datetime_pattern.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <limits>
#include <optional>

#include "vecruntime/base/error.h"
#include "vecruntime/expr/calendar.h"
#include "vecruntime/expr/datetime_text.h"

namespace vecruntime::expr {
namespace {

constexpr std::array<std::string_view, 12> kMonths = {"January", "February", "March",     "April",   "May",      "June",
                                                      "July",    "August",   "September", "October", "November", "December"};
constexpr std::array<std::string_view, 7> kDays = {"Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday"};

// Letters that Spark has and we do not; any other is an error there too.
constexpr std::string_view kJavaOnly = "GFBv";
constexpr std::string_view kKnown = "yMLdDEaHkKhmsSQqXxZzVO";

// The most letters of each kind that Spark takes.
int MostLetters(char letter) {
  switch (letter) {
    case 'y':
      return 6;
    case 'S':
      return 9;
    case 'M':
    case 'L':
    case 'E':
    case 'z':
    case 'O':
    case 'Q':
    case 'q':
      return 4;
    case 'X':
    case 'x':
    case 'Z':
      return 5;
    case 'D':
      return 3;
    case 'a':
      return 1;
    default:
      return 2;
  }
}

bool IsNumber(char letter, int count) {
  if (letter == 'M' || letter == 'L' || letter == 'Q' || letter == 'q') return count <= 2;
  return std::string_view("ydDHkKhms").find(letter) != std::string_view::npos;
}

void AppendOffset(int64_t seconds, char letter, int count, std::string* out) {
  const int64_t magnitude = seconds < 0 ? -seconds : seconds;
  const int64_t hours = magnitude / 3600, minutes = magnitude / 60 % 60, rest = magnitude % 60;
  if (letter == 'O' || (letter == 'Z' && count == 4)) {
    out->append("GMT");
    if (seconds == 0) return;
    out->push_back(seconds < 0 ? '-' : '+');
    AppendPadded(hours, letter == 'O' && count == 1 ? 1 : 2, out);
    if (count == 4 || minutes != 0) {
      out->push_back(':');
      AppendPadded(minutes, 2, out);
    }
    return;
  }
  if (seconds == 0 && (letter == 'X' || (letter == 'Z' && count == 5))) {
    out->push_back('Z');
    return;
  }
  const bool colon = count == 3 || count == 5;
  out->push_back(seconds < 0 ? '-' : '+');
  AppendPadded(hours, 2, out);
  if (count == 1 && letter != 'Z' && minutes == 0) return;
  if (colon) out->push_back(':');
  AppendPadded(minutes, 2, out);
  if (rest != 0 && count >= 4 && letter != 'Z') {
    if (colon) out->push_back(':');
    AppendPadded(rest, 2, out);
  }
}

}  // namespace

struct DateTimePattern::Fields {
  std::optional<int64_t> year;
  std::optional<int> month, day, day_of_year, hour, hour_of_half, minute, second, day_of_week, quarter;
  std::optional<bool> afternoon;
  int64_t nanos = 0;
  std::string zone;
};

arrow::Result<DateTimePattern> DateTimePattern::Make(std::string_view pattern) {
  DateTimePattern result;
  const auto literal = [&]() -> std::string& {
    if (result.items_.empty() || result.items_.back().letter != 0) result.items_.push_back({});
    return result.items_.back().literal;
  };
  for (size_t at = 0; at < pattern.size();) {
    const char c = pattern[at];
    if (c == '\'') {
      size_t end = at + 1;
      if (end < pattern.size() && pattern[end] == '\'') {
        literal().push_back('\'');
        at += 2;
        continue;
      }
      for (; end < pattern.size(); ++end) {
        if (pattern[end] != '\'') {
          literal().push_back(pattern[end]);
        } else if (end + 1 < pattern.size() && pattern[end + 1] == '\'') {
          literal().push_back('\'');
          ++end;
        } else {
          break;
        }
      }
      if (end >= pattern.size()) return base::InvalidArgument("[INVALID_DATETIME_PATTERN.WITH_SUGGESTION] Unclosed quote in datetime pattern: ", pattern);
      at = end + 1;
      continue;
    }
    if (!std::isalpha(static_cast<unsigned char>(c))) {
      if (c == '[' || c == ']') return base::Unsupported("Optional sections of datetime patterns are not supported: ", pattern);
      if (c == '{' || c == '}' || c == '#') return base::InvalidArgument("[INVALID_DATETIME_PATTERN.ILLEGAL_CHARACTER] Reserved character in datetime pattern: ", pattern);
      literal().push_back(c);
      ++at;
      continue;
    }
    size_t end = at;
    while (end < pattern.size() && pattern[end] == c) ++end;
    const int count = static_cast<int>(end - at);
    if (kKnown.find(c) == std::string_view::npos) {
      if (kJavaOnly.find(c) == std::string_view::npos) return base::InvalidArgument("[INVALID_DATETIME_PATTERN.ILLEGAL_CHARACTER] Illegal pattern letter '", c, "': ", pattern);
      return base::Unsupported("Datetime pattern letter '", c, "' is not supported: ", pattern);
    }
    if (count > MostLetters(c) || (c == 'V' && count != 2)) {
      return base::InvalidArgument("[INVALID_DATETIME_PATTERN.LENGTH] Too many or too few letters '", c, "': ", pattern);
    }
    result.items_.push_back({c, count, ""});
    at = end;
  }
  return result;
}

void DateTimePattern::Format(int64_t utc_micros, const TimeZone& zone, std::string* out) const {
  const int64_t local = zone.ToLocalMicros(utc_micros);
  const int64_t days = FloorDiv(local, kMicrosPerDay);
  const int64_t of_day = FloorMod(local, kMicrosPerDay);
  const CivilDate date = CivilFromDays(days);
  const int hour = static_cast<int>(of_day / kMicrosPerHour);
  for (const Item& item : items_) {
    switch (item.letter) {
      case 0:
        out->append(item.literal);
        break;
      case 'y': {
        if (item.count == 2) {
          AppendPadded(FloorMod(date.year, 100), 2, out);
          break;
        }
        if (date.year < 0) out->push_back('-');
        if (item.count >= 4 && date.year > (item.count == 4 ? 9999 : item.count == 5 ? 99999 : 999999)) out->push_back('+');
        AppendPadded(date.year < 0 ? -date.year : date.year, item.count, out);
        break;
      }
      case 'M':
      case 'L':
        if (item.count <= 2) {
          AppendPadded(date.month, item.count, out);
        } else {
          out->append(kMonths[static_cast<size_t>(date.month - 1)].substr(0, item.count == 3 ? 3 : std::string_view::npos));
        }
        break;
      case 'd':
        AppendPadded(date.day, item.count, out);
        break;
      case 'D':
        AppendPadded(DayOfYear(days), item.count, out);
        break;
      case 'E':
        out->append(kDays[static_cast<size_t>(IsoDayOfWeek(days) - 1)].substr(0, item.count <= 3 ? 3 : std::string_view::npos));
        break;
      case 'Q':
      case 'q': {
        const int quarter = (date.month - 1) / 3 + 1;
        if (item.count <= 2) {
          AppendPadded(quarter, item.count, out);
        } else if (item.count == 3) {
          out->append("Q").append(1, static_cast<char>('0' + quarter));
        } else {
          constexpr std::array<std::string_view, 4> kQuarters = {"1st quarter", "2nd quarter", "3rd quarter", "4th quarter"};
          out->append(kQuarters[static_cast<size_t>(quarter - 1)]);
        }
        break;
      }
      case 'a':
        out->append(hour < 12 ? "AM" : "PM");
        break;
      case 'H':
        AppendPadded(hour, item.count, out);
        break;
      case 'k':
        AppendPadded(hour == 0 ? 24 : hour, item.count, out);
        break;
      case 'K':
        AppendPadded(hour % 12, item.count, out);
        break;
      case 'h':
        AppendPadded(hour % 12 == 0 ? 12 : hour % 12, item.count, out);
        break;
      case 'm':
        AppendPadded(of_day / kMicrosPerMinute % 60, item.count, out);
        break;
      case 's':
        AppendPadded(of_day / kMicrosPerSecond % 60, item.count, out);
        break;
      case 'S': {
        std::string fraction;
        AppendPadded(of_day % kMicrosPerSecond, 6, &fraction);
        fraction.resize(static_cast<size_t>(std::max(item.count, 6)), '0');
        out->append(fraction.substr(0, static_cast<size_t>(item.count)));
        break;
      }
      case 'V':
      case 'z':
        out->append(zone.name());
        break;
      default:
        AppendOffset((local - utc_micros) / kMicrosPerSecond, item.letter, item.count, out);
    }
  }
}

namespace {

bool TakeDigits(std::string_view text, size_t* at, int least, int most, int64_t* value) {
  int count = 0;
  *value = 0;
  while (*at < text.size() && count < most && std::isdigit(static_cast<unsigned char>(text[*at]))) {
    *value = *value * 10 + (text[(*at)++] - '0');
    ++count;
  }
  return count >= least;
}

bool TakeWord(std::string_view text, size_t* at, std::string_view word) {
  if (text.size() - *at < word.size()) return false;
  for (size_t k = 0; k < word.size(); ++k) {
    if (std::tolower(static_cast<unsigned char>(text[*at + k])) != std::tolower(static_cast<unsigned char>(word[k]))) return false;
  }
  *at += word.size();
  return true;
}

template <size_t N>
bool TakeName(std::string_view text, size_t* at, const std::array<std::string_view, N>& names, bool short_form, int* index) {
  for (size_t k = 0; k < N; ++k) {
    if (TakeWord(text, at, short_form ? names[k].substr(0, 3) : names[k])) {
      *index = static_cast<int>(k) + 1;
      return true;
    }
  }
  return false;
}

}  // namespace

bool DateTimePattern::ReadItem(size_t index, std::string_view text, size_t* at, Fields* fields) const {
  const Item& item = items_[index];
  if (item.letter == 0) return TakeWord(text, at, item.literal);
  int64_t value = 0;
  // A number of open width leaves room for the fixed-width numbers that follow it directly, as in yyyyMMdd.
  int reserved = 0;
  for (size_t k = index + 1; k < items_.size() && IsNumber(items_[k].letter, items_[k].count) && items_[k].count > 1; ++k) {
    reserved += items_[k].count;
  }
  const auto number = [&](int least, int most) {
    int digits = 0;
    while (*at + static_cast<size_t>(digits) < text.size() && std::isdigit(static_cast<unsigned char>(text[*at + static_cast<size_t>(digits)]))) ++digits;
    if (most > least && reserved > 0) most = std::min(most, std::max(least, digits - reserved));
    return TakeDigits(text, at, least, most, &value);
  };
  const auto fixed = [&] { return item.count == 1 ? number(1, 18) : number(item.count, item.count); };
  const auto set = [&](std::optional<int>* field) {
    if (!fixed() || value > 1000) return false;
    *field = static_cast<int>(value);
    return true;
  };
  switch (item.letter) {
    case 'y': {
      if (item.count == 2) {
        if (!number(2, 2)) return false;
        fields->year = 2000 + value;
        return true;
      }
      const bool plus = *at < text.size() && text[*at] == '+' && item.count >= 4;
      const bool minus = *at < text.size() && text[*at] == '-';
      if (plus || minus) ++*at;
      const size_t begin = *at;
      if (!number(item.count, 18)) return false;
      const auto digits = static_cast<int>(*at - begin);
      if (item.count >= 4 && (plus ? digits <= item.count : !minus && digits > item.count)) return false;
      if (value > 999'999'999) return false;
      fields->year = minus ? -value : value;
      return true;
    }
    case 'M':
    case 'L': {
      if (item.count <= 2) return set(&fields->month);
      int month = 0;
      if (!TakeName(text, at, kMonths, item.count == 3, &month)) return false;
      fields->month = month;
      return true;
    }
    case 'd':
      return set(&fields->day);
    case 'D':
      return set(&fields->day_of_year);
    case 'E': {
      int day = 0;
      if (!TakeName(text, at, kDays, item.count <= 3, &day)) return false;
      fields->day_of_week = day;
      return true;
    }
    case 'Q':
    case 'q':
      return item.count <= 2 && set(&fields->quarter);
    case 'a':
      if (TakeWord(text, at, "AM")) {
        fields->afternoon = false;
      } else if (TakeWord(text, at, "PM")) {
        fields->afternoon = true;
      } else {
        return false;
      }
      return true;
    case 'H':
      return set(&fields->hour) && *fields->hour <= 23;
    case 'k':
      if (!set(&fields->hour) || *fields->hour < 1 || *fields->hour > 24) return false;
      fields->hour = *fields->hour % 24;
      return true;
    case 'K':
      return set(&fields->hour_of_half) && *fields->hour_of_half <= 11;
    case 'h':
      if (!set(&fields->hour_of_half) || *fields->hour_of_half < 1 || *fields->hour_of_half > 12) return false;
      fields->hour_of_half = *fields->hour_of_half % 12;
      return true;
    case 'm':
      return set(&fields->minute) && *fields->minute <= 59;
    case 's':
      return set(&fields->second) && *fields->second <= 59;
    case 'S': {
      const size_t begin = *at;
      if (!TakeDigits(text, at, 1, item.count, &value)) return false;
      for (size_t digits = *at - begin; digits < 9; ++digits) value *= 10;
      fields->nanos = value;
      return true;
    }
    default: {
      // A zone: an offset or a name, up to where the next item's literal begins.
      size_t end = *at;
      while (end < text.size() && (std::isalnum(static_cast<unsigned char>(text[end])) || std::string_view("+-:/_").find(text[end]) != std::string_view::npos)) ++end;
      if (end == *at) return false;
      fields->zone = std::string(text.substr(*at, end - *at));
      const bool offset_only = item.letter == 'X' || item.letter == 'x' || (item.letter == 'Z' && item.count != 4);
      if (offset_only && fields->zone[0] != '+' && fields->zone[0] != '-' && !(fields->zone == "Z" && item.letter != 'x')) return false;
      *at = end;
      return true;
    }
  }
}

bool DateTimePattern::ReadFields(std::string_view text, Fields* fields) const {
  size_t at = 0;
  for (size_t k = 0; k < items_.size(); ++k) {
    if (!ReadItem(k, text, &at, fields)) return false;
  }
  return at == text.size();
}

bool DateTimePattern::Resolve(const Fields& fields, int64_t* local_micros) {
  const int64_t year = fields.year.value_or(1970);
  int64_t days = 0;
  if (fields.day_of_year) {
    const int ordinal = *fields.day_of_year;
    if (ordinal < 1 || ordinal > (IsLeapYear(year) ? 366 : 365)) return false;
    days = DaysFromCivil(year, 1, 1) + ordinal - 1;
  } else {
    const int month = fields.month.value_or(1), day = fields.day.value_or(1);
    if (!IsValidDate(year, month, day)) return false;
    days = DaysFromCivil(year, month, day);
  }
  if (fields.day_of_week && *fields.day_of_week != IsoDayOfWeek(days)) return false;
  int hour = fields.hour.value_or(0);
  if (fields.hour_of_half && !fields.hour) hour = *fields.hour_of_half + (fields.afternoon.value_or(false) ? 12 : 0);
  if (fields.hour && fields.afternoon && (*fields.hour >= 12) != *fields.afternoon) return false;
  const int64_t of_day = hour * kMicrosPerHour + fields.minute.value_or(0) * kMicrosPerMinute + fields.second.value_or(0) * kMicrosPerSecond +
                         fields.nanos / kNanosPerMicro;
  return !__builtin_mul_overflow(days, kMicrosPerDay, local_micros) && !__builtin_add_overflow(*local_micros, of_day, local_micros);
}

bool DateTimePattern::ParseLocal(std::string_view text, int64_t* local_micros) const {
  Fields fields;
  return ReadFields(text, &fields) && Resolve(fields, local_micros);
}

bool DateTimePattern::Parse(std::string_view text, const TimeZone& zone, int64_t* utc_micros) const {
  Fields fields;
  int64_t local = 0;
  if (!ReadFields(text, &fields) || !Resolve(fields, &local)) return false;
  if (fields.zone.empty()) {
    *utc_micros = zone.ToUtcMicros(local);
    return true;
  }
  const auto own = TimeZone::Find(fields.zone);
  if (!own.ok()) return false;
  *utc_micros = (*own)->ToUtcMicros(local);
  return true;
}

}  // namespace vecruntime::expr
