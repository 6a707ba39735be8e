// SPDX-License-Identifier: Apache-2.0
#include <arrow/scalar.h>
#include <arrow/type.h>
#include <arrow/util/decimal.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <limits>

#include "vecruntime/base/error.h"
#include "vecruntime/sql/interval_literal.h"
#include "vecruntime/sql/parser_internal.h"

namespace vecruntime::sql {
namespace {

// Shortest round-trip digits in Java's layout: plain between 1e-3 and 1e7, else d.dddE±n, always with a decimal point.
template <typename Float>
std::string JavaText(Float value) {
  if (std::isnan(value)) return "NaN";
  if (std::isinf(value)) return value < 0 ? "-Infinity" : "Infinity";
  char buffer[400];
  const Float magnitude = std::fabs(value);
  const bool plain = magnitude == 0 || (magnitude >= static_cast<Float>(1e-3) && magnitude < static_cast<Float>(1e7));
  const auto end = std::to_chars(buffer, buffer + sizeof(buffer), value, plain ? std::chars_format::fixed : std::chars_format::scientific);
  std::string text(buffer, end.ptr);
  if (plain) return text.find('.') == std::string::npos ? text + ".0" : text;
  const size_t e = text.find('e');
  std::string digits = text.substr(0, e);
  if (digits.find('.') == std::string::npos) digits += ".0";
  return digits + "E" + std::to_string(std::stoi(text.substr(e + 1)));
}

struct DecimalText {
  std::string unscaled;  // digits without leading zeros, "0" for zero
  int precision = 0;
  int scale = 0;
};

// Digits, dot and exponent to an unscaled integer, as java.math.BigDecimal reads them and Spark's Decimal widens them.
arrow::Result<DecimalText> ReadDecimal(std::string_view number) {
  DecimalText decimal;
  const size_t e = number.find_first_of("eE");
  std::string_view mantissa = number.substr(0, e);
  int64_t exponent = 0;
  if (e != std::string_view::npos) {
    std::string_view digits = number.substr(e + 1);
    if (digits.starts_with('+')) digits.remove_prefix(1);
    const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), exponent);
    if (error != std::errc() || std::abs(exponent) > 1000) return base::InvalidArgument("[INVALID_NUMERIC_LITERAL_RANGE] The exponent of a decimal literal is out of range.");
  }
  int64_t scale = -exponent;
  bool after_dot = false;
  for (const char c : mantissa) {
    if (c == '.') {
      after_dot = true;
      continue;
    }
    if (after_dot) ++scale;
    if (!decimal.unscaled.empty() || c != '0') decimal.unscaled.push_back(c);
  }
  if (scale < 0) {
    if (!decimal.unscaled.empty()) decimal.unscaled.append(static_cast<size_t>(-scale), '0');
    scale = 0;
  }
  if (decimal.unscaled.empty()) decimal.unscaled = "0";
  const int64_t precision = std::max<int64_t>(static_cast<int64_t>(decimal.unscaled.size()), scale);
  if (precision > 38) {
    return base::InvalidArgument("[DECIMAL_PRECISION_EXCEEDS_MAX_PRECISION] Decimal precision ", precision, " exceeds max precision 38.");
  }
  decimal.precision = static_cast<int>(precision);
  decimal.scale = static_cast<int>(scale);
  return decimal;
}

// A literal's type by its suffix (lower case, "" for none).
std::string_view SuffixOf(std::string_view number) {
  const std::string lower = ToLower(number);
  if (lower.ends_with("bd")) return "bd";
  for (const std::string_view suffix : {"l", "s", "y", "d", "f"}) {
    if (lower.ends_with(suffix)) return suffix;
  }
  return "";
}

}  // namespace

std::string JavaDoubleText(double value) { return JavaText(value); }
std::string JavaFloatText(float value) { return JavaText(value); }

arrow::Result<NodePtr> Parser::MakeLiteral(std::shared_ptr<arrow::Scalar> value, std::string text, size_t begin) const {
  auto node = NewNode(NodeKind::kLiteral, begin);
  node->value = std::move(value);
  node->text = std::move(text);
  return Finish(std::move(node));
}

arrow::Result<NodePtr> Parser::NullLiteral(size_t begin) const { return MakeLiteral(std::make_shared<arrow::NullScalar>(), "NULL", begin); }

