// SPDX-License-Identifier: Apache-2.0
// Files by location: local paths ("/a/b", "file:/a/b", "file:///a/b") by pread, object stores through arrow::fs (s3://, s3a://, s3n://,
// gs://, abfs://). Locations are opaque strings everywhere else; only this layer interprets them. Thread-safe.
#pragma once

#include <arrow/io/type_fwd.h>
#include <arrow/result.h>
#include <arrow/type_fwd.h>

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "vecruntime/base/identity_cache.h"
#include "vecruntime/io/file_identity.h"

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

/// A file opened for random reads, and which bytes it holds.
struct IdentifiedFile {
  std::shared_ptr<arrow::io::RandomAccessFile> file;
  FileIdentity identity;
};

/// Something decoded from a file, and the memory it takes.
template <typename T>
struct Decoded {
  std::shared_ptr<const T> value;
  int64_t bytes = 0;
};

class FileIO {
 public:
  /// `cache` (null for none) remembers what was decoded from immutable files; see DecodeOnce.
  explicit FileIO(std::shared_ptr<base::IdentityCache> cache = nullptr);
  ~FileIO();

  /// Opens for random reads. NotFound, PermissionDenied or IoError name the location as the caller gave it. A directory is IoError.
  arrow::Result<std::shared_ptr<arrow::io::RandomAccessFile>> Open(const std::string& location) const;
  /// As Open.
  arrow::Result<IdentifiedFile> OpenIdentified(const std::string& location) const;
  /// Without opening. NotFound as Open.
  arrow::Result<FileIdentity> Identify(const std::string& location) const;

  /// What `decode` makes of the whole file, `arrow::Result<Decoded<T>>(const arrow::Buffer& bytes)`, remembered as long as the file stays the
  /// same. `variant` names everything else that the value depends on.
  template <typename T, typename Decode>
  arrow::Result<std::shared_ptr<const T>> DecodeOnce(const std::string& location, const std::string& variant, const Decode& decode) const;
  /// As DecodeOnce, without looking for a remembered value: for one that turned out not to be enough.
  template <typename T, typename Decode>
  arrow::Result<std::shared_ptr<const T>> DecodeAgain(const std::string& location, const std::string& variant, const Decode& decode) const;
  /// As DecodeOnce for parts of a file, which `decode` reads by itself: `arrow::Result<Decoded<T>>()`. `identity` is that of the file as it
  /// was opened for `decode`.
  template <typename T, typename Decode>
  arrow::Result<std::shared_ptr<const T>> DecodePartOnce(const FileIdentity& identity, const std::string& variant, const Decode& decode) const;
  /// The two halves of DecodePartOnce: what is remembered (or null), and remembering. Nothing happens without a cache.
  template <typename T>
  std::shared_ptr<const T> Recall(const FileIdentity& identity, const std::string& variant) const;
  template <typename T>
  void Remember(const FileIdentity& identity, const std::string& variant, const Decoded<T>& decoded) const;
  /// Null when nothing is remembered.
  base::IdentityCache* cache() const { return cache_.get(); }

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
  FileIO(std::shared_ptr<FileSystems> file_systems, std::shared_ptr<base::IdentityCache> cache, std::vector<Relocation> relocations);
  std::string Resolve(const std::string& location) const;
  static arrow::Result<std::shared_ptr<arrow::Buffer>> ReadWhole(arrow::io::RandomAccessFile* file);
  static std::string KeyOf(const FileIdentity& identity, const std::string& variant) { return identity.Key() + '\n' + variant; }

  std::shared_ptr<FileSystems> file_systems_;
  std::shared_ptr<base::IdentityCache> cache_;
  std::vector<Relocation> relocations_;
};

template <typename T, typename Decode>
arrow::Result<std::shared_ptr<const T>> FileIO::DecodeOnce(const std::string& location, const std::string& variant,
                                                           const Decode& decode) const {
  if (cache_ != nullptr) {
    ARROW_ASSIGN_OR_RAISE(const FileIdentity identity, Identify(location));
    if (auto known = Recall<T>(identity, variant)) return known;
  }
  return DecodeAgain<T>(location, variant, decode);
}

template <typename T, typename Decode>
arrow::Result<std::shared_ptr<const T>> FileIO::DecodeAgain(const std::string& location, const std::string& variant,
                                                            const Decode& decode) const {
  ARROW_ASSIGN_OR_RAISE(const IdentifiedFile opened, OpenIdentified(location));
  ARROW_ASSIGN_OR_RAISE(const auto bytes, ReadWhole(opened.file.get()));
  ARROW_ASSIGN_OR_RAISE(Decoded<T> decoded, decode(*bytes));
  Remember(opened.identity, variant, decoded);
  return std::move(decoded.value);
}

template <typename T, typename Decode>
arrow::Result<std::shared_ptr<const T>> FileIO::DecodePartOnce(const FileIdentity& identity, const std::string& variant,
                                                               const Decode& decode) const {
  if (auto known = Recall<T>(identity, variant)) return known;
  ARROW_ASSIGN_OR_RAISE(Decoded<T> decoded, decode());
  Remember(identity, variant, decoded);
  return std::move(decoded.value);
}

template <typename T>
std::shared_ptr<const T> FileIO::Recall(const FileIdentity& identity, const std::string& variant) const {
  return cache_ == nullptr ? nullptr : cache_->Find<T>(KeyOf(identity, variant));
}

template <typename T>
void FileIO::Remember(const FileIdentity& identity, const std::string& variant, const Decoded<T>& decoded) const {
  if (cache_ != nullptr && identity.settled) cache_->Put<T>(KeyOf(identity, variant), decoded.value, decoded.bytes);
}

/// Removes "file:" and "file://" from a local location; others unchanged. For display and for opening, never for comparing.
std::string_view LocalPath(std::string_view location);

/// Ends what the object stores' libraries started. Call once, before main returns and after the last FileIO is gone: the AWS library must not
/// be left to static destructors, whose order it does not survive. No object store can be opened afterwards.
void ShutDownObjectStores();

}  // namespace vecruntime::io
