// SPDX-License-Identifier: Apache-2.0
#include "vecruntime/parquet/run_decoder_internal.h"

#include <arrow/util/bit_util.h>
#include <arrow/util/bitmap_ops.h>

#include <algorithm>
#include <limits>

#include "vecruntime/columnar/kernels.h"
#include "vecruntime/parquet/bit_unpack_internal.h"

namespace vecruntime::parquet {

using arrow::Status;

void RunDecoder::Reset(std::span<const uint8_t> bytes, int bit_width) {
  at_ = bytes.data();
  end_ = at_ + bytes.size();
  bit_width_ = bit_width;
  repeated_left_ = packed_left_ = 0;
}

void RunDecoder::ResetToOnes() {
  Reset({}, 1);
  repeated_left_ = std::numeric_limits<int64_t>::max();
  repeated_value_ = 1;
}

Status RunDecoder::NextRun() {
  uint64_t header = 0;
  if (!ReadVarint(&at_, end_, &header) || (header >> 1) > std::numeric_limits<int32_t>::max()) {
    return Status::SerializationError("run of values is malformed or missing");
  }
  const int64_t count = static_cast<int64_t>(header >> 1);
  if ((header & 1) == 0) {
    const int value_bytes = (bit_width_ + 7) / 8;
    if (end_ - at_ < value_bytes) return Status::SerializationError("run of values ends early");
    repeated_value_ = 0;
    std::memcpy(&repeated_value_, at_, static_cast<size_t>(value_bytes));
    if ((repeated_value_ & ~LowBits(bit_width_)) != 0) return Status::SerializationError("repeated value exceeds its bit width");
    at_ += value_bytes;
    repeated_left_ = count;
    return Status::OK();
  }
  // Some writers cut the padding of the last group; what is there still counts.
  const int64_t bytes = std::min<int64_t>(count * bit_width_, end_ - at_);
  packed_ = at_;
  packed_index_ = 0;
  packed_left_ = bit_width_ == 0 ? count * 8 : bytes * 8 / bit_width_;
  at_ += bytes;
  return Status::OK();
}

// Ends with a run that has values left; runs of no values are legal, and each takes bytes.
#define VECRUNTIME_ENSURE_RUN() \
  while (repeated_left_ == 0 && packed_left_ == 0) ARROW_RETURN_NOT_OK(NextRun())

Status RunDecoder::Read(int64_t count, uint32_t* out) {
  while (count > 0) {
    VECRUNTIME_ENSURE_RUN();
    const int64_t n = std::min(count, run_left());
    if (repeated_left_ > 0) {
      std::fill_n(out, n, repeated_value_);
      repeated_left_ -= n;
    } else {
      Unpack(packed_, at_, bit_width_, packed_index_, n, out);
      packed_index_ += n;
      packed_left_ -= n;
    }
    out += n;
    count -= n;
  }
  return Status::OK();
}

namespace {

Status CodeTooWide() { return Status::SerializationError("dictionary code beyond its dictionary"); }

void UnpackGroups(const uint8_t* packed, int width, int64_t count, uint8_t* out) { columnar::ActiveKernels().unpack8(packed, width, count, out); }
void UnpackGroups(const uint8_t* packed, int width, int64_t count, uint16_t* out) { columnar::ActiveKernels().unpack16(packed, width, count, out); }

// Fields [index, index+count) of a packed run. Eight fields take `width` bytes, so whole groups of eight go to the kernels.
template <typename Code>
Status UnpackCodes(const uint8_t* packed, const uint8_t* end, int width, int64_t index, int64_t count, Code* out) {
  constexpr int kCodeBits = sizeof(Code) * 8;
  if (width > kCodeBits) {
    for (int64_t i = 0; i < count; ++i) {
      const uint64_t code = UnpackOne(packed, end, width, index + i);
      if (code >> kCodeBits != 0) return CodeTooWide();
      out[i] = static_cast<Code>(code);
    }
    return Status::OK();
  }
  if (width == 0) {
    std::fill_n(out, count, Code{0});
    return Status::OK();
  }
  const int64_t head = std::min(count, (8 - index % 8) % 8);
  Unpack(packed, end, width, index, head, out);
  const int64_t first = index + head;
  const int64_t whole = (count - head) / 8 * 8;
  if (whole > 0) UnpackGroups(packed + first / 8 * width, width, whole, out + head);
  Unpack(packed, end, width, first + whole, count - head - whole, out + head + whole);
  return Status::OK();
}

}  // namespace

template <typename Code>
Status RunDecoder::ReadNarrow(int64_t count, Code* out) {
  while (count > 0) {
    VECRUNTIME_ENSURE_RUN();
    const int64_t n = std::min(count, run_left());
    if (repeated_left_ > 0) {
      if (repeated_value_ >> (sizeof(Code) * 8) != 0) return CodeTooWide();
      std::fill_n(out, n, static_cast<Code>(repeated_value_));
      repeated_left_ -= n;
    } else {
      ARROW_RETURN_NOT_OK(UnpackCodes(packed_, at_, bit_width_, packed_index_, n, out));
      packed_index_ += n;
      packed_left_ -= n;
    }
    out += n;
    count -= n;
  }
  return Status::OK();
}

Status RunDecoder::ReadCodes(int64_t count, uint8_t* out) { return ReadNarrow(count, out); }
Status RunDecoder::ReadCodes(int64_t count, uint16_t* out) { return ReadNarrow(count, out); }

arrow::Result<int64_t> RunDecoder::TakeRepeated(int64_t count, uint32_t* value) {
  VECRUNTIME_ENSURE_RUN();
  const int64_t n = std::min(count, repeated_left_);
  *value = repeated_value_;
  repeated_left_ -= n;
  return n;
}

Status RunDecoder::Skip(int64_t count) {
  while (count > 0) {
    VECRUNTIME_ENSURE_RUN();
    const int64_t n = std::min(count, run_left());
    if (repeated_left_ > 0) {
      repeated_left_ -= n;
    } else {
      packed_index_ += n;
      packed_left_ -= n;
    }
    count -= n;
  }
  return Status::OK();
}

Status RunDecoder::ReadBits(int64_t count, uint8_t* bits, int64_t bit_offset, int64_t* ones) {
  while (count > 0) {
    VECRUNTIME_ENSURE_RUN();
    const int64_t n = std::min(count, run_left());
    if (repeated_left_ > 0) {
      arrow::bit_util::SetBitsTo(bits, bit_offset, n, repeated_value_ != 0);
      if (repeated_value_ != 0) *ones += n;
      repeated_left_ -= n;
    } else {
      arrow::internal::CopyBitmap(packed_, packed_index_, n, bits, bit_offset);
      *ones += arrow::internal::CountSetBits(packed_, packed_index_, n);
      packed_index_ += n;
      packed_left_ -= n;
    }
    bit_offset += n;
    count -= n;
  }
  return Status::OK();
}

Status RunDecoder::SkipBits(int64_t count, int64_t* ones) {
  while (count > 0) {
    VECRUNTIME_ENSURE_RUN();
    const int64_t n = std::min(count, run_left());
    if (repeated_left_ > 0) {
      if (repeated_value_ != 0) *ones += n;
      repeated_left_ -= n;
    } else {
      *ones += arrow::internal::CountSetBits(packed_, packed_index_, n);
      packed_index_ += n;
      packed_left_ -= n;
    }
    count -= n;
  }
  return Status::OK();
}

arrow::Result<int64_t> RunDecoder::LeadingOnes(int64_t count) {
  VECRUNTIME_ENSURE_RUN();
  return repeated_left_ > 0 && repeated_value_ == 1 ? std::min(count, repeated_left_) : 0;
}

#undef VECRUNTIME_ENSURE_RUN

}  // namespace vecruntime::parquet
