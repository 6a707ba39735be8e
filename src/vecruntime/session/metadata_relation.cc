// SPDX-License-Identifier: Apache-2.0
#include "vecruntime/session/metadata_relation.h"

#include <arrow/buffer.h>
#include <arrow/record_batch.h>
#include <arrow/result.h>
#include <arrow/type.h>

#include <utility>

#include "vecruntime/exec/operators.h"
#include "vecruntime/expr/evaluator.h"
#include "vecruntime/iceberg/metadata_table.h"

namespace vecruntime::session {
namespace {

class MetadataRelation : public sql::Relation {
 public:
  MetadataRelation(LoadedTable table, std::string name, iceberg::MetadataTable kind, const iceberg::Snapshot* snapshot,
                   std::shared_ptr<arrow::Schema> schema, expr::EvalContext eval)
      : table_(std::move(table)), name_(std::move(name)), kind_(kind), snapshot_(snapshot), schema_(std::move(schema)), eval_(std::move(eval)) {}

  const std::shared_ptr<arrow::Schema>& schema() const override { return schema_; }
  int visible_columns() const override { return schema_->num_fields(); }
  const std::string& name() const override { return name_; }

  arrow::Result<std::unique_ptr<exec::Source>> Scan(const sql::ScanRequest& request) override {
    const auto read = [this](const std::string& location) { return table_.file_io->ReadAll(location); };
    ARROW_ASSIGN_OR_RAISE(const auto rows, iceberg::ReadMetadataTable(kind_, *table_.metadata, snapshot_, read));
    columnar::Batch batch;
    batch.selection = columnar::Selection::All(rows->num_rows());
    arrow::FieldVector fields;
    for (const int column : request.columns) {
      batch.columns.push_back(rows->column(column));
      fields.push_back(schema_->field(column));
    }
    std::string description = "Scan " + name_;
    if (request.filter != nullptr) {
      ARROW_RETURN_NOT_OK(expr::Filter(*request.filter, batch.columns, eval_, &batch.selection));
      description += " filter: " + request.filter->ToString();
    }
    std::vector<columnar::Batch> batches;
    batches.push_back(std::move(batch));
    return exec::MakeBatchSource(arrow::schema(std::move(fields)), std::move(batches), std::move(description));
  }

 private:
  const LoadedTable table_;
  const std::string name_;
  const iceberg::MetadataTable kind_;
  const iceberg::Snapshot* const snapshot_;  // of table_.metadata
  const std::shared_ptr<arrow::Schema> schema_;
  const expr::EvalContext eval_;
};

}  // namespace

bool IsMetadataTableName(const std::string& name) { return iceberg::ParseMetadataTable(name).has_value(); }

arrow::Result<std::shared_ptr<sql::Relation>> MakeMetadataRelation(const LoadedTable& table, const std::string& name,
                                                                   const iceberg::Snapshot* snapshot, const expr::EvalContext& eval) {
  const iceberg::MetadataTable kind = *iceberg::ParseMetadataTable(name);
  ARROW_ASSIGN_OR_RAISE(auto schema, iceberg::MetadataTableSchema(kind, *table.metadata));
  return std::make_shared<MetadataRelation>(table, table.name + "." + name, kind, snapshot, std::move(schema), eval);
}

}  // namespace vecruntime::session
