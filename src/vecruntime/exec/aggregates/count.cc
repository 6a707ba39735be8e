// SPDX-License-Identifier: Apache-2.0
// count(*), count(a, b, ...), count_if(condition), regr_count(y, x).
#include <arrow/scalar.h>
#include <arrow/type.h>

#include "vecruntime/exec/aggregates/accumulator.h"
#include "vecruntime/expr/function_registry.h"

namespace vecruntime::exec {
namespace {

class CountAccumulator : public Accumulator {
 public:
  CountAccumulator(bool only_true, bool all_rows) : only_true_(only_true), all_rows_(all_rows) {}

  void Resize(size_t groups) override { counts_.resize(groups, 0); }

  arrow::Status Update(const ArrayVector& arguments, const GroupedRows& rows) override {
    columnar::Selection counted = WithoutNulls(*rows.rows, arguments);
    if (only_true_) {
      const auto& condition = static_cast<const arrow::BooleanArray&>(*arguments[0]);
      counted.AndBitmap(condition.values()->data(), condition.offset());
    }
    if (rows.groups == nullptr) {
      counts_[rows.group] += counted.CountLive();
    } else {
      VisitRows(rows.Among(counted), [counts = counts_.data()](uint32_t group, int64_t) { ++counts[group]; });
    }
    return arrow::Status::OK();
  }

  arrow::Status UpdateParts(const ArrayVector& arguments, GroupParts* groups) override {
    if (!arguments.empty()) return Accumulator::UpdateParts(arguments, groups);
    for (size_t p = 0; p < groups->parts().size(); ++p) counts_[groups->parts()[p].group] += groups->sizes()[p];
    return arrow::Status::OK();
  }

  bool AddsUp() const override { return all_rows_; }
  void AddCells(const CellSums&, std::span<const int64_t> row_counts, const GroupedRows& rows) override {
    VisitRows(rows, [&](uint32_t group, int64_t cell) { counts_[group] += row_counts[static_cast<size_t>(cell)]; });
  }

  arrow::Status Merge(Accumulator* other, std::span<const uint32_t> to) override {
    const auto& from = static_cast<CountAccumulator*>(other)->counts_;
    for (size_t g = 0; g < to.size(); ++g) counts_[to[g]] += from[g];
    return arrow::Status::OK();
  }

  arrow::Result<std::shared_ptr<arrow::Array>> Finish(arrow::MemoryPool* pool) override {
    return FixedWidthArray(arrow::int64(), counts_.data(), counts_.size(), {}, pool);
  }

  int64_t bytes() const override { return BytesOf(counts_); }

 private:
  const bool only_true_;
  const bool all_rows_;  // there is no argument
  std::vector<int64_t> counts_;
};

arrow::Status Bind(AggregateCall* call) {
  call->type = arrow::int64();
  if (call->function == "regr_count") {  // of pairs of numbers
    ARROW_RETURN_NOT_OK(CheckArgumentCount(*call, 2));
    ARROW_RETURN_NOT_OK(CoerceArgumentsToDouble(call));
    call->function = "count";
  }
  if (call->function == "count_if") {
    ARROW_RETURN_NOT_OK(CheckArgumentCount(*call, 1));
    if (call->arguments[0]->type()->id() == arrow::Type::NA) {
      ARROW_ASSIGN_OR_RAISE(call->arguments[0], expr::BindCast(call->arguments[0], arrow::boolean(), false));
    }
    return call->arguments[0]->type()->id() == arrow::Type::BOOL ? arrow::Status::OK() : UnexpectedType(*call, 0, "\"BOOLEAN\"");
  }
  // count(1) is count(*).
  if (!call->distinct) {
    std::erase_if(call->arguments,
                  [](const expr::ExprPtr& e) { return e->kind() == expr::ExprKind::kLiteral && e->value()->is_valid; });
  }
  return arrow::Status::OK();
}

std::unique_ptr<Accumulator> Make(const AggregateCall& call) {
  return std::make_unique<CountAccumulator>(call.function == "count_if", call.arguments.empty());
}

}  // namespace

const AggregateFamily& CountFamily() {
  static const AggregateFamily family{{"count", "count_if", "regr_count"}, Bind, Make};
  return family;
}

}  // namespace vecruntime::exec
