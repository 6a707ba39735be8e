// SPDX-License-Identifier: Apache-2.0
#include "vecruntime/iceberg/bucket_hash.h"

#include <bit>
#include <cstring>

namespace vecruntime::iceberg {
namespace {

constexpr uint32_t kC1 = 0xcc9e2d51;
constexpr uint32_t kC2 = 0x1b873593;

uint32_t Scramble(uint32_t block) { return std::rotl(block * kC1, 15) * kC2; }

}  // namespace

int32_t Murmur3(std::string_view bytes) {
  uint32_t hash = 0;
  size_t at = 0;
  for (; at + 4 <= bytes.size(); at += 4) {
    uint32_t block;
    std::memcpy(&block, bytes.data() + at, 4);
    hash = std::rotl(hash ^ Scramble(block), 13) * 5 + 0xe6546b64;
  }
  uint32_t tail = 0;
  for (size_t i = bytes.size(); i > at; --i) tail = tail << 8 | static_cast<uint8_t>(bytes[i - 1]);
  hash ^= Scramble(tail);
  hash ^= static_cast<uint32_t>(bytes.size());
  hash = (hash ^ hash >> 16) * 0x85ebca6b;
  hash = (hash ^ hash >> 13) * 0xc2b2ae35;
  return static_cast<int32_t>(hash ^ hash >> 16);
}

int32_t Murmur3(int64_t value) { return Murmur3(std::string_view(reinterpret_cast<const char*>(&value), sizeof(value))); }

}  // namespace vecruntime::iceberg
