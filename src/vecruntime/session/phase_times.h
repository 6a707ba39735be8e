// SPDX-License-Identifier: Apache-2.0
// The phases of a scan by the names they have in EXPLAIN ANALYZE and Session::phase_times.
#pragma once

#include <vector>

#include "vecruntime/scan/scan_metrics.h"
#include "vecruntime/session.h"

namespace vecruntime::session {

/// In the order they run; none contains another.
std::vector<PhaseTime> PhaseTimes(const scan::ScanMetrics& metrics);

}  // namespace vecruntime::session
