// SPDX-License-Identifier: Apache-2.0
#include "cli/output_target.h"

#include <arrow/io/buffered.h>
#include <arrow/memory_pool.h>
#include <fcntl.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <filesystem>

#include "cli/descriptor_stream.h"
#include "vecruntime/base/error.h"

namespace vecruntime::cli {
namespace {

constexpr int64_t kBufferBytes = 256 * 1024;
constexpr int64_t kTerminalRowsMax = 1000;

arrow::Status CannotWrite(const std::string& path, int error) {
  const std::string text = "cannot write " + path + ": " + std::strerror(error);
  return error == EACCES || error == EPERM ? base::PermissionDenied(text) : base::IoError(text);
}

}  // namespace

arrow::Result<std::unique_ptr<OutputTarget>> OutputTarget::Open(const std::string& path) {
  std::unique_ptr<OutputTarget> target(new OutputTarget());
  std::shared_ptr<arrow::io::OutputStream> raw;
  if (path.empty()) {
    raw = std::make_shared<DescriptorStream>(STDOUT_FILENO);
  } else {
    ARROW_ASSIGN_OR_RAISE(raw, target->OpenFile(path));
  }
  ARROW_ASSIGN_OR_RAISE(target->stream_, arrow::io::BufferedOutputStream::Create(kBufferBytes, arrow::default_memory_pool(), raw));
  return target;
}

arrow::Result<std::shared_ptr<arrow::io::OutputStream>> OutputTarget::OpenFile(const std::string& path) {
  namespace fs = std::filesystem;
  std::error_code ignored;
  const fs::file_type type = fs::status(path, ignored).type();
  // A device or named pipe is written to; renaming a file over it would replace it.
  if (type != fs::file_type::regular && type != fs::file_type::not_found) {
    const int descriptor = ::open(path.c_str(), O_WRONLY | O_CLOEXEC);
    if (descriptor < 0) return CannotWrite(path, errno);
    return std::make_shared<DescriptorStream>(descriptor, DescriptorStream::Ownership::kOwned);
  }
  path_ = fs::is_symlink(path, ignored) ? fs::weakly_canonical(path, ignored).string() : path;
  const std::string partial = path_ + ".partial-" + std::to_string(getpid());
  const int descriptor = ::open(partial.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
  if (descriptor < 0) return CannotWrite(path, errno);
  partial_path_ = partial;
  return std::make_shared<DescriptorStream>(descriptor, DescriptorStream::Ownership::kOwned);
}

OutputTarget::~OutputTarget() {
  // What an error left in the buffer goes nowhere.
  if (stream_ != nullptr && !stream_->closed()) (void)stream_->Abort();
  std::error_code ignored;
  if (!partial_path_.empty()) std::filesystem::remove(partial_path_, ignored);
}

arrow::Status OutputTarget::Flush() { return stream_->Flush(); }

arrow::Status OutputTarget::Commit() {
  ARROW_RETURN_NOT_OK(stream_->Close());
  if (partial_path_.empty()) return arrow::Status::OK();
  if (std::rename(partial_path_.c_str(), path_.c_str()) != 0) return CannotWrite(path_, errno);
  partial_path_.clear();
  return arrow::Status::OK();
}

arrow::Result<WriterOptions> ChooseWriter(const std::string& format, const std::string& output, const std::string& timezone) {
  WriterOptions options;
  options.timezone = timezone;
  if (!format.empty()) {
    ARROW_ASSIGN_OR_RAISE(options.format, ParseFormat(format));
  } else if (!output.empty()) {
    ARROW_ASSIGN_OR_RAISE(options.format, FormatOfFile(output));
  }
  options.arrow_file = !output.empty() && !output.ends_with(".arrows");
  const bool terminal = output.empty() && isatty(STDOUT_FILENO) == 1;
  if (terminal && (options.format == Format::kArrow || options.format == Format::kParquet)) {
    return base::InvalidArgument("binary output does not go to a terminal: give --output FILE or redirect it");
  }
  winsize size{};
  if (terminal && ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 0) options.terminal_columns = size.ws_col;
  if (terminal) options.terminal_rows_max = kTerminalRowsMax;
  return options;
}

}  // namespace vecruntime::cli
