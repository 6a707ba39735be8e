// SPDX-License-Identifier: Apache-2.0
// Can an equality-delete file hold a key of a data file? Decided by the bounds of both.
#pragma once

#include <cstdint>
#include <limits>
#include <optional>
#include <vector>

#include "vecruntime/iceberg/manifest.h"
#include "vecruntime/iceberg/table_metadata.h"

namespace vecruntime::planning {

/// What one file's metrics say of the fields of an equality key, decoded once and then compared with many files. Value type.
class KeyBounds {
 public:
  KeyBounds(const iceberg::DataFile& file, const std::vector<iceberg::FieldId>& key, const iceberg::TableMetadata& metadata);

  /// False only when for some key field the values of the two files cannot meet. Fields whose bounds, null counts or type are unknown, and
  /// floating-point keys (bounds leave NaN out), never exclude. REQUIRES: both of the same key.
  bool MightMeet(const KeyBounds& other) const;

 private:
  struct FieldBounds {
    bool comparable = false;       // of a type whose bounds can exclude
    bool surely_no_null = false;
    bool integers = false;         // low and high say everything that lower and upper do
    int64_t low = std::numeric_limits<int64_t>::min();
    int64_t high = std::numeric_limits<int64_t>::max();
    std::optional<iceberg::Value> lower;
    std::optional<iceberg::Value> upper;
  };
  static FieldBounds BoundsOf(const iceberg::DataFile& file, iceberg::FieldId id, const iceberg::TableMetadata& metadata);
  static bool FieldsMightMeet(const FieldBounds& a, const FieldBounds& b);

  std::vector<FieldBounds> fields_;
};

}  // namespace vecruntime::planning
