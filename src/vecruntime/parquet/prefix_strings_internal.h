// SPDX-License-Identifier: Apache-2.0
// DELTA_LENGTH_BYTE_ARRAY and DELTA_BYTE_ARRAY (Parquet Encodings.md): strings one by one, without unpacked lengths in memory.
#pragma once

#include <arrow/result.h>
#include <arrow/status.h>

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "vecruntime/parquet/delta_decoder_internal.h"

namespace vecruntime::parquet {

/// A sequence of integers decoded a batch ahead.
class BufferedDeltas {
 public:
  arrow::Status Reset(std::span<const uint8_t> bytes) {
    at_ = count_ = 0;
    return deltas_.Reset(bytes);
  }
  arrow::Result<int64_t> Next() {
    if (at_ == count_) {
      at_ = 0;
      count_ = deltas_.left() < kBatch ? deltas_.left() : kBatch;
      if (count_ == 0) return arrow::Status::SerializationError("page has fewer values than its header says");
      ARROW_RETURN_NOT_OK(deltas_.Read(count_, batch_));
    }
    return batch_[at_++];
  }

 private:
  static constexpr int64_t kBatch = 128;
  DeltaDecoder deltas_;
  int64_t at_ = 0;
  int64_t count_ = 0;
  int64_t batch_[kBatch];
};

/// DELTA_LENGTH_BYTE_ARRAY: all lengths, then all bytes.
class LengthStrings {
 public:
  arrow::Status Reset(std::span<const uint8_t> bytes) {
    ARROW_ASSIGN_OR_RAISE(const int64_t length_bytes, DeltaDecoder::EncodedBytes(bytes));
    bytes_ = bytes.subspan(static_cast<size_t>(length_bytes));
    return lengths_.Reset(bytes);
  }
  /// A view of the page.
  arrow::Result<std::string_view> Next() {
    ARROW_ASSIGN_OR_RAISE(const int64_t length, lengths_.Next());
    if (length < 0 || length > static_cast<int64_t>(bytes_.size())) return arrow::Status::SerializationError("string ends beyond its page");
    const std::string_view value(reinterpret_cast<const char*>(bytes_.data()), static_cast<size_t>(length));
    bytes_ = bytes_.subspan(static_cast<size_t>(length));
    return value;
  }
  /// Bytes not given out yet.
  int64_t bytes_left() const { return static_cast<int64_t>(bytes_.size()); }

 private:
  BufferedDeltas lengths_;
  std::span<const uint8_t> bytes_;
};

/// DELTA_BYTE_ARRAY: each string is a prefix of the one before and a suffix of its own.
class PrefixStrings {
 public:
  arrow::Status Reset(std::span<const uint8_t> bytes) {
    ARROW_ASSIGN_OR_RAISE(const int64_t prefix_bytes, DeltaDecoder::EncodedBytes(bytes));
    value_.clear();
    ARROW_RETURN_NOT_OK(prefixes_.Reset(bytes));
    return suffixes_.Reset(bytes.subspan(static_cast<size_t>(prefix_bytes)));
  }
  /// Valid until the next call.
  arrow::Result<std::string_view> Next() {
    ARROW_ASSIGN_OR_RAISE(const int64_t prefix, prefixes_.Next());
    ARROW_ASSIGN_OR_RAISE(const std::string_view suffix, suffixes_.Next());
    if (prefix < 0 || prefix > static_cast<int64_t>(value_.size())) return arrow::Status::SerializationError("prefix longer than the string before");
    value_.resize(static_cast<size_t>(prefix));
    value_.append(suffix);
    return value_;
  }

 private:
  BufferedDeltas prefixes_;
  LengthStrings suffixes_;
  std::string value_;
};

}  // namespace vecruntime::parquet
