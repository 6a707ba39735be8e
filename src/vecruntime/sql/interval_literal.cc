// SPDX-License-Identifier: Apache-2.0
#include "vecruntime/sql/interval_literal.h"

#include <algorithm>
#include <array>

#include "vecruntime/base/error.h"
#include "vecruntime/sql/lexer.h"

namespace vecruntime::sql {
namespace {

constexpr int64_t kSecondUs = 1000000;
constexpr int64_t kMinuteUs = 60 * kSecondUs;
constexpr int64_t kHourUs = 60 * kMinuteUs;
constexpr int64_t kDayUs = 24 * kHourUs;

constexpr std::array<std::string_view, 6> kUnitNames = {"YEAR", "MONTH", "DAY", "HOUR", "MINUTE", "SECOND"};

struct UnitScale {
  std::string_view name;
  IntervalUnit unit;
  int64_t scale;  // months or microseconds
};
constexpr std::array<UnitScale, 9> kScales = {{{"year", IntervalUnit::kYear, 12},
                                               {"month", IntervalUnit::kMonth, 1},
                                               {"week", IntervalUnit::kDay, 7 * kDayUs},
                                               {"day", IntervalUnit::kDay, kDayUs},
                                               {"hour", IntervalUnit::kHour, kHourUs},
                                               {"minute", IntervalUnit::kMinute, kMinuteUs},
                                               {"second", IntervalUnit::kSecond, kSecondUs},
                                               {"millisecond", IntervalUnit::kSecond, 1000},
                                               {"microsecond", IntervalUnit::kSecond, 1}}};

const UnitScale* FindScale(std::string_view word) {
  std::string name = ToLower(word);
  if (name.ends_with('s')) name.pop_back();
  const auto* found = std::ranges::find(kScales, std::string_view(name), &UnitScale::name);
  return found == kScales.end() ? nullptr : found;
}

arrow::Status Malformed(std::string_view text, std::string_view why) {
  return base::InvalidArgument("[INVALID_INTERVAL_FORMAT] Error parsing '", text, "' to interval: ", why, ".");
}

bool AllDigits(std::string_view text) {
  return !text.empty() && std::ranges::all_of(text, [](char c) { return c >= '0' && c <= '9'; });
}

bool AddScaled(int64_t amount, int64_t scale, int64_t* total) {
  int64_t product = 0;
  return !__builtin_mul_overflow(amount, scale, &product) && !__builtin_add_overflow(*total, product, total);
}

// Digits without sign; fails above 18 of them.
arrow::Result<int64_t> ParseDigits(std::string_view digits, std::string_view text) {
  if (!AllDigits(digits)) return Malformed(text, "unrecognized number");
  if (digits.size() > 18) return Malformed(text, "the number is out of range");
  int64_t value = 0;
  for (const char c : digits) value = value * 10 + (c - '0');
  return value;
}

// "5" or "5.25" seconds in microseconds; digits beyond the sixth are cut off.
arrow::Result<int64_t> ParseSeconds(std::string_view number, std::string_view text) {
  const size_t dot = number.find('.');
  const std::string_view whole = number.substr(0, dot);
  int64_t micros = 0;
  if (!whole.empty()) {
    ARROW_ASSIGN_OR_RAISE(const int64_t seconds, ParseDigits(whole, text));
    if (!AddScaled(seconds, kSecondUs, &micros)) return Malformed(text, "the number is out of range");
  }
  if (dot == std::string_view::npos) return micros;
  std::string fraction(number.substr(dot + 1));
  if (fraction.size() > 9 || (whole.empty() && fraction.empty())) return Malformed(text, "interval can only support nanosecond precision");
  fraction.resize(9, '0');
  ARROW_ASSIGN_OR_RAISE(const int64_t nanos, ParseDigits(fraction, text));
  if (!AddScaled(nanos / 1000, 1, &micros)) return Malformed(text, "the number is out of range");
  return micros;
}

arrow::Result<int64_t> ParseAmount(const IntervalPart& part, const UnitScale& scale, std::string_view text) {
  std::string_view number = part.number;
  const bool negative = number.starts_with('-');
  if (negative || number.starts_with('+')) number.remove_prefix(1);
  int64_t amount = 0;
  if (scale.name == "second") {
    ARROW_ASSIGN_OR_RAISE(amount, ParseSeconds(number, text));
  } else {
    if (number.find('.') != std::string_view::npos) return Malformed(text, std::string(scale.name) + " cannot have fractional part");
    ARROW_ASSIGN_OR_RAISE(const int64_t count, ParseDigits(number, text));
    if (!AddScaled(count, scale.scale, &amount)) return Malformed(text, "the number is out of range");
  }
  return negative ? -amount : amount;
}

arrow::Status CheckMonths(const IntervalValue& value, std::string_view text) {
  if (value.units.is_year_month() && (value.amount > INT32_MAX || value.amount < INT32_MIN)) return Malformed(text, "the number of months is out of range");
  return arrow::Status::OK();
}

}  // namespace

std::optional<IntervalUnit> ParseIntervalUnit(std::string_view word) {
  const UnitScale* scale = FindScale(word);
  if (scale == nullptr || scale->name == "week" || scale->scale == 1000 || scale->name == "microsecond") return std::nullopt;
  return scale->unit;
}

bool IsIntervalWord(std::string_view word) { return FindScale(word) != nullptr; }

arrow::Result<IntervalValue> IntervalFromParts(const std::vector<IntervalPart>& parts) {
  std::string text;
  for (const IntervalPart& part : parts) text += (text.empty() ? "" : " ") + part.number + " " + part.unit;
  IntervalValue value;
  for (size_t i = 0; i < parts.size(); ++i) {
    const UnitScale* scale = FindScale(parts[i].unit);
    if (scale == nullptr) return Malformed(text, "unknown unit " + parts[i].unit);
    if (i == 0) value.units.start = value.units.end = scale->unit;
    if ((scale->unit <= IntervalUnit::kMonth) != value.units.is_year_month()) {
      return base::InvalidArgument("Cannot mix year-month and day-time fields: interval ", text, ".");
    }
    value.units.start = std::min(value.units.start, scale->unit);
    value.units.end = std::max(value.units.end, scale->unit);
    ARROW_ASSIGN_OR_RAISE(const int64_t amount, ParseAmount(parts[i], *scale, text));
    if (!AddScaled(amount, 1, &value.amount)) return Malformed(text, "the number is out of range");
  }
  ARROW_RETURN_NOT_OK(CheckMonths(value, text));
  return value;
}

arrow::Result<IntervalValue> IntervalFromText(std::string_view text) {
  std::vector<std::string> words;
  std::string word;
  for (const char c : std::string(text) + " ") {
    if (c != ' ' && c != '\t' && c != '\n' && c != '\r') {
      word.push_back(c);
    } else if (!word.empty()) {
      words.push_back(std::move(word));
      word.clear();
    }
  }
  if (!words.empty() && EqualsIgnoreCase(words[0], "interval")) words.erase(words.begin());
  std::vector<IntervalPart> parts;
  for (size_t i = 0; i < words.size(); ++i) {
    std::string number = words[i];
    if ((number == "-" || number == "+") && i + 1 < words.size()) number += words[++i];
    if (i + 1 >= words.size()) return Malformed(text, "a unit is missing");
    parts.push_back({std::move(number), words[++i]});
  }
  if (parts.empty()) return Malformed(text, "the text is empty");
  return IntervalFromParts(parts);
}

arrow::Result<IntervalValue> IntervalFromRange(std::string_view text, IntervalUnit start, IntervalUnit end) {
  IntervalValue value{.units = {start, end}};
  const bool year_month = start == IntervalUnit::kYear && end == IntervalUnit::kMonth;
  if (!year_month && (start < IntervalUnit::kDay || end <= start)) {
    return base::InvalidArgument("Intervals FROM ", kUnitNames[static_cast<size_t>(start)], " TO ", kUnitNames[static_cast<size_t>(end)],
                                 " are not supported.");
  }
  std::string_view rest = text;
  const bool negative = rest.starts_with('-');
  if (negative || rest.starts_with('+')) rest.remove_prefix(1);
  constexpr std::array<int64_t, 6> kFieldLimits = {0, 11, 0, 23, 59, 59};
  for (auto unit = static_cast<size_t>(start); unit <= static_cast<size_t>(end); ++unit) {
    const bool last = unit == static_cast<size_t>(end);
    const char separator = year_month ? '-' : (unit == static_cast<size_t>(IntervalUnit::kDay) ? ' ' : ':');
    const size_t cut = last ? rest.size() : rest.find(separator);
    if (cut == std::string_view::npos) return Malformed(text, "it does not match the range of its units");
    const std::string_view field = rest.substr(0, cut);
    rest.remove_prefix(last ? cut : cut + 1);
    const bool seconds = unit == static_cast<size_t>(IntervalUnit::kSecond);
    int64_t amount = 0;
    if (seconds) {
      ARROW_ASSIGN_OR_RAISE(amount, ParseSeconds(field, text));
      if (amount >= 60 * kSecondUs) return Malformed(text, "second is outside range [0, 59]");
    } else {
      ARROW_ASSIGN_OR_RAISE(amount, ParseDigits(field, text));
      if (unit != static_cast<size_t>(start) && amount > kFieldLimits[unit]) return Malformed(text, "a field is outside its range");
    }
    constexpr std::array<int64_t, 6> kFieldScales = {12, 1, kDayUs, kHourUs, kMinuteUs, 1};
    if (!AddScaled(negative ? -amount : amount, kFieldScales[unit], &value.amount)) return Malformed(text, "the number is out of range");
  }
  ARROW_RETURN_NOT_OK(CheckMonths(value, text));
  return value;
}

}  // namespace vecruntime::sql
