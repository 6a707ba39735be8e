// SPDX-License-Identifier: Apache-2.0
#include "cli/descriptor_stream.h"

#include <arrow/status.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

#include "vecruntime/base/error.h"

namespace vecruntime::cli {

DescriptorStream::~DescriptorStream() { (void)Close(); }

arrow::Status DescriptorStream::Write(const void* data, int64_t bytes) {
  const auto* from = static_cast<const char*>(data);
  while (bytes > 0) {
    const ssize_t written = ::write(descriptor_, from, static_cast<size_t>(bytes));
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) return base::IoError("cannot write the output: ", std::strerror(errno));
    from += written;
    bytes -= written;
    position_ += written;
  }
  return arrow::Status::OK();
}

arrow::Status DescriptorStream::Close() {
  if (closed_) return arrow::Status::OK();
  closed_ = true;
  // Network file systems tell of a full disk only here.
  if (ownership_ == Ownership::kOwned && ::close(descriptor_) != 0) return base::IoError("cannot write the output: ", std::strerror(errno));
  return arrow::Status::OK();
}

}  // namespace vecruntime::cli
