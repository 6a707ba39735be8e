// SPDX-License-Identifier: Apache-2.0
// LIKE, ILIKE and the regular-expression functions.
#include <arrow/array.h>
#include <arrow/array/builder_binary.h>
#include <arrow/array/builder_nested.h>
#include <re2/re2.h>

#include <limits>
#include <map>
#include <memory>

#include "vecruntime/base/error.h"
#include "vecruntime/expr/function_registry.h"
#include "vecruntime/expr/functions/function_table.h"
#include "vecruntime/expr/functions/java_regex.h"
#include "vecruntime/expr/row_kernel.h"
#include "vecruntime/expr/utf8.h"

namespace vecruntime::expr {
namespace {

using Text = std::string_view;
re2::StringPiece Piece(Text text) { return {text.data(), text.size()}; }

// Compiles each pattern of a batch once; nearly always there is one.
class RegexCache {
 public:
  explicit RegexCache(bool only_tests = false) : only_tests_(only_tests) {}
  /// The regex for a text, or an error when it would not answer as Java does.
  arrow::Result<const re2::RE2*> Get(Text pattern, Text text) {
    if (last_ == nullptr || pattern != last_pattern_) {
      auto found = compiled_.find(pattern);
      if (found == compiled_.end()) {
        ARROW_ASSIGN_OR_RAISE(auto regex, JavaRegex::Make(pattern, only_tests_));
        if (compiled_.size() > 256) compiled_.clear();
        found = compiled_.emplace(std::string(pattern), std::move(regex)).first;
      }
      last_pattern_ = found->first;
      last_ = found->second.get();
    }
    ARROW_RETURN_NOT_OK(last_->CheckText(text));
    return &last_->regex();
  }

 private:
  bool only_tests_;
  std::map<std::string, std::shared_ptr<const JavaRegex>, std::less<>> compiled_;
  std::string last_pattern_;
  const JavaRegex* last_ = nullptr;
};

// Calls visit(text from the last match's end, match groups) for every match, as java.util.regex.Matcher.find walks: an empty match
// moves on by one character. Java would go on with the second half of a character beyond the basic plane, where RE2 cannot stand:
// Unsupported.
template <typename Visit>
arrow::Status ForEachMatch(Text function, const re2::RE2& regex, Text text, std::vector<re2::StringPiece>* groups, Visit&& visit) {
  size_t at = 0;
  while (at <= text.size()) {
    if (!regex.Match(Piece(text), at, text.size(), re2::RE2::UNANCHORED, groups->data(), static_cast<int>(groups->size()))) break;
    const auto begin = static_cast<size_t>((*groups)[0].data() - text.data());
    const size_t end = begin + (*groups)[0].size();
    if (!visit(begin, end)) break;
    const size_t next = end < text.size() ? CharacterSize(text[end]) : 1;
    if (end == begin && next == 4) {
      return base::Unsupported("Not supported: ", function, " with an empty match beside a character beyond U+FFFF, of the regular expression: ", Text(regex.pattern()));
    }
    at = end > begin ? end : end + next;
  }
  return arrow::Status::OK();
}

// -------------------------------------------------------------------------------------------------------------------- LIKE

// A LIKE pattern compiled to the cheapest test that decides it.
class LikePattern {
 public:
  static arrow::Result<LikePattern> Make(Text pattern, char escape) {
    LikePattern like;
    std::string literal;
    bool underscores = false;
    std::string regex = "(?s)";
    std::vector<std::string> pieces(1);
    for (size_t at = 0; at < pattern.size(); ++at) {
      const char c = pattern[at];
      if (c == escape) {
        if (at + 1 >= pattern.size()) return Malformed(pattern);
        const char next = pattern[at + 1];
        if (next != '_' && next != '%' && next != escape) return Malformed(pattern);
        pieces.back().push_back(next);
        regex += re2::RE2::QuoteMeta(Piece(pattern.substr(++at, 1)));
      } else if (c == '%') {
        pieces.emplace_back();
        regex += ".*";
      } else if (c == '_') {
        underscores = true;
        regex += ".";
      } else {
        const size_t size = CharacterSize(c);
        const Text character = pattern.substr(at, size);
        pieces.back().append(character);
        regex += re2::RE2::QuoteMeta(Piece(character));
        at += character.size() - 1;
      }
    }
    if (underscores) {
      like.regex_ = std::make_shared<const re2::RE2>(regex, re2::RE2::Quiet);
      if (!like.regex_->ok()) return base::Unsupported("LIKE pattern is not supported: ", pattern);
    } else {
      like.pieces_ = std::move(pieces);
    }
    return like;
  }

