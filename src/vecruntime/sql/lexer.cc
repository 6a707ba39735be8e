// SPDX-License-Identifier: Apache-2.0
#include "vecruntime/sql/lexer.h"

#include <arrow/util/utf8.h>

#include <algorithm>
#include <array>

#include "vecruntime/base/error.h"
#include "vecruntime/expr/utf8.h"

namespace vecruntime::sql {
namespace {

bool IsDigit(char c) { return c >= '0' && c <= '9'; }
bool IsLetter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || static_cast<unsigned char>(c) >= 0x80; }
bool IsWordByte(char c) { return IsLetter(c) || IsDigit(c) || c == '_'; }
bool IsSpace(char c) { return c == ' ' || c == '\t' || c == '\n' || c == '\r' || c == '\f' || c == '\v'; }
char Lower(char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c + 32) : c; }

// Longest first.
constexpr std::array<std::string_view, 21> kLongSymbols = {">>>", "<=>", "<>", "!=", "==", "<=", ">=", "<<", ">>", "||", "::",
                                                           "->",  "=>",  "!<", "!>", "&&", ":=", "|>", "/*", "*/", "--"};

bool IsSurrogate(uint32_t code) { return code >= 0xD800 && code <= 0xDFFF; }
bool IsContinuation(char c) { return (static_cast<unsigned char>(c) & 0xC0) == 0x80; }

// The value of `digits` characters in `base` at text[at], or -1.
int64_t ParseDigits(std::string_view text, size_t at, size_t digits, int base) {
  if (at + digits > text.size()) return -1;
  int64_t value = 0;
  for (size_t i = at; i < at + digits; ++i) {
    const char c = Lower(text[i]);
    const int digit = IsDigit(c) ? c - '0' : (c >= 'a' && c <= 'f' ? c - 'a' + 10 : 99);
    if (digit >= base) return -1;
    value = value * base + digit;
  }
  return value;
}

class Lexer {
 public:
  explicit Lexer(std::string_view sql) : sql_(sql) {}

  arrow::Result<std::vector<Token>> Run() {
    for (;;) {
      ARROW_RETURN_NOT_OK(SkipBlanks());
      if (at_ >= sql_.size()) break;
      ARROW_RETURN_NOT_OK(Next());
    }
    tokens_.push_back({TokenKind::kEnd, sql_.size(), sql_.size(), ""});
    return std::move(tokens_);
  }

 private:
  char Peek(size_t ahead = 0) const { return at_ + ahead < sql_.size() ? sql_[at_ + ahead] : '\0'; }

  arrow::Status Error(size_t position, std::string_view message) const {
    return base::InvalidArgument(message, " ", PointAt(sql_, position));
  }

  arrow::Status SkipBlanks() {
    while (at_ < sql_.size()) {
      if (IsSpace(sql_[at_])) {
        ++at_;
      } else if (sql_.substr(at_, 2) == "--") {
        while (at_ < sql_.size() && sql_[at_] != '\n' && sql_[at_] != '\r') at_ += (sql_[at_] == '\\' && Peek(1) == '\n') ? 2 : 1;
      } else if (sql_.substr(at_, 2) == "/*") {
        ARROW_RETURN_NOT_OK(SkipBracketedComment());
      } else {
        break;
      }
    }
    at_ = std::min(at_, sql_.size());
    return arrow::Status::OK();
  }

  arrow::Status SkipBracketedComment() {
    const size_t begin = at_;
    int64_t depth = 0;
    while (at_ < sql_.size()) {
      if (sql_.substr(at_, 2) == "/*") {
        ++depth;
        at_ += 2;
      } else if (sql_.substr(at_, 2) == "*/") {
        at_ += 2;
        if (--depth == 0) return arrow::Status::OK();
      } else {
        ++at_;
      }
    }
    return Error(begin, "[UNCLOSED_BRACKETED_COMMENT] A bracketed comment is not closed with */.");
  }

  void Emit(TokenKind kind, size_t begin, std::string text) { tokens_.push_back({kind, begin, at_, std::move(text)}); }

  arrow::Status Next() {
    const char c = Peek();
    if (c == '\'' || c == '"') return LexString(at_, /*raw=*/false);
    if ((c == 'r' || c == 'R') && (Peek(1) == '\'' || Peek(1) == '"')) return LexString(at_ + 1, /*raw=*/true);
    if (c == '`') return LexQuotedIdentifier();
    if (IsDigit(c) || (c == '.' && IsDigit(Peek(1)) && !AfterName())) return LexNumberOrWord();
    if (IsWordByte(c)) {
      LexWord();
      return arrow::Status::OK();
    }
    return LexSymbol();
  }

