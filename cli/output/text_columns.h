// SPDX-License-Identifier: Apache-2.0
// Columns as the text a person reads: Spark's CAST(x AS STRING) in the session's time zone, binary in hexadecimal.
#pragma once

#include <arrow/type_fwd.h>

#include <memory>
#include <string>
#include <vector>

namespace vecruntime::cli {

class TextColumns {
 public:
  explicit TextColumns(std::string timezone) : timezone_(std::move(timezone)) {}
  /// One string array per column; NULL stays NULL.
  arrow::Result<std::vector<std::shared_ptr<arrow::StringArray>>> Convert(const arrow::RecordBatch& batch) const;

 private:
  std::string timezone_;
};

}  // namespace vecruntime::cli
