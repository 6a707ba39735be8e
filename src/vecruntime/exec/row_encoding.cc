// SPDX-License-Identifier: Apache-2.0
#include "vecruntime/exec/row_encoding.h"

#include <arrow/array.h>
#include <arrow/type.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>
#include <limits>

#include "vecruntime/base/error.h"

namespace vecruntime::exec {
namespace {

// One column. The batch methods are loops over a concrete value codec; the single-value methods serve nested types.
class ColumnEncoder {
 public:
  virtual ~ColumnEncoder() = default;
  virtual bool IsNull(int64_t i) const = 0;
  virtual size_t ValueLength(int64_t i) const = 0;
  virtual uint8_t* WriteValue(int64_t i, uint8_t* out) const = 0;
  virtual void AddLengths(const columnar::Selection& rows, int64_t* lengths) const = 0;
  /// Advances cursors[i] past the column of row i.
  virtual void Write(const columnar::Selection& rows, ColumnOrder order, uint8_t** cursors) const = 0;
};

template <typename Codec>
class CodecEncoder : public ColumnEncoder {
 public:
  CodecEncoder(const arrow::Array& array, Codec codec) : array_(array), codec_(std::move(codec)), has_nulls_(array.null_count() != 0) {}

  bool IsNull(int64_t i) const override { return has_nulls_ && array_.IsNull(i); }
  size_t ValueLength(int64_t i) const override { return codec_.Length(i); }
  uint8_t* WriteValue(int64_t i, uint8_t* out) const override { return codec_.Write(i, out); }

  void AddLengths(const columnar::Selection& rows, int64_t* lengths) const override {
    rows.ForEachLive([&](int64_t i) { lengths[i] += IsNull(i) ? 1 : 1 + static_cast<int64_t>(codec_.Length(i)); });
  }

  void Write(const columnar::Selection& rows, ColumnOrder order, uint8_t** cursors) const override {
    const uint8_t null_marker = order.nulls_first ? 0 : 2;
    rows.ForEachLive([&](int64_t i) {
      uint8_t* out = cursors[i];
      if (IsNull(i)) {
        *out++ = null_marker;
      } else {
        *out++ = 1;
        uint8_t* const end = codec_.Write(i, out);
        if (order.descending) {
          for (uint8_t* byte = out; byte != end; ++byte) *byte = static_cast<uint8_t>(~*byte);
        }
        out = end;
      }
      cursors[i] = out;
    });
  }

