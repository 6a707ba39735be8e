// SPDX-License-Identifier: Apache-2.0
#include <immintrin.h>

#include <cstring>

#include "vecruntime/columnar/kernels_internal.h"

namespace vecruntime::columnar {
namespace {

uint64_t LoadWord(const uint8_t* bytes) {
  uint64_t word;
  std::memcpy(&word, bytes, 8);
  return word;
}

// The first `count` bytes, at most eight.
uint64_t LoadPart(const uint8_t* bytes, int64_t count) {
  uint64_t word = 0;
  std::memcpy(&word, bytes, static_cast<size_t>(count));
  return word;
}

// Eight values of `width` bits lie in `width` bytes; PDEP spreads them over eight bytes.
void Unpack8(const uint8_t* packed, int width, int64_t count, uint8_t* out) {
  const uint64_t lanes = 0x0101010101010101 * ((uint64_t{1} << width) - 1);
  const uint8_t* const end = packed + count * width / 8;
  int64_t i = 0;
  for (; packed + 8 <= end; i += 8, packed += width) {
    const uint64_t spread = _pdep_u64(LoadWord(packed), lanes);
    std::memcpy(out + i, &spread, 8);
  }
  for (; i < count; i += 8, packed += width) {
    const uint64_t spread = _pdep_u64(LoadPart(packed, width), lanes);
    std::memcpy(out + i, &spread, 8);
  }
}

// Four values of `width` bits at a time; every second four begin in the middle of a byte when the width is odd.
void Unpack16(const uint8_t* packed, int width, int64_t count, uint16_t* out) {
  const uint64_t lanes = 0x0001000100010001 * ((uint64_t{1} << width) - 1);
  const int64_t bytes = count * width / 8;
  int64_t i = 0;
  int64_t bit = 0;
  for (; i < count && bit / 8 + 8 <= bytes; i += 4, bit += 4 * width) {
    const uint64_t spread = _pdep_u64(LoadWord(packed + bit / 8) >> (bit % 8), lanes);
    std::memcpy(out + i, &spread, 8);
  }
  for (; i < count; i += 4, bit += 4 * width) {
    const uint64_t spread = _pdep_u64(LoadPart(packed + bit / 8, bytes - bit / 8) >> (bit % 8), lanes);
    std::memcpy(out + i, &spread, 8);
  }
}

uint64_t SignBits(const uint8_t* bytes) {
  const auto low = _mm256_movemask_epi8(_mm256_loadu_si256(reinterpret_cast<const __m256i*>(bytes)));
  const auto high = _mm256_movemask_epi8(_mm256_loadu_si256(reinterpret_cast<const __m256i*>(bytes + 32)));
  return (static_cast<uint64_t>(static_cast<uint32_t>(high)) << 32) | static_cast<uint32_t>(low);
}

// Looks up a block of codes before their bits are picked: a wide load behind narrow stores would wait for them.
template <typename Code>
void MatchOneByOne(const Code* codes, int64_t count, const uint8_t* table, uint64_t* words) {
  constexpr int64_t kBlock = 1024;
  uint8_t found[kBlock];
  for (int64_t begin = 0; begin < count; begin += kBlock) {
    const int64_t n = count - begin < kBlock ? count - begin : kBlock;
    for (int64_t k = 0; k < n; ++k) found[k] = table[codes[begin + k]];
    for (int64_t k = n; k % 64 != 0; ++k) found[k] = 0;
    for (int64_t k = 0; k < n; k += 64) words[(begin + k) / 64] = SignBits(found + k);
  }
}

void Match16(const uint16_t* codes, int64_t count, const uint8_t* table, int64_t, uint64_t* words) { MatchOneByOne(codes, count, table, words); }

// table[code] for 32 codes, from tables of 16 entries: those that do not hold a code give 0 for it.
__m256i LookUp(const __m256i* tables, int table_count, __m256i codes) {
  __m256i found = _mm256_setzero_si256();
  for (int t = 0; t < table_count; ++t) {
    const __m256i index = _mm256_adds_epu8(_mm256_sub_epi8(codes, _mm256_set1_epi8(static_cast<char>(16 * t))), _mm256_set1_epi8(0x70));
    found = _mm256_or_si256(found, _mm256_shuffle_epi8(tables[t], index));
  }
  return found;
}

void Match8(const uint8_t* codes, int64_t count, const uint8_t* table, int64_t entry_count, uint64_t* words) {
  constexpr int kTablesMax = 6;
  const auto table_count = static_cast<int>((entry_count + 15) / 16);
  if (table_count > kTablesMax) return MatchOneByOne(codes, count, table, words);
  __m256i tables[kTablesMax];
  for (int t = 0; t < table_count; ++t) {
    tables[t] = _mm256_broadcastsi128_si256(_mm_loadu_si128(reinterpret_cast<const __m128i*>(table + 16 * t)));
  }
  for (int64_t begin = 0; begin < count; begin += 64) {
    uint8_t part[64];
    const uint8_t* from = codes + begin;
    if (count - begin < 64) {
      std::memset(part, 0xff, sizeof(part));  // no entry has this code
      std::memcpy(part, from, static_cast<size_t>(count - begin));
      from = part;
    }
    const __m256i low = LookUp(tables, table_count, _mm256_loadu_si256(reinterpret_cast<const __m256i*>(from)));
    const __m256i high = LookUp(tables, table_count, _mm256_loadu_si256(reinterpret_cast<const __m256i*>(from + 32)));
    words[begin / 64] = (static_cast<uint64_t>(static_cast<uint32_t>(_mm256_movemask_epi8(high))) << 32) |
                        static_cast<uint32_t>(_mm256_movemask_epi8(low));
  }
}

bool AllBelow8(const uint8_t* values, int64_t count, uint32_t limit) {
  __m256i highest = _mm256_setzero_si256();
  int64_t i = 0;
  for (; i + 32 <= count; i += 32) highest = _mm256_max_epu8(highest, _mm256_loadu_si256(reinterpret_cast<const __m256i*>(values + i)));
  alignas(32) uint8_t lanes[32];
  _mm256_store_si256(reinterpret_cast<__m256i*>(lanes), highest);
  for (const uint8_t lane : lanes) {
    if (lane >= limit && count > 0) return false;
  }
  for (; i < count; ++i) {
    if (values[i] >= limit) return false;
  }
  return true;
}

bool AllBelow16(const uint16_t* values, int64_t count, uint32_t limit) {
  __m256i highest = _mm256_setzero_si256();
  int64_t i = 0;
  for (; i + 16 <= count; i += 16) highest = _mm256_max_epu16(highest, _mm256_loadu_si256(reinterpret_cast<const __m256i*>(values + i)));
  alignas(32) uint16_t lanes[16];
  _mm256_store_si256(reinterpret_cast<__m256i*>(lanes), highest);
  for (const uint16_t lane : lanes) {
    if (lane >= limit && count > 0) return false;
  }
  for (; i < count; ++i) {
    if (values[i] >= limit) return false;
  }
  return true;
}

void FillBytes(const uint64_t* words, int64_t count, uint8_t value, uint8_t* bytes) {
  const __m256i filled = _mm256_set1_epi8(static_cast<char>(value));
  const __m256i bit_of_byte = _mm256_set1_epi64x(static_cast<int64_t>(0x8040201008040201));
  const __m256i byte_of_lane = _mm256_setr_epi64x(0, 0x0101010101010101, 0x0202020202020202, 0x0303030303030303);
  int64_t i = 0;
  for (; i + 32 <= count; i += 32) {
    const auto bits = static_cast<int32_t>(words[i / 64] >> (i % 64));
    const __m256i spread = _mm256_and_si256(_mm256_shuffle_epi8(_mm256_set1_epi32(bits), byte_of_lane), bit_of_byte);
    const __m256i mask = _mm256_cmpeq_epi8(spread, bit_of_byte);
    auto* at = reinterpret_cast<__m256i*>(bytes + i);
    _mm256_storeu_si256(at, _mm256_blendv_epi8(_mm256_loadu_si256(at), filled, mask));
  }
  for (; i < count; ++i) {
    if ((words[i / 64] >> (i % 64)) & 1) bytes[i] = value;
  }
}

__m256i LoadLongs(const int64_t* values) { return _mm256_loadu_si256(reinterpret_cast<const __m256i*>(values)); }
__m256i LoadLongs(const int32_t* values) { return _mm256_cvtepi32_epi64(_mm_loadu_si128(reinterpret_cast<const __m128i*>(values))); }

void FindBitsScalar(const int64_t* values, int64_t count, const uint64_t* bits, uint64_t base, uint64_t limit, uint64_t* words) {
  ScalarKernels().find_bits64(values, count, bits, base, limit, words);
}
void FindBitsScalar(const int32_t* values, int64_t count, const uint64_t* bits, uint64_t base, uint64_t limit, uint64_t* words) {
  ScalarKernels().find_bits32(values, count, bits, base, limit, words);
}

template <typename Value>
void FindBits(const Value* values, int64_t count, const uint64_t* bits, uint64_t base, uint64_t limit, uint64_t* words) {
  const __m256i sign = _mm256_set1_epi64x(static_cast<int64_t>(uint64_t{1} << 63));
  const __m256i bases = _mm256_set1_epi64x(static_cast<int64_t>(base));
  const __m256i limits = _mm256_xor_si256(_mm256_set1_epi64x(static_cast<int64_t>(limit)), sign);
  const __m256i low_bits = _mm256_set1_epi64x(63);
  for (int64_t begin = 0; begin < count; begin += 64) {
    const int64_t n = count - begin < 64 ? count - begin : 64;
    uint64_t word = 0;
    int64_t k = 0;
    for (; k + 4 <= n; k += 4) {
      const __m256i bit = _mm256_sub_epi64(LoadLongs(values + begin + k), bases);
      const __m256i inside = _mm256_cmpgt_epi64(limits, _mm256_xor_si256(bit, sign));
      const __m256i found = _mm256_mask_i64gather_epi64(_mm256_setzero_si256(), reinterpret_cast<const long long*>(bits),
                                                        _mm256_srli_epi64(bit, 6), inside, 8);
      const __m256i top = _mm256_sllv_epi64(found, _mm256_andnot_si256(bit, low_bits));
      word |= static_cast<uint64_t>(static_cast<uint32_t>(_mm256_movemask_pd(_mm256_castsi256_pd(top)))) << k;
    }
    if (k < n) {
      uint64_t last = 0;
      FindBitsScalar(values + begin + k, n - k, bits, base, limit, &last);
      word |= last << k;
    }
    words[begin / 64] = word;
  }
}

int64_t CountBits(const uint64_t* words, int64_t count) {
  int64_t bits = 0;
  for (int64_t i = 0; i < count; ++i) bits += _mm_popcnt_u64(words[i]);
  return bits;
}

void Equal8(const uint8_t* codes, int64_t count, uint8_t code, uint64_t* words) {
  const __m256i wanted = _mm256_set1_epi8(static_cast<char>(code));
  uint8_t found[64];
  for (int64_t begin = 0; begin < count; begin += 64) {
    const int64_t n = count - begin < 64 ? count - begin : 64;
    const uint8_t* from = codes + begin;
    if (n < 64) {
      std::memset(found, ~code, sizeof(found));
      std::memcpy(found, from, static_cast<size_t>(n));
      from = found;
    }
    const auto low = _mm256_movemask_epi8(_mm256_cmpeq_epi8(wanted, _mm256_loadu_si256(reinterpret_cast<const __m256i*>(from))));
    const auto high = _mm256_movemask_epi8(_mm256_cmpeq_epi8(wanted, _mm256_loadu_si256(reinterpret_cast<const __m256i*>(from + 32))));
    words[begin / 64] = (static_cast<uint64_t>(static_cast<uint32_t>(high)) << 32) | static_cast<uint32_t>(low);
  }
}

// Eight codes come in one load; a gather is no faster than eight loads.
void Widen8(const uint64_t* entries, int64_t, const uint8_t* codes, int64_t count, uint64_t* out) {
  int64_t i = 0;
  for (; i + 8 <= count; i += 8) {
    uint64_t packed = LoadWord(codes + i);
    for (int k = 0; k < 8; ++k, packed >>= 8) out[i + k] = entries[packed & 0xff];
  }
  for (; i < count; ++i) out[i] = entries[codes[i]];
}

void SumDouble(const double* values, const uint64_t* words, int64_t count, double* lanes) {
  __m256d sums[4];
  for (int s = 0; s < 4; ++s) sums[s] = _mm256_loadu_pd(lanes + 4 * s);
  const __m256i bits = _mm256_setr_epi64x(1, 2, 4, 8);
  int64_t begin = 0;
  for (; begin + 64 <= count; begin += 64) {
    const uint64_t word = words[begin / 64];
    if (word == 0) continue;
    for (int k = 0; k < 64; k += 16) {
      for (int s = 0; s < 4; ++s) {
        const __m256i live = _mm256_and_si256(_mm256_set1_epi64x(static_cast<int64_t>(word >> (k + 4 * s))), bits);
        const __m256d mask = _mm256_castsi256_pd(_mm256_cmpeq_epi64(live, bits));
        sums[s] = _mm256_add_pd(sums[s], _mm256_and_pd(mask, _mm256_loadu_pd(values + begin + k + 4 * s)));
      }
    }
  }
  for (int s = 0; s < 4; ++s) _mm256_storeu_pd(lanes + 4 * s, sums[s]);
  for (int64_t k = 0; begin + k < count; ++k) {
    if ((words[begin / 64] >> k) & 1) lanes[k % kSumLanes] += values[begin + k];
  }
}

uint64_t OrMagnitudes(const int64_t* values, int64_t count) {
  const __m256i zero = _mm256_setzero_si256();
  __m256i all = zero;
  int64_t i = 0;
  for (; i + 4 <= count; i += 4) {
    const __m256i four = _mm256_loadu_si256(reinterpret_cast<const __m256i*>(values + i));
    all = _mm256_or_si256(all, _mm256_xor_si256(four, _mm256_cmpgt_epi64(zero, four)));
  }
  uint64_t lanes[4];
  _mm256_storeu_si256(reinterpret_cast<__m256i*>(lanes), all);
  uint64_t magnitudes = lanes[0] | lanes[1] | lanes[2] | lanes[3];
  for (; i < count; ++i) magnitudes |= static_cast<uint64_t>(values[i] ^ (values[i] >> 63));
  return magnitudes;
}

// The halves of value + 2^63, which has no sign, are added up apart.
__int128 SumLong(const int64_t* values, const uint64_t* words, int64_t count) {
  const __m256i bits = _mm256_setr_epi64x(1, 2, 4, 8);
  const __m256i bias = _mm256_set1_epi64x(INT64_MIN);
  const __m256i low_half = _mm256_set1_epi64x(0xffffffff);
  __m256i low = _mm256_setzero_si256();
  __m256i high = _mm256_setzero_si256();
  int64_t rows = 0;
  int64_t begin = 0;
  for (; begin + 64 <= count; begin += 64) {
    const uint64_t word = words[begin / 64];
    if (word == 0) continue;
    rows += __builtin_popcountll(word);
    for (int k = 0; k < 64; k += 4) {
      const __m256i live = _mm256_and_si256(_mm256_set1_epi64x(static_cast<int64_t>(word >> k)), bits);
      const __m256i four = _mm256_xor_si256(_mm256_loadu_si256(reinterpret_cast<const __m256i*>(values + begin + k)), bias);
      const __m256i masked = _mm256_and_si256(_mm256_cmpeq_epi64(live, bits), four);
      low = _mm256_add_epi64(low, _mm256_and_si256(masked, low_half));
      high = _mm256_add_epi64(high, _mm256_srli_epi64(masked, 32));
    }
  }
  uint64_t lows[4], highs[4];
  _mm256_storeu_si256(reinterpret_cast<__m256i*>(lows), low);
  _mm256_storeu_si256(reinterpret_cast<__m256i*>(highs), high);
  __int128 sum = -(static_cast<__int128>(rows) << 63);
  for (int lane = 0; lane < 4; ++lane) sum += (static_cast<__int128>(highs[lane]) << 32) + static_cast<__int128>(lows[lane]);
  for (int64_t k = 0; begin + k < count; ++k) {
    if ((words[begin / 64] >> k) & 1) sum += values[begin + k];
  }
  return sum;
}

}  // namespace

const Kernels& Avx2Kernels() {
  static constexpr Kernels kKernels = {
      .unpack8 = Unpack8,
      .unpack16 = Unpack16,
      .all_below8 = AllBelow8,
      .all_below16 = AllBelow16,
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
