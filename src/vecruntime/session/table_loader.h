// SPDX-License-Identifier: Apache-2.0
// From a name or path to a table's metadata and the files it may be read with.
#pragma once

#include <arrow/type_fwd.h>

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "vecruntime/catalog/catalog.h"
#include "vecruntime/iceberg/table_metadata.h"
#include "vecruntime/io/file_io.h"
#include "vecruntime/options.h"

namespace vecruntime::session {

struct LoadedTable {
  std::string name;  // as the user named it
  std::shared_ptr<const iceberg::TableMetadata> metadata;
  std::shared_ptr<const io::FileIO> file_io;  // opens moved paths where the table now lies
  bool moved = false;                         // the recorded location was replaced
};

/// Thread-safe once its catalogs are set.
class TableLoader {
 public:
  TableLoader(std::shared_ptr<const io::FileIO> file_io, MovedPaths moved_paths) : file_io_(std::move(file_io)), moved_paths_(moved_paths) {}

  /// `name` is the prefix in SQL; empty for the default warehouse.
  void AddCatalog(const std::string& name, std::shared_ptr<const catalog::Catalog> catalog) { catalogs_[name] = std::move(catalog); }

  /// Table of a dotted name: catalog prefix if it is one, namespace levels, name.
  arrow::Result<LoadedTable> LoadByName(const std::vector<std::string>& parts) const;
  /// Table of a directory or a metadata file.
  arrow::Result<LoadedTable> LoadByPath(const std::string& path) const;

 private:
  arrow::Result<LoadedTable> LoadMetadata(std::string name, const std::string& metadata_location) const;
  arrow::Result<bool> IsMoved(const std::string& recorded, const std::string& actual) const;

  const std::shared_ptr<const io::FileIO> file_io_;
  const MovedPaths moved_paths_;
  std::map<std::string, std::shared_ptr<const catalog::Catalog>> catalogs_;
};

}  // namespace vecruntime::session
