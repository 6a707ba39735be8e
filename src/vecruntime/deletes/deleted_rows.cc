// SPDX-License-Identifier: Apache-2.0
#include "vecruntime/deletes/deleted_rows.h"

#include <arrow/result.h>

#include <algorithm>
#include <bit>
#include <cstring>
#include <functional>

#include "vecruntime/base/error.h"

namespace vecruntime::deletes {
namespace {

constexpr int64_t kContainerRows = 1 << 16;
constexpr size_t kContainerWords = kContainerRows / 64;
constexpr size_t kArrayMaximum = 4096;  // beyond it a bitset is smaller
constexpr int64_t kContainersAnyway = 16;
constexpr size_t kRowsPerContainerOfBits = 64;

// Kills the rows whose bits are set in `words`, which describe selection indexes [start, start + 65536) and may stick out on both sides.
void KillWords(const std::vector<uint64_t>& words, int64_t start, columnar::Selection* rows) {
  const auto target = rows->mutable_words();
  const int64_t from = std::max<int64_t>(start, 0);
  const int64_t to = std::min(start + kContainerRows, rows->length());
  for (int64_t index = from & ~int64_t{63}; index < to; index += 64) {
    // The 64 source bits that belong to selection indexes [index, index + 64).
    const int64_t bit = index - start;
    uint64_t dead = 0;
    const int64_t low_word = bit >> 6;
    const int shift = static_cast<int>(bit & 63);
    if (low_word >= 0 && low_word < static_cast<int64_t>(kContainerWords)) dead = words[static_cast<size_t>(low_word)] >> shift;
    if (shift != 0 && low_word + 1 >= 0 && low_word + 1 < static_cast<int64_t>(kContainerWords)) {
      dead |= words[static_cast<size_t>(low_word + 1)] << (64 - shift);
    }
    target[static_cast<size_t>(index >> 6)] &= ~dead;
  }
}

// Kills the rows `ascending` of selection indexes [start, start + 65536); they may stick out on both sides.
void KillArray(const std::vector<uint16_t>& ascending, int64_t start, columnar::Selection* rows) {
  const int64_t low = std::max<int64_t>(-start, 0);
  if (low >= kContainerRows) return;
  auto it = std::lower_bound(ascending.begin(), ascending.end(), static_cast<uint16_t>(low));
  const int64_t high = rows->length() - start;
  const auto end = std::partition_point(it, ascending.end(), [&](uint16_t row) { return row < high; });
  const auto words = rows->mutable_words();
  while (it != end) {
    const int64_t word = (start + *it) >> 6;
    uint64_t dead = 0;
    for (; it != end && (start + *it) >> 6 == word; ++it) dead |= uint64_t{1} << ((start + *it) & 63);
    words[static_cast<size_t>(word)] &= ~dead;
  }
}

bool IsAscending(std::span<const int64_t> positions) {
  return std::adjacent_find(positions.begin(), positions.end(), std::greater_equal<>()) == positions.end();
}

}  // namespace

DeletedRows DeletedRows::FromPositions(const std::vector<std::span<const int64_t>>& lists) {
  DeletedRows rows;
  if (lists.size() == 1 && IsAscending(lists[0])) {
    rows.AppendAscending(lists[0]);
    return rows;
  }
  size_t total = 0;
  int64_t last_key = 0;
  for (const auto& list : lists) {
    total += list.size();
    for (const int64_t position : list) last_key = std::max(last_key, position / kContainerRows);
  }
  // Bits are cheaper than sorting unless the rows lie far apart.
  if (last_key < kContainersAnyway || static_cast<uint64_t>(last_key) < total / kRowsPerContainerOfBits) {
    std::vector<uint64_t> words(static_cast<size_t>(last_key + 1) * kContainerWords);
    for (const auto& list : lists) {
      for (const int64_t position : list) words[static_cast<size_t>(position >> 6)] |= uint64_t{1} << (position & 63);
    }
    for (int64_t key = 0; key <= last_key; ++key) {
      rows.AppendWords(key, std::span(words).subspan(static_cast<size_t>(key) * kContainerWords, kContainerWords));
    }
    return rows;
  }
  std::vector<int64_t> positions;
  positions.reserve(total);
  for (const auto& list : lists) positions.insert(positions.end(), list.begin(), list.end());
  std::sort(positions.begin(), positions.end());
  positions.erase(std::unique(positions.begin(), positions.end()), positions.end());
  rows.AppendAscending(positions);
  return rows;
}

DeletedRows DeletedRows::Union(std::span<const DeletedRows* const> parts) {
  std::vector<const Container*> containers;
  for (const DeletedRows* part : parts) {
    for (const Container& container : part->containers_) containers.push_back(&container);
  }
  std::stable_sort(containers.begin(), containers.end(), [](const Container* a, const Container* b) { return a->key < b->key; });
  DeletedRows rows;
  for (auto begin = containers.begin(), end = begin; begin != containers.end(); begin = end) {
    const int64_t key = (*begin)->key;
    while (end != containers.end() && (*end)->key == key) ++end;
    if (end - begin == 1) {
      rows.cardinality_ += CardinalityOf(**begin);
      rows.containers_.push_back(**begin);
      continue;
    }
    columnar::Selection live = columnar::Selection::All(kContainerRows, base::FileRow{key * kContainerRows});
    std::for_each(begin, end, [&](const Container* container) { NarrowBy(*container, &live); });
    for (uint64_t& word : live.mutable_words()) word = ~word;
    rows.AppendWords(key, live.words());
  }
  return rows;
}

int64_t DeletedRows::CardinalityOf(const Container& container) {
  size_t rows = container.array.size();
  for (const uint64_t word : container.words) rows += static_cast<size_t>(std::popcount(word));
  for (const Run& run : container.runs) rows += static_cast<size_t>(run.last - run.first) + 1;
  return static_cast<int64_t>(rows);
}

void DeletedRows::AppendAscending(std::span<const int64_t> positions) {
  cardinality_ += static_cast<int64_t>(positions.size());
  for (auto begin = positions.begin(); begin != positions.end();) {
    Container container{.key = *begin / kContainerRows};
    const auto end = std::partition_point(begin, positions.end(),
                                          [&](int64_t position) { return position / kContainerRows == container.key; });
    if (static_cast<size_t>(end - begin) <= kArrayMaximum) {
      container.array.resize(static_cast<size_t>(end - begin));
      std::transform(begin, end, container.array.begin(), [](int64_t position) { return static_cast<uint16_t>(position); });
    } else {
      container.words.assign(kContainerWords, 0);
      for (auto it = begin; it != end; ++it) {
        const auto low = static_cast<uint16_t>(*it);
        container.words[low >> 6] |= uint64_t{1} << (low & 63);
      }
    }
    containers_.push_back(std::move(container));
    begin = end;
  }
}

void DeletedRows::AppendWords(int64_t key, std::span<const uint64_t> words) {
  int64_t rows = 0;
  for (const uint64_t word : words) rows += std::popcount(word);
  if (rows == 0) return;
  cardinality_ += rows;
  Container container{.key = key};
  if (static_cast<size_t>(rows) > kArrayMaximum) {
    container.words.assign(words.begin(), words.end());
  } else {
    container.array.reserve(static_cast<size_t>(rows));
    for (size_t w = 0; w < words.size(); ++w) {
      for (uint64_t word = words[w]; word != 0; word &= word - 1) {
        container.array.push_back(static_cast<uint16_t>(w * 64 + static_cast<size_t>(std::countr_zero(word))));
      }
    }
  }
  containers_.push_back(std::move(container));
}

// Reads the portable serialization (https://github.com/RoaringBitmap/RoaringFormatSpec) with every length checked before it is used.
class DeletedRows::Decoder {
 public:
  Decoder(std::string_view bytes, std::string_view path, int64_t offset) : bytes_(bytes), path_(path), offset_(offset) {}

