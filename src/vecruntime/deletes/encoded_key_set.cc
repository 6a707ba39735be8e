// SPDX-License-Identifier: Apache-2.0
#include <arrow/array.h>
#include <arrow/result.h>
#include <arrow/type.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>
#include <limits>
#include <string>
#include <string_view>

#include "vecruntime/base/error.h"
#include "vecruntime/deletes/key_sets_internal.h"
#include "vecruntime/deletes/key_slots_internal.h"

namespace vecruntime::deletes {
namespace {

constexpr size_t kRowsPerStep = 1024;

template <typename Float>
Float CanonicalNan(Float value) {
  return std::isnan(value) ? std::numeric_limits<Float>::quiet_NaN() : value;
}

// One key column, encoded so that equal keys have equal bytes: a NULL mark, then the value (variable ones behind their length).
class ValueEncoder {
 public:
  static arrow::Result<ValueEncoder> Make(const arrow::Array& array) {
    const auto id = array.type_id();
    if (!arrow::is_fixed_width(id) && !arrow::is_binary_like(id) && id != arrow::Type::NA) {
      return base::Unsupported("equality delete key of type ", array.type()->ToString());
    }
    return ValueEncoder(array);
  }

  // Adds the encoded length of each of `rows` to its entry of `lengths`.
  void AddLengths(const std::vector<int64_t>& rows, std::vector<size_t>* lengths) const {
    for (size_t i = 0; i < rows.size(); ++i) {
      size_t length = 1;
      if (!IsNull(rows[i])) length += is_binary_ ? sizeof(uint32_t) + Text(rows[i]).size() : width_;
      (*lengths)[i] += length;
    }
  }

  // Writes each of `rows` to its place and moves the place behind it.
  void Write(const std::vector<int64_t>& rows, std::vector<char*>* places) const {
    for (size_t i = 0; i < rows.size(); ++i) {
      char*& to = (*places)[i];
      const bool null = IsNull(rows[i]);
      *to++ = null ? '\0' : '\1';
      if (!null) to = WriteValue(rows[i], to);
    }
  }

 private:
  explicit ValueEncoder(const arrow::Array& array)
      : array_(array), id_(array.type_id()), has_nulls_(array.null_count() != 0), is_binary_(arrow::is_binary_like(id_)) {
    if (id_ == arrow::Type::BOOL) {
      width_ = 1;
    } else if (arrow::is_fixed_width(id_)) {
      width_ = static_cast<size_t>(array.type()->bit_width() / 8);
      values_ = array.data()->GetValues<uint8_t>(1, 0) + static_cast<size_t>(array.offset()) * width_;
    }
  }

  bool IsNull(int64_t row) const { return has_nulls_ && array_.IsNull(row); }
  std::string_view Text(int64_t row) const { return static_cast<const arrow::BinaryArray&>(array_).GetView(row); }

  char* WriteValue(int64_t row, char* to) const {
    if (is_binary_) {
      const std::string_view text = Text(row);
      return std::copy(text.begin(), text.end(), WriteRaw(static_cast<uint32_t>(text.size()), to));
    }
    switch (id_) {
      case arrow::Type::BOOL:
        return WriteRaw(static_cast<uint8_t>(static_cast<const arrow::BooleanArray&>(array_).Value(row)), to);
      case arrow::Type::FLOAT:
        return WriteRaw(CanonicalNan(static_cast<const arrow::FloatArray&>(array_).Value(row)), to);
      case arrow::Type::DOUBLE:
        return WriteRaw(CanonicalNan(static_cast<const arrow::DoubleArray&>(array_).Value(row)), to);
      default:
        std::memcpy(to, values_ + static_cast<size_t>(row) * width_, width_);
        return to + width_;
    }
  }
  template <typename T>
  static char* WriteRaw(T value, char* to) {
    std::memcpy(to, &value, sizeof(value));
    return to + sizeof(value);
  }

  const arrow::Array& array_;
  const arrow::Type::type id_;
  const bool has_nulls_;
  const bool is_binary_;
  size_t width_ = 0;
  const uint8_t* values_ = nullptr;
};

// A step of rows over all key columns, encoded and hashed. Its buffers are reused from step to step.
class EncodedRows {
 public:
  static arrow::Result<EncodedRows> Make(const std::vector<std::shared_ptr<arrow::Array>>& columns, uint64_t seed) {
    EncodedRows rows(seed);
    for (const auto& column : columns) {
      ARROW_ASSIGN_OR_RAISE(ValueEncoder encoder, ValueEncoder::Make(*column));
      rows.encoders_.push_back(encoder);
    }
    return rows;
  }

  void Encode(const std::vector<int64_t>& rows) {
    lengths_.assign(rows.size(), 0);
    for (const ValueEncoder& encoder : encoders_) encoder.AddLengths(rows, &lengths_);
    size_t bytes = 0;
    for (const size_t length : lengths_) bytes += length;
    bytes_.resize(bytes);
    places_.resize(rows.size());
    char* place = bytes_.data();
    for (size_t i = 0; i < rows.size(); place += lengths_[i++]) places_[i] = place;
    for (const ValueEncoder& encoder : encoders_) encoder.Write(rows, &places_);
    hashes_.resize(rows.size());
    for (size_t i = 0; i < rows.size(); ++i) hashes_[i] = HashOfBytes(Row(i), seed_);
  }

  size_t size() const { return hashes_.size(); }
  size_t bytes() const { return bytes_.size(); }
  std::string_view Row(size_t i) const { return {places_[i] - lengths_[i], lengths_[i]}; }
  uint64_t Hash(size_t i) const { return hashes_[i]; }

