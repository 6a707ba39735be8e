// SPDX-License-Identifier: Apache-2.0
// hash (Murmur3, seed 42) and xxhash64 (seed 42) with Spark's rules for each type.
#include <arrow/array.h>

#include <bit>
#include <cstring>

#include "vecruntime/base/error.h"
#include "vecruntime/expr/function_registry.h"
#include "vecruntime/expr/functions/function_table.h"
#include "vecruntime/expr/row_kernel.h"

namespace vecruntime::expr {
namespace {

struct Murmur3 {
  using Value = int32_t;
  using Bits = uint32_t;
  static const TypePtr& type() {
    static const TypePtr type = arrow::int32();
    return type;
  }
  static uint32_t MixK(uint32_t k) { return std::rotl(k * 0xcc9e2d51u, 15) * 0x1b873593u; }
  static uint32_t MixH(uint32_t h, uint32_t k) { return std::rotl(h ^ k, 13) * 5 + 0xe6546b64u; }
  static uint32_t Finish(uint32_t h, uint32_t length) {
    h ^= length;
    h = (h ^ h >> 16) * 0x85ebca6bu;
    h = (h ^ h >> 13) * 0xc2b2ae35u;
    return h ^ h >> 16;
  }
  static uint32_t OfInt(int32_t value, uint32_t seed) { return Finish(MixH(seed, MixK(static_cast<uint32_t>(value))), 4); }
  static uint32_t OfLong(int64_t value, uint32_t seed) {
    const uint32_t h = MixH(seed, MixK(static_cast<uint32_t>(value)));
    return Finish(MixH(h, MixK(static_cast<uint32_t>(static_cast<uint64_t>(value) >> 32))), 8);
  }
  // Spark mixes each trailing byte, sign-extended, as a word of its own.
  static uint32_t OfBytes(std::string_view bytes, uint32_t seed) {
    uint32_t h = seed;
    size_t at = 0;
    for (; at + 4 <= bytes.size(); at += 4) {
      uint32_t word = 0;
      std::memcpy(&word, bytes.data() + at, 4);
      h = MixH(h, MixK(word));
    }
    for (; at < bytes.size(); ++at) h = MixH(h, MixK(static_cast<uint32_t>(static_cast<int32_t>(static_cast<int8_t>(bytes[at])))));
    return Finish(h, static_cast<uint32_t>(bytes.size()));
  }
};

struct XxHash64 {
  using Value = int64_t;
  using Bits = uint64_t;
  static const TypePtr& type() {
    static const TypePtr type = arrow::int64();
    return type;
  }
  static constexpr uint64_t kPrime1 = 0x9E3779B185EBCA87, kPrime2 = 0xC2B2AE3D27D4EB4F, kPrime3 = 0x165667B19E3779F9,
                            kPrime4 = 0x85EBCA77C2B2AE63, kPrime5 = 0x27D4EB2F165667C5;
  static uint64_t Finish(uint64_t h) {
    h = (h ^ h >> 33) * kPrime2;
    h = (h ^ h >> 29) * kPrime3;
    return h ^ h >> 32;
  }
  static uint64_t OfInt(int32_t value, uint64_t seed) {
    const uint64_t h = (seed + kPrime5 + 4) ^ static_cast<uint64_t>(static_cast<uint32_t>(value)) * kPrime1;
    return Finish(std::rotl(h, 23) * kPrime2 + kPrime3);
  }
  static uint64_t Round(uint64_t word) { return std::rotl(word * kPrime2, 31) * kPrime1; }
  static uint64_t OfLong(int64_t value, uint64_t seed) {
    const uint64_t h = (seed + kPrime5 + 8) ^ Round(static_cast<uint64_t>(value));
    return Finish(std::rotl(h, 27) * kPrime1 + kPrime4);
  }
  template <typename Word>
  static uint64_t Load(const char* bytes) {
    Word word = 0;
    std::memcpy(&word, bytes, sizeof(word));
    return word;
  }
  static uint64_t OfBytes(std::string_view bytes, uint64_t seed) {
    size_t at = 0;
    uint64_t h = seed + kPrime5;
    if (bytes.size() >= 32) {
      uint64_t lanes[4] = {seed + kPrime1 + kPrime2, seed + kPrime2, seed, seed - kPrime1};
      for (; at + 32 <= bytes.size(); at += 32) {
        for (size_t k = 0; k < 4; ++k) lanes[k] = std::rotl(lanes[k] + Load<uint64_t>(bytes.data() + at + 8 * k) * kPrime2, 31) * kPrime1;
      }
      h = std::rotl(lanes[0], 1) + std::rotl(lanes[1], 7) + std::rotl(lanes[2], 12) + std::rotl(lanes[3], 18);
      for (uint64_t lane : lanes) h = (h ^ Round(lane)) * kPrime1 + kPrime4;
    }
    h += bytes.size();
    for (; at + 8 <= bytes.size(); at += 8) h = std::rotl(h ^ Round(Load<uint64_t>(bytes.data() + at)), 27) * kPrime1 + kPrime4;
    if (at + 4 <= bytes.size()) {
      h = std::rotl(h ^ Load<uint32_t>(bytes.data() + at) * kPrime1, 23) * kPrime2 + kPrime3;
      at += 4;
    }
    for (; at < bytes.size(); ++at) h = std::rotl(h ^ static_cast<uint8_t>(bytes[at]) * kPrime5, 11) * kPrime1;
    return Finish(h);
  }
};

// BigInteger.toByteArray: big-endian two's complement in as few bytes as hold it.
std::string MinimalBytes(Int128 value) {
  std::string bytes;
  for (int k = 15; k >= 0; --k) bytes.push_back(static_cast<char>(static_cast<UInt128>(value) >> (8 * k)));
  size_t skip = 0;
  while (skip < 15) {
    const auto first = static_cast<uint8_t>(bytes[skip]), second = static_cast<uint8_t>(bytes[skip + 1]);
    const bool redundant = (first == 0 && second < 0x80) || (first == 0xFF && second >= 0x80);
    if (!redundant) break;
    ++skip;
  }
  return bytes.substr(skip);
}

template <typename Hash>
typename Hash::Bits HashValue(const arrow::Array& values, int64_t row, typename Hash::Bits seed) {
  if (values.IsNull(row)) return seed;
  switch (values.type_id()) {
    case arrow::Type::BOOL:
      return Hash::OfInt(static_cast<const arrow::BooleanArray&>(values).Value(row) ? 1 : 0, seed);
    case arrow::Type::INT8:
      return Hash::OfInt(static_cast<const arrow::Int8Array&>(values).Value(row), seed);
    case arrow::Type::INT16:
      return Hash::OfInt(static_cast<const arrow::Int16Array&>(values).Value(row), seed);
    case arrow::Type::INT32:
    case arrow::Type::DATE32:
    case arrow::Type::INTERVAL_MONTHS:
      return Hash::OfInt(values.data()->GetValues<int32_t>(1)[row], seed);
    case arrow::Type::INT64:
    case arrow::Type::TIMESTAMP:
    case arrow::Type::TIME64:
    case arrow::Type::DURATION:
      return Hash::OfLong(values.data()->GetValues<int64_t>(1)[row], seed);
    case arrow::Type::FLOAT: {
      const float value = static_cast<const arrow::FloatArray&>(values).Value(row);
      return Hash::OfInt(value == 0 ? 0 : std::bit_cast<int32_t>(value != value ? std::bit_cast<float>(0x7fc00000) : value), seed);
    }
    case arrow::Type::DOUBLE: {
      const double value = static_cast<const arrow::DoubleArray&>(values).Value(row);
      return Hash::OfLong(value == 0 ? 0 : std::bit_cast<int64_t>(value != value ? std::bit_cast<double>(0x7ff8000000000000) : value), seed);
    }
    case arrow::Type::DECIMAL128: {
      const Int128 value = Column<Int128>(Argument{values.data(), false})[row];
      if (DecimalPrecision(*values.type()) <= 18) return Hash::OfLong(static_cast<int64_t>(value), seed);
      return Hash::OfBytes(MinimalBytes(value), seed);
    }
    case arrow::Type::STRING:
    case arrow::Type::BINARY:
      return Hash::OfBytes(static_cast<const arrow::BinaryArray&>(values).GetView(row), seed);
    case arrow::Type::LIST: {
      const auto& lists = static_cast<const arrow::ListArray&>(values);
      for (int64_t k = lists.value_offset(row); k < lists.value_offset(row + 1); ++k) seed = HashValue<Hash>(*lists.values(), k, seed);
      return seed;
    }
    case arrow::Type::STRUCT: {
      const auto& structs = static_cast<const arrow::StructArray&>(values);
      for (int k = 0; k < structs.num_fields(); ++k) seed = HashValue<Hash>(*structs.field(k), row, seed);
      return seed;
    }
    default:
      return seed;
  }
}

bool HasMap(const arrow::DataType& type) {
  if (type.id() == arrow::Type::MAP) return true;
  for (const auto& field : type.fields()) {
    if (HasMap(*field->type())) return true;
  }
  return false;
}

template <typename Hash>
arrow::Result<ExprPtr> BindHash(const CallSite& site) {
  for (size_t k = 0; k < site.size(); ++k) {
    if (HasMap(site.type(k))) return base::InvalidArgument("[DATATYPE_MISMATCH.HASH_MAP_TYPE] Maps cannot be hashed: ", site.name);
  }
  Kernel kernel = [](const std::vector<arrow::Datum>& arguments, const columnar::Selection& rows,
                     const EvalContext& context) -> arrow::Result<arrow::Datum> {
    ARROW_ASSIGN_OR_RAISE(const KernelCall call, KernelCall::Make(arguments, rows, context));
    columnar::Selection valid = columnar::Selection::All(rows.length());
    ARROW_ASSIGN_OR_RAISE(std::shared_ptr<arrow::Buffer> buffer,
                          arrow::AllocateBuffer(rows.length() * static_cast<int64_t>(sizeof(typename Hash::Bits)), context.pool));
    auto* hashes = reinterpret_cast<typename Hash::Bits*>(buffer->mutable_data());
    std::fill(hashes, hashes + rows.length(), typename Hash::Bits{42});
    for (const Argument& argument : call.arguments()) {
      const auto values = arrow::MakeArray(argument.data);
      rows.ForEachLive([&](int64_t row) { hashes[row] = HashValue<Hash>(*values, argument.RowOf(row), hashes[row]); });
    }
    return FixedResult(Hash::type(), valid, std::move(buffer), context.pool);
  };
  return Expr::Call(site.name, Hash::type(), site.arguments, kernel);
}

}  // namespace

void AddHashFunctions(FunctionTable* table) {
  table->Add({"hash"}, 1, -1, BindHash<Murmur3>);
  table->Add({"xxhash64"}, 1, -1, BindHash<XxHash64>);
}

}  // namespace vecruntime::expr
