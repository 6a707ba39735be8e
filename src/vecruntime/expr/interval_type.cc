// SPDX-License-Identifier: Apache-2.0
#include "vecruntime/expr/interval_type.h"

#include <arrow/type.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <limits>
#include <optional>

#include "vecruntime/expr/calendar.h"

namespace vecruntime::expr {
namespace {

class YearMonthIntervalType final : public arrow::MonthIntervalType {
 public:
  explicit YearMonthIntervalType(IntervalUnits units) : units_(units) {}
  IntervalUnits units() const { return units_; }

 private:
  IntervalUnits units_;
};

class DayTimeIntervalType final : public arrow::DurationType {
 public:
  explicit DayTimeIntervalType(IntervalUnits units) : DurationType(arrow::TimeUnit::MICRO), units_(units) {}
  IntervalUnits units() const { return units_; }

 private:
  IntervalUnits units_;
};

constexpr std::array<std::string_view, 6> kUnitNames = {"YEAR", "MONTH", "DAY", "HOUR", "MINUTE", "SECOND"};
constexpr std::array<int64_t, 6> kAmounts = {12, 1, kMicrosPerDay, kMicrosPerHour, kMicrosPerMinute, kMicrosPerSecond};
// What stands before a unit that is not the first.
constexpr std::array<char, 6> kSeparators = {'\0', '-', '\0', ' ', ':', ':'};
// The greatest value of a unit that is not the first, and how many digits one may have that is.
constexpr std::array<int64_t, 6> kGreatest = {0, 11, 0, 23, 59, 59};
constexpr std::array<size_t, 6> kFirstDigits = {9, 9, 9, 10, 12, 13};

size_t IndexOf(IntervalUnit unit) { return static_cast<size_t>(unit); }

void AppendTwoDigits(uint64_t value, std::string* out) {
  if (value < 10) out->push_back('0');
  out->append(std::to_string(value));
}

void AppendSeconds(uint64_t micros, std::string* out) {
  AppendTwoDigits(micros / kMicrosPerSecond, out);
  if (micros % kMicrosPerSecond == 0) return;
  std::string fraction = std::to_string(kMicrosPerSecond + static_cast<int64_t>(micros % kMicrosPerSecond));
  fraction[0] = '.';
  fraction.erase(fraction.find_last_not_of('0') + 1);
  out->append(fraction);
}

// Reads the fields of an interval from left to right.
class FieldReader {
 public:
  explicit FieldReader(std::string_view text) : rest_(text) {}

  bool Take(char c) {
    if (!rest_.starts_with(c)) return false;
    rest_.remove_prefix(1);
    return true;
  }
  bool Digits(size_t most, int64_t* value) {
    const size_t count = std::min(rest_.find_first_not_of("0123456789"), rest_.size());
    if (count == 0 || count > most) return false;
    *value = 0;
    for (const char c : rest_.substr(0, count)) *value = *value * 10 + (c - '0');
    rest_.remove_prefix(count);
    return true;
  }
  // Microseconds of up to nine digits behind a point, when there is one.
  bool Fraction(int64_t* micros) {
    *micros = 0;
    if (!Take('.')) return true;
    const size_t count = std::min(rest_.find_first_not_of("0123456789"), rest_.size());
    if (count == 0 || count > 9) return false;
    std::string digits(rest_.substr(0, count));
    rest_.remove_prefix(count);
    digits.resize(6, '0');
    *micros = std::stoll(digits);
    return true;
  }
  bool done() const { return rest_.empty(); }