 private:
  explicit EncodedRows(uint64_t seed) : seed_(seed) {}

  const uint64_t seed_;
  std::vector<ValueEncoder> encoders_;
  std::string bytes_;
  std::vector<size_t> lengths_;
  std::vector<char*> places_;  // behind each row
  std::vector<uint64_t> hashes_;
};

// Calls visit(rows) for steps of the live rows.
template <typename Visit>
arrow::Status InSteps(const columnar::Selection& live, Visit&& visit) {
  std::vector<int64_t> step;
  step.reserve(kRowsPerStep + 64);
  const auto words = live.words();
  for (size_t w = 0; w < words.size(); ++w) {
    for (uint64_t word = words[w]; word != 0; word &= word - 1) step.push_back(static_cast<int64_t>(w * 64) + std::countr_zero(word));
    if (step.size() < kRowsPerStep && w + 1 < words.size()) continue;
    if (!step.empty()) ARROW_RETURN_NOT_OK(visit(step));
    step.clear();
  }
  return arrow::Status::OK();
}

// Rows of any key columns as byte strings in one arena.
class EncodedKeySet : public EqualityDeleteSet {
 public:
  arrow::Status Build(const std::vector<DeletedKeys>& parts, base::Reservation* memory) {
    size_t rows = 0;
    for (const DeletedKeys& part : parts) {
      rows += static_cast<size_t>(part.columns[0]->length());
      one_sequence_ &= part.sequence == parts[0].sequence;
    }
    const size_t capacity = KeySlots::CapacityFor(rows);
    const size_t slot_bytes = capacity * (1 + sizeof(Slot) + (one_sequence_ ? 0 : sizeof(int64_t)));
    ARROW_RETURN_NOT_OK(memory->Resize(static_cast<int64_t>(slot_bytes)));
    slots_ = KeySlots(capacity);
    entries_.resize(capacity);
    if (one_sequence_) {
      sequence_ = parts.empty() ? kNoSequence : parts[0].sequence;
    } else {
      sequences_.assign(capacity, kNoSequence);
    }
    for (const DeletedKeys& part : parts) ARROW_RETURN_NOT_OK(Add(part, slot_bytes, memory));
    return arrow::Status::OK();
  }

  arrow::Status Narrow(const std::vector<std::shared_ptr<arrow::Array>>& keys, int64_t data_sequence,
                       columnar::Selection* rows) const override {
    if (size_ == 0 || (one_sequence_ && sequence_ <= data_sequence)) return arrow::Status::OK();
    ARROW_ASSIGN_OR_RAISE(EncodedRows encoded, EncodedRows::Make(keys, seed_));
    return InSteps(*rows, [&](const std::vector<int64_t>& step) {
      encoded.Encode(step);
      for (size_t i = 0; i < step.size(); ++i) slots_.Prefetch(encoded.Hash(i));
      for (size_t i = 0; i < step.size(); ++i) {
        const size_t slot = Place(encoded.Row(i), encoded.Hash(i));
        if (slots_.occupied(slot) && (one_sequence_ || sequences_[slot] > data_sequence)) rows->Kill(step[i]);
      }
      return arrow::Status::OK();
    });
  }

  int64_t size() const override { return size_; }

 private:
  struct Slot { size_t offset = 0; size_t length = 0; };

  arrow::Status Add(const DeletedKeys& part, size_t slot_bytes, base::Reservation* memory) {
    ARROW_ASSIGN_OR_RAISE(EncodedRows encoded, EncodedRows::Make(part.columns, seed_));
    return InSteps(columnar::Selection::All(part.columns[0]->length()), [&](const std::vector<int64_t>& step) {
      encoded.Encode(step);
      if (arena_.size() + encoded.bytes() > arena_.capacity()) {
        const size_t grown = std::max(arena_.capacity() * 2, arena_.size() + encoded.bytes());
        ARROW_RETURN_NOT_OK(memory->Resize(static_cast<int64_t>(slot_bytes + grown)));
        arena_.reserve(grown);
      }
      for (size_t i = 0; i < encoded.size(); ++i) Insert(encoded.Row(i), encoded.Hash(i), part.sequence);
      return arrow::Status::OK();
    });
  }

  void Insert(std::string_view row, uint64_t hash, int64_t sequence) {
    const size_t slot = Place(row, hash);
    if (!slots_.occupied(slot)) {
      slots_.Occupy(slot, hash);
      entries_[slot] = {arena_.size(), row.size()};
      arena_.append(row);
      ++size_;
    }
    if (!one_sequence_) sequences_[slot] = std::max(sequences_[slot], sequence);
  }

  size_t Place(std::string_view row, uint64_t hash) const {
    return slots_.Find(hash, [&](size_t slot) {
      return entries_[slot].length == row.size() && std::memcmp(arena_.data() + entries_[slot].offset, row.data(), row.size()) == 0;
    });
  }

  const uint64_t seed_ = HashSeed();
  bool one_sequence_ = true;
  int64_t sequence_ = kNoSequence;  // when there is one
  KeySlots slots_{KeySlots::CapacityFor(0)};
  std::vector<Slot> entries_;
  std::vector<int64_t> sequences_;  // by slot, when they differ
  std::string arena_;
  int64_t size_ = 0;
};

}  // namespace

arrow::Result<std::shared_ptr<EqualityDeleteSet>> BuildEncodedKeySet(const std::vector<DeletedKeys>& parts, base::Reservation* memory) {
  auto set = std::make_shared<EncodedKeySet>();
  ARROW_RETURN_NOT_OK(set->Build(parts, memory));
  return set;
}

}  // namespace vecruntime::deletes
