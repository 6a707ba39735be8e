// SPDX-License-Identifier: Apache-2.0
// Runs statements and writes their results, with progress meanwhile.
#pragma once

#include <arrow/type_fwd.h>

#include <memory>
#include <string>

#include "cli/output/row_writer.h"
#include "cli/output_target.h"
#include "vecruntime/session.h"

namespace vecruntime::cli {

/// Runs one statement into `target`. Bytes reach the target only once the first rows are there: an error before leaves none. `timing`:
/// the time and row count go to standard error.
arrow::Status PrintResult(const std::shared_ptr<Session>& session, const std::string& statement, const WriterOptions& options, bool timing,
                          OutputTarget* target);

}  // namespace vecruntime::cli
