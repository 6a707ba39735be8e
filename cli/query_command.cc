// SPDX-License-Identifier: Apache-2.0
#include <arrow/io/interfaces.h>
#include <arrow/result.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <iterator>

#include "cli/commands.h"
#include "cli/interrupt.h"
#include "cli/output/json_rows.h"
#include "cli/output_target.h"
#include "cli/result_printer.h"
#include "vecruntime/base/error.h"

namespace vecruntime::cli {

arrow::Result<std::string> ReadSql(const std::string& argument, const std::string& file) {
  if (!argument.empty() && !file.empty()) return base::InvalidArgument("give either SQL or --file, not both");
  if (!argument.empty()) return argument;
  if (file.empty() && isatty(STDIN_FILENO) == 1) return base::InvalidArgument("no SQL: give it as the argument, with --file, or on standard input");
  if (file.empty() || file == "-") return std::string(std::istreambuf_iterator<char>(std::cin), {});
  std::ifstream stream(file, std::ios::binary);
  if (!stream) return base::NotFound("cannot read the SQL file: ", file);
  if (std::filesystem::is_directory(file)) return base::IoError("cannot read the SQL file, it is a directory: ", file);
  return std::string(std::istreambuf_iterator<char>(stream), {});
}

namespace {

class QueryCommand : public Command {
 public:
  explicit QueryCommand(CLI::App* app) : command_(app->add_subcommand("query", "Run SQL and print its rows")) {
    command_->add_option("sql", sql_, "Statements, separated by ';' (default: read from standard input)")->type_name("SQL");
    command_->add_option("-f,--format", format_, "table (default), csv, json, arrow, parquet")->type_name("FORMAT");
    command_->add_option("-o,--output", output_, "Write to FILE instead of standard output; its extension tells the format")->type_name("FILE");
    command_->add_option("--file", file_, "Read the statements from FILE; '-' is standard input")->type_name("FILE");
    command_->add_flag("--timing", timing_, "Print time and row count of each statement to standard error");
    command_->add_flag("--keep-going", keep_going_,
                       "Go on after a statement that fails; in json its result is {\"error\": {\"kind\": ..., \"message\": ...}}.\n"
                       "The exit code is that of the first failure");
    command_->footer(
        "Tables are ns.table below --warehouse, NAME.ns.table of a --catalog, or a quoted path.\n\n"
        "Examples:\n"
        "  vecruntime query -w /data/warehouse \"SELECT count(*) FROM db.orders\"\n"
        "  vecruntime query \"SELECT * FROM '/data/warehouse/db/orders' WHERE id < 10\"\n"
        "  vecruntime query -w /data/warehouse \"SELECT * FROM db.orders VERSION AS OF 'audit'\" -f csv\n"
        "  vecruntime query -w /data/warehouse --file report.sql -f json --timing\n"
        "  vecruntime query -w /data/warehouse \"SELECT * FROM db.orders\" -o orders.parquet");
  }

  bool chosen() const override { return command_->parsed(); }

  arrow::Status Run(const SessionFlags& flags) override {
    PrintOptions options{.timing = timing_};
    ARROW_ASSIGN_OR_RAISE(options.writer, ChooseWriter(format_, output_, flags.timezone));
    ARROW_ASSIGN_OR_RAISE(const std::string script, ReadSql(sql_, file_));
    ARROW_ASSIGN_OR_RAISE(auto session, MakeSession(flags));
    ARROW_ASSIGN_OR_RAISE(const auto statements, session->SplitScript(script));
    if (statements.empty()) return base::InvalidArgument("no statement in the SQL");
    const bool binary = options.writer.format == Format::kArrow || options.writer.format == Format::kParquet;
    if (binary && statements.size() > 1) return base::InvalidArgument("binary output holds one statement's result, given ", statements.size());
    ARROW_ASSIGN_OR_RAISE(auto target, OutputTarget::Open(output_));
    // A statement that fails in the middle must leave no rows before the next one's.
    if (!keep_going_) options.delivery = target->delivery();
    const bool is_script = statements.size() > 1 || !file_.empty();
    std::vector<arrow::Status> failures;
    for (const std::string& statement : statements) {
      const arrow::Status status = PrintResult(session, statement, options, target.get());
      if (!status.ok()) {
        ARROW_RETURN_NOT_OK(AfterFailure(status, options.writer, target.get()));
        failures.push_back(status);
      }
      if (is_script && !binary) ARROW_RETURN_NOT_OK(target->stream()->Write("\n"));
      ARROW_RETURN_NOT_OK(target->Flush());
    }
    // What a file held stays when nothing was answered; in json the errors are the answer.
    if (failures.size() < statements.size() || options.writer.format == Format::kJson) ARROW_RETURN_NOT_OK(target->Commit());
    if (failures.empty()) return arrow::Status::OK();
    return base::MakeError(KindOf(failures.front()), failures.size(), " of ", statements.size(), " statements failed");
  }

 private:
  // OK when the next statement may run.
  arrow::Status AfterFailure(const arrow::Status& status, const WriterOptions& options, OutputTarget* target) const {
    if (!keep_going_ || Interrupted()) {
      ARROW_RETURN_NOT_OK(target->Flush());
      return status;
    }
    if (options.format != Format::kJson) {
      std::cerr << "vecruntime: " << KindName(KindOf(status)) << ": " << status.message() << "\n";
      return arrow::Status::OK();
    }
    std::string line = "{\"error\": {\"kind\": ";
    AppendJsonString(KindName(KindOf(status)), &line);
    line += ", \"message\": ";
    AppendJsonString(status.message(), &line);
    return target->stream()->Write(line + "}}\n");
  }

  CLI::App* command_;
  std::string sql_, format_, output_, file_;
  bool timing_ = false;
  bool keep_going_ = false;
};

}  // namespace

std::unique_ptr<Command> AddQueryCommand(CLI::App* app) { return std::make_unique<QueryCommand>(app); }

}  // namespace vecruntime::cli
