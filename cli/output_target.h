// SPDX-License-Identifier: Apache-2.0
// Where results go: standard output, a device or named pipe, or a file that appears under its name only once it is complete.
#pragma once

#include <arrow/io/type_fwd.h>
#include <arrow/type_fwd.h>

#include <memory>
#include <string>

#include "cli/output/row_writer.h"
#include "vecruntime/options.h"

namespace vecruntime::cli {

class OutputTarget {
 public:
  /// `path` empty: standard output.
  static arrow::Result<std::unique_ptr<OutputTarget>> Open(const std::string& path);
  /// Removes the file when it was not committed.
  ~OutputTarget();

  /// A file may be filled while the statement runs: when that fails, nobody has seen its rows.
  Delivery delivery() const { return partial_path_.empty() ? Delivery::kWhole : Delivery::kStreaming; }
  arrow::io::OutputStream* stream() { return stream_.get(); }
  /// Hands buffered bytes to the system.
  arrow::Status Flush();
  /// Flushes, closes, and gives the file its name.
  arrow::Status Commit();

 private:
  OutputTarget() = default;
  arrow::Result<std::shared_ptr<arrow::io::OutputStream>> OpenFile(const std::string& path);
  std::string path_;
  std::string partial_path_;  // empty unless the target is a file
  std::shared_ptr<arrow::io::OutputStream> stream_;
};

/// The writer's options for --format (empty: from the file name, else table) and --output. Binary formats are refused on a terminal.
arrow::Result<WriterOptions> ChooseWriter(const std::string& format, const std::string& output, const std::string& timezone);

}  // namespace vecruntime::cli
