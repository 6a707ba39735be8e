// SPDX-License-Identifier: Apache-2.0
#include "vecruntime/base/memory_budget.h"

#include <utility>

#include "vecruntime/base/error.h"

namespace vecruntime::base {

Reservation::Reservation(Reservation&& other) noexcept
    : budget_(std::exchange(other.budget_, nullptr)),
      consumer_(std::move(other.consumer_)),
      bytes_(std::exchange(other.bytes_, 0)) {}

Reservation& Reservation::operator=(Reservation&& other) noexcept {
  std::swap(budget_, other.budget_);
  std::swap(consumer_, other.consumer_);
  std::swap(bytes_, other.bytes_);
  return *this;
}

Reservation::~Reservation() {
  if (budget_ != nullptr) budget_->used_bytes_.fetch_sub(bytes_, std::memory_order_relaxed);
}

arrow::Status Reservation::Resize(int64_t bytes) {
  const int64_t growth = bytes - bytes_;
  if (budget_ != nullptr && !budget_->TryAddReclaiming(growth)) {
    return ResourceExhausted("memory budget exceeded by ", consumer_, ": needs ", bytes, " bytes, budget ", budget_->limit_bytes_,
                             ", in use ", budget_->used_bytes());
  }
  bytes_ = bytes;
  return arrow::Status::OK();
}

bool MemoryBudget::TryAdd(int64_t bytes) {
  int64_t used = used_bytes_.load(std::memory_order_relaxed);
  do {
    if (bytes > 0 && used + bytes > limit_bytes_) return false;
  } while (!used_bytes_.compare_exchange_weak(used, used + bytes, std::memory_order_relaxed));
  return true;
}

bool MemoryBudget::TryAddReclaiming(int64_t bytes) {
  if (TryAdd(bytes)) return true;
  if (reclaim_ == nullptr) return false;
  reclaim_(bytes);
  return TryAdd(bytes);
}

}  // namespace vecruntime::base
