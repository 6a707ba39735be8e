// SPDX-License-Identifier: Apache-2.0
#include "vecruntime/exec/group_table.h"

#include <arrow/array.h>
#include <arrow/buffer.h>
#include <arrow/type.h>

#include <bit>
#include <cmath>
#include <cstring>
#include <limits>

#include "vecruntime/base/error.h"
#include "vecruntime/exec/row_encoding.h"

namespace vecruntime::exec {
namespace {

constexpr int64_t kGroupsMax = std::numeric_limits<uint32_t>::max() - 1;

uint64_t Mix(uint64_t a, uint64_t b) {
  const unsigned __int128 product = static_cast<unsigned __int128>(a) * b;
  return static_cast<uint64_t>(product) ^ static_cast<uint64_t>(product >> 64);
}

uint64_t HashWords(uint64_t a, uint64_t b) {
  return Mix(Mix(a ^ 0x9E3779B97F4A7C15u, 0xA0761D6478BD642Fu) ^ b, 0xE7037ED1A0B428DBu);
}

uint64_t HashBytes(std::string_view bytes) {
  uint64_t hash = bytes.size();
  size_t at = 0;
  for (; at + 8 <= bytes.size(); at += 8) {
    uint64_t word;
    std::memcpy(&word, bytes.data() + at, 8);
    hash = Mix(hash ^ word, 0xA0761D6478BD642Fu) + 0x9E3779B97F4A7C15u;
  }
  uint64_t tail = 0;
  if (at < bytes.size()) std::memcpy(&tail, bytes.data() + at, bytes.size() - at);
  return HashWords(hash, tail);
}

// Bits a packed key of this type takes, or 0 when it has no fixed width up to 64.
int BitsOf(const arrow::DataType& type) {
  switch (type.id()) {
    case arrow::Type::NA: return 1;
    case arrow::Type::BOOL: return 1;
    case arrow::Type::INT8: return 8;
    case arrow::Type::INT16: return 16;
    case arrow::Type::INT32:
    case arrow::Type::DATE32:
    case arrow::Type::INTERVAL_MONTHS:
    case arrow::Type::FLOAT: return 32;
    case arrow::Type::INT64:
    case arrow::Type::TIMESTAMP:
    case arrow::Type::TIME64:
    case arrow::Type::DURATION:
    case arrow::Type::DOUBLE: return 64;
    case arrow::Type::DECIMAL128: return static_cast<const arrow::Decimal128Type&>(type).precision() <= 18 ? 64 : 0;
    default: return 0;
  }
}

template <typename Float>
Float Normal(Float value) {
  if (value == 0) return 0;
  return std::isnan(value) ? std::numeric_limits<Float>::quiet_NaN() : value;
}

// Calls put(i, value bits) for every row that is not NULL.
template <typename Put>
void ForEachBits(const arrow::Array& array, Put&& put) {
  const bool has_nulls = array.null_count() != 0;
  auto each = [&](auto&& bits_of) {
    for (int64_t i = 0; i < array.length(); ++i) {
      if (!has_nulls || array.IsValid(i)) put(i, static_cast<uint64_t>(bits_of(i)));
    }
  };
  switch (array.type_id()) {
    case arrow::Type::NA: return;
    case arrow::Type::BOOL: return each([&](int64_t i) { return static_cast<const arrow::BooleanArray&>(array).Value(i); });
    case arrow::Type::INT8: return each([v = array.data()->GetValues<uint8_t>(1)](int64_t i) { return v[i]; });
    case arrow::Type::INT16: return each([v = array.data()->GetValues<uint16_t>(1)](int64_t i) { return v[i]; });
    case arrow::Type::FLOAT:
      return each([v = array.data()->GetValues<float>(1)](int64_t i) { return std::bit_cast<uint32_t>(Normal(v[i])); });
    case arrow::Type::DOUBLE:
      return each([v = array.data()->GetValues<double>(1)](int64_t i) { return std::bit_cast<uint64_t>(Normal(v[i])); });
    case arrow::Type::DECIMAL128:
      return each([&](int64_t i) {
        uint64_t low;
        std::memcpy(&low, static_cast<const arrow::Decimal128Array&>(array).GetValue(i), 8);
        return low;
      });
    default:
      if (BitsOf(*array.type()) == 32) return each([v = array.data()->GetValues<uint32_t>(1)](int64_t i) { return v[i]; });
      return each([v = array.data()->GetValues<uint64_t>(1)](int64_t i) { return v[i]; });
  }
}

template <typename Float>
arrow::Result<std::shared_ptr<arrow::Buffer>> NormalBuffer(const arrow::ArrayData& data, arrow::MemoryPool* pool) {
  const auto rows = static_cast<size_t>(data.offset + data.length);
  ARROW_ASSIGN_OR_RAISE(std::shared_ptr<arrow::Buffer> buffer,
                        arrow::AllocateBuffer(static_cast<int64_t>(rows * sizeof(Float)), pool));
  const auto* from = data.GetValues<Float>(1, 0);
  auto* to = reinterpret_cast<Float*>(buffer->mutable_data());
  for (size_t i = 0; i < rows; ++i) to[i] = Normal(from[i]);
  return buffer;
}

bool HasFloats(const arrow::DataType& type) {
  if (type.id() == arrow::Type::FLOAT || type.id() == arrow::Type::DOUBLE) return true;
  for (const auto& field : type.fields()) {
    if (HasFloats(*field->type())) return true;
  }
  return false;
}

arrow::Result<std::shared_ptr<arrow::ArrayData>> NormalData(const std::shared_ptr<arrow::ArrayData>& data, arrow::MemoryPool* pool) {
  if (!HasFloats(*data->type)) return data;
  auto normal = data->Copy();
  if (data->type->id() == arrow::Type::FLOAT) {
    ARROW_ASSIGN_OR_RAISE(normal->buffers[1], NormalBuffer<float>(*data, pool));
  } else if (data->type->id() == arrow::Type::DOUBLE) {
    ARROW_ASSIGN_OR_RAISE(normal->buffers[1], NormalBuffer<double>(*data, pool));
  }
  for (auto& child : normal->child_data) {
    ARROW_ASSIGN_OR_RAISE(child, NormalData(child, pool));
  }
  return normal;
}

}  // namespace

arrow::Result<std::shared_ptr<arrow::Array>> NormalizeFloats(const std::shared_ptr<arrow::Array>& array, arrow::MemoryPool* pool) {
  if (!HasFloats(*array->type())) return array;
  ARROW_ASSIGN_OR_RAISE(auto data, NormalData(array->data(), pool));
  return arrow::MakeArray(data);
}

GroupTable::GroupTable(const std::vector<std::shared_ptr<arrow::DataType>>& key_types)
    : places_(PlacesOf(key_types)), slots_(1024, 0) {}

std::optional<std::vector<GroupTable::Place>> GroupTable::PlacesOf(const std::vector<std::shared_ptr<arrow::DataType>>& key_types) {
  int used[2] = {0, 0};
  std::vector<Place> places(key_types.size());
  auto place = [&](int bits, int* word, int* shift) {
    *word = used[0] + bits <= 64 ? 0 : 1;
    *shift = used[*word];
    used[*word] += bits;
    return used[*word] <= 64;
  };
  for (size_t k = 0; k < key_types.size(); ++k) {
    const int bits = BitsOf(*key_types[k]);
    if (bits == 0 || !place(bits, &places[k].value_word, &places[k].value_shift)) return std::nullopt;
  }
  for (Place& each : places) {
    if (!place(1, &each.null_word, &each.null_shift)) return std::nullopt;
  }
  return places;
}

int64_t GroupTable::bytes() const {
  return static_cast<int64_t>(slots_.capacity() * sizeof(uint32_t) + hashes_.capacity() * sizeof(uint64_t) +
                              packed_.capacity() * sizeof(Packed) + arena_.capacity() + arena_ends_.capacity() * sizeof(int64_t));
}

arrow::Status GroupTable::Assign(const ArrayVector& keys, const columnar::Selection& rows, std::vector<uint32_t>* group_of,
                                 std::vector<int64_t>* new_rows) {
  group_of->resize(static_cast<size_t>(rows.length()));
  ARROW_RETURN_NOT_OK(Reserve(rows.CountLive()));
  return places_.has_value() ? AssignPacked(keys, rows, group_of->data(), new_rows) : AssignBytes(keys, rows, group_of->data(), new_rows);
}

arrow::Status GroupTable::Reserve(int64_t more) {
  if (size_ + more > kGroupsMax) return base::ResourceExhausted("more groups than a hash table can number: ", size_ + more);
  size_t capacity = slots_.size();
  while (static_cast<size_t>(size_ + more) * 2 > capacity) capacity *= 2;
  if (capacity == slots_.size()) return arrow::Status::OK();
  slots_.assign(capacity, 0);
  for (uint32_t group = 0; group < hashes_.size(); ++group) {
    size_t slot = hashes_[group] & (capacity - 1);
    while (slots_[slot] != 0) slot = (slot + 1) & (capacity - 1);
    slots_[slot] = group + 1;
  }
  return arrow::Status::OK();
}

std::vector<GroupTable::Packed> GroupTable::Pack(const ArrayVector& keys, int64_t rows) const {
  std::vector<Packed> packed(static_cast<size_t>(rows), Packed{0, 0});
  for (size_t k = 0; k < keys.size(); ++k) {
    const Place place = (*places_)[k];
    const arrow::Array& key = *keys[k];
    ForEachBits(key, [&](int64_t i, uint64_t bits) {
      packed[static_cast<size_t>(i)][static_cast<size_t>(place.value_word)] |= bits << place.value_shift;
    });
    if (key.null_count() == 0) continue;
    for (int64_t i = 0; i < rows; ++i) {
      if (key.IsNull(i)) packed[static_cast<size_t>(i)][static_cast<size_t>(place.null_word)] |= uint64_t{1} << place.null_shift;
    }
  }
  return packed;
}

arrow::Status GroupTable::AssignPacked(const ArrayVector& keys, const columnar::Selection& rows, uint32_t* group_of,
                                       std::vector<int64_t>* new_rows) {
  const std::vector<Packed> packed = Pack(keys, rows.length());
  const size_t mask = slots_.size() - 1;
  rows.ForEachLive([&](int64_t i) {
    const Packed& key = packed[static_cast<size_t>(i)];
    const uint64_t hash = HashWords(key[0], key[1]);
    size_t slot = hash & mask;
    while (slots_[slot] != 0 && packed_[slots_[slot] - 1] != key) slot = (slot + 1) & mask;
    if (slots_[slot] == 0) {
      slots_[slot] = static_cast<uint32_t>(++size_);
      hashes_.push_back(hash);
      packed_.push_back(key);
      new_rows->push_back(i);
    }
    group_of[i] = slots_[slot] - 1;
  });
  return arrow::Status::OK();
}

arrow::Status GroupTable::AssignBytes(const ArrayVector& keys, const columnar::Selection& rows, uint32_t* group_of,
                                      std::vector<int64_t>* new_rows) {
  ARROW_ASSIGN_OR_RAISE(const EncodedRows encoded, EncodeForEquality(keys, rows));
  const size_t mask = slots_.size() - 1;
  auto key_of = [&](uint32_t group) {
    const auto begin = group == 0 ? 0 : static_cast<size_t>(arena_ends_[group - 1]);
    return std::string_view(reinterpret_cast<const char*>(arena_.data()) + begin, static_cast<size_t>(arena_ends_[group]) - begin);
  };
  rows.ForEachLive([&](int64_t i) {
    const std::string_view key = encoded.row(i);
    const uint64_t hash = HashBytes(key);
    size_t slot = hash & mask;
    while (slots_[slot] != 0 && (hashes_[slots_[slot] - 1] != hash || key_of(slots_[slot] - 1) != key)) slot = (slot + 1) & mask;
    if (slots_[slot] == 0) {
      slots_[slot] = static_cast<uint32_t>(++size_);
      hashes_.push_back(hash);
      arena_.insert(arena_.end(), key.begin(), key.end());
      arena_ends_.push_back(static_cast<int64_t>(arena_.size()));
      new_rows->push_back(i);
    }
    group_of[i] = slots_[slot] - 1;
  });
  return arrow::Status::OK();
}

}  // namespace vecruntime::exec
