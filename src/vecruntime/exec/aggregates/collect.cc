// SPDX-License-Identifier: Apache-2.0
// collect_list / array_agg and collect_set: the non-NULL values of a group as an array. collect_set is collect_list over distinct values.
#include <arrow/array/array_nested.h>
#include <arrow/buffer.h>
#include <arrow/memory_pool.h>
#include <arrow/type.h>
#include <arrow/util/byte_size.h>

#include <limits>

#include "vecruntime/base/error.h"
#include "vecruntime/exec/aggregates/accumulator.h"
#include "vecruntime/exec/row_encoding.h"
#include "vecruntime/expr/function_registry.h"

namespace vecruntime::exec {
namespace {

class CollectAccumulator : public Accumulator {
 public:
  explicit CollectAccumulator(std::shared_ptr<arrow::DataType> list_type) : list_type_(std::move(list_type)) {}

  void Resize(size_t groups) override { groups_ = groups; }

  arrow::Status Update(const ArrayVector& arguments, const GroupedRows& rows) override {
    const columnar::Selection valid = WithoutNulls(*rows.rows, arguments);
    std::vector<int64_t> taken;
    VisitRows(rows.Among(valid), [&](uint32_t group, int64_t i) {
      taken.push_back(i);
      group_of_.push_back(group);
    });
    if (taken.empty()) return arrow::Status::OK();
    ARROW_ASSIGN_OR_RAISE(auto chunk, TakeRows(arguments[0], taken, arrow::default_memory_pool()));
    return Add(std::move(chunk));
  }

  arrow::Status Merge(Accumulator* other, std::span<const uint32_t> to) override {
    auto* that = static_cast<CollectAccumulator*>(other);
    for (uint32_t group : that->group_of_) group_of_.push_back(to[group]);
    for (auto& chunk : that->chunks_) ARROW_RETURN_NOT_OK(Add(std::move(chunk)));
    return arrow::Status::OK();
  }

  arrow::Result<std::shared_ptr<arrow::Array>> Finish(arrow::MemoryPool* pool) override {
    if (group_of_.size() > static_cast<size_t>(std::numeric_limits<int32_t>::max())) {
      return base::ResourceExhausted("collect_list holds more values than one array can: ", group_of_.size());
    }
    ARROW_ASSIGN_OR_RAISE(auto values, Concatenate(chunks_, list_type_->field(0)->type(), pool));
    ARROW_ASSIGN_OR_RAISE(auto offsets_buffer, arrow::AllocateBuffer(static_cast<int64_t>((groups_ + 1) * sizeof(int32_t)), pool));
    auto* offsets = reinterpret_cast<int32_t*>(offsets_buffer->mutable_data());
    std::fill(offsets, offsets + groups_ + 1, 0);
    for (uint32_t group : group_of_) ++offsets[group + 1];
    for (size_t g = 0; g < groups_; ++g) offsets[g + 1] += offsets[g];
    std::vector<int32_t> cursor(offsets, offsets + groups_);
    std::vector<int64_t> order(group_of_.size());
    for (size_t k = 0; k < group_of_.size(); ++k) order[static_cast<size_t>(cursor[group_of_[k]]++)] = static_cast<int64_t>(k);
    ARROW_ASSIGN_OR_RAISE(auto ordered, TakeRows(values, order, pool));
    return std::make_shared<arrow::ListArray>(list_type_, static_cast<int64_t>(groups_), std::move(offsets_buffer), std::move(ordered));
  }

  int64_t bytes() const override { return chunk_bytes_ + BytesOf(group_of_); }

 private:
  arrow::Status Add(std::shared_ptr<arrow::Array> chunk) {
    ARROW_ASSIGN_OR_RAISE(const int64_t bytes, arrow::util::ReferencedBufferSize(*chunk));
    chunk_bytes_ += bytes;
    chunks_.push_back(std::move(chunk));
    return arrow::Status::OK();
  }

  std::shared_ptr<arrow::DataType> list_type_;
  size_t groups_ = 0;
  std::vector<uint32_t> group_of_;  // of each collected value
  ArrayVector chunks_;
  int64_t chunk_bytes_ = 0;
};

arrow::Status Bind(AggregateCall* call) {
  ARROW_RETURN_NOT_OK(CheckArgumentCount(*call, 1));
  if (call->function == "array_agg") call->function = "collect_list";
  const auto& type = call->arguments[0]->type();
  if (call->function == "collect_set") {
    if (!IsEncodable(*type)) {
      return base::InvalidArgument("[DATATYPE_MISMATCH.UNSUPPORTED_INPUT_TYPE] The input of collect_set can't be \"", expr::TypeName(*type),
                                   "\" type data.");
    }
    call->distinct = true;
  }
  call->type = arrow::list(type);
  return arrow::Status::OK();
}

std::unique_ptr<Accumulator> Make(const AggregateCall& call) { return std::make_unique<CollectAccumulator>(call.type); }

}  // namespace

const AggregateFamily& CollectFamily() {
  static const AggregateFamily family{{"collect_list", "collect_set", "array_agg"}, Bind, Make};
  return family;
}

}  // namespace vecruntime::exec
