// SPDX-License-Identifier: Apache-2.0
// Streams the RLE / bit-packing hybrid: dictionary codes, RLE booleans, and definition levels of one bit, which become validity bits
// without an array of levels in between.
#pragma once

#include <arrow/result.h>
#include <arrow/status.h>

#include <cstdint>
#include <span>

namespace vecruntime::parquet {

class RunDecoder {
 public:
  /// Starts over on `bytes`, which must stay valid. REQUIRES: 0 <= bit_width <= 32.
  void Reset(std::span<const uint8_t> bytes, int bit_width);
  /// Starts over on `count` ones that take no bytes: the levels of a column without NULLs. REQUIRES later use as bits.
  void ResetToOnes();

  /// The next `count` values. SerializationError when the bytes end before; so for all below.
  arrow::Status Read(int64_t count, uint32_t* out);
  /// The next `count` values as codes of 8 or 16 bits; SerializationError, too, when one is wider.
  arrow::Status ReadCodes(int64_t count, uint8_t* out);
  arrow::Status ReadCodes(int64_t count, uint16_t* out);
  /// Up to `count` values when they are all the same: how many (>= 1) and which; 0 when the current run is bit-packed.
  arrow::Result<int64_t> TakeRepeated(int64_t count, uint32_t* value);
  arrow::Status Skip(int64_t count);
  /// One-bit values only: the next `count` as bits at `bit_offset` of `bits`; *ones counts the set ones.
  arrow::Status ReadBits(int64_t count, uint8_t* bits, int64_t bit_offset, int64_t* ones);
  /// One-bit values only: how many of the next `count` are set.
  arrow::Status SkipBits(int64_t count, int64_t* ones);
  /// How many of the next values, at most `count`, are known to be 1 without looking at them one by one.
  arrow::Result<int64_t> LeadingOnes(int64_t count);

 private:
  arrow::Status NextRun();
  template <typename Code>
  arrow::Status ReadNarrow(int64_t count, Code* out);
  int64_t run_left() const { return repeated_left_ > 0 ? repeated_left_ : packed_left_; }

  const uint8_t* at_ = nullptr;
  const uint8_t* end_ = nullptr;
  int bit_width_ = 0;
  int64_t repeated_left_ = 0;
  uint32_t repeated_value_ = 0;
  int64_t packed_left_ = 0;
  const uint8_t* packed_ = nullptr;
  int64_t packed_index_ = 0;
};

}  // namespace vecruntime::parquet
