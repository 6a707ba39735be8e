// SPDX-License-Identifier: Apache-2.0
// Exact sums of integers, intervals and decimals per group, shared by sum and avg: wide enough that no order of addition overflows, so that
// whether a sum fits its result type does not depend on how rows were spread over workers.
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

/// Calls add(group, value as Int128) for each visited row of an integer, interval or decimal array.
template <typename Add>
void VisitExact(const arrow::Array& array, const GroupedRows& rows, Add&& add) {
  auto typed = [&](const auto* values) { VisitRows(rows, [&](uint32_t group, int64_t i) { add(group, static_cast<Int128>(values[i])); }); };
  switch (array.type_id()) {
    case arrow::Type::INT8: return typed(array.data()->GetValues<int8_t>(1));
    case arrow::Type::INT16: return typed(array.data()->GetValues<int16_t>(1));
    case arrow::Type::INT32:
    case arrow::Type::INTERVAL_MONTHS: return typed(array.data()->GetValues<int32_t>(1));
    case arrow::Type::DECIMAL128: {
      const auto& decimals = static_cast<const arrow::Decimal128Array&>(array);
      return VisitRows(rows, [&](uint32_t group, int64_t i) { add(group, DecimalAt(decimals, i)); });
    }
    default: return typed(array.data()->GetValues<int64_t>(1));
  }
}

/// Sum and count of the non-NULL values of each group.
class ExactSums {
 public:
  void Resize(size_t groups) {
    sums_.resize(groups);
    counts_.resize(groups, 0);
  }
  void Update(const arrow::Array& array, const GroupedRows& rows) {
    VisitExact(array, rows, [sums = sums_.data(), counts = counts_.data()](uint32_t group, Int128 value) {
      sums[group] += value;
      ++counts[group];
    });
  }
  void Merge(const ExactSums& other, std::span<const uint32_t> to) {
    for (size_t g = 0; g < to.size(); ++g) {
      sums_[to[g]] += other.sums_[g];
      counts_[to[g]] += other.counts_[g];
    }
  }
  const std::vector<Wide>& sums() const { return sums_; }
  const std::vector<int64_t>& counts() const { return counts_; }
  int64_t bytes() const { return BytesOf(sums_) + BytesOf(counts_); }

 private:
  std::vector<Wide> sums_;
  std::vector<int64_t> counts_;
};

/// The same for float and double, added up in double.
class DoubleSums {
 public:
  void Resize(size_t groups) {
    sums_.resize(groups, 0);
    counts_.resize(groups, 0);
  }
  void Update(const arrow::Array& array, const GroupedRows& rows) {
    auto typed = [&](const auto* values) {
      VisitRows(rows, [&, sums = sums_.data(), counts = counts_.data()](uint32_t group, int64_t i) {
        sums[group] += static_cast<double>(values[i]);
        ++counts[group];
      });
    };
    if (array.type_id() == arrow::Type::FLOAT) return typed(array.data()->GetValues<float>(1));
    typed(array.data()->GetValues<double>(1));
  }
  void Merge(const DoubleSums& other, std::span<const uint32_t> to) {
    for (size_t g = 0; g < to.size(); ++g) {
      sums_[to[g]] += other.sums_[g];
      counts_[to[g]] += other.counts_[g];
    }
  }
  const std::vector<double>& sums() const { return sums_; }
  const std::vector<int64_t>& counts() const { return counts_; }
  int64_t bytes() const { return BytesOf(sums_) + BytesOf(counts_); }

 private:
  std::vector<double> sums_;
  std::vector<int64_t> counts_;
};

/// An error naming Spark's class for a sum of `type` that left its result type.
arrow::Status SumOverflow(const arrow::DataType& type);

/// Casts strings and NULL to double, refuses what cannot be added. Decimal, integer, float and interval arguments stay.
arrow::Status CoerceSummable(AggregateCall* call);

/// Checks value fits decimal(precision, *).
bool FitsPrecision(Int128 value, int precision);

}  // namespace vecruntime::exec
