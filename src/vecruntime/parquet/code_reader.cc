// SPDX-License-Identifier: Apache-2.0
#include "vecruntime/parquet/code_reader_internal.h"

#include <arrow/buffer.h>
#include <arrow/type.h>
#include <arrow/util/bit_util.h>

#include <algorithm>
#include <cstring>

#include "vecruntime/columnar/kernels.h"
#include "vecruntime/parquet/run_decoder_internal.h"

namespace vecruntime::parquet {
namespace {

using arrow::Status;

template <typename Code>
class CodeReader : public ValueReader {
 public:
  CodeReader(int32_t entry_count, arrow::MemoryPool* pool) : entry_count_(static_cast<uint32_t>(entry_count)), pool_(pool) {}

  Status SetDictionary(std::span<const uint8_t>, int32_t) override { return Status::OK(); }

  // A data page's body: one byte of bit width, then the runs. All NULL when empty.
  Status StartPage(PageEncoding encoding, std::span<const uint8_t> bytes) override {
    if (!bytes.empty() && encoding != PageEncoding::kPlainDictionary && encoding != PageEncoding::kRleDictionary) {
      return Status::NotImplemented("encoding ", static_cast<int32_t>(encoding), " of codes");
    }
    if (!bytes.empty() && bytes[0] > 32) return Status::SerializationError("dictionary codes wider than 32 bits");
    width_ = bytes.empty() ? 0 : bytes[0];
    runs_.Reset(bytes.empty() ? bytes : bytes.subspan(1), width_);
    return Status::OK();
  }

  Status Skip(int64_t values) override { return runs_.Skip(values); }

  Status StartArray(int64_t rows) override {
    ARROW_ASSIGN_OR_RAISE(array_, arrow::AllocateBuffer(rows * static_cast<int64_t>(sizeof(Code)), pool_));
    at_ = reinterpret_cast<Code*>(array_->mutable_data());
    return Status::OK();
  }

  Status AppendDead(int64_t rows) override {
    std::fill_n(at_, rows, Code{0});
    at_ += rows;
    return Status::OK();
  }

  Status Append(int64_t rows, int64_t values, const uint8_t* validity, int64_t bit_offset) override {
    ARROW_RETURN_NOT_OK(runs_.ReadCodes(values, at_));
    ARROW_RETURN_NOT_OK(Check(values));
    if (values < rows) Spread(rows, values, validity, bit_offset);
    at_ += rows;
    return Status::OK();
  }

  std::span<uint8_t> PlaceFor(int64_t) override { return {}; }
  void AppendPlaced(int64_t) override {}

  arrow::Result<std::vector<std::shared_ptr<arrow::Buffer>>> FinishArray() override {
    return std::vector<std::shared_ptr<arrow::Buffer>>{std::move(array_)};
  }

 private:
  Status Check(int64_t values) const {
    if (width_ < 32 && (uint64_t{1} << width_) <= entry_count_) return Status::OK();
    return AllBelow(at_, values) ? Status::OK() : Status::SerializationError("dictionary code beyond its dictionary");
  }

  bool AllBelow(const uint8_t* codes, int64_t count) const { return columnar::ActiveKernels().all_below8(codes, count, entry_count_); }
  bool AllBelow(const uint16_t* codes, int64_t count) const { return columnar::ActiveKernels().all_below16(codes, count, entry_count_); }

  // Moves the dense codes at at_ to their rows, from the back so that nothing is overwritten before it has moved.
  void Spread(int64_t rows, int64_t values, const uint8_t* validity, int64_t bit_offset) {
    int64_t from = values;
    for (int64_t row = rows - 1; row >= from; --row) {
      at_[row] = arrow::bit_util::GetBit(validity, bit_offset + row) ? at_[--from] : Code{0};
    }
  }

  const uint32_t entry_count_;
  arrow::MemoryPool* const pool_;
  RunDecoder runs_;
  int width_ = 0;
  std::shared_ptr<arrow::Buffer> array_;
  Code* at_ = nullptr;  // the next row of array_
};

bool IsNarrow(int32_t entry_count) { return entry_count <= 256; }

}  // namespace

std::unique_ptr<ValueReader> MakeCodeReader(int32_t entry_count, arrow::MemoryPool* pool) {
  if (IsNarrow(entry_count)) return std::make_unique<CodeReader<uint8_t>>(entry_count, pool);
  return std::make_unique<CodeReader<uint16_t>>(entry_count, pool);
}

std::shared_ptr<arrow::DataType> CodeType(int32_t entry_count) { return IsNarrow(entry_count) ? arrow::uint8() : arrow::uint16(); }

}  // namespace vecruntime::parquet
