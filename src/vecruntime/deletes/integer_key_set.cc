// SPDX-License-Identifier: Apache-2.0
#include <arrow/array.h>
#include <arrow/result.h>
#include <arrow/type.h>

#include <algorithm>
#include <bit>
#include <limits>

#include "vecruntime/columnar/kernels.h"
#include "vecruntime/deletes/key_sets_internal.h"
#include "vecruntime/deletes/key_slots_internal.h"

namespace vecruntime::deletes {

bool IsIntegerLike(const arrow::DataType& type) {
  switch (type.id()) {
    case arrow::Type::BOOL:
    case arrow::Type::INT32:
    case arrow::Type::INT64:
    case arrow::Type::DATE32:
    case arrow::Type::TIME64:
    case arrow::Type::TIMESTAMP:
      return true;
    default:
      return false;
  }
}

void WidenIntegers(const arrow::Array& array, int64_t from, int64_t count, int64_t* out) {
  switch (array.type_id()) {
    case arrow::Type::BOOL:
      for (int64_t i = 0; i < count; ++i) out[i] = static_cast<const arrow::BooleanArray&>(array).Value(from + i);
      return;
    case arrow::Type::INT32:
    case arrow::Type::DATE32:
      std::copy_n(array.data()->GetValues<int32_t>(1) + from, count, out);
      return;
    default:
      std::copy_n(array.data()->GetValues<int64_t>(1) + from, count, out);
      return;
  }
}

namespace {

// A bitmap is chosen when it takes no more than the table would (16 bytes a key), or at most this much.
constexpr uint64_t kBitsPerKey = 128;
constexpr uint64_t kBitsAnyway = uint64_t{1} << 23;
constexpr int64_t kRowsPerStep = 64;

// Calls visit(value, sequence) for every key that is not NULL.
template <typename Visit>
void ForEachKey(const std::vector<DeletedKeys>& parts, Visit&& visit) {
  int64_t values[1024];
  for (const DeletedKeys& part : parts) {
    const arrow::Array& array = *part.columns[0];
    const bool has_nulls = array.null_count() != 0;
    for (int64_t from = 0; from < array.length(); from += 1024) {
      const int64_t count = std::min<int64_t>(1024, array.length() - from);
      WidenIntegers(array, from, count, values);
      for (int64_t i = 0; i < count; ++i) {
        if (!has_nulls || array.IsValid(from + i)) visit(values[i], part.sequence);
      }
    }
  }
}

// What one pass over the keys tells.
struct KeySummary {
  uint64_t count = 0;  // repeats counted
  int64_t min = std::numeric_limits<int64_t>::max();
  int64_t max = std::numeric_limits<int64_t>::min();
  int64_t min_sequence = std::numeric_limits<int64_t>::max();
  int64_t max_sequence = kNoSequence;
  int64_t null_sequence = kNoSequence;

  explicit KeySummary(const std::vector<DeletedKeys>& parts) {
    for (const DeletedKeys& part : parts) {
      if (part.columns[0]->null_count() != 0) null_sequence = std::max(null_sequence, part.sequence);
    }
    ForEachKey(parts, [this](int64_t value, int64_t sequence) {
      ++count;
      min = std::min(min, value);
      max = std::max(max, value);
      min_sequence = std::min(min_sequence, sequence);
      max_sequence = std::max(max_sequence, sequence);
    });
  }
  bool one_sequence() const { return min_sequence == max_sequence; }
  uint64_t span() const { return static_cast<uint64_t>(max) - static_cast<uint64_t>(min); }
};

// One bit per value in [min, max] and, when they differ, the sequences of the set bits in order.
class KeyBitmap {
 public:
  static bool Fits(const KeySummary& keys) {
    return keys.count != 0 && (keys.span() < kBitsAnyway || keys.span() / kBitsPerKey < keys.count);
  }
  arrow::Status Build(const std::vector<DeletedKeys>& parts, const KeySummary& keys, base::Reservation* memory) {
    base_ = static_cast<uint64_t>(keys.min);
    limit_ = keys.span() + 1;
    const size_t words = static_cast<size_t>(keys.span() / 64 + 1);
    ARROW_RETURN_NOT_OK(memory->Resize(static_cast<int64_t>(words * sizeof(uint64_t))));
    words_.assign(words, 0);
    ForEachKey(parts, [this](int64_t value, int64_t) {
      const uint64_t bit = static_cast<uint64_t>(value) - base_;
      words_[bit >> 6] |= uint64_t{1} << (bit & 63);
    });
    for (const uint64_t word : words_) size_ += std::popcount(word);
    return keys.one_sequence() ? arrow::Status::OK() : AddSequences(parts, memory);
  }

