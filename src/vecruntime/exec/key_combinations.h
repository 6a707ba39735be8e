// SPDX-License-Identifier: Apache-2.0
// Grouping by dictionary-encoded keys that take few combinations: a batch falls into one Selection per combination, and every aggregate runs
// as if it had no groups, once for each.
#pragma once

#include <arrow/array/data.h>
#include <arrow/type_fwd.h>

#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "vecruntime/columnar/selection.h"
#include "vecruntime/exec/evaluation.h"

namespace vecruntime::exec {

/// The rows at which every key has a given dictionary entry.
struct KeyCombination {
  uint8_t code = 0;  // the entries' numbers in mixed radix, first key first
  columnar::Selection rows;
};

/// The combinations that live rows of `rows` have; nullopt when a key is not encoded or has NULLs, or when there are more than a few.
std::optional<std::vector<KeyCombination>> SplitByKeys(const ArrayVector& keys, const columnar::Selection& rows);

/// The keys of `combinations`, one row each. REQUIRES: they come from SplitByKeys(keys, ...).
arrow::Result<ArrayVector> KeysOf(const std::vector<KeyCombination>& combinations, const ArrayVector& keys, arrow::MemoryPool* pool);

/// The groups that combinations of the last dictionaries were given, so that the batches of one file look each up once.
class CombinationGroups {
 public:
  /// Forgets what is known unless `keys` have the same dictionaries as the time before.
  void Start(const ArrayVector& keys);
  std::optional<uint32_t> Find(uint8_t code) const;
  void Set(uint8_t code, uint32_t group) { groups_[code] = group; }

 private:
  static constexpr int64_t kUnknown = -1;
  std::vector<std::shared_ptr<arrow::ArrayData>> dictionaries_;
  std::array<int64_t, 256> groups_{};
};

}  // namespace vecruntime::exec