  arrow::Result<DeletedRows> Decode() {
    ARROW_ASSIGN_OR_RAISE(const uint64_t bitmaps, Take<uint64_t>());
    // Each bitmap takes at least its key and a cookie with a count.
    if (bitmaps > bytes_.size() / 8) return Corrupt("more bitmaps than bytes");
    int64_t previous = -1;
    for (uint64_t i = 0; i < bitmaps; ++i) {
      ARROW_ASSIGN_OR_RAISE(const uint32_t key, Take<uint32_t>());
      if (static_cast<int64_t>(key) <= previous) return Corrupt("bitmap keys do not ascend");
      if (key > 0x7FFFFFFF) return Corrupt("position is negative");
      previous = key;
      ARROW_RETURN_NOT_OK(DecodeBitmap(static_cast<int64_t>(key) << 16));
    }
    if (at_ != bytes_.size()) return Corrupt("bytes after the last bitmap");
    return std::move(rows_);
  }

 private:
  static constexpr uint32_t kCookieNoRuns = 12346;
  static constexpr uint32_t kCookieRuns = 12347;
  static constexpr uint32_t kOffsetsFrom = 4;  // containers from which on a bitmap with runs has an offset table

  struct Header { uint16_t key; uint32_t cardinality; bool is_run; };

  arrow::Status DecodeBitmap(int64_t first_key) {
    ARROW_ASSIGN_OR_RAISE(const uint32_t cookie, Take<uint32_t>());
    const bool has_runs = (cookie & 0xFFFF) == kCookieRuns;
    if (!has_runs && cookie != kCookieNoRuns) return Corrupt("unknown roaring cookie");
    uint32_t count = (cookie >> 16) + 1;
    std::string_view run_flags;
    if (has_runs) {
      ARROW_ASSIGN_OR_RAISE(run_flags, TakeBytes((count + 7) / 8));
    } else {
      ARROW_ASSIGN_OR_RAISE(count, Take<uint32_t>());
      if (count > kContainerRows) return Corrupt("more than 65536 containers");
    }
    ARROW_ASSIGN_OR_RAISE(const std::vector<Header> headers, DecodeHeaders(count, run_flags));
    if (!has_runs || count >= kOffsetsFrom) ARROW_RETURN_NOT_OK(TakeBytes(size_t{4} * count).status());
    for (const Header& header : headers) {
      Container container{.key = first_key + header.key};
      ARROW_RETURN_NOT_OK(header.is_run                          ? DecodeRuns(header, &container)
                          : header.cardinality <= kArrayMaximum ? DecodeArray(header, &container)
                                                                 : DecodeBitset(header, &container));
      rows_.cardinality_ += header.cardinality;
      rows_.containers_.push_back(std::move(container));
    }
    return arrow::Status::OK();
  }

