// SPDX-License-Identifier: Apache-2.0
// Sums per group, shared by sum and avg. Those of integers, intervals and decimals are exact: wide enough that no order of addition
// overflows, so that whether a sum fits its result type does not depend on how rows were spread over workers.
#pragma once

#include <arrow/array.h>
#include <arrow/result.h>
#include <arrow/type.h>
#include <arrow/util/decimal.h>

#include <cstring>
#include <functional>
#include <memory>
#include <span>
#include <typeinfo>
#include <utility>
#include <vector>

#include "vecruntime/exec/aggregates/accumulator.h"

namespace vecruntime::exec {

/// 192 bits: 2^63 values of 38 digits.
struct Wide {
  unsigned __int128 low = 0;
  int64_t high = 0;
  Wide& operator+=(Int128 value) {
    const auto addend = static_cast<unsigned __int128>(value);
    low += addend;
    high += (low < addend ? 1 : 0) + (value < 0 ? -1 : 0);
    return *this;
  }
  Wide& operator+=(const Wide& other) {
    low += other.low;
    high += other.high + (low < other.low ? 1 : 0);
    return *this;
  }
  /// Whether the value fits 128 bits; then Int128(low) is it.
  bool FitsInt128() const { return high == (static_cast<Int128>(low) < 0 ? -1 : 0); }
};

inline Int128 DecimalAt(const arrow::Decimal128Array& array, int64_t i) {
  Int128 value;
  std::memcpy(&value, array.GetValue(i), sizeof(value));
  return value;
}

/// Sum and count of the non-NULL values of each group, added up as Sum: exactly, or in double.
template <typename Sum>
class Sums {
 public:
  void Resize(size_t groups) {
    sums_.resize(groups);
    counts_.resize(groups, 0);
  }
  /// `array` may be encoded as Accumulator::TakesEncoded says.
  void Update(const arrow::Array& array, const GroupedRows& rows);
  void UpdateParts(const arrow::Array& array, GroupParts* groups);
  void AddCells(const CellSums& sums, std::span<const int64_t> row_counts, const GroupedRows& rows) {
    std::visit([&](const auto& of_cell) {
      if constexpr (std::is_same_v<Sum, double> == std::is_same_v<std::decay_t<decltype(of_cell)>, std::vector<double>>) {
        VisitRows(rows, [&](uint32_t group, int64_t cell) {
          sums_[group] += of_cell[static_cast<size_t>(cell)];
          counts_[group] += row_counts[static_cast<size_t>(cell)];
        });
      }
    }, sums);
  }
  void Merge(const Sums& other, std::span<const uint32_t> to) {
    for (size_t g = 0; g < to.size(); ++g) {
      sums_[to[g]] += other.sums_[g];
      counts_[to[g]] += other.counts_[g];
    }
  }
  const std::vector<Sum>& sums() const { return sums_; }
  const std::vector<int64_t>& counts() const { return counts_; }
  int64_t bytes() const { return BytesOf(sums_) + BytesOf(counts_); }

 private:
  void UpdateCodes(const arrow::DictionaryArray& array, const GroupedRows& rows);
  void AddCounted(const arrow::Array& entries, const uint32_t* counts, uint32_t group);

  std::vector<Sum> sums_;
  std::vector<int64_t> counts_;
};

using ExactSums = Sums<Wide>;
using DoubleSums = Sums<double>;

/// sum, avg and what else is made of sums and counts by `finish`.
template <typename Sum>
class SumsAccumulator : public Accumulator {
 public:
  using Finisher = std::function<arrow::Result<std::shared_ptr<arrow::Array>>(const Sums<Sum>&, arrow::MemoryPool*)>;
  explicit SumsAccumulator(Finisher finish) : finish_(std::move(finish)) {}

  void Resize(size_t groups) override { sums_.Resize(groups); }
  arrow::Status Update(const ArrayVector& arguments, const GroupedRows& rows) override {
    const columnar::Selection valid = WithoutNulls(*rows.rows, arguments);
    sums_.Update(*arguments[0], rows.Among(valid));
    return arrow::Status::OK();
  }
  arrow::Status UpdateParts(const ArrayVector& arguments, GroupParts* groups) override {
    if (arguments[0]->null_count() > 0) return Accumulator::UpdateParts(arguments, groups);
    sums_.UpdateParts(*arguments[0], groups);
    return arrow::Status::OK();
  }
  bool AddsUp() const override { return true; }
  void AddCells(const CellSums& sums, std::span<const int64_t> row_counts, const GroupedRows& rows) override {
    sums_.AddCells(sums, row_counts, rows);
  }
  bool TakesEncoded() const override { return true; }
  bool HasStateOf(const Accumulator& other) const override { return typeid(other) == typeid(*this); }
  arrow::Status Merge(Accumulator* other, std::span<const uint32_t> to) override {
    sums_.Merge(static_cast<SumsAccumulator*>(other)->sums_, to);
    return arrow::Status::OK();
  }
  arrow::Result<std::shared_ptr<arrow::Array>> Finish(arrow::MemoryPool* pool) override { return finish_(sums_, pool); }
  int64_t bytes() const override { return sums_.bytes(); }

 private:
  const Finisher finish_;
  Sums<Sum> sums_;
};

/// FixedWidthArray of one T per group. `value_of(sum, count, &value)` says whether there is one, or fails; not asked of groups without rows.
template <typename T, typename Sum, typename ValueOf>
arrow::Result<std::shared_ptr<arrow::Array>> FinishSums(const Sums<Sum>& sums, const std::shared_ptr<arrow::DataType>& type,
                                                        arrow::MemoryPool* pool, const ValueOf& value_of) {
  const size_t groups = sums.sums().size();
  std::vector<T> values(groups, 0);
  std::vector<uint8_t> valid(groups, 0);
  for (size_t g = 0; g < groups; ++g) {
    if (sums.counts()[g] == 0) continue;
    ARROW_ASSIGN_OR_RAISE(valid[g], value_of(sums.sums()[g], sums.counts()[g], &values[g]));
  }
  return FixedWidthArray(type, values.data(), groups, valid, pool);
}

/// An error naming Spark's class for a sum of `type` that left its result type.
arrow::Status SumOverflow(const arrow::DataType& type);

/// Casts strings and NULL to double, refuses what cannot be added. Decimal, integer, float and interval arguments stay.
arrow::Status CoerceSummable(AggregateCall* call);

/// Checks value fits decimal(precision, *).
bool FitsPrecision(Int128 value, int precision);

}  // namespace vecruntime::exec
