// SPDX-License-Identifier: Apache-2.0
// The options that every subcommand shares.
#pragma once

#include <arrow/type_fwd.h>

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "vecruntime/session.h"

namespace CLI {
class App;
}

namespace vecruntime::cli {

struct SessionFlags {
  std::string warehouse;
  std::vector<std::string> catalogs;  // NAME=URI
  int threads = 0;
  std::string memory;
  std::string timezone = "UTC";
  int64_t batch_rows = 40 * 1024;
  std::string moved_paths = "auto";
  bool no_pushdown = false;
  bool no_pruning = false;
  bool no_cache = false;
};

void AddSessionFlags(CLI::App* app, SessionFlags* flags);

/// A session with its catalogs open, whose statement Ctrl-C cancels. Called once.
arrow::Result<std::shared_ptr<Session>> MakeSession(const SessionFlags& flags);

/// "2GiB", "512MB", "1.5g" (binary when without "B"), "1000000"; InvalidArgument otherwise.
arrow::Result<int64_t> ParseBytes(const std::string& text);

}  // namespace vecruntime::cli
