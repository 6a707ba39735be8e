// SPDX-License-Identifier: Apache-2.0
// Little-endian bit-packed integers (Parquet Encodings.md, "RLE / Bit-packing hybrid"). A decoded field of any width up to 64 bits.
#pragma once

#include <bit>
#include <cstdint>
#include <cstring>

namespace vecruntime::parquet {

static_assert(std::endian::native == std::endian::little, "values are loaded from their little-endian form");

inline uint64_t LowBits(int width) { return width >= 64 ? ~uint64_t{0} : (uint64_t{1} << width) - 1; }

/// Field `index` of width `width` in `bytes`; never reads at or past `end`. REQUIRES: the field lies before `end`.
inline uint64_t UnpackOne(const uint8_t* bytes, const uint8_t* end, int width, int64_t index) {
  const int64_t bit = index * width;
  const uint8_t* at = bytes + bit / 8;
  const int shift = static_cast<int>(bit % 8);
  uint64_t low = 0;
  const int64_t available = end - at;
  if (available >= 9) {
    std::memcpy(&low, at, 8);
    low >>= shift;
    if (shift + width > 64) low |= static_cast<uint64_t>(at[8]) << (64 - shift);
    return low & LowBits(width);
  }
  if (available <= 0) return 0;
  std::memcpy(&low, at, static_cast<size_t>(available < 8 ? available : 8));
  return (low >> shift) & LowBits(width);
}

/// Fields [index, index+count) into `out`. REQUIRES as UnpackOne.
template <typename Out>
void Unpack(const uint8_t* bytes, const uint8_t* end, int width, int64_t index, int64_t count, Out* out) {
  int64_t i = 0;
  if (width <= 56) {
    // One 8-byte load holds any field of up to 56 bits, whatever its first bit.
    const int64_t safe_bits = (end - bytes - 8) * 8;
    const uint64_t mask = LowBits(width);
    int64_t bit = index * width;
    for (; i < count && bit <= safe_bits; ++i, bit += width) {
      uint64_t word;
      std::memcpy(&word, bytes + (bit >> 3), 8);
      out[i] = static_cast<Out>((word >> (bit & 7)) & mask);
    }
  }
  for (; i < count; ++i) out[i] = static_cast<Out>(UnpackOne(bytes, end, width, index + i));
}

/// Reads an unsigned LEB128 at *at, at most 10 bytes; false when it does not end before `end`.
inline bool ReadVarint(const uint8_t** at, const uint8_t* end, uint64_t* value) {
  *value = 0;
  for (int shift = 0; shift < 64 && *at != end; shift += 7) {
    const uint8_t byte = *(*at)++;
    *value |= static_cast<uint64_t>(byte & 0x7f) << shift;
    if ((byte & 0x80) == 0) return true;
  }
  return false;
}

}  // namespace vecruntime::parquet
