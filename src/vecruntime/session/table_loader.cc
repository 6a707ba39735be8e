// SPDX-License-Identifier: Apache-2.0
#include "vecruntime/session/table_loader.h"

#include <arrow/buffer.h>
#include <arrow/result.h>

#include <string_view>

#include "vecruntime/base/error.h"
#include "vecruntime/catalog/metadata_discovery.h"

namespace vecruntime::session {
namespace {

// Memory of parsed metadata per byte of its JSON, which may be gzipped.
constexpr int64_t kParsedBytesPerByte = 8;

std::string Dotted(const std::vector<std::string>& parts) {
  std::string text;
  for (const std::string& part : parts) text += (text.empty() ? "" : ".") + part;
  return text;
}

std::string WithoutTrailingSlash(std::string_view location) {
  while (location.size() > 1 && location.back() == '/') location.remove_suffix(1);
  return std::string(location);
}

// The table's directory: the one above metadata/.
std::string DirectoryOf(std::string_view metadata_location) {
  const size_t file = metadata_location.find_last_of('/');
  if (file == std::string_view::npos) return "..";
  const size_t metadata = metadata_location.substr(0, file).find_last_of('/');
  if (metadata == std::string_view::npos) return ".";
  return std::string(metadata_location.substr(0, metadata));
}

bool IsLocal(std::string_view location) { return location.find("://") == std::string_view::npos || location.starts_with("file:"); }

}  // namespace

arrow::Result<LoadedTable> TableLoader::LoadByName(const std::vector<std::string>& parts) const {
  const auto named = catalogs_.find(parts.front());
  if (parts.size() > 1 && !parts.front().empty() && named != catalogs_.end()) {
    ARROW_ASSIGN_OR_RAISE(const std::string location, named->second->LoadTable({parts.begin() + 1, parts.end() - 1}, parts.back()));
    return LoadMetadata(Dotted(parts), location);
  }
  const auto warehouse = catalogs_.find("");
  if (warehouse == catalogs_.end()) {
    return base::NotFound("no warehouse is set, so there is no table ", Dotted(parts), " (give --warehouse, a catalog, or the table's path in quotes)");
  }
  ARROW_ASSIGN_OR_RAISE(const std::string location, warehouse->second->LoadTable({parts.begin(), parts.end() - 1}, parts.back()));
  return LoadMetadata(Dotted(parts), location);
}

arrow::Result<LoadedTable> TableLoader::LoadByPath(const std::string& path) const {
  ARROW_ASSIGN_OR_RAISE(const std::string location, catalog::FindMetadata(*file_io_, WithoutTrailingSlash(path)));
  return LoadMetadata(path, location);
}

arrow::Result<LoadedTable> TableLoader::LoadMetadata(std::string name, const std::string& metadata_location) const {
  const auto parse = [&](const arrow::Buffer& bytes) -> arrow::Result<io::Decoded<iceberg::TableMetadata>> {
    ARROW_ASSIGN_OR_RAISE(auto parsed, iceberg::ParseTableMetadata(std::string_view(bytes), metadata_location));
    return io::Decoded<iceberg::TableMetadata>{std::move(parsed), bytes.size() * kParsedBytesPerByte};
  };
  ARROW_ASSIGN_OR_RAISE(auto metadata, file_io_->DecodeOnce<iceberg::TableMetadata>(metadata_location, metadata_location, parse));
  LoadedTable table{.name = std::move(name), .metadata = std::move(metadata), .file_io = file_io_};
  const std::string recorded = WithoutTrailingSlash(table.metadata->location);
  const std::string actual = DirectoryOf(metadata_location);
  ARROW_ASSIGN_OR_RAISE(table.moved, IsMoved(recorded, actual));
  if (!table.moved) return table;
  // The location and the paths of the files may be spelled differently.
  const std::string path(io::LocalPath(recorded));
  for (const std::string& spelling : {recorded, path, "file:" + path, "file://" + path}) {
    table.file_io = table.file_io->WithRelocation({spelling + "/", actual + "/"});
  }
  return table;
}

arrow::Result<bool> TableLoader::IsMoved(const std::string& recorded, const std::string& actual) const {
  if (moved_paths_ == MovedPaths::kRefuse || io::LocalPath(recorded) == io::LocalPath(actual)) return false;
  if (moved_paths_ == MovedPaths::kAllow) return true;
  if (!IsLocal(recorded) || !IsLocal(actual)) return false;
  ARROW_ASSIGN_OR_RAISE(const bool exists, file_io_->Exists(recorded));
  return !exists;
}

}  // namespace vecruntime::session
