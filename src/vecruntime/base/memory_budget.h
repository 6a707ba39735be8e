// SPDX-License-Identifier: Apache-2.0
// The session's memory budget. Every large structure (equality sets, hash tables, sort runs) reserves from it before it grows.
// Thread-safe.
#pragma once

#include <arrow/type_fwd.h>

#include <atomic>
#include <cstdint>
#include <functional>
#include <string>
#include <utility>

namespace vecruntime::base {

class MemoryBudget;

/// Bytes held by one consumer; given back when destroyed. A default-made one counts against no budget. Movable, not copyable; used by one
/// thread at a time.
class Reservation {
 public:
  Reservation() = default;
  Reservation(MemoryBudget* budget, std::string consumer) : budget_(budget), consumer_(std::move(consumer)) {}
  Reservation(Reservation&& other) noexcept;
  Reservation& operator=(Reservation&& other) noexcept;
  ~Reservation();

  /// Grows or shrinks to `bytes`. ResourceExhausted naming the consumer when the budget does not allow it (nothing changes then).
  arrow::Status Resize(int64_t bytes);
  int64_t bytes() const { return bytes_; }

 private:
  MemoryBudget* budget_ = nullptr;
  std::string consumer_;
  int64_t bytes_ = 0;
};

class MemoryBudget {
 public:
  explicit MemoryBudget(int64_t limit_bytes) : limit_bytes_(limit_bytes) {}
  /// REQUIRES: the budget outlives the reservation.
  Reservation Open(std::string consumer) { return Reservation(this, std::move(consumer)); }
  /// `reclaim` is asked to give back at least so many bytes, if it can, before a reservation is refused: what is held only for speed
  /// makes room for what is needed. Set once, before the budget is shared between threads; called from any thread.
  void SetReclaim(std::function<void(int64_t bytes)> reclaim) { reclaim_ = std::move(reclaim); }
  int64_t limit_bytes() const { return limit_bytes_; }
  int64_t used_bytes() const { return used_bytes_.load(std::memory_order_relaxed); }

 private:
  friend class Reservation;
  friend class IdentityCache;
  bool TryAdd(int64_t bytes);
  bool TryAddReclaiming(int64_t bytes);

  const int64_t limit_bytes_;
  std::atomic<int64_t> used_bytes_{0};
  std::function<void(int64_t bytes)> reclaim_;
};

}  // namespace vecruntime::base
