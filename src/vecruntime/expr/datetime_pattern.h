// SPDX-License-Identifier: Apache-2.0
// Spark's datetime patterns ("yyyy-MM-dd HH:mm:ss.SSS"): the letters of java.time.format.DateTimeFormatter that people use.
#pragma once

#include <arrow/result.h>

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "vecruntime/expr/time_zone.h"

namespace vecruntime::expr {

class DateTimePattern {
 public:
  /// Unsupported naming a letter we do not have, InvalidArgument for one that Spark does not allow.
  static arrow::Result<DateTimePattern> Make(std::string_view pattern);

  /// Writes an instant as `zone` shows it.
  void Format(int64_t utc_micros, const TimeZone& zone, std::string* out) const;
  /// Reads a whole text; missing fields are those of 1970-01-01 00:00:00, a missing zone is `zone`. False when it does not match.
  bool Parse(std::string_view text, const TimeZone& zone, int64_t* utc_micros) const;
  /// As Parse, for the local time that was written; a zone in the text is read and ignored.
  bool ParseLocal(std::string_view text, int64_t* local_micros) const;

 private:
  struct Item {
    char letter = 0;  // 0: literal
    int count = 0;
    std::string literal;
  };
  struct Fields;
  bool ReadFields(std::string_view text, Fields* fields) const;
  /// Local micros of the fields, or false when they name no date or time.
  static bool Resolve(const Fields& fields, int64_t* local_micros);
  bool ReadItem(size_t index, std::string_view text, size_t* at, Fields* fields) const;

  std::vector<Item> items_;
};

}  // namespace vecruntime::expr
