// SPDX-License-Identifier: Apache-2.0
#include "vecruntime/catalog/hadoop_catalog.h"

#include <arrow/result.h>

#include <algorithm>
#include <charconv>
#include <optional>
#include <string_view>
#include <utility>

#include "vecruntime/base/error.h"

namespace vecruntime::catalog {
namespace {

std::string_view BaseName(std::string_view location) { return location.substr(location.find_last_of('/') + 1); }

bool IsMetadataName(std::string_view name) {
  return name.ends_with(".metadata.json") || name.ends_with(".metadata.json.gz");
}

// The version a metadata file's name gives: N of vN.… or of N-uuid.…; nullopt for other names.
std::optional<int64_t> VersionOf(std::string_view name) {
  if (!IsMetadataName(name)) return std::nullopt;
  const bool hadoop = name.starts_with('v');
  if (hadoop) name.remove_prefix(1);
  int64_t version = 0;
  const auto [end, error] = std::from_chars(name.data(), name.data() + name.size(), version);
  if (error != std::errc() || version < 0 || end == name.data() + name.size() || *end != (hadoop ? '.' : '-')) return std::nullopt;
  return version;
}

std::string Joined(const std::vector<std::string>& parts, char separator) {
  std::string text;
  for (const std::string& part : parts) {
    if (!text.empty()) text.push_back(separator);
    text += part;
  }
  return text;
}

// Levenshtein distance, for "did you mean".
size_t EditDistance(std::string_view a, std::string_view b) {
  std::vector<size_t> row(b.size() + 1);
  for (size_t j = 0; j <= b.size(); ++j) row[j] = j;
  for (size_t i = 1; i <= a.size(); ++i) {
    size_t diagonal = std::exchange(row[0], i);
    for (size_t j = 1; j <= b.size(); ++j) {
      const size_t replaced = diagonal + (a[i - 1] != b[j - 1]);
      diagonal = row[j];
      row[j] = std::min({row[j] + 1, row[j - 1] + 1, replaced});
    }
  }
  return row[b.size()];
}

std::string NearNames(const std::vector<std::string>& names, const std::string& wanted) {
  std::string near;
  for (const std::string& name : names) {
    if (EditDistance(name, wanted) > 1 + wanted.size() / 4) continue;
    near += near.empty() ? "; did you mean " : ", ";
    near += name;
  }
  return near;
}

}  // namespace

arrow::Result<std::string> FindTableMetadata(const io::FileIO& file_io, const std::string& table_location) {
  if (IsMetadataName(BaseName(table_location))) return table_location;
  const std::string directory = table_location + (table_location.ends_with('/') ? "metadata" : "/metadata");
  auto children = file_io.List(directory);
  if (!children.ok()) {
    if (KindOf(children.status()) != ErrorKind::kNotFound) return children.status();
    return base::NotFound("no Iceberg table at ", table_location);
  }
  std::optional<std::pair<int64_t, std::string>> newest;
  for (const io::FileInfo& child : *children) {
    const auto version = VersionOf(BaseName(child.location));
    if (version && (!newest || *version >= newest->first)) newest = {*version, child.location};
  }
  if (!newest) return base::NotFound("no metadata file in ", directory);
  return newest->second;
}

HadoopCatalog::HadoopCatalog(std::shared_ptr<const io::FileIO> file_io, std::string warehouse)
    : file_io_(std::move(file_io)), warehouse_(std::move(warehouse)) {}

arrow::Result<std::string> HadoopCatalog::FindTable(const std::vector<std::string>& parts) const {
  auto found = FindTableMetadata(*file_io_, warehouse_ + "/" + Joined(parts, '/'));
  if (found.ok() || KindOf(found.status()) != ErrorKind::kNotFound) return found;
  const std::vector<std::string> levels(parts.begin(), parts.end() - 1);
  const auto tables = ListTables(Joined(levels, '.'));
  return base::NotFound("no such table: ", Joined(parts, '.'), tables.ok() ? NearNames(*tables, parts.back()) : std::string());
}

arrow::Result<bool> HadoopCatalog::IsTable(const std::string& location) const { return file_io_->Exists(location + "/metadata"); }

arrow::Result<std::vector<std::string>> HadoopCatalog::ListNamespaces() const {
  std::vector<std::string> namespaces;
  ARROW_ASSIGN_OR_RAISE(const auto children, file_io_->List(warehouse_));
  for (const io::FileInfo& child : children) {
    if (!child.is_directory) continue;
    ARROW_ASSIGN_OR_RAISE(const bool is_table, IsTable(child.location));
    if (is_table) continue;
    const std::string name(BaseName(child.location));
    namespaces.push_back(name);
    ARROW_ASSIGN_OR_RAISE(const auto grandchildren, file_io_->List(child.location));
    for (const io::FileInfo& grandchild : grandchildren) {
      if (!grandchild.is_directory) continue;
      ARROW_ASSIGN_OR_RAISE(const bool inner_table, IsTable(grandchild.location));
      if (!inner_table) namespaces.push_back(name + "." + std::string(BaseName(grandchild.location)));
    }
  }
  return namespaces;
}

arrow::Result<std::vector<std::string>> HadoopCatalog::ListTables(const std::string& namespace_name) const {
  std::string path = namespace_name;
  std::replace(path.begin(), path.end(), '.', '/');
  std::vector<std::string> tables;
  ARROW_ASSIGN_OR_RAISE(const auto children, file_io_->List(path.empty() ? warehouse_ : warehouse_ + "/" + path));
  for (const io::FileInfo& child : children) {
    if (!child.is_directory) continue;
    ARROW_ASSIGN_OR_RAISE(const bool is_table, IsTable(child.location));
    if (is_table) tables.emplace_back(BaseName(child.location));
  }
  return tables;
}

}  // namespace vecruntime::catalog
