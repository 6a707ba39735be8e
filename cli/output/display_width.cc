// SPDX-License-Identifier: Apache-2.0
#include "cli/output/display_width.h"

#include <algorithm>
#include <array>
#include <cstdint>

namespace vecruntime::cli {
namespace {

struct Range {
  uint32_t first, last;
};

// Unicode 15: East_Asian_Width W and F, as blocks; emoji presentation.
constexpr std::array<Range, 20> kWide = {{{0x1100, 0x115F},   {0x231A, 0x231B},   {0x2E80, 0x303E},   {0x3041, 0x33FF},
                                          {0x3400, 0x4DBF},   {0x4E00, 0x9FFF},   {0xA000, 0xA4CF},   {0xA960, 0xA97F},
                                          {0xAC00, 0xD7A3},   {0xF900, 0xFAFF},   {0xFE10, 0xFE19},   {0xFE30, 0xFE6F},
                                          {0xFF00, 0xFF60},   {0xFFE0, 0xFFE6},   {0x16FE0, 0x18CFF}, {0x1B000, 0x1B2FF},
                                          {0x1F300, 0x1F64F}, {0x1F680, 0x1F6FF}, {0x1F900, 0x1F9FF}, {0x20000, 0x3FFFD}}};
constexpr std::array<Range, 12> kZero = {{{0x0300, 0x036F}, {0x0483, 0x0489}, {0x0591, 0x05BD}, {0x0610, 0x061A},
                                          {0x064B, 0x065F}, {0x1AB0, 0x1AFF}, {0x1DC0, 0x1DFF}, {0x200B, 0x200F},
                                          {0x20D0, 0x20FF}, {0xFE00, 0xFE0F}, {0xFE20, 0xFE2F}, {0xE0100, 0xE01EF}}};

template <size_t kCount>
bool Contains(const std::array<Range, kCount>& ranges, uint32_t code) {
  return std::any_of(ranges.begin(), ranges.end(), [code](Range r) { return code >= r.first && code <= r.last; });
}

// Length in bytes of the character at the front, and its code point; malformed bytes are characters of their own.
size_t Decode(std::string_view text, uint32_t* code) {
  const auto lead = static_cast<unsigned char>(text[0]);
  const size_t length = lead < 0x80 ? 1 : lead >> 5 == 6 ? 2 : lead >> 4 == 14 ? 3 : lead >> 3 == 30 ? 4 : 0;
  *code = 0xFFFD;
  if (length == 0 || text.size() < length) return 1;
  uint32_t value = length == 1 ? lead : lead & (0x7Fu >> length);
  for (size_t k = 1; k < length; ++k) {
    if ((static_cast<unsigned char>(text[k]) & 0xC0) != 0x80) return 1;
    value = value << 6 | (static_cast<unsigned char>(text[k]) & 0x3F);
  }
  *code = value;
  return length;
}

int WidthOf(uint32_t code) { return code < 0x300 ? 1 : Contains(kZero, code) ? 0 : Contains(kWide, code) ? 2 : 1; }

}  // namespace

int DisplayWidth(std::string_view text) {
  int width = 0;
  for (size_t at = 0; at < text.size();) {
    uint32_t code;
    at += Decode(text.substr(at), &code);
    width += WidthOf(code);
  }
  return width;
}

std::string CutToWidth(std::string_view text, int width) {
  if (DisplayWidth(text) <= width) return std::string(text);
  int used = 0;
  size_t at = 0;
  while (at < text.size()) {
    uint32_t code;
    const size_t length = Decode(text.substr(at), &code);
    if (used + WidthOf(code) > width - 1) break;
    used += WidthOf(code);
    at += length;
  }
  return std::string(text.substr(0, at)) + "…";
}

std::string Printable(std::string_view text) {
  static constexpr char kHex[] = "0123456789ABCDEF";
  std::string out;
  for (char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    if (c == '\n') {
      out += "\\n";
    } else if (c == '\t') {
      out += "\\t";
    } else if (c == '\r') {
      out += "\\r";
    } else if (byte < 0x20 || byte == 0x7F) {
      out += {'\\', 'x', kHex[byte >> 4], kHex[byte & 15]};
    } else {
      out.push_back(c);
    }
  }
  return out;
}

}  // namespace vecruntime::cli
