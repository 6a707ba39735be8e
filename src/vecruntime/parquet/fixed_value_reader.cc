// SPDX-License-Identifier: Apache-2.0
#include <arrow/buffer.h>
#include <arrow/util/bit_util.h>

#include <cstring>
#include <string>

#include "vecruntime/parquet/delta_decoder_internal.h"
#include "vecruntime/parquet/dictionary_codes_internal.h"
#include "vecruntime/parquet/page_stream_internal.h"
#include "vecruntime/parquet/prefix_strings_internal.h"
#include "vecruntime/parquet/value_reader_internal.h"

namespace vecruntime::parquet {
namespace {

using arrow::Status;

Status EndsEarly() { return Status::SerializationError("page has fewer values than its header says"); }

// kWidth bytes a value; 0 when only known at run time.
template <int kWidth>
class FixedValueReader : public ValueReader {
 public:
  FixedValueReader(int width, arrow::MemoryPool* pool) : runtime_width_(width), pool_(pool) {}

  Status SetDictionary(std::span<const uint8_t> bytes, int32_t value_count) override {
    if (static_cast<int64_t>(bytes.size()) < value_count * width()) return Status::SerializationError("dictionary page ends early");
    dictionary_ = bytes.data();
    dictionary_size_ = static_cast<uint32_t>(value_count);
    return Status::OK();
  }

  Status StartPage(PageEncoding encoding, std::span<const uint8_t> bytes) override {
    encoding_ = bytes.empty() ? PageEncoding::kPlain : encoding;  // all NULL; some writers leave everything out
    bytes_ = bytes;
    switch (encoding_) {
      case PageEncoding::kPlain: return Status::OK();
      case PageEncoding::kPlainDictionary:
      case PageEncoding::kRleDictionary:
        encoding_ = PageEncoding::kRleDictionary;
        return codes_.Reset(bytes, dictionary_size_);
      case PageEncoding::kDeltaBinaryPacked: return deltas_.Reset(bytes);
      case PageEncoding::kDeltaByteArray: return strings_.Reset(bytes);
      case PageEncoding::kByteStreamSplit:
        if (width() == 0 || bytes.size() % static_cast<size_t>(width()) != 0) return Status::SerializationError("byte streams of unequal length");
        stream_index_ = 0;
        stream_length_ = static_cast<int64_t>(bytes.size()) / width();
        return Status::OK();
      default: break;
    }
    return Status::NotImplemented("encoding ", static_cast<int32_t>(encoding), " of fixed-width values");
  }

  Status Skip(int64_t values) override {
    switch (encoding_) {
      case PageEncoding::kPlain:
        if (static_cast<int64_t>(bytes_.size()) < values * width()) return EndsEarly();
        bytes_ = bytes_.subspan(static_cast<size_t>(values * width()));
        return Status::OK();
      case PageEncoding::kRleDictionary: return codes_.Skip(values);
      case PageEncoding::kDeltaBinaryPacked: return deltas_.Skip(values);
      case PageEncoding::kDeltaByteArray:
        for (; values > 0; --values) ARROW_RETURN_NOT_OK(strings_.Next().status());
        return Status::OK();
      default:
        if (values > stream_length_ - stream_index_) return EndsEarly();
        stream_index_ += values;
        return Status::OK();
    }
  }

  Status StartArray(int64_t rows) override {
    ARROW_ASSIGN_OR_RAISE(array_, arrow::AllocateBuffer(PageStream::kLevelRoom + rows * width(), pool_));
    at_ = array_->mutable_data() + PageStream::kLevelRoom;
    return Status::OK();
  }

  Status AppendDead(int64_t rows) override {
    if (rows * width() > 0) std::memset(at_, 0, static_cast<size_t>(rows * width()));
    at_ += rows * width();
    return Status::OK();
  }

  Status Append(int64_t rows, int64_t values, const uint8_t* validity, int64_t bit_offset) override {
    ARROW_RETURN_NOT_OK(Decode(values));
    if (values < rows) Spread(rows, values, validity, bit_offset);
    at_ += rows * width();
    return Status::OK();
  }

  std::span<uint8_t> PlaceFor(int64_t rows) override { return {at_, static_cast<size_t>(rows * width())}; }
  void AppendPlaced(int64_t rows) override { at_ += rows * width(); }

  arrow::Result<std::vector<std::shared_ptr<arrow::Buffer>>> FinishArray() override {
    return std::vector<std::shared_ptr<arrow::Buffer>>{arrow::SliceMutableBuffer(std::move(array_), PageStream::kLevelRoom)};
  }

 private:
  int64_t width() const { return kWidth != 0 ? kWidth : runtime_width_; }
  void Copy(uint8_t* to, const uint8_t* from) const { std::memcpy(to, from, static_cast<size_t>(width())); }