 private:
  std::string_view rest_;
};

std::string_view Trim(std::string_view text) {
  const auto blank = [](char c) { return static_cast<unsigned char>(c) <= ' '; };
  while (!text.empty() && blank(text.front())) text.remove_prefix(1);
  while (!text.empty() && blank(text.back())) text.remove_suffix(1);
  return text;
}

// What the quotes of INTERVAL [sign]'...' UNITS hold, or the whole of any other text; nullopt when the units are others.
std::optional<std::string> Unquote(std::string_view text, IntervalUnits units, bool* negative) {
  std::string upper(Trim(text));
  std::ranges::transform(upper, upper.begin(), [](unsigned char c) { return static_cast<char>(std::toupper(c)); });
  *negative = false;
  if (!upper.starts_with("INTERVAL")) return upper;
  const size_t open = upper.find('\''), close = upper.rfind('\'');
  if (open == std::string::npos || close == open) return std::nullopt;
  const std::string_view sign = Trim(std::string_view(upper).substr(8, open - 8));
  *negative = sign == "-";
  if (!sign.empty() && sign != "-" && sign != "+") return std::nullopt;
  if (Trim(std::string_view(upper).substr(close + 1)) != units.ToString()) return std::nullopt;
  return upper.substr(open + 1, close - open - 1);
}

}  // namespace

std::string IntervalUnits::ToString() const {
  std::string text(kUnitNames[IndexOf(start)]);
  if (!is_single()) text.append(" TO ").append(kUnitNames[IndexOf(end)]);
  return text;
}

std::shared_ptr<arrow::DataType> IntervalType(IntervalUnits units) {
  if (units.is_year_month()) return std::make_shared<YearMonthIntervalType>(units);
  return std::make_shared<DayTimeIntervalType>(units);
}

IntervalUnits UnitsOf(const arrow::DataType& type) {
  if (type.id() == arrow::Type::INTERVAL_MONTHS) {
    const auto* months = dynamic_cast<const YearMonthIntervalType*>(&type);
    return months != nullptr ? months->units() : kYearToMonth;
  }
  const auto* micros = dynamic_cast<const DayTimeIntervalType*>(&type);
  return micros != nullptr ? micros->units() : kDayToSecond;
}

std::shared_ptr<arrow::DataType> WidestInterval(const arrow::DataType& type) {
  return IntervalType(type.id() == arrow::Type::INTERVAL_MONTHS ? kYearToMonth : kDayToSecond);
}

int64_t AmountOf(IntervalUnit unit) { return kAmounts[IndexOf(unit)]; }

void AppendInterval(int64_t amount, IntervalUnits units, std::string* out) {
  out->append("INTERVAL '");
  if (amount < 0) out->push_back('-');
  // An unsigned magnitude, for INT64_MIN has no negation.
  uint64_t rest = amount < 0 ? 0 - static_cast<uint64_t>(amount) : static_cast<uint64_t>(amount);
  for (size_t unit = IndexOf(units.start); unit <= IndexOf(units.end); ++unit) {
    const bool first = unit == IndexOf(units.start);
    if (!first) out->push_back(kSeparators[unit]);
    if (unit == IndexOf(IntervalUnit::kSecond)) {
      AppendSeconds(rest, out);
      break;
    }
    const uint64_t count = rest / static_cast<uint64_t>(kAmounts[unit]);
    rest %= static_cast<uint64_t>(kAmounts[unit]);
    if (unit <= IndexOf(IntervalUnit::kDay)) {
      out->append(std::to_string(count));
    } else {
      AppendTwoDigits(count, out);
    }
  }
  out->append("' ").append(units.ToString());
}

bool ParseInterval(std::string_view text, IntervalUnits units, int64_t* amount) {
  bool negative = false;
  const std::optional<std::string> body = Unquote(text, units, &negative);
  if (!body) return false;
  FieldReader reader(*body);
  if (reader.Take('-')) {
    negative = !negative;
  } else {
    reader.Take('+');
  }
  int64_t total = 0;
  for (size_t unit = IndexOf(units.start); unit <= IndexOf(units.end); ++unit) {
    const bool first = unit == IndexOf(units.start);
    int64_t count = 0, fraction = 0;
    if (!first && !reader.Take(kSeparators[unit])) return false;
    if (!reader.Digits(first ? kFirstDigits[unit] : 2, &count)) return false;
    if (!first && count > kGreatest[unit]) return false;
    if (unit == IndexOf(IntervalUnit::kSecond) && !reader.Fraction(&fraction)) return false;
    const int64_t sign = negative ? -1 : 1;
    int64_t part = 0;
    if (__builtin_mul_overflow(count * sign, kAmounts[unit], &part) || __builtin_add_overflow(total, part, &total) ||
        __builtin_add_overflow(total, fraction * sign, &total)) {
      return false;
    }
  }
  if (units.is_year_month() && static_cast<int32_t>(total) != total) return false;
  *amount = total;
  return reader.done();
}

}  // namespace vecruntime::expr
