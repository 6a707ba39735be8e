// SPDX-License-Identifier: Apache-2.0
// The kinds of error VecRuntime reports, and their fixed exit codes. Every arrow::Status that leaves the library has one.
#pragma once

#include <arrow/status.h>

#include <string_view>

namespace vecruntime {

enum class ErrorKind {
  kInvalidArgument,     // the request itself is wrong: SQL, option, value, an ANSI runtime error of the query
  kNotFound,            // a table, snapshot, reference or column that does not exist
  kUnsupported,         // understood, and refused by name
  kCorruptData,         // bytes that break their format's rules; the message names file and place
  kIoError,             // the storage failed
  kConflict,            // a concurrent commit won
  kCommitStateUnknown,  // the swap may or may not have happened
  kResourceExhausted,   // over the memory budget; the message names the consumer
  kCancelled,
  kPermissionDenied,
  kInternal,            // a bug of ours
};

/// The kind carried by `status`, or the nearest one when it comes from a library. REQUIRES: !status.ok().
ErrorKind KindOf(const arrow::Status& status);

/// "CorruptData", "NotFound", ...
std::string_view KindName(ErrorKind kind);

/// Exit code of the command line for an error of this kind (never 0 or 1).
int ExitCode(ErrorKind kind);

}  // namespace vecruntime
