// SPDX-License-Identifier: Apache-2.0
// Selections and the kernels over them, on one morsel. The argument of most is the share of live rows in percent, scattered.
#include <benchmark/benchmark.h>

#include <random>
#include <vector>

#include "vecruntime/columnar/kernels.h"
#include "vecruntime/columnar/selection.h"

namespace vecruntime::columnar {
namespace {

constexpr int64_t kRows = 64 * 1024;

Selection Scattered(int64_t percent_live) {
  std::mt19937 random(1);
  Selection rows = Selection::All(kRows);
  for (int64_t i = 0; i < kRows; ++i) {
    if (static_cast<int64_t>(random() % 100) >= percent_live) rows.Kill(i);
  }
  return rows;
}

std::vector<uint8_t> RandomBytes(size_t count, unsigned limit) {
  std::mt19937 random(2);
  std::vector<uint8_t> bytes(count);
  for (uint8_t& byte : bytes) byte = static_cast<uint8_t>(random() % limit);
  return bytes;
}

void SelectionAnd(benchmark::State& state) {
  const Selection other = Scattered(50);
  Selection rows = Selection::All(kRows);
  for (auto _ : state) {
    rows.And(other);
    benchmark::DoNotOptimize(rows.words().data());
  }
  state.SetItemsProcessed(state.iterations() * kRows);
}
BENCHMARK(SelectionAnd);

void SelectionCountLive(benchmark::State& state) {
  const Selection rows = Scattered(50);
  for (auto _ : state) benchmark::DoNotOptimize(rows.CountLive());
  state.SetItemsProcessed(state.iterations() * kRows);
}
BENCHMARK(SelectionCountLive);

void SelectionLiveIndices(benchmark::State& state) {
  const Selection rows = Scattered(state.range(0));
  for (auto _ : state) benchmark::DoNotOptimize(rows.LiveIndices());
  state.SetItemsProcessed(state.iterations() * kRows);
}
BENCHMARK(SelectionLiveIndices)->Arg(2)->Arg(50)->Arg(98);

void KernelMatchCodes(benchmark::State& state, InstructionSet set) {
  const Kernels* const kernels = KernelsFor(set);
  if (kernels == nullptr) return state.SkipWithError("not on this processor");
  constexpr int64_t kEntries = 50;
  const std::vector<uint8_t> codes = RandomBytes(kRows, kEntries);
  std::vector<uint8_t> table(256);
  for (size_t i = 0; i < kEntries; i += 3) table[i] = 0xff;
  std::vector<uint64_t> words(kRows / 64);
  for (auto _ : state) {
    kernels->match8(codes.data(), kRows, table.data(), kEntries, words.data());
    benchmark::DoNotOptimize(words.data());
  }
  state.SetItemsProcessed(state.iterations() * kRows);
}
BENCHMARK_CAPTURE(KernelMatchCodes, scalar, InstructionSet::kScalar);
BENCHMARK_CAPTURE(KernelMatchCodes, avx2, InstructionSet::kAvx2);
BENCHMARK_CAPTURE(KernelMatchCodes, avx512, InstructionSet::kAvx512);

// Scattered deletes must cost nothing more than none.
void KernelSum(benchmark::State& state, InstructionSet set) {
  const Kernels* const kernels = KernelsFor(set);
  if (kernels == nullptr) return state.SkipWithError("not on this processor");
  const Selection rows = Scattered(state.range(0));
  const std::vector<double> values(kRows, 1.5);
  double lanes[kSumLanes] = {};
  for (auto _ : state) {
    kernels->sum_double(values.data(), rows.words().data(), kRows, lanes);
    benchmark::DoNotOptimize(lanes[0]);
  }
  state.SetItemsProcessed(state.iterations() * kRows);
}
BENCHMARK_CAPTURE(KernelSum, scalar, InstructionSet::kScalar)->Arg(100)->Arg(90)->Arg(2);
BENCHMARK_CAPTURE(KernelSum, avx2, InstructionSet::kAvx2)->Arg(100)->Arg(90)->Arg(2);
BENCHMARK_CAPTURE(KernelSum, avx512, InstructionSet::kAvx512)->Arg(100)->Arg(90)->Arg(2);

void KernelUnpack(benchmark::State& state) {
  const int width = static_cast<int>(state.range(0));
  const std::vector<uint8_t> packed = RandomBytes(kRows * static_cast<size_t>(width) / 8, 256);
  std::vector<uint8_t> codes(kRows);
  for (auto _ : state) {
    ActiveKernels().unpack8(packed.data(), width, kRows, codes.data());
    benchmark::DoNotOptimize(codes.data());
  }
  state.SetItemsProcessed(state.iterations() * kRows);
}
BENCHMARK(KernelUnpack)->Arg(1)->Arg(4)->Arg(6)->Arg(8);

}  // namespace
}  // namespace vecruntime::columnar
