// SPDX-License-Identifier: Apache-2.0
#include "vecruntime/session/table_relation.h"

#include <arrow/result.h>
#include <arrow/type.h>

#include <functional>
#include <optional>
#include <utility>

#include "vecruntime/base/error.h"
#include "vecruntime/planning/pruning_predicate.h"
#include "vecruntime/planning/table_planner.h"
#include "vecruntime/scan/file_stand_in.h"
#include "vecruntime/scan/table_scan.h"
#include "vecruntime/session/metadata_relation.h"
#include "vecruntime/session/snapshot_selection.h"

namespace vecruntime::session {
namespace {

using Reports = std::shared_ptr<std::vector<std::shared_ptr<ScanReport>>>;

// A TableScan as the source of a pipeline.
class ScanSource : public exec::Source {
 public:
  ScanSource(std::shared_ptr<arrow::Schema> schema, scan::TableScanOptions options, std::shared_ptr<const ScanReport> report)
      : schema_(std::move(schema)), options_(std::move(options)), report_(std::move(report)) {}

  const std::shared_ptr<arrow::Schema>& output_schema() const override { return schema_; }
  arrow::Status Open(const exec::ExecContext& context) override {
    options_.workers = context.workers;
    options_.batch_rows = context.batch_rows;
    options_.budget = context.budget;
    options_.cancel = context.cancel;
    options_.eval = context.eval;
    scan_ = std::make_unique<scan::TableScan>(std::move(options_));
    return scan_->Open();
  }
  arrow::Result<std::optional<columnar::Batch>> Next(int worker) override { return scan_->Next(worker); }
  std::string Describe() const override {
    std::string text = "Scan " + report_->table + " [" + report_->columns + "]";
    return report_->filter.empty() ? text : text + " filter: " + report_->filter;
  }

 private:
  const std::shared_ptr<arrow::Schema> schema_;
  scan::TableScanOptions options_;
  const std::shared_ptr<const ScanReport> report_;
  std::unique_ptr<scan::TableScan> scan_;
};

// Types no scan can yield get a placeholder, so that the other columns stay readable.
std::shared_ptr<arrow::DataType> ArrowTypeOrNull(const iceberg::Type& type) { return type.ToArrow().ValueOr(arrow::null()); }

class TableRelation : public sql::Relation {
 public:
  TableRelation(LoadedTable table, SnapshotSelection selection, ResolverOptions options, Reports reports)
      : table_(std::move(table)), selection_(std::move(selection)), options_(std::move(options)), reports_(std::move(reports)) {
    for (const iceberg::Field& field : selection_.schema->columns()) columns_.push_back({scan::ScanColumnKind::kField, field});
    visible_columns_ = static_cast<int>(columns_.size());
    for (auto& column : scan::MetadataColumns(*table_.metadata)) columns_.push_back(std::move(column));
    arrow::FieldVector fields;
    for (const auto& column : columns_) fields.push_back(arrow::field(column.field.name, ArrowTypeOrNull(*column.field.type), !column.field.required));
    schema_ = arrow::schema(std::move(fields));
  }

  const std::shared_ptr<arrow::Schema>& schema() const override { return schema_; }
  int visible_columns() const override { return visible_columns_; }
  const std::string& name() const override { return table_.name; }

  arrow::Result<std::unique_ptr<exec::Source>> Scan(const sql::ScanRequest& request) override {
    auto report = std::make_shared<ScanReport>();
    report->table = table_.name;
    report->metrics = std::make_shared<scan::ScanMetrics>();
    scan::TableScanOptions options{.file_io = table_.file_io, .metadata = table_.metadata, .uses = options_.pruning ? request.uses : std::vector<columnar::ColumnUse>(), .filter = request.filter, .eval = options_.eval};
    arrow::FieldVector fields;
    for (const int index : request.columns) {
      const scan::ScanColumn& column = columns_[static_cast<size_t>(index)];
      ARROW_RETURN_NOT_OK(base::WithContext(column.field.type->ToArrow().status(), "column " + column.field.name));
      options.columns.push_back(column);
      fields.push_back(schema_->field(index));
      report->columns += (report->columns.empty() ? "" : ", ") + column.field.name;
    }
    iceberg::PredicatePtr predicate = PredicateOf(request, options.columns);
    options.proof = ProofOf(request, options.columns);
    if (request.filter != nullptr) report->filter = request.filter->ToString();
    report->pruning_predicate = predicate->ToString(*selection_.schema);
    const scan::StandInCheck stands_in(options.columns, options.uses, *options.metadata);
    const planning::PlannerOptions planner{
        .workers = options_.workers, .pruning = options_.pruning, .proof = options.proof, .metrics_for = stands_in.fields()};
    ARROW_ASSIGN_OR_RAISE(options.plan,
                          planning::PlanScan(*table_.file_io, table_.metadata, selection_.snapshot, *predicate, planner));
    report->counts = options.plan.counts;
    report->not_opened = CountNotOpened(options.plan, stands_in);
    options.predicate = std::move(predicate);
    options.metrics = report->metrics;
    reports_->push_back(report);
    return std::make_unique<ScanSource>(arrow::schema(std::move(fields)), std::move(options), std::move(report));
  }

