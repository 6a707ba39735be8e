// SPDX-License-Identifier: Apache-2.0
#include "vecruntime/expr/time_zone.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <limits>
#include <map>
#include <mutex>
#include <optional>

#include "vecruntime/base/error.h"
#include "vecruntime/expr/calendar.h"

namespace vecruntime::expr {
namespace {

// java.time.ZoneId.SHORT_IDS.
constexpr std::array<std::pair<std::string_view, std::string_view>, 28> kShortIds = {{
    {"ACT", "Australia/Darwin"},     {"AET", "Australia/Sydney"},    {"AGT", "America/Argentina/Buenos_Aires"},
    {"ART", "Africa/Cairo"},         {"AST", "America/Anchorage"},   {"BET", "America/Sao_Paulo"},
    {"BST", "Asia/Dhaka"},           {"CAT", "Africa/Harare"},       {"CNT", "America/St_Johns"},
    {"CST", "America/Chicago"},      {"CTT", "Asia/Shanghai"},       {"EAT", "Africa/Addis_Ababa"},
    {"ECT", "Europe/Paris"},         {"IET", "America/Indiana/Indianapolis"}, {"IST", "Asia/Kolkata"},
    {"JST", "Asia/Tokyo"},           {"MIT", "Pacific/Apia"},        {"NET", "Asia/Yerevan"},
    {"NST", "Pacific/Auckland"},     {"PLT", "Asia/Karachi"},        {"PNT", "America/Phoenix"},
    {"PRT", "America/Puerto_Rico"},  {"PST", "America/Los_Angeles"}, {"SST", "Pacific/Guadalcanal"},
    {"VST", "Asia/Ho_Chi_Minh"},     {"EST", "-05:00"},              {"MST", "-07:00"},
    {"HST", "-10:00"},
}};

// Reads exactly two digits.
std::optional<int> TwoDigits(std::string_view text, size_t at) {
  if (at + 2 > text.size() || !std::isdigit(static_cast<unsigned char>(text[at])) ||
      !std::isdigit(static_cast<unsigned char>(text[at + 1]))) {
    return std::nullopt;
  }
  return (text[at] - '0') * 10 + (text[at + 1] - '0');
}

// "+h", "+hh", "+h:mm", "+hh:m", "+hh:mm", "+hhmm", "+hh:mm:ss", "+hhmmss": seconds east of UTC.
std::optional<int64_t> ParseOffset(std::string_view text) {
  if (text.size() < 2 || (text[0] != '+' && text[0] != '-')) return std::nullopt;
  const int64_t sign = text[0] == '-' ? -1 : 1;
  std::string padded(text.substr(1));
  if (padded.size() == 1 || (padded.size() > 1 && padded[1] == ':')) padded.insert(0, "0");
  if (padded.size() == 4 && padded[2] == ':') padded.insert(3, "0");
  int64_t fields[3] = {0, 0, 0};
  size_t at = 0;
  const bool colons = padded.size() > 2 && padded[2] == ':';
  for (int k = 0; k < 3 && at < padded.size(); ++k) {
    if (k > 0 && colons && padded[at++] != ':') return std::nullopt;
    const auto value = TwoDigits(padded, at);
    if (!value) return std::nullopt;
    fields[k] = *value;
    at += 2;
  }
  if (at != padded.size() || fields[1] > 59 || fields[2] > 59) return std::nullopt;
  const int64_t seconds = fields[0] * 3600 + fields[1] * 60 + fields[2];
  if (seconds > 18 * 3600) return std::nullopt;
  return sign * seconds;
}

// The fixed offset that a name such as "Z", "UTC", "+02:00" or "GMT-3" means.
std::optional<int64_t> FixedOffsetOf(std::string_view name) {
  if (name == "Z" || name == "UTC" || name == "GMT" || name == "UT") return 0;
  if (const auto offset = ParseOffset(name)) return offset;
  for (const std::string_view prefix : {"UTC", "GMT", "UT"}) {
    if (name.starts_with(prefix) && name.size() > prefix.size()) {
      if (const auto offset = ParseOffset(name.substr(prefix.size()))) return offset;
    }
  }
  return std::nullopt;
}

bool IsZoneFileName(const std::string& name) {
  return !name.empty() && name.size() < 64 && name.front() != '/' && name.find("..") == std::string::npos &&
         std::all_of(name.begin(), name.end(),
                     [](unsigned char c) { return std::isalnum(c) || c == '/' || c == '_' || c == '-' || c == '+'; });
}

int64_t ReadBigEndian(std::string_view bytes, size_t at, int width) {
  uint64_t value = 0;
  for (int k = 0; k < width; ++k) value = value << 8 | static_cast<uint8_t>(bytes[at + static_cast<size_t>(k)]);
  if (width == 4) return static_cast<int32_t>(static_cast<uint32_t>(value));
  return static_cast<int64_t>(value);
}

struct TzifCounts {
  size_t utc_indicators, standard_indicators, leaps, transitions, types, characters;
  size_t BodySize(size_t time_width) const {
    return transitions * time_width + transitions + types * 6 + characters + leaps * (time_width + 4) + standard_indicators +
           utc_indicators;
  }
};

TzifCounts ReadCounts(std::string_view bytes, size_t header) {
  const auto count = [&](size_t k) { return static_cast<size_t>(ReadBigEndian(bytes, header + 20 + 4 * k, 4) & 0xFFFFFF); };
  return {count(0), count(1), count(2), count(3), count(4), count(5)};
}

// Reads a POSIX TZ string left to right.
class RuleReader {
 public:
  explicit RuleReader(std::string_view text) : text_(text) {}
  bool Done() const { return at_ == text_.size(); }
  bool Take(char c) {
    if (Done() || text_[at_] != c) return false;
    ++at_;
    return true;
  }
  bool SkipName() {
    const size_t begin = at_;
    if (Take('<')) {
      while (!Done() && text_[at_] != '>') ++at_;
      return Take('>');
    }
    while (!Done() && std::isalpha(static_cast<unsigned char>(text_[at_]))) ++at_;
    return at_ > begin;
  }
  bool Number(int* value) {
    const size_t begin = at_;
    *value = 0;
    while (!Done() && std::isdigit(static_cast<unsigned char>(text_[at_])) && at_ - begin < 6) {
      *value = *value * 10 + (text_[at_++] - '0');
    }
    return at_ > begin;
  }
  // [+-]h[h][:mm[:ss]] in seconds.
  bool Time(int64_t* seconds) {
    int64_t sign = 1;
    if (Take('-')) {
      sign = -1;
    } else {
      Take('+');
    }
    int hours = 0, minutes = 0, rest = 0;
    if (!Number(&hours)) return false;
    if (Take(':') && !Number(&minutes)) return false;
    if (Take(':') && !Number(&rest)) return false;
    *seconds = sign * (hours * 3600 + minutes * 60 + rest);
    return true;
  }
  bool AtStartOfTime() const { return !Done() && (std::isdigit(static_cast<unsigned char>(text_[at_])) || text_[at_] == '-' || text_[at_] == '+'); }

