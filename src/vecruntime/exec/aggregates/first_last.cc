// SPDX-License-Identifier: Apache-2.0
// any_value, first, first_value, last, last_value; the optional second argument TRUE skips NULLs.
#include <arrow/scalar.h>
#include <arrow/type.h>

#include "vecruntime/base/error.h"
#include "vecruntime/exec/aggregates/accumulator.h"
#include "vecruntime/exec/aggregates/group_values.h"

namespace vecruntime::exec {
namespace {

class FirstLastAccumulator : public Accumulator {
 public:
  FirstLastAccumulator(bool last, bool ignore_nulls, std::shared_ptr<arrow::DataType> type)
      : last_(last), ignore_nulls_(ignore_nulls), values_(std::move(type)) {}

  void Resize(size_t groups) override {
    values_.Resize(groups);
    chosen_.resize(groups, -1);
  }

  arrow::Status Update(const ArrayVector& arguments, const GroupedRows& rows) override {
    const columnar::Selection eligible = ignore_nulls_ ? WithoutNulls(*rows.rows, {arguments[0]}) : *rows.rows;
    std::vector<uint32_t> changed;
    VisitRows(rows.Among(eligible), [&](uint32_t group, int64_t i) {
      if (!last_ && (chosen_[group] >= 0 || values_.Has(group))) return;
      if (chosen_[group] < 0) changed.push_back(group);
      chosen_[group] = i;
    });
    std::vector<int64_t> chosen;
    for (uint32_t group : changed) {
      chosen.push_back(chosen_[group]);
      chosen_[group] = -1;
    }
    return values_.Put(arguments[0], changed, chosen);
  }

  arrow::Status Merge(Accumulator* other, std::span<const uint32_t> to) override {
    auto* that = static_cast<FirstLastAccumulator*>(other);
    std::vector<uint32_t> from_groups, to_groups;
    for (uint32_t g = 0; g < to.size(); ++g) {
      if (!that->values_.Has(g) || (!last_ && values_.Has(to[g]))) continue;
      from_groups.push_back(g);
      to_groups.push_back(to[g]);
    }
    return values_.PutFrom(&that->values_, from_groups, to_groups);
  }

  arrow::Result<std::shared_ptr<arrow::Array>> Finish(arrow::MemoryPool* pool) override { return values_.Finish(pool); }
  int64_t bytes() const override { return values_.bytes() + BytesOf(chosen_); }

 private:
  bool last_;
  bool ignore_nulls_;
  GroupValues values_;
  std::vector<int64_t> chosen_;  // row of the current batch, -1 between batches
};

arrow::Status Bind(AggregateCall* call) {
  if (call->arguments.size() != 2) ARROW_RETURN_NOT_OK(CheckArgumentCount(*call, 1));
  if (call->arguments.size() == 2) {
    const expr::Expr& flag = *call->arguments[1];
    if (flag.type()->id() != arrow::Type::BOOL) return UnexpectedType(*call, 1, "\"BOOLEAN\"");
    if (flag.kind() != expr::ExprKind::kLiteral || !flag.value()->is_valid) {
      return base::InvalidArgument("[DATATYPE_MISMATCH.NON_FOLDABLE_INPUT] the second argument of ", call->function,
                                   " should be a foldable boolean, but it is ", flag.ToString());
    }
  }
  if (call->function == "first_value") call->function = "first";
  if (call->function == "last_value") call->function = "last";
  call->type = call->arguments[0]->type();
  return arrow::Status::OK();
}

std::unique_ptr<Accumulator> Make(const AggregateCall& call) {
  const bool ignore_nulls =
      call.arguments.size() == 2 && static_cast<const arrow::BooleanScalar&>(*call.arguments[1]->value()).value;
  return std::make_unique<FirstLastAccumulator>(call.function == "last", ignore_nulls, call.type);
}

}  // namespace

const AggregateFamily& FirstLastFamily() {
  static const AggregateFamily family{{"any_value", "first", "first_value", "last", "last_value"}, Bind, Make};
  return family;
}

}  // namespace vecruntime::exec
