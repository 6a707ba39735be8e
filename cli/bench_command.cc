// SPDX-License-Identifier: Apache-2.0
#include <arrow/array/builder_binary.h>
#include <arrow/array/builder_primitive.h>
#include <arrow/record_batch.h>
#include <arrow/result.h>
#include <arrow/table.h>
#include <arrow/type.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <fstream>
#include <iostream>
#include <iterator>

#include "cli/commands.h"
#include "cli/interrupt.h"
#include "cli/output/json_rows.h"
#include "cli/output_target.h"
#include "cli/query_list.h"
#include "vecruntime/base/error.h"

namespace vecruntime::cli {
namespace {

using Millis = std::chrono::duration<double, std::milli>;

double Median(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  const size_t middle = values.size() / 2;
  return values.size() % 2 == 1 ? values[middle] : (values[middle - 1] + values[middle]) / 2;
}

struct Measurement {
  std::string query;
  double first_ms = 0;            // of the process's first run of it
  std::vector<double> runs_ms;    // the measured ones
  std::vector<std::pair<std::string, double>> phases_ms;  // medians of the measured ones
  std::shared_ptr<arrow::Table> answer;
  arrow::Status status;

  double min_ms() const { return *std::min_element(runs_ms.begin(), runs_ms.end()); }
  double max_ms() const { return *std::max_element(runs_ms.begin(), runs_ms.end()); }
};

std::string MillisText(double ms) {
  char text[64];
  std::snprintf(text, sizeof text, "%.3f", ms);
  return text;
}

arrow::Status AppendAnswer(const arrow::Table& answer, const JsonRows& rows, std::string* out) {
  *out += ", \"answer\": [";
  arrow::TableBatchReader reader(answer);
  std::shared_ptr<arrow::RecordBatch> batch;
  const char* separator = "";
  while (true) {
    ARROW_RETURN_NOT_OK(reader.ReadNext(&batch));
    if (batch == nullptr) break;
    for (int64_t i = 0; i < batch->num_rows(); ++i) {
      *out += separator;
      rows.AppendRow(*batch, i, out);
      separator = ", ";
    }
  }
  *out += "]";
  return arrow::Status::OK();
}

// One JSON object on one line; with `rows` the answer too.
arrow::Result<std::string> ToJson(const Measurement& m, const JsonRows* rows) {
  std::string out = "{\"query\": ";
  AppendJsonString(m.query, &out);
  if (!m.status.ok()) {
    out += ", \"error\": {\"kind\": ";
    AppendJsonString(KindName(KindOf(m.status)), &out);
    out += ", \"message\": ";
    AppendJsonString(m.status.message(), &out);
    return out + "}}";
  }
  out += ", \"first_ms\": " + MillisText(m.first_ms) + ", \"min_ms\": " + MillisText(m.min_ms()) + ", \"median_ms\": " +
         MillisText(Median(m.runs_ms)) + ", \"max_ms\": " + MillisText(m.max_ms()) + ", \"rows\": " + std::to_string(m.answer->num_rows());
  out += ", \"phases\": {";
  const char* separator = "";
  for (const auto& [phase, ms] : m.phases_ms) {
    out += separator;
    AppendJsonString(phase, &out);
    out += ": " + MillisText(ms);
    separator = ", ";
  }
  out += "}";
  if (rows != nullptr) ARROW_RETURN_NOT_OK(AppendAnswer(*m.answer, *rows, &out));
  return out + "}";
}

// Every query a row; phases in the order of the first one that has them.
arrow::Result<std::shared_ptr<arrow::RecordBatch>> ToTable(const std::vector<Measurement>& measurements) {
  arrow::FieldVector fields = {arrow::field("query", arrow::utf8()), arrow::field("rows", arrow::int64())};
  for (const char* name : {"first ms", "min ms", "median ms", "max ms"}) fields.push_back(arrow::field(name, arrow::utf8()));
  std::vector<std::string> phases;
  for (const Measurement& m : measurements) {
    for (const auto& [phase, ms] : m.phases_ms) {
      if (std::find(phases.begin(), phases.end(), phase) == phases.end()) phases.push_back(phase);
    }
  }
  for (const std::string& phase : phases) fields.push_back(arrow::field(phase, arrow::utf8()));

  arrow::StringBuilder names;
  arrow::Int64Builder rows;
  std::vector<arrow::StringBuilder> times(4 + phases.size());
  for (const Measurement& m : measurements) {
    ARROW_RETURN_NOT_OK(names.Append(m.query));
    ARROW_RETURN_NOT_OK(rows.Append(m.answer->num_rows()));
    const double runs[] = {m.first_ms, m.min_ms(), Median(m.runs_ms), m.max_ms()};
    for (size_t i = 0; i < 4; ++i) ARROW_RETURN_NOT_OK(times[i].Append(MillisText(runs[i])));
    for (size_t p = 0; p < phases.size(); ++p) {
      const auto known = std::find_if(m.phases_ms.begin(), m.phases_ms.end(), [&](const auto& phase) { return phase.first == phases[p]; });
      ARROW_RETURN_NOT_OK(known == m.phases_ms.end() ? times[4 + p].AppendNull() : times[4 + p].Append(MillisText(known->second)));
    }
  }
  arrow::ArrayVector columns(2 + times.size());
  ARROW_ASSIGN_OR_RAISE(columns[0], names.Finish());
  ARROW_ASSIGN_OR_RAISE(columns[1], rows.Finish());
  for (size_t i = 0; i < times.size(); ++i) {
    ARROW_ASSIGN_OR_RAISE(columns[2 + i], times[i].Finish());
  }
  return arrow::RecordBatch::Make(arrow::schema(std::move(fields)), static_cast<int64_t>(measurements.size()), std::move(columns));
}

// Hands out a script's queries: a file's all at once, standard input's as they come, so that a driver can measure side by side.
class QuerySource {
 public:
  static arrow::Result<QuerySource> Open(const std::string& file) {
    QuerySource source;
    source.streaming_ = file == "-";
    if (source.streaming_) return source;
    std::ifstream stream(file, std::ios::binary);
    if (!stream) return base::NotFound("cannot read the SQL file: ", file);
    source.script_.assign(std::istreambuf_iterator<char>(stream), {});
    return source;
  }

