// SPDX-License-Identifier: Apache-2.0
// What a session remembers of immutable files between statements: parsed metadata, manifests, footers, deletes. Never rows of a table and
// never results. A value is found by the identity of the bytes it was decoded from (io::FileIdentity), so that a file written anew at an
// old path is never answered from before. Thread-safe.
#pragma once

#include <cstdint>
#include <list>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <typeindex>
#include <unordered_map>

#include "vecruntime/base/memory_budget.h"

namespace vecruntime::base {

/// Holds at most `limit_bytes`, all of them reserved from the budget; the least recently used values go first, also when another consumer
/// of the budget needs the room. Values in use outlive their eviction.
class IdentityCache {
 public:
  /// REQUIRES: the budget is not used by other threads yet. limit_bytes 0 remembers nothing.
  IdentityCache(std::shared_ptr<MemoryBudget> budget, int64_t limit_bytes);
  ~IdentityCache();
  IdentityCache(const IdentityCache&) = delete;
  IdentityCache& operator=(const IdentityCache&) = delete;

  /// The T remembered for `identity`, or null. Values of different types never meet.
  template <typename T>
  std::shared_ptr<const T> Find(const std::string& identity) {
    return std::static_pointer_cast<const T>(FindAny({typeid(T), identity}));
  }
  /// Remembers `value`, which takes `bytes`; replaces what was there. A value that does not fit is not kept.
  template <typename T>
  void Put(std::string identity, std::shared_ptr<const T> value, int64_t bytes) {
    PutAny({typeid(T), std::move(identity)}, std::move(value), bytes);
  }

  int64_t bytes() const;
  int64_t hits() const;
  int64_t misses() const;

 private:
  struct Key {
    std::type_index type;
    std::string identity;
    bool operator==(const Key& other) const { return type == other.type && identity == other.identity; }
  };
  struct KeyHash {
    size_t operator()(const Key& key) const { return std::hash<std::string>()(key.identity) ^ key.type.hash_code(); }
  };
  struct Entry {
    std::shared_ptr<const void> value;
    int64_t bytes = 0;
    std::list<const Key*>::iterator use;
  };

  std::shared_ptr<const void> FindAny(const Key& key);
  void PutAny(Key key, std::shared_ptr<const void> value, int64_t bytes);
  // What is dropped is handed out, so that it is destroyed outside the lock.
  using Dropped = std::list<std::shared_ptr<const void>>;
  void Drop(const Key& key, Dropped* dropped);
  void DropOldest(int64_t bytes, Dropped* dropped);

  const std::shared_ptr<MemoryBudget> budget_;
  const int64_t limit_bytes_;
  mutable std::mutex mutex_;
  std::unordered_map<Key, Entry, KeyHash> entries_;
  std::list<const Key*> uses_;  // most recent first; keys of entries_
  int64_t bytes_ = 0;
  int64_t hits_ = 0;
  int64_t misses_ = 0;
};

}  // namespace vecruntime::base
