// SPDX-License-Identifier: Apache-2.0
#include "vecruntime/session.h"

#include <arrow/compute/initialize.h>
#include <arrow/record_batch.h>
#include <arrow/type.h>
#include <unistd.h>

#include <algorithm>
#include <mutex>
#include <thread>
#include <utility>

#include "vecruntime/base/error.h"
#include "vecruntime/catalog/hadoop_catalog.h"
#include "vecruntime/expr/time_zone.h"
#include "vecruntime/session/explain_text.h"
#include "vecruntime/session/inspection.h"
#include "vecruntime/session/phase_times.h"
#include "vecruntime/session/quoting.h"
#include "vecruntime/session/statement.h"
#include "vecruntime/session/table_loader.h"
#include "vecruntime/session/table_view.h"
#include "vecruntime/sql/statement.h"

namespace vecruntime {
namespace session {
namespace {

using Clock = std::chrono::steady_clock;

int64_t HalfOfMemory() {
  const int64_t bytes = static_cast<int64_t>(sysconf(_SC_PHYS_PAGES)) * sysconf(_SC_PAGE_SIZE);
  return std::max<int64_t>(bytes / 2, int64_t{256} << 20);
}

// Room for what is remembered of immutable files, as a part of the memory budget.
constexpr int64_t kCacheShare = 4;

std::shared_ptr<base::IdentityCache> MakeCache(const SessionOptions& options, const std::shared_ptr<base::MemoryBudget>& budget) {
  if (!options.cache_metadata) return nullptr;
  return std::make_shared<base::IdentityCache>(budget, options.memory_bytes / kCacheShare);
}

arrow::Status CheckOptions(const SessionOptions& options) {
  if (options.threads < 0 || options.threads > 1024) return base::InvalidArgument("threads must be 0 to 1024: ", options.threads);
  if (options.memory_bytes < 0) return base::InvalidArgument("memory must not be negative: ", options.memory_bytes);
  if (options.batch_rows < 1 || options.batch_rows > (int64_t{1} << 24)) {
    return base::InvalidArgument("batch rows must be 1 to 16777216: ", options.batch_rows);
  }
  return expr::TimeZone::Find(options.timezone).status();
}

// "a.`b.c`.d" -> a, b.c, d
arrow::Result<std::vector<std::string>> SplitName(const std::string& name) {
  std::vector<std::string> parts(1);
  bool quoted = false;
  for (char c : name) {
    if (c == '`') {
      quoted = !quoted;
    } else if (c == '.' && !quoted) {
      parts.emplace_back();
    } else {
      parts.back().push_back(c);
    }
  }
  const bool has_empty = std::any_of(parts.begin(), parts.end(), [](const std::string& part) { return part.empty(); });
  if (quoted || has_empty) return base::InvalidArgument("not a table name: ", name);
  return parts;
}

class CatalogView : public Catalog {
 public:
  CatalogView(std::string name, std::shared_ptr<const catalog::Catalog> catalog)
      : name_(std::move(name)), catalog_(std::move(catalog)) {}
  const std::string& name() const override { return name_; }

  arrow::Result<std::vector<std::string>> ListNamespaces() const override {
    std::vector<std::string> names;
    ARROW_RETURN_NOT_OK(AddNamespaces({}, &names));
    std::sort(names.begin(), names.end());
    return names;
  }

  arrow::Result<std::vector<std::string>> ListTables(const std::string& namespace_name) const override {
    ARROW_ASSIGN_OR_RAISE(const auto parts, SplitName(namespace_name));
    return catalog_->ListTables(parts);
  }

 private:
  // Dotted names of the namespaces below `parent`, all levels.
  arrow::Status AddNamespaces(const catalog::Namespace& parent, std::vector<std::string>* names) const {
    ARROW_ASSIGN_OR_RAISE(const auto children, catalog_->ListNamespaces(parent));
    for (const std::string& child : children) {
      catalog::Namespace path = parent;
      path.push_back(child);
      std::string dotted;
      for (const std::string& part : path) dotted += (dotted.empty() ? "" : ".") + part;
      names->push_back(dotted);
      if (path.size() < kNamespaceLevelsMax) ARROW_RETURN_NOT_OK(AddNamespaces(path, names));
    }
    return arrow::Status::OK();
  }

