// SPDX-License-Identifier: Apache-2.0
// Deleted rows to words: a million rows of one data file. The argument is deleted rows per thousand, scattered.
#include <arrow/result.h>
#include <benchmark/benchmark.h>

#include <random>
#include <string>
#include <vector>

#include "vecruntime/columnar/selection.h"
#include "vecruntime/deletes/deleted_rows.h"

namespace vecruntime::deletes {
namespace {

constexpr int64_t kRows = 1 << 20;
constexpr int64_t kMorselRows = 64 * 1024;

std::vector<int64_t> ScatteredPositions(int64_t per_thousand) {
  std::mt19937 random(3);
  std::vector<int64_t> positions;
  for (int64_t row = 0; row < kRows; ++row) {
    if (static_cast<int64_t>(random() % 1000) < per_thousand) positions.push_back(row);
  }
  return positions;
}

template <typename T>
void Append(T value, std::string* out) {
  out->append(reinterpret_cast<const char*>(&value), sizeof value);
}

// The portable 64-bit roaring bitmap of positions below 2^32: arrays up to 4,096 rows of a container, words above.
std::string Roaring64(const std::vector<int64_t>& positions) {
  constexpr size_t kArrayMax = 4096;
  std::vector<std::vector<uint16_t>> containers(kRows >> 16);
  for (int64_t row : positions) containers[static_cast<size_t>(row >> 16)].push_back(static_cast<uint16_t>(row));
  std::string keys, bodies, out;
  uint32_t count = 0;
  std::vector<uint32_t> sizes;
  for (size_t key = 0; key < containers.size(); ++key) {
    const auto& rows = containers[key];
    if (rows.empty()) continue;
    Append(static_cast<uint16_t>(key), &keys);
    Append(static_cast<uint16_t>(rows.size() - 1), &keys);
    const size_t before = bodies.size();
    if (rows.size() <= kArrayMax) {
      for (uint16_t row : rows) Append(row, &bodies);
    } else {
      std::vector<uint64_t> words(1024);
      for (uint16_t row : rows) words[row >> 6] |= uint64_t{1} << (row & 63);
      for (uint64_t word : words) Append(word, &bodies);
    }
    sizes.push_back(static_cast<uint32_t>(bodies.size() - before));
    ++count;
  }
  Append(uint64_t{1}, &out);
  Append(uint32_t{0}, &out);
  Append(uint32_t{12346}, &out);
  Append(count, &out);
  out += keys;
  uint32_t offset = 8 + 8 * count;
  for (uint32_t size : sizes) {
    Append(offset, &out);
    offset += size;
  }
  return out + bodies;
}

void DeletionVectorDecode(benchmark::State& state) {
  const std::string bytes = Roaring64(ScatteredPositions(state.range(0)));
  for (auto _ : state) {
    auto rows = DeletedRows::FromRoaring64(bytes, "v.puffin", 0);
    if (!rows.ok()) return state.SkipWithError(rows.status().message().c_str());
    benchmark::DoNotOptimize(rows->cardinality());
  }
  state.SetItemsProcessed(state.iterations() * kRows);
  state.SetBytesProcessed(state.iterations() * static_cast<int64_t>(bytes.size()));
}
BENCHMARK(DeletionVectorDecode)->Arg(10)->Arg(100)->Arg(300);

void DeletionVectorToWords(benchmark::State& state) {
  const std::vector<int64_t> positions = ScatteredPositions(state.range(0));
  const DeletedRows deleted = DeletedRows::FromPositions({positions});
  for (auto _ : state) {
    for (int64_t begin = 0; begin < kRows; begin += kMorselRows) {
      auto rows = columnar::Selection::All(kMorselRows, base::FileRow{begin});
      deleted.Narrow(&rows);
      benchmark::DoNotOptimize(rows.words().data());
    }
  }
  state.SetItemsProcessed(state.iterations() * kRows);
}
BENCHMARK(DeletionVectorToWords)->Arg(0)->Arg(10)->Arg(60)->Arg(100)->Arg(300);

void PositionsToDeletedRows(benchmark::State& state) {
  const std::vector<int64_t> positions = ScatteredPositions(state.range(0));
  for (auto _ : state) benchmark::DoNotOptimize(DeletedRows::FromPositions({positions}).cardinality());
  state.SetItemsProcessed(state.iterations() * static_cast<int64_t>(positions.size()));
}
BENCHMARK(PositionsToDeletedRows)->Arg(10)->Arg(100)->Arg(300);

}  // namespace
}  // namespace vecruntime::deletes
