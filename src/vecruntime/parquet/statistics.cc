// SPDX-License-Identifier: Apache-2.0
#include <arrow/util/decimal.h>
#include <parquet/page_index.h>
#include <parquet/statistics.h>
#include <parquet/types.h>

#include <cmath>
#include <cstring>
#include <limits>
#include <optional>
#include <string>
#include <string_view>

#include "vecruntime/parquet/parquet_file_internal.h"

namespace vecruntime::parquet {
namespace {

using ::parquet::LogicalType;
using Physical = ::parquet::Type;
using iceberg::TypeId;
using iceberg::Value;

template <typename T>
std::optional<T> Load(std::string_view bytes) {
  if (bytes.size() != sizeof(T)) return std::nullopt;
  T value;
  std::memcpy(&value, bytes.data(), sizeof(T));
  return value;
}

// Parquet's statistics of a chunk as raw bytes, or nothing where their order is not the order of the type: the deprecated min/max of byte
// arrays and unsigned integers were compared as signed (parquet.thrift, "Statistics").
struct RawBounds {
  std::optional<std::string> min;
  std::optional<std::string> max;
};

RawBounds TrustedBounds(const ::parquet::ColumnChunkMetaData& chunk, const ::parquet::ColumnDescriptor& column,
                        const ::parquet::EncodedStatistics& encoded) {
  const Physical::type type = column.physical_type();
  const bool bytes = type == Physical::BYTE_ARRAY || type == Physical::FIXED_LEN_BYTE_ARRAY;
  const bool defined_order = column.column_order().get_order() == ::parquet::ColumnOrder::TYPE_DEFINED_ORDER;
  if (type == Physical::INT96 || (bytes && !defined_order)) return {};
  // Typed statistics come from min_value/max_value alone when the order is defined; without them the encoded ones are deprecated.
  const auto typed = chunk.statistics();
  if (typed == nullptr || !typed->HasMinMax()) return {};
  RawBounds bounds;
  if (encoded.has_min) bounds.min = encoded.min();
  if (encoded.has_max) bounds.max = encoded.max();
  return bounds;
}

std::optional<int64_t> Scaled(std::optional<int64_t> value, int64_t factor) {
  int64_t product;
  if (!value || __builtin_mul_overflow(*value, factor, &product)) return std::nullopt;
  return product;
}

int64_t FloorThousandth(int64_t value) { return value / 1000 - (value % 1000 < 0 ? 1 : 0); }

class BoundDecoder {
 public:
  BoundDecoder(const ::parquet::ColumnDescriptor& column, const iceberg::Type& requested)
      : physical_(column.physical_type()), logical_(*column.logical_type()), width_(column.type_length()), requested_(requested) {}

  // nullopt when the bytes do not fit the type, or the file's type is not one that becomes the requested one.
  std::optional<Value> Decode(std::string_view bytes, bool is_min) const {
    switch (requested_.id()) {
      case TypeId::kBoolean:
        return physical_ == Physical::BOOLEAN && bytes.size() == 1 ? Some(bytes[0] != 0) : std::nullopt;
      case TypeId::kInt:
        if (!IsInteger() || IsUnsigned32()) return std::nullopt;
        return Wrap(Int32(bytes));
      case TypeId::kDate:
        return logical_.type() == LogicalType::Type::DATE || logical_.is_none() ? Wrap(Int32(bytes)) : std::nullopt;
      case TypeId::kLong: return Wrap(Long(bytes));
      case TypeId::kFloat: return physical_ == Physical::FLOAT ? Floating(Load<float>(bytes), is_min) : std::nullopt;
      case TypeId::kDouble: return Double(bytes, is_min);
      case TypeId::kDecimal: return Wrap(Decimal(bytes));
      case TypeId::kTime: return Wrap(Time(bytes));
      case TypeId::kTimestamp:
      case TypeId::kTimestampTz: return Wrap(Timestamp(bytes, /*nanos=*/false));
      case TypeId::kTimestampNs:
      case TypeId::kTimestampTzNs: return Wrap(Timestamp(bytes, /*nanos=*/true));
      case TypeId::kString: return physical_ == Physical::BYTE_ARRAY && !IsDecimal() ? Some(std::string(bytes)) : std::nullopt;
      case TypeId::kUuid: return Fixed(bytes, 16);
      case TypeId::kFixed: return Fixed(bytes, requested_.length());
      case TypeId::kBinary:
        if (physical_ == Physical::FIXED_LEN_BYTE_ARRAY) return Fixed(bytes, width_);
        return physical_ == Physical::BYTE_ARRAY && !IsDecimal() ? Some(std::string(bytes)) : std::nullopt;
      default: return std::nullopt;
    }
  }

