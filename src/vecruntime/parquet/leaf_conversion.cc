// SPDX-License-Identifier: Apache-2.0
#include "vecruntime/parquet/leaf_conversion_internal.h"

#include <arrow/array.h>
#include <arrow/buffer.h>
#include <arrow/type.h>
#include <arrow/util/bit_util.h>
#include <arrow/util/decimal.h>
#include <parquet/types.h>

#include <algorithm>
#include <cstring>
#include <limits>
#include <string>
#include <vector>

#include "vecruntime/base/error.h"
#include "vecruntime/columnar/kernels.h"

namespace vecruntime::parquet {
namespace {

using arrow::ArrayData;
using arrow::Result;
using ::parquet::LogicalType;
using iceberg::TypeId;
using DataPtr = std::shared_ptr<ArrayData>;
using Physical = ::parquet::Type;

constexpr int64_t kMicrosPerDay = int64_t{86'400} * 1'000'000;
constexpr int64_t kJulianDayOfEpoch = 2'440'588;

bool IsValid(const ArrayData& data, int64_t i) {
  return data.buffers[0] == nullptr || arrow::bit_util::GetBit(data.buffers[0]->data(), i);
}

arrow::Status OutOfRange(const arrow::DataType& type) {
  return base::CorruptData("value does not fit the requested type ", type.ToString());
}

// One fixed-width output value per input slot; null slots become zero, so that nothing is computed from bytes that mean nothing.
template <typename Out, typename MakeValue>
Result<DataPtr> MapFixed(const DataPtr& in, const std::shared_ptr<arrow::DataType>& type, arrow::MemoryPool* pool, MakeValue&& make) {
  ARROW_ASSIGN_OR_RAISE(std::shared_ptr<arrow::Buffer> values, arrow::AllocateBuffer(in->length * static_cast<int64_t>(sizeof(Out)), pool));
  Out* out = values->mutable_data_as<Out>();
  for (int64_t i = 0; i < in->length; ++i) {
    out[i] = Out{};
    if (IsValid(*in, i) && !make(i, &out[i])) return OutOfRange(*type);
  }
  return ArrayData::Make(type, in->length, {in->buffers[0], std::move(values)}, in->null_count.load());
}

// Variable-length output; `append(i, std::string*)` adds the bytes of slot i.
template <typename Append>
Result<DataPtr> MapBinary(const DataPtr& in, const std::shared_ptr<arrow::DataType>& type, arrow::MemoryPool* pool, Append&& append) {
  ARROW_ASSIGN_OR_RAISE(std::shared_ptr<arrow::Buffer> offsets, arrow::AllocateBuffer((in->length + 1) * 4, pool));
  int32_t* offset = offsets->mutable_data_as<int32_t>();
  std::string bytes;
  offset[0] = 0;
  for (int64_t i = 0; i < in->length; ++i) {
    if (IsValid(*in, i)) append(i, &bytes);
    if (bytes.size() > static_cast<size_t>(std::numeric_limits<int32_t>::max())) return OutOfRange(*type);
    offset[i + 1] = static_cast<int32_t>(bytes.size());
  }
  return ArrayData::Make(type, in->length, {in->buffers[0], std::move(offsets), arrow::Buffer::FromString(std::move(bytes))},
                         in->null_count.load());
}

LeafConversion Retag(std::shared_ptr<arrow::DataType> type) {
  return [type](DataPtr in, arrow::MemoryPool*) -> Result<DataPtr> {
    DataPtr out = in->Copy();
    out->type = type;
    return out;
  };
}

template <typename In, typename Out>
LeafConversion Widen(std::shared_ptr<arrow::DataType> type) {
  return [type](DataPtr in, arrow::MemoryPool* pool) -> Result<DataPtr> {
    const In* values = in->buffers[1]->data_as<In>();
    return MapFixed<Out>(in, type, pool, [&](int64_t i, Out* out) { *out = static_cast<Out>(values[i]); return true; });
  };
}

template <typename In>
LeafConversion Multiply(std::shared_ptr<arrow::DataType> type, int64_t factor) {
  return [type, factor](DataPtr in, arrow::MemoryPool* pool) -> Result<DataPtr> {
    const In* values = in->buffers[1]->data_as<In>();
    return MapFixed<int64_t>(in, type, pool, [&](int64_t i, int64_t* out) {
      return !__builtin_mul_overflow(static_cast<int64_t>(values[i]), factor, out);
    });
  };
}

LeafConversion FloorNanosToMicros(std::shared_ptr<arrow::DataType> type) {
  return [type](DataPtr in, arrow::MemoryPool* pool) -> Result<DataPtr> {
    const int64_t* values = in->buffers[1]->data_as<int64_t>();
    return MapFixed<int64_t>(in, type, pool, [&](int64_t i, int64_t* out) {
      *out = values[i] / 1000 - (values[i] % 1000 < 0 ? 1 : 0);
      return true;
    });
  };
}

// INT96: nanoseconds of the day (8 bytes) and Julian day (4 bytes), little-endian.
LeafConversion Int96ToTimestamp(std::shared_ptr<arrow::DataType> type, bool nanos) {
  return [type, nanos](DataPtr in, arrow::MemoryPool* pool) -> Result<DataPtr> {
    const uint8_t* values = in->buffers[1]->data();
    return MapFixed<int64_t>(in, type, pool, [&](int64_t i, int64_t* out) {
      int64_t nanos_of_day;
      uint32_t julian_day;
      std::memcpy(&nanos_of_day, values + i * 12, 8);
      std::memcpy(&julian_day, values + i * 12 + 8, 4);
      const int64_t day = static_cast<int64_t>(julian_day) - kJulianDayOfEpoch;
      const int64_t per_day = nanos ? kMicrosPerDay * 1000 : kMicrosPerDay;
      const int64_t rest = nanos ? nanos_of_day : nanos_of_day / 1000 - (nanos_of_day % 1000 < 0 ? 1 : 0);
      int64_t start;
      return !__builtin_mul_overflow(day, per_day, &start) && !__builtin_add_overflow(start, rest, out);
    });
  };
}

void StoreDecimal(const arrow::Decimal128& value, std::array<uint8_t, 16>* out) { value.ToBytes(out->data()); }

// Whether the values, those that are not NULL, have at most so many digits.
bool HaveDigits(const ArrayData& in, const int64_t* values, int digits) {
  if (digits > std::numeric_limits<int64_t>::digits10) return true;
  const arrow::Decimal128 limit = arrow::Decimal128::GetScaleMultiplier(digits);
  const auto exclusive = static_cast<uint64_t>(limit.low_bits());
  if (columnar::ActiveKernels().or_magnitudes(values, in.length) + 1 < exclusive) return true;
  for (int64_t i = 0; i < in.length; ++i) {
    const uint64_t magnitude = values[i] < 0 ? -static_cast<uint64_t>(values[i]) : static_cast<uint64_t>(values[i]);
    if (IsValid(in, i) && magnitude >= exclusive) return false;
  }
  return true;
}

// To arrow::Decimal64Array.
template <typename In>
LeafConversion IntegerToNarrowDecimal(std::shared_ptr<arrow::DataType> type) {
  return [type](DataPtr in, arrow::MemoryPool* pool) -> Result<DataPtr> {
    std::shared_ptr<arrow::Buffer> values = in->buffers[1];
    if constexpr (sizeof(In) < sizeof(int64_t)) {
      ARROW_ASSIGN_OR_RAISE(values, arrow::AllocateBuffer(in->length * 8, pool));
      std::copy_n(in->buffers[1]->data_as<In>(), in->length, values->mutable_data_as<int64_t>());
    }
    if (!HaveDigits(*in, values->data_as<int64_t>(), static_cast<const arrow::DecimalType&>(*type).precision())) return OutOfRange(*type);
    return ArrayData::Make(type, in->length, {in->buffers[0], std::move(values)}, in->null_count.load());
  };
}

template <typename In>
LeafConversion IntegerToDecimal(std::shared_ptr<arrow::DataType> type) {
  const int precision = static_cast<const arrow::Decimal128Type&>(*type).precision();
  return [type, precision](DataPtr in, arrow::MemoryPool* pool) -> Result<DataPtr> {
    const In* values = in->buffers[1]->data_as<In>();
    return MapFixed<std::array<uint8_t, 16>>(in, type, pool, [&](int64_t i, std::array<uint8_t, 16>* out) {
      const arrow::Decimal128 value(static_cast<int64_t>(values[i]));
      StoreDecimal(value, out);
      return value.FitsInPrecision(precision);
    });
  };
}

// `bytes(in, i)` is slot i as big-endian two's complement.
template <typename BytesAt>
Result<DataPtr> BigEndianToDecimal(const DataPtr& in, const std::shared_ptr<arrow::DataType>& type, arrow::MemoryPool* pool, BytesAt&& bytes) {
  const int precision = static_cast<const arrow::Decimal128Type&>(*type).precision();
  return MapFixed<std::array<uint8_t, 16>>(in, type, pool, [&](int64_t i, std::array<uint8_t, 16>* out) {
    const std::string_view text = bytes(i);
    auto value = arrow::Decimal128::FromBigEndian(reinterpret_cast<const uint8_t*>(text.data()), static_cast<int32_t>(text.size()));
    if (!value.ok()) return false;
    StoreDecimal(*value, out);
    return value->FitsInPrecision(precision);
  });
}

std::string_view FixedAt(const ArrayData& data, int64_t width, int64_t i) {
  return {reinterpret_cast<const char*>(data.buffers[1]->data()) + i * width, static_cast<size_t>(width)};
}

std::string_view BinaryAt(const ArrayData& data, int64_t i) {
  const int32_t* offsets = data.buffers[1]->data_as<int32_t>();
  if (offsets[i + 1] == offsets[i]) return {};
  return {reinterpret_cast<const char*>(data.buffers[2]->data()) + offsets[i], static_cast<size_t>(offsets[i + 1] - offsets[i])};
}

LeafConversion BytesToDecimal(std::shared_ptr<arrow::DataType> type, bool fixed, int64_t width) {
  if (fixed) {
    return [type, width](DataPtr in, arrow::MemoryPool* pool) {
      return BigEndianToDecimal(in, type, pool, [&](int64_t i) { return FixedAt(*in, width, i); });
    };
  }
  return [type](DataPtr in, arrow::MemoryPool* pool) {
    return BigEndianToDecimal(in, type, pool, [&](int64_t i) { return BinaryAt(*in, i); });
  };
}

LeafConversion FixedToBinary(std::shared_ptr<arrow::DataType> type, int64_t width) {
  return [type, width](DataPtr in, arrow::MemoryPool* pool) -> Result<DataPtr> {
    if (width != 0 && in->length > std::numeric_limits<int32_t>::max() / width) return OutOfRange(*type);
    ARROW_ASSIGN_OR_RAISE(std::shared_ptr<arrow::Buffer> offsets, arrow::AllocateBuffer((in->length + 1) * 4, pool));
    int32_t* offset = offsets->mutable_data_as<int32_t>();
    for (int64_t i = 0; i <= in->length; ++i) offset[i] = static_cast<int32_t>(i * width);
    return ArrayData::Make(type, in->length, {in->buffers[0], std::move(offsets), in->buffers[1]}, in->null_count.load());
  };
}

LeafConversion UuidToText(std::shared_ptr<arrow::DataType> type) {
  return [type](DataPtr in, arrow::MemoryPool* pool) {
    return MapBinary(in, type, pool, [&](int64_t i, std::string* text) {
      static constexpr char kHex[] = "0123456789abcdef";
      const std::string_view raw = FixedAt(*in, 16, i);
      for (size_t b = 0; b < 16; ++b) {
        if (b == 4 || b == 6 || b == 8 || b == 10) text->push_back('-');
        const auto byte = static_cast<uint8_t>(raw[b]);
        text->push_back(kHex[byte >> 4]);
        text->push_back(kHex[byte & 15]);
      }
    });
  };
}

LeafConversion AllNull(std::shared_ptr<arrow::DataType> type) {
  return [type](DataPtr in, arrow::MemoryPool* pool) -> Result<DataPtr> {
    ARROW_ASSIGN_OR_RAISE(auto nulls, arrow::MakeArrayOfNull(type, in->length, pool));
    return nulls->data();
  };
}

std::optional<LogicalType::TimeUnit::unit> TimestampUnit(const LogicalType& logical) {
  if (logical.type() != LogicalType::Type::TIMESTAMP) return std::nullopt;
  return static_cast<const ::parquet::TimestampLogicalType&>(logical).time_unit();
}

// Picks the conversion for one column and one requested type; a null function means that there is none.
class Chooser {
 public:
  Chooser(const ::parquet::ColumnDescriptor& column, const iceberg::Type& requested, std::shared_ptr<arrow::DataType> type,
          bool narrow_decimals)
      : physical_(column.physical_type()), logical_(*column.logical_type()), width_(column.type_length()), requested_(requested),
        type_(std::move(type)), narrow_decimals_(narrow_decimals) {}

  LeafConversion Choose() const {
    if (requested_.id() == TypeId::kUnknown || logical_.type() == LogicalType::Type::NIL) return AllNull(type_);
    switch (requested_.id()) {
      case TypeId::kBoolean: return physical_ == Physical::BOOLEAN ? Retag(type_) : nullptr;
      case TypeId::kInt: return physical_ == Physical::INT32 && IsInteger() && !IsUnsigned(32) ? Retag(type_) : nullptr;
      case TypeId::kLong: return Long();
      case TypeId::kFloat: return physical_ == Physical::FLOAT ? Retag(type_) : nullptr;
      case TypeId::kDouble:
        if (physical_ == Physical::FLOAT) return Widen<float, double>(type_);
        return physical_ == Physical::DOUBLE ? Retag(type_) : nullptr;
      case TypeId::kDecimal: return Decimal();
      case TypeId::kDate: return physical_ == Physical::INT32 && (IsDate() || logical_.is_none()) ? Retag(type_) : nullptr;
      case TypeId::kTime: return Time();
      case TypeId::kTimestamp:
      case TypeId::kTimestampTz: return Timestamp(/*nanos=*/false);
      case TypeId::kTimestampNs:
      case TypeId::kTimestampTzNs: return Timestamp(/*nanos=*/true);
      case TypeId::kString: return physical_ == Physical::BYTE_ARRAY && !IsDecimal() ? Retag(type_) : nullptr;
      case TypeId::kUuid:
        if (physical_ == Physical::BYTE_ARRAY && !IsDecimal()) return Retag(type_);
        return physical_ == Physical::FIXED_LEN_BYTE_ARRAY && width_ == 16 && !IsDecimal() ? UuidToText(type_) : nullptr;
      case TypeId::kFixed:
        return physical_ == Physical::FIXED_LEN_BYTE_ARRAY && width_ == requested_.length() && !IsDecimal() ? FixedToBinary(type_, width_)
                                                                                                            : nullptr;
      case TypeId::kBinary:
        if (IsDecimal()) return nullptr;
        if (physical_ == Physical::FIXED_LEN_BYTE_ARRAY) return FixedToBinary(type_, width_);
        return physical_ == Physical::BYTE_ARRAY ? Retag(type_) : nullptr;
      default: return nullptr;
    }
  }

 private:
  bool IsDecimal() const { return logical_.type() == LogicalType::Type::DECIMAL; }
  bool IsDate() const { return logical_.type() == LogicalType::Type::DATE; }
  bool IsInteger() const { return logical_.type() == LogicalType::Type::INT || logical_.is_none(); }
  bool IsUnsigned(int bit_width) const {
    if (logical_.type() != LogicalType::Type::INT) return false;
    const auto& integer = static_cast<const ::parquet::IntLogicalType&>(logical_);
    return !integer.is_signed() && integer.bit_width() == bit_width;
  }

  LeafConversion Long() const {
    if (!IsInteger()) return nullptr;
    if (physical_ == Physical::INT64) return IsUnsigned(64) ? nullptr : Retag(type_);
    if (physical_ != Physical::INT32) return nullptr;
    return IsUnsigned(32) ? Widen<uint32_t, int64_t>(type_) : Widen<int32_t, int64_t>(type_);
  }

  LeafConversion Decimal() const {
    if (!IsDecimal()) return nullptr;
    const auto& decimal = static_cast<const ::parquet::DecimalLogicalType&>(logical_);
    if (decimal.scale() != requested_.scale() || decimal.precision() > requested_.precision()) return nullptr;
    if (narrow_decimals_ && requested_.precision() <= arrow::Decimal64Type::kMaxPrecision) {
      auto narrow = arrow::decimal64(requested_.precision(), requested_.scale());
      if (physical_ == Physical::INT32) return IntegerToNarrowDecimal<int32_t>(std::move(narrow));
      if (physical_ == Physical::INT64) return IntegerToNarrowDecimal<int64_t>(std::move(narrow));
    }
    switch (physical_) {
      case Physical::INT32: return IntegerToDecimal<int32_t>(type_);
      case Physical::INT64: return IntegerToDecimal<int64_t>(type_);
      case Physical::FIXED_LEN_BYTE_ARRAY: return BytesToDecimal(type_, true, width_);
      case Physical::BYTE_ARRAY: return BytesToDecimal(type_, false, 0);
      default: return nullptr;
    }
  }

  LeafConversion Time() const {
    if (logical_.type() != LogicalType::Type::TIME) return nullptr;
    switch (static_cast<const ::parquet::TimeLogicalType&>(logical_).time_unit()) {
      case LogicalType::TimeUnit::MILLIS: return Multiply<int32_t>(type_, 1000);
      case LogicalType::TimeUnit::MICROS: return Retag(type_);
      case LogicalType::TimeUnit::NANOS: return FloorNanosToMicros(type_);
      default: return nullptr;
    }
  }

  LeafConversion Timestamp(bool nanos) const {
    if (physical_ == Physical::INT96) return Int96ToTimestamp(type_, nanos);
    if (physical_ == Physical::INT32 && IsDate()) return Multiply<int32_t>(type_, nanos ? kMicrosPerDay * 1000 : kMicrosPerDay);
    const auto unit = TimestampUnit(logical_);
    if (physical_ != Physical::INT64 || !unit) return nullptr;
    switch (*unit) {
      case LogicalType::TimeUnit::MILLIS: return Multiply<int64_t>(type_, nanos ? 1'000'000 : 1000);
      case LogicalType::TimeUnit::MICROS: return nanos ? Multiply<int64_t>(type_, 1000) : Retag(type_);
      case LogicalType::TimeUnit::NANOS: return nanos ? Retag(type_) : FloorNanosToMicros(type_);
      default: return nullptr;
    }
  }

  const Physical::type physical_;
  const LogicalType& logical_;
  const int width_;
  const iceberg::Type& requested_;
  const std::shared_ptr<arrow::DataType> type_;
  const bool narrow_decimals_;
};

}  // namespace

std::shared_ptr<arrow::DataType> PhysicalArrowType(const ::parquet::ColumnDescriptor& column) {
  switch (column.physical_type()) {
    case Physical::BOOLEAN: return arrow::boolean();
    case Physical::INT32: return arrow::int32();
    case Physical::INT64: return arrow::int64();
    case Physical::INT96: return arrow::fixed_size_binary(12);
    case Physical::FLOAT: return arrow::float32();
    case Physical::DOUBLE: return arrow::float64();
    case Physical::FIXED_LEN_BYTE_ARRAY: return arrow::fixed_size_binary(column.type_length());
    default: return arrow::binary();
  }
}

Result<LeafConversion> MakeLeafConversion(const ::parquet::ColumnDescriptor& column, const iceberg::Field& requested, std::string_view path,
                                          bool narrow_decimals) {
  ARROW_ASSIGN_OR_RAISE(std::shared_ptr<arrow::DataType> type, requested.type->ToArrow());
  LeafConversion conversion = Chooser(column, *requested.type, std::move(type), narrow_decimals).Choose();
  if (conversion == nullptr) {
    return base::CorruptData("column in Parquet file cannot be read as the table's type: file ", path, ", field id ", requested.id, " (",
                             requested.name, "), requested ", requested.type->ToString(), ", file has ",
                             ::parquet::TypeToString(column.physical_type()), " ", column.logical_type()->ToString());
  }
  return conversion;
}

}  // namespace vecruntime::parquet
