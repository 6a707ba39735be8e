// SPDX-License-Identifier: Apache-2.0
#include "vecruntime/expr/datetime_text.h"

#include <arrow/type.h>

#include <algorithm>
#include <cctype>
#include <limits>

#include "vecruntime/expr/calendar.h"
#include "vecruntime/expr/decimal.h"
#include "vecruntime/expr/number_text.h"

namespace vecruntime::expr {

void AppendPadded(int64_t value, int width, std::string* out) {
  char digits[20];
  int count = 0;
  for (uint64_t rest = static_cast<uint64_t>(value); rest != 0 || count == 0; rest /= 10) {
    digits[count++] = static_cast<char>('0' + rest % 10);
  }
  for (int k = count; k < width; ++k) out->push_back('0');
  while (count > 0) out->push_back(digits[--count]);
}

void AppendDate(int64_t days, std::string* out) {
  const CivilDate date = CivilFromDays(days);
  if (date.year < 0) {
    out->push_back('-');
  } else if (date.year > 9999) {
    out->push_back('+');
  }
  AppendPadded(date.year < 0 ? -date.year : date.year, 4, out);
  out->push_back('-');
  AppendPadded(date.month, 2, out);
  out->push_back('-');
  AppendPadded(date.day, 2, out);
}

void AppendTimeOfDay(int64_t nanos_of_day, std::string* out) {
  const int64_t seconds = nanos_of_day / 1'000'000'000;
  int64_t fraction = nanos_of_day % 1'000'000'000;
  AppendPadded(seconds / 3600, 2, out);
  out->push_back(':');
  AppendPadded(seconds / 60 % 60, 2, out);
  out->push_back(':');
  AppendPadded(seconds % 60, 2, out);
  if (fraction == 0) return;
  int width = 9;
  for (; fraction % 10 == 0; fraction /= 10) --width;
  out->push_back('.');
  AppendPadded(fraction, width, out);
}

void AppendLocalTimestamp(int64_t local_micros, std::string* out) {
  AppendDate(FloorDiv(local_micros, kMicrosPerDay), out);
  out->push_back(' ');
  AppendTimeOfDay(FloorMod(local_micros, kMicrosPerDay) * kNanosPerMicro, out);
}

void AppendLocalTimestampNanos(int64_t local_nanos, std::string* out) {
  constexpr int64_t kNanosPerDay = kMicrosPerDay * kNanosPerMicro;
  AppendDate(FloorDiv(local_nanos, kNanosPerDay), out);
  out->push_back(' ');
  AppendTimeOfDay(FloorMod(local_nanos, kNanosPerDay), out);
}

namespace {

// Reads digits left to right; every count of digits is checked by the caller.
class Scanner {
 public:
  explicit Scanner(std::string_view text) : text_(text) {}
  bool Done() const { return at_ == text_.size(); }
  char Peek() const { return Done() ? '\0' : text_[at_]; }
  bool Take(char c) {
    if (Peek() != c || Done()) return false;
    ++at_;
    return true;
  }
  // Between `min_digits` and `max_digits` digits, and not a digit more.
  bool Digits(int min_digits, int max_digits, int64_t* value) {
    int count = 0;
    *value = 0;
    while (!Done() && std::isdigit(static_cast<unsigned char>(text_[at_]))) {
      if (++count > max_digits) return false;
      *value = *value * 10 + (text_[at_++] - '0');
    }
    return count >= min_digits;
  }
  // The digits after the point as nanoseconds; further ones are dropped.
  int64_t Fraction() {
    int64_t value = 0;
    int count = 0;
    while (!Done() && std::isdigit(static_cast<unsigned char>(text_[at_]))) {
      if (count < 9) {
        value = value * 10 + (text_[at_] - '0');
        ++count;
      }
      ++at_;
    }
    for (; count < 9; ++count) value *= 10;
    return value;
  }
  std::string_view Rest() const { return text_.substr(at_); }
  size_t at() const { return at_; }
  void Reset(size_t at) { at_ = at; }

