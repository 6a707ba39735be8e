// SPDX-License-Identifier: Apache-2.0
#include "vecruntime/scan.h"

#include <arrow/record_batch.h>
#include <arrow/result.h>

#include <utility>

#include "vecruntime/session.h"
#include "vecruntime/session/quoting.h"

namespace vecruntime {

Scan::Scan(std::shared_ptr<Session> session, std::string from) : session_(std::move(session)), from_(std::move(from)) {}

Scan& Scan::Select(std::vector<std::string> columns) {
  columns_ = std::move(columns);
  return *this;
}

Scan& Scan::Where(std::string condition) {
  conditions_.push_back(std::move(condition));
  return *this;
}

Scan& Scan::UseSnapshot(int64_t snapshot_id) {
  version_ = std::to_string(snapshot_id);
  return *this;
}

Scan& Scan::UseRef(std::string name) {
  version_ = session::QuoteString(name);
  return *this;
}

std::string Scan::ToSql() const {
  std::string text = "SELECT ";
  for (size_t c = 0; c < columns_.size(); ++c) text += (c == 0 ? "" : ", ") + session::QuoteIdentifier(columns_[c]);
  if (columns_.empty()) text += "*";
  text += " FROM " + from_;
  if (!version_.empty()) text += " VERSION AS OF " + version_;
  // A line end each: a condition may end in a comment.
  for (size_t c = 0; c < conditions_.size(); ++c) text += (c == 0 ? " WHERE (" : " AND (") + conditions_[c] + "\n)";
  return text;
}

arrow::Result<std::shared_ptr<arrow::RecordBatchReader>> Scan::ToReader() const { return session_->Sql(ToSql()); }

}  // namespace vecruntime
