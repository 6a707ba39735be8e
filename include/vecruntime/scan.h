// SPDX-License-Identifier: Apache-2.0
// A read of one table without SQL around it: columns, a filter, a snapshot.
#pragma once

#include <arrow/type_fwd.h>

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace vecruntime {

class Session;

/// Builder; a value that may be copied and reused. Errors of the parts surface in ToReader.
class Scan {
 public:
  /// `from` is the table as it is written in SQL after FROM.
  Scan(std::shared_ptr<Session> session, std::string from);

  /// Columns in output order, metadata columns (_file, _pos, ...) included; without a call: the table's own columns.
  Scan& Select(std::vector<std::string> columns);
  /// A boolean SQL expression. A second call narrows further.
  Scan& Where(std::string condition);
  /// Reads the table as it was in this snapshot.
  Scan& UseSnapshot(int64_t snapshot_id);
  /// Reads a branch or tag.
  Scan& UseRef(std::string name);

  /// Plans and starts the scan. The session must not be closed before the reader. NotFound, InvalidArgument, CorruptData, ...
  arrow::Result<std::shared_ptr<arrow::RecordBatchReader>> ToReader() const;
  /// The statement this scan stands for.
  std::string ToSql() const;

 private:
  std::shared_ptr<Session> session_;
  std::string from_;
  std::vector<std::string> columns_;
  std::vector<std::string> conditions_;
  std::string version_;
};

}  // namespace vecruntime
