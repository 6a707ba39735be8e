// SPDX-License-Identifier: Apache-2.0
#include "vecruntime/parquet/delta_decoder_internal.h"

#include <algorithm>
#include <limits>

#include "vecruntime/parquet/bit_unpack_internal.h"

namespace vecruntime::parquet {
namespace {

using arrow::Status;

constexpr uint64_t kBlockValuesMax = uint64_t{1} << 30;

uint64_t UnZigZag(uint64_t value) { return (value >> 1) ^ (~(value & 1) + 1); }

Status Malformed() { return Status::SerializationError("malformed DELTA_BINARY_PACKED values"); }

}  // namespace

Status DeltaDecoder::Reset(std::span<const uint8_t> bytes) {
  at_ = bytes.data();
  end_ = at_ + bytes.size();
  uint64_t block_values, miniblocks, count, first;
  if (!ReadVarint(&at_, end_, &block_values) || !ReadVarint(&at_, end_, &miniblocks) || !ReadVarint(&at_, end_, &count) ||
      !ReadVarint(&at_, end_, &first)) {
    return Malformed();
  }
  if (block_values == 0 || block_values > kBlockValuesMax || miniblocks == 0 || miniblocks > block_values || block_values % miniblocks != 0 ||
      (block_values / miniblocks) % 8 != 0 || count > static_cast<uint64_t>(std::numeric_limits<int32_t>::max())) {
    return Malformed();
  }
  miniblocks_per_block_ = miniblock_ = static_cast<int64_t>(miniblocks);
  miniblock_values_ = static_cast<int64_t>(block_values / miniblocks);
  left_ = static_cast<int64_t>(count);
  value_ = UnZigZag(first);
  at_first_ = left_ > 0;
  packed_left_ = 0;
  return Status::OK();
}

Status DeltaDecoder::NextBlock() {
  uint64_t min_delta;
  if (!ReadVarint(&at_, end_, &min_delta) || end_ - at_ < miniblocks_per_block_) return Malformed();
  min_delta_ = UnZigZag(min_delta);
  widths_ = at_;
  at_ += miniblocks_per_block_;
  miniblock_ = 0;
  return Status::OK();
}

// Some writers cut the padding of the last miniblock.
Status DeltaDecoder::NextMiniblock() {
  if (miniblock_ == miniblocks_per_block_) ARROW_RETURN_NOT_OK(NextBlock());
  width_ = widths_[miniblock_++];
  if (width_ > 64) return Malformed();
  packed_ = at_;
  packed_index_ = 0;
  packed_left_ = std::min(miniblock_values_, left_);
  if (packed_left_ * width_ > (end_ - at_) * 8) return Malformed();
  at_ += std::min<int64_t>(miniblock_values_ / 8 * width_, end_ - at_);
  return Status::OK();
}

Status DeltaDecoder::Read(int64_t count, int64_t* out) {
  if (count > left_) return Malformed();
  if (count > 0 && at_first_) {
    *out++ = static_cast<int64_t>(value_);
    at_first_ = false;
    --left_;
    --count;
  }
  while (count > 0) {
    if (packed_left_ == 0) ARROW_RETURN_NOT_OK(NextMiniblock());
    const int64_t n = std::min(count, packed_left_);
    Unpack(packed_, at_, width_, packed_index_, n, out);
    uint64_t value = value_;
    for (int64_t i = 0; i < n; ++i) out[i] = static_cast<int64_t>(value += min_delta_ + static_cast<uint64_t>(out[i]));
    value_ = value;
    packed_index_ += n;
    packed_left_ -= n;
    left_ -= n;
    out += n;
    count -= n;
  }
  return Status::OK();
}

Status DeltaDecoder::Skip(int64_t count) {
  int64_t scratch[256];
  for (; count > 0; count -= std::min<int64_t>(count, 256)) ARROW_RETURN_NOT_OK(Read(std::min<int64_t>(count, 256), scratch));
  return Status::OK();
}

arrow::Result<int64_t> DeltaDecoder::EncodedBytes(std::span<const uint8_t> bytes) {
  DeltaDecoder walk;
  ARROW_RETURN_NOT_OK(walk.Reset(bytes));
  if (walk.left_ > 0) --walk.left_;
  while (walk.left_ > 0) {
    ARROW_RETURN_NOT_OK(walk.NextMiniblock());
    walk.left_ -= walk.packed_left_;
  }
  return walk.at_ - bytes.data();
}

}  // namespace vecruntime::parquet