 private:
  std::string_view text_;
  size_t at_ = 0;
};

}  // namespace

int64_t TimeZone::YearlyChange::UtcSecondsIn(int64_t year) const {
  int64_t days = 0;
  if (kind == 'J') {
    days = DaysFromCivil(year, 1, 1) + day - 1 + (IsLeapYear(year) && day >= 60 ? 1 : 0);
  } else if (kind == 'D') {
    days = DaysFromCivil(year, 1, 1) + day;
  } else {
    const int64_t first = DaysFromCivil(year, month, 1);
    const int first_weekday = IsoDayOfWeek(first) % 7;  // 0 = Sunday, as POSIX counts
    days = first + (day - first_weekday + 7) % 7 + (week - 1) * 7;
    if (days >= first + DaysInMonth(year, month)) days -= 7;
  }
  return days * kSecondsPerDay + time - offset_before;
}

bool TimeZone::ParseRule(std::string_view footer) {
  RuleReader reader(footer);
  int64_t standard = 0;
  if (!reader.SkipName() || !reader.Time(&standard)) return false;
  standard = -standard;
  if (reader.Done()) {
    if (transitions_.empty()) first_offset_ = standard;
    return true;
  }
  int64_t daylight = standard + 3600;
  if (!reader.SkipName()) return false;
  if (reader.AtStartOfTime()) {
    if (!reader.Time(&daylight)) return false;
    daylight = -daylight;
  }
  std::vector<YearlyChange> changes;
  for (int k = 0; k < 2; ++k) {
    YearlyChange change;
    if (!reader.Take(',')) return false;
    if (reader.Take('M')) {
      if (!reader.Number(&change.month) || !reader.Take('.') || !reader.Number(&change.week) || !reader.Take('.') ||
          !reader.Number(&change.day)) {
        return false;
      }
      if (change.month < 1 || change.month > 12 || change.week < 1 || change.week > 5 || change.day > 6) return false;
    } else {
      change.kind = reader.Take('J') ? 'J' : 'D';
      if (!reader.Number(&change.day) || change.day > 366) return false;
    }
    if (reader.Take('/') && !reader.Time(&change.time)) return false;
    change.offset_before = k == 0 ? standard : daylight;
    change.offset_after = k == 0 ? daylight : standard;
    changes.push_back(change);
  }
  rule_ = std::move(changes);
  return reader.Done();
}

// Spec(RFC 8536, 3): a version 1 block with 32-bit times, then a block with 64-bit times and a footer with the future's rule.
arrow::Status TimeZone::ParseTzif(std::string_view bytes) {
  constexpr size_t kHeaderSize = 44;
  const auto corrupt = [&] { return base::CorruptData("Malformed time zone file: ", name_); };
  if (bytes.size() < kHeaderSize || !bytes.starts_with("TZif") || bytes[4] < '2') return corrupt();
  const size_t header = kHeaderSize + ReadCounts(bytes, 0).BodySize(4);
  if (header + kHeaderSize > bytes.size()) return corrupt();
  const TzifCounts counts = ReadCounts(bytes, header);
  const size_t body = header + kHeaderSize;
  if (counts.types == 0 || body + counts.BodySize(8) > bytes.size()) return corrupt();
  const size_t indexes = body + counts.transitions * 8;
  const size_t types = indexes + counts.transitions;
  const auto offset_of = [&](size_t type) { return ReadBigEndian(bytes, types + type * 6, 4); };
  first_offset_ = offset_of(0);
  for (size_t k = 0; k < counts.transitions; ++k) {
    const auto type = static_cast<uint8_t>(bytes[indexes + k]);
    if (type >= counts.types) return corrupt();
    transitions_.push_back({ReadBigEndian(bytes, body + k * 8, 8), offset_of(type)});
  }
  std::string_view footer = bytes.substr(body + counts.BodySize(8));
  if (footer.size() >= 2 && footer.front() == '\n' && footer.back() == '\n') footer = footer.substr(1, footer.size() - 2);
  if (!footer.empty() && !ParseRule(footer)) return corrupt();
  return arrow::Status::OK();
}

arrow::Result<std::shared_ptr<const TimeZone>> TimeZone::Load(const std::string& name) {
  auto zone = std::make_shared<TimeZone>();
  zone->name_ = name;
  if (const auto offset = FixedOffsetOf(name)) {
    zone->first_offset_ = *offset;
    return zone;
  }
  std::string file_name = name;
  for (const auto& [id, meaning] : kShortIds) {
    if (name != id) continue;
    file_name = meaning;
    if (const auto offset = FixedOffsetOf(meaning)) {
      zone->first_offset_ = *offset;
      return zone;
    }
  }
  if (IsZoneFileName(file_name)) {
    const std::string path = "/usr/share/zoneinfo/" + file_name;
    std::error_code error;
    std::string bytes;
    if (std::filesystem::is_regular_file(path, error)) {
      std::ifstream file(path, std::ios::binary);
      bytes.assign(std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>());
    }
    if (bytes.starts_with("TZif")) {
      ARROW_RETURN_NOT_OK(zone->ParseTzif(bytes));
      return zone;
    }
  }
  return base::InvalidArgument("[INVALID_TIMEZONE] The timezone is invalid: ", name);
}

arrow::Result<std::shared_ptr<const TimeZone>> TimeZone::Find(std::string_view name) {
  static std::mutex mutex;
  static std::map<std::string, std::shared_ptr<const TimeZone>, std::less<>> zones;
  const std::lock_guard<std::mutex> lock(mutex);
  const auto known = zones.find(name);
  if (known != zones.end()) return known->second;
  ARROW_ASSIGN_OR_RAISE(auto zone, Load(std::string(name)));
  zones.emplace(std::string(name), zone);
  return zone;
}

std::vector<TimeZone::Transition> TimeZone::RuleTransitionsAround(int64_t seconds) const {
  const int64_t year = CivilFromDays(FloorDiv(seconds, kSecondsPerDay)).year;
  const int64_t last = transitions_.empty() ? std::numeric_limits<int64_t>::min() : transitions_.back().at;
  std::vector<Transition> around;
  for (int64_t y = year - 1; y <= year + 1; ++y) {
    for (const YearlyChange& change : rule_) {
      const int64_t at = change.UtcSecondsIn(y);
      if (at > last) around.push_back({at, change.offset_after});
    }
  }
  std::sort(around.begin(), around.end(), [](const Transition& a, const Transition& b) { return a.at < b.at; });
  return around;
}

int64_t TimeZone::OffsetAt(int64_t utc_seconds) const {
  if (!rule_.empty() && (transitions_.empty() || utc_seconds >= transitions_.back().at)) {
    int64_t offset = transitions_.empty() ? first_offset_ : transitions_.back().offset;
    for (const Transition& transition : RuleTransitionsAround(utc_seconds)) {
      if (transition.at <= utc_seconds) offset = transition.offset;
    }
    return offset;
  }
  const auto next = std::upper_bound(transitions_.begin(), transitions_.end(), utc_seconds,
                                     [](int64_t seconds, const Transition& transition) { return seconds < transition.at; });
  return next == transitions_.begin() ? first_offset_ : std::prev(next)->offset;
}

int64_t TimeZone::OffsetAtLocal(int64_t local_seconds) const {
  if (transitions_.empty() && rule_.empty()) return first_offset_;
  // The offset before a transition decides both in a gap and in an overlap, so it is the one in force a day earlier unless a
  // transition lies between, whose local time has fully passed.
  int64_t offset = OffsetAt(local_seconds - 2 * kSecondsPerDay);
  const auto apply = [&](const Transition& transition) {
    if (transition.at <= local_seconds - 2 * kSecondsPerDay) return;
    // Local clocks show the later of both readings once the change is over.
    const int64_t passed = transition.at + std::max(offset, transition.offset);
    if (local_seconds >= passed) offset = transition.offset;
  };
  auto next = std::upper_bound(transitions_.begin(), transitions_.end(), local_seconds - 2 * kSecondsPerDay,
                               [](int64_t seconds, const Transition& transition) { return seconds < transition.at; });
  for (; next != transitions_.end() && next->at <= local_seconds + 2 * kSecondsPerDay; ++next) apply(*next);
  if (!rule_.empty() && (transitions_.empty() || local_seconds + 2 * kSecondsPerDay >= transitions_.back().at)) {
    for (const Transition& transition : RuleTransitionsAround(local_seconds)) apply(transition);
  }
  return offset;
}

int64_t TimeZone::ToLocalMicros(int64_t utc_micros) const {
  if (is_utc()) return utc_micros;
  return utc_micros + OffsetAt(FloorDiv(utc_micros, kMicrosPerSecond)) * kMicrosPerSecond;
}

int64_t TimeZone::ToUtcMicros(int64_t local_micros) const {
  if (is_utc()) return local_micros;
  return local_micros - OffsetAtLocal(FloorDiv(local_micros, kMicrosPerSecond)) * kMicrosPerSecond;
}

}  // namespace vecruntime::expr
