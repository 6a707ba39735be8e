// SPDX-License-Identifier: Apache-2.0
#include "vecruntime/io/file_io.h"

#include <arrow/buffer.h>
#include <arrow/filesystem/filesystem.h>
#include <arrow/filesystem/s3fs.h>
#include <arrow/io/interfaces.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cerrno>
#include <cstdlib>
#include <filesystem>
#include <map>
#include <mutex>
#include <system_error>

#include "vecruntime/base/error.h"
#include "vecruntime/io/local_file.h"

namespace vecruntime::io {
namespace {

// Schemes of object stores and the scheme arrow::fs knows them by.
constexpr std::array<std::pair<std::string_view, std::string_view>, 7> kObjectStoreSchemes = {
    {{"s3", "s3"}, {"s3a", "s3"}, {"s3n", "s3"}, {"gs", "gs"}, {"gcs", "gs"}, {"abfs", "abfs"}, {"abfss", "abfss"}}};

std::string_view SchemeOf(std::string_view location) {
  const size_t colon = location.find("://");
  return colon == std::string_view::npos ? std::string_view() : location.substr(0, colon);
}

bool IsLocal(std::string_view location) {
  const std::string_view scheme = SchemeOf(location);
  return scheme.empty() || scheme == "file";
}

// Object stores answer with text, not codes; a missing key is told apart here.
arrow::Status StoreStatus(const arrow::Status& status, const std::string& location) {
  const std::string text = status.message();
  const bool missing = text.find("does not exist") != std::string::npos || text.find("Path does not exist") != std::string::npos ||
                       text.find("NoSuchKey") != std::string::npos || text.find("RESOURCE_NOT_FOUND") != std::string::npos ||
                       text.find("HTTP status 404") != std::string::npos;
  const bool denied = text.find("ACCESS_DENIED") != std::string::npos || text.find("AccessDenied") != std::string::npos;
  const ErrorKind kind = missing ? ErrorKind::kNotFound : denied ? ErrorKind::kPermissionDenied : ErrorKind::kIoError;
  return base::MakeError(kind, "cannot open ", location, ": ", text);
}

// Stores tell the time of the last write in whole seconds.
constexpr std::chrono::seconds kStoreClockTick{2};

FileIdentity IdentityOf(const arrow::fs::FileInfo& info, const std::string& resolved) {
  FileIdentity identity{.location = resolved, .size = info.size()};
  if (info.mtime() == arrow::fs::kNoTime) return identity;
  identity.modified_ns = std::chrono::duration_cast<std::chrono::nanoseconds>(info.mtime().time_since_epoch()).count();
  identity.settled = std::chrono::system_clock::now() - info.mtime() > kStoreClockTick;
  return identity;
}

}  // namespace

// One arrow::fs file system per scheme and bucket, made when first needed.
class FileIO::FileSystems {
 public:
  /// The file system of `location` and the path inside it.
  arrow::Result<std::pair<std::shared_ptr<arrow::fs::FileSystem>, std::string>> For(const std::string& location) {
    const std::string_view scheme = SchemeOf(location);
    const auto known = std::find_if(kObjectStoreSchemes.begin(), kObjectStoreSchemes.end(),
                                    [&](const auto& entry) { return entry.first == scheme; });
    if (known == kObjectStoreSchemes.end()) return base::Unsupported("no file system for scheme \"", scheme, "\" of ", location);
    const std::string rest = location.substr(scheme.size() + 3);
    const std::string bucket = rest.substr(0, rest.find('/'));
    const std::string root = std::string(known->second) + "://" + bucket;
    std::lock_guard<std::mutex> lock(mutex_);
    auto& file_system = by_root_[root];
    if (file_system == nullptr) {
      if (known->second == "s3") ARROW_RETURN_NOT_OK(arrow::fs::EnsureS3Initialized());
      ARROW_ASSIGN_OR_RAISE(file_system, known->second == "s3" ? MakeS3() : arrow::fs::FileSystemFromUri(root));
    }
    return std::make_pair(file_system, rest);
  }

 private:
  // Credentials, region and endpoint as the AWS tools take them: AWS_ACCESS_KEY_ID, AWS_REGION, AWS_ENDPOINT_URL, profiles, ...
  static arrow::Result<std::shared_ptr<arrow::fs::FileSystem>> MakeS3() {
    arrow::fs::S3Options options = arrow::fs::S3Options::Defaults();
    if (const char* region = std::getenv("AWS_REGION")) options.region = region;
    if (const char* endpoint = std::getenv("AWS_ENDPOINT_URL")) {
      std::string_view text = endpoint;
      options.scheme = std::string(SchemeOf(text));
      options.endpoint_override = std::string(text.substr(options.scheme.size() + 3));
    }
    // A store that does not answer is an error within seconds, not minutes.
    options.retry_strategy = arrow::fs::S3RetryStrategy::GetAwsStandardRetryStrategy(3);
    return arrow::fs::S3FileSystem::Make(options);
  }

