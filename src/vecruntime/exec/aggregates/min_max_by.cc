// SPDX-License-Identifier: Apache-2.0
#include "vecruntime/exec/aggregates/min_max_by.h"

#include <arrow/type.h>

#include "vecruntime/base/error.h"
#include "vecruntime/exec/row_encoding.h"
#include "vecruntime/expr/function_registry.h"

namespace vecruntime::exec {

void MinMaxByAccumulator::Resize(size_t groups) {
  values_.Resize(groups);
  best_.resize(groups);
  winner_.resize(groups, -1);
}

bool MinMaxByAccumulator::Offer(uint32_t group, bool has, std::string_view key) {
  std::string& best = best_[group];
  if (has) {
    const int order = key.compare(best);
    if (greatest_ ? order < 0 : order > 0) return false;
  }
  best_bytes_ += static_cast<int64_t>(key.size()) - static_cast<int64_t>(best.size());
  best.assign(key);
  return true;
}

arrow::Status MinMaxByAccumulator::Update(const ArrayVector& arguments, const GroupedRows& rows) {
  const auto& ordering = arguments.back();
  const columnar::Selection valid = WithoutNulls(*rows.rows, {ordering});
  ARROW_ASSIGN_OR_RAISE(const EncodedRows keys, EncodeOrdered({ordering}, {ColumnOrder{}}, valid));
  std::vector<uint32_t> changed;
  VisitRows(rows.Among(valid), [&](uint32_t group, int64_t i) {
    if (!Offer(group, winner_[group] >= 0 || values_.Has(group), keys.row(i))) return;
    if (winner_[group] < 0) changed.push_back(group);
    winner_[group] = i;
  });
  std::vector<int64_t> winners;
  winners.reserve(changed.size());
  for (uint32_t group : changed) {
    winners.push_back(winner_[group]);
    winner_[group] = -1;
  }
  return values_.Put(arguments.front(), changed, winners);
}

arrow::Status MinMaxByAccumulator::Merge(Accumulator* other, std::span<const uint32_t> to) {
  auto* that = static_cast<MinMaxByAccumulator*>(other);
  std::vector<uint32_t> from_groups, to_groups;
  for (uint32_t g = 0; g < to.size(); ++g) {
    if (!that->values_.Has(g) || !Offer(to[g], values_.Has(to[g]), that->best_[g])) continue;
    from_groups.push_back(g);
    to_groups.push_back(to[g]);
  }
  return values_.PutFrom(&that->values_, from_groups, to_groups);
}

int64_t MinMaxByAccumulator::bytes() const {
  return values_.bytes() + BytesOf(best_) + best_bytes_ + BytesOf(winner_);
}

namespace {

arrow::Status Bind(AggregateCall* call) {
  ARROW_RETURN_NOT_OK(CheckArgumentCount(*call, 2));
  if (!IsEncodable(*call->arguments[1]->type())) {
    return base::InvalidArgument("[DATATYPE_MISMATCH.INVALID_ORDERING_TYPE] The `", call->function, "` does not support ordering on type \"",
                                 expr::TypeName(*call->arguments[1]->type()), "\".");
  }
  call->type = call->arguments[0]->type();
  return arrow::Status::OK();
}

std::unique_ptr<Accumulator> Make(const AggregateCall& call) {
  return std::make_unique<MinMaxByAccumulator>(call.function == "max_by", call.type);
}

}  // namespace

const AggregateFamily& MinMaxByFamily() {
  static const AggregateFamily family{{"min_by", "max_by"}, Bind, Make};
  return family;
}

}  // namespace vecruntime::exec