  static constexpr size_t kNamespaceLevelsMax = 8;  // a warehouse with a link to itself must not loop
  const std::string name_;
  const std::shared_ptr<const catalog::Catalog> catalog_;
};

class SessionImpl : public Session {
 public:
  explicit SessionImpl(SessionOptions options)
      : options_(std::move(options)),
        budget_(std::make_shared<base::MemoryBudget>(options_.memory_bytes)),
        file_io_(std::make_shared<io::FileIO>(MakeCache(options_, budget_))),
        loader_(file_io_, options_.moved_paths) {}

  const SessionOptions& options() const override { return options_; }

  arrow::Result<std::shared_ptr<Catalog>> OpenCatalog(const std::string& name, const std::string& uri) override {
    if (name.find('.') != std::string::npos) return base::InvalidArgument("a catalog's name has no dot: ", name);
    if (uri.starts_with("http:") || uri.starts_with("https:") || uri.starts_with("jdbc:") || uri.starts_with("thrift:")) {
      return base::Unsupported("catalog ", uri, " (only Hadoop catalogs: a warehouse directory)");
    }
    ARROW_ASSIGN_OR_RAISE(const bool exists, file_io_->Exists(uri));
    if (!exists) return base::NotFound("no such warehouse directory: ", uri);
    auto hadoop = std::make_shared<const catalog::HadoopCatalog>(file_io_, uri);
    loader_.AddCatalog(name, hadoop);
    catalogs_.push_back(std::make_shared<CatalogView>(name, std::move(hadoop)));
    return catalogs_.back();
  }

  std::vector<std::shared_ptr<Catalog>> catalogs() const override { return catalogs_; }

  arrow::Result<std::shared_ptr<Table>> LoadTable(const std::string& name) override {
    ARROW_ASSIGN_OR_RAISE(LoadedTable table, Load(name));
    return MakeTableView(shared_from_this(), std::move(table), QuoteTable(name));
  }

  arrow::Result<std::shared_ptr<arrow::RecordBatchReader>> Sql(std::string_view text, Delivery delivery) override {
    ARROW_ASSIGN_OR_RAISE(auto statement, Start(text));
    return statement->Run(delivery);
  }

  arrow::Result<std::vector<std::string>> SplitScript(std::string_view script) const override { return sql::SplitStatements(script); }

  arrow::Result<std::string> Explain(std::string_view text, bool analyze) override {
    const auto start = Clock::now();
    ARROW_ASSIGN_OR_RAISE(auto statement, Start(text));
    if (!analyze) return ExplainText(*statement, std::nullopt);
    RunFacts facts{.planning = Clock::now() - start};
    const auto run_start = Clock::now();
    ARROW_ASSIGN_OR_RAISE(auto reader, statement->Run(Delivery::kStreaming));
    const auto read_start = Clock::now();
    std::shared_ptr<arrow::RecordBatch> batch;
    while (true) {
      ARROW_RETURN_NOT_OK(reader->ReadNext(&batch));
      if (batch == nullptr) break;
      facts.rows += batch->num_rows();
    }
    facts.last_pipeline = Clock::now() - read_start;
    facts.total = Clock::now() - run_start;
    return ExplainText(*statement, facts);
  }

  arrow::Result<std::string> Inspect(const std::string& name) override {
    ARROW_ASSIGN_OR_RAISE(const LoadedTable table, Load(name));
    return InspectionText(table, this, QuoteTable(name));
  }

  void Cancel() override {
    std::lock_guard<std::mutex> lock(mutex_);
    if (auto statement = running_.lock()) statement->Cancel();
  }

