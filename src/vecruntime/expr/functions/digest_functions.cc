// SPDX-License-Identifier: Apache-2.0
// hex, unhex, base64, unbase64, encode, decode, bin, conv, md5, sha1, sha2, crc32.
#include <array>
#include <bit>
#include <limits>

#include "vecruntime/base/error.h"
#include "vecruntime/expr/function_registry.h"
#include "vecruntime/expr/functions/digest.h"
#include "vecruntime/expr/functions/function_table.h"
#include "vecruntime/expr/number_text.h"
#include "vecruntime/expr/row_kernel.h"
#include "vecruntime/expr/utf8.h"

namespace vecruntime::expr {
namespace {

using Text = std::string_view;
using Out = Writer<Text>;

void AppendHex(Text bytes, Text alphabet, std::string* out) {
  for (char c : bytes) {
    const auto byte = static_cast<uint8_t>(c);
    out->push_back(alphabet[byte >> 4]);
    out->push_back(alphabet[byte & 15]);
  }
}

constexpr Text kUpperHex = "0123456789ABCDEF";
constexpr Text kLowerHex = "0123456789abcdef";

arrow::Result<ExprPtr> BindHex(const CallSite& site) {
  const arrow::DataType& type = site.type(0);
  if (type.id() == arrow::Type::BINARY || IsString(type)) {
    return Expr::Call(site.name, arrow::utf8(), {site[0]}, RowKernel<Text, Text>(arrow::utf8(), [](Out& out, Text bytes) {
                        AppendHex(bytes, kUpperHex, out.data());
                      }));
  }
  ARROW_ASSIGN_OR_RAISE(auto number, CoerceTo(site[0], arrow::int64()));
  return Expr::Call(site.name, arrow::utf8(), {number}, RowKernel<Text, int64_t>(arrow::utf8(), [](Out& out, int64_t value) {
                      const auto bits = static_cast<uint64_t>(value);
                      for (int shift = bits == 0 ? 0 : (63 - std::countl_zero(bits)) / 4 * 4; shift >= 0; shift -= 4) {
                        out.Append(kUpperHex[bits >> shift & 15]);
                      }
                    }));
}

int HexDigit(char c) {
  if (c >= '0' && c <= '9') return c - '0';
  if (c >= 'a' && c <= 'f') return c - 'a' + 10;
  if (c >= 'A' && c <= 'F') return c - 'A' + 10;
  return -1;
}

void Unhex(Out& out, Text text) {
  size_t at = 0;
  if (text.size() % 2 == 1) {
    const int digit = HexDigit(text[at++]);
    if (digit < 0) return out.Null();
    out.Append(static_cast<char>(digit));
  }
  for (; at < text.size(); at += 2) {
    const int high = HexDigit(text[at]), low = HexDigit(text[at + 1]);
    if (high < 0 || low < 0) return out.Null();
    out.Append(static_cast<char>(high << 4 | low));
  }
}

constexpr Text kBase64 = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

void Base64(Out& out, Text bytes) {
  for (size_t at = 0; at < bytes.size(); at += 3) {
    uint32_t block = 0;
    const size_t count = std::min<size_t>(3, bytes.size() - at);
    for (size_t k = 0; k < 3; ++k) block = block << 8 | (k < count ? static_cast<uint8_t>(bytes[at + k]) : 0);
    for (size_t k = 0; k < 4; ++k) out.Append(k <= count ? kBase64[block >> (18 - 6 * k) & 63] : '=');
  }
}

// MIME decoding: characters outside the alphabet are skipped.
void Unbase64(Out& out, Text text) {
  uint32_t block = 0;
  int bits = 0;
  for (char c : text) {
    if (c == '=') break;
    const size_t digit = kBase64.find(c);
    if (digit == Text::npos) continue;
    block = block << 6 | static_cast<uint32_t>(digit);
    bits += 6;
    if (bits >= 8) {
      bits -= 8;
      out.Append(static_cast<char>(block >> bits & 0xFF));
    }
  }
}

// Only the charsets that are a view of UTF-8 or a plain mapping of it.
enum class Charset { kUtf8, kAscii, kLatin1, kUtf16Be, kUtf16Le, kUtf16 };

arrow::Result<Charset> CharsetOf(const CallSite& site, size_t argument) {
  std::string storage;
  const std::string* name = ConstantText(site[argument], &storage);
  if (name == nullptr) return base::Unsupported("Charset of ", site.name, " must be constant");
  std::string upper;
  AppendUpper(*name, &upper);
  if (upper == "UTF-8" || upper == "UTF8") return Charset::kUtf8;
  if (upper == "US-ASCII") return Charset::kAscii;
  if (upper == "ISO-8859-1") return Charset::kLatin1;
  if (upper == "UTF-16BE") return Charset::kUtf16Be;
  if (upper == "UTF-16LE") return Charset::kUtf16Le;
  if (upper == "UTF-16") return Charset::kUtf16;
  return base::InvalidArgument("[INVALID_PARAMETER_VALUE.CHARSET] Unknown charset: ", *name);
}

void AppendUtf16(char32_t code, bool little, std::string* out) {
  const auto unit = [&](uint32_t value) {
    out->push_back(static_cast<char>(little ? value & 0xFF : value >> 8));
    out->push_back(static_cast<char>(little ? value >> 8 : value & 0xFF));
  };
  if (code < 0x10000) return unit(code);
  unit(0xD800 + ((code - 0x10000) >> 10));
  unit(0xDC00 + ((code - 0x10000) & 0x3FF));
}

void Encode(Out& out, Text text, Charset charset) {
  if (charset == Charset::kUtf8) return out.Set(text);
  if (charset == Charset::kUtf16 && !text.empty()) out.Append(Text("\xFE\xFF", 2));
  for (size_t at = 0; at < text.size();) {
    const char32_t code = DecodeAt(text, &at);
    if (charset == Charset::kAscii || charset == Charset::kLatin1) {
      if (code >= (charset == Charset::kAscii ? 0x80u : 0x100u)) {
        return out.Fail(base::InvalidArgument("[MALFORMED_CHARACTER_CODING] Character cannot be encoded by encode"));
      }
      out.Append(static_cast<char>(code));
    } else {
      AppendUtf16(code, charset == Charset::kUtf16Le, out.data());
    }
  }
}

void Decode(Out& out, Text bytes, Charset charset) {
  const auto malformed = [&] { out.Fail(base::InvalidArgument("[MALFORMED_CHARACTER_CODING] Malformed bytes in decode")); };
  if (charset == Charset::kUtf8) {
    for (size_t at = 0; at < bytes.size();) {
      const size_t before = at;
      if (DecodeAt(bytes, &at) == 0xFFFD && bytes.substr(before, 3) != "\xEF\xBF\xBD") return malformed();
    }
    return out.Set(bytes);
  }
  if (charset == Charset::kAscii || charset == Charset::kLatin1) {
    for (char c : bytes) {
      if (charset == Charset::kAscii && static_cast<uint8_t>(c) >= 0x80) return malformed();
      AppendCodePoint(static_cast<uint8_t>(c), out.data());
    }
    return;
  }
  bool little = charset == Charset::kUtf16Le;
  if (charset == Charset::kUtf16 && bytes.size() >= 2) {
    little = bytes.starts_with("\xFF\xFE");
    if (little || bytes.starts_with("\xFE\xFF")) bytes.remove_prefix(2);
  }
  if (bytes.size() % 2 != 0) return malformed();
  const auto unit = [&](size_t at) -> char32_t {
    const auto first = static_cast<uint8_t>(bytes[at]), second = static_cast<uint8_t>(bytes[at + 1]);
    return little ? static_cast<char32_t>(second << 8 | first) : static_cast<char32_t>(first << 8 | second);
  };
  for (size_t at = 0; at < bytes.size(); at += 2) {
    char32_t code = unit(at);
    if (code >= 0xD800 && code < 0xE000) {  // a pair, high half first
      at += 2;
      const char32_t low = at < bytes.size() ? unit(at) : 0;
      if (code >= 0xDC00 || low < 0xDC00 || low >= 0xE000) return malformed();
      code = 0x10000 + ((code - 0xD800) << 10) + (low - 0xDC00);
    }
    AppendCodePoint(code, out.data());
  }
}

template <typename Convert>
Binder Coding(TypePtr from, TypePtr to, Convert convert) {
  return [from, to, convert](const CallSite& site) -> arrow::Result<ExprPtr> {
    ARROW_ASSIGN_OR_RAISE(auto value, CoerceTo(site[0], from));
    ARROW_ASSIGN_OR_RAISE(const Charset charset, CharsetOf(site, 1));
    return Expr::Call(site.name, to, {value}, RowKernel<Text, Text>(to, [convert, charset](Out& out, Text bytes) { convert(out, bytes, charset); }));
  };
}

void AppendBinary(Out& out, int64_t value) {
  const auto bits = static_cast<uint64_t>(value);
  for (int bit = bits == 0 ? 0 : 63 - std::countl_zero(bits); bit >= 0; --bit) out.Append(bits >> bit & 1 ? '1' : '0');
}

// Hive's conv: unsigned 64-bit arithmetic, a negative base means signed output.
void Conv(Out& out, Text text, int32_t from, int32_t to) {
  const int32_t out_base = to < 0 ? -to : to;
  if (from < 2 || from > 36 || out_base < 2 || out_base > 36) return out.Null();
  text = TrimAll(text);
  if (text.empty()) return out.Null();
  bool negative = text[0] == '-';
  if (negative) text.remove_prefix(1);
  uint64_t value = 0;
  for (char c : text) {
    int digit = HexDigit(c);
    if (digit < 0 && ((c >= 'g' && c <= 'z') || (c >= 'G' && c <= 'Z'))) digit = (c | 0x20) - 'a' + 10;
    if (digit < 0 || digit >= from) break;
    uint64_t next = 0;
    if (__builtin_mul_overflow(value, static_cast<uint64_t>(from), &next) || __builtin_add_overflow(next, static_cast<uint64_t>(digit), &next)) {
      return out.Fail(base::InvalidArgument("[ARITHMETIC_OVERFLOW] Overflow in function conv()"));
    }
    value = next;
  }
  if (negative) {
    value = to > 0 && static_cast<int64_t>(value) < 0 ? std::numeric_limits<uint64_t>::max() : ~value + 1;
  }
  bool minus = false;
  if (to < 0 && static_cast<int64_t>(value) < 0) {
    value = ~value + 1;
    minus = true;
  }
  char buffer[65];
  int at = 65;
  do {
    buffer[--at] = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ"[value % static_cast<uint64_t>(out_base)];
    value /= static_cast<uint64_t>(out_base);
  } while (value != 0);
  if (minus) out.Append('-');
  out.Append(Text(buffer + at, static_cast<size_t>(65 - at)));
}

// decode(value, search, result, ..., [default]): CASE where NULL is found by NULL.
arrow::Result<ExprPtr> DecodeCases(const CallSite& site) {
  const bool has_default = site.size() % 2 == 0;
  std::vector<TypePtr> types;
  for (size_t k = 2; k < site.size(); k += 2) types.push_back(site[k]->type());
  if (has_default) types.push_back(site[site.size() - 1]->type());
  ARROW_ASSIGN_OR_RAISE(const TypePtr type, CommonType(types));
  std::vector<ExprPtr> branches;
  for (size_t k = 1; k + 1 < site.size(); k += 2) {
    ARROW_ASSIGN_OR_RAISE(auto found, BindCall("<=>", {site[0], site[k]}, *site.context));
    branches.push_back(std::move(found));
    branches.push_back(CastIfNeeded(site[k + 1], type));
  }
  branches.push_back(has_default ? CastIfNeeded(site[site.size() - 1], type) : NullLiteral(type));
  return Expr::Case(std::move(branches), type);
}

}  // namespace

void AddDigestFunctions(FunctionTable* table) {
  const TypePtr text = arrow::utf8(), bytes = arrow::binary(), number = arrow::int32();
  // A string argument is its UTF-8 bytes.
  const auto of_bytes = [&](std::initializer_list<Text> names, Kernel kernel, TypePtr result) {
    table->Add(names, 1, 1, [kernel, result](const CallSite& site) -> arrow::Result<ExprPtr> {
      ARROW_ASSIGN_OR_RAISE(auto value, site.type(0).id() == arrow::Type::BINARY ? site[0] : CoerceTo(site[0], arrow::utf8()));
      return Expr::Call(site.name, result, {value}, kernel);
    });
  };
  table->Add({"hex"}, 1, 1, BindHex);
  table->AddSimple({"unhex"}, {text}, bytes, RowKernel<Text, Text>(bytes, Unhex));
  of_bytes({"base64"}, RowKernel<Text, Text>(text, Base64), text);
  table->AddSimple({"unbase64"}, {text}, bytes, RowKernel<Text, Text>(bytes, Unbase64));
  table->Add({"encode"}, 2, 2, Coding(text, bytes, Encode));
  table->Add({"decode"}, 2, -1, [decode = Coding(bytes, text, Decode)](const CallSite& site) { return site.size() == 2 ? decode(site) : DecodeCases(site); });
  of_bytes({"md5"}, RowKernel<Text, Text>(text, [](Out& out, Text value) { AppendHex(Md5(value), kLowerHex, out.data()); }), text);
  of_bytes({"sha1", "sha"}, RowKernel<Text, Text>(text, [](Out& out, Text value) { AppendHex(Sha1(value), kLowerHex, out.data()); }), text);
  table->Add({"sha2"}, 2, 2, [](const CallSite& site) -> arrow::Result<ExprPtr> {
    ARROW_ASSIGN_OR_RAISE(auto value, site.type(0).id() == arrow::Type::BINARY ? site[0] : CoerceTo(site[0], arrow::utf8()));
    ARROW_ASSIGN_OR_RAISE(auto width, CoerceTo(site[1], arrow::int32()));
    return Expr::Call(site.name, arrow::utf8(), {value, width}, RowKernel<Text, Text, int32_t>(arrow::utf8(), [](Out& out, Text data, int32_t bits) {
                        const std::string digest = Sha2(data, bits == 0 ? 256 : bits);
                        if (digest.empty()) return out.Null();
                        AppendHex(digest, kLowerHex, out.data());
                      }));
  });
  of_bytes({"crc32"}, RowKernel<int64_t, Text>(arrow::int64(), [](Writer<int64_t>& out, Text value) { out.Set(Crc32(value)); }), arrow::int64());
  table->AddSimple({"bin"}, {arrow::int64()}, text, RowKernel<Text, int64_t>(text, AppendBinary));
  table->AddSimple({"conv"}, {text, number, number}, text, RowKernel<Text, Text, int32_t, int32_t>(text, Conv));
}

}  // namespace vecruntime::expr