  // Bit i: whether values[i] is a key.
  void Find(const int64_t* values, int64_t count, const columnar::Selection&, uint64_t* hits) const {
    columnar::ActiveKernels().find_bits64(values, count, words_.data(), base_, limit_, hits);
  }
  void Find(const int32_t* values, int64_t count, const columnar::Selection&, uint64_t* hits) const {
    columnar::ActiveKernels().find_bits32(values, count, words_.data(), base_, limit_, hits);
  }
  // REQUIRES: value is a key, sequences differ.
  int64_t SequenceOf(int64_t value) const { return sequences_[Rank(value)]; }
  int64_t size() const { return size_; }

 private:
  arrow::Status AddSequences(const std::vector<DeletedKeys>& parts, base::Reservation* memory) {
    ARROW_RETURN_NOT_OK(memory->Resize(static_cast<int64_t>(words_.size() * 2 * sizeof(uint64_t)) + size_ * int64_t{sizeof(int64_t)}));
    ranks_.resize(words_.size());
    uint64_t rank = 0;
    for (size_t w = 0; w < words_.size(); ++w) {
      ranks_[w] = rank;
      rank += static_cast<uint64_t>(std::popcount(words_[w]));
    }
    sequences_.assign(static_cast<size_t>(size_), kNoSequence);
    ForEachKey(parts, [this](int64_t value, int64_t sequence) {
      int64_t& newest = sequences_[Rank(value)];
      newest = std::max(newest, sequence);
    });
    return arrow::Status::OK();
  }
  size_t Rank(int64_t value) const {
    const uint64_t bit = static_cast<uint64_t>(value) - base_;
    const uint64_t below = words_[bit >> 6] & ((uint64_t{1} << (bit & 63)) - 1);
    return static_cast<size_t>(ranks_[bit >> 6] + static_cast<uint64_t>(std::popcount(below)));
  }

  uint64_t base_ = 0;
  uint64_t limit_ = 0;
  std::vector<uint64_t> words_;
  std::vector<uint64_t> ranks_;  // set bits before each word
  std::vector<int64_t> sequences_;
  int64_t size_ = 0;
};

// For keys far apart.
class KeyTable {
 public:
  arrow::Status Build(const std::vector<DeletedKeys>& parts, const KeySummary& keys, base::Reservation* memory) {
    const size_t capacity = KeySlots::CapacityFor(keys.count);
    const size_t slot_bytes = 1 + sizeof(int64_t) + (keys.one_sequence() ? 0 : sizeof(int64_t));
    ARROW_RETURN_NOT_OK(memory->Resize(static_cast<int64_t>(capacity * slot_bytes)));
    slots_ = KeySlots(capacity);
    keys_.resize(capacity);
    if (!keys.one_sequence()) sequences_.assign(capacity, kNoSequence);
    ForEachKey(parts, [this](int64_t value, int64_t sequence) {
      const uint64_t hash = HashOfInteger(static_cast<uint64_t>(value), seed_);
      const size_t slot = Place(value, hash);
      if (!slots_.occupied(slot)) {
        slots_.Occupy(slot, hash);
        keys_[slot] = value;
        ++size_;
      }
      if (!sequences_.empty()) sequences_[slot] = std::max(sequences_[slot], sequence);
    });
    return arrow::Status::OK();
  }

  // Bit i: whether values[i] is a key, where one of the 64 rows around it is alive.
  template <typename T>
  void Find(const T* values, int64_t count, const columnar::Selection& live, uint64_t* hits) const {
    for (int64_t from = 0; from < count; from += kRowsPerStep, ++hits) {
      *hits = 0;
      if (live.words()[static_cast<size_t>(from / kRowsPerStep)] == 0) continue;
      const int64_t n = std::min(kRowsPerStep, count - from);
      uint64_t hashes[kRowsPerStep];
      for (int64_t i = 0; i < n; ++i) hashes[i] = HashOfInteger(static_cast<uint64_t>(int64_t{values[from + i]}), seed_);
      for (int64_t i = 0; i < n; ++i) slots_.Prefetch(hashes[i]);
      for (int64_t i = 0; i < n; ++i) *hits |= uint64_t{slots_.occupied(Place(values[from + i], hashes[i]))} << i;
    }
  }
  int64_t SequenceOf(int64_t value) const { return sequences_[Place(value, HashOfInteger(static_cast<uint64_t>(value), seed_))]; }
  int64_t size() const { return size_; }

