// SPDX-License-Identifier: Apache-2.0
// Reads Thrift's compact protocol (Thrift, "Compact protocol encoding"), as much of it as page headers and offset indexes need. Bounds-checked:
// once anything does not parse, ok() is false and every further read gives zero. Never allocates.
#pragma once

#include <cstdint>
#include <span>

namespace vecruntime::parquet {

class ThriftReader {
 public:
  enum Type : uint8_t { kStop = 0, kTrue = 1, kFalse = 2, kByte = 3, kI16 = 4, kI32 = 5, kI64 = 6, kDouble = 7, kBinary = 8, kList = 9, kSet = 10, kMap = 11, kStruct = 12 };
  struct Field { int16_t id = 0; Type type = kStop; };
  struct List { int64_t size = 0; Type type = kStop; };

  explicit ThriftReader(std::span<const uint8_t> bytes) : begin_(bytes.data()), at_(begin_), end_(begin_ + bytes.size()) {}

  bool ok() const { return ok_; }
  /// The bytes ended early, rather than being wrong: a longer span might parse.
  bool truncated() const { return truncated_; }
  int64_t consumed() const { return at_ - begin_; }

  /// The next field of the struct being read; type kStop at its end. `previous` is the id of the field before (0 at first).
  Field NextField(int16_t previous);
  /// An i16, i32 or i64 value; values beyond 32 bits fail ReadI32.
  int64_t ReadI64();
  int32_t ReadI32();
  List ReadListHeader();
  /// Skips one value of `type` as a struct's field (booleans live in the field header).
  void Skip(Type type) { SkipValue(type, 0); }

 private:
  uint8_t ReadByte();
  uint64_t ReadVarint();
  void SkipBytes(uint64_t count);
  void SkipValue(Type type, int depth);
  void SkipElement(Type type, int depth);
  void Fail() { ok_ = false; }
  void RunOut();

  const uint8_t* begin_;
  const uint8_t* at_;
  const uint8_t* end_;
  bool ok_ = true;
  bool truncated_ = false;
};

}  // namespace vecruntime::parquet
