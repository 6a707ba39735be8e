// SPDX-License-Identifier: Apache-2.0
// The subcommands: each adds itself to the application and is run after parsing.
#pragma once

#include <arrow/type_fwd.h>

#include <memory>
#include <string>

#include "cli/session_flags.h"

namespace CLI {
class App;
}

namespace vecruntime::cli {

class Command {
 public:
  virtual ~Command() = default;
  /// Whether the command line named it.
  virtual bool chosen() const = 0;
  virtual arrow::Status Run(const SessionFlags& flags) = 0;
};

std::unique_ptr<Command> AddQueryCommand(CLI::App* app);
std::unique_ptr<Command> AddScanCommand(CLI::App* app);
std::unique_ptr<Command> AddExplainCommand(CLI::App* app);
std::unique_ptr<Command> AddInspectCommand(CLI::App* app);
std::unique_ptr<Command> AddBenchCommand(CLI::App* app);

/// SQL from the argument, from `file` ("-": standard input), or from standard input when it is no terminal.
arrow::Result<std::string> ReadSql(const std::string& argument, const std::string& file);

}  // namespace vecruntime::cli
