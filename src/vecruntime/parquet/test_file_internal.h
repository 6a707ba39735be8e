// SPDX-License-Identifier: Apache-2.0
// For the tests of this layer: Parquet files in memory, written by Arrow, and Iceberg fields that read them.
#pragma once

#include <arrow/api.h>
#include <arrow/io/memory.h>
#include <parquet/arrow/writer.h>

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "vecruntime/iceberg/type.h"
#include "vecruntime/parquet/parquet_file.h"

namespace vecruntime::parquet::testing {

inline std::shared_ptr<arrow::Field> FieldWithId(std::string name, std::shared_ptr<arrow::DataType> type, int id, bool nullable = true) {
  return arrow::field(std::move(name), std::move(type), nullable, arrow::key_value_metadata({"PARQUET:field_id"}, {std::to_string(id)}));
}

inline std::shared_ptr<arrow::Buffer> WriteFile(const arrow::Table& table, int64_t row_group_rows,
                                                std::shared_ptr<::parquet::WriterProperties> properties = ::parquet::default_writer_properties(),
                                                std::shared_ptr<::parquet::ArrowWriterProperties> arrow_properties =
                                                    ::parquet::default_arrow_writer_properties()) {
  auto sink = *arrow::io::BufferOutputStream::Create();
  const auto status = ::parquet::arrow::WriteTable(table, arrow::default_memory_pool(), sink, row_group_rows, properties, arrow_properties);
  if (!status.ok()) status.Abort();
  return *sink->Finish();
}

inline arrow::Result<std::shared_ptr<const ParquetFile>> OpenBuffer(std::shared_ptr<arrow::Buffer> buffer,
                                                                    const std::vector<iceberg::MappedField>& mapping = {}) {
  return ParquetFile::Open(std::make_shared<arrow::io::BufferReader>(std::move(buffer)), "memory.parquet", mapping);
}

inline iceberg::Field Requested(int id, iceberg::TypePtr type, std::string name = "c") {
  return iceberg::Field{.id = id, .name = std::move(name), .type = std::move(type)};
}

}  // namespace vecruntime::parquet::testing
