// SPDX-License-Identifier: Apache-2.0
// Where a worker's time goes. Timers nest: while an inner one lives, time is its own and not the outer one's, so that phases add up.
#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>

namespace vecruntime::base {

/// Adds its life time, without that of timers inside it on the same thread, to a counter in nanoseconds (null: to none). On the stack only.
class PhaseTimer {
 public:
  explicit PhaseTimer(std::atomic<int64_t>* counter);
  ~PhaseTimer();
  PhaseTimer(const PhaseTimer&) = delete;
  PhaseTimer& operator=(const PhaseTimer&) = delete;

 private:
  void Charge(std::chrono::steady_clock::time_point now) const;

  std::atomic<int64_t>* const counter_;
  PhaseTimer* const outer_;
  std::chrono::steady_clock::time_point since_;  // what is not charged yet
};

}  // namespace vecruntime::base
