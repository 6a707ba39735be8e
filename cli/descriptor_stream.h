// SPDX-License-Identifier: Apache-2.0
// A file descriptor as an Arrow output stream that also works on pipes and terminals (Arrow's own asks the descriptor for its position).
#pragma once

#include <arrow/io/interfaces.h>
#include <arrow/result.h>

namespace vecruntime::cli {

class DescriptorStream : public arrow::io::OutputStream {
 public:
  enum class Ownership { kBorrowed, kOwned };
  explicit DescriptorStream(int descriptor, Ownership ownership = Ownership::kBorrowed) : descriptor_(descriptor), ownership_(ownership) {}
  ~DescriptorStream() override;

  arrow::Status Write(const void* data, int64_t bytes) override;
  using arrow::io::OutputStream::Write;
  arrow::Result<int64_t> Tell() const override { return position_; }
  arrow::Status Close() override;
  bool closed() const override { return closed_; }

 private:
  const int descriptor_;
  const Ownership ownership_;
  int64_t position_ = 0;  // bytes written through this stream
  bool closed_ = false;
};

}  // namespace vecruntime::cli
