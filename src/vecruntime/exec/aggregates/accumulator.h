// SPDX-License-Identifier: Apache-2.0
// The state of one aggregate for all groups of one worker, and the families of aggregate functions that make it.
#pragma once

#include <arrow/array.h>
#include <arrow/type_fwd.h>

#include <cstdint>
#include <memory>
#include <span>
#include <string_view>
#include <variant>
#include <vector>

#include "vecruntime/columnar/selection.h"
#include "vecruntime/exec/aggregate_function.h"
#include "vecruntime/exec/evaluation.h"
#include "vecruntime/exec/numbers.h"

namespace vecruntime::exec {

/// The rows of a batch that an aggregate sees, and the group of each. `groups` null: every row belongs to `group`.
struct GroupedRows {
  const columnar::Selection* rows = nullptr;
  const uint32_t* groups = nullptr;
  uint32_t group = 0;

  /// The same grouping of other rows of the batch.
  GroupedRows Among(const columnar::Selection& other) const { return {&other, groups, group}; }
};

/// A batch that falls into few groups: the rows of each, and for those who go over the rows once, the part each row is in. One thread.
class GroupParts {
 public:
  static constexpr size_t kPartsMax = 16;

  /// REQUIRES: one to kPartsMax disjoint parts over the same batch, which outlives the object.
  explicit GroupParts(std::vector<GroupedRows> parts) : parts_(std::move(parts)) {}

  const std::vector<GroupedRows>& parts() const { return parts_; }
  /// Rows of each part.
  std::span<const int64_t> sizes();
  /// Index into parts() per row; parts().size() for a row in none.
  const uint8_t* part_of_row();

 private:
  std::vector<GroupedRows> parts_;
  std::vector<int64_t> sizes_;
  std::vector<uint8_t> part_of_row_;
};

/// What an argument comes to over the rows of each cell (code_cells.h): in double for floats, exact for integers and decimals.
using CellSums = std::variant<std::vector<double>, std::vector<Int128>>;

/// One thread at a time. Groups are added by Resize before rows name them.
class Accumulator {
 public:
  virtual ~Accumulator() = default;
  virtual void Resize(size_t groups) = 0;
  /// `arguments` have one value per row of the batch.
  virtual arrow::Status Update(const ArrayVector& arguments, const GroupedRows& rows) = 0;
  /// Update for every part.
  virtual arrow::Status UpdateParts(const ArrayVector& arguments, GroupParts* groups);
  /// Whether the state is made of nothing but the number of rows and the sum of the argument, if there is one: then AddCells may take the
  /// place of Update.
  virtual bool AddsUp() const { return false; }
  /// `rows`: cells instead of rows, each of row_counts[i] rows whose arguments come to sums[i]. REQUIRES: AddsUp.
  virtual void AddCells(const CellSums& /*sums*/, std::span<const int64_t> /*row_counts*/, const GroupedRows& /*rows*/) {}
  /// Whether Update takes arguments that are encoded (columnar/decode.h), if in codes, then of 8 bits and without a NULL in the dictionary.
  virtual bool TakesEncoded() const { return false; }
  /// Whether a call of this kind over the same rows and arguments as that of `other` has the same state, so that one of the two need not be
  /// updated and gets it from the other's by Merge.
  virtual bool HasStateOf(const Accumulator& /*other*/) const { return false; }
  /// Adds the state of `other` (same function or state; consumed by the call unless HasStateOf): its group g is group to[g] here.
  virtual arrow::Status Merge(Accumulator* other, std::span<const uint32_t> to) = 0;
  /// One value per group.
  virtual arrow::Result<std::shared_ptr<arrow::Array>> Finish(arrow::MemoryPool* pool) = 0;
  virtual int64_t bytes() const = 0;
};

/// Functions that share a state, found by name (aliases included).
struct AggregateFamily {
  std::vector<std::string_view> names;
  /// Checks and coerces call->arguments, sets call->type; call->function is the lower-case name as written and is made canonical.
  arrow::Status (*bind)(AggregateCall* call);
  /// REQUIRES: bound.
  std::unique_ptr<Accumulator> (*make)(const AggregateCall& call);
};

const AggregateFamily& BitwiseFamily();
const AggregateFamily& BooleanFamily();
const AggregateFamily& AverageFamily();
const AggregateFamily& CollectFamily();
const AggregateFamily& CountFamily();
const AggregateFamily& CovarianceFamily();
const AggregateFamily& FirstLastFamily();
const AggregateFamily& MinMaxByFamily();
const AggregateFamily& MinMaxFamily();
const AggregateFamily& ModeFamily();
const AggregateFamily& MomentsFamily();
const AggregateFamily& PercentileFamily();
const AggregateFamily& SumFamily();

/// REQUIRES: `call` comes from BindAggregate.
std::unique_ptr<Accumulator> MakeAccumulator(const AggregateCall& call);

/// Errors of binding, with Spark's error classes.
arrow::Status CheckArgumentCount(const AggregateCall& call, size_t expected);
arrow::Status UnexpectedType(const AggregateCall& call, size_t argument, std::string_view required);
/// Casts every argument to double as Spark's implicit casts do.
arrow::Status CoerceArgumentsToDouble(AggregateCall* call);

/// Calls visit(group, row) for the live rows, in order.
template <typename Visit>
void VisitRows(const GroupedRows& grouped, Visit&& visit) {
  const auto words = grouped.rows->words();
  const auto group_of = [&](int64_t i) { return grouped.groups == nullptr ? grouped.group : grouped.groups[i]; };
  for (size_t w = 0; w < words.size(); ++w) {
    const auto base = static_cast<int64_t>(w * 64);
    if (words[w] == ~uint64_t{0}) {
      for (int64_t i = base; i < base + 64; ++i) visit(group_of(i), i);
      continue;
    }
    for (uint64_t word = words[w]; word != 0; word &= word - 1) {
      const int64_t i = base + std::countr_zero(word);
      visit(group_of(i), i);
    }
  }
}

/// The rows among `rows` at which no array of `arguments` is NULL.
columnar::Selection WithoutNulls(const columnar::Selection& rows, const ArrayVector& arguments);

/// An array of a fixed-width type (bool excluded) from one value per group; valid[g] == 0 makes NULL. `valid` empty: no NULL.
arrow::Result<std::shared_ptr<arrow::Array>> FixedWidthArray(const std::shared_ptr<arrow::DataType>& type, const void* values, size_t count,
                                                             std::span<const uint8_t> valid, arrow::MemoryPool* pool);

template <typename T>
int64_t BytesOf(const std::vector<T>& values) {
  return static_cast<int64_t>(values.capacity() * sizeof(T));
}

}  // namespace vecruntime::exec
