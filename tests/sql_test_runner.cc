// SPDX-License-Identifier: Apache-2.0
// Runs tests/sql files in process: vecruntime_sql_runner DIR|FILE... [options]. The last line says how many records passed and failed.
#include <arrow/record_batch.h>
#include <arrow/result.h>
#include <arrow/type.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <chrono>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <iterator>
#include <string>
#include <vector>

#include "cli/output/json_rows.h"
#include "tests/sql_runner/json_compare.h"
#include "tests/sql_runner/sql_test_file.h"
#include "vecruntime/error.h"
#include "vecruntime/expr/function_registry.h"
#include "vecruntime/session.h"

namespace vecruntime::sql_test {
namespace {

struct Outcome {
  std::shared_ptr<arrow::Schema> schema;  // null when planning failed
  std::vector<std::string> rows;
  arrow::Status status;
};

Outcome Execute(Session* session, const cli::JsonRows& json, const std::string& sql) {
  Outcome outcome;
  auto reader = session->Sql(sql);
  outcome.status = reader.status();
  if (!reader.ok()) return outcome;
  outcome.schema = (*reader)->schema();
  std::shared_ptr<arrow::RecordBatch> batch;
  while (true) {
    outcome.status = (*reader)->ReadNext(&batch);
    if (!outcome.status.ok() || batch == nullptr) return outcome;
    // A malformed array must fail here, not in whatever reads it next.
    outcome.status = batch->ValidateFull();
    if (!outcome.status.ok()) return outcome;
    for (int64_t i = 0; i < batch->num_rows(); ++i) {
      outcome.rows.emplace_back();
      json.AppendRow(*batch, i, &outcome.rows.back());
    }
  }
}

std::string ErrorText(const arrow::Status& status) { return std::string(KindName(KindOf(status))) + ": " + status.message(); }

std::string CheckError(const Record& record, const Outcome& outcome) {
  if (outcome.status.ok()) {
    return "  expected error " + record.error_kind + ", got " + std::to_string(outcome.rows.size()) + " rows\n";
  }
  if (!outcome.rows.empty()) return "  " + std::to_string(outcome.rows.size()) + " rows came out before the error " + ErrorText(outcome.status) + "\n";
  if (KindName(KindOf(outcome.status)) != record.error_kind) return "  expected error " + record.error_kind + ", got " + ErrorText(outcome.status) + "\n";
  for (const std::string& text : record.error_texts) {
    if (outcome.status.message().find(text) == std::string::npos) return "  the message lacks '" + text + "': " + ErrorText(outcome.status) + "\n";
  }
  return "";
}

std::string CheckTypes(const Record& record, const arrow::Schema& schema) {
  std::vector<std::string> types;
  for (const auto& field : schema.fields()) types.push_back(field->name() + " " + expr::TypeName(*field->type()));
  if (types == record.expected) return "";
  std::string text = "  expected\n";
  for (const auto& line : record.expected) text += "    " + line + "\n";
  text += "  got\n";
  for (const auto& line : types) text += "    " + line + "\n";
  return text;
}

// Empty when the record passes.
std::string Check(const Record& record, Session* session, const cli::JsonRows& json) {
  const Outcome outcome = Execute(session, json, record.sql);
  if (record.kind == RecordKind::kError) return CheckError(record, outcome);
  if (!outcome.status.ok()) return "  " + ErrorText(outcome.status) + "\n";
  if (record.kind == RecordKind::kTypes) return CheckTypes(record, *outcome.schema);
  return CompareRows(record.expected, outcome.rows, *outcome.schema, record.kind == RecordKind::kQueryOrdered);
}

std::vector<std::string> FindFiles(const std::vector<std::string>& paths) {
  std::vector<std::string> files;
  for (const std::string& path : paths) {
    if (!std::filesystem::is_directory(path)) {
      files.push_back(path);
      continue;
    }
    for (const auto& entry : std::filesystem::recursive_directory_iterator(path)) {
      if (entry.path().extension() == ".test") files.push_back(entry.path().string());
    }
  }
  std::sort(files.begin(), files.end());
  return files;
}

struct Counts {
  int passed = 0, failed = 0;
};

void RunFile(const std::string& path, Session* session, const cli::JsonRows& json, bool verbose, Counts* counts) {
  std::ifstream stream(path, std::ios::binary);
  const ParsedFile file = ParseTestFile(std::string(std::istreambuf_iterator<char>(stream), {}));
  if (!stream || !file.error.empty()) {
    std::cout << path << ": " << (file.error.empty() ? "cannot be read" : file.error) << "\n";
    ++counts->failed;
  }
  for (const Record& record : file.records) {
    const auto start = std::chrono::steady_clock::now();
    if (verbose) std::cout << path << ":" << record.line << std::flush;
    const std::string failure = Check(record, session, json);
    if (verbose) std::cout << " " << std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - start).count() << " ms\n";
    ++(failure.empty() ? counts->passed : counts->failed);
    if (!failure.empty()) std::cout << path << ":" << record.line << ": FAILED\n  " << record.sql << "\n" << failure << std::flush;
  }
}

int Main(int argc, char** argv) {
  CLI::App app("Runs SQL test files against the engine, in process.", "vecruntime_sql_runner");
  std::vector<std::string> paths;
  SessionOptions options{.warehouse = VECRUNTIME_SOURCE_DIR "/tests/fixtures/warehouse", .moved_paths = MovedPaths::kAllow};
  bool no_pushdown = false, no_pruning = false, no_cache = false, verbose = false;
  app.add_option("paths", paths, "Directories and files")->required();
  app.add_option("--warehouse", options.warehouse, "Warehouse of the tables (default: the fixtures)");
  app.add_option("--batch-rows", options.batch_rows, "Rows of a batch at most");
  app.add_option("--threads", options.threads, "Workers");
  app.add_option("--timezone", options.timezone, "Session time zone");
  app.add_flag("--no-pushdown", no_pushdown, "Filter after the scan");
  app.add_flag("--no-pruning", no_pruning, "Read every file");
  app.add_flag("--no-cache", no_cache, "Remember nothing between statements");
  app.add_flag("--verbose", verbose, "Name each record and its time");
  CLI11_PARSE(app, argc, argv);
  options.push_down = !no_pushdown;
  options.pruning = !no_pruning;
  options.cache_metadata = !no_cache;
  auto session = Session::Make(options);
  auto json = cli::JsonRows::Make(options.timezone);
  if (!session.ok() || !json.ok()) {
    std::cerr << (session.ok() ? json.status() : session.status()).message() << "\n";
    return 2;
  }
  Counts counts;
  for (const std::string& path : FindFiles(paths)) RunFile(path, session->get(), *json, verbose, &counts);
  std::cout << counts.passed << " passed, " << counts.failed << " failed\n";
  return counts.failed == 0 && counts.passed > 0 ? 0 : 1;
}

}  // namespace
}  // namespace vecruntime::sql_test

int main(int argc, char** argv) { return vecruntime::sql_test::Main(argc, argv); }
