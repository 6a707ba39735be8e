// SPDX-License-Identifier: Apache-2.0
#include <arrow/io/interfaces.h>
#include <arrow/ipc/writer.h>
#include <arrow/record_batch.h>

#include "cli/output/row_writer.h"

namespace vecruntime::cli {
namespace {

class ArrowWriter : public RowWriter {
 public:
  ArrowWriter(bool file_format, arrow::io::OutputStream* stream) : file_format_(file_format), stream_(stream) {}

  arrow::Status Begin(const std::shared_ptr<arrow::Schema>& schema) override {
    auto made = file_format_ ? arrow::ipc::MakeFileWriter(stream_, schema) : arrow::ipc::MakeStreamWriter(stream_, schema);
    return std::move(made).Value(&writer_);
  }
  arrow::Status Write(const arrow::RecordBatch& batch) override { return writer_->WriteRecordBatch(batch); }
  arrow::Status End() override { return writer_->Close(); }

 private:
  bool file_format_;
  arrow::io::OutputStream* stream_;
  std::shared_ptr<arrow::ipc::RecordBatchWriter> writer_;
};

}  // namespace

std::unique_ptr<RowWriter> MakeArrowWriter(bool file_format, arrow::io::OutputStream* stream) {
  return std::make_unique<ArrowWriter>(file_format, stream);
}

}  // namespace vecruntime::cli