  bool Matches(Text text) const {
    if (regex_) return re2::RE2::FullMatch(Piece(text), *regex_);
    if (pieces_.size() == 1) return text == pieces_[0];
    const std::string& first = pieces_.front();
    const std::string& last = pieces_.back();
    if (text.size() < first.size() + last.size() || !text.starts_with(first) || !text.ends_with(last)) return false;
    text = text.substr(first.size(), text.size() - first.size() - last.size());
    for (size_t k = 1; k + 1 < pieces_.size(); ++k) {
      const size_t found = text.find(pieces_[k]);
      if (found == Text::npos) return false;
      text.remove_prefix(found + pieces_[k].size());
    }
    return true;
  }

 private:
  static arrow::Status Malformed(Text pattern) {
    return base::InvalidArgument("[INVALID_FORMAT.ESC_IN_THE_MIDDLE] The escape character must stand before _, % or itself: ", pattern);
  }
  std::shared_ptr<const re2::RE2> regex_;
  std::vector<std::string> pieces_;  // what stands between the % signs
};

arrow::Result<char> EscapeOf(const CallSite& site) {
  if (site.size() < 3) return '\\';
  std::string storage;
  const std::string* escape = ConstantText(site[2], &storage);
  if (escape == nullptr || escape->size() != 1) {
    return base::InvalidArgument("[INVALID_ESCAPE_CHAR] The escape of LIKE must be a string literal of length one");
  }
  return (*escape)[0];
}

// `fold`: both sides in lower case (ILIKE).
arrow::Result<ExprPtr> BindLike(const CallSite& site, bool fold) {
  ARROW_ASSIGN_OR_RAISE(auto text, CoerceTo(site[0], arrow::utf8()));
  ARROW_ASSIGN_OR_RAISE(auto pattern, CoerceTo(site[1], arrow::utf8()));
  ARROW_ASSIGN_OR_RAISE(const char escape, EscapeOf(site));
  Kernel kernel = [fold, escape](const std::vector<arrow::Datum>& arguments, const columnar::Selection& rows,
                                 const EvalContext& context) -> arrow::Result<arrow::Datum> {
    ARROW_ASSIGN_OR_RAISE(const KernelCall call, KernelCall::Make(arguments, rows, context));
    std::map<std::string, LikePattern, std::less<>> compiled;
    std::string folded_text, folded_pattern;
    const LikePattern* last = nullptr;
    std::string last_source;
    return RunRows<bool, Text, Text>(call, arrow::boolean(), [&](Writer<bool>& out, Text value, Text source) {
      if (last == nullptr || source != last_source) {
        auto found = compiled.find(source);
        if (found == compiled.end()) {
          folded_pattern.clear();
          if (fold) AppendLower(source, &folded_pattern);
          auto like = LikePattern::Make(fold ? Text(folded_pattern) : source, escape);
          if (!like.ok()) return out.Fail(like.status());
          if (compiled.size() > 256) compiled.clear();
          found = compiled.emplace(std::string(source), std::move(*like)).first;
        }
        last = &found->second;
        last_source = source;
      }
      if (fold) {
        folded_text.clear();
        AppendLower(value, &folded_text);
        value = folded_text;
      }
      out.Set(last->Matches(value));
    });
  };
  return Expr::Call(site.name, arrow::boolean(), {text, pattern}, kernel);
}

// ----------------------------------------------------------------------------------------------------------- regexp_*

// body(out, regex, text, rest...) for calls whose first two arguments are the text and the pattern.
template <typename Out, typename... Rest, typename Body>
Kernel RegexKernel(TypePtr type, Body body, bool only_tests = false) {
  return [type, body, only_tests](const std::vector<arrow::Datum>& arguments, const columnar::Selection& rows,
                      const EvalContext& context) -> arrow::Result<arrow::Datum> {
    ARROW_ASSIGN_OR_RAISE(const KernelCall call, KernelCall::Make(arguments, rows, context));
    RegexCache cache(only_tests);
    return RunRows<Out, Text, Text, Rest...>(call, type, [&](Writer<Out>& out, Text text, Text pattern, Rest... rest) {
      const auto regex = cache.Get(pattern, text);
      if (!regex.ok()) return out.Fail(regex.status());
      body(out, **regex, text, rest...);
    });
  };
}

bool CheckGroup(RowOutcome& out, const re2::RE2& regex, int32_t group) {
  if (group >= 0 && group <= regex.NumberOfCapturingGroups()) return true;
  out.Fail(base::InvalidArgument("[INVALID_PARAMETER_VALUE.REGEX_GROUP_INDEX] The group index is out of range: ", group));
  return false;
}

void Extract(Writer<Text>& out, const re2::RE2& regex, Text text, int32_t group) {
  if (!CheckGroup(out, regex, group)) return;
  std::vector<re2::StringPiece> groups(static_cast<size_t>(group) + 1);
  if (!regex.Match(Piece(text), 0, text.size(), re2::RE2::UNANCHORED, groups.data(), group + 1)) return;
  const re2::StringPiece& found = groups[static_cast<size_t>(group)];
  out.Set(Text(found.data() == nullptr ? "" : found.data(), found.size()));
}

// Java's replacement syntax: $1 and ${name}-less groups, backslash quotes the next character.
void AppendReplacement(Writer<Text>& out, Text replacement, const std::vector<re2::StringPiece>& groups) {
  for (size_t at = 0; at < replacement.size(); ++at) {
    const char c = replacement[at];
    if (c == '\\') {
      if (++at >= replacement.size()) return out.Fail(base::InvalidArgument("[INVALID_REGEXP_REPLACE] Character to be escaped is missing in the replacement: ", replacement));
      out.Append(replacement[at]);
    } else if (c == '$') {
      size_t group = 0, digits = 0;
      while (at + 1 < replacement.size() && replacement[at + 1] >= '0' && replacement[at + 1] <= '9') {
        const size_t next = group * 10 + static_cast<size_t>(replacement[at + 1] - '0');
        if (digits > 0 && next >= groups.size()) break;
        group = next;
        ++digits;
        ++at;
      }
      if (digits == 0 && at + 1 < replacement.size() && replacement[at + 1] == '{') return out.Fail(base::Unsupported("Not supported: named groups in the replacement of regexp_replace: ", replacement));
      if (digits == 0 || group >= groups.size()) return out.Fail(base::InvalidArgument("[INVALID_REGEXP_REPLACE] Illegal group reference in the replacement: ", replacement));
      if (groups[group].data() != nullptr) out.Append(Text(groups[group].data(), groups[group].size()));
    } else {
      out.Append(c);
    }
  }
}

void ReplaceAll(Writer<Text>& out, const re2::RE2& regex, Text text, Text replacement, int32_t position) {
  if (position < 1) return out.Fail(base::InvalidArgument("[DATATYPE_MISMATCH.VALUE_OUT_OF_RANGE] The position must be positive: ", position));
  std::vector<re2::StringPiece> groups(static_cast<size_t>(regex.NumberOfCapturingGroups()) + 1);
  const size_t start = ByteOffsetOf(text, position - 1);
  if (position > 1 && start >= text.size()) return out.Set(text);
  out.Append(text.substr(0, start));
  const Text region = text.substr(start);
  size_t copied = 0;
  const arrow::Status walked = ForEachMatch("regexp_replace", regex, region, &groups, [&](size_t begin, size_t end) {
    out.Append(region.substr(copied, begin - copied));
    AppendReplacement(out, replacement, groups);
    copied = end;
    return !out.failed();
  });
  if (!walked.ok()) return out.Fail(walked);
  out.Append(region.substr(copied));
}

arrow::Result<ExprPtr> BindSplit(const CallSite& site) {
  ARROW_ASSIGN_OR_RAISE(auto text, CoerceTo(site[0], arrow::utf8()));
  ARROW_ASSIGN_OR_RAISE(auto pattern, CoerceTo(site[1], arrow::utf8()));
  ARROW_ASSIGN_OR_RAISE(auto limit, site.size() > 2 ? CoerceTo(site[2], arrow::int32()) : arrow::Result<ExprPtr>(IntLiteral(-1)));
  const TypePtr type = arrow::list(arrow::field("element", arrow::utf8()));
  Kernel kernel = [type](const std::vector<arrow::Datum>& arguments, const columnar::Selection& rows,
                         const EvalContext& context) -> arrow::Result<arrow::Datum> {
    ARROW_ASSIGN_OR_RAISE(const KernelCall call, KernelCall::Make(arguments, rows, context));
    const Column<Text> texts(call.argument(0)), patterns(call.argument(1));
    const Column<int32_t> limits(call.argument(2));
    const columnar::Selection valid = call.ValidRows();
    auto values = std::make_shared<arrow::StringBuilder>(context.pool);
    arrow::ListBuilder lists(context.pool, values, type);
    RegexCache cache;
    for (int64_t row = 0; row < rows.length(); ++row) {
      if (!valid.IsLive(row) || !rows.IsLive(row)) {
        ARROW_RETURN_NOT_OK(lists.AppendNull());
        continue;
      }
      ARROW_RETURN_NOT_OK(lists.Append());
      ARROW_ASSIGN_OR_RAISE(const re2::RE2* regex, cache.Get(patterns[row], texts[row]));
      const Text value = texts[row];
      const int32_t most = limits[row];
      std::vector<re2::StringPiece> groups(1);
      std::vector<Text> parts;
      size_t copied = 0;
      if (patterns[row].empty()) {
        // An empty pattern takes the text apart by characters, without a trailing empty part.
        while (copied < value.size() && !(most > 0 && static_cast<int32_t>(parts.size()) == most - 1)) {
          parts.push_back(value.substr(copied, CharacterSize(value[copied])));
          copied += parts.back().size();
        }
        if (copied < value.size() || parts.empty()) parts.push_back(value.substr(copied));
      } else {
        ARROW_RETURN_NOT_OK(ForEachMatch("split", *regex, value, &groups, [&](size_t begin, size_t end) {
          if (most > 0 && static_cast<int32_t>(parts.size()) == most - 1) return false;
          if (end == 0) return true;  // Java drops a leading empty match, and keeps what follows one at the end
          parts.push_back(value.substr(copied, begin - copied));
          copied = end;
          return true;
        }));
        parts.push_back(value.substr(copied));
      }
      for (const Text part : parts) ARROW_RETURN_NOT_OK(values->Append(part));
    }
    ARROW_ASSIGN_OR_RAISE(const auto result, lists.Finish());
    return arrow::Datum(result);
  };
  return Expr::Call(site.name, type, {text, pattern, limit}, kernel);
}

arrow::Result<ExprPtr> BindExtractAll(const CallSite& site) {
  ARROW_ASSIGN_OR_RAISE(auto text, CoerceTo(site[0], arrow::utf8()));
  ARROW_ASSIGN_OR_RAISE(auto pattern, CoerceTo(site[1], arrow::utf8()));
  ARROW_ASSIGN_OR_RAISE(auto group, site.size() > 2 ? CoerceTo(site[2], arrow::int32()) : arrow::Result<ExprPtr>(IntLiteral(1)));
  const TypePtr type = arrow::list(arrow::field("element", arrow::utf8()));
  Kernel kernel = [type](const std::vector<arrow::Datum>& arguments, const columnar::Selection& rows,
                         const EvalContext& context) -> arrow::Result<arrow::Datum> {
    ARROW_ASSIGN_OR_RAISE(const KernelCall call, KernelCall::Make(arguments, rows, context));
    const Column<Text> texts(call.argument(0)), patterns(call.argument(1));
    const Column<int32_t> wanted(call.argument(2));
    columnar::Selection valid = call.ValidRows();
    auto values = std::make_shared<arrow::StringBuilder>(context.pool);
    arrow::ListBuilder lists(context.pool, values, type);
    RegexCache cache;
    for (int64_t row = 0; row < rows.length(); ++row) {
      if (!valid.IsLive(row) || !rows.IsLive(row)) {
        ARROW_RETURN_NOT_OK(lists.AppendNull());
        continue;
      }
      ARROW_RETURN_NOT_OK(lists.Append());
      ARROW_ASSIGN_OR_RAISE(const re2::RE2* regex, cache.Get(patterns[row], texts[row]));
      RowOutcome outcome(&valid);
      if (!CheckGroup(outcome, *regex, wanted[row])) return outcome.status();
      std::vector<re2::StringPiece> groups(static_cast<size_t>(wanted[row]) + 1);
      arrow::Status status;
      ARROW_RETURN_NOT_OK(ForEachMatch("regexp_extract_all", *regex, texts[row], &groups, [&](size_t, size_t) {
        status = values->Append(Text(groups.back().data() == nullptr ? "" : groups.back().data(), groups.back().size()));
        return status.ok();
      }));
      ARROW_RETURN_NOT_OK(status);
    }
    ARROW_ASSIGN_OR_RAISE(const auto result, lists.Finish());
    return arrow::Datum(result);
  };
  return Expr::Call(site.name, type, {text, pattern, group}, kernel);
}

}  // namespace

void AddRegexFunctions(FunctionTable* table) {
  const TypePtr text = arrow::utf8(), number = arrow::int32();
  table->Add({"like"}, 2, 3, [](const CallSite& site) { return BindLike(site, false); });
  table->Add({"ilike"}, 2, 3, [](const CallSite& site) { return BindLike(site, true); });
  table->AddSimple({"rlike", "regexp_like", "regexp"}, {text, text}, arrow::boolean(),
                   RegexKernel<bool>(arrow::boolean(), [](Writer<bool>& out, const re2::RE2& regex, Text value) {
                     out.Set(re2::RE2::PartialMatch(Piece(value), regex));
                   }, true));
  table->AddSimple({"regexp_extract"}, {text, text, number}, text, RegexKernel<Text, int32_t>(text, Extract), {IntLiteral(1)});
  table->AddSimple({"regexp_replace"}, {text, text, text, number}, text, RegexKernel<Text, Text, int32_t>(text, ReplaceAll), {IntLiteral(1)});
  table->AddSimple({"regexp_count"}, {text, text}, number,
                   RegexKernel<int32_t>(number, [](Writer<int32_t>& out, const re2::RE2& regex, Text value) {
                     std::vector<re2::StringPiece> groups(1);
                     int32_t count = 0;
                     const arrow::Status walked = ForEachMatch("regexp_count", regex, value, &groups, [&](size_t, size_t) { return ++count > 0; });
                     if (!walked.ok()) return out.Fail(walked);
                     out.Set(count);
                   }));
  table->AddSimple({"regexp_substr"}, {text, text}, text,
                   RegexKernel<Text>(text, [](Writer<Text>& out, const re2::RE2& regex, Text value) {
                     re2::StringPiece found;
                     if (!regex.Match(Piece(value), 0, value.size(), re2::RE2::UNANCHORED, &found, 1)) return out.Null();
                     out.Set(Text(found.data() == nullptr ? "" : found.data(), found.size()));
                   }));
  table->AddSimple({"regexp_instr"}, {text, text}, number,
                   RegexKernel<int32_t>(number, [](Writer<int32_t>& out, const re2::RE2& regex, Text value) {
                     re2::StringPiece found;
                     if (!regex.Match(Piece(value), 0, value.size(), re2::RE2::UNANCHORED, &found, 1)) return out.Set(0);
                     out.Set(static_cast<int32_t>(CharacterCount(value.substr(0, static_cast<size_t>(found.data() - value.data())))) + 1);
                   }));
  table->Add({"split"}, 2, 3, BindSplit);
  table->Add({"regexp_extract_all"}, 2, 3, BindExtractAll);
}

}  // namespace vecruntime::expr
