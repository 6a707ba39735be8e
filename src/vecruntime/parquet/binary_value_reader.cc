// SPDX-License-Identifier: Apache-2.0
#include <arrow/buffer.h>
#include <arrow/util/bit_util.h>

#include <algorithm>
#include <cstring>
#include <limits>
#include <string_view>

#include "vecruntime/parquet/dictionary_codes_internal.h"
#include "vecruntime/parquet/prefix_strings_internal.h"
#include "vecruntime/parquet/value_reader_internal.h"

namespace vecruntime::parquet {
namespace {

using arrow::Status;

// PLAIN byte arrays: a 4-byte length, then the bytes, one after the other.
class PlainStrings {
 public:
  void Reset(std::span<const uint8_t> bytes) { bytes_ = bytes; }
  arrow::Result<std::string_view> Next() {
    uint32_t length = 0;
    if (bytes_.size() < 4) return Status::SerializationError("page has fewer values than its header says");
    std::memcpy(&length, bytes_.data(), 4);
    if (length > bytes_.size() - 4) return Status::SerializationError("string ends beyond its page");
    const std::string_view value(reinterpret_cast<const char*>(bytes_.data()) + 4, length);
    bytes_ = bytes_.subspan(4 + size_t{length});
    return value;
  }

 private:
  std::span<const uint8_t> bytes_;
};

class BinaryValueReader : public ValueReader {
 public:
  explicit BinaryValueReader(arrow::MemoryPool* pool) : pool_(pool) {}

  Status SetDictionary(std::span<const uint8_t> bytes, int32_t value_count) override {
    dictionary_.clear();
    if (value_count > static_cast<int64_t>(bytes.size() / 4)) return Status::SerializationError("dictionary page ends early");
    dictionary_.reserve(static_cast<size_t>(value_count));
    PlainStrings entries;
    entries.Reset(bytes);
    for (int32_t i = 0; i < value_count; ++i) {
      ARROW_ASSIGN_OR_RAISE(const std::string_view entry, entries.Next());
      dictionary_.push_back(entry);
    }
    return Status::OK();
  }

  Status StartPage(PageEncoding encoding, std::span<const uint8_t> bytes) override {
    encoding_ = encoding;
    if (bytes.empty()) encoding_ = PageEncoding::kPlain;  // all NULL; some writers leave everything out
    switch (encoding_) {
      case PageEncoding::kPlain: plain_.Reset(bytes); return Status::OK();
      case PageEncoding::kPlainDictionary:
      case PageEncoding::kRleDictionary:
        encoding_ = PageEncoding::kRleDictionary;
        return codes_.Reset(bytes, static_cast<uint32_t>(dictionary_.size()));
      case PageEncoding::kDeltaLengthByteArray: return lengths_.Reset(bytes);
      case PageEncoding::kDeltaByteArray: return prefixes_.Reset(bytes);
      default: return Status::NotImplemented("encoding ", static_cast<int32_t>(encoding), " of byte arrays");
    }
  }

  Status Skip(int64_t values) override {
    if (encoding_ == PageEncoding::kRleDictionary) return codes_.Skip(values);
    return ForEach(values, [](std::string_view) { return Status::OK(); });
  }

  Status StartArray(int64_t rows) override {
    ARROW_ASSIGN_OR_RAISE(offsets_, arrow::AllocateBuffer((rows + 1) * 4, pool_));
    // As much as the array before took: morsels of one column are alike.
    ARROW_ASSIGN_OR_RAISE(data_, arrow::AllocateResizableBuffer(size_, pool_));
    offset_ = offsets_->mutable_data_as<int32_t>();
    *offset_++ = 0;
    size_ = 0;
    return Status::OK();
  }

  Status AppendDead(int64_t rows) override {
    std::fill_n(offset_, rows, static_cast<int32_t>(size_));
    offset_ += rows;
    return Status::OK();
  }

