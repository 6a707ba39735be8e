// SPDX-License-Identifier: Apache-2.0
// A catalog says which metadata file is a table's current one. Thread-safe.
#pragma once

#include <arrow/type_fwd.h>

#include <string>
#include <vector>

namespace vecruntime::catalog {

using Namespace = std::vector<std::string>;

class Catalog {
 public:
  virtual ~Catalog() = default;

  /// Location of the table's current metadata file. NotFound lists near names.
  virtual arrow::Result<std::string> LoadTable(const Namespace& name_space, const std::string& name) const = 0;
  /// Names of the tables directly in the namespace, sorted; NotFound when it does not exist.
  virtual arrow::Result<std::vector<std::string>> ListTables(const Namespace& name_space) const = 0;
  /// Names of the namespaces directly in the namespace, sorted.
  virtual arrow::Result<std::vector<std::string>> ListNamespaces(const Namespace& name_space) const = 0;
};

}  // namespace vecruntime::catalog
