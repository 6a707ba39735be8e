// SPDX-License-Identifier: Apache-2.0
#include <arrow/result.h>

#include <CLI/CLI.hpp>

#include "cli/commands.h"
#include "cli/progress_bar.h"
#include "cli/result_printer.h"

namespace vecruntime::cli {
namespace {

class InspectCommand : public Command {
 public:
  explicit InspectCommand(CLI::App* app)
      : command_(app->add_subcommand("inspect", "Show a table's snapshots, files and deletes, and what to do about them")) {
    command_->add_option("table", table_, "ns.table, or the path of a table")->type_name("TABLE")->required();
    command_->footer(
        "Reads the manifests and the deletes, and of the data files only what the deletes ask for.\n\n"
        "Examples:\n"
        "  vecruntime inspect -w /data/warehouse db.orders\n"
        "  vecruntime inspect /data/warehouse/db/orders");
  }

  bool chosen() const override { return command_->parsed(); }

  arrow::Status Run(const SessionFlags& flags) override {
    ARROW_ASSIGN_OR_RAISE(auto session, MakeSession(flags));
    std::string text;
    {
      ProgressBar progress(session);
      ARROW_ASSIGN_OR_RAISE(text, session->Inspect(table_));
    }
    return PrintText(text);
  }

 private:
  CLI::App* command_;
  std::string table_;
};

}  // namespace

std::unique_ptr<Command> AddInspectCommand(CLI::App* app) { return std::make_unique<InspectCommand>(app); }

}  // namespace vecruntime::cli