  Status Append(int64_t rows, int64_t values, const uint8_t* validity, int64_t bit_offset) override {
    ARROW_RETURN_NOT_OK(encoding_ == PageEncoding::kRleDictionary ? AppendCodes(values)
                                                                  : ForEach(values, [&](std::string_view value) { return AppendOne(value); }));
    if (values < rows) Spread(rows, values, validity, bit_offset);
    offset_ += rows - values;
    return Status::OK();
  }

  std::span<uint8_t> PlaceFor(int64_t) override { return {}; }
  void AppendPlaced(int64_t) override {}

  arrow::Result<std::vector<std::shared_ptr<arrow::Buffer>>> FinishArray() override {
    ARROW_RETURN_NOT_OK(data_->Resize(size_, /*shrink_to_fit=*/false));
    return std::vector<std::shared_ptr<arrow::Buffer>>{std::move(offsets_), std::move(data_)};
  }

 private:
  template <typename Use>
  Status ForEach(int64_t values, Use&& use) {
    switch (encoding_) {
      case PageEncoding::kPlain: return ForEachOf(plain_, values, use);
      case PageEncoding::kDeltaLengthByteArray: return ForEachOf(lengths_, values, use);
      default: return ForEachOf(prefixes_, values, use);
    }
  }

  template <typename Strings, typename Use>
  static Status ForEachOf(Strings& strings, int64_t values, Use& use) {
    for (; values > 0; --values) {
      ARROW_ASSIGN_OR_RAISE(const std::string_view value, strings.Next());
      ARROW_RETURN_NOT_OK(use(value));
    }
    return Status::OK();
  }

  Status AppendCodes(int64_t values) {
    return codes_.Visit(
        values,
        [&](uint32_t code, int64_t count) {
          for (; count > 0; --count) ARROW_RETURN_NOT_OK(AppendOne(dictionary_[code]));
          return Status::OK();
        },
        [&](std::span<const uint32_t> codes) {
          for (const uint32_t code : codes) ARROW_RETURN_NOT_OK(AppendOne(dictionary_[code]));
          return Status::OK();
        });
  }

  Status AppendOne(std::string_view value) {
    const auto length = static_cast<int64_t>(value.size());
    if (size_ + length > data_->size()) ARROW_RETURN_NOT_OK(GrowData(size_ + length));
    if (length > 0) std::memcpy(data_->mutable_data() + size_, value.data(), value.size());
    size_ += length;
    *offset_++ = static_cast<int32_t>(size_);
    return Status::OK();
  }

  Status GrowData(int64_t bytes) {
    constexpr int64_t kMax = std::numeric_limits<int32_t>::max();
    if (bytes > kMax) return Status::OutOfMemory("over 2 GiB of strings in one run of rows");
    return data_->Resize(std::min(kMax, std::max(bytes, data_->size() * 2)), /*shrink_to_fit=*/false);
  }

  // The ends of the dense values just written move to their rows; a NULL ends where the row before does. From the back, as offsets only
  // move backwards in place.
  void Spread(int64_t rows, int64_t values, const uint8_t* validity, int64_t bit_offset) {
    int32_t* first = offset_ - values;
    int64_t from = values;
    for (int64_t row = rows - 1; row >= from; --row) {
      first[row] = first[from - 1];  // first[-1] is the end of the row before
      if (arrow::bit_util::GetBit(validity, bit_offset + row)) --from;
    }
  }

  arrow::MemoryPool* const pool_;
  PageEncoding encoding_ = PageEncoding::kPlain;
  PlainStrings plain_;
  LengthStrings lengths_;
  PrefixStrings prefixes_;
  DictionaryCodes codes_;
  std::vector<std::string_view> dictionary_;
  std::shared_ptr<arrow::Buffer> offsets_;
  std::shared_ptr<arrow::ResizableBuffer> data_;
  int64_t size_ = 0;           // bytes used in data_
  int32_t* offset_ = nullptr;  // where the next row's end goes
};

}  // namespace

std::unique_ptr<ValueReader> MakeBinaryValueReader(arrow::MemoryPool* pool) { return std::make_unique<BinaryValueReader>(pool); }

}  // namespace vecruntime::parquet
