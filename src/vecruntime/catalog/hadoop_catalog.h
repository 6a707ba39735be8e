// SPDX-License-Identifier: Apache-2.0
// Tables as directories: warehouse/namespace/.../table/metadata/vN.metadata.json.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "vecruntime/catalog/catalog.h"

namespace vecruntime::io {
class FileIO;
}

namespace vecruntime::catalog {

class HadoopCatalog : public Catalog {
 public:
  HadoopCatalog(std::shared_ptr<const io::FileIO> file_io, std::string warehouse);

  arrow::Result<std::string> LoadTable(const Namespace& name_space, const std::string& name) const override;
  arrow::Result<std::vector<std::string>> ListTables(const Namespace& name_space) const override;
  arrow::Result<std::vector<std::string>> ListNamespaces(const Namespace& name_space) const override;

 private:
  arrow::Result<std::string> DirectoryOf(const Namespace& name_space) const;
  /// Names of the child directories that are tables, or those that are not.
  arrow::Result<std::vector<std::string>> Children(const Namespace& name_space, bool tables) const;
  bool IsTable(const std::string& directory) const;

  const std::shared_ptr<const io::FileIO> file_io_;
  const std::string warehouse_;
};

/// " (did you mean a, b?)" of the names within two edits of `name`, ignoring case; empty when there are none.
std::string DidYouMean(const std::string& name, const std::vector<std::string>& known);

}  // namespace vecruntime::catalog
