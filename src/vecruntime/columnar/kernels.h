// SPDX-License-Identifier: Apache-2.0
// Inner loops with one implementation per instruction set, chosen once by what the processor has. All implementations give the same
// bits; kernels_test.cc holds them to it.
#pragma once

#include <cstdint>

namespace vecruntime::columnar {

enum class InstructionSet { kScalar, kAvx2, kAvx512 };

/// Words hold one bit per row, LSB first; bits at and beyond `count` are written as zero.
struct Kernels {
  /// Bit-packed unsigned integers of `width` bits (1..8, or 1..16), first one at bit 0 of `packed`: `count` of them (a multiple of 8) into
  /// `out`. Reads no byte at or beyond packed + count * width / 8.
  void (*unpack8)(const uint8_t* packed, int width, int64_t count, uint8_t* out);
  void (*unpack16)(const uint8_t* packed, int width, int64_t count, uint16_t* out);
  /// Whether all values are below `limit`.
  bool (*all_below8)(const uint8_t* values, int64_t count, uint32_t limit);
  bool (*all_below16)(const uint16_t* values, int64_t count, uint32_t limit);
  /// The rows whose table[code] is 0xff; the others are 0. match8 needs 256 entries, of which those from `entry_count` on are 0; match16
  /// has `entry_count`, which no code reaches.
  void (*match8)(const uint8_t* codes, int64_t count, const uint8_t* table, int64_t entry_count, uint64_t* words);
  void (*match16)(const uint16_t* codes, int64_t count, const uint8_t* table, int64_t entry_count, uint64_t* words);
  /// The rows whose code is `code`.
  void (*equal8)(const uint8_t* codes, int64_t count, uint8_t code, uint64_t* words);
  /// out[i] = entries[codes[i]]. REQUIRES: codes below entry_count.
  void (*widen8)(const uint64_t* entries, int64_t entry_count, const uint8_t* codes, int64_t count, uint64_t* out);
  /// Writes `value` to the bytes whose bit is set.
  void (*fill_bytes)(const uint64_t* words, int64_t count, uint8_t value, uint8_t* bytes);
  /// The rows whose value less `base` (modulo 2^64) is below `limit` and is the number of a set bit in `bits`. 32-bit values are sign-extended.
  void (*find_bits32)(const int32_t* values, int64_t count, const uint64_t* bits, uint64_t base, uint64_t limit, uint64_t* words);
  void (*find_bits64)(const int64_t* values, int64_t count, const uint64_t* bits, uint64_t base, uint64_t limit, uint64_t* words);
  /// OR of what the `count` values are without their sign: v, or ~v where v < 0.
  uint64_t (*or_magnitudes)(const int64_t* values, int64_t count);
  /// Bits set in `count` words.
  int64_t (*count_bits)(const uint64_t* words, int64_t count);
  /// Adds row i, where its bit is set, to lanes[i % 16]: the order of additions is part of the contract.
  void (*sum_double)(const double* values, const uint64_t* words, int64_t count, double* lanes);
  /// The exact sum of the rows whose bit is set. REQUIRES: count < 2^32.
  __int128 (*sum_long)(const int64_t* values, const uint64_t* words, int64_t count);
};

inline constexpr int kSumLanes = 16;

/// The implementation for `set`; null when this processor cannot run it.
const Kernels* KernelsFor(InstructionSet set);
/// The best one for this processor.
const Kernels& ActiveKernels();

}  // namespace vecruntime::columnar
