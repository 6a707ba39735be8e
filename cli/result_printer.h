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

struct PrintOptions {
  WriterOptions writer;
  Delivery delivery = Delivery::kWhole;
  bool timing = false;  // the time and row count go to standard error
};

/// Runs one statement into `target`. Bytes reach the target only once the first rows are there: an error before leaves none.
arrow::Status PrintResult(const std::shared_ptr<Session>& session, const std::string& statement, const PrintOptions& options,
                          OutputTarget* target);

/// A text to standard output.
arrow::Status PrintText(std::string_view text);

}  // namespace vecruntime::cli