  arrow::Result<std::vector<Header>> DecodeHeaders(uint32_t count, std::string_view run_flags) {
    if (size_t{4} * count > bytes_.size() - at_) return Corrupt("more containers than bytes");
    std::vector<Header> headers;
    headers.reserve(count);
    for (uint32_t i = 0; i < count; ++i) {
      ARROW_ASSIGN_OR_RAISE(const uint16_t key, Take<uint16_t>());
      ARROW_ASSIGN_OR_RAISE(const uint16_t cardinality_less_one, Take<uint16_t>());
      if (!headers.empty() && key <= headers.back().key) return Corrupt("container keys do not ascend");
      const bool is_run = !run_flags.empty() && ((static_cast<uint8_t>(run_flags[i / 8]) >> (i % 8)) & 1) != 0;
      headers.push_back({key, uint32_t{cardinality_less_one} + 1, is_run});
    }
    return headers;
  }

  arrow::Status DecodeArray(const Header& header, Container* container) {
    ARROW_ASSIGN_OR_RAISE(const std::string_view values, TakeBytes(size_t{2} * header.cardinality));
    container->array.resize(header.cardinality);
    std::memcpy(container->array.data(), values.data(), values.size());
    const auto unordered = std::adjacent_find(container->array.begin(), container->array.end(), std::greater_equal<>());
    return unordered == container->array.end() ? arrow::Status::OK() : Corrupt("array container does not ascend");
  }

