// SPDX-License-Identifier: Apache-2.0
#include "vecruntime/expr/utf8.h"

#include <arrow/array.h>
#include <arrow/array/builder_binary.h>
#include <arrow/compute/exec.h>

#include <algorithm>
#include <array>
#include <limits>
#include <vector>

namespace vecruntime::expr {

int64_t CharacterCount(std::string_view text) {
  if (IsAscii(text)) return static_cast<int64_t>(text.size());
  int64_t count = 0;
  for (size_t at = 0; at < text.size(); at += CharacterSize(text[at])) ++count;
  return count;
}

int64_t Utf16Count(std::string_view text) {
  int64_t count = CharacterCount(text);
  for (size_t at = 0; at < text.size(); at += CharacterSize(text[at])) count += CharacterSize(text[at]) == 4;
  return count;
}

size_t ByteOffsetOf(std::string_view text, int64_t index) {
  size_t at = 0;
  for (; index > 0 && at < text.size(); --index) at += CharacterSize(text[at]);
  return std::min(at, text.size());
}

std::string_view Characters(std::string_view text, int64_t begin, int64_t end) {
  if (end <= begin || end <= 0) return {};
  begin = std::max<int64_t>(begin, 0);
  const size_t from = ByteOffsetOf(text, begin);
  const std::string_view rest = text.substr(from);
  return rest.substr(0, ByteOffsetOf(rest, end - begin));
}

std::string_view SubstringSql(std::string_view text, int32_t position, int32_t length) {
  const int64_t start = position > 0 ? position - 1 : position < 0 ? CharacterCount(text) + position : 0;
  return Characters(text, start, start + length);
}

char32_t DecodeAt(std::string_view text, size_t* at) {
  constexpr char32_t kReplacement = 0xFFFD;
  const auto byte = [&](size_t k) { return static_cast<uint8_t>(text[*at + k]); };
  const size_t size = CharacterSize(text[*at]);
  if (size == 1 || *at + size > text.size()) {
    const char32_t code = byte(0) < 0x80 ? byte(0) : kReplacement;
    ++*at;
    return code;
  }
  char32_t code = byte(0) & (0xFF >> (size + 1));
  for (size_t k = 1; k < size; ++k) {
    if ((byte(k) & 0xC0) != 0x80) {
      ++*at;
      return kReplacement;
    }
    code = code << 6 | (byte(k) & 0x3F);
  }
  *at += size;
  return code;
}

void AppendCodePoint(char32_t code, std::string* out) {
  if (code < 0x80) {
    out->push_back(static_cast<char>(code));
  } else if (code < 0x800) {
    out->push_back(static_cast<char>(0xC0 | code >> 6));
    out->push_back(static_cast<char>(0x80 | (code & 0x3F)));
  } else if (code < 0x10000) {
    out->push_back(static_cast<char>(0xE0 | code >> 12));
    out->push_back(static_cast<char>(0x80 | (code >> 6 & 0x3F)));
    out->push_back(static_cast<char>(0x80 | (code & 0x3F)));
  } else {
    out->push_back(static_cast<char>(0xF0 | code >> 18));
    out->push_back(static_cast<char>(0x80 | (code >> 12 & 0x3F)));
    out->push_back(static_cast<char>(0x80 | (code >> 6 & 0x3F)));
    out->push_back(static_cast<char>(0x80 | (code & 0x3F)));
  }
}

void AppendRepaired(std::string_view bytes, std::string* out) {
  if (IsAscii(bytes)) {
    out->append(bytes);
    return;
  }
  for (size_t at = 0; at < bytes.size();) {
    const auto first = static_cast<uint8_t>(bytes[at]);
    const size_t size = CharacterSize(bytes[at]);
    size_t good = first < 0x80 || (first >= 0xC2 && first < 0xF5) ? 1 : 0;
    for (; good > 0 && good < size && at + good < bytes.size(); ++good) {
      const auto next = static_cast<uint8_t>(bytes[at + good]);
      // The second byte excludes overlong forms, surrogates and what lies beyond U+10FFFF.
      const uint8_t low = good > 1 ? 0x80 : first == 0xE0 ? 0xA0 : first == 0xF0 ? 0x90 : 0x80;
      const uint8_t high = good > 1 ? 0xBF : first == 0xED ? 0x9F : first == 0xF4 ? 0x8F : 0xBF;
      if (next < low || next > high) break;
    }
    if (good == size) {
      out->append(bytes.substr(at, size));
    } else {
      out->append("\xEF\xBF\xBD");
    }
    at += std::max<size_t>(good, 1);
  }
}

namespace {

constexpr char32_t kCaseTableSize = 0x1E944;  // beyond the last cased character (Adlam)

// One-to-one case mappings, taken once from Arrow's Unicode data.
std::vector<char32_t> MakeCaseTable(const std::string& function) {
  std::vector<char32_t> table(kCaseTableSize);
  arrow::StringBuilder builder;
  std::string text;
  for (char32_t code = 0; code < kCaseTableSize; ++code) {
    table[code] = code;
    text.clear();
    if (code < 0xD800 || code > 0xDFFF) AppendCodePoint(code, &text);
    if (!builder.Append(text).ok()) return table;
  }
  const auto input = builder.Finish();
  if (!input.ok()) return table;
  const auto mapped = arrow::compute::CallFunction(function, {*input});
  if (!mapped.ok()) return table;
  const auto array = mapped->make_array();
  for (char32_t code = 0; code < kCaseTableSize; ++code) {
    const std::string_view value = static_cast<const arrow::StringArray&>(*array).GetView(code);
    size_t at = 0;
    if (!value.empty()) table[code] = DecodeAt(value, &at);
  }
  return table;
}

char32_t Upper(char32_t code) {
  static const std::vector<char32_t> table = MakeCaseTable("utf8_upper");
  return code < kCaseTableSize ? table[code] : code;
}

char32_t Lower(char32_t code) {
  static const std::vector<char32_t> table = MakeCaseTable("utf8_lower");
  return code < kCaseTableSize ? table[code] : code;
}

// Characters whose upper case is more than one character (the common ones of Unicode's SpecialCasing).
constexpr std::array<std::pair<char32_t, std::string_view>, 10> kLongUpper = {{
    {0x00DF, "SS"},
    {0x0149, "\xCA\xBCN"},
    {0x01F0, "J\xCC\x8C"},
    {0xFB00, "FF"},
    {0xFB01, "FI"},
    {0xFB02, "FL"},
    {0xFB03, "FFI"},
    {0xFB04, "FFL"},
    {0xFB05, "ST"},
    {0xFB06, "ST"},
}};

void AppendUpperCodePoint(char32_t code, std::string* out) {
  for (const auto& [from, to] : kLongUpper) {
    if (code == from) {
      out->append(to);
      return;
    }
  }
  AppendCodePoint(Upper(code), out);
}

bool IsCased(char32_t code) { return Upper(code) != code || Lower(code) != code; }

constexpr char32_t kCapitalSigma = 0x03A3;
constexpr char32_t kFinalSigma = 0x03C2;
constexpr char32_t kDottedCapitalI = 0x0130;

}  // namespace

void AppendUpper(std::string_view text, std::string* out) {
  if (IsAscii(text)) {
    for (char c : text) out->push_back(c >= 'a' && c <= 'z' ? static_cast<char>(c - 32) : c);
    return;
  }
  for (size_t at = 0; at < text.size();) AppendUpperCodePoint(DecodeAt(text, &at), out);
}

void AppendLower(std::string_view text, std::string* out) {
  if (IsAscii(text)) {
    for (char c : text) out->push_back(c >= 'A' && c <= 'Z' ? static_cast<char>(c + 32) : c);
    return;
  }
  char32_t previous = 0;
  for (size_t at = 0; at < text.size();) {
    const char32_t code = DecodeAt(text, &at);
    size_t ahead = at;
    const bool ends_word = code == kCapitalSigma && IsCased(previous) && (at >= text.size() || !IsCased(DecodeAt(text, &ahead)));
    if (code == kDottedCapitalI) {
      out->append("i\xCC\x87");
    } else {
      AppendCodePoint(ends_word ? kFinalSigma : Lower(code), out);
    }
    previous = code;
  }
}

void AppendTitle(std::string_view text, std::string* out) {
  std::string lower;
  AppendLower(text, &lower);
  const std::string_view view = lower;
  bool first = true;
  for (size_t at = 0; at < view.size();) {
    const char32_t code = DecodeAt(view, &at);
    if (first && code == 0x00DF) {
      out->append("Ss");
    } else {
      AppendCodePoint(first ? Upper(code) : code, out);
    }
    first = code == ' ';
  }
}

}  // namespace vecruntime::expr
