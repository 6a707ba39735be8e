// SPDX-License-Identifier: Apache-2.0
// vecruntime: SQL over Iceberg merge-on-read tables from the command line. Results go to standard output, all else to standard error; the
// exit code tells the kind of error (vecruntime/error.h).
#include <arrow/status.h>

#include <CLI/CLI.hpp>
#include <csignal>
#include <cstdlib>
#include <exception>
#include <iostream>
#include <memory>
#include <string>
#include <vector>

#include "cli/commands.h"
#include "vecruntime/base/error.h"
#include "vecruntime/session.h"

namespace vecruntime::cli {
namespace {

std::string DefaultConfigPath() {
  if (const char* config = std::getenv("XDG_CONFIG_HOME"); config != nullptr && *config != '\0') {
    return std::string(config) + "/vecruntime/config.toml";
  }
  const char* home = std::getenv("HOME");
  return home == nullptr ? "" : std::string(home) + "/.config/vecruntime/config.toml";
}

int Report(const arrow::Status& status) {
  if (status.ok()) return EXIT_SUCCESS;
  std::cerr << "vecruntime: " << KindName(KindOf(status)) << ": " << status.message() << "\n";
  return ExitCode(KindOf(status));
}

int Main(int argc, char** argv) {
  // A reader that went away (head, less) ends us without a word.
  std::signal(SIGPIPE, SIG_DFL);

  CLI::App app("VecRuntime: fast SQL over Apache Iceberg merge-on-read tables.", "vecruntime");
  app.require_subcommand(1);
  app.fallthrough();
  app.set_version_flag("--version", VECRUNTIME_VERSION);
  app.set_config("--config", DefaultConfigPath(), "Read defaults of the session options from FILE (TOML)")->type_name("FILE");
  app.get_formatter()->column_width(34);
  SessionFlags flags;
  AddSessionFlags(&app, &flags);
  std::vector<std::unique_ptr<Command>> commands;
  commands.push_back(AddQueryCommand(&app));
  commands.push_back(AddScanCommand(&app));
  commands.push_back(AddExplainCommand(&app));
  commands.push_back(AddInspectCommand(&app));
  commands.push_back(AddBenchCommand(&app));
  for (CLI::App* command : app.get_subcommands({})) {
    command->footer(command->get_footer() +
                    "\n\nThe session options (--warehouse, --catalog, --threads, --memory, --timezone, ...) of 'vecruntime --help' apply.");
  }
  app.footer(
      "Run 'vecruntime COMMAND --help' for a command's options and examples.\n\n"
      "Exit codes: 0 success, 2 invalid argument or SQL, 3 not found, 4 unsupported, 5 corrupt data, 6 I/O error, 9 out of the\n"
      "memory budget, 10 permission denied, 70 internal error, 130 cancelled.");
  if (argc == 1) {
    std::cerr << app.help();
    return ExitCode(ErrorKind::kInvalidArgument);
  }
  try {
    app.parse(argc, argv);
  } catch (const CLI::RequiredError& error) {
    // CLI11 misses a subcommand before it looks at the words it does not know.
    const auto unknown = app.get_subcommands().empty() ? app.remaining() : std::vector<std::string>();
    if (unknown.empty()) return app.exit(error), ExitCode(ErrorKind::kInvalidArgument);
    return Report(base::InvalidArgument("no such command: ", unknown.front()));
  } catch (const CLI::ParseError& error) {
    return app.exit(error) == 0 ? EXIT_SUCCESS : ExitCode(ErrorKind::kInvalidArgument);
  }
  for (const auto& command : commands) {
    if (command->chosen()) return Report(command->Run(flags));
  }
  return Report(base::Internal("no command was run"));
}

}  // namespace
}  // namespace vecruntime::cli

int main(int argc, char** argv) {
  try {
    const int code = vecruntime::cli::Main(argc, argv);
    vecruntime::ShutDown();
    return code;
  } catch (const std::exception& error) {
    std::cerr << "vecruntime: Internal: " << error.what() << "\n";
    return vecruntime::ExitCode(vecruntime::ErrorKind::kInternal);
  }
}
