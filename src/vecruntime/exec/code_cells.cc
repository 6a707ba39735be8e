// SPDX-License-Identifier: Apache-2.0
#include "vecruntime/exec/code_cells.h"

#include <arrow/array.h>
#include <arrow/buffer.h>
#include <arrow/type.h>

#include <algorithm>
#include <bit>
#include <cstring>
#include <utility>

#include "vecruntime/columnar/dictionary.h"
#include "vecruntime/exec/numbers.h"

namespace vecruntime::exec {
namespace {

constexpr int kWordBits = 62;

}  // namespace

const arrow::DictionaryArray* InCodes(const arrow::Array& column) {
  const arrow::DictionaryArray* encoded = columnar::AsEncoded(column);
  if (encoded == nullptr || encoded->indices()->null_count() > 0 || encoded->dictionary()->null_count() > 0) return nullptr;
  return encoded->dictionary()->length() > 0 ? encoded : nullptr;
}

CodeCells::CodeCells(const columnar::Batch& batch, std::vector<int> columns) : batch_(batch), columns_(std::move(columns)) {
  const int64_t rows = batch.num_rows();
  combination_of_row_.resize(static_cast<size_t>(rows), 0);
  for (int column : columns_) {
    const arrow::DictionaryArray& encoded = *InCodes(*batch.columns[static_cast<size_t>(column)]);
    const auto radix = static_cast<uint16_t>(encoded.dictionary()->length());
    combinations_ *= radix;
    columnar::WithCodes(encoded, [radix, rows, to = combination_of_row_.data()](const auto* __restrict codes) {
      uint16_t* const __restrict out = to;
      for (int64_t i = 0; i < rows; ++i) out[i] = static_cast<uint16_t>(static_cast<uint16_t>(out[i] * radix) + codes[i]);
    });
  }
  const auto words = batch.selection.words();
  for (size_t w = 0; w < words.size(); ++w) {
    const int64_t begin = static_cast<int64_t>(w) * 64;
    const uint64_t in_batch = rows - begin >= 64 ? ~uint64_t{0} : (uint64_t{1} << (rows - begin)) - 1;
    for (uint64_t dead = ~words[w] & in_batch; dead != 0; dead &= dead - 1) {
      combination_of_row_[static_cast<size_t>(begin + std::countr_zero(dead))] = static_cast<uint16_t>(combinations_);
    }
  }
  const auto counts = SumRows<uint32_t>([](int64_t) { return 1; });
  for (int64_t at = 0; at < combinations_; ++at) {
    if (counts[static_cast<size_t>(at)] == 0) continue;
    live_.push_back(static_cast<uint16_t>(at));
    row_counts_.push_back(counts[static_cast<size_t>(at)]);
  }
}

arrow::Result<columnar::Batch> CodeCells::AsBatch(arrow::MemoryPool* pool) const {
  columnar::Batch cells{.columns = ArrayVector(batch_.columns.size()), .selection = columnar::Selection::All(size())};
  std::vector<uint16_t> rest = live_;
  for (size_t k = columns_.size(); k-- > 0;) {
    const auto column = static_cast<size_t>(columns_[k]);
    const arrow::DictionaryArray& encoded = *InCodes(*batch_.columns[column]);
    const auto radix = static_cast<uint16_t>(encoded.dictionary()->length());
    const auto& type = encoded.indices()->type();
    ARROW_ASSIGN_OR_RAISE(std::shared_ptr<arrow::Buffer> codes, arrow::AllocateBuffer(size() * type->byte_width(), pool));
    const auto write = [&]<typename Code>(Code* out) {
      for (uint16_t& each : rest) {
        *out++ = static_cast<Code>(each % radix);
        each = static_cast<uint16_t>(each / radix);
      }
    };
    type->id() == arrow::Type::UINT8 ? write(codes->mutable_data()) : write(reinterpret_cast<uint16_t*>(codes->mutable_data()));
    auto indices = arrow::MakeArray(arrow::ArrayData::Make(type, size(), {nullptr, std::move(codes)}, 0));
    cells.columns[column] = std::make_shared<arrow::DictionaryArray>(encoded.type(), std::move(indices), encoded.dictionary());
  }
  return cells;
}

std::optional<CellSums> CodeCells::Sum(const arrow::Array& column) const {
  const arrow::DictionaryArray* encoded = columnar::AsEncoded(column);
  const arrow::Array& values = encoded == nullptr ? column : *encoded->dictionary();
  if (arrow::is_floating(values.type_id())) return OfLiveCells<double>(SumColumn<double>(column, false));
  const int bits = BitsOf(values) + static_cast<int>(std::bit_width(static_cast<uint64_t>(batch_.num_rows())));
  if (bits <= kWordBits) return OfLiveCells<Int128>(SumColumn<int64_t>(column, true));
  if (bits <= kExactBits) return OfLiveCells<Int128>(SumColumn<Int128>(column, false));
  return std::nullopt;
}

// The sum of value_of(row) for each combination, and for the dead rows. Every fourth row goes to the same set of sums, so that an addition
// does not wait for the one of the row before; there is one set only where more would not stay in the first cache.
template <typename Sum, typename ValueOf>
std::vector<Sum> CodeCells::SumRows(const ValueOf& value_of) const {
  constexpr int64_t kSets = 4;
  constexpr int64_t kSetCombinationsMax = 1024;
  const auto slots = static_cast<size_t>(combinations_) + 1;
  const size_t stride = combinations_ <= kSetCombinationsMax ? slots : 0;
  std::vector<Sum> sums(stride * (kSets - 1) + slots, 0);
  const int64_t rows = batch_.num_rows();
  const uint16_t* const combination = combination_of_row_.data();
  Sum* const set = sums.data();
  int64_t i = 0;
  for (; i + kSets <= rows; i += kSets) {
    for (int64_t k = 0; k < kSets; ++k) set[static_cast<size_t>(k) * stride + combination[i + k]] += static_cast<Sum>(value_of(i + k));
  }
  for (; i < rows; ++i) set[combination[i]] += static_cast<Sum>(value_of(i));
  for (size_t begin = stride; begin + slots <= sums.size() && stride != 0; begin += stride) {
    for (size_t at = 0; at < slots; ++at) set[at] += set[begin + at];
  }
  sums.resize(slots);
  return sums;
}

template <typename Sum>
std::vector<Sum> CodeCells::SumColumn(const arrow::Array& column, bool narrow) const {
  const arrow::DictionaryArray* encoded = columnar::AsEncoded(column);
  if (encoded == nullptr) {
    return WithNumbers(column, narrow, [&](auto values) { return SumRows<Sum>([=](int64_t i) { return values[i]; }); });
  }
  return WithNumbers(*encoded->dictionary(), narrow, [&](auto values) {
    return columnar::WithCodes(*encoded, [&](const auto* codes) { return SumRows<Sum>([=](int64_t i) { return values[codes[i]]; }); });
  });
}

template <typename To, typename From>
std::vector<To> CodeCells::OfLiveCells(const std::vector<From>& sums) const {
  std::vector<To> taken;
  taken.reserve(live_.size());
  for (uint16_t at : live_) taken.push_back(static_cast<To>(sums[at]));
  return taken;
}

}  // namespace vecruntime::exec
