// SPDX-License-Identifier: Apache-2.0
// EXPLAIN as text.
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>

#include "vecruntime/session/statement.h"

namespace vecruntime::session {

/// What running the statement showed; absent for a plan that was not run.
struct RunFacts {
  std::chrono::nanoseconds planning{};
  std::chrono::nanoseconds total{};
  std::chrono::nanoseconds last_pipeline{};
  int64_t rows = 0;
};

/// The operator tree, then for each scan its files, bytes, deletes and what was skipped, then, with facts, times and counts.
std::string ExplainText(const Statement& statement, const std::optional<RunFacts>& facts);

}  // namespace vecruntime::session