 private:
  size_t Place(int64_t value, uint64_t hash) const {
    return slots_.Find(hash, [&](size_t slot) { return keys_[slot] == value; });
  }

  const uint64_t seed_ = HashSeed();
  KeySlots slots_{KeySlots::CapacityFor(0)};
  std::vector<int64_t> keys_;
  std::vector<int64_t> sequences_;
  int64_t size_ = 0;
};

// Up to 64 bits of a bitmap from `bit` on.
uint64_t LoadBits(const uint8_t* bitmap, int64_t bit, int count) {
  uint64_t bits = 0;
  for (int i = 0; i < count; ++i) bits |= uint64_t{(bitmap[(bit + i) >> 3] >> ((bit + i) & 7)) & 1U} << i;
  return bits;
}

template <typename Keys>
class IntegerKeySet : public EqualityDeleteSet {
 public:
  IntegerKeySet(Keys keys, const KeySummary& summary) : keys_(std::move(keys)), summary_(summary) {}

  arrow::Status Narrow(const std::vector<std::shared_ptr<arrow::Array>>& keys, int64_t data_sequence,
                       columnar::Selection* rows) const override {
    const arrow::Array& array = *keys[0];
    switch (array.type_id()) {
      case arrow::Type::BOOL: {
        std::vector<int64_t> wide(static_cast<size_t>(array.length()));
        WidenIntegers(array, 0, array.length(), wide.data());
        NarrowValues(wide.data(), array, data_sequence, rows);
        break;
      }
      case arrow::Type::INT32:
      case arrow::Type::DATE32:
        NarrowValues(array.data()->GetValues<int32_t>(1), array, data_sequence, rows);
        break;
      default:
        NarrowValues(array.data()->GetValues<int64_t>(1), array, data_sequence, rows);
        break;
    }
    return arrow::Status::OK();
  }

  int64_t size() const override { return keys_.size() + (summary_.null_sequence != kNoSequence); }

 private:
  template <typename T>
  void NarrowValues(const T* values, const arrow::Array& array, int64_t data_sequence, columnar::Selection* rows) const {
    const uint8_t* validity = array.null_count() == 0 ? nullptr : array.null_bitmap_data();
    const bool any_value = summary_.max_sequence > data_sequence;
    const uint64_t null_hits = summary_.null_sequence > data_sequence ? ~uint64_t{0} : 0;
    const auto words = rows->mutable_words();
    std::vector<uint64_t> hits(words.size(), 0);
    if (any_value) keys_.Find(values, rows->length(), *rows, hits.data());
    for (size_t w = 0; w < words.size(); ++w) {
      if (words[w] == 0) continue;
      const int64_t from = static_cast<int64_t>(w) * kRowsPerStep;
      uint64_t dead = Newer(hits[w] & words[w], values + from, data_sequence);
      if (validity != nullptr) {
        const int count = static_cast<int>(std::min(kRowsPerStep, rows->length() - from));
        const uint64_t valid = LoadBits(validity, array.offset() + from, count);
        dead = (dead & valid) | (null_hits & ~valid);
      }
      words[w] &= ~dead;
    }
  }

  // Those of the hits that a delete newer than `data_sequence` removes.
  template <typename T>
  uint64_t Newer(uint64_t hits, const T* values, int64_t data_sequence) const {
    if (summary_.min_sequence > data_sequence) return hits;
    uint64_t newer = 0;
    for (uint64_t left = hits; left != 0; left &= left - 1) {
      const int i = std::countr_zero(left);
      newer |= uint64_t{keys_.SequenceOf(values[i]) > data_sequence} << i;
    }
    return newer;
  }

  const Keys keys_;
  const KeySummary summary_;
};

template <typename Keys>
arrow::Result<std::shared_ptr<EqualityDeleteSet>> BuildWith(const std::vector<DeletedKeys>& parts, const KeySummary& summary,
                                                            base::Reservation* memory) {
  Keys keys;
  ARROW_RETURN_NOT_OK(keys.Build(parts, summary, memory));
  return std::make_shared<IntegerKeySet<Keys>>(std::move(keys), summary);
}

}  // namespace

arrow::Result<std::shared_ptr<EqualityDeleteSet>> BuildIntegerKeySet(const std::vector<DeletedKeys>& parts, base::Reservation* memory) {
  const KeySummary summary(parts);
  if (KeyBitmap::Fits(summary)) return BuildWith<KeyBitmap>(parts, summary, memory);
  return BuildWith<KeyTable>(parts, summary, memory);
}

}  // namespace vecruntime::deletes