  Progress progress() const override {
    Progress progress;
    std::lock_guard<std::mutex> lock(mutex_);
    for (const auto& report : reports_) {
      const planning::PlanCounts& counts = report->counts;
      progress.files_total += counts.data_files - counts.data_files_skipped_by_partition - counts.data_files_skipped_by_statistics;
      progress.files_done += report->metrics->files_opened + report->metrics->files_not_opened;
      progress.rows_read += report->metrics->rows_read;
    }
    return progress;
  }

  std::vector<PhaseTime> phase_times() const override {
    std::lock_guard<std::mutex> lock(mutex_);
    std::vector<PhaseTime> times = {{"plan", planning_time_}};
    for (const auto& report : reports_) AddPhases(PhaseTimes(*report->metrics), &times);
    if (operator_ns_ != nullptr) times.push_back({"operators", std::chrono::nanoseconds(operator_ns_->load())});
    return times;
  }

 private:
  // Adds each phase to the one of its name.
  static void AddPhases(const std::vector<PhaseTime>& phases, std::vector<PhaseTime>* sums) {
    for (const PhaseTime& phase : phases) {
      const auto sum = std::find_if(sums->begin(), sums->end(), [&](const PhaseTime& known) { return known.phase == phase.phase; });
      if (sum == sums->end()) {
        sums->push_back(phase);
      } else {
        sum->time += phase.time;
      }
    }
  }

  arrow::Result<LoadedTable> Load(const std::string& name) const {
    if (name.size() >= 2 && name.front() == '\'' && name.back() == '\'') return loader_.LoadByPath(name.substr(1, name.size() - 2));
    if (IsTablePath(name)) return loader_.LoadByPath(name);
    ARROW_ASSIGN_OR_RAISE(const auto parts, SplitName(name));
    return loader_.LoadByName(parts);
  }

  arrow::Result<std::shared_ptr<Statement>> Start(std::string_view text) {
    auto statement = Statement::Make(
        {.keep_alive = shared_from_this(), .loader = &loader_, .budget = budget_.get(), .options = options_});
    {
      std::lock_guard<std::mutex> lock(mutex_);
      running_ = statement;
      reports_.clear();
      planning_time_ = {};
    }
    const auto start = Clock::now();
    ARROW_RETURN_NOT_OK(statement->Plan(text));
    std::lock_guard<std::mutex> lock(mutex_);
    reports_ = statement->reports();
    operator_ns_ = statement->operator_ns();
    planning_time_ = Clock::now() - start;
    return statement;
  }

  const SessionOptions options_;
  const std::shared_ptr<base::MemoryBudget> budget_;
  const std::shared_ptr<const io::FileIO> file_io_;
  TableLoader loader_;
  std::vector<std::shared_ptr<Catalog>> catalogs_;

  mutable std::mutex mutex_;  // guards what other threads ask for while a statement runs
  std::weak_ptr<Statement> running_;
  std::vector<std::shared_ptr<ScanReport>> reports_;
  std::shared_ptr<const std::atomic<int64_t>> operator_ns_;
  std::chrono::nanoseconds planning_time_{};
};

}  // namespace
}  // namespace session

arrow::Result<std::shared_ptr<Session>> Session::Make(SessionOptions options) {
  ARROW_RETURN_NOT_OK(session::CheckOptions(options));
  // Arrow's compute functions must be registered before any operator calls them.
  ARROW_RETURN_NOT_OK(arrow::compute::Initialize());
  if (options.threads == 0) options.threads = std::max(1, static_cast<int>(std::thread::hardware_concurrency()));
  if (options.memory_bytes == 0) options.memory_bytes = session::HalfOfMemory();
  auto made = std::make_shared<session::SessionImpl>(options);
  if (!options.warehouse.empty()) ARROW_RETURN_NOT_OK(made->OpenCatalog("", options.warehouse).status());
  return made;
}

void ShutDown() { io::ShutDownObjectStores(); }

}  // namespace vecruntime