 private:
  template <typename T>
  static std::optional<Value> Some(T value) { return Value{std::move(value)}; }
  template <typename T>
  static std::optional<Value> Wrap(std::optional<T> value) { return value ? Some(*value) : std::nullopt; }

  bool IsDecimal() const { return logical_.type() == LogicalType::Type::DECIMAL; }
  bool IsInteger() const { return logical_.is_none() || logical_.type() == LogicalType::Type::INT; }
  bool IsUnsigned() const {
    return logical_.type() == LogicalType::Type::INT && !static_cast<const ::parquet::IntLogicalType&>(logical_).is_signed();
  }
  bool IsUnsigned32() const { return IsUnsigned() && static_cast<const ::parquet::IntLogicalType&>(logical_).bit_width() == 32; }

  std::optional<int32_t> Int32(std::string_view bytes) const { return physical_ == Physical::INT32 ? Load<int32_t>(bytes) : std::nullopt; }
  std::optional<int64_t> Int64(std::string_view bytes) const { return physical_ == Physical::INT64 ? Load<int64_t>(bytes) : std::nullopt; }

  std::optional<int64_t> Long(std::string_view bytes) const {
    if (!IsInteger()) return std::nullopt;
    if (physical_ == Physical::INT64) return IsUnsigned() ? std::nullopt : Load<int64_t>(bytes);
    const auto value = Int32(bytes);
    if (!value) return std::nullopt;
    return IsUnsigned32() ? static_cast<int64_t>(static_cast<uint32_t>(*value)) : static_cast<int64_t>(*value);
  }

  std::optional<Value> Double(std::string_view bytes, bool is_min) const {
    if (physical_ == Physical::DOUBLE) return Floating(Load<double>(bytes), is_min);
    const auto narrow = physical_ == Physical::FLOAT ? Load<float>(bytes) : std::nullopt;
    return Floating(narrow ? std::optional<double>(*narrow) : std::nullopt, is_min);
  }

  // A bound of zero may stand for either zero (parquet.thrift, "ColumnOrder").
  template <typename T>
  static std::optional<Value> Floating(std::optional<T> value, bool is_min) {
    if (!value || std::isnan(*value)) return std::nullopt;
    if (*value == T{0}) return Some(is_min ? -T{0} : T{0});
    return Some(*value);
  }

  std::optional<arrow::Decimal128> Decimal(std::string_view bytes) const {
    if (!IsDecimal()) return std::nullopt;
    const auto& decimal = static_cast<const ::parquet::DecimalLogicalType&>(logical_);
    if (decimal.scale() != requested_.scale()) return std::nullopt;
    if (const auto value = Int32(bytes)) return arrow::Decimal128(*value);
    if (const auto value = Int64(bytes)) return arrow::Decimal128(*value);
    if (physical_ != Physical::BYTE_ARRAY && physical_ != Physical::FIXED_LEN_BYTE_ARRAY) return std::nullopt;
    auto value = arrow::Decimal128::FromBigEndian(reinterpret_cast<const uint8_t*>(bytes.data()), static_cast<int32_t>(bytes.size()));
    return value.ok() ? std::optional(*value) : std::nullopt;
  }

  std::optional<int64_t> Time(std::string_view bytes) const {
    if (logical_.type() != LogicalType::Type::TIME) return std::nullopt;
    switch (static_cast<const ::parquet::TimeLogicalType&>(logical_).time_unit()) {
      case LogicalType::TimeUnit::MILLIS: return Scaled(Int32(bytes), 1000);
      case LogicalType::TimeUnit::MICROS: return Int64(bytes);
      case LogicalType::TimeUnit::NANOS: return Floored(Int64(bytes));
      default: return std::nullopt;
    }
  }

