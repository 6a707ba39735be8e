// SPDX-License-Identifier: Apache-2.0
#include "tests/sql_runner/json_compare.h"

#include <arrow/type.h>
#include <arrow/type_traits.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <limits>
#include <map>
#include <nlohmann/json.hpp>

namespace vecruntime::sql_test {
namespace {

bool HoldsFloats(const arrow::DataType& type) {
  if (arrow::is_floating(type.id())) return true;
  return std::any_of(type.fields().begin(), type.fields().end(), [](const auto& field) { return HoldsFloats(*field->type()); });
}

// Flattens one object; the parser keeps the order of names and the text of numbers.
class Flattener : public nlohmann::json_sax<nlohmann::json> {
 public:
  Flattener(const arrow::Schema& schema, RowTokens* tokens) : schema_(schema), tokens_(tokens) {}

  bool null() override { return Word("null"); }
  bool boolean(bool value) override { return Word(value ? "true" : "false"); }
  bool number_integer(number_integer_t value) override { return Number(std::to_string(value)); }
  bool number_unsigned(number_unsigned_t value) override { return Number(std::to_string(value)); }
  bool number_float(number_float_t, const string_t& text) override { return Number(text); }
  bool string(string_t& value) override { return Add({Token::Kind::kString, value}); }
  bool binary(binary_t&) override { return false; }
  bool start_object(size_t) override {
    ++depth_;
    return Add({Token::Kind::kPunctuation, "{"});
  }
  bool key(string_t& name) override {
    if (depth_ == 1) {
      ++column_;
      floats_ = column_ < schema_.num_fields() && HoldsFloats(*schema_.field(column_)->type());
    }
    return Add({Token::Kind::kString, name});
  }
  bool end_object() override {
    --depth_;
    return Add({Token::Kind::kPunctuation, "}"});
  }
  bool start_array(size_t) override {
    if (depth_++ == 0) return false;
    return Add({Token::Kind::kPunctuation, "["});
  }
  bool end_array() override {
    --depth_;
    return Add({Token::Kind::kPunctuation, "]"});
  }
  bool parse_error(size_t, const std::string&, const nlohmann::detail::exception&) override { return false; }

 private:
  bool Add(Token token) {
    tokens_->push_back(std::move(token));
    return true;
  }
  bool Word(const char* word) { return Add({Token::Kind::kWord, word}); }
  bool Number(const std::string& text) { return Add({Token::Kind::kNumber, text, floats_}); }

