// SPDX-License-Identifier: Apache-2.0
#include "vecruntime/deletes/equality_delete_set.h"

#include <arrow/array.h>
#include <arrow/result.h>
#include <arrow/type.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>
#include <string>
#include <string_view>

#include "vecruntime/base/error.h"

namespace vecruntime::deletes {
namespace {

constexpr int64_t kNoSequence = -1;  // sequence numbers are never negative

uint64_t Mix(uint64_t x) {
  x ^= x >> 32;
  x *= 0xD6E8FEB86659FD93ULL;
  x ^= x >> 32;
  x *= 0xD6E8FEB86659FD93ULL;
  return x ^ x >> 32;
}

bool IsIntegerLike(arrow::Type::type id) {
  switch (id) {
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

// Calls visit(int64 value_of_row(i)) through a typed accessor, chosen once per array.
template <typename Body>
void WithIntegerValues(const arrow::Array& array, Body&& body) {
  switch (array.type_id()) {
    case arrow::Type::BOOL:
      body([&](int64_t i) { return static_cast<int64_t>(static_cast<const arrow::BooleanArray&>(array).Value(i)); });
      return;
    case arrow::Type::INT32:
    case arrow::Type::DATE32:
      body([values = array.data()->GetValues<int32_t>(1)](int64_t i) { return static_cast<int64_t>(values[i]); });
      return;
    default:
      body([values = array.data()->GetValues<int64_t>(1)](int64_t i) { return values[i]; });
      return;
  }
}

// Open addressing, linear probing, at most half full.
class IntegerSet : public EqualityDeleteSet {
 public:
  explicit IntegerSet(base::Reservation memory) : memory_(std::move(memory)) {}

  arrow::Status Add(const std::vector<std::shared_ptr<arrow::Array>>& keys, int64_t sequence) override {
    const arrow::Array& array = *keys[0];
    ARROW_RETURN_NOT_OK(Reserve(size_ + array.length()));
    WithIntegerValues(array, [&](const auto& value_of) {
      for (int64_t i = 0; i < array.length(); ++i) {
        if (array.IsNull(i)) {
          null_sequence_ = std::max(null_sequence_, sequence);
        } else {
          Insert(value_of(i), sequence);
        }
      }
    });
    return arrow::Status::OK();
  }

  arrow::Status Narrow(const std::vector<std::shared_ptr<arrow::Array>>& keys, int64_t data_sequence,
                       columnar::Selection* rows) const override {
    const arrow::Array& array = *keys[0];
    const bool has_nulls = array.null_count() != 0;
    WithIntegerValues(array, [&](const auto& value_of) {
      rows->ForEachLive([&](int64_t i) {
        const int64_t sequence = has_nulls && array.IsNull(i) ? null_sequence_ : Find(value_of(i));
        if (sequence > data_sequence) rows->Kill(i);
      });
    });
    return arrow::Status::OK();
  }

  int64_t size() const override { return size_ + (null_sequence_ != kNoSequence); }

 private:
  struct Slot { int64_t key = 0; int64_t sequence = kNoSequence; };

  size_t Place(int64_t key) const {
    size_t at = Mix(static_cast<uint64_t>(key)) & mask_;
    while (slots_[at].sequence != kNoSequence && slots_[at].key != key) at = (at + 1) & mask_;
    return at;
  }
  int64_t Find(int64_t key) const { return slots_.empty() ? kNoSequence : slots_[Place(key)].sequence; }

  void Insert(int64_t key, int64_t sequence) {
    Slot& slot = slots_[Place(key)];
    size_ += slot.sequence == kNoSequence;
    slot.key = key;
    slot.sequence = std::max(slot.sequence, sequence);
  }

  arrow::Status Reserve(int64_t keys) {
    if (static_cast<size_t>(keys) * 2 <= slots_.size()) return arrow::Status::OK();
    size_t capacity = 64;
    while (capacity < static_cast<size_t>(keys) * 2) capacity *= 2;
    ARROW_RETURN_NOT_OK(memory_.Resize(static_cast<int64_t>(capacity * sizeof(Slot))));
    std::vector<Slot> old(capacity);
    old.swap(slots_);
    mask_ = capacity - 1;
    size_ = 0;
    for (const Slot& slot : old) {
      if (slot.sequence != kNoSequence) Insert(slot.key, slot.sequence);
    }
    return arrow::Status::OK();
  }

  base::Reservation memory_;
  std::vector<Slot> slots_;
  size_t mask_ = 0;
  int64_t size_ = 0;
  int64_t null_sequence_ = kNoSequence;
};

template <typename Float>
Float CanonicalNan(Float value) {
  return std::isnan(value) ? std::numeric_limits<Float>::quiet_NaN() : value;
}

// Appends the value at `row` to `out` so that equal keys have equal bytes: a NULL mark, then the value (variable ones behind their length).
class ValueEncoder {
 public:
  static arrow::Status Check(const arrow::DataType& type) {
    const auto id = type.id();
    const bool known = arrow::is_fixed_width(id) || arrow::is_binary_like(id) || id == arrow::Type::NA;
    return known ? arrow::Status::OK() : base::Unsupported("equality delete key of type ", type.ToString());
  }

  explicit ValueEncoder(const arrow::Array& array) : array_(array), id_(array.type_id()) {
    if (arrow::is_fixed_width(id_) && id_ != arrow::Type::BOOL) {
      width_ = array.type()->bit_width() / 8;
      values_ = array.data()->GetValues<uint8_t>(1, 0) + array.offset() * width_;
    }
  }

  void Append(int64_t row, std::string* out) const {
    const bool null = array_.IsNull(row);
    out->push_back(null ? '\0' : '\1');
    if (null) return;
    switch (id_) {
      case arrow::Type::BOOL:
        out->push_back(static_cast<const arrow::BooleanArray&>(array_).Value(row) ? '\1' : '\0');
        return;
      case arrow::Type::FLOAT:
        AppendRaw(CanonicalNan(static_cast<const arrow::FloatArray&>(array_).Value(row)), out);
        return;
      case arrow::Type::DOUBLE:
        AppendRaw(CanonicalNan(static_cast<const arrow::DoubleArray&>(array_).Value(row)), out);
        return;
      case arrow::Type::STRING:
      case arrow::Type::BINARY: {
        const std::string_view text = static_cast<const arrow::BinaryArray&>(array_).GetView(row);
        AppendRaw(static_cast<uint32_t>(text.size()), out);
        out->append(text);
        return;
      }
      default:
        out->append(reinterpret_cast<const char*>(values_ + row * width_), static_cast<size_t>(width_));
        return;
    }
  }

 private:
  template <typename T>
  static void AppendRaw(T value, std::string* out) {
    out->append(reinterpret_cast<const char*>(&value), sizeof(value));
  }

  const arrow::Array& array_;
  const arrow::Type::type id_;
  int64_t width_ = 0;
  const uint8_t* values_ = nullptr;
};

// Rows of any key columns as byte strings in one arena.
class EncodedRowSet : public EqualityDeleteSet {
 public:
  explicit EncodedRowSet(base::Reservation memory) : memory_(std::move(memory)) {}

  arrow::Status Add(const std::vector<std::shared_ptr<arrow::Array>>& keys, int64_t sequence) override {
    const int64_t added = keys[0]->length();
    ARROW_ASSIGN_OR_RAISE(const auto encoders, Encoders(keys));
    ARROW_RETURN_NOT_OK(Rehash(size_ + added));
    std::string row;
    for (int64_t i = 0; i < added; ++i) {
      Encode(encoders, i, &row);
      Insert(row, sequence);
    }
    return memory_.Resize(static_cast<int64_t>(slots_.capacity() * sizeof(Slot) + arena_.capacity()));
  }

  arrow::Status Narrow(const std::vector<std::shared_ptr<arrow::Array>>& keys, int64_t data_sequence,
                       columnar::Selection* rows) const override {
    if (size_ == 0) return arrow::Status::OK();
    ARROW_ASSIGN_OR_RAISE(const auto encoders, Encoders(keys));
    std::string row;
    rows->ForEachLive([&](int64_t i) {
      Encode(encoders, i, &row);
      if (slots_[Place(row, HashOf(row))].sequence > data_sequence) rows->Kill(i);
    });
    return arrow::Status::OK();
  }

  int64_t size() const override { return size_; }

 private:
  struct Slot {
    uint64_t hash = 0;
    size_t offset = 0;
    size_t length = 0;
    int64_t sequence = kNoSequence;
  };

  static arrow::Result<std::vector<ValueEncoder>> Encoders(const std::vector<std::shared_ptr<arrow::Array>>& keys) {
    std::vector<ValueEncoder> encoders;
    for (const auto& key : keys) {
      ARROW_RETURN_NOT_OK(ValueEncoder::Check(*key->type()));
      encoders.emplace_back(*key);
    }
    return encoders;
  }
  static void Encode(const std::vector<ValueEncoder>& encoders, int64_t row, std::string* out) {
    out->clear();
    for (const ValueEncoder& encoder : encoders) encoder.Append(row, out);
  }
  static uint64_t HashOf(std::string_view row) { return Mix(std::hash<std::string_view>{}(row)); }

  size_t Place(std::string_view row, uint64_t hash) const {
    size_t at = hash & mask_;
    for (;; at = (at + 1) & mask_) {
      const Slot& slot = slots_[at];
      if (slot.sequence == kNoSequence) return at;
      if (slot.hash == hash && std::string_view(arena_).substr(slot.offset, slot.length) == row) return at;
    }
  }

  void Insert(std::string_view row, int64_t sequence) {
    const uint64_t hash = HashOf(row);
    Slot& slot = slots_[Place(row, hash)];
    if (slot.sequence == kNoSequence) {
      slot = {hash, arena_.size(), row.size(), sequence};
      arena_.append(row);
      ++size_;
    }
    slot.sequence = std::max(slot.sequence, sequence);
  }

  arrow::Status Rehash(int64_t keys) {
    if (static_cast<size_t>(keys) * 2 <= slots_.size()) return arrow::Status::OK();
    size_t capacity = 64;
    while (capacity < static_cast<size_t>(keys) * 2) capacity *= 2;
    ARROW_RETURN_NOT_OK(memory_.Resize(static_cast<int64_t>(capacity * sizeof(Slot) + arena_.capacity())));
    std::vector<Slot> old(capacity);
    old.swap(slots_);
    mask_ = capacity - 1;
    for (const Slot& slot : old) {
      if (slot.sequence == kNoSequence) continue;
      size_t at = slot.hash & mask_;
      while (slots_[at].sequence != kNoSequence) at = (at + 1) & mask_;
      slots_[at] = slot;
    }
    return arrow::Status::OK();
  }

  base::Reservation memory_;
  std::vector<Slot> slots_;
  std::string arena_;
  size_t mask_ = 0;
  int64_t size_ = 0;
};

}  // namespace

std::unique_ptr<EqualityDeleteSet> EqualityDeleteSet::Make(const std::vector<std::shared_ptr<arrow::DataType>>& key_types,
                                                           base::Reservation memory) {
  if (key_types.size() == 1 && IsIntegerLike(key_types[0]->id())) return std::make_unique<IntegerSet>(std::move(memory));
  return std::make_unique<EncodedRowSet>(std::move(memory));
}

}  // namespace vecruntime::deletes
