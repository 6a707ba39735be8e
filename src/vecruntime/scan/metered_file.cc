// SPDX-License-Identifier: Apache-2.0
#include "vecruntime/scan/metered_file.h"

#include <arrow/buffer.h>
#include <arrow/io/interfaces.h>
#include <arrow/result.h>

#include <utility>

#include "vecruntime/base/phase_timer.h"

namespace vecruntime::scan {
namespace {

class MeteredFile : public arrow::io::RandomAccessFile {
 public:
  MeteredFile(std::shared_ptr<arrow::io::RandomAccessFile> file, ScanMetrics* metrics) : file_(std::move(file)), metrics_(metrics) {}

  arrow::Status Close() override { return file_->Close(); }
  bool closed() const override { return file_->closed(); }
  arrow::Result<int64_t> GetSize() override { return file_->GetSize(); }
  arrow::Result<int64_t> Tell() const override { return file_->Tell(); }
  arrow::Status Seek(int64_t position) override { return file_->Seek(position); }

  arrow::Result<int64_t> ReadAt(int64_t position, int64_t nbytes, void* out) override {
    const base::PhaseTimer timer(&metrics_->io_ns);
    ARROW_ASSIGN_OR_RAISE(const int64_t got, file_->ReadAt(position, nbytes, out));
    metrics_->bytes_read.fetch_add(got, std::memory_order_relaxed);
    return got;
  }
  arrow::Result<std::shared_ptr<arrow::Buffer>> ReadAt(int64_t position, int64_t nbytes) override {
    const base::PhaseTimer timer(&metrics_->io_ns);
    ARROW_ASSIGN_OR_RAISE(auto buffer, file_->ReadAt(position, nbytes));
    metrics_->bytes_read.fetch_add(buffer->size(), std::memory_order_relaxed);
    return buffer;
  }
  arrow::Result<int64_t> Read(int64_t nbytes, void* out) override {
    ARROW_ASSIGN_OR_RAISE(const int64_t position, file_->Tell());
    ARROW_ASSIGN_OR_RAISE(const int64_t got, ReadAt(position, nbytes, out));
    ARROW_RETURN_NOT_OK(file_->Seek(position + got));
    return got;
  }
  arrow::Result<std::shared_ptr<arrow::Buffer>> Read(int64_t nbytes) override {
    ARROW_ASSIGN_OR_RAISE(const int64_t position, file_->Tell());
    ARROW_ASSIGN_OR_RAISE(auto buffer, ReadAt(position, nbytes));
    ARROW_RETURN_NOT_OK(file_->Seek(position + buffer->size()));
    return buffer;
  }

 private:
  const std::shared_ptr<arrow::io::RandomAccessFile> file_;
  ScanMetrics* const metrics_;
};

}  // namespace

std::shared_ptr<arrow::io::RandomAccessFile> MeterFile(std::shared_ptr<arrow::io::RandomAccessFile> file, ScanMetrics* metrics) {
  return std::make_shared<MeteredFile>(std::move(file), metrics);
}

}  // namespace vecruntime::scan