arrow::Result<NodePtr> Parser::BooleanLiteral(bool value, size_t begin) const {
  return MakeLiteral(std::make_shared<arrow::BooleanScalar>(value), value ? "true" : "false", begin);
}

NodePtr Parser::StringLiteral(std::string value, size_t begin) const {
  auto node = NewNode(NodeKind::kLiteral, begin);
  node->end = LastEnd();
  node->text = value;
  node->value = std::make_shared<arrow::StringScalar>(std::move(value));
  return node;
}

arrow::Result<NodePtr> Parser::ParseString() {
  const size_t begin = Peek().begin;
  std::string value;
  while (Peek().kind == TokenKind::kString) {
    value += Peek().text;
    ++at_;
  }
  return StringLiteral(std::move(value), begin);
}

arrow::Result<NodePtr> Parser::ParseNumber(bool negative, size_t begin) {
  const Token token = Peek();
  ++at_;
  const std::string_view suffix = SuffixOf(token.text);
  const std::string number = (negative ? "-" : "") + token.text.substr(0, token.text.size() - suffix.size());
  const auto out_of_range = [&](std::string_view type) {
    return InvalidAt(begin, "[INVALID_NUMERIC_LITERAL_RANGE] Numeric literal " + number + " is outside the valid range for " + std::string(type) + ".");
  };
  const bool integral = number.find_first_of(".eE") == std::string::npos;
  const bool exponent = number.find_first_of("eE") != std::string::npos;
  if (suffix == "l" || suffix == "s" || suffix == "y" || (suffix.empty() && integral)) {
    if (!integral) return InvalidAt(begin, "[PARSE_SYNTAX_ERROR] An integer suffix follows a number that is no integer.");
    int64_t value = 0;
    const auto parsed = std::from_chars(number.data(), number.data() + number.size(), value);
    const bool fits = parsed.ec == std::errc();
    const auto within = [&](int64_t low, int64_t high) { return fits && value >= low && value <= high; };
    const std::string text = fits ? std::to_string(value) : number;
    if (suffix == "y") {
      if (!within(INT8_MIN, INT8_MAX)) return out_of_range("tinyint");
      return MakeLiteral(std::make_shared<arrow::Int8Scalar>(static_cast<int8_t>(value)), text, begin);
    }
    if (suffix == "s") {
      if (!within(INT16_MIN, INT16_MAX)) return out_of_range("smallint");
      return MakeLiteral(std::make_shared<arrow::Int16Scalar>(static_cast<int16_t>(value)), text, begin);
    }
    if (suffix.empty() && within(INT32_MIN, INT32_MAX)) {
      return MakeLiteral(std::make_shared<arrow::Int32Scalar>(static_cast<int32_t>(value)), text, begin);
    }
    if (fits) return MakeLiteral(std::make_shared<arrow::Int64Scalar>(value), text, begin);
    if (suffix == "l") return out_of_range("bigint");
  }
  if (suffix == "d" || suffix == "f" || (suffix.empty() && exponent)) {
    const bool single = suffix == "f";
    double value = 0;
    const auto parsed = std::from_chars(number.data(), number.data() + number.size(), value);
    // Underflow gives 0 or a denormal in Java; overflow is an error.
    if (parsed.ec == std::errc::result_out_of_range) value = number.find("e-") != std::string::npos || number.find("E-") != std::string::npos ? 0 : HUGE_VAL;
    if (std::isinf(value) || (single && std::fabs(value) > std::numeric_limits<float>::max())) return out_of_range(single ? "float" : "double");
    if (!single) return MakeLiteral(std::make_shared<arrow::DoubleScalar>(value), JavaDoubleText(value), begin);
    float narrow = 0;
    std::from_chars(number.data(), number.data() + number.size(), narrow);
    return MakeLiteral(std::make_shared<arrow::FloatScalar>(narrow), JavaFloatText(narrow), begin);
  }
  const auto decimal = ReadDecimal(negative ? std::string_view(number).substr(1) : std::string_view(number));
  if (!decimal.ok()) return InvalidAt(begin, decimal.status().message());
  ARROW_ASSIGN_OR_RAISE(arrow::Decimal128 value, arrow::Decimal128::FromString(decimal->unscaled));
  if (negative) value.Negate();
  const auto type = arrow::decimal128(std::max(decimal->precision, 1), decimal->scale);
  return MakeLiteral(std::make_shared<arrow::Decimal128Scalar>(value, type), value.ToString(decimal->scale), begin);
}

