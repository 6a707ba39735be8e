// SPDX-License-Identifier: Apache-2.0
#include <immintrin.h>

#include <cstring>

#include "vecruntime/columnar/kernels_internal.h"

namespace vecruntime::columnar {
namespace {

__mmask64 FirstBytes(int64_t count) { return count >= 64 ? ~uint64_t{0} : (uint64_t{1} << count) - 1; }

// Sixty-four values lie in 8 * width bytes: each 64-bit lane takes the `width` bytes of eight values and picks one byte for each.
void Unpack8(const uint8_t* packed, int width, int64_t count, uint8_t* out) {
  alignas(64) uint8_t places[64];
  alignas(64) uint8_t shifts[64];
  for (int i = 0; i < 64; ++i) {
    places[i] = static_cast<uint8_t>(i / 8 * width + i % 8);
    shifts[i] = static_cast<uint8_t>(i % 8 * width);
  }
  const __m512i place = _mm512_load_si512(places);
  const __m512i shift = _mm512_load_si512(shifts);
  const __m512i mask = _mm512_set1_epi8(static_cast<char>((1 << width) - 1));
  for (int64_t i = 0; i < count; i += 64, packed += 8 * width) {
    const int64_t left = count - i;
    const __m512i bytes = _mm512_maskz_loadu_epi8(FirstBytes(left < 64 ? left * width / 8 : 8 * width), packed);
    const __m512i values = _mm512_and_si512(_mm512_multishift_epi64_epi8(shift, _mm512_permutexvar_epi8(place, bytes)), mask);
    _mm512_mask_storeu_epi8(out + i, FirstBytes(left), values);
  }
}

// Thirty-two values lie in 4 * width bytes. A 64-bit lane holds four; its low and high bytes are picked apart.
void Unpack16(const uint8_t* packed, int width, int64_t count, uint16_t* out) {
  alignas(64) uint8_t places[64];
  alignas(64) uint8_t shifts[64];
  for (int i = 0; i < 64; ++i) {
    const int first_bit = i / 8 * 4 * width;
    places[i] = static_cast<uint8_t>((first_bit / 8 + i % 8) & 63);
    shifts[i] = static_cast<uint8_t>((first_bit % 8 + i % 8 / 2 * width + i % 2 * 8) & 63);
  }
  const __m512i place = _mm512_load_si512(places);
  const __m512i shift = _mm512_load_si512(shifts);
  const __m512i mask = _mm512_set1_epi16(static_cast<int16_t>((1 << width) - 1));
  for (int64_t i = 0; i < count; i += 32, packed += 4 * width) {
    const int64_t left = count - i;
    const __m512i bytes = _mm512_maskz_loadu_epi8(FirstBytes(left < 32 ? left * width / 8 : 4 * width), packed);
    const __m512i values = _mm512_and_si512(_mm512_multishift_epi64_epi8(shift, _mm512_permutexvar_epi8(place, bytes)), mask);
    _mm512_mask_storeu_epi16(out + i, static_cast<__mmask32>(FirstBytes(left < 32 ? left : 32)), values);
  }
}

void FillBytes(const uint64_t* words, int64_t count, uint8_t value, uint8_t* bytes) {
  const __m512i filled = _mm512_set1_epi8(static_cast<char>(value));
  for (int64_t i = 0; i < count; i += 64) _mm512_mask_storeu_epi8(bytes + i, words[i / 64] & FirstBytes(count - i), filled);
}

void Match8(const uint8_t* codes, int64_t count, const uint8_t* table, int64_t, uint64_t* words) {
  const __m512i quarter0 = _mm512_loadu_si512(table);
  const __m512i quarter1 = _mm512_loadu_si512(table + 64);
  const __m512i quarter2 = _mm512_loadu_si512(table + 128);
  const __m512i quarter3 = _mm512_loadu_si512(table + 192);
  for (int64_t begin = 0; begin < count; begin += 64) {
    const __mmask64 rows = FirstBytes(count - begin);
    const __m512i code = _mm512_maskz_loadu_epi8(rows, codes + begin);
    const __m512i low = _mm512_permutex2var_epi8(quarter0, code, quarter1);
    const __m512i high = _mm512_permutex2var_epi8(quarter2, code, quarter3);
    words[begin / 64] = _mm512_movepi8_mask(_mm512_mask_blend_epi8(_mm512_movepi8_mask(code), low, high)) & rows;
  }
}

// The table as bits, 1024 of them in a pair of registers: a code's word is picked from its pair, and its bit from the word.
template <int kPairs>
void MatchBits16(const uint16_t* codes, int64_t count, const uint64_t* bits, uint64_t* words) {
  __m512i table[2 * kPairs];
  for (int r = 0; r < 2 * kPairs; ++r) table[r] = _mm512_loadu_si512(bits + r * 8);
  const __m512i one = _mm512_set1_epi16(1);
  const __m512i low_bits = _mm512_set1_epi16(15);
  for (int64_t begin = 0; begin < count; begin += 64) {
    const __mmask64 rows = FirstBytes(count - begin);
    uint64_t found = 0;
    for (int half = 0; half < 64; half += 32) {
      const __m512i code = _mm512_maskz_loadu_epi16(static_cast<__mmask32>(rows >> half), codes + begin + half);
      const __m512i place = _mm512_srli_epi16(code, 4);
      __m512i word = _mm512_permutex2var_epi16(table[0], place, table[1]);
      for (int p = 1; p < kPairs; ++p) {
        const __mmask32 here = _mm512_cmpeq_epi16_mask(_mm512_srli_epi16(code, 10), _mm512_set1_epi16(static_cast<int16_t>(p)));
        word = _mm512_mask_blend_epi16(here, word, _mm512_permutex2var_epi16(table[2 * p], place, table[2 * p + 1]));
      }
      const __mmask32 set = _mm512_test_epi16_mask(_mm512_srlv_epi16(word, _mm512_and_si512(code, low_bits)), one);
      found |= static_cast<uint64_t>(set) << half;
    }
    words[begin / 64] = found & rows;
  }
}

void Match16(const uint16_t* codes, int64_t count, const uint8_t* table, int64_t entry_count, uint64_t* words) {
  constexpr int64_t kPairEntries = 1024;
  constexpr int64_t kPairsMax = 4;
  if (entry_count > kPairsMax * kPairEntries) return Avx2Kernels().match16(codes, count, table, entry_count, words);
  uint64_t bits[kPairsMax * kPairEntries / 64] = {};
  for (int64_t at = 0; at < entry_count; at += 64) {
    bits[at / 64] = _mm512_movepi8_mask(_mm512_maskz_loadu_epi8(FirstBytes(entry_count - at), table + at));
  }
  switch ((entry_count + kPairEntries - 1) / kPairEntries) {
    case 4: return MatchBits16<4>(codes, count, bits, words);
    case 3: return MatchBits16<3>(codes, count, bits, words);
    case 2: return MatchBits16<2>(codes, count, bits, words);
    default: return MatchBits16<1>(codes, count, bits, words);
  }
}

void Equal8(const uint8_t* codes, int64_t count, uint8_t code, uint64_t* words) {
  const __m512i wanted = _mm512_set1_epi8(static_cast<char>(code));
  for (int64_t begin = 0; begin < count; begin += 64) {
    const __mmask64 rows = FirstBytes(count - begin);
    words[begin / 64] = _mm512_mask_cmpeq_epi8_mask(rows, wanted, _mm512_maskz_loadu_epi8(rows, codes + begin));
  }
}

// Up to sixteen entries live in two registers; more are loaded one by one, which gathers do not beat.
void Widen8(const uint64_t* entries, int64_t entry_count, const uint8_t* codes, int64_t count, uint64_t* out) {
  int64_t i = 0;
  if (entry_count <= 16) {
    alignas(64) uint64_t padded[16] = {};
    std::memcpy(padded, entries, static_cast<size_t>(entry_count) * 8);
    const __m512i low = _mm512_load_si512(padded);
    const __m512i high = _mm512_load_si512(padded + 8);
    for (; i + 8 <= count; i += 8) {
      const __m512i code = _mm512_cvtepu8_epi64(_mm_loadl_epi64(reinterpret_cast<const __m128i*>(codes + i)));
      _mm512_storeu_si512(out + i, _mm512_permutex2var_epi64(low, code, high));
    }
  }
  for (; i < count; ++i) out[i] = entries[codes[i]];
}

__m512i LoadLongs(const int64_t* values, __mmask8 rows) { return _mm512_maskz_loadu_epi64(rows, values); }
__m512i LoadLongs(const int32_t* values, __mmask8 rows) { return _mm512_cvtepi32_epi64(_mm256_maskz_loadu_epi32(rows, values)); }

template <typename Value>
void FindBits(const Value* values, int64_t count, const uint64_t* bits, uint64_t base, uint64_t limit, uint64_t* words) {
  const __m512i bases = _mm512_set1_epi64(static_cast<int64_t>(base));
  const __m512i limits = _mm512_set1_epi64(static_cast<int64_t>(limit));
  const __m512i one = _mm512_set1_epi64(1);
  for (int64_t begin = 0; begin < count; begin += 64) {
    const __mmask64 rows = FirstBytes(count - begin);
    uint64_t word = 0;
    for (int k = 0; k < 64; k += 8) {
      const auto eight = static_cast<__mmask8>(rows >> k);
      const __m512i bit = _mm512_sub_epi64(LoadLongs(values + begin + k, eight), bases);
      const __mmask8 inside = _mm512_mask_cmplt_epu64_mask(eight, bit, limits);
      const __m512i found = _mm512_mask_i64gather_epi64(_mm512_setzero_si512(), inside, _mm512_srli_epi64(bit, 6), bits, 8);
      word |= static_cast<uint64_t>(_mm512_test_epi64_mask(found, _mm512_rolv_epi64(one, bit))) << k;
    }
    words[begin / 64] = word;
  }
}

void SumDouble(const double* values, const uint64_t* words, int64_t count, double* lanes) {
  __m512d even = _mm512_loadu_pd(lanes);
  __m512d odd = _mm512_loadu_pd(lanes + 8);
  int64_t begin = 0;
  for (; begin + 64 <= count; begin += 64) {
    const uint64_t word = words[begin / 64];
    if (word == 0) continue;
    for (int k = 0; k < 64; k += 16) {
      even = _mm512_mask_add_pd(even, static_cast<__mmask8>(word >> k), even, _mm512_loadu_pd(values + begin + k));
      odd = _mm512_mask_add_pd(odd, static_cast<__mmask8>(word >> (k + 8)), odd, _mm512_loadu_pd(values + begin + k + 8));
    }
  }
  _mm512_storeu_pd(lanes, even);
  _mm512_storeu_pd(lanes + 8, odd);
  for (int64_t k = 0; begin + k < count; ++k) {
    if ((words[begin / 64] >> k) & 1) lanes[k % kSumLanes] += values[begin + k];
  }
}

struct Lanes {
  uint64_t lanes[8];
  const uint64_t* begin() const { return lanes; }
  const uint64_t* end() const { return lanes + 8; }
};

Lanes LanesOf(__m512i vector) {
  Lanes all;
  _mm512_storeu_si512(all.lanes, vector);
  return all;
}

uint64_t OrMagnitudes(const int64_t* values, int64_t count) {
  __m512i all = _mm512_setzero_si512();
  int64_t i = 0;
  for (; i + 8 <= count; i += 8) {
    const __m512i eight = _mm512_loadu_si512(values + i);
    all = _mm512_or_si512(all, _mm512_xor_si512(eight, _mm512_maskz_srai_epi64(0xff, eight, 63)));
  }
  uint64_t magnitudes = 0;
  for (const uint64_t lane : LanesOf(all)) magnitudes |= lane;
  for (; i < count; ++i) magnitudes |= static_cast<uint64_t>(values[i] ^ (values[i] >> 63));
  return magnitudes;
}

// The halves of the values are added up apart.
__int128 SumLong(const int64_t* values, const uint64_t* words, int64_t count) {
  const __m512i low_half = _mm512_set1_epi64(0xffffffff);
  __m512i low = _mm512_setzero_si512();
  __m512i high = _mm512_setzero_si512();
  int64_t begin = 0;
  for (; begin + 64 <= count; begin += 64) {
    const uint64_t word = words[begin / 64];
    if (word == 0) continue;
    for (int k = 0; k < 64; k += 8) {
      const __m512i eight = _mm512_maskz_loadu_epi64(static_cast<__mmask8>(word >> k), values + begin + k);
      low = _mm512_add_epi64(low, _mm512_and_si512(eight, low_half));
      high = _mm512_add_epi64(high, _mm512_maskz_srai_epi64(0xff, eight, 32));
    }
  }
  __int128 sum = 0;
  for (const uint64_t lane : LanesOf(low)) sum += lane;
  for (const uint64_t lane : LanesOf(high)) sum += static_cast<__int128>(static_cast<int64_t>(lane)) << 32;
  for (int64_t k = 0; begin + k < count; ++k) {
    if ((words[begin / 64] >> k) & 1) sum += values[begin + k];
  }
  return sum;
}

}  // namespace

// What is not here is no faster than with AVX2.
const Kernels& Avx512Kernels() {
  static const Kernels kernels = [] {
    Kernels all = Avx2Kernels();
    all.unpack8 = Unpack8;
    all.unpack16 = Unpack16;
    all.match8 = Match8;
    all.match16 = Match16;
    all.equal8 = Equal8;
    all.widen8 = Widen8;
    all.fill_bytes = FillBytes;
    all.find_bits32 = FindBits<int32_t>;
    all.find_bits64 = FindBits<int64_t>;
    all.or_magnitudes = OrMagnitudes;
    all.sum_double = SumDouble;
    all.sum_long = SumLong;
    return all;
  }();
  return kernels;
}

}  // namespace vecruntime::columnar
