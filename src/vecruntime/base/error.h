// SPDX-License-Identifier: Apache-2.0
// Makers of typed errors. Messages: fixed words first, values last; CorruptData names the file and the byte offset where known.
#pragma once

#include <arrow/result.h>
#include <arrow/status.h>

#include <memory>
#include <utility>

#include "vecruntime/error.h"

namespace vecruntime::base {

/// Carries the ErrorKind inside an arrow::Status.
std::shared_ptr<arrow::StatusDetail> DetailOf(ErrorKind kind);
arrow::StatusCode ArrowCodeOf(ErrorKind kind);

template <typename... Args>
arrow::Status MakeError(ErrorKind kind, Args&&... args) {
  return arrow::Status::FromDetailAndArgs(ArrowCodeOf(kind), DetailOf(kind), std::forward<Args>(args)...);
}

template <typename... Args>
arrow::Status InvalidArgument(Args&&... args) { return MakeError(ErrorKind::kInvalidArgument, std::forward<Args>(args)...); }
template <typename... Args>
arrow::Status NotFound(Args&&... args) { return MakeError(ErrorKind::kNotFound, std::forward<Args>(args)...); }
template <typename... Args>
arrow::Status Unsupported(Args&&... args) { return MakeError(ErrorKind::kUnsupported, std::forward<Args>(args)...); }
template <typename... Args>
arrow::Status CorruptData(Args&&... args) { return MakeError(ErrorKind::kCorruptData, std::forward<Args>(args)...); }
template <typename... Args>
arrow::Status IoError(Args&&... args) { return MakeError(ErrorKind::kIoError, std::forward<Args>(args)...); }
template <typename... Args>
arrow::Status ResourceExhausted(Args&&... args) { return MakeError(ErrorKind::kResourceExhausted, std::forward<Args>(args)...); }
template <typename... Args>
arrow::Status Cancelled(Args&&... args) { return MakeError(ErrorKind::kCancelled, std::forward<Args>(args)...); }
template <typename... Args>
arrow::Status PermissionDenied(Args&&... args) { return MakeError(ErrorKind::kPermissionDenied, std::forward<Args>(args)...); }
template <typename... Args>
arrow::Status Internal(Args&&... args) { return MakeError(ErrorKind::kInternal, std::forward<Args>(args)...); }

/// The same error with ` (context)` appended to its message, kind kept. OK passes through.
arrow::Status WithContext(const arrow::Status& status, std::string_view context);

}  // namespace vecruntime::base