  const arrow::Schema& schema_;
  RowTokens* tokens_;
  int depth_ = 0;
  int column_ = -1;
  bool floats_ = false;
};

// "1.5E-7" -> "0.00000015": the same digits and scale without an exponent.
std::string Plain(const std::string& number) {
  const size_t e = number.find_first_of("eE");
  if (e == std::string::npos) return number;
  const bool negative = number[0] == '-';
  std::string mantissa = number.substr(negative ? 1 : 0, e - (negative ? 1 : 0));
  const size_t dot = mantissa.find('.');
  int scale = dot == std::string::npos ? 0 : static_cast<int>(mantissa.size() - dot - 1);
  mantissa.erase(std::remove(mantissa.begin(), mantissa.end(), '.'), mantissa.end());
  scale -= std::atoi(number.c_str() + e + 1);
  if (scale <= 0) return (negative ? "-" : "") + mantissa + std::string(static_cast<size_t>(-scale), '0');
  if (static_cast<int>(mantissa.size()) <= scale) mantissa.insert(0, static_cast<size_t>(scale + 1) - mantissa.size(), '0');
  mantissa.insert(mantissa.size() - static_cast<size_t>(scale), ".");
  return (negative ? "-" : "") + mantissa;
}

bool EqualNumbers(const Token& a, const Token& b) {
  if (a.text == b.text) return true;
  if (!a.inexact && !b.inexact) return Plain(a.text) == Plain(b.text);
  const double x = std::strtod(a.text.c_str(), nullptr), y = std::strtod(b.text.c_str(), nullptr);
  return x == y || std::fabs(x - y) <= 1e-9 * std::max(std::fabs(x), std::fabs(y));
}

std::string List(const char* title, const std::vector<std::string>& rows) {
  constexpr size_t kShown = 8;
  std::string text;
  if (rows.empty()) return text;
  text = std::string("  ") + title + " (" + std::to_string(rows.size()) + ")\n";
  for (size_t r = 0; r < std::min(rows.size(), kShown); ++r) text += "    " + rows[r] + "\n";
  if (rows.size() > kShown) text += "    ...\n";
  return text;
}

struct Rows {
  std::vector<std::string> lines;
  std::vector<RowTokens> tokens;
};

std::string CompareOrdered(const Rows& expected, const Rows& actual) {
  const size_t count = std::min(expected.lines.size(), actual.lines.size());
  for (size_t r = 0; r < count; ++r) {
    if (Equal(expected.tokens[r], actual.tokens[r])) continue;
    return "  row " + std::to_string(r + 1) + " differs\n    expected " + expected.lines[r] + "\n    got      " + actual.lines[r] + "\n";
  }
  return List("missing", {expected.lines.begin() + static_cast<int64_t>(count), expected.lines.end()}) +
         List("too much", {actual.lines.begin() + static_cast<int64_t>(count), actual.lines.end()});
}

std::string CompareUnordered(const Rows& expected, const Rows& actual) {
  // Exact lines first: what is left is small enough to try every pair.
  std::multimap<std::string, size_t> by_line;
  for (size_t r = 0; r < actual.lines.size(); ++r) by_line.emplace(actual.lines[r], r);
  std::vector<bool> used(actual.lines.size(), false);
  std::vector<size_t> rest;
  for (size_t r = 0; r < expected.lines.size(); ++r) {
    const auto found = by_line.find(expected.lines[r]);
    if (found == by_line.end()) {
      rest.push_back(r);
      continue;
    }
    used[found->second] = true;
    by_line.erase(found);
  }
  std::vector<std::string> missing, extra;
  for (size_t r : rest) {
    size_t match = 0;
    while (match < used.size() && (used[match] || !Equal(expected.tokens[r], actual.tokens[match]))) ++match;
    if (match == used.size()) {
      missing.push_back(expected.lines[r]);
    } else {
      used[match] = true;
    }
  }
  for (size_t r = 0; r < used.size(); ++r) {
    if (!used[r]) extra.push_back(actual.lines[r]);
  }
  return List("missing", missing) + List("too much", extra);
}

}  // namespace

bool Tokenize(const std::string& line, const arrow::Schema& schema, RowTokens* tokens) {
  Flattener flattener(schema, tokens);
  return line.starts_with('{') && nlohmann::json::sax_parse(line, &flattener);
}

bool Equal(const RowTokens& a, const RowTokens& b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(), [](const Token& x, const Token& y) {
    return x.kind == y.kind && (x.kind == Token::Kind::kNumber ? EqualNumbers(x, y) : x.text == y.text);
  });
}

std::string CompareRows(const std::vector<std::string>& expected, const std::vector<std::string>& actual, const arrow::Schema& schema,
                        bool ordered) {
  Rows wanted{expected, std::vector<RowTokens>(expected.size())}, got{actual, std::vector<RowTokens>(actual.size())};
  for (Rows* rows : {&wanted, &got}) {
    for (size_t r = 0; r < rows->lines.size(); ++r) {
      if (!Tokenize(rows->lines[r], schema, &rows->tokens[r])) return "  not a JSON object: " + rows->lines[r] + "\n";
    }
  }
  return ordered ? CompareOrdered(wanted, got) : CompareUnordered(wanted, got);
}

}  // namespace vecruntime::sql_test
