// SPDX-License-Identifier: Apache-2.0
// Rows as JSON objects, as Spark's to_json writes them with ignoreNullFields=false: columns in order (equal names kept), decimals plain,
// doubles as Java prints them (NaN and infinities as strings), binary in base64, timestamps to the millisecond.
#pragma once

#include <arrow/type_fwd.h>

#include <memory>
#include <string>
#include <string_view>

namespace vecruntime::expr {
class TimeZone;
}

namespace vecruntime::cli {

class JsonRows {
 public:
  /// InvalidArgument when the zone does not exist.
  static arrow::Result<JsonRows> Make(const std::string& timezone);

  /// Appends row `i` of `batch` as one object without a line end.
  void AppendRow(const arrow::RecordBatch& batch, int64_t i, std::string* out) const;

 private:
  explicit JsonRows(std::shared_ptr<const expr::TimeZone> zone) : zone_(std::move(zone)) {}
  void AppendValue(const arrow::Array& array, int64_t i, std::string* out) const;
  void AppendMapKey(const arrow::Array& array, int64_t i, std::string* out) const;
  void AppendNested(const arrow::Array& array, int64_t i, std::string* out) const;
  void AppendTimestamp(const arrow::Array& array, int64_t i, std::string* out) const;

  std::shared_ptr<const expr::TimeZone> zone_;
};

/// `text` as a JSON string, quotes included.
void AppendJsonString(std::string_view text, std::string* out);

}  // namespace vecruntime::cli
