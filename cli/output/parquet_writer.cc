// SPDX-License-Identifier: Apache-2.0
#include <arrow/io/interfaces.h>
#include <arrow/memory_pool.h>
#include <arrow/record_batch.h>
#include <parquet/arrow/writer.h>
#include <parquet/exception.h>
#include <parquet/properties.h>

#include "cli/output/row_writer.h"
#include "vecruntime/base/error.h"

namespace vecruntime::cli {
namespace {

// libparquet throws; no exception leaves this file.
template <typename Body>
arrow::Status Guarded(Body&& body) {
  try {
    return body();
  } catch (const std::exception& error) {
    return base::IoError("writing Parquet failed: ", error.what());
  }
}

class ParquetWriter : public RowWriter {
 public:
  explicit ParquetWriter(arrow::io::OutputStream* stream) : stream_(stream) {}

  arrow::Status Begin(const std::shared_ptr<arrow::Schema>& schema) override {
    return Guarded([&] {
      // The stream belongs to the caller.
      const std::shared_ptr<arrow::io::OutputStream> borrowed(stream_, [](arrow::io::OutputStream*) {});
      auto properties = ::parquet::WriterProperties::Builder().compression(arrow::Compression::ZSTD)->build();
      return ::parquet::arrow::FileWriter::Open(*schema, arrow::default_memory_pool(), borrowed, properties).Value(&writer_);
    });
  }
  arrow::Status Write(const arrow::RecordBatch& batch) override {
    return Guarded([&] { return writer_->WriteRecordBatch(batch); });
  }
  arrow::Status End() override {
    return Guarded([&] { return writer_->Close(); });
  }

 private:
  arrow::io::OutputStream* stream_;
  std::unique_ptr<::parquet::arrow::FileWriter> writer_;
};

}  // namespace

std::unique_ptr<RowWriter> MakeParquetWriter(arrow::io::OutputStream* stream) { return std::make_unique<ParquetWriter>(stream); }

}  // namespace vecruntime::cli
