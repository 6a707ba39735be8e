// SPDX-License-Identifier: Apache-2.0
// Open addressing over 64-bit hashes with linear probing, at most half full: one tag byte per slot, so that most absent keys are told by
// one byte. What a slot holds is the owner's.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <random>
#include <string_view>
#include <vector>

namespace vecruntime::deletes {

class KeySlots {
 public:
  static size_t CapacityFor(size_t keys) {
    size_t capacity = 64;
    while (capacity < keys * 2) capacity *= 2;
    return capacity;
  }
  explicit KeySlots(size_t capacity) : tags_(capacity, 0), mask_(capacity - 1) {}

  /// The occupied slot for which `equal(slot)` holds, or the free one where the key belongs.
  template <typename Equal>
  size_t Find(uint64_t hash, Equal&& equal) const {
    const uint8_t tag = TagOf(hash);
    for (size_t at = hash & mask_;; at = (at + 1) & mask_) {
      if (tags_[at] == 0 || (tags_[at] == tag && equal(at))) return at;
    }
  }
  bool occupied(size_t slot) const { return tags_[slot] != 0; }
  void Occupy(size_t slot, uint64_t hash) { tags_[slot] = TagOf(hash); }
  void Prefetch(uint64_t hash) const { __builtin_prefetch(&tags_[hash & mask_]); }

 private:
  static uint8_t TagOf(uint64_t hash) { return static_cast<uint8_t>(hash >> 57 | 0x80); }

  std::vector<uint8_t> tags_;
  size_t mask_;
};

/// Differs from process to process, so that no file can be made whose keys collide.
inline uint64_t HashSeed() {
  static const uint64_t seed = (uint64_t{std::random_device()()} << 32) | std::random_device()();
  return seed;
}

inline uint64_t HashOfInteger(uint64_t x, uint64_t seed) {
  x ^= seed;
  x ^= x >> 32;
  x *= 0xD6E8FEB86659FD93ULL;
  x ^= x >> 32;
  x *= 0xD6E8FEB86659FD93ULL;
  return x ^ x >> 32;
}

inline uint64_t HashOfBytes(std::string_view bytes, uint64_t seed) {
  uint64_t hash = seed ^ bytes.size() * 0x9E3779B97F4A7C15ULL;
  const char* at = bytes.data();
  size_t left = bytes.size();
  for (; left >= 8; at += 8, left -= 8) {
    uint64_t word;
    std::memcpy(&word, at, 8);
    hash = (hash ^ word) * 0xD6E8FEB86659FD93ULL;
    hash ^= hash >> 29;
  }
  uint64_t word = 0;
  std::memcpy(&word, at, left);
  return HashOfInteger(hash ^ word, 0);
}

}  // namespace vecruntime::deletes
