// SPDX-License-Identifier: Apache-2.0
// The value at the least or greatest ordering, for any orderable type.
#pragma once

#include <string>
#include <vector>

#include "vecruntime/exec/aggregates/accumulator.h"
#include "vecruntime/exec/aggregates/group_values.h"

namespace vecruntime::exec {

/// Arguments: value, ordering; or one argument that is both (min and max of nested types). Rows whose ordering is NULL do not count; of
/// equal orderings the later row wins, as in Spark.
class MinMaxByAccumulator : public Accumulator {
 public:
  MinMaxByAccumulator(bool greatest, std::shared_ptr<arrow::DataType> type) : greatest_(greatest), values_(std::move(type)) {}

  void Resize(size_t groups) override;
  arrow::Status Update(const ArrayVector& arguments, const GroupedRows& rows) override;
  arrow::Status Merge(Accumulator* other, std::span<const uint32_t> to) override;
  arrow::Result<std::shared_ptr<arrow::Array>> Finish(arrow::MemoryPool* pool) override { return values_.Finish(pool); }
  int64_t bytes() const override;

 private:
  // Takes `key` as the group's best when it is at least as good; tells whether it did.
  bool Offer(uint32_t group, bool has, std::string_view key);

  bool greatest_;
  GroupValues values_;
  std::vector<std::string> best_;  // order-preserving encoding
  int64_t best_bytes_ = 0;
  std::vector<int64_t> winner_;  // row of the current batch, -1 between batches
};

}  // namespace vecruntime::exec