  // In `t.1a` the dot separates; in `1 + .5` it begins a number.
  bool AfterName() const {
    if (tokens_.empty() || tokens_.back().end != at_) return false;
    const Token& last = tokens_.back();
    return last.kind == TokenKind::kWord || last.kind == TokenKind::kQuotedIdentifier || last.text == ")" || last.text == "]";
  }

  void LexWord() {
    const size_t begin = at_;
    while (IsWordByte(Peek())) ++at_;
    Emit(TokenKind::kWord, begin, std::string(sql_.substr(begin, at_ - begin)));
  }

  arrow::Status LexNumberOrWord() {
    const size_t begin = at_;
    size_t end = at_;
    const auto skip_digits = [&] {
      while (end < sql_.size() && IsDigit(sql_[end])) ++end;
    };
    skip_digits();
    if (end < sql_.size() && sql_[end] == '.') {
      const size_t dot = end++;
      skip_digits();
      // A letter right after "1." means that the dot is not part of a number, unless it is an exponent or a suffix.
      if (end == dot + 1 && end < sql_.size() && IsWordByte(sql_[end]) && !NumberTailAt(end)) end = dot;
    }
    end = std::max(end, NumberTailAt(end));
    if (end < sql_.size() && IsWordByte(sql_[end])) {
      if (sql_.substr(begin, end - begin).find('.') != std::string_view::npos) {
        return Error(begin, "[PARSE_SYNTAX_ERROR] A number is followed by a letter.");
      }
      LexWord();  // 1a is a word
      return arrow::Status::OK();
    }
    at_ = end;
    Emit(TokenKind::kNumber, begin, std::string(sql_.substr(begin, end - begin)));
    return arrow::Status::OK();
  }

  // End of the exponent and type suffix that start at `at` and are followed by no word byte; 0 when there are none.
  size_t NumberTailAt(size_t at) const {
    size_t end = at;
    if (end < sql_.size() && Lower(sql_[end]) == 'e') {
      size_t digits = end + 1;
      if (digits < sql_.size() && (sql_[digits] == '+' || sql_[digits] == '-')) ++digits;
      if (digits < sql_.size() && IsDigit(sql_[digits])) {
        while (digits < sql_.size() && IsDigit(sql_[digits])) ++digits;
        end = digits;
      }
    }
    if (end < sql_.size()) {
      const char c = Lower(sql_[end]);
      if (c == 'b' && end + 1 < sql_.size() && Lower(sql_[end + 1]) == 'd') {
        end += 2;
      } else if (c == 'l' || c == 's' || c == 'y' || c == 'd' || c == 'f') {
        end += 1;
      }
    }
    if (end == at || (end < sql_.size() && IsWordByte(sql_[end]))) return 0;
    return end;
  }

  arrow::Status LexQuotedIdentifier() {
    const size_t begin = at_++;
    std::string text;
    for (; at_ < sql_.size(); ++at_) {
      if (sql_[at_] == '`') {
        if (Peek(1) != '`') {
          ++at_;
          if (text.empty()) return Error(begin, "[PARSE_EMPTY_STATEMENT] An identifier between backquotes is empty.");
          Emit(TokenKind::kQuotedIdentifier, begin, std::move(text));
          return arrow::Status::OK();
        }
        ++at_;
      }
      text.push_back(sql_[at_]);
    }
    return Error(begin, "[PARSE_SYNTAX_ERROR] A backquoted identifier is not closed.");
  }

  arrow::Status LexString(size_t quote_at, bool raw) {
    const size_t begin = at_;
    const char quote = sql_[quote_at];
    at_ = quote_at + 1;
    std::string text;
    while (at_ < sql_.size()) {
      const char c = sql_[at_];
      if (c == quote) {
        if (!raw && Peek(1) == quote) {
          text.push_back(quote);
          at_ += 2;
          continue;
        }
        ++at_;
        Emit(TokenKind::kString, begin, std::move(text));
        return arrow::Status::OK();
      }
      if (c == '\\' && !raw) {
        Unescape(&text);
      } else {
        text.push_back(c);
        ++at_;
      }
    }
    return Error(begin, "[PARSE_SYNTAX_ERROR] A string literal is not closed.");
  }

