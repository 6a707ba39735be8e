// SPDX-License-Identifier: Apache-2.0
// UTF-8 text by code points. Malformed bytes count as characters by the length their first byte announces, as Spark's UTF8String does.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace vecruntime::expr {

/// Bytes that the character starting with `first` announces (1 for stray continuation bytes).
inline size_t CharacterSize(char first) {
  const auto byte = static_cast<uint8_t>(first);
  if (byte < 0xC2) return 1;
  if (byte < 0xE0) return 2;
  if (byte < 0xF0) return 3;
  return byte < 0xF5 ? 4 : 1;
}

inline bool IsAscii(std::string_view text) {
  uint8_t all = 0;
  for (char c : text) all |= static_cast<uint8_t>(c);
  return all < 0x80;
}

int64_t CharacterCount(std::string_view text);
/// Characters as Java counts them: those beyond the basic plane are two.
int64_t Utf16Count(std::string_view text);
/// Byte offset of character `index`, or the size of the text when it has fewer.
size_t ByteOffsetOf(std::string_view text, int64_t index);
/// Characters [begin, end); a negative begin counts as 0.
std::string_view Characters(std::string_view text, int64_t begin, int64_t end);
/// SQL SUBSTRING with a 1-based, possibly negative position.
std::string_view SubstringSql(std::string_view text, int32_t position, int32_t length);

/// The code point at byte `*at`, which moves behind it; U+FFFD for malformed bytes.
char32_t DecodeAt(std::string_view text, size_t* at);
void AppendCodePoint(char32_t code, std::string* out);
/// The bytes as valid UTF-8: each malformed sequence becomes U+FFFD, as Java's decoder does.
void AppendRepaired(std::string_view bytes, std::string* out);

void AppendUpper(std::string_view text, std::string* out);
void AppendLower(std::string_view text, std::string* out);
/// Words are what blanks separate.
void AppendTitle(std::string_view text, std::string* out);

}  // namespace vecruntime::expr
