// SPDX-License-Identifier: Apache-2.0
#include "vecruntime/exec/aggregates/sums.h"

#include <array>
#include <type_traits>

#include "vecruntime/columnar/dictionary.h"
#include "vecruntime/columnar/kernels.h"

namespace vecruntime::exec {
namespace {

constexpr size_t kCodes = 256;
// Decimals of so many digits, and values of so many bits, times the rows of any batch (2^24, SessionOptions::batch_rows) stay within 128 bits.
constexpr int kNarrowDigits = 30;
constexpr int kNarrowBits = 100;

bool AreNarrow(const arrow::Decimal128Array& decimals) {
  if (static_cast<const arrow::Decimal128Type&>(*decimals.type()).precision() <= kNarrowDigits) return true;
  Int128 magnitudes = 0;
  for (int64_t i = 0; i < decimals.length(); ++i) {
    const Int128 value = DecimalAt(decimals, i);
    magnitudes |= value < 0 ? ~value : value;
  }
  return magnitudes >> kNarrowBits == 0;
}

// Calls body.operator()<Partial>(value_of): Partial adds up the values of one batch without overflow, value_of(i) is one of them.
template <typename Sum, typename Body>
void WithValues(const arrow::Array& array, Body&& body) {
  const auto plain = [&]<typename Partial, typename T>(const T* values) {
    body.template operator()<Partial>([values](int64_t i) { return static_cast<Partial>(values[i]); });
  };
  if constexpr (std::is_same_v<Sum, double>) {
    if (array.type_id() == arrow::Type::FLOAT) return plain.template operator()<double>(array.data()->GetValues<float>(1));
    return plain.template operator()<double>(array.data()->GetValues<double>(1));
  } else {
    switch (array.type_id()) {
      case arrow::Type::INT8: return plain.template operator()<Int128>(array.data()->GetValues<int8_t>(1));
      case arrow::Type::INT16: return plain.template operator()<Int128>(array.data()->GetValues<int16_t>(1));
      case arrow::Type::INT32:
      case arrow::Type::INTERVAL_MONTHS: return plain.template operator()<Int128>(array.data()->GetValues<int32_t>(1));
      case arrow::Type::DECIMAL128: {
        const auto& decimals = static_cast<const arrow::Decimal128Array&>(array);
        const auto value_of = [&](int64_t i) { return DecimalAt(decimals, i); };
        return AreNarrow(decimals) ? body.template operator()<Int128>(value_of) : body.template operator()<Wide>(value_of);
      }
      default: return plain.template operator()<Int128>(array.data()->GetValues<int64_t>(1));
    }
  }
}

// The sum of each part. Every eighth row goes to the same set of sums, so that an addition does not wait for the one of the row before.
template <typename Partial, typename ValueOf>
std::array<Partial, GroupParts::kPartsMax> SumByPart(const uint8_t* part_of_row, int64_t rows, const ValueOf& value_of) {
  constexpr int64_t kSets = 8;
  Partial sums[kSets][GroupParts::kPartsMax + 1] = {};
  int64_t i = 0;
  for (; i + kSets <= rows; i += kSets) {
    for (int64_t k = 0; k < kSets; ++k) sums[k][part_of_row[i + k]] += value_of(i + k);
  }
  for (; i < rows; ++i) sums[0][part_of_row[i]] += value_of(i);
  std::array<Partial, GroupParts::kPartsMax> joined{};
  for (size_t part = 0; part < joined.size(); ++part) {
    for (const auto& set : sums) joined[part] += set[part];
  }
  return joined;
}

// How often each code occurs in each part: [part * kCodes + code]. In sets, as above.
std::vector<uint32_t> CountByPart(const uint8_t* part_of_row, const arrow::DictionaryArray& encoded, size_t parts) {
  constexpr int64_t kSets = 4;
  const size_t set_size = (parts + 1) * kCodes;
  std::vector<uint32_t> counts(kSets * set_size, 0);
  columnar::WithCodes(encoded, [&, set0 = counts.data(), rows = encoded.length()](const auto* codes) {
    int64_t i = 0;
    for (; i + kSets <= rows; i += kSets) {
      for (int64_t k = 0; k < kSets; ++k) ++set0[static_cast<size_t>(k) * set_size + part_of_row[i + k] * kCodes + codes[i + k]];
    }
    for (; i < rows; ++i) ++set0[part_of_row[i] * kCodes + codes[i]];
  });
  for (size_t at = set_size; at < counts.size(); ++at) counts[at % set_size] += counts[at];
  counts.resize(set_size);
  return counts;
}

Int128 Times(Int128 value, uint32_t count, Int128) { return value * static_cast<Int128>(count); }
double Times(double value, uint32_t count, double) { return value * count; }
Wide Times(Int128 value, uint32_t count, Wide) {
  Wide product;
  Wide doubled;
  doubled += value;
  for (; count != 0; count >>= 1) {
    if ((count & 1) != 0) product += doubled;
    doubled += Wide(doubled);
  }
  return product;
}

}  // namespace

template <typename Sum>
void Sums<Sum>::Update(const arrow::Array& array, const GroupedRows& rows) {
  if (const arrow::DictionaryArray* encoded = columnar::AsEncoded(array)) return UpdateCodes(*encoded, rows);
  if (rows.groups != nullptr) {
    return WithValues<Sum>(array, [&]<typename Partial>(const auto& value_of) {
      VisitRows(rows, [&, sums = sums_.data(), counts = counts_.data()](uint32_t group, int64_t i) {
        sums[group] += value_of(i);
        ++counts[group];
      });
    });
  }
  counts_[rows.group] += rows.rows->CountLive();
  if (array.type_id() == arrow::Type::DOUBLE) {
    if constexpr (std::is_same_v<Sum, double>) {
      double lanes[columnar::kSumLanes] = {};
      columnar::ActiveKernels().sum_double(array.data()->GetValues<double>(1), rows.rows->words().data(), rows.rows->length(), lanes);
      for (const double lane : lanes) sums_[rows.group] += lane;
      return;
    }
  }
  if (array.type_id() == arrow::Type::INT64 || array.type_id() == arrow::Type::DECIMAL64) {
    if constexpr (std::is_same_v<Sum, Wide>) {
      sums_[rows.group] += columnar::ActiveKernels().sum_long(array.data()->GetValues<int64_t>(1), rows.rows->words().data(), rows.rows->length());
      return;
    }
  }
  WithValues<Sum>(array, [&]<typename Partial>(const auto& value_of) {
    Partial sum{};
    VisitRows(rows, [&](uint32_t, int64_t i) { sum += value_of(i); });
    sums_[rows.group] += sum;
  });
}

template <typename Sum>
void Sums<Sum>::UpdateParts(const arrow::Array& array, GroupParts* groups) {
  const uint8_t* const part_of_row = groups->part_of_row();
  const auto& parts = groups->parts();
  if (const arrow::DictionaryArray* encoded = columnar::AsEncoded(array)) {
    const std::vector<uint32_t> counts = CountByPart(part_of_row, *encoded, parts.size());
    for (size_t p = 0; p < parts.size(); ++p) AddCounted(*encoded->dictionary(), counts.data() + p * kCodes, parts[p].group);
    return;
  }
  WithValues<Sum>(array, [&]<typename Partial>(const auto& value_of) {
    const auto sums = SumByPart<Partial>(part_of_row, array.length(), value_of);
    for (size_t p = 0; p < parts.size(); ++p) sums_[parts[p].group] += sums[p];
  });
  for (size_t p = 0; p < parts.size(); ++p) counts_[parts[p].group] += groups->sizes()[p];
}

template <typename Sum>
void Sums<Sum>::UpdateCodes(const arrow::DictionaryArray& array, const GroupedRows& rows) {
  columnar::WithCodes(array, [&](const auto* codes) {
    if (rows.groups == nullptr) {
      uint32_t counts[kCodes] = {};
      VisitRows(rows, [&](uint32_t, int64_t i) { ++counts[codes[i]]; });
      return AddCounted(*array.dictionary(), counts, rows.group);
    }
    WithValues<Sum>(*array.dictionary(), [&]<typename Partial>(const auto& value_of) {
      VisitRows(rows, [&](uint32_t group, int64_t i) {
        sums_[group] += value_of(codes[i]);
        ++counts_[group];
      });
    });
  });
}

// Entry c of the dictionary, counts[c] times.
template <typename Sum>
void Sums<Sum>::AddCounted(const arrow::Array& entries, const uint32_t* counts, uint32_t group) {
  WithValues<Sum>(entries, [&]<typename Partial>(const auto& value_of) {
    for (int64_t c = 0; c < entries.length(); ++c) {
      if (counts[c] == 0) continue;  // 0 times infinity is no number
      sums_[group] += Times(value_of(c), counts[c], Partial{});
      counts_[group] += counts[c];
    }
  });
}

template class Sums<Wide>;
template class Sums<double>;

}  // namespace vecruntime::exec
