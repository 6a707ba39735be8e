// SPDX-License-Identifier: Apache-2.0
// Probes of one morsel's keys against an equality-delete set of so many keys; half of the probed keys are in it. Dense: the keys are
// consecutive integers, as order numbers are. Sparse: they are spread over 2^62. Text: they are strings.
#include <arrow/array/builder_binary.h>
#include <arrow/array/builder_primitive.h>
#include <arrow/result.h>
#include <arrow/type.h>
#include <benchmark/benchmark.h>

#include <random>
#include <string>

#include "vecruntime/deletes/equality_delete_set.h"

namespace vecruntime::deletes {
namespace {

constexpr int64_t kRows = 64 * 1024;
enum class Keys { kDense, kSparse, kText };

uint64_t Mixed(int64_t key) { return static_cast<uint64_t>(key) * 0x9E3779B97F4A7C15u; }

arrow::Result<std::shared_ptr<arrow::Array>> MakeKeys(Keys keys, const std::vector<int64_t>& numbers) {
  if (keys == Keys::kText) {
    arrow::StringBuilder builder;
    for (int64_t number : numbers) ARROW_RETURN_NOT_OK(builder.Append("customer-" + std::to_string(Mixed(number))));
    return builder.Finish();
  }
  arrow::Int64Builder builder;
  for (int64_t number : numbers) ARROW_RETURN_NOT_OK(builder.Append(keys == Keys::kDense ? number : static_cast<int64_t>(Mixed(number) >> 2)));
  return builder.Finish();
}

// Every even number below 2 * size is a deleted key.
arrow::Result<std::shared_ptr<const EqualityDeleteSet>> MakeSet(Keys keys, int64_t size) {
  std::vector<int64_t> numbers;
  for (int64_t i = 0; i < size; ++i) numbers.push_back(2 * i);
  ARROW_ASSIGN_OR_RAISE(auto array, MakeKeys(keys, numbers));
  base::Reservation memory;
  return EqualityDeleteSet::Build({array->type()}, {{{array}, 2}}, &memory);
}

arrow::Status Probe(benchmark::State& state, Keys keys) {
  const int64_t size = state.range(0);
  ARROW_ASSIGN_OR_RAISE(const auto set, MakeSet(keys, size));
  std::mt19937_64 random(4);
  std::vector<int64_t> numbers;
  for (int64_t i = 0; i < kRows; ++i) numbers.push_back(static_cast<int64_t>(random() % static_cast<uint64_t>(2 * size)));
  ARROW_ASSIGN_OR_RAISE(const auto array, MakeKeys(keys, numbers));
  for (auto _ : state) {
    auto rows = columnar::Selection::All(kRows);
    ARROW_RETURN_NOT_OK(set->Narrow({array}, 1, &rows));
    benchmark::DoNotOptimize(rows.words().data());
  }
  state.SetItemsProcessed(state.iterations() * kRows);
  return arrow::Status::OK();
}

void EqualityProbe(benchmark::State& state, Keys keys) {
  const arrow::Status status = Probe(state, keys);
  if (!status.ok()) state.SkipWithError(status.message().c_str());
}
BENCHMARK_CAPTURE(EqualityProbe, dense, Keys::kDense)->RangeMultiplier(100)->Range(100, 1'000'000);
BENCHMARK_CAPTURE(EqualityProbe, sparse, Keys::kSparse)->RangeMultiplier(100)->Range(100, 1'000'000);
BENCHMARK_CAPTURE(EqualityProbe, text, Keys::kText)->RangeMultiplier(100)->Range(100, 1'000'000);

}  // namespace
}  // namespace vecruntime::deletes
