// SPDX-License-Identifier: Apache-2.0
// Sums per group, shared by sum and avg. Those of integers, intervals and decimals are exact: wide enough that no order of addition
// overflows, so that whether a sum fits its result type does not depend on how rows were spread over workers.
#pragma once

#include <arrow/array.h>
#include <arrow/type.h>
#include <arrow/util/decimal.h>

#include <cstring>
#include <span>
#include <vector>

#include "vecruntime/exec/aggregates/accumulator.h"

namespace vecruntime::exec {

using Int128 = __int128;

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
  /// `array` may be dictionary-encoded as Accumulator::TakesCodes says.
  void Update(const arrow::Array& array, const GroupedRows& rows);
  void UpdateParts(const arrow::Array& array, GroupParts* groups);
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

/// An error naming Spark's class for a sum of `type` that left its result type.
arrow::Status SumOverflow(const arrow::DataType& type);

/// Casts strings and NULL to double, refuses what cannot be added. Decimal, integer, float and interval arguments stay.
arrow::Status CoerceSummable(AggregateCall* call);

/// Checks value fits decimal(precision, *).
bool FitsPrecision(Int128 value, int precision);

}  // namespace vecruntime::exec
