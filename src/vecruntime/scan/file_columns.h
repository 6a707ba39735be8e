// SPDX-License-Identifier: Apache-2.0
// The columns of one data file as the query sees them: from the file, or the constants that stand for what the file does not hold
// (Iceberg spec, "Column Projection"), or computed (metadata columns). Owned by one worker.
#pragma once

#include <arrow/type_fwd.h>

#include <memory>
#include <vector>

#include "vecruntime/columnar/selection.h"
#include "vecruntime/parquet/parquet_file.h"
#include "vecruntime/planning/scan_task.h"
#include "vecruntime/scan/scan_column.h"
#include "vecruntime/scan/scan_metrics.h"

namespace vecruntime::scan {

class FileColumnSource;

class FileColumns {
 public:
  FileColumns(std::shared_ptr<const parquet::ParquetFile> file, planning::EntryPtr entry,
              std::shared_ptr<const iceberg::TableMetadata> metadata, ScanMetrics* metrics, arrow::MemoryPool* pool);
  ~FileColumns();

  /// Starts the next run of rows; runs ascend. What was read of the last one is dropped.
  void BeginRows();
  /// Values of `column` for rows.range(), maybe encoded (columnar/decode.h); those at dead rows are unspecified. A column read before for the same run is not read again, so
  /// within a run the Selection may only narrow. REQUIRES: not kDeleted, which the scan fills itself.
  arrow::Result<std::shared_ptr<arrow::Array>> Get(const ScanColumn& column, const columnar::Selection& rows);

 private:
  struct Slot;

  arrow::Result<Slot*> SlotOf(const ScanColumn& column);
  arrow::Result<std::unique_ptr<FileColumnSource>> MakeSource(const ScanColumn& column) const;
  arrow::Result<std::unique_ptr<FileColumnSource>> MakeFieldSource(const iceberg::Field& field) const;
  arrow::Result<std::unique_ptr<FileColumnSource>> MakeLineageSource(const ScanColumn& column) const;
  arrow::Result<std::shared_ptr<arrow::Scalar>> AbsentValue(const iceberg::Field& field) const;
  arrow::Result<std::shared_ptr<arrow::Scalar>> PartitionStruct(const iceberg::Field& field) const;
  bool FileHolds(iceberg::FieldId id) const;

  const std::shared_ptr<const parquet::ParquetFile> file_;
  const planning::EntryPtr entry_;
  const std::shared_ptr<const iceberg::TableMetadata> metadata_;
  ScanMetrics* const metrics_;
  arrow::MemoryPool* const pool_;
  std::vector<std::unique_ptr<Slot>> slots_;
};

}  // namespace vecruntime::scan
