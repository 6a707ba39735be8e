// SPDX-License-Identifier: Apache-2.0
#include <arrow/result.h>

#include <CLI/CLI.hpp>

#include "cli/commands.h"
#include "cli/output_target.h"
#include "cli/result_printer.h"
#include "vecruntime/base/error.h"

namespace vecruntime::cli {
namespace {

class ScanCommand : public Command {
 public:
  explicit ScanCommand(CLI::App* app) : command_(app->add_subcommand("scan", "Read columns of one table, deletes merged, into a file or a pipe")) {
    command_->add_option("table", table_, "ns.table, or the path of a table")->type_name("TABLE")->required();
    command_->add_option("-s,--select", columns_, "Columns, separated by commas (default: all)")->type_name("A,B,...")->delimiter(',');
    command_->add_option("--where", where_, "Rows to keep: a SQL condition")->type_name("CONDITION");
    command_->add_option("--snapshot", snapshot_, "Read this snapshot instead of the current one")->type_name("ID");
    command_->add_option("--ref", ref_, "Read this branch or tag")->type_name("NAME");
    command_->add_option("-f,--format", format_, "table (default), csv, json, arrow, parquet")->type_name("FORMAT");
    command_->add_option("-o,--output", output_, "Write to FILE instead of standard output; its extension tells the format")->type_name("FILE");
    command_->add_flag("--timing", timing_, "Print time and row count to standard error");
    command_->footer(
        "Examples:\n"
        "  vecruntime scan -w /data/warehouse db.orders --select id,total --where \"total > 100\" -o big.parquet\n"
        "  vecruntime scan /data/warehouse/db/orders --ref audit -f arrow | consumer\n"
        "  vecruntime scan /data/warehouse/db/orders --select _file,_pos,id -f csv");
  }

  bool chosen() const override { return command_->parsed(); }

  arrow::Status Run(const SessionFlags& flags) override {
    if (snapshot_ != 0 && !ref_.empty()) return base::InvalidArgument("give either --snapshot or --ref, not both");
    PrintOptions options{.timing = timing_};
    ARROW_ASSIGN_OR_RAISE(options.writer, ChooseWriter(format_, output_, flags.timezone));
    ARROW_ASSIGN_OR_RAISE(auto session, MakeSession(flags));
    ARROW_ASSIGN_OR_RAISE(auto table, session->LoadTable(table_));
    Scan scan = table->NewScan();
    scan.Select(columns_);
    if (!where_.empty()) scan.Where(where_);
    if (snapshot_ != 0) scan.UseSnapshot(snapshot_);
    if (!ref_.empty()) scan.UseRef(ref_);
    ARROW_ASSIGN_OR_RAISE(auto target, OutputTarget::Open(output_));
    options.delivery = target->delivery();
    ARROW_RETURN_NOT_OK(PrintResult(session, scan.ToSql(), options, target.get()));
    return target->Commit();
  }

 private:
  CLI::App* command_;
  std::string table_, where_, ref_, format_, output_;
  std::vector<std::string> columns_;
  int64_t snapshot_ = 0;
  bool timing_ = false;
};

}  // namespace

std::unique_ptr<Command> AddScanCommand(CLI::App* app) { return std::make_unique<ScanCommand>(app); }

}  // namespace vecruntime::cli
