// SPDX-License-Identifier: Apache-2.0
// Numbers the distinct keys of rows 0, 1, 2, ... in order of appearance. Keys that fit 128 bits are packed and compared as two words; all
// others are compared as encoded bytes. One thread at a time.
#pragma once

#include <arrow/type_fwd.h>

#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "vecruntime/columnar/selection.h"
#include "vecruntime/exec/evaluation.h"

namespace vecruntime::exec {

class GroupTable {
 public:
  explicit GroupTable(const std::vector<std::shared_ptr<arrow::DataType>>& key_types);

  /// Sets (*group_of)[i] for each live row i (others unspecified) and appends the rows at which a new group was first met to `new_rows`.
  /// Floats must have passed NormalizeFloats when their values are shown.
  arrow::Status Assign(const ArrayVector& keys, const columnar::Selection& rows, std::vector<uint32_t>* group_of,
                       std::vector<int64_t>* new_rows);

  int64_t size() const { return size_; }
  int64_t bytes() const;

 private:
  using Packed = std::array<uint64_t, 2>;
  // Where a key lies in the packed words.
  struct Place {
    int value_word, value_shift;
    int null_word, null_shift;
  };

  static std::optional<std::vector<Place>> PlacesOf(const std::vector<std::shared_ptr<arrow::DataType>>& key_types);
  std::vector<Packed> Pack(const ArrayVector& keys, int64_t rows) const;
  arrow::Status AssignPacked(const ArrayVector& keys, const columnar::Selection& rows, uint32_t* group_of, std::vector<int64_t>* new_rows);
  arrow::Status AssignBytes(const ArrayVector& keys, const columnar::Selection& rows, uint32_t* group_of, std::vector<int64_t>* new_rows);
  // Room for `more` further groups; hashes are those of the groups so far.
  arrow::Status Reserve(int64_t more);

  std::optional<std::vector<Place>> places_;
  int64_t size_ = 0;
  std::vector<uint32_t> slots_;      // group + 1, 0 when free; open addressing, at most half full
  std::vector<uint64_t> hashes_;     // of each group
  std::vector<Packed> packed_;       // of each group, when packed
  std::vector<uint8_t> arena_;       // encoded keys, when not
  std::vector<int64_t> arena_ends_;
};

/// The same array with -0.0 as 0.0 and every NaN as the one NaN, in nested values too; `array` itself when there is nothing to change.
arrow::Result<std::shared_ptr<arrow::Array>> NormalizeFloats(const std::shared_ptr<arrow::Array>& array, arrow::MemoryPool* pool);

}  // namespace vecruntime::exec
