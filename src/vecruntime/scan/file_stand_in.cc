// SPDX-License-Identifier: Apache-2.0
#include "vecruntime/scan/file_stand_in.h"

#include <arrow/array/builder_base.h>
#include <arrow/array/concatenate.h>
#include <arrow/array/util.h>
#include <arrow/builder.h>
#include <arrow/result.h>
#include <arrow/scalar.h>
#include <arrow/type.h>

#include <algorithm>
#include <optional>
#include <utility>

#include "vecruntime/planning/file_facts.h"

namespace vecruntime::scan {
namespace {

using columnar::ColumnUse;
using iceberg::TypeId;
using planning::ColumnFacts;

// Types whose manifest bounds are the extremes themselves: not cut as texts and bytes are, no NaN beside them.
bool BoundsAreExtremes(TypeId id) {
  switch (id) {
    case TypeId::kInt:
    case TypeId::kLong:
    case TypeId::kDecimal:
    case TypeId::kDate:
    case TypeId::kTimestamp:
    case TypeId::kTimestampTz:
    case TypeId::kTimestampNs:
    case TypeId::kTimestampTzNs:
      return true;
    default:
      return false;
  }
}

ColumnFacts FactsOf(const iceberg::DataFile& file, const iceberg::Field& field, const iceberg::TableMetadata& metadata) {
  return planning::FactsOfFile(file, field.id, *field.type, metadata);
}

bool FactsSuffice(const ColumnFacts& facts, const iceberg::DataFile& file, const ColumnUse& use, TypeId type, bool has_deletes) {
  const int64_t rows = file.record_count;
  if (facts.value_count != rows || !facts.null_count || *facts.null_count < 0 || *facts.null_count > rows) return false;
  const int64_t nulls = *facts.null_count;
  if (nulls == rows) return true;
  if (use.null_count && nulls != 0 && has_deletes) return false;
  if (!use.extremes) return true;
  if (has_deletes || !BoundsAreExtremes(type) || !facts.lower || !facts.upper) return false;
  return nulls + 1 < rows || *facts.lower == *facts.upper;  // one value has no two extremes
}

// The one most likely to be in every file; -1 when no schema has any.
iceberg::FieldId OldestPrimitiveColumn(const iceberg::TableMetadata& metadata) {
  iceberg::FieldId oldest = -1;
  for (const auto& schema : metadata.schemas) {
    for (const iceberg::Field& column : schema->columns()) {
      if (!column.type->is_nested() && (oldest < 0 || column.id < oldest)) oldest = column.id;
    }
  }
  return oldest;
}

// `length` equal values.
struct Run {
  std::shared_ptr<arrow::Scalar> value;  // null: any value but NULL
  int64_t length;
};

// A value of `type` that is not NULL; which one does not matter.
arrow::Result<std::shared_ptr<arrow::Array>> AnyValues(const std::shared_ptr<arrow::DataType>& type, int64_t length, arrow::MemoryPool* pool) {
  ARROW_ASSIGN_OR_RAISE(auto builder, arrow::MakeBuilder(type, pool));
  ARROW_RETURN_NOT_OK(builder->AppendEmptyValues(length));
  return builder->Finish();
}

// The part [rows.begin, rows.end) of the runs laid one after the other.
arrow::Result<std::shared_ptr<arrow::Array>> Cut(const std::vector<Run>& runs, const std::shared_ptr<arrow::DataType>& type,
                                                 base::FileRowRange rows, arrow::MemoryPool* pool) {
  std::vector<std::shared_ptr<arrow::Array>> pieces;
  int64_t begin = 0;
  for (const Run& run : runs) {
    const int64_t from = std::max(rows.begin.value, begin);
    const int64_t to = std::min(rows.end.value, begin + run.length);
    begin += run.length;
    if (from >= to) continue;
    ARROW_ASSIGN_OR_RAISE(pieces.emplace_back(), run.value == nullptr ? AnyValues(type, to - from, pool)
                                                                      : arrow::MakeArrayFromScalar(*run.value, to - from, pool));
  }
  return pieces.size() == 1 ? pieces[0] : arrow::Concatenate(pieces, pool);
}

}  // namespace

StandInCheck::StandInCheck(const std::vector<ScanColumn>& columns, const std::vector<ColumnUse>& uses, const iceberg::TableMetadata& metadata)
    : metadata_(metadata), possible_(uses.size() == columns.size()), witness_(OldestPrimitiveColumn(metadata)) {
  for (size_t i = 0; i < columns.size() && possible_; ++i) {
    if (uses[i].nothing()) continue;
    possible_ = !uses[i].values && columns[i].kind == ScanColumnKind::kField;
    columns_.push_back(columns[i]);
    uses_.push_back(uses[i]);
  }
}

bool StandInCheck::operator()(const planning::ScanTask& task) const {
  if (!possible_ || !task.all_match || !task.equality_deletes.empty()) return false;
  const iceberg::DataFile& file = task.data->file;
  const int64_t* const confirmed = iceberg::Find(file.value_counts, witness_);
  if (confirmed == nullptr || *confirmed != file.record_count) return false;
  const bool has_deletes = task.deletion_vector != nullptr || !task.position_deletes.empty();
  for (size_t i = 0; i < columns_.size(); ++i) {
    const iceberg::Field& field = columns_[i].field;
    if (!FactsSuffice(FactsOf(file, field, metadata_), file, uses_[i], field.type->id(), has_deletes)) return false;
  }
  return true;
}

std::vector<iceberg::FieldId> StandInCheck::fields() const {
  if (!possible_) return {};
  std::vector<iceberg::FieldId> fields = {witness_};
  for (const ScanColumn& column : columns_) fields.push_back(column.field.id);
  return fields;
}

arrow::Result<std::shared_ptr<arrow::Array>> FileStandIn::Get(const ScanColumn& column, const ColumnUse& use, base::FileRowRange rows) const {
  ARROW_ASSIGN_OR_RAISE(const auto type, column.field.type->ToArrow());
  if (use.nothing()) return arrow::MakeArrayOfNull(type, rows.length(), pool_);
  const int64_t count = entry_->file.record_count;
  const ColumnFacts facts = FactsOf(entry_->file, column.field, *metadata_);
  int64_t values = count - *facts.null_count;
  std::vector<Run> runs;
  if (use.extremes && values > 0) {
    // Where NULLs are not counted they fill up what two values leave.
    if (!use.null_count) values = std::min<int64_t>(values, 2);
    ARROW_ASSIGN_OR_RAISE(auto lower, iceberg::ToScalar(*column.field.type, *facts.lower));
    ARROW_ASSIGN_OR_RAISE(auto upper, iceberg::ToScalar(*column.field.type, *facts.upper));
    runs = {{std::move(lower), 1}, {std::move(upper), values - 1}};
  } else {
    runs = {{nullptr, values}};
  }
  runs.push_back({arrow::MakeNullScalar(type), count - values});
  return Cut(runs, type, rows, pool_);
}

}  // namespace vecruntime::scan
