// SPDX-License-Identifier: Apache-2.0
#include <arrow/buffer.h>
#include <arrow/util/bit_util.h>
#include <arrow/util/bitmap_ops.h>

#include <cstring>

#include "vecruntime/parquet/run_decoder_internal.h"
#include "vecruntime/parquet/value_reader_internal.h"

namespace vecruntime::parquet {
namespace {

using arrow::Status;

class BooleanValueReader : public ValueReader {
 public:
  explicit BooleanValueReader(arrow::MemoryPool* pool) : pool_(pool) {}

  Status SetDictionary(std::span<const uint8_t>, int32_t) override { return Status::SerializationError("booleans have no dictionary"); }

  Status StartPage(PageEncoding encoding, std::span<const uint8_t> bytes) override {
    encoding_ = encoding;
    if (encoding == PageEncoding::kPlain) {
      bytes_ = bytes;
      bit_ = 0;
      return Status::OK();
    }
    if (encoding != PageEncoding::kRle) return Status::NotImplemented("encoding ", static_cast<int32_t>(encoding), " of booleans");
    uint32_t length = 0;
    if (bytes.size() >= 4) std::memcpy(&length, bytes.data(), 4);
    if (bytes.size() < 4 + size_t{length}) {
      if (bytes.empty()) return runs_.Reset({}, 1), Status::OK();
      return Status::SerializationError("page ends within its booleans");
    }
    runs_.Reset(bytes.subspan(4, length), 1);
    return Status::OK();
  }

  Status Skip(int64_t values) override {
    if (encoding_ == PageEncoding::kRle) return runs_.Skip(values);
    return Take(values).status();
  }

  Status StartArray(int64_t rows) override {
    ARROW_ASSIGN_OR_RAISE(array_, arrow::AllocateEmptyBitmap(rows, pool_));
    row_ = 0;
    return Status::OK();
  }

  Status AppendDead(int64_t rows) override {
    row_ += rows;
    return Status::OK();
  }

  Status Append(int64_t rows, int64_t values, const uint8_t* validity, int64_t bit_offset) override {
    uint8_t* bits = array_->mutable_data();
    if (encoding_ == PageEncoding::kRle) {
      int64_t ones = 0;
      ARROW_RETURN_NOT_OK(runs_.ReadBits(values, bits, row_, &ones));
    } else {
      ARROW_ASSIGN_OR_RAISE(const int64_t bit, Take(values));
      if (values > 0) arrow::internal::CopyBitmap(bytes_.data(), bit, values, bits, row_);
    }
    for (int64_t row = rows - 1, from = values; row >= from; --row) {
      const bool valid = arrow::bit_util::GetBit(validity, bit_offset + row);
      if (valid) --from;
      arrow::bit_util::SetBitTo(bits, row_ + row, valid && arrow::bit_util::GetBit(bits, row_ + from));
    }
    row_ += rows;
    return Status::OK();
  }

  std::span<uint8_t> PlaceFor(int64_t) override { return {}; }
  void AppendPlaced(int64_t) override {}

  arrow::Result<std::vector<std::shared_ptr<arrow::Buffer>>> FinishArray() override {
    return std::vector<std::shared_ptr<arrow::Buffer>>{std::move(array_)};
  }

 private:
  // The bit where the next `values` PLAIN values start.
  arrow::Result<int64_t> Take(int64_t values) {
    if (values > static_cast<int64_t>(bytes_.size()) * 8 - bit_) return Status::SerializationError("page has fewer values than its header says");
    bit_ += values;
    return bit_ - values;
  }

  arrow::MemoryPool* const pool_;
  PageEncoding encoding_ = PageEncoding::kPlain;
  std::span<const uint8_t> bytes_;
  int64_t bit_ = 0;
  RunDecoder runs_;
  std::shared_ptr<arrow::Buffer> array_;
  int64_t row_ = 0;
};

}  // namespace

std::unique_ptr<ValueReader> MakeBooleanValueReader(arrow::MemoryPool* pool) { return std::make_unique<BooleanValueReader>(pool); }

}  // namespace vecruntime::parquet
