// SPDX-License-Identifier: Apache-2.0
// Streams DELTA_BINARY_PACKED integers (Parquet Encodings.md). Needs no buffer: a miniblock is unpacked where it lies.
#pragma once

#include <arrow/result.h>
#include <arrow/status.h>

#include <cstdint>
#include <span>

namespace vecruntime::parquet {

class DeltaDecoder {
 public:
  /// Starts over on `bytes`, which must stay valid.
  arrow::Status Reset(std::span<const uint8_t> bytes);
  /// Values still to come, as the header promised.
  int64_t left() const { return left_; }
  /// The next `count` values; 32-bit ones are the low halves. SerializationError when there are fewer.
  arrow::Status Read(int64_t count, int64_t* out);
  arrow::Status Skip(int64_t count);
  /// The first byte after all the values of `bytes`, found from the block headers alone.
  static arrow::Result<int64_t> EncodedBytes(std::span<const uint8_t> bytes);

 private:
  arrow::Status NextMiniblock();
  arrow::Status NextBlock();

  const uint8_t* at_ = nullptr;
  const uint8_t* end_ = nullptr;
  int64_t left_ = 0;
  bool at_first_ = false;
  uint64_t value_ = 0;  // the last one given out, or the first one when at_first_; wraps as the encoding does
  int64_t miniblocks_per_block_ = 0;
  int64_t miniblock_values_ = 0;
  uint64_t min_delta_ = 0;
  const uint8_t* widths_ = nullptr;
  int64_t miniblock_ = 0;
  const uint8_t* packed_ = nullptr;
  int width_ = 0;
  int64_t packed_index_ = 0;
  int64_t packed_left_ = 0;
};

}  // namespace vecruntime::parquet
