// SPDX-License-Identifier: Apache-2.0
// A file whose reads are counted and timed into ScanMetrics.
#pragma once

#include <arrow/io/type_fwd.h>

#include <memory>

#include "vecruntime/scan/scan_metrics.h"

namespace vecruntime::scan {

/// REQUIRES: `metrics` outlives the file.
std::shared_ptr<arrow::io::RandomAccessFile> MeterFile(std::shared_ptr<arrow::io::RandomAccessFile> file, ScanMetrics* metrics);

}  // namespace vecruntime::scan
