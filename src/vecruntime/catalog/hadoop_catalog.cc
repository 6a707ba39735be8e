// SPDX-License-Identifier: Apache-2.0
#include "vecruntime/catalog/hadoop_catalog.h"

#include <arrow/result.h>

#include <algorithm>
#include <numeric>
#include <utility>

#include "vecruntime/base/error.h"
#include "vecruntime/catalog/metadata_discovery.h"
#include "vecruntime/io/file_io.h"

namespace vecruntime::catalog {
namespace {

constexpr size_t kNearEdits = 2;
constexpr size_t kSuggestions = 3;

std::string Lower(std::string text) {
  for (char& c : text) {
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  }
  return text;
}

int EditDistance(const std::string& a, const std::string& b) {
  std::vector<int> row(b.size() + 1);
  std::iota(row.begin(), row.end(), 0);
  for (size_t i = 1; i <= a.size(); ++i) {
    int diagonal = std::exchange(row[0], static_cast<int>(i));
    for (size_t j = 1; j <= b.size(); ++j) {
      const int substituted = diagonal + (a[i - 1] == b[j - 1] ? 0 : 1);
      diagonal = row[j];
      row[j] = std::min({row[j] + 1, row[j - 1] + 1, substituted});
    }
  }
  return row[b.size()];
}

std::string Dotted(const Namespace& name_space, const std::string& name) {
  std::string text;
  for (const std::string& part : name_space) text += part + ".";
  return text + name;
}

arrow::Status CheckName(const std::string& name) {
  if (name.empty() || name == "." || name == ".." || name.find('/') != std::string::npos) {
    return base::InvalidArgument("not a name of a table or namespace: '", name, "'");
  }
  return arrow::Status::OK();
}

}  // namespace

std::string DidYouMean(const std::string& name, const std::vector<std::string>& known) {
  std::vector<std::pair<size_t, std::string>> near;
  for (const std::string& candidate : known) {
    const size_t edits = EditDistance(Lower(name), Lower(candidate));
    if (edits <= kNearEdits) near.emplace_back(edits, candidate);
  }
  std::sort(near.begin(), near.end());
  if (near.size() > kSuggestions) near.resize(kSuggestions);
  std::string text;
  for (const auto& [edits, candidate] : near) text += (text.empty() ? " (did you mean " : ", ") + candidate;
  return text.empty() ? text : text + "?)";
}

HadoopCatalog::HadoopCatalog(std::shared_ptr<const io::FileIO> file_io, std::string warehouse)
    : file_io_(std::move(file_io)), warehouse_([&] {
        while (warehouse.size() > 1 && warehouse.ends_with('/')) warehouse.pop_back();
        return std::move(warehouse);
      }()) {}

arrow::Result<std::string> HadoopCatalog::DirectoryOf(const Namespace& name_space) const {
  std::string directory = warehouse_;
  for (const std::string& part : name_space) {
    ARROW_RETURN_NOT_OK(CheckName(part));
    directory += "/" + part;
  }
  return directory;
}

bool HadoopCatalog::IsTable(const std::string& directory) const {
  const auto files = file_io_->List(directory + "/metadata");
  return files.ok() && std::any_of(files->begin(), files->end(), [](const io::FileInfo& file) {
           return ParseMetadataFileName(file.location.substr(file.location.rfind('/') + 1)).has_value();
         });
}

arrow::Result<std::vector<std::string>> HadoopCatalog::Children(const Namespace& name_space, bool tables) const {
  ARROW_ASSIGN_OR_RAISE(const std::string directory, DirectoryOf(name_space));
  const auto files = file_io_->List(directory);
  if (!files.ok()) {
    if (KindOf(files.status()) != ErrorKind::kNotFound) return files.status();
    return base::NotFound("no such namespace: ", Dotted(name_space, ""), " in warehouse ", warehouse_);
  }
  std::vector<std::string> names;
  for (const io::FileInfo& file : *files) {
    std::string name = file.location.substr(file.location.rfind('/') + 1);
    if (file.is_directory && IsTable(directory + "/" + name) == tables) names.push_back(std::move(name));
  }
  std::sort(names.begin(), names.end());
  return names;
}

arrow::Result<std::vector<std::string>> HadoopCatalog::ListTables(const Namespace& name_space) const { return Children(name_space, true); }

arrow::Result<std::vector<std::string>> HadoopCatalog::ListNamespaces(const Namespace& name_space) const {
  return Children(name_space, false);
}

arrow::Result<std::string> HadoopCatalog::LoadTable(const Namespace& name_space, const std::string& name) const {
  ARROW_RETURN_NOT_OK(CheckName(name));
  ARROW_ASSIGN_OR_RAISE(const std::string directory, DirectoryOf(name_space));
  auto metadata = FindMetadata(*file_io_, directory + "/" + name);
  if (metadata.ok() || KindOf(metadata.status()) != ErrorKind::kNotFound) return metadata;
  const auto known = ListTables(name_space);
  return base::NotFound("no such table: ", Dotted(name_space, name), known.ok() ? DidYouMean(name, *known) : "", " in warehouse ", warehouse_);
}

}  // namespace vecruntime::catalog