  std::optional<int64_t> Timestamp(std::string_view bytes, bool nanos) const {
    const int64_t per_micro = nanos ? 1000 : 1;
    if (logical_.type() == LogicalType::Type::DATE) return Scaled(Int32(bytes), int64_t{86'400'000'000} * per_micro);
    if (logical_.type() != LogicalType::Type::TIMESTAMP) return std::nullopt;
    switch (static_cast<const ::parquet::TimestampLogicalType&>(logical_).time_unit()) {
      case LogicalType::TimeUnit::MILLIS: return Scaled(Int64(bytes), 1000 * per_micro);
      case LogicalType::TimeUnit::MICROS: return Scaled(Int64(bytes), per_micro);
      case LogicalType::TimeUnit::NANOS: return nanos ? Int64(bytes) : Floored(Int64(bytes));
      default: return std::nullopt;
    }
  }

  static std::optional<int64_t> Floored(std::optional<int64_t> value) {
    return value ? std::optional(FloorThousandth(*value)) : std::nullopt;
  }

  std::optional<Value> Fixed(std::string_view bytes, int length) const {
    if (physical_ != Physical::FIXED_LEN_BYTE_ARRAY || width_ != length || IsDecimal()) return std::nullopt;
    if (bytes.size() != static_cast<size_t>(length)) return std::nullopt;
    return Some(std::string(bytes));
  }

  const Physical::type physical_;
  const LogicalType& logical_;
  const int width_;
  const iceberg::Type& requested_;
};

bool AreSwapped(const Value& min, const Value& max) {
  return min.data.index() != max.data.index() || iceberg::Compare(min, max) == std::strong_ordering::greater;
}

void SetBounds(const ::parquet::ColumnDescriptor& column, const iceberg::Type& requested, const std::string* min, const std::string* max,
               ColumnStatistics* statistics) {
  const BoundDecoder decoder(column, requested);
  if (min != nullptr) statistics->min = decoder.Decode(*min, /*is_min=*/true);
  if (max != nullptr) statistics->max = decoder.Decode(*max, /*is_min=*/false);
  if (statistics->min && statistics->max && AreSwapped(*statistics->min, *statistics->max)) {
    statistics->min.reset();
    statistics->max.reset();
  }
  // Parquet leaves NaN out of its bounds, and Iceberg and Spark order it above every number: the maximum bounds nothing.
  if (requested.id() == TypeId::kFloat || requested.id() == TypeId::kDouble) statistics->max.reset();
}

}  // namespace

std::optional<ColumnStatistics> ReadStatistics(const ::parquet::ColumnChunkMetaData& chunk, const ::parquet::ColumnDescriptor& column,
                                               const iceberg::Type& requested) {
  if (!chunk.is_stats_set()) return std::nullopt;
  const auto encoded = chunk.encoded_statistics();
  if (encoded == nullptr) return std::nullopt;
  ColumnStatistics statistics;
  statistics.value_count = chunk.num_values();
  if (encoded->has_null_count && encoded->null_count >= 0 && encoded->null_count <= chunk.num_values()) {
    statistics.null_count = encoded->null_count;
  }
  const RawBounds raw = TrustedBounds(chunk, column, *encoded);
  SetBounds(column, requested, raw.min ? &*raw.min : nullptr, raw.max ? &*raw.max : nullptr, &statistics);
  return statistics;
}

std::vector<ColumnStatistics> ReadPageStatistics(const ::parquet::ColumnIndex& index, const ::parquet::ColumnDescriptor& column,
                                                 const iceberg::Type& requested, const std::vector<int64_t>& rows) {
  const size_t pages = rows.size();
  if (column.physical_type() == Physical::INT96 || column.column_order().get_order() != ::parquet::ColumnOrder::TYPE_DEFINED_ORDER) return {};
  if (index.null_pages().size() != pages || index.encoded_min_values().size() != pages || index.encoded_max_values().size() != pages) return {};
  const bool counts_nulls = index.has_null_counts() && index.null_counts().size() == pages;
  std::vector<ColumnStatistics> statistics(pages);
  for (size_t i = 0; i < pages; ++i) {
    ColumnStatistics& page = statistics[i];
    page.value_count = rows[i];
    if (counts_nulls && index.null_counts()[i] >= 0 && index.null_counts()[i] <= rows[i]) page.null_count = index.null_counts()[i];
    // A page of NULLs has no bounds; what says so must be confirmed by its count to be of use.
    if (!index.null_pages()[i]) SetBounds(column, requested, &index.encoded_min_values()[i], &index.encoded_max_values()[i], &page);
  }
  return statistics;
}

}  // namespace vecruntime::parquet
