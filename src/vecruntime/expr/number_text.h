// SPDX-License-Identifier: Apache-2.0
// Numbers as text, as Java writes and reads them.
#pragma once

#include <charconv>
#include <cstdint>
#include <string>
#include <string_view>

namespace vecruntime::expr {

/// Double.toString / Float.toString: "1.0", "1.0E10", "1.234E-5", "NaN", "-Infinity"; digits as Java 17 chooses them.
void AppendDouble(double value, std::string* out);
void AppendFloat(float value, std::string* out);

template <typename Integer>
void AppendInteger(Integer value, std::string* out) {
  char buffer[24];
  const auto end = std::to_chars(buffer, buffer + sizeof(buffer), value).ptr;
  out->append(buffer, end);
}

/// Without the ASCII whitespace and control characters around it (UTF8String.trimAll).
std::string_view TrimAll(std::string_view text);

/// Spark's reading of trimmed text: decimal integers with a sign; false when malformed or out of range.
template <typename Integer>
bool ParseInteger(std::string_view text, Integer* out) {
  if (text.starts_with('+')) {
    text.remove_prefix(1);
    if (text.starts_with('-')) return false;
  }
  const auto parsed = std::from_chars(text.data(), text.data() + text.size(), *out);
  return parsed.ec == std::errc() && parsed.ptr == text.data() + text.size() && !text.empty();
}

/// Double.parseDouble and Spark's special words (inf, infinity, nan in any case); a "d" or "f" suffix is allowed.
bool ParseDouble(std::string_view text, double* out);
bool ParseFloat(std::string_view text, float* out);

}  // namespace vecruntime::expr
