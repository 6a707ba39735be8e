// SPDX-License-Identifier: Apache-2.0
#include "vecruntime/base/identity_cache.h"

#include <utility>

namespace vecruntime::base {
namespace {

// The map's node, the list's node and the bookkeeping of both.
constexpr int64_t kBytesPerEntry = 160;

}  // namespace

IdentityCache::IdentityCache(std::shared_ptr<MemoryBudget> budget, int64_t limit_bytes)
    : budget_(std::move(budget)), limit_bytes_(limit_bytes) {
  budget_->SetReclaim([this](int64_t bytes) {
    Dropped dropped;
    std::lock_guard<std::mutex> lock(mutex_);
    DropOldest(bytes, &dropped);
  });
}

IdentityCache::~IdentityCache() {
  budget_->SetReclaim(nullptr);
  budget_->TryAdd(-bytes_);
}

std::shared_ptr<const void> IdentityCache::FindAny(const Key& key) {
  std::lock_guard<std::mutex> lock(mutex_);
  const auto found = entries_.find(key);
  if (found == entries_.end()) {
    ++misses_;
    return nullptr;
  }
  ++hits_;
  uses_.splice(uses_.begin(), uses_, found->second.use);
  return found->second.value;
}

void IdentityCache::PutAny(Key key, std::shared_ptr<const void> value, int64_t bytes) {
  bytes += kBytesPerEntry + static_cast<int64_t>(key.identity.size());
  Dropped dropped;
  std::lock_guard<std::mutex> lock(mutex_);
  Drop(key, &dropped);
  if (bytes > limit_bytes_) return;
  DropOldest(bytes_ + bytes - limit_bytes_, &dropped);
  if (!budget_->TryAdd(bytes)) return;
  bytes_ += bytes;
  const auto [at, inserted] = entries_.emplace(std::move(key), Entry{std::move(value), bytes, {}});
  uses_.push_front(&at->first);
  at->second.use = uses_.begin();
}

void IdentityCache::Drop(const Key& key, Dropped* dropped) {
  const auto found = entries_.find(key);
  if (found == entries_.end()) return;
  bytes_ -= found->second.bytes;
  budget_->TryAdd(-found->second.bytes);
  dropped->push_back(std::move(found->second.value));
  uses_.erase(found->second.use);
  entries_.erase(found);
}

void IdentityCache::DropOldest(int64_t bytes, Dropped* dropped) {
  const int64_t target = bytes_ - bytes;
  while (!uses_.empty() && bytes_ > target) {
    const Key oldest = *uses_.back();
    Drop(oldest, dropped);
  }
}

int64_t IdentityCache::bytes() const {
  std::lock_guard<std::mutex> lock(mutex_);
  return bytes_;
}
int64_t IdentityCache::hits() const {
  std::lock_guard<std::mutex> lock(mutex_);
  return hits_;
}
int64_t IdentityCache::misses() const {
  std::lock_guard<std::mutex> lock(mutex_);
  return misses_;
}

}  // namespace vecruntime::base
