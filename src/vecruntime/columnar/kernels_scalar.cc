// SPDX-License-Identifier: Apache-2.0
#include <cstring>

#include "vecruntime/columnar/kernels_internal.h"

namespace vecruntime::columnar {
namespace {

// Eight values take `width` bytes, so each group of eight begins at a byte.
template <typename Out>
void Unpack(const uint8_t* packed, int width, int64_t count, Out* out) {
  for (int64_t i = 0; i < count; i += 8, packed += width) {
    uint64_t words[2] = {0, 0};
    std::memcpy(words, packed, static_cast<size_t>(width));
    const auto bits = (static_cast<unsigned __int128>(words[1]) << 64) | words[0];
    const uint64_t mask = (uint64_t{1} << width) - 1;
    for (int k = 0; k < 8; ++k) out[i + k] = static_cast<Out>(static_cast<uint64_t>(bits >> (k * width)) & mask);
  }
}

template <typename Value>
bool AllBelow(const Value* values, int64_t count, uint32_t limit) {
  Value highest = 0;
  for (int64_t i = 0; i < count; ++i) highest = values[i] > highest ? values[i] : highest;
  return count == 0 || highest < limit;
}

template <typename Code>
void Match(const Code* codes, int64_t count, const uint8_t* table, uint64_t* words) {
  for (int64_t begin = 0; begin < count; begin += 64) {
    const int64_t n = count - begin < 64 ? count - begin : 64;
    uint64_t word = 0;
    for (int64_t k = 0; k < n; ++k) word |= static_cast<uint64_t>(table[codes[begin + k]] & 1) << k;
    words[begin / 64] = word;
  }
}

void Match8(const uint8_t* codes, int64_t count, const uint8_t* table, int64_t, uint64_t* words) { Match(codes, count, table, words); }
void Match16(const uint16_t* codes, int64_t count, const uint8_t* table, int64_t, uint64_t* words) { Match(codes, count, table, words); }

void Equal8(const uint8_t* codes, int64_t count, uint8_t code, uint64_t* words) {
  for (int64_t begin = 0; begin < count; begin += 64) {
    const int64_t n = count - begin < 64 ? count - begin : 64;
    uint64_t word = 0;
    for (int64_t k = 0; k < n; ++k) word |= static_cast<uint64_t>(codes[begin + k] == code) << k;
    words[begin / 64] = word;
  }
}

void Widen8(const uint64_t* entries, int64_t, const uint8_t* codes, int64_t count, uint64_t* out) {
  for (int64_t i = 0; i < count; ++i) out[i] = entries[codes[i]];
}

void FillBytes(const uint64_t* words, int64_t count, uint8_t value, uint8_t* bytes) {
  for (int64_t i = 0; i < count; ++i) {
    if ((words[i / 64] >> (i % 64)) & 1) bytes[i] = value;
  }
}

template <typename Value>
void FindBits(const Value* values, int64_t count, const uint64_t* bits, uint64_t base, uint64_t limit, uint64_t* words) {
  for (int64_t begin = 0; begin < count; begin += 64) {
    const int64_t n = count - begin < 64 ? count - begin : 64;
    uint64_t word = 0;
    for (int64_t k = 0; k < n; ++k) {
      const uint64_t bit = static_cast<uint64_t>(int64_t{values[begin + k]}) - base;
      if (bit < limit) word |= ((bits[bit / 64] >> (bit % 64)) & 1) << k;
    }
    words[begin / 64] = word;
  }
}

int64_t CountBits(const uint64_t* words, int64_t count) {
  int64_t bits = 0;
  for (int64_t i = 0; i < count; ++i) bits += __builtin_popcountll(words[i]);
  return bits;
}

void SumDouble(const double* values, const uint64_t* words, int64_t count, double* lanes) {
  for (int64_t begin = 0; begin < count; begin += 64) {
    const uint64_t word = words[begin / 64];
    if (word == 0) continue;
    for (int64_t k = 0; k < 64 && begin + k < count; ++k) {
      if ((word >> k) & 1) lanes[k % kSumLanes] += values[begin + k];
    }
  }
}

uint64_t OrMagnitudes(const int64_t* values, int64_t count) {
  uint64_t magnitudes = 0;
  for (int64_t i = 0; i < count; ++i) magnitudes |= static_cast<uint64_t>(values[i] ^ (values[i] >> 63));
  return magnitudes;
}

__int128 SumLong(const int64_t* values, const uint64_t* words, int64_t count) {
  __int128 sum = 0;
  for (int64_t begin = 0; begin < count; begin += 64) {
    const uint64_t word = words[begin / 64];
    if (word == 0) continue;
    for (int64_t k = 0; k < 64 && begin + k < count; ++k) {
      if ((word >> k) & 1) sum += values[begin + k];
    }
  }
  return sum;
}

}  // namespace

const Kernels& ScalarKernels() {
  static constexpr Kernels kKernels = {
      .unpack8 = Unpack<uint8_t>,
      .unpack16 = Unpack<uint16_t>,
      .all_below8 = AllBelow<uint8_t>,
      .all_below16 = AllBelow<uint16_t>,
      .match8 = Match8,
      .match16 = Match16,
      .equal8 = Equal8,
      .widen8 = Widen8,
      .fill_bytes = FillBytes,
      .find_bits32 = FindBits<int32_t>,
      .find_bits64 = FindBits<int64_t>,
      .or_magnitudes = OrMagnitudes,
      .count_bits = CountBits,
      .sum_double = SumDouble,
      .sum_long = SumLong,
  };
  return kKernels;
}

}  // namespace vecruntime::columnar
