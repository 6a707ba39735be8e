// SPDX-License-Identifier: Apache-2.0
// Files by location: local paths ("/a/b", "file:/a/b", "file:///a/b") by pread, object stores through arrow::fs (s3://, s3a://, s3n://,
// gs://, abfs://). Locations are opaque strings everywhere else; only this layer interprets them. Thread-safe.
#pragma once

#include <arrow/type_fwd.h>
#include <arrow/io/type_fwd.h>

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace vecruntime::io {

/// A table was copied: locations that start with `from` are opened at `to` + rest. Comparison of paths never uses it.
struct Relocation {
  std::string from;
  std::string to;
};

struct FileInfo {
  std::string location;
  int64_t size = 0;
  bool is_directory = false;
};

class FileIO {
 public:
  FileIO();
  ~FileIO();

  /// Opens for random reads. NotFound, PermissionDenied or IoError name the location as the caller gave it. A directory is IoError.
  arrow::Result<std::shared_ptr<arrow::io::RandomAccessFile>> Open(const std::string& location) const;
  /// The whole file.
  arrow::Result<std::shared_ptr<arrow::Buffer>> ReadAll(const std::string& location) const;
  /// Bytes [offset, offset+length); IoError when the file is shorter.
  arrow::Result<std::shared_ptr<arrow::Buffer>> ReadRange(const std::string& location, int64_t offset, int64_t length) const;
  arrow::Result<bool> Exists(const std::string& location) const;
  /// Direct children of a directory, by name; NotFound when it does not exist.
  arrow::Result<std::vector<FileInfo>> List(const std::string& directory) const;

  /// A view of the same file systems that opens moved locations elsewhere.
  std::shared_ptr<const FileIO> WithRelocation(Relocation relocation) const;

 private:
  class FileSystems;
  explicit FileIO(std::shared_ptr<FileSystems> file_systems, std::vector<Relocation> relocations);
  std::string Resolve(const std::string& location) const;

  std::shared_ptr<FileSystems> file_systems_;
  std::vector<Relocation> relocations_;
};

/// Removes "file:" and "file://" from a local location; others unchanged. For display and for opening, never for comparing.
std::string_view LocalPath(std::string_view location);

/// Ends what the object stores' libraries started. Call once, before main returns and after the last FileIO is gone: the AWS library must not
/// be left to static destructors, whose order it does not survive. No object store can be opened afterwards.
void ShutDownObjectStores();

}  // namespace vecruntime::io
