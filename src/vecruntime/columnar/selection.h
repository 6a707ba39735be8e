// SPDX-License-Identifier: Apache-2.0
// The one representation of "which rows are alive": 64-bit words over a run of rows of one data file (or of one batch).
#pragma once

#include <bit>
#include <cstdint>
#include <span>
#include <vector>

#include "vecruntime/base/row.h"

namespace vecruntime::columnar {

/// Bit i (word i/64, bit i%64) tells whether row begin()+i is alive. Bits at and beyond length() are always zero. A Selection over a
/// batch that comes from no file has begin() == 0. Value type; one writer at a time.
class Selection {
 public:
  Selection() = default;
  /// All `length` rows alive.
  static Selection All(int64_t length, base::FileRow begin = {});
  /// No row alive.
  static Selection None(int64_t length, base::FileRow begin = {});

  base::FileRow begin() const { return begin_; }
  int64_t length() const { return length_; }
  base::FileRowRange range() const { return {begin_, begin_ + length_}; }
  std::span<const uint64_t> words() const { return words_; }
  /// Writable words. ENSURES by the caller: bits at and beyond length() stay zero.
  std::span<uint64_t> mutable_words() { return words_; }

  /// Number of live rows; counts the words.
  int64_t CountLive() const;
  bool AllLive() const { return CountLive() == length_; }
  bool NoneLive() const;

  bool IsLive(int64_t index) const { return (words_[static_cast<size_t>(index >> 6)] >> (index & 63)) & 1; }
  void Kill(int64_t index) { words_[static_cast<size_t>(index >> 6)] &= ~(uint64_t{1} << (index & 63)); }
  void Revive(int64_t index) { words_[static_cast<size_t>(index >> 6)] |= uint64_t{1} << (index & 63); }
  /// Kills index range [from, to), clipped to the selection.
  void KillRange(int64_t from, int64_t to);
  /// Kills the rows of `rows` that lie in range(); rows outside are ignored.
  void KillFileRows(base::FileRowRange rows) { KillRange(rows.begin - begin_, rows.end - begin_); }
  /// Keeps only rows alive in both. REQUIRES: same length.
  void And(const Selection& other);
  /// Kills the rows alive in `other`. REQUIRES: same length.
  void AndNot(const Selection& other);
  /// Revives the rows alive in `other`. REQUIRES: same length.
  void Or(const Selection& other);
  /// Keeps only rows whose bit in the LSB-first `bitmap`, starting at bit `bit_offset`, is set (an Arrow validity or boolean buffer).
  void AndBitmap(const uint8_t* bitmap, int64_t bit_offset);

  /// The live indexes in ascending order, relative to begin().
  std::vector<int32_t> LiveIndices() const;
  /// The part [from, from+length) as a Selection of its own, begin() moved accordingly.
  Selection Slice(int64_t from, int64_t length) const;

  /// Calls visit(index) for each live row in ascending order.
  template <typename Visit>
  void ForEachLive(Visit&& visit) const {
    for (size_t w = 0; w < words_.size(); ++w) {
      for (uint64_t word = words_[w]; word != 0; word &= word - 1) {
        visit(static_cast<int64_t>(w * 64) + std::countr_zero(word));
      }
    }
  }

 private:
  base::FileRow begin_;
  int64_t length_ = 0;
  std::vector<uint64_t> words_;
};

}  // namespace vecruntime::columnar
