// SPDX-License-Identifier: Apache-2.0
#include "vecruntime/session/quantity_text.h"

#include <array>
#include <cstdio>
#include <ctime>

namespace vecruntime::session {
namespace {

template <typename... Args>
std::string Format(const char* format, Args... args) {
  std::array<char, 64> buffer;
  std::snprintf(buffer.data(), buffer.size(), format, args...);
  return buffer.data();
}

// Three significant digits.
std::string Short(double value) { return Format(value < 10 ? "%.2f" : value < 100 ? "%.1f" : "%.0f", value); }

}  // namespace

std::string CountText(int64_t count) {
  std::string digits = std::to_string(count);
  const int first = count < 0 ? 1 : 0;
  for (int at = static_cast<int>(digits.size()) - 3; at > first; at -= 3) digits.insert(static_cast<size_t>(at), ",");
  return digits;
}

std::string CountText(int64_t count, const std::string& noun) { return CountText(count) + " " + noun + (count == 1 ? "" : "s"); }

std::string BytesText(int64_t bytes) {
  static constexpr const char* kUnits[] = {"KiB", "MiB", "GiB", "TiB", "PiB"};
  if (bytes < 1024) return std::to_string(bytes) + " B";
  double value = static_cast<double>(bytes) / 1024;
  size_t unit = 0;
  for (; value >= 1024 && unit + 1 < std::size(kUnits); ++unit) value /= 1024;
  return Short(value) + " " + kUnits[unit];
}

std::string DurationText(std::chrono::nanoseconds duration) {
  const double ms = static_cast<double>(duration.count()) / 1e6;
  return ms < 1000 ? Short(ms) + " ms" : Short(ms / 1000) + " s";
}

std::string ShareText(int64_t part, int64_t whole) {
  if (whole == 0 || part == 0) return "0%";
  const double percent = 100.0 * static_cast<double>(part) / static_cast<double>(whole);
  return percent < 0.05 ? "<0.1%" : Format("%.1f%%", percent);
}

std::string InstantText(int64_t epoch_ms) {
  const std::time_t seconds = epoch_ms >= 0 ? epoch_ms / 1000 : -((999 - epoch_ms) / 1000);
  std::tm utc{};
  gmtime_r(&seconds, &utc);
  std::array<char, 40> buffer;
  std::strftime(buffer.data(), buffer.size(), "%Y-%m-%d %H:%M:%S UTC", &utc);
  return buffer.data();
}

}  // namespace vecruntime::session
