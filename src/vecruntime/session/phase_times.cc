// SPDX-License-Identifier: Apache-2.0
#include "vecruntime/session/phase_times.h"

namespace vecruntime::session {

std::vector<PhaseTime> PhaseTimes(const scan::ScanMetrics& metrics) {
  auto phase = [](const char* name, const std::atomic<int64_t>& ns) { return PhaseTime{name, std::chrono::nanoseconds(ns.load())}; };
  return {phase("open", metrics.open_ns),       phase("load deletes", metrics.load_deletes_ns),
          phase("I/O", metrics.io_ns),          phase("inflate", metrics.inflate_ns),
          phase("decode", metrics.decode_ns),   phase("deletes", metrics.deletes_ns),
          phase("filter", metrics.filter_ns)};
}

}  // namespace vecruntime::session
