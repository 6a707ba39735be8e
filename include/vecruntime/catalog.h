// SPDX-License-Identifier: Apache-2.0
// A place that names tables.
#pragma once

#include <arrow/type_fwd.h>

#include <string>
#include <vector>

namespace vecruntime {

/// Thread-safe.
class Catalog {
 public:
  virtual ~Catalog() = default;
  /// The prefix that selects it in SQL; empty for the session's warehouse.
  virtual const std::string& name() const = 0;
  /// Dotted names of the namespaces, ascending.
  virtual arrow::Result<std::vector<std::string>> ListNamespaces() const = 0;
  /// Dotted names of the tables below `namespace_name`, ascending.
  virtual arrow::Result<std::vector<std::string>> ListTables(const std::string& namespace_name) const = 0;
};

}  // namespace vecruntime
