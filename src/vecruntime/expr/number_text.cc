// SPDX-License-Identifier: Apache-2.0
#include "vecruntime/expr/number_text.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "vecruntime/expr/java_digits.h"

namespace vecruntime::expr {
namespace {

template <typename Float>
void AppendJava(Float value, std::string* out) {
  if (std::isnan(value)) {
    out->append("NaN");
    return;
  }
  if (std::signbit(value)) out->push_back('-');
  if (std::isinf(value)) {
    out->append("Infinity");
    return;
  }
  if (value == 0) {
    out->append("0.0");
    return;
  }
  const JavaDigits java = DigitsOf(std::abs(value));
  const std::string& digits = java.digits;
  const int exponent = java.exponent;
  const int count = static_cast<int>(digits.size());
  if (exponent < -3 || exponent >= 7) {
    out->push_back(digits[0]);
    out->push_back('.');
    out->append(count > 1 ? digits.substr(1) : "0");
    out->push_back('E');
    AppendInteger(exponent, out);
  } else if (exponent < 0) {
    out->append("0.");
    out->append(static_cast<size_t>(-exponent - 1), '0');
    out->append(digits);
  } else {
    for (int k = 0; k <= exponent; ++k) out->push_back(k < count ? digits[static_cast<size_t>(k)] : '0');
    out->push_back('.');
    out->append(count > exponent + 1 ? digits.substr(static_cast<size_t>(exponent) + 1) : "0");
  }
}

bool EqualsIgnoreCase(std::string_view a, std::string_view lower) {
  return a.size() == lower.size() && std::equal(a.begin(), a.end(), lower.begin(), [](char x, char y) {
           return (x >= 'A' && x <= 'Z' ? static_cast<char>(x + 32) : x) == y;
         });
}

template <typename Float>
bool ParseJava(std::string_view text, Float* out) {
  bool negative = false;
  std::string_view body = text;
  if (!body.empty() && (body.front() == '+' || body.front() == '-')) {
    negative = body.front() == '-';
    body.remove_prefix(1);
  }
  if (EqualsIgnoreCase(body, "inf") || EqualsIgnoreCase(body, "infinity")) {
    *out = negative ? -std::numeric_limits<Float>::infinity() : std::numeric_limits<Float>::infinity();
    return true;
  }
  if (EqualsIgnoreCase(body, "nan")) {
    *out = std::numeric_limits<Float>::quiet_NaN();
    return body.size() == text.size();
  }
  if (!body.empty() && std::string_view("dDfF").find(body.back()) != std::string_view::npos) body.remove_suffix(1);
  if (body.empty() || !((body[0] >= '0' && body[0] <= '9') || body[0] == '.')) return false;
  Float value = 0;
  const auto parsed = std::from_chars(body.data(), body.data() + body.size(), value);
  if (parsed.ptr != body.data() + body.size()) return false;
  if (parsed.ec == std::errc::result_out_of_range) {
    const size_t e = body.find_first_of("eE");
    const bool tiny = e != std::string_view::npos ? body[e + 1] == '-' : body.find_first_not_of("0.") == std::string_view::npos || body[0] == '0' || body[0] == '.';
    value = tiny ? Float{0} : std::numeric_limits<Float>::infinity();
  } else if (parsed.ec != std::errc()) {
    return false;
  }
  *out = negative ? -value : value;
  return true;
}

}  // namespace

void AppendDouble(double value, std::string* out) { AppendJava(value, out); }
void AppendFloat(float value, std::string* out) { AppendJava(value, out); }

std::string_view TrimAll(std::string_view text) {
  const auto trimmed = [](char c) { return (c >= 0 && c <= 0x20) || c == 0x7F; };
  while (!text.empty() && trimmed(text.front())) text.remove_prefix(1);
  while (!text.empty() && trimmed(text.back())) text.remove_suffix(1);
  return text;
}

bool ParseDouble(std::string_view text, double* out) { return ParseJava(text, out); }
bool ParseFloat(std::string_view text, float* out) { return ParseJava(text, out); }

}  // namespace vecruntime::expr
