// SPDX-License-Identifier: Apache-2.0
// A local file opened for positional reads. Thread-safe for ReadAt.
#pragma once

#include <arrow/type_fwd.h>

#include <string>

#include "vecruntime/io/file_io.h"

namespace vecruntime::io {

/// `path` is a plain path; `location` is the text for error messages. Errors as FileIO::Open.
arrow::Result<IdentifiedFile> OpenLocalFile(const std::string& path, const std::string& location);
arrow::Result<FileIdentity> IdentifyLocalFile(const std::string& path, const std::string& location);

/// The error kind for an errno of a call on `location`: NotFound, PermissionDenied or IoError.
arrow::Status ErrnoStatus(int error_number, const char* what, const std::string& location);

}  // namespace vecruntime::io