arrow::Result<NodePtr> Parser::ParseTypedLiteral() {
  const Token type = Peek();
  const Token text = Peek(1);
  if (EqualsIgnoreCase(type.text, "TIME")) return UnsupportedAt(type.begin, "TIME literals.");
  at_ += 2;
  if (EqualsIgnoreCase(type.text, "X")) {
    std::string digits = (text.text.size() % 2 == 1 ? "0" : "") + text.text;
    std::string bytes;
    for (size_t i = 0; i < digits.size(); i += 2) {
      uint8_t byte = 0;
      const auto parsed = std::from_chars(digits.data() + i, digits.data() + i + 2, byte, 16);
      if (parsed.ec != std::errc() || parsed.ptr != digits.data() + i + 2) {
        return InvalidAt(text.begin, "[INVALID_TYPED_LITERAL] The value of the typed literal \"X\" is invalid: '" + text.text + "'.");
      }
      bytes.push_back(static_cast<char>(byte));
    }
    return MakeLiteral(std::make_shared<arrow::BinaryScalar>(arrow::Buffer::FromString(std::move(bytes))), "X'" + ToUpper(digits) + "'", type.begin);
  }
  auto node = NewNode(NodeKind::kTypedLiteral, type.begin);
  node->name = ToLower(type.text);
  if (node->name == "timestamp_ltz") node->name = "timestamp";
  node->text = text.text;
  return Finish(std::move(node));
}

// INTERVAL followed by a value; `interval` alone is a column.
bool Parser::AtInterval() const {
  if (!IsKeyword("INTERVAL")) return false;
  const size_t sign = IsSymbol("-", 1) || IsSymbol("+", 1) ? 1 : 0;
  const Token& value = Peek(1 + sign);
  if (value.kind == TokenKind::kString && sign == 0) return true;
  const Token& unit = Peek(2 + sign);
  return (value.kind == TokenKind::kNumber || value.kind == TokenKind::kString) && unit.kind == TokenKind::kWord && IsIntervalWord(unit.text);
}

arrow::Result<NodePtr> Parser::ParseInterval() {
  const size_t begin = Peek().begin;
  ++at_;
  std::vector<IntervalPart> parts;
  arrow::Result<IntervalValue> value = IntervalValue{};
  const auto at_number = [&](size_t ahead) { return Peek(ahead).kind == TokenKind::kNumber || Peek(ahead).kind == TokenKind::kString; };
  if (Peek().kind == TokenKind::kString && !(Peek(1).kind == TokenKind::kWord && IsIntervalWord(Peek(1).text))) {
    value = IntervalFromText(Peek().text);
    ++at_;
  } else {
    for (size_t sign = IsSymbol("-") || IsSymbol("+") ? 1 : 0; at_number(sign) && IsIntervalWord(Peek(sign + 1).text);
         sign = IsSymbol("-") || IsSymbol("+") ? 1 : 0) {
      IntervalPart part{Peek(sign).text, Peek(sign + 1).text};
      if (sign == 1 && IsSymbol("-")) part.number = part.number.starts_with('-') ? part.number.substr(1) : "-" + part.number;
      at_ += sign + 2;
      parts.push_back(std::move(part));
    }
    const std::optional<IntervalUnit> end = IsKeyword("TO") ? ParseIntervalUnit(Peek(1).text) : std::nullopt;
    const std::optional<IntervalUnit> start = ParseIntervalUnit(parts.back().unit);
    if (end && start && parts.size() == 1) {
      at_ += 2;
      value = IntervalFromRange(parts[0].number, *start, *end);
    } else {
      value = IntervalFromParts(parts);
    }
  }
  if (!value.ok()) return InvalidAt(begin, value.status().message());
  const auto type = expr::IntervalType(value->units);
  std::shared_ptr<arrow::Scalar> scalar;
  if (value->units.is_year_month()) {
    scalar = std::make_shared<arrow::MonthIntervalScalar>(static_cast<int32_t>(value->amount), type);
  } else {
    scalar = std::make_shared<arrow::DurationScalar>(value->amount, type);
  }
  std::string text;
  expr::AppendInterval(value->amount, value->units, &text);
  return MakeLiteral(std::move(scalar), text, begin);
}

}  // namespace vecruntime::sql
