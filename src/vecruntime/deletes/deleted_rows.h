// SPDX-License-Identifier: Apache-2.0
// The deleted rows of one data file as containers of 65,536 rows each, in the three shapes of a roaring bitmap. Immutable after Make;
// thread-safe.
#pragma once

#include <arrow/type_fwd.h>

#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "vecruntime/columnar/selection.h"

namespace vecruntime::deletes {

class DeletedRows {
 public:
  DeletedRows() = default;
  /// Lists of row ordinals >= 0, in any order, repeats allowed. One ascending list needs no sort.
  static DeletedRows FromPositions(const std::vector<std::span<const int64_t>>& lists);
  static DeletedRows Union(std::span<const DeletedRows* const> parts);
  /// Decodes the 64-bit portable roaring bitmap of a deletion vector (see deletion_vector.h for the frame around it). `path` and
  /// `offset`, the place of bytes[0] in that file, are for CorruptData messages. Memory is bounded by the size of `bytes`.
  static arrow::Result<DeletedRows> FromRoaring64(std::string_view bytes, std::string_view path, int64_t offset);

  /// Kills the deleted rows of `rows`; positions outside its range are ignored.
  void Narrow(columnar::Selection* rows) const;
  int64_t cardinality() const { return cardinality_; }
  int64_t size_bytes() const;

 private:
  struct Run { uint16_t first; uint16_t last; };
  // Rows [key * 65536, (key + 1) * 65536). Exactly one of the three is filled.
  struct Container {
    int64_t key = 0;
    std::vector<uint16_t> array;   // ascending
    std::vector<uint64_t> words;   // 1,024 words
    std::vector<Run> runs;         // ascending, disjoint, ends inclusive
  };
  class Decoder;

  void AppendAscending(std::span<const int64_t> positions);
  void AppendWords(int64_t key, std::span<const uint64_t> words);
  static int64_t CardinalityOf(const Container& container);
  static void NarrowBy(const Container& container, columnar::Selection* rows);

  std::vector<Container> containers_;  // ascending by key
  int64_t cardinality_ = 0;
};

}  // namespace vecruntime::deletes
