// SPDX-License-Identifier: Apache-2.0
#include "vecruntime/expr/functions/java_regex.h"

#include "vecruntime/base/error.h"
#include "vecruntime/expr/utf8.h"

namespace vecruntime::expr {
namespace {

constexpr std::string_view kLineEnds = "\\n\\r\\x{85}\\x{2028}\\x{2029}";
constexpr std::string_view kSpaces = "\\t\\n\\x0B\\f\\r ";

// Rewrites a pattern left to right.
class Translator {
 public:
  Translator(std::string_view pattern, bool only_tests) : pattern_(pattern), only_tests_(only_tests) {}

  arrow::Status Run() {
    while (at_ < pattern_.size()) {
      const char c = pattern_[at_];
      if (c == '\\') {
        ARROW_RETURN_NOT_OK(Escape(false));
      } else if (c == '[') {
        ARROW_RETURN_NOT_OK(Class());
      } else if (c == '(') {
        ARROW_RETURN_NOT_OK(Group());
      } else if (c == '.' && !dot_all_) {
        out_.append("[^").append(kLineEnds).append("]");
        ++at_;
      } else if (c == '$') {
        Dollar();
      } else {
        out_.push_back(c);
        ++at_;
      }
    }
    return arrow::Status::OK();
  }

  const std::string& out() const { return out_; }
  bool ascii_only() const { return ascii_only_; }
  bool folds_case() const { return folds_case_; }
  bool no_final_line_end() const { return no_final_line_end_; }

 private:
  arrow::Status Refuse(std::string_view what) const {
    return base::Unsupported("Regular expression uses what is not supported, ", what, ": ", pattern_);
  }

  // Java's $ also matches before a line end at the end of the text.
  void Dollar() {
    ++at_;
    if (only_tests_) {
      out_.append("(?:\\r\\n|[").append(kLineEnds).append("])?\\z");
    } else {
      out_.append("\\z");
      no_final_line_end_ = true;
    }
  }

  arrow::Status Escape(bool in_class) {
    if (at_ + 1 >= pattern_.size()) return base::InvalidArgument("[INVALID_PARAMETER_VALUE.PATTERN] Invalid regular expression: ", pattern_);
    const char c = pattern_[at_ + 1];
    if (c == 'Q') {
      const size_t end = pattern_.find("\\E", at_ + 2);
      const std::string_view quoted = pattern_.substr(at_ + 2, end == std::string_view::npos ? end : end - at_ - 2);
      out_.append(re2::RE2::QuoteMeta(re2::StringPiece(quoted.data(), quoted.size())));
      at_ = end == std::string_view::npos ? pattern_.size() : end + 2;
      return arrow::Status::OK();
    }
    if (c == 's') {
      out_.append(in_class ? "" : "[").append(kSpaces).append(in_class ? "" : "]");
    } else if (c == 'S') {
      if (in_class) return Refuse("\\S in a character class");
      out_.append("[^").append(kSpaces).append("]");
    } else if (c == 'u') {
      if (at_ + 5 >= pattern_.size()) return Refuse("\\u");
      out_.append("\\x{").append(pattern_.substr(at_ + 2, 4)).append("}");
      at_ += 4;
    } else if (c == 'b' || c == 'B') {
      if (in_class) return Refuse("\\b in a character class");
      ascii_only_ = true;
      out_.append("\\").push_back(c);
    } else if (c == 'C' || c == 'Z' || c == 'h' || c == 'H' || c == 'v' || c == 'V' || c == 'R' || c == 'X' || c == 'G' || c == 'k' ||
               c == 'c' || c == 'e' || (c >= '0' && c <= '9')) {
      return Refuse(std::string("\\") + c);
    } else if (c == 'p' || c == 'P') {
      ARROW_RETURN_NOT_OK(Property(c));
      return arrow::Status::OK();
    } else {
      out_.append("\\").push_back(c);
    }
    at_ += 2;
    return arrow::Status::OK();
  }

  // Java's POSIX names as ASCII ranges; Unicode categories are the same in both.
  arrow::Status Property(char p) {
    static constexpr std::pair<std::string_view, std::string_view> kNames[] = {
        {"Lower", "lower"}, {"Upper", "upper"}, {"Alpha", "alpha"}, {"Digit", "digit"}, {"Alnum", "alnum"}, {"Punct", "punct"},
        {"Graph", "graph"}, {"Print", "print"}, {"Blank", "blank"}, {"Cntrl", "cntrl"}, {"XDigit", "xdigit"}, {"Space", "space"}, {"ASCII", "ascii"}};
    const size_t close = pattern_.find('}', at_);
    if (at_ + 2 < pattern_.size() && pattern_[at_ + 2] == '{' && close != std::string_view::npos) {
      const std::string_view name = pattern_.substr(at_ + 3, close - at_ - 3);
      for (const auto& [java, posix] : kNames) {
        if (name != java) continue;
        if (!in_class_) out_.push_back('[');
        out_.append(p == 'p' ? "[:" : "[:^").append(posix).append(":]");
        if (!in_class_) out_.push_back(']');
        at_ = close + 1;
        return arrow::Status::OK();
      }
      if (name.size() > 2) return Refuse(std::string("\\p{") + std::string(name) + "}");
    }
    out_.append("\\").push_back(p);
    at_ += 2;
    return arrow::Status::OK();
  }