  // Spark's SparkParserUtils.unescapeSQLString.
  void Unescape(std::string* out) {
    const char c = Peek(1);
    if (at_ + 1 >= sql_.size()) {
      ++at_;
      return;
    }
    if (const int64_t code = ParseDigits(sql_, at_ + 2, 4, 16); c == 'u' && code >= 0) {
      at_ += 6;
      AppendUtf16(static_cast<uint32_t>(code), out);
      return;
    }
    if (const int64_t code = ParseDigits(sql_, at_ + 2, 8, 16); c == 'U' && code >= 0 && code <= 0x10FFFF) {
      expr::AppendCodePoint(IsSurrogate(static_cast<uint32_t>(code)) ? '?' : static_cast<uint32_t>(code), out);
      at_ += 10;
      return;
    }
    if (const int64_t code = ParseDigits(sql_, at_ + 1, 3, 8); (c == '0' || c == '1') && code >= 0) {
      expr::AppendCodePoint(static_cast<uint32_t>(code), out);
      at_ += 4;
      return;
    }
    at_ += 2;
    switch (c) {
      case '0': out->push_back('\0'); return;
      case 'b': out->push_back('\b'); return;
      case 'n': out->push_back('\n'); return;
      case 'r': out->push_back('\r'); return;
      case 't': out->push_back('\t'); return;
      case 'Z': out->push_back('\x1A'); return;
      case '%':  // kept with their backslash: LIKE needs it
      case '_':
        out->push_back('\\');
        out->push_back(c);
        return;
      default: out->push_back(c); return;
    }
  }

  // A \u escape is a UTF-16 unit: two of them may be one character, and half of one is shown as '?', as Java does.
  void AppendUtf16(uint32_t unit, std::string* out) {
    if (!IsSurrogate(unit)) return expr::AppendCodePoint(unit, out);
    const int64_t low = sql_.substr(at_, 2) == "\\u" ? ParseDigits(sql_, at_ + 2, 4, 16) : -1;
    if (unit >= 0xDC00 || low < 0xDC00 || low > 0xDFFF) return expr::AppendCodePoint('?', out);
    expr::AppendCodePoint(0x10000 + ((unit - 0xD800) << 10) + (static_cast<uint32_t>(low) - 0xDC00), out);
    at_ += 6;
  }

  arrow::Status LexSymbol() {
    const size_t begin = at_;
    for (const std::string_view symbol : kLongSymbols) {
      if (sql_.substr(at_, symbol.size()) == symbol) {
        at_ += symbol.size();
        Emit(TokenKind::kSymbol, begin, std::string(symbol));
        return arrow::Status::OK();
      }
    }
    constexpr std::string_view kSingles = "()[].,;:?+-*/%=<>!~&|^@";
    if (kSingles.find(Peek()) == std::string_view::npos) {
      return Error(begin, "[PARSE_SYNTAX_ERROR] Syntax error: an unexpected character.");
    }
    ++at_;
    Emit(TokenKind::kSymbol, begin, std::string(1, sql_[begin]));
    return arrow::Status::OK();
  }

  std::string_view sql_;
  size_t at_ = 0;
  std::vector<Token> tokens_;
};

}  // namespace

arrow::Result<std::vector<Token>> Tokenize(std::string_view sql) {
  arrow::util::InitializeUTF8();
  if (!arrow::util::ValidateUTF8(sql)) return base::InvalidArgument("[PARSE_SYNTAX_ERROR] The statement is not valid UTF-8.");
  return Lexer(sql).Run();
}

bool EqualsIgnoreCase(std::string_view a, std::string_view b) {
  return std::ranges::equal(a, b, [](char x, char y) { return Lower(x) == Lower(y); });
}

std::string ToLower(std::string_view text) {
  std::string lower(text);
  for (char& c : lower) c = Lower(c);
  return lower;
}

std::string ToUpper(std::string_view text) {
  std::string upper(text);
  for (char& c : upper) c = c >= 'a' && c <= 'z' ? static_cast<char>(c - 32) : c;
  return upper;
}

std::string PointAt(std::string_view sql, size_t position) {
  position = std::min(position, sql.size());
  const size_t before = sql.substr(0, position).rfind('\n');
  const size_t line_begin = before == std::string_view::npos ? 0 : before + 1;
  const size_t line_end = std::min(sql.find('\n', position), sql.size());
  const auto line_number = std::count(sql.begin(), sql.begin() + static_cast<std::ptrdiff_t>(position), '\n') + 1;
  // Long lines are shown around the place only, cut between characters.
  constexpr size_t kContext = 60;
  size_t shown_begin = position - line_begin > kContext ? position - kContext : line_begin;
  while (shown_begin < position && IsContinuation(sql[shown_begin])) ++shown_begin;
  size_t shown_end = std::min(line_end, position + kContext);
  while (shown_end < line_end && shown_end > position && IsContinuation(sql[shown_end])) --shown_end;
  const auto characters = [&](size_t from) {
    return std::ranges::count_if(sql.substr(from, position - from), [](char c) { return !IsContinuation(c); });
  };
  std::string shown(sql.substr(shown_begin, shown_end - shown_begin));
  std::ranges::replace(shown, '\t', ' ');
  std::erase(shown, '\r');
  return "(line " + std::to_string(line_number) + ", column " + std::to_string(characters(line_begin) + 1) + ")\n  " + shown + "\n  " +
         std::string(static_cast<size_t>(characters(shown_begin)), ' ') + "^";
}

}  // namespace vecruntime::sql