  // `values` values, dense, at at_.
  Status Decode(int64_t values) {
    switch (encoding_) {
      case PageEncoding::kPlain: {
        const uint8_t* from = bytes_.data();
        ARROW_RETURN_NOT_OK(Skip(values));
        if (values * width() > 0) std::memcpy(at_, from, static_cast<size_t>(values * width()));
        return Status::OK();
      }
      case PageEncoding::kRleDictionary: return DecodeCodes(values);
      case PageEncoding::kDeltaBinaryPacked: return DecodeDeltas(values);
      case PageEncoding::kDeltaByteArray: return DecodeStrings(values);
      default: return DecodeStreams(values);
    }
  }

  Status DecodeCodes(int64_t values) {
    uint8_t* out = at_;
    return codes_.Visit(
        values,
        [&](uint32_t code, int64_t count) {
          const uint8_t* value = dictionary_ + code * width();
          for (int64_t i = 0; i < count; ++i, out += width()) Copy(out, value);
          return Status::OK();
        },
        [&](std::span<const uint32_t> codes) {
          for (const uint32_t code : codes) {
            Copy(out, dictionary_ + code * width());
            out += width();
          }
          return Status::OK();
        });
  }

  Status DecodeDeltas(int64_t values) {
    if constexpr (kWidth == 8) {
      return deltas_.Read(values, reinterpret_cast<int64_t*>(at_));
    } else if constexpr (kWidth != 4) {
      return Status::NotImplemented("DELTA_BINARY_PACKED of values that are no integers");
    } else {
      int64_t wide[512];
      for (int64_t done = 0; done < values;) {
        const int64_t n = std::min<int64_t>(512, values - done);
        ARROW_RETURN_NOT_OK(deltas_.Read(n, wide));
        for (int64_t i = 0; i < n; ++i) {
          const auto narrow = static_cast<uint32_t>(wide[i]);
          std::memcpy(at_ + (done + i) * 4, &narrow, 4);
        }
        done += n;
      }
      return Status::OK();
    }
  }

  Status DecodeStrings(int64_t values) {
    for (int64_t i = 0; i < values; ++i) {
      ARROW_ASSIGN_OR_RAISE(const std::string_view value, strings_.Next());
      if (static_cast<int64_t>(value.size()) != width()) return Status::SerializationError("fixed-length value of another length");
      std::memcpy(at_ + i * width(), value.data(), value.size());
    }
    return Status::OK();
  }

  // BYTE_STREAM_SPLIT: byte b of value i lies at b * stream_length + i.
  Status DecodeStreams(int64_t values) {
    const uint8_t* from = bytes_.data() + stream_index_;
    ARROW_RETURN_NOT_OK(Skip(values));
    for (int64_t b = 0; b < width(); ++b, from += stream_length_) {
      for (int64_t i = 0; i < values; ++i) at_[i * width() + b] = from[i];
    }
    return Status::OK();
  }

  // Moves the dense values at at_ to their rows, from the back so that nothing is overwritten before it has moved.
  void Spread(int64_t rows, int64_t values, const uint8_t* validity, int64_t bit_offset) {
    int64_t from = values;
    for (int64_t row = rows - 1; row >= from; --row) {
      uint8_t* to = at_ + row * width();
      if (arrow::bit_util::GetBit(validity, bit_offset + row)) {
        --from;
        std::memmove(to, at_ + from * width(), static_cast<size_t>(width()));
      } else {
        std::memset(to, 0, static_cast<size_t>(width()));
      }
    }
  }

  const int runtime_width_;
  arrow::MemoryPool* const pool_;
  PageEncoding encoding_ = PageEncoding::kPlain;
  std::span<const uint8_t> bytes_;
  const uint8_t* dictionary_ = nullptr;
  uint32_t dictionary_size_ = 0;
  DictionaryCodes codes_;
  DeltaDecoder deltas_;
  PrefixStrings strings_;
  int64_t stream_index_ = 0;
  int64_t stream_length_ = 0;
  std::shared_ptr<arrow::Buffer> array_;
  uint8_t* at_ = nullptr;  // the next row of array_
};

}  // namespace

std::unique_ptr<ValueReader> MakeFixedValueReader(int width, arrow::MemoryPool* pool) {
  switch (width) {
    case 4: return std::make_unique<FixedValueReader<4>>(width, pool);
    case 8: return std::make_unique<FixedValueReader<8>>(width, pool);
    case 16: return std::make_unique<FixedValueReader<16>>(width, pool);
    default: return std::make_unique<FixedValueReader<0>>(width, pool);
  }
}

}  // namespace vecruntime::parquet