  std::mutex mutex_;
  std::map<std::string, std::shared_ptr<arrow::fs::FileSystem>> by_root_;
};

FileIO::FileIO(std::shared_ptr<base::IdentityCache> cache) : file_systems_(std::make_shared<FileSystems>()), cache_(std::move(cache)) {}
FileIO::FileIO(std::shared_ptr<FileSystems> file_systems, std::shared_ptr<base::IdentityCache> cache, std::vector<Relocation> relocations)
    : file_systems_(std::move(file_systems)), cache_(std::move(cache)), relocations_(std::move(relocations)) {}
FileIO::~FileIO() = default;

void ShutDownObjectStores() { (void)arrow::fs::EnsureS3Finalized(); }

std::string_view LocalPath(std::string_view location) {
  constexpr std::string_view kFile = "file:";
  if (location.substr(0, kFile.size()) != kFile) return location;
  location.remove_prefix(kFile.size());
  // file:///a and file:/a are both /a; file://host/a is not a local file, and opening "//host/a" fails by name.
  if (location.substr(0, 3) == "///") location.remove_prefix(2);
  return location;
}

std::shared_ptr<const FileIO> FileIO::WithRelocation(Relocation relocation) const {
  std::vector<Relocation> relocations = relocations_;
  relocations.push_back(std::move(relocation));
  return std::shared_ptr<const FileIO>(new FileIO(file_systems_, cache_, std::move(relocations)));
}

std::string FileIO::Resolve(const std::string& location) const {
  for (const auto& [from, to] : relocations_) {
    if (location.size() > from.size() && location.compare(0, from.size(), from) == 0) return to + location.substr(from.size());
  }
  return location;
}

arrow::Result<std::shared_ptr<arrow::io::RandomAccessFile>> FileIO::Open(const std::string& location) const {
  ARROW_ASSIGN_OR_RAISE(IdentifiedFile opened, OpenIdentified(location));
  return std::move(opened.file);
}

arrow::Result<IdentifiedFile> FileIO::OpenIdentified(const std::string& location) const {
  const std::string resolved = Resolve(location);
  if (IsLocal(resolved)) return OpenLocalFile(std::string(LocalPath(resolved)), location);
  ARROW_ASSIGN_OR_RAISE(auto found, file_systems_->For(resolved));
  // The description of the object is asked for either way; given, opening does not ask again.
  const auto info = found.first->GetFileInfo(found.second);
  if (!info.ok()) return StoreStatus(info.status(), location);
  auto opened = info->IsFile() ? found.first->OpenInputFile(*info) : found.first->OpenInputFile(found.second);
  if (!opened.ok()) return StoreStatus(opened.status(), location);
  return IdentifiedFile{*std::move(opened), IdentityOf(*info, resolved)};
}

arrow::Result<FileIdentity> FileIO::Identify(const std::string& location) const {
  const std::string resolved = Resolve(location);
  if (IsLocal(resolved)) return IdentifyLocalFile(std::string(LocalPath(resolved)), location);
  ARROW_ASSIGN_OR_RAISE(auto found, file_systems_->For(resolved));
  const auto info = found.first->GetFileInfo(found.second);
  if (!info.ok()) return StoreStatus(info.status(), location);
  if (info->type() == arrow::fs::FileType::NotFound) return base::NotFound("cannot open ", location, ": does not exist");
  return IdentityOf(*info, resolved);
}

arrow::Result<std::shared_ptr<arrow::Buffer>> FileIO::ReadWhole(arrow::io::RandomAccessFile* file) {
  ARROW_ASSIGN_OR_RAISE(const int64_t size, file->GetSize());
  return file->ReadAt(0, size);
}

arrow::Result<std::shared_ptr<arrow::Buffer>> FileIO::ReadAll(const std::string& location) const {
  ARROW_ASSIGN_OR_RAISE(const auto file, Open(location));
  return ReadWhole(file.get());
}

arrow::Result<std::shared_ptr<arrow::Buffer>> FileIO::ReadRange(const std::string& location, int64_t offset, int64_t length) const {
  ARROW_ASSIGN_OR_RAISE(auto file, Open(location));
  ARROW_ASSIGN_OR_RAISE(const int64_t size, file->GetSize());
  if (offset < 0 || length < 0 || offset > size || length > size - offset) {
    return base::CorruptData("byte range beyond the end of file ", location, ": offset ", offset, ", length ", length, ", file size ",
                             size);
  }
  return file->ReadAt(offset, length);
}

arrow::Result<bool> FileIO::Exists(const std::string& location) const {
  const std::string resolved = Resolve(location);
  if (IsLocal(resolved)) {
    std::error_code error;
    const bool exists = std::filesystem::exists(std::string(LocalPath(resolved)), error);
    if (error) return ErrnoStatus(error.value(), "cannot look up", location);
    return exists;
  }
  ARROW_ASSIGN_OR_RAISE(auto found, file_systems_->For(resolved));
  auto info = found.first->GetFileInfo(found.second);
  if (!info.ok()) return StoreStatus(info.status(), location);
  return info->type() != arrow::fs::FileType::NotFound;
}

arrow::Result<std::vector<FileInfo>> FileIO::List(const std::string& directory) const {
  const std::string resolved = Resolve(directory);
  std::vector<FileInfo> children;
  const std::string prefix = directory.empty() || directory.back() == '/' ? directory : directory + "/";
  if (IsLocal(resolved)) {
    std::error_code error;
    std::filesystem::directory_iterator entries(std::string(LocalPath(resolved)), error);
    if (error) return ErrnoStatus(error.value(), "cannot list directory", directory);
    for (const auto& entry : entries) {
      FileInfo info{.location = prefix + entry.path().filename().string(), .is_directory = entry.is_directory(error)};
      if (entry.is_regular_file(error)) info.size = static_cast<int64_t>(entry.file_size(error));
      children.push_back(std::move(info));
    }
  } else {
    ARROW_ASSIGN_OR_RAISE(auto found, file_systems_->For(resolved));
    arrow::fs::FileSelector selector;
    selector.base_dir = found.second;
    auto infos = found.first->GetFileInfo(selector);
    if (!infos.ok()) return StoreStatus(infos.status(), directory);
    for (const auto& info : *infos) {
      children.push_back({prefix + info.base_name(), info.size(), info.type() == arrow::fs::FileType::Directory});
    }
  }
  std::sort(children.begin(), children.end(), [](const FileInfo& a, const FileInfo& b) { return a.location < b.location; });
  return children;
}

}  // namespace vecruntime::io