  arrow::Status DecodeBitset(const Header& header, Container* container) {
    ARROW_ASSIGN_OR_RAISE(const std::string_view values, TakeBytes(kContainerWords * 8));
    container->words.resize(kContainerWords);
    std::memcpy(container->words.data(), values.data(), values.size());
    uint32_t bits = 0;
    for (const uint64_t word : container->words) bits += static_cast<uint32_t>(std::popcount(word));
    return bits == header.cardinality ? arrow::Status::OK() : Corrupt("bitset container has another cardinality than its header");
  }

  arrow::Status DecodeRuns(const Header& header, Container* container) {
    ARROW_ASSIGN_OR_RAISE(const uint16_t count, Take<uint16_t>());
    if (size_t{4} * count > bytes_.size() - at_) return Corrupt("more runs than bytes");
    container->runs.reserve(count);
    int64_t previous_last = -1;
    uint32_t rows = 0;
    for (uint16_t i = 0; i < count; ++i) {
      ARROW_ASSIGN_OR_RAISE(const uint16_t first, Take<uint16_t>());
      ARROW_ASSIGN_OR_RAISE(const uint16_t length_less_one, Take<uint16_t>());
      const int64_t last = int64_t{first} + length_less_one;
      if (first <= previous_last || last >= kContainerRows) return Corrupt("runs overlap, do not ascend or leave their container");
      container->runs.push_back({first, static_cast<uint16_t>(last)});
      rows += uint32_t{length_less_one} + 1;
      previous_last = last;
    }
    return rows == header.cardinality ? arrow::Status::OK() : Corrupt("run container has another cardinality than its header");
  }

  arrow::Result<std::string_view> TakeBytes(size_t count) {
    if (count > bytes_.size() - at_) return Corrupt("bitmap is cut short");
    const std::string_view taken = bytes_.substr(at_, count);
    at_ += count;
    return taken;
  }

  template <typename T>
  arrow::Result<T> Take() {
    static_assert(std::endian::native == std::endian::little);
    ARROW_ASSIGN_OR_RAISE(const std::string_view bytes, TakeBytes(sizeof(T)));
    T value;
    std::memcpy(&value, bytes.data(), sizeof(T));
    return value;
  }

  arrow::Status Corrupt(const char* what) const {
    return base::CorruptData("deletion vector: ", what, ": file ", path_, ", byte ", offset_ + static_cast<int64_t>(at_));
  }

  const std::string_view bytes_;
  const std::string_view path_;
  const int64_t offset_;
  size_t at_ = 0;
  DeletedRows rows_;
};

arrow::Result<DeletedRows> DeletedRows::FromRoaring64(std::string_view bytes, std::string_view path, int64_t offset) {
  return Decoder(bytes, path, offset).Decode();
}

void DeletedRows::Narrow(columnar::Selection* rows) const {
  if (rows->length() == 0) return;
  const base::FileRowRange range = rows->range();
  const int64_t first_key = range.begin.value / kContainerRows;
  const auto from = std::lower_bound(containers_.begin(), containers_.end(), first_key,
                                     [](const Container& container, int64_t key) { return container.key < key; });
  for (auto it = from; it != containers_.end() && it->key * kContainerRows < range.end.value; ++it) NarrowBy(*it, rows);
}

void DeletedRows::NarrowBy(const Container& container, columnar::Selection* rows) {
  // Selection index of the container's first row; negative when the selection starts inside the container.
  const int64_t start = container.key * kContainerRows - rows->begin().value;
  if (!container.words.empty()) {
    KillWords(container.words, start, rows);
    return;
  }
  if (!container.array.empty()) {
    KillArray(container.array, start, rows);
    return;
  }
  auto run = std::partition_point(container.runs.begin(), container.runs.end(), [&](const Run& r) { return start + r.last < 0; });
  for (; run != container.runs.end() && start + run->first < rows->length(); ++run) {
    rows->KillRange(start + run->first, start + run->last + 1);
  }
}

int64_t DeletedRows::size_bytes() const {
  int64_t bytes = 0;
  for (const Container& container : containers_) {
    bytes += static_cast<int64_t>(sizeof(Container) + container.array.size() * 2 + container.words.size() * 8 + container.runs.size() * 4);
  }
  return bytes;
}

}  // namespace vecruntime::deletes
