// SPDX-License-Identifier: Apache-2.0
#include "vecruntime/base/phase_timer.h"

namespace vecruntime::base {
namespace {

thread_local PhaseTimer* innermost = nullptr;

}  // namespace

PhaseTimer::PhaseTimer(std::atomic<int64_t>* counter) : counter_(counter), outer_(innermost), since_(std::chrono::steady_clock::now()) {
  if (outer_ != nullptr) outer_->Charge(since_);
  innermost = this;
}

PhaseTimer::~PhaseTimer() {
  const auto now = std::chrono::steady_clock::now();
  Charge(now);
  innermost = outer_;
  if (outer_ != nullptr) outer_->since_ = now;
}

void PhaseTimer::Charge(std::chrono::steady_clock::time_point now) const {
  if (counter_ == nullptr) return;
  counter_->fetch_add(std::chrono::duration_cast<std::chrono::nanoseconds>(now - since_).count(), std::memory_order_relaxed);
}

}  // namespace vecruntime::base
