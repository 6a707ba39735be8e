// SPDX-License-Identifier: Apache-2.0
#include <limits>

#include "vecruntime/parquet/thrift_compact_internal.h"

namespace vecruntime::parquet {
namespace {

constexpr int kDepthMax = 16;

int64_t UnZigZag(uint64_t value) { return static_cast<int64_t>(value >> 1) ^ -static_cast<int64_t>(value & 1); }

}  // namespace

void ThriftReader::RunOut() {
  ok_ = false;
  truncated_ = true;
}

uint8_t ThriftReader::ReadByte() {
  if (!ok_) return 0;
  if (at_ == end_) {
    RunOut();
    return 0;
  }
  return *at_++;
}

uint64_t ThriftReader::ReadVarint() {
  uint64_t value = 0;
  for (int shift = 0; shift < 64; shift += 7) {
    const uint8_t byte = ReadByte();
    value |= static_cast<uint64_t>(byte & 0x7f) << shift;
    if ((byte & 0x80) == 0) return value;
  }
  Fail();
  return 0;
}

void ThriftReader::SkipBytes(uint64_t count) {
  if (!ok_) return;
  if (count > static_cast<uint64_t>(end_ - at_)) return RunOut();
  at_ += count;
}

ThriftReader::Field ThriftReader::NextField(int16_t previous) {
  const uint8_t header = ReadByte();
  if (!ok_ || header == 0) return {};
  Field field{.type = static_cast<Type>(header & 0x0f)};
  const int64_t id = (header >> 4) != 0 ? previous + (header >> 4) : ReadI64();
  if (id < 0 || id > std::numeric_limits<int16_t>::max() || field.type > kStruct || field.type == kStop) Fail();
  field.id = static_cast<int16_t>(id);
  return ok_ ? field : Field{};
}

int64_t ThriftReader::ReadI64() { return UnZigZag(ReadVarint()); }

int32_t ThriftReader::ReadI32() {
  const int64_t value = ReadI64();
  if (value < std::numeric_limits<int32_t>::min() || value > std::numeric_limits<int32_t>::max()) Fail();
  return ok_ ? static_cast<int32_t>(value) : 0;
}

ThriftReader::List ThriftReader::ReadListHeader() {
  const uint8_t header = ReadByte();
  List list{.size = header >> 4, .type = static_cast<Type>(header & 0x0f)};
  if (list.size == 15) list.size = static_cast<int64_t>(ReadVarint() & std::numeric_limits<int32_t>::max());
  if (list.type > kStruct || list.type == kStop) Fail();
  return ok_ ? list : List{};
}

void ThriftReader::SkipValue(Type type, int depth) {
  if (type != kTrue && type != kFalse) SkipElement(type, depth);
}

void ThriftReader::SkipElement(Type type, int depth) {
  if (depth > kDepthMax) return Fail();
  switch (type) {
    case kTrue:
    case kFalse:
    case kByte: return SkipBytes(1);
    case kI16:
    case kI32:
    case kI64: ReadVarint(); return;
    case kDouble: return SkipBytes(8);
    case kBinary: return SkipBytes(ReadVarint());
    case kList:
    case kSet: {
      const List list = ReadListHeader();
      for (int64_t i = 0; i < list.size && ok_; ++i) SkipElement(list.type, depth + 1);
      return;
    }
    case kStruct: {
      Field field;
      while ((field = NextField(field.id)).type != kStop) SkipValue(field.type, depth + 1);
      return;
    }
    default: return Fail();  // maps occur nowhere in what is read
  }
}

}  // namespace vecruntime::parquet
