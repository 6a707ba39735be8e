// SPDX-License-Identifier: Apache-2.0
#include <arrow/result.h>

#include <CLI/CLI.hpp>

#include "cli/commands.h"
#include "cli/progress_bar.h"
#include "cli/result_printer.h"

namespace vecruntime::cli {
namespace {

class ExplainCommand : public Command {
 public:
  explicit ExplainCommand(CLI::App* app)
      : command_(app->add_subcommand("explain", "Show how a statement runs: operators, files, bytes, deletes, and what is skipped")) {
    command_->add_option("sql", sql_, "One statement (default: read from standard input)")->type_name("SQL");
    command_->add_option("--file", file_, "Read the statement from FILE; '-' is standard input")->type_name("FILE");
    command_->add_flag("-a,--analyze", analyze_, "Run it too, and add measured times and counts");
    command_->footer(
        "Examples:\n"
        "  vecruntime explain -w /data/warehouse \"SELECT sum(total) FROM db.orders WHERE day = DATE '2024-01-31'\"\n"
        "  vecruntime explain --analyze \"SELECT count(*) FROM '/data/warehouse/db/orders'\"");
  }

  bool chosen() const override { return command_->parsed(); }

  arrow::Status Run(const SessionFlags& flags) override {
    ARROW_ASSIGN_OR_RAISE(const std::string sql, ReadSql(sql_, file_));
    ARROW_ASSIGN_OR_RAISE(auto session, MakeSession(flags));
    std::string text;
    {
      ProgressBar progress(session);
      ARROW_ASSIGN_OR_RAISE(text, session->Explain(sql, analyze_));
    }
    return PrintText(text);
  }

 private:
  CLI::App* command_;
  std::string sql_, file_;
  bool analyze_ = false;
};

}  // namespace

std::unique_ptr<Command> AddExplainCommand(CLI::App* app) { return std::make_unique<ExplainCommand>(app); }

}  // namespace vecruntime::cli
