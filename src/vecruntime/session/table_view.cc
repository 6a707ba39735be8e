// SPDX-License-Identifier: Apache-2.0
#include "vecruntime/session/table_view.h"

#include <arrow/result.h>
#include <arrow/type.h>

#include <algorithm>
#include <utility>

namespace vecruntime::session {
namespace {

class TableView : public Table {
 public:
  TableView(std::shared_ptr<Session> session, LoadedTable table, std::string from)
      : session_(std::move(session)), table_(std::move(table)), from_(std::move(from)) {
    const iceberg::TableMetadata& metadata = *table_.metadata;
    arrow::FieldVector fields;
    for (const iceberg::Field& column : metadata.CurrentSchema()->columns()) {
      auto type = column.type->ToArrow();
      if (type.ok()) fields.push_back(arrow::field(column.name, *type, !column.required));
    }
    schema_ = arrow::schema(std::move(fields));
    for (const iceberg::Snapshot& snapshot : metadata.snapshots) {
      snapshots_.push_back({snapshot.snapshot_id, snapshot.parent_snapshot_id, snapshot.sequence_number, snapshot.timestamp_ms,
                            snapshot.summary});
    }
    std::stable_sort(snapshots_.begin(), snapshots_.end(),
                     [](const SnapshotInfo& a, const SnapshotInfo& b) { return a.timestamp_ms < b.timestamp_ms; });
    for (const auto& [name, ref] : metadata.refs) refs_.push_back({name, ref.snapshot_id, ref.is_branch});
  }

  const std::string& name() const override { return from_; }
  const std::string& location() const override { return table_.metadata->location; }
  const std::string& metadata_location() const override { return table_.metadata->metadata_location; }
  int format_version() const override { return table_.metadata->format_version; }
  const std::shared_ptr<arrow::Schema>& schema() const override { return schema_; }
  const std::vector<SnapshotInfo>& snapshots() const override { return snapshots_; }
  std::optional<int64_t> current_snapshot_id() const override { return table_.metadata->current_snapshot_id; }
  const std::vector<RefInfo>& refs() const override { return refs_; }
  const std::map<std::string, std::string>& properties() const override { return table_.metadata->properties; }
  Scan NewScan() const override { return Scan(session_, from_); }

 private:
  const std::shared_ptr<Session> session_;
  const LoadedTable table_;
  const std::string from_;
  std::shared_ptr<arrow::Schema> schema_;
  std::vector<SnapshotInfo> snapshots_;
  std::vector<RefInfo> refs_;
};

}  // namespace

arrow::Result<std::shared_ptr<Table>> MakeTableView(std::shared_ptr<Session> session, LoadedTable table, std::string from) {
  return std::make_shared<TableView>(std::move(session), std::move(table), std::move(from));
}

}  // namespace vecruntime::session