  arrow::Status Class() {
    out_.push_back('[');
    ++at_;
    in_class_ = true;
    if (at_ < pattern_.size() && pattern_[at_] == '^') {
      out_.push_back('^');
      ++at_;
    }
    bool first = true;
    for (; at_ < pattern_.size() && pattern_[at_] != ']'; first = false) {
      const char c = pattern_[at_];
      if (c == '[') return Refuse("a class within a class");
      if (pattern_.substr(at_).starts_with("&&")) return Refuse("an intersection of classes");
      if (c == '\\') {
        ARROW_RETURN_NOT_OK(Escape(true));
      } else {
        out_.push_back(c);
        ++at_;
      }
    }
    if (first) return Refuse("an empty class");
    out_.push_back(']');
    ++at_;
    in_class_ = false;
    return arrow::Status::OK();
  }

  arrow::Status Group() {
    if (!pattern_.substr(at_).starts_with("(?")) {
      out_.push_back('(');
      ++at_;
      return arrow::Status::OK();
    }
    const std::string_view rest = pattern_.substr(at_ + 2);
    if (rest.starts_with("=") || rest.starts_with("!") || rest.starts_with("<=") || rest.starts_with("<!")) return Refuse("look-around");
    if (rest.starts_with(">")) return Refuse("an atomic group");
    if (rest.starts_with("<")) {
      out_.append("(?P<");
      at_ += 3;
      return arrow::Status::OK();
    }
    const size_t end = rest.find_first_of(":)");
    const std::string_view flags = rest.substr(0, end);
    if (flags.find_first_not_of("ims-") != std::string_view::npos) return Refuse("a flag");
    if (flags.find('-') != std::string_view::npos && flags.find('s') != std::string_view::npos) return Refuse("a flag taken back");
    if (flags.find('m') != std::string_view::npos) return Refuse("the flag m");
    if (flags.find('s') != std::string_view::npos) {
      // Flags of a part of the pattern would need scopes; at its start they hold for all of it.
      if (at_ != 0 || (end != std::string_view::npos && rest[end] == ':')) return Refuse("a flag inside the pattern");
      dot_all_ = true;
    }
    if (flags.find('i') != std::string_view::npos) (IsAscii(pattern_) ? folds_case_ : ascii_only_) = true;
    out_.append("(?").append(flags);
    at_ += 2 + flags.size();
    return arrow::Status::OK();
  }

  std::string_view pattern_;
  bool only_tests_;
  size_t at_ = 0;
  std::string out_;
  bool dot_all_ = false, in_class_ = false;
  bool ascii_only_ = false, folds_case_ = false, no_final_line_end_ = false;
};

}  // namespace

arrow::Result<std::shared_ptr<const JavaRegex>> JavaRegex::Make(std::string_view pattern, bool only_tests) {
  Translator translator(pattern, only_tests);
  ARROW_RETURN_NOT_OK(translator.Run());
  re2::RE2::Options options(re2::RE2::Quiet);
  options.set_max_mem(64 << 20);
  auto made = std::make_shared<JavaRegex>();
  made->pattern_ = std::string(pattern);
  made->regex_ = std::make_unique<re2::RE2>(translator.out(), options);
  made->ascii_only_ = translator.ascii_only();
  made->folds_case_ = translator.folds_case();
  made->no_final_line_end_ = translator.no_final_line_end();
  switch (made->regex_->error_code()) {
    case re2::RE2::NoError:
      return made;
    case re2::RE2::ErrorBadEscape:
    case re2::RE2::ErrorBadCharRange:
    case re2::RE2::ErrorRepeatOp:
    case re2::RE2::ErrorRepeatSize:
    case re2::RE2::ErrorBadPerlOp:
    case re2::RE2::ErrorBadNamedCapture:
    case re2::RE2::ErrorPatternTooLarge:
      return base::Unsupported("Regular expression uses what RE2 does not have: ", pattern);
    default:
      return base::InvalidArgument("[INVALID_PARAMETER_VALUE.PATTERN] Invalid regular expression: ", pattern);
  }
}

arrow::Status JavaRegex::CheckText(std::string_view text) const {
  // Java folds ASCII letters only; RE2 also takes the Kelvin sign for k and the long s for s.
  const bool folds_beyond = folds_case_ && (text.find("\xE2\x84\xAA") != std::string_view::npos || text.find("\xC5\xBF") != std::string_view::npos);
  if ((ascii_only_ && !IsAscii(text)) || folds_beyond) {
    return base::Unsupported("Word boundaries and case folding of regular expressions are supported on ASCII text only: ", pattern_);
  }
  if (no_final_line_end_ && !text.empty() && (text.back() == '\n' || text.back() == '\r' || text.ends_with("\xC2\x85") || text.ends_with("\xE2\x80\xA8") || text.ends_with("\xE2\x80\xA9"))) {
    return base::Unsupported("`$` before a line end at the end of the text is not supported here: ", pattern_);
  }
  return arrow::Status::OK();
}

}  // namespace vecruntime::expr
