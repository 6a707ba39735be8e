// SPDX-License-Identifier: Apache-2.0
// The codes of a dictionary-encoded page, handed out in small batches or whole repeated runs, each code checked against the dictionary.
#pragma once

#include <arrow/result.h>
#include <arrow/status.h>

#include <algorithm>
#include <cstdint>
#include <span>

#include "vecruntime/parquet/run_decoder_internal.h"

namespace vecruntime::parquet {

class DictionaryCodes {
 public:
  /// A data page's body: one byte of bit width, then the runs.
  arrow::Status Reset(std::span<const uint8_t> bytes, uint32_t dictionary_size) {
    if (!bytes.empty() && bytes[0] > 32) return arrow::Status::SerializationError("dictionary codes wider than 32 bits");
    size_ = dictionary_size;
    runs_.Reset(bytes.empty() ? bytes : bytes.subspan(1), bytes.empty() ? 0 : bytes[0]);
    return arrow::Status::OK();
  }

  arrow::Status Skip(int64_t count) { return runs_.Skip(count); }

  /// Calls repeated(code, n) or codes(span) until `count` codes are through; both return Status.
  template <typename Repeated, typename Codes>
  arrow::Status Visit(int64_t count, Repeated&& repeated, Codes&& codes) {
    while (count > 0) {
      uint32_t code = 0;
      ARROW_ASSIGN_OR_RAISE(const int64_t run, runs_.TakeRepeated(count, &code));
      if (run > 0) {
        if (code >= size_) return OutOfRange();
        ARROW_RETURN_NOT_OK(repeated(code, run));
        count -= run;
        continue;
      }
      const int64_t n = std::min<int64_t>(count, kBatch);
      ARROW_RETURN_NOT_OK(runs_.Read(n, batch_));
      uint32_t highest = 0;
      for (int64_t i = 0; i < n; ++i) highest = std::max(highest, batch_[i]);
      if (highest >= size_) return OutOfRange();
      ARROW_RETURN_NOT_OK(codes(std::span<const uint32_t>(batch_, static_cast<size_t>(n))));
      count -= n;
    }
    return arrow::Status::OK();
  }

 private:
  static constexpr int64_t kBatch = 1024;
  static arrow::Status OutOfRange() { return arrow::Status::SerializationError("dictionary code beyond its dictionary"); }

  RunDecoder runs_;
  uint32_t size_ = 0;
  uint32_t batch_[kBatch];
};

}  // namespace vecruntime::parquet
