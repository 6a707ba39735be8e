// SPDX-License-Identifier: Apache-2.0
// Row coordinates as types, so that a row of a file can never be taken for a row of a batch.
#pragma once

#include <compare>
#include <cstdint>

namespace vecruntime::base {

/// Ordinal of a row in its data file, counted over all row groups from 0. Skipping a row group or a page never changes it.
struct FileRow {
  int64_t value = 0;
  auto operator<=>(const FileRow&) const = default;
  friend FileRow operator+(FileRow row, int64_t count) { return FileRow{row.value + count}; }
  friend int64_t operator-(FileRow a, FileRow b) { return a.value - b.value; }
};

/// Half-open run of rows [begin, end) of one data file.
struct FileRowRange {
  FileRow begin;
  FileRow end;
  int64_t length() const { return end - begin; }
  bool empty() const { return end <= begin; }
  auto operator<=>(const FileRowRange&) const = default;
};

}  // namespace vecruntime::base
