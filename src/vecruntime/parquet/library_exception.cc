// SPDX-License-Identifier: Apache-2.0
#include <parquet/exception.h>

#include <new>
#include <string>

#include "vecruntime/base/error.h"
#include "vecruntime/parquet/library_exception_internal.h"

namespace vecruntime::parquet {

arrow::Status StatusOfLibrary(const arrow::Status& status, std::string_view path) {
  if (status.detail() != nullptr) return base::WithContext(status, path);
  if (status.IsOutOfMemory()) return base::ResourceExhausted("not enough memory to read Parquet file ", path, ": ", status.message());
  if (status.IsNotImplemented()) return base::Unsupported("Parquet file ", path, ": ", status.message());
  return base::CorruptData("Parquet file cannot be read: ", path, ": ", status.message());
}

arrow::Status StatusOfLibraryException(std::string_view path) {
  try {
    throw;
  } catch (const ::parquet::ParquetStatusException& e) {
    return StatusOfLibrary(e.status(), path);
  } catch (const std::bad_alloc&) {
    return base::ResourceExhausted("not enough memory to read Parquet file ", path);
  } catch (const std::exception& e) {
    const std::string_view what = e.what();
    if (what.starts_with("Not yet implemented")) return base::Unsupported("Parquet file ", path, ": ", what);
    return base::CorruptData("Parquet file cannot be read: ", path, ": ", what);
  }
}

}  // namespace vecruntime::parquet
