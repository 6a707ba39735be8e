// SPDX-License-Identifier: Apache-2.0
#include "vecruntime/columnar/selection.h"

#include <algorithm>
#include <cstring>

#include "vecruntime/columnar/kernels.h"

namespace vecruntime::columnar {
namespace {

size_t WordCount(int64_t length) { return static_cast<size_t>((length + 63) / 64); }

// Ones in the low (length % 64) bits, or all ones when the last word is full.
uint64_t TailMask(int64_t length) {
  const int64_t rest = length & 63;
  return rest == 0 ? ~uint64_t{0} : (uint64_t{1} << rest) - 1;
}

}  // namespace

Selection Selection::All(int64_t length, base::FileRow begin) {
  Selection selection = None(length, begin);
  std::fill(selection.words_.begin(), selection.words_.end(), ~uint64_t{0});
  if (length > 0) selection.words_.back() &= TailMask(length);
  return selection;
}

Selection Selection::None(int64_t length, base::FileRow begin) {
  Selection selection;
  selection.begin_ = begin;
  selection.length_ = length;
  selection.words_.assign(WordCount(length), 0);
  return selection;
}

int64_t Selection::CountLive() const {
  return ActiveKernels().count_bits(words_.data(), static_cast<int64_t>(words_.size()));
}

bool Selection::NoneLive() const {
  return std::all_of(words_.begin(), words_.end(), [](uint64_t word) { return word == 0; });
}

void Selection::KillRange(int64_t from, int64_t to) {
  from = std::max<int64_t>(from, 0);
  to = std::min(to, length_);
  if (from >= to) return;
  const size_t first = static_cast<size_t>(from >> 6);
  const size_t last = static_cast<size_t>((to - 1) >> 6);
  const uint64_t head = ~uint64_t{0} << (from & 63);
  const uint64_t tail = TailMask(to);
  if (first == last) {
    words_[first] &= ~(head & tail);
    return;
  }
  words_[first] &= ~head;
  std::fill(words_.begin() + static_cast<int64_t>(first) + 1, words_.begin() + static_cast<int64_t>(last), 0);
  words_[last] &= ~tail;
}

void Selection::And(const Selection& other) {
  for (size_t w = 0; w < words_.size(); ++w) words_[w] &= other.words_[w];
}

void Selection::AndNot(const Selection& other) {
  for (size_t w = 0; w < words_.size(); ++w) words_[w] &= ~other.words_[w];
}

void Selection::Or(const Selection& other) {
  for (size_t w = 0; w < words_.size(); ++w) words_[w] |= other.words_[w];
}

void Selection::AndBitmap(const uint8_t* bitmap, int64_t bit_offset) {
  const uint8_t* bytes = bitmap + bit_offset / 8;
  const int shift = static_cast<int>(bit_offset % 8);
  const int64_t bytes_total = (length_ + shift + 7) / 8;
  for (size_t w = 0; w < words_.size(); ++w) {
    const int64_t at = static_cast<int64_t>(w) * 8;
    uint64_t low = 0;
    std::memcpy(&low, bytes + at, static_cast<size_t>(std::min<int64_t>(8, bytes_total - at)));
    if (shift != 0) {
      low >>= shift;
      if (at + 8 < bytes_total) low |= static_cast<uint64_t>(bytes[at + 8]) << (64 - shift);
    }
    words_[w] &= low;
  }
}

std::vector<int32_t> Selection::LiveIndices() const {
  std::vector<int32_t> indices;
  indices.reserve(static_cast<size_t>(CountLive()));
  ForEachLive([&](int64_t index) { indices.push_back(static_cast<int32_t>(index)); });
  return indices;
}

Selection Selection::Slice(int64_t from, int64_t length) const {
  Selection slice = All(length, begin_ + from);
  slice.AndBitmap(reinterpret_cast<const uint8_t*>(words_.data()), from);
  return slice;
}

}  // namespace vecruntime::columnar