  /// Empty when there is no more.
  arrow::Result<std::vector<NamedQuery>> Next(const Session& session) {
    while (!ended_) {
      const std::string script = streaming_ ? NextPiece() : TakeScript();
      ARROW_ASSIGN_OR_RAISE(auto queries, ParseQueryList(session, script));
      if (!queries.empty()) return queries;
    }
    return std::vector<NamedQuery>();
  }

 private:
  std::string TakeScript() {
    ended_ = true;
    return std::move(script_);
  }

  // Lines up to one that ends in a semicolon.
  std::string NextPiece() {
    std::string piece, line;
    while (std::getline(std::cin, line)) {
      piece += line + "\n";
      const size_t last = line.find_last_not_of(" \t\r");
      if (last != std::string::npos && line[last] == ';') return piece;
    }
    ended_ = true;
    return piece;
  }

  bool streaming_ = false;
  bool ended_ = false;
  std::string script_;
};

class BenchCommand : public Command {
 public:
  explicit BenchCommand(CLI::App* app) : command_(app->add_subcommand("bench", "Measure queries: many runs of each in one process")) {
    command_->add_option("file", file_, "Queries, separated by ';'; '-' is standard input, read as it comes, a query up to a ';' that ends a line")
        ->type_name("FILE")
        ->required();
    command_->add_option("--warm", warm_, "Runs of each query before the measured ones (default: 5)")->type_name("W");
    command_->add_option("--runs", runs_, "Measured runs of each query (default: 10)")->type_name("R");
    command_->add_option("-f,--format", format_, "table (default), json: a list, lines: an object a line, each as soon as it is measured")
        ->type_name("FORMAT");
    command_->add_flag("--answer", answer_, "Add the rows of the last run to the objects of json and lines");
    command_->add_flag("--keep-going", keep_going_, "Go on after a query that fails; its object has {\"error\": {\"kind\": ..., \"message\": ...}}");
    command_->footer(
        "A run is timed from the statement's text to its last row, metadata files included; nothing is printed meanwhile. No result and no\n"
        "decoded column is kept from run to run. 'plan' is wall time; the other phases are summed over workers and do not overlap; each is the\n"
        "median of the measured runs. A comment line '-- name: NAME' before a query names it.\n\n"
        "Examples:\n"
        "  vecruntime bench -w /data/warehouse queries.sql\n"
        "  vecruntime bench -w /data/warehouse --threads 2 --warm 1 --runs 5 --format json queries.sql > times.json");
  }

  bool chosen() const override { return command_->parsed(); }

  arrow::Status Run(const SessionFlags& flags) override {
    if (format_ != "table" && format_ != "json" && format_ != "lines") {
      return base::InvalidArgument("--format of bench is table, json or lines: ", format_);
    }
    if (warm_ < 0 || runs_ < 1) return base::InvalidArgument("bench takes --warm 0 or more and --runs 1 or more, given ", warm_, " and ", runs_);
    ARROW_ASSIGN_OR_RAISE(const JsonRows rows, JsonRows::Make(flags.timezone));
    ARROW_ASSIGN_OR_RAISE(QuerySource source, QuerySource::Open(file_));
    ARROW_ASSIGN_OR_RAISE(auto session, MakeSession(flags));
    std::vector<Measurement> measurements;
    const arrow::Status status = MeasureAll(session, &source, answer_ ? &rows : nullptr, &measurements);
    ARROW_RETURN_NOT_OK(Print(measurements, answer_ ? &rows : nullptr));
    if (status.ok() && measurements.empty()) return base::InvalidArgument("no query in ", file_);
    return status;
  }

