// SPDX-License-Identifier: Apache-2.0
// Tables as directories: warehouse/namespace/.../table/metadata/vN.metadata.json (Iceberg spec, "File System Tables").
#pragma once

#include <arrow/type_fwd.h>

#include <memory>
#include <string>
#include <vector>

#include "vecruntime/io/file_io.h"

namespace vecruntime::catalog {

/// Location of the newest metadata file of the table at `table_location`: the greatest N of vN.metadata.json, vN.gz.metadata.json,
/// vN.metadata.json.gz and NNNNN-uuid.metadata.json. version-hint.text is not consulted: it may be stale, absent or cut short, and a
/// listing decides. `table_location` may also name a metadata file itself. NotFound when there is no table.
arrow::Result<std::string> FindTableMetadata(const io::FileIO& file_io, const std::string& table_location);

/// Thread-safe.
class HadoopCatalog {
 public:
  HadoopCatalog(std::shared_ptr<const io::FileIO> file_io, std::string warehouse);

  const std::string& warehouse() const { return warehouse_; }
  /// Location of the newest metadata file of table `parts` (namespace levels, then the name). NotFound names the table and those with
  /// near names beside it.
  arrow::Result<std::string> FindTable(const std::vector<std::string>& parts) const;
  /// Dotted names of the namespaces that hold a table, at most two levels deep, ascending.
  arrow::Result<std::vector<std::string>> ListNamespaces() const;
  /// Names of the tables of a dotted namespace, ascending. NotFound when it does not exist.
  arrow::Result<std::vector<std::string>> ListTables(const std::string& namespace_name) const;

 private:
  arrow::Result<bool> IsTable(const std::string& location) const;

  const std::shared_ptr<const io::FileIO> file_io_;
  const std::string warehouse_;
};

}  // namespace vecruntime::catalog
