// SPDX-License-Identifier: Apache-2.0
// A local file opened for positional reads. Thread-safe for ReadAt.
#pragma once

#include <arrow/type_fwd.h>
#include <arrow/io/type_fwd.h>

#include <memory>
#include <string>

namespace vecruntime::io {

/// `path` is a plain path; `location` is the text for error messages. Errors as FileIO::Open.
arrow::Result<std::shared_ptr<arrow::io::RandomAccessFile>> OpenLocalFile(const std::string& path, const std::string& location);

/// The error kind for an errno of a call on `location`: NotFound, PermissionDenied or IoError.
arrow::Status ErrnoStatus(int error_number, const char* what, const std::string& location);

}  // namespace vecruntime::io