 private:
  arrow::Status MeasureAll(const std::shared_ptr<Session>& session, QuerySource* source, const JsonRows* rows,
                           std::vector<Measurement>* measurements) const {
    while (true) {
      ARROW_ASSIGN_OR_RAISE(const std::vector<NamedQuery> queries, source->Next(*session));
      if (queries.empty()) return arrow::Status::OK();
      for (const NamedQuery& query : queries) {
        Measurement m = Measure(session, query);
        if (!m.status.ok() && (!keep_going_ || Interrupted())) return m.status;
        if (format_ == "lines") {
          ARROW_ASSIGN_OR_RAISE(const std::string line, ToJson(m, rows));
          std::cout << line << "\n" << std::flush;
          m.answer.reset();
        }
        measurements->push_back(std::move(m));
      }
    }
  }

  Measurement Measure(const std::shared_ptr<Session>& session, const NamedQuery& query) const {
    Measurement m{.query = query.name};
    std::vector<std::pair<std::string, std::vector<double>>> phases;
    for (int run = 0; run < warm_ + runs_; ++run) {
      m.answer.reset();
      const auto start = std::chrono::steady_clock::now();
      auto answer = RunToEnd(session, query.sql);
      const double ms = Millis(std::chrono::steady_clock::now() - start).count();
      m.status = answer.status();
      if (!m.status.ok()) return m;
      m.answer = *std::move(answer);
      if (run == 0) m.first_ms = ms;
      if (run < warm_) continue;
      m.runs_ms.push_back(ms);
      for (const PhaseTime& time : session->phase_times()) {
        auto phase = std::find_if(phases.begin(), phases.end(), [&](const auto& known) { return known.first == time.phase; });
        if (phase == phases.end()) phase = phases.insert(phases.end(), {time.phase, {}});
        phase->second.push_back(Millis(time.time).count());
      }
    }
    for (auto& [phase, runs] : phases) m.phases_ms.emplace_back(phase, Median(std::move(runs)));
    return m;
  }

  static arrow::Result<std::shared_ptr<arrow::Table>> RunToEnd(const std::shared_ptr<Session>& session, const std::string& sql) {
    ARROW_ASSIGN_OR_RAISE(auto reader, session->Sql(sql));
    return reader->ToTable();
  }

  // What the lines format has not printed yet.
  arrow::Status Print(const std::vector<Measurement>& measurements, const JsonRows* rows) const {
    if (format_ == "lines") return arrow::Status::OK();
    if (format_ == "table") return PrintTable(measurements);
    std::cout << "[";
    const char* separator = "\n";
    for (const Measurement& m : measurements) {
      ARROW_ASSIGN_OR_RAISE(const std::string object, ToJson(m, rows));
      std::cout << separator << object;
      separator = ",\n";
    }
    std::cout << "\n]\n" << std::flush;
    return arrow::Status::OK();
  }

  static arrow::Status PrintTable(const std::vector<Measurement>& measurements) {
    std::vector<Measurement> measured;
    for (const Measurement& m : measurements) {
      if (m.status.ok()) {
        measured.push_back(m);
      } else {
        std::cerr << "vecruntime: " << m.query << ": " << KindName(KindOf(m.status)) << ": " << m.status.message() << "\n";
      }
    }
    if (measured.empty()) return arrow::Status::OK();
    ARROW_ASSIGN_OR_RAISE(const WriterOptions options, ChooseWriter("table", "", "UTC"));
    ARROW_ASSIGN_OR_RAISE(auto target, OutputTarget::Open(""));
    ARROW_ASSIGN_OR_RAISE(const auto table, ToTable(measured));
    ARROW_ASSIGN_OR_RAISE(auto writer, MakeRowWriter(options, target->stream()));
    ARROW_RETURN_NOT_OK(writer->Begin(table->schema()));
    ARROW_RETURN_NOT_OK(writer->Write(*table));
    ARROW_RETURN_NOT_OK(writer->End());
    return target->Commit();
  }

  CLI::App* command_;
  std::string file_;
  std::string format_ = "table";
  int warm_ = 5;
  int runs_ = 10;
  bool answer_ = false;
  bool keep_going_ = false;
};

}  // namespace

std::unique_ptr<Command> AddBenchCommand(CLI::App* app) { return std::make_unique<BenchCommand>(app); }

}  // namespace vecruntime::cli
