// SPDX-License-Identifier: Apache-2.0
#include "vecruntime/expr/functions/json_reader.h"

#include <cmath>

#include "vecruntime/expr/number_text.h"
#include "vecruntime/expr/utf8.h"

namespace vecruntime::expr {
namespace {

constexpr int kMostLevels = 1000;       // Jackson's own bounds, beyond which it gives up
constexpr size_t kMostDigits = 1000;

bool IsDigit(char c) { return c >= '0' && c <= '9'; }

}  // namespace

bool JsonReader::Fail() {
  ok_ = false;
  return false;
}

char JsonReader::Peek() {
  while (at_ < text_.size() && (text_[at_] == ' ' || text_[at_] == '\t' || text_[at_] == '\n' || text_[at_] == '\r')) ++at_;
  return ok_ && at_ < text_.size() ? text_[at_] : '\0';
}

bool JsonReader::Take(char symbol) {
  if (Peek() != symbol || symbol == '\0') return false;
  ++at_;
  return true;
}

bool JsonReader::TakeWord(std::string_view word) {
  if (text_.substr(at_, word.size()) != word) return Fail();
  at_ += word.size();
  const char next = at_ < text_.size() ? text_[at_] : '\0';
  const bool longer = IsDigit(next) || (next >= 'a' && next <= 'z') || (next >= 'A' && next <= 'Z') || next == '_' || next == '$' || static_cast<uint8_t>(next) >= 0x80;
  return longer ? Fail() : true;
}

bool JsonReader::Hex4(uint32_t* unit) {
  *unit = 0;
  for (int k = 0; k < 4; ++k, ++at_) {
    const char c = at_ < text_.size() ? text_[at_] : '\0';
    const int digit = IsDigit(c) ? c - '0' : c >= 'a' && c <= 'f' ? c - 'a' + 10 : c >= 'A' && c <= 'F' ? c - 'A' + 10 : -1;
    if (digit < 0) return Fail();
    *unit = *unit << 4 | static_cast<uint32_t>(digit);
  }
  return true;
}

// After a backslash.
bool JsonReader::Escape(std::string* out) {
  if (at_ >= text_.size()) return Fail();
  const char c = text_[at_++];
  constexpr std::string_view kFrom = "btnfr\"/\\'", kTo = "\b\t\n\f\r\"/\\'";
  if (const size_t found = kFrom.find(c); found != std::string_view::npos) {
    out->push_back(kTo[found]);
    return true;
  }
  if (c != 'u') return Fail();
  uint32_t unit = 0, low = 0;
  if (!Hex4(&unit)) return false;
  if (unit >= 0xD800 && unit < 0xE000) {  // half a pair alone cannot be written
    if (unit >= 0xDC00 || text_.substr(at_, 2) != "\\u") return Fail();
    at_ += 2;
    if (!Hex4(&low)) return false;
    if (low < 0xDC00 || low >= 0xE000) return Fail();
    unit = 0x10000 + ((unit - 0xD800) << 10) + (low - 0xDC00);
  }
  AppendCodePoint(static_cast<char32_t>(unit), out);
  return true;
}

bool JsonReader::String(std::string* out) {
  const char quote = text_[at_++];
  while (at_ < text_.size() && text_[at_] != quote) {
    const char c = text_[at_++];
    if (c != '\\') {
      out->push_back(c);
    } else if (!Escape(out)) {
      return false;
    }
  }
  if (at_ >= text_.size()) return Fail();
  ++at_;
  return true;
}

bool JsonReader::CopyNumber(std::string* out) {
  const size_t begin = at_;
  const auto digits = [&] {
    const size_t first = at_;
    while (at_ < text_.size() && IsDigit(text_[at_])) ++at_;
    return at_ - first;
  };
  if (text_[at_] == '-') ++at_;
  const bool zero = at_ < text_.size() && text_[at_] == '0';
  const size_t whole = digits();
  if (whole == 0 || (zero && whole > 1)) return Fail();
  bool integral = true;
  if (at_ < text_.size() && text_[at_] == '.') {
    integral = false;
    ++at_;
    if (digits() == 0) return Fail();
  }
  if (at_ < text_.size() && (text_[at_] == 'e' || text_[at_] == 'E')) {
    integral = false;
    ++at_;
    if (at_ < text_.size() && (text_[at_] == '+' || text_[at_] == '-')) ++at_;
    if (digits() == 0) return Fail();
  }
  const std::string_view number = text_.substr(begin, at_ - begin);
  const char next = Peek();
  if (number.size() > kMostDigits || (next != '\0' && next != ',' && next != '}' && next != ']' && at_ == begin + number.size())) return Fail();
  if (out == nullptr) return true;
  if (integral) {
    out->append(number == "-0" ? "0" : number);
    return true;
  }
  double value = 0;
  ParseDouble(number, &value);
  if (std::isfinite(value)) {
    AppendDouble(value, out);
  } else {
    out->append(value > 0 ? "\"Infinity\"" : "\"-Infinity\"");
  }
  return true;
}

bool JsonReader::Name(std::string* name) {
  const char quote = Peek();
  if (quote != '"' && quote != '\'') return Fail();
  name->clear();
  return String(name) && (Take(':') || Fail());
}

bool JsonReader::CheckLevel(int level) { return level < kMostLevels ? true : Fail(); }

bool JsonReader::CopyContainer(std::string* out, char close, int level) {
  if (!CheckLevel(level)) return false;
  ++at_;
  if (out != nullptr) out->push_back(close == '}' ? '{' : '[');
  std::string name;
  for (bool first = true; !Take(close); first = false) {
    if (!first && !Take(',')) return Fail();
    if (!first && out != nullptr) out->push_back(',');
    if (close == '}') {
      if (!Name(&name)) return false;
      if (out != nullptr) {
        AppendJsonString(name, out);
        out->push_back(':');
      }
    }
    if (!CopyValue(out, level + 1)) return false;
  }
  if (out != nullptr) out->push_back(close);
  return ok_;
}

bool JsonReader::CopyValue(std::string* out, int level) {
  const char c = Peek();
  if (c == '{') return CopyContainer(out, '}', level);
  if (c == '[') return CopyContainer(out, ']', level);
  if (c == '"' || c == '\'') {
    std::string value;
    if (!String(&value)) return false;
    if (out != nullptr) AppendJsonString(value, out);
    return true;
  }
  if (c == '-' || IsDigit(c)) return CopyNumber(out);
  const std::string_view word = c == 't' ? "true" : c == 'f' ? "false" : c == 'n' ? "null" : "";
  if (word.empty() || !TakeWord(word)) return Fail();
  if (out != nullptr) out->append(word);
  return true;
}

bool JsonReader::CopyRaw(int level, std::string* out) {
  const char c = Peek();
  return c == '"' || c == '\'' ? String(out) : CopyValue(out, level);
}

void AppendJsonString(std::string_view text, std::string* out) {
  constexpr std::string_view kHex = "0123456789ABCDEF", kFrom = "\b\t\n\f\r\"\\", kTo = "btnfr\"\\";
  out->push_back('"');
  for (const char c : text) {
    if (const size_t found = kFrom.find(c); found != std::string_view::npos) {
      out->push_back('\\');
      out->push_back(kTo[found]);
    } else if (static_cast<uint8_t>(c) < 0x20) {
      out->append("\\u00").push_back(kHex[static_cast<uint8_t>(c) >> 4]);
      out->push_back(kHex[static_cast<uint8_t>(c) & 15]);
    } else {
      out->push_back(c);
    }
  }
  out->push_back('"');
}

}  // namespace vecruntime::expr