 private:
  std::string_view text_;
  size_t at_ = 0;
};

// [h]h[:[m]m[:[s]s[.fff]]]; what follows is left in the scanner. A bare hour is allowed after a date only.
bool ScanTime(Scanner* scan, bool allow_bare_hour, int64_t* nanos_of_day) {
  int64_t hour = 0, minute = 0, second = 0, fraction = 0;
  if (!scan->Digits(1, 2, &hour)) return false;
  if (!scan->Take(':')) {
    if (!allow_bare_hour || !scan->Done()) return false;
  } else {
    if (!scan->Digits(1, 2, &minute)) return false;
    if (!scan->Take(':')) {
      if (!scan->Done()) return false;
    } else {
      if (!scan->Digits(1, 2, &second)) return false;
      if (scan->Take('.')) fraction = scan->Fraction();
    }
  }
  if (hour > 23 || minute > 59 || second > 59) return false;
  *nanos_of_day = ((hour * 60 + minute) * 60 + second) * 1'000'000'000 + fraction;
  return true;
}

// [+-]y*[-[m]m[-[d]d]]; sets how many fields were there.
bool ScanDate(Scanner* scan, int max_year_digits, int64_t* days, int* fields) {
  int64_t sign = 1, year = 0, month = 1, day = 1;
  if (scan->Take('-')) {
    sign = -1;
  } else {
    scan->Take('+');
  }
  *fields = 1;
  if (!scan->Digits(4, max_year_digits, &year)) return false;
  if (scan->Take('-')) {
    *fields = 2;
    if (!scan->Digits(1, 2, &month)) return false;
    if (scan->Take('-')) {
      *fields = 3;
      if (!scan->Digits(1, 2, &day)) return false;
    }
  }
  if (!IsValidDate(sign * year, month, day)) return false;
  *days = DaysFromCivil(sign * year, static_cast<int>(month), static_cast<int>(day));
  return true;
}

}  // namespace

bool ParseDate(std::string_view text, int32_t* days) {
  Scanner scan(TrimAll(text));
  int64_t value = 0;
  int fields = 0;
  if (!ScanDate(&scan, 7, &value, &fields)) return false;
  if (!scan.Done() && (fields < 3 || (scan.Peek() != ' ' && scan.Peek() != 'T'))) return false;
  if (value < std::numeric_limits<int32_t>::min() || value > std::numeric_limits<int32_t>::max()) return false;
  *days = static_cast<int32_t>(value);
  return true;
}

bool ParseTimestamp(std::string_view text, ParsedTimestamp* out) {
  const std::string_view trimmed = TrimAll(text);
  Scanner scan(trimmed);
  int64_t days = 0, nanos_of_day = 0;
  int fields = 0;
  out->time_only = trimmed.starts_with('T') || (trimmed.size() > 1 && (trimmed[1] == ':' || (trimmed.size() > 2 && trimmed[2] == ':')));
  if (out->time_only) {
    scan.Take('T');
    if (!ScanTime(&scan, trimmed.starts_with('T'), &nanos_of_day)) return false;
  } else {
    if (!ScanDate(&scan, 6, &days, &fields)) return false;
    if (!scan.Done()) {
      if (fields < 3 || !(scan.Take(' ') || scan.Take('T'))) return false;
      if (!ScanTime(&scan, true, &nanos_of_day)) return false;
    }
  }
  out->zone = TrimAll(scan.Rest());
  if (!scan.Done() && out->zone.empty()) return false;
  const Int128 local = static_cast<Int128>(days) * kMicrosPerDay + nanos_of_day / kNanosPerMicro;
  if (local < std::numeric_limits<int64_t>::min() || local > std::numeric_limits<int64_t>::max()) return false;
  out->local_micros = static_cast<int64_t>(local);
  out->nanos = static_cast<int>(nanos_of_day % kNanosPerMicro);
  return true;
}

bool ParseInstant(std::string_view text, const TimeZone& zone, int64_t now_micros, int64_t* utc_micros, int* nanos) {
  ParsedTimestamp parsed;
  if (!ParseTimestamp(text, &parsed)) return false;
  std::shared_ptr<const TimeZone> own;
  if (!parsed.zone.empty()) {
    auto found = TimeZone::Find(parsed.zone);
    if (!found.ok()) return false;
    own = std::move(*found);
  }
  const TimeZone& effective = own ? *own : zone;
  if (parsed.time_only) parsed.local_micros += FloorDiv(effective.ToLocalMicros(now_micros), kMicrosPerDay) * kMicrosPerDay;
  *nanos = parsed.nanos;
  *utc_micros = effective.ToUtcMicros(parsed.local_micros);
  return true;
}

bool ParseTimeOfDay(std::string_view text, int64_t* micros) {
  ParsedTimestamp parsed;
  if (!ParseTimestamp(text, &parsed) || !parsed.time_only || !parsed.zone.empty()) return false;
  *micros = parsed.local_micros;
  return true;
}

}  // namespace vecruntime::expr
