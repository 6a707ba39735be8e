// SPDX-License-Identifier: Apache-2.0
// quote, mask, is_valid_utf8, luhn_check, url_encode, url_decode, to_binary.
#include <array>

#include "vecruntime/base/error.h"
#include "vecruntime/expr/function_registry.h"
#include "vecruntime/expr/functions/function_table.h"
#include "vecruntime/expr/row_kernel.h"
#include "vecruntime/expr/utf8.h"

namespace vecruntime::expr {
namespace {

using Text = std::string_view;
using Out = Writer<Text>;

void Quote(Out& out, Text text) {
  out.Append('\'');
  for (char c : text) {
    if (c == '\'') out.Append('\\');
    out.Append(c);
  }
  out.Append('\'');
}

bool IsUpperCase(Text character, std::string* scratch) {
  scratch->clear();
  AppendLower(character, scratch);
  return *scratch != character;
}

bool IsLowerCase(Text character, std::string* scratch) {
  scratch->clear();
  AppendUpper(character, scratch);
  return *scratch != character;
}

// Upper case, lower case, digits and the rest, each replaced by its own character; NULL keeps them.
arrow::Result<ExprPtr> BindMask(const CallSite& site) {
  constexpr std::array<Text, 3> kDefaults = {"X", "x", "n"};
  std::array<std::string, 4> replacements;  // empty: keep
  for (size_t k = 0; k < 4; ++k) {
    if (k < 3) replacements[k] = kDefaults[k];
    if (site.size() <= k + 1) continue;
    if (!IsString(site.type(k + 1)) && site.type(k + 1).id() != arrow::Type::NA) return WrongType(site, k + 1, "string");
    if (site[k + 1]->kind() != ExprKind::kLiteral) return base::Unsupported("The replacements of mask must be constant");
    std::string storage;
    const std::string* text = ConstantText(site[k + 1], &storage);
    if (text != nullptr && CharacterCount(*text) != 1) {
      return base::InvalidArgument("[DATATYPE_MISMATCH.INPUT_SIZE_NOT_ONE] Replacements of mask must be one character: ", *text);
    }
    replacements[k] = text == nullptr ? "" : *text;
  }
  ARROW_ASSIGN_OR_RAISE(auto text, CoerceTo(site[0], arrow::utf8()));
  return Expr::Call(site.name, arrow::utf8(), {text}, RowKernel<Text, Text>(arrow::utf8(), [replacements](Out& out, Text value) {
                      std::string scratch;
                      for (size_t at = 0; at < value.size();) {
                        const Text character = value.substr(at, CharacterSize(value[at]));
                        at += character.size();
                        const bool digit = character.size() == 1 && character[0] >= '0' && character[0] <= '9';
                        const size_t kind = digit ? 2 : IsUpperCase(character, &scratch) ? 0 : IsLowerCase(character, &scratch) ? 1 : 3;
                        out.Append(replacements[kind].empty() ? character : Text(replacements[kind]));
                      }
                    }));
}

bool IsValidUtf8(Text text) {
  for (size_t at = 0; at < text.size();) {
    const size_t before = at;
    const char32_t code = DecodeAt(text, &at);
    if (code == 0xFFFD && text.substr(before, 3) != "\xEF\xBF\xBD") return false;
    const size_t size = at - before;
    if ((size == 3 && (code < 0x800 || (code >= 0xD800 && code < 0xE000))) || (size == 4 && (code < 0x10000 || code > 0x10FFFF))) return false;
  }
  return true;
}

bool LuhnCheck(Text digits) {
  int sum = 0;
  bool doubled = false;
  for (auto c = digits.rbegin(); c != digits.rend(); ++c, doubled = !doubled) {
    if (*c < '0' || *c > '9') return false;
    const int value = (*c - '0') * (doubled ? 2 : 1);
    sum += value > 9 ? value - 9 : value;
  }
  return !digits.empty() && sum % 10 == 0;
}

// application/x-www-form-urlencoded, as java.net.URLEncoder.
void UrlEncode(Out& out, Text text) {
  constexpr Text kHex = "0123456789ABCDEF";
  for (char c : text) {
    if ((c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || Text(".-*_").find(c) != Text::npos) {
      out.Append(c);
    } else if (c == ' ') {
      out.Append('+');
    } else {
      out.Append('%');
      out.Append(kHex[static_cast<uint8_t>(c) >> 4]);
      out.Append(kHex[static_cast<uint8_t>(c) & 15]);
    }
  }
}

int HexDigit(char c) {
  if (c >= '0' && c <= '9') return c - '0';
  if (c >= 'a' && c <= 'f') return c - 'a' + 10;
  return c >= 'A' && c <= 'F' ? c - 'A' + 10 : -1;
}

void UrlDecode(Out& out, Text text, bool null_on_failure) {
  std::string bytes;
  for (size_t at = 0; at < text.size(); ++at) {
    if (text[at] == '+') {
      bytes.push_back(' ');
    } else if (text[at] != '%') {
      bytes.push_back(text[at]);
    } else {
      const int high = at + 2 < text.size() ? HexDigit(text[at + 1]) : -1, low = at + 2 < text.size() ? HexDigit(text[at + 2]) : -1;
      if (high < 0 || low < 0) {
        if (null_on_failure) return out.Null();
        return out.Fail(base::InvalidArgument("[CANNOT_DECODE_URL] The text cannot be decoded as a URL: ", text));
      }
      bytes.push_back(static_cast<char>(high << 4 | low));
      at += 2;
    }
  }
  AppendRepaired(bytes, out.data());
}

// to_binary(text, format): the function of the format, failing where that gives NULL.
arrow::Result<ExprPtr> BindToBinary(const CallSite& site) {
  std::string format = "hex", storage;
  if (site.size() > 1) {
    const std::string* written = ConstantText(site[1], &storage);
    if (written == nullptr) {
      if (site[1]->kind() == ExprKind::kLiteral) return NullLiteral(arrow::binary());
      return base::Unsupported("The format of to_binary must be constant");
    }
    format.clear();
    AppendLower(*written, &format);
  }
  if (format == "utf-8" || format == "utf8") {
    ARROW_ASSIGN_OR_RAISE(auto text, CoerceTo(site[0], arrow::utf8()));
    return BindCast(text, arrow::binary(), false);
  }
  if (format == "base64") return base::Unsupported("The format base64 of to_binary is not supported");
  if (format != "hex") return base::InvalidArgument("[DATATYPE_MISMATCH.INVALID_ARG_VALUE] Invalid format of to_binary: ", format);
  ARROW_ASSIGN_OR_RAISE(auto text, CoerceTo(site[0], arrow::utf8()));
  return Expr::Call(site.name, arrow::binary(), {text}, RowKernel<Text, Text>(arrow::binary(), [](Out& out, Text value) {
                      const size_t odd = value.size() % 2;
                      for (size_t at = 0; at < value.size(); at += at == 0 && odd == 1 ? 1 : 2) {
                        const bool single = at == 0 && odd == 1;
                        const int high = single ? 0 : HexDigit(value[at]), low = HexDigit(value[single ? at : at + 1]);
                        if (high < 0 || low < 0) return out.Fail(base::InvalidArgument("[CONVERSION_INVALID_INPUT] The value cannot be converted to binary: ", value));
                        out.Append(static_cast<char>(high << 4 | low));
                      }
                    }));
}

}  // namespace

void AddTextEncodingFunctions(FunctionTable* table) {
  const TypePtr text = arrow::utf8();
  table->AddSimple({"quote"}, {text}, text, RowKernel<Text, Text>(text, Quote));
  table->Add({"mask"}, 1, 5, BindMask);
  table->AddSimple({"is_valid_utf8"}, {text}, arrow::boolean(),
                   RowKernel<bool, Text>(arrow::boolean(), [](Writer<bool>& out, Text value) { out.Set(IsValidUtf8(value)); }));
  table->AddSimple({"luhn_check"}, {text}, arrow::boolean(),
                   RowKernel<bool, Text>(arrow::boolean(), [](Writer<bool>& out, Text value) { out.Set(LuhnCheck(value)); }));
  table->AddSimple({"url_encode"}, {text}, text, RowKernel<Text, Text>(text, UrlEncode));
  table->AddSimple({"url_decode"}, {text}, text, RowKernel<Text, Text>(text, [](Out& out, Text value) { UrlDecode(out, value, false); }));
  table->AddSimple({"try_url_decode"}, {text}, text, RowKernel<Text, Text>(text, [](Out& out, Text value) { UrlDecode(out, value, true); }));
  table->Add({"to_binary"}, 1, 2, BindToBinary);
}

}  // namespace vecruntime::expr
