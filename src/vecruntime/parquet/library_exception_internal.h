// SPDX-License-Identifier: Apache-2.0
// Turns what libparquet throws into our errors at the place of the call; no exception leaves this layer.
#pragma once

#include <arrow/result.h>
#include <arrow/status.h>

#include <exception>
#include <string_view>
#include <utility>

namespace vecruntime::parquet {

/// The error for the exception in flight. Storage errors keep their kind; anything libparquet rejects is CorruptData, what it does not
/// implement Unsupported; each names `path`. REQUIRES: called from a catch block.
arrow::Status StatusOfLibraryException(std::string_view path);

/// Errors that Arrow or libparquet returned as a Status while reading `path`, as ours.
arrow::Status StatusOfLibrary(const arrow::Status& status, std::string_view path);

/// body(), a function returning Status or Result, with exceptions caught.
template <typename Body>
auto CatchLibraryExceptions(std::string_view path, Body&& body) -> decltype(body()) {
  try {
    return body();
  } catch (...) {
    return StatusOfLibraryException(path);
  }
}

}  // namespace vecruntime::parquet