 private:
  using FieldOf = std::function<const iceberg::Field*(int column)>;
  static FieldOf FieldsOf(const std::vector<scan::ScanColumn>& columns) {
    return [&columns](int column) -> const iceberg::Field* {
      const scan::ScanColumn& source = columns[static_cast<size_t>(column)];
      return source.kind == scan::ScanColumnKind::kField ? &source.field : nullptr;
    };
  }

  iceberg::PredicatePtr PredicateOf(const sql::ScanRequest& request, const std::vector<scan::ScanColumn>& columns) const {
    if (request.filter == nullptr || !options_.pruning) return iceberg::Predicate::True();
    return planning::ToPruningPredicate(*request.filter, FieldsOf(columns));
  }

  iceberg::PredicatePtr ProofOf(const sql::ScanRequest& request, const std::vector<scan::ScanColumn>& columns) const {
    if (request.filter == nullptr) return iceberg::Predicate::True();
    if (!options_.pruning) return iceberg::Predicate::False();
    return planning::ToProofPredicate(*request.filter, FieldsOf(columns));
  }

  static ScanReport::NotOpened CountNotOpened(const planning::ScanPlan& plan, const scan::StandInCheck& stands_in) {
    ScanReport::NotOpened counts;
    for (const planning::ScanTask& task : plan.tasks) {
      if (!stands_in(task)) continue;
      ++counts.files;
      counts.rows += task.data->file.record_count;
      counts.bytes += task.data->file.file_size_in_bytes;
    }
    return counts;
  }

  const LoadedTable table_;
  const SnapshotSelection selection_;
  const ResolverOptions options_;
  const Reports reports_;
  std::vector<scan::ScanColumn> columns_;
  int visible_columns_ = 0;
  std::shared_ptr<arrow::Schema> schema_;
};

bool IsNotFound(const arrow::Status& status) { return !status.ok() && KindOf(status) == ErrorKind::kNotFound; }

// The table behind a name, and the trailing part that selects a snapshot or a metadata table of it (empty for none). The whole name comes
// first: a table may be called "files".
struct FoundTable {
  LoadedTable table;
  std::string suffix;
};
arrow::Result<FoundTable> FindTable(const TableLoader& loader, const sql::TableReference& reference) {
  if (reference.is_path) {
    ARROW_ASSIGN_OR_RAISE(auto table, loader.LoadByPath(reference.parts[0]));
    return FoundTable{std::move(table), {}};
  }
  auto whole = loader.LoadByName(reference.parts);
  const std::string& last = reference.parts.back();
  const bool refused = last == "position_deletes";  // the one metadata table of Iceberg that is not here
  const bool may_be_suffix = refused || IsSnapshotSelector(last) || IsMetadataTableName(last);
  if (!IsNotFound(whole.status()) || reference.parts.size() < 2 || !may_be_suffix) {
    ARROW_ASSIGN_OR_RAISE(auto table, std::move(whole));
    return FoundTable{std::move(table), {}};
  }
  auto shorter = loader.LoadByName({reference.parts.begin(), reference.parts.end() - 1});
  if (IsNotFound(shorter.status())) return whole.status();
  ARROW_ASSIGN_OR_RAISE(auto table, std::move(shorter));
  if (refused) return base::Unsupported("Not supported: the metadata table ", last, ".");
  return FoundTable{std::move(table), last};
}

}  // namespace

arrow::Result<std::shared_ptr<sql::Relation>> TableResolver::Resolve(const sql::TableReference& reference) {
  ARROW_ASSIGN_OR_RAISE(FoundTable found, FindTable(*loader_, reference));
  const bool is_metadata_table = !found.suffix.empty() && !IsSnapshotSelector(found.suffix);
  ARROW_ASSIGN_OR_RAISE(SnapshotSelection selection,
                        SelectSnapshot(*found.table.metadata, reference, is_metadata_table ? std::string() : found.suffix));
  if (is_metadata_table) return MakeMetadataRelation(found.table, found.suffix, selection.snapshot, options_.eval);
  return std::make_shared<TableRelation>(std::move(found.table), std::move(selection), options_, reports_);
}

}  // namespace vecruntime::session