 private:
  const arrow::Array& array_;
  Codec codec_;
  bool has_nulls_;
};

template <typename Unsigned>
uint8_t* PutBigEndian(Unsigned value, uint8_t* out) {
  for (int shift = static_cast<int>(sizeof(Unsigned)) * 8 - 8; shift >= 0; shift -= 8) *out++ = static_cast<uint8_t>(value >> shift);
  return out;
}

template <typename Signed>
struct IntegerCodec {
  const Signed* values;
  size_t Length(int64_t) const { return sizeof(Signed); }
  uint8_t* Write(int64_t i, uint8_t* out) const {
    using Unsigned = std::make_unsigned_t<Signed>;
    constexpr Unsigned kSignBit = static_cast<Unsigned>(Unsigned{1} << (sizeof(Signed) * 8 - 1));
    return PutBigEndian(static_cast<Unsigned>(static_cast<Unsigned>(values[i]) ^ kSignBit), out);
  }
};

template <typename Float, typename Bits>
struct FloatCodec {
  const Float* values;
  size_t Length(int64_t) const { return sizeof(Float); }
  uint8_t* Write(int64_t i, uint8_t* out) const {
    Float value = values[i];
    if (value == 0) value = 0;
    if (std::isnan(value)) value = std::numeric_limits<Float>::quiet_NaN();
    const Bits bits = std::bit_cast<Bits>(value);
    constexpr Bits kSignBit = Bits{1} << (sizeof(Bits) * 8 - 1);
    return PutBigEndian(static_cast<Bits>((bits & kSignBit) != 0 ? ~bits : bits | kSignBit), out);
  }
};

struct BooleanCodec {
  const arrow::BooleanArray* array;
  size_t Length(int64_t) const { return 1; }
  uint8_t* Write(int64_t i, uint8_t* out) const {
    *out = array->Value(i) ? 1 : 0;
    return out + 1;
  }
};

struct DecimalCodec {
  const arrow::Decimal128Array* array;
  size_t Length(int64_t) const { return 16; }
  uint8_t* Write(int64_t i, uint8_t* out) const {
    uint64_t words[2];
    std::memcpy(words, array->GetValue(i), sizeof(words));
    out = PutBigEndian(words[1] ^ (uint64_t{1} << 63), out);
    return PutBigEndian(words[0], out);
  }
};

// A zero byte becomes 00 FF and the end is 00 00, so that a prefix orders before what it begins.
struct OrderedBinaryCodec {
  const arrow::BinaryArray* array;
  size_t Length(int64_t i) const {
    const std::string_view value = array->GetView(i);
    return value.size() + 2 + static_cast<size_t>(std::count(value.begin(), value.end(), '\0'));
  }
  uint8_t* Write(int64_t i, uint8_t* out) const {
    for (char c : array->GetView(i)) {
      *out++ = static_cast<uint8_t>(c);
      if (c == '\0') *out++ = 0xFF;
    }
    *out++ = 0;
    *out++ = 0;
    return out;
  }
};

struct LengthPrefixedBinaryCodec {
  const arrow::BinaryArray* array;
  size_t Length(int64_t i) const { return 4 + static_cast<size_t>(array->value_length(i)); }
  uint8_t* Write(int64_t i, uint8_t* out) const {
    const std::string_view value = array->GetView(i);
    const auto length = static_cast<uint32_t>(value.size());
    std::memcpy(out, &length, 4);
    if (length != 0) std::memcpy(out + 4, value.data(), length);
    return out + 4 + length;
  }
};

struct NullCodec {
  size_t Length(int64_t) const { return 0; }
  uint8_t* Write(int64_t, uint8_t* out) const { return out; }
};

struct StructCodec {
  ArrayVector fields;  // keeps what the encoders look at
  std::vector<std::shared_ptr<ColumnEncoder>> encoders;
  size_t Length(int64_t i) const {
    size_t length = encoders.size();
    for (const auto& encoder : encoders) length += encoder->IsNull(i) ? 0 : encoder->ValueLength(i);
    return length;
  }
  uint8_t* Write(int64_t i, uint8_t* out) const {
    for (const auto& encoder : encoders) {
      const bool null = encoder->IsNull(i);
      *out++ = null ? 0 : 1;
      if (!null) out = encoder->WriteValue(i, out);
    }
    return out;
  }
};

// Each element after a byte 1, then a byte 0: a shorter list orders before its continuation.
struct ListCodec {
  const arrow::ListArray* array;
  std::shared_ptr<arrow::Array> values;
  std::shared_ptr<ColumnEncoder> encoder;
  size_t Length(int64_t i) const {
    size_t length = 1;
    for (int64_t k = array->value_offset(i); k < array->value_offset(i + 1); ++k) {
      length += 2 + (encoder->IsNull(k) ? 0 : encoder->ValueLength(k));
    }
    return length;
  }
  uint8_t* Write(int64_t i, uint8_t* out) const {
    for (int64_t k = array->value_offset(i); k < array->value_offset(i + 1); ++k) {
      const bool null = encoder->IsNull(k);
      *out++ = 1;
      *out++ = null ? 0 : 1;
      if (!null) out = encoder->WriteValue(k, out);
    }
    *out++ = 0;
    return out;
  }
};

template <typename Codec>
std::unique_ptr<ColumnEncoder> Make(const arrow::Array& array, Codec codec) {
  return std::make_unique<CodecEncoder<Codec>>(array, std::move(codec));
}

template <typename Signed>
std::unique_ptr<ColumnEncoder> MakeInteger(const arrow::Array& array) {
  return Make(array, IntegerCodec<Signed>{array.data()->GetValues<Signed>(1)});
}

arrow::Result<std::unique_ptr<ColumnEncoder>> MakeEncoder(const arrow::Array& array, bool ordered) {
  switch (array.type_id()) {
    case arrow::Type::NA: return Make(array, NullCodec{});
    case arrow::Type::BOOL: return Make(array, BooleanCodec{&static_cast<const arrow::BooleanArray&>(array)});
    case arrow::Type::INT8: return MakeInteger<int8_t>(array);
    case arrow::Type::INT16: return MakeInteger<int16_t>(array);
    case arrow::Type::INT32:
    case arrow::Type::DATE32:
    case arrow::Type::INTERVAL_MONTHS: return MakeInteger<int32_t>(array);
    case arrow::Type::INT64:
    case arrow::Type::TIMESTAMP:
    case arrow::Type::TIME64:
    case arrow::Type::DURATION: return MakeInteger<int64_t>(array);
    case arrow::Type::FLOAT: return Make(array, FloatCodec<float, uint32_t>{array.data()->GetValues<float>(1)});
    case arrow::Type::DOUBLE: return Make(array, FloatCodec<double, uint64_t>{array.data()->GetValues<double>(1)});
    case arrow::Type::DECIMAL128: return Make(array, DecimalCodec{&static_cast<const arrow::Decimal128Array&>(array)});
    case arrow::Type::STRING:
    case arrow::Type::BINARY: {
      const auto* binary = &static_cast<const arrow::BinaryArray&>(array);
      return ordered ? Make(array, OrderedBinaryCodec{binary}) : Make(array, LengthPrefixedBinaryCodec{binary});
    }
    case arrow::Type::STRUCT: {
      StructCodec codec;
      codec.fields = static_cast<const arrow::StructArray&>(array).fields();
      for (const auto& field : codec.fields) {
        ARROW_ASSIGN_OR_RAISE(auto encoder, MakeEncoder(*field, ordered));
        codec.encoders.push_back(std::move(encoder));
      }
      return Make(array, std::move(codec));
    }
    case arrow::Type::LIST: {
      const auto& list = static_cast<const arrow::ListArray&>(array);
      ListCodec codec{&list, list.values(), nullptr};
      ARROW_ASSIGN_OR_RAISE(codec.encoder, MakeEncoder(*codec.values, ordered));
      return Make(array, std::move(codec));
    }
    default: return base::Unsupported("ordering or grouping by values of type ", array.type()->ToString());
  }
}

arrow::Result<EncodedRows> Encode(const ArrayVector& columns, const std::vector<ColumnOrder>& orders, const columnar::Selection& rows,
                                  bool ordered) {
  std::vector<std::unique_ptr<ColumnEncoder>> encoders;
  EncodedRows encoded;
  const auto count = static_cast<size_t>(rows.length());
  encoded.offsets.assign(count + 1, 0);
  for (const auto& column : columns) {
    ARROW_ASSIGN_OR_RAISE(auto encoder, MakeEncoder(*column, ordered));
    encoder->AddLengths(rows, encoded.offsets.data() + 1);
    encoders.push_back(std::move(encoder));
  }
  for (size_t i = 0; i < count; ++i) encoded.offsets[i + 1] += encoded.offsets[i];
  encoded.bytes.resize(static_cast<size_t>(encoded.offsets[count]));
  std::vector<uint8_t*> cursors(count);
  for (size_t i = 0; i < count; ++i) cursors[i] = encoded.bytes.data() + encoded.offsets[i];
  for (size_t c = 0; c < encoders.size(); ++c) encoders[c]->Write(rows, orders[c], cursors.data());
  return encoded;
}

}  // namespace

bool IsEncodable(const arrow::DataType& type) {
  switch (type.id()) {
    case arrow::Type::STRUCT:
    case arrow::Type::LIST:
      for (const auto& field : type.fields()) {
        if (!IsEncodable(*field->type())) return false;
      }
      return true;
    case arrow::Type::NA:
    case arrow::Type::BOOL:
    case arrow::Type::INT8:
    case arrow::Type::INT16:
    case arrow::Type::INT32:
    case arrow::Type::DATE32:
    case arrow::Type::INTERVAL_MONTHS:
    case arrow::Type::INT64:
    case arrow::Type::TIMESTAMP:
    case arrow::Type::TIME64:
    case arrow::Type::DURATION:
    case arrow::Type::FLOAT:
    case arrow::Type::DOUBLE:
    case arrow::Type::DECIMAL128:
    case arrow::Type::STRING:
    case arrow::Type::BINARY: return true;
    default: return false;
  }
}

arrow::Result<EncodedRows> EncodeOrdered(const ArrayVector& columns, const std::vector<ColumnOrder>& orders,
                                         const columnar::Selection& rows) {
  return Encode(columns, orders, rows, true);
}

arrow::Result<EncodedRows> EncodeForEquality(const ArrayVector& columns, const columnar::Selection& rows) {
  return Encode(columns, std::vector<ColumnOrder>(columns.size()), rows, false);
}

}  // namespace vecruntime::exec
