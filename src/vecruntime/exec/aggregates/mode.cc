// SPDX-License-Identifier: Apache-2.0
// mode(x): the most frequent non-NULL value; of several the least (Spark takes any of them).
#include <arrow/buffer.h>
#include <arrow/memory_pool.h>
#include <arrow/type.h>

#include <algorithm>

#include "vecruntime/base/error.h"
#include "vecruntime/exec/aggregates/accumulator.h"
#include "vecruntime/exec/group_table.h"
#include "vecruntime/exec/row_encoding.h"
#include "vecruntime/expr/function_registry.h"

namespace vecruntime::exec {
namespace {

class ModeAccumulator : public Accumulator {
 public:
  explicit ModeAccumulator(const std::shared_ptr<arrow::DataType>& type) : type_(type), table_({arrow::int32(), type}) {}

  void Resize(size_t groups) override { groups_ = groups; }

  arrow::Status Update(const ArrayVector& arguments, const GroupedRows& rows) override {
    const columnar::Selection valid = WithoutNulls(*rows.rows, arguments);
    std::vector<uint32_t> groups(static_cast<size_t>(valid.length()), rows.group);
    if (rows.groups != nullptr) std::copy_n(rows.groups, groups.size(), groups.begin());
    return Count(arguments[0], groups, valid, nullptr);
  }

  arrow::Status Merge(Accumulator* other, std::span<const uint32_t> to) override {
    auto* that = static_cast<ModeAccumulator*>(other);
    ARROW_ASSIGN_OR_RAISE(auto values, Concatenate(that->chunks_, type_, arrow::default_memory_pool()));
    std::vector<uint32_t> groups(that->group_of_.size());
    for (size_t k = 0; k < groups.size(); ++k) groups[k] = to[that->group_of_[k]];
    return Count(values, groups, columnar::Selection::All(values->length()), that->counts_.data());
  }

  arrow::Result<std::shared_ptr<arrow::Array>> Finish(arrow::MemoryPool* pool) override {
    ARROW_ASSIGN_OR_RAISE(auto values, Concatenate(chunks_, type_, pool));
    ARROW_ASSIGN_OR_RAISE(const EncodedRows keys, EncodeOrdered({values}, {ColumnOrder{}}, columnar::Selection::All(values->length())));
    std::vector<int64_t> best(groups_, -1);
    for (size_t k = 0; k < counts_.size(); ++k) {
      int64_t& winner = best[group_of_[k]];
      const auto challenger = static_cast<int64_t>(k);
      if (winner < 0 || counts_[k] > counts_[static_cast<size_t>(winner)] ||
          (counts_[k] == counts_[static_cast<size_t>(winner)] && keys.row(challenger) < keys.row(winner))) {
        winner = challenger;
      }
    }
    return TakeRows(values, best, pool);
  }

  int64_t bytes() const override { return table_.bytes() + BytesOf(group_of_) + BytesOf(counts_) + value_bytes_; }

 private:
  // Adds one (or weights[i]) to the count of each (group, value).
  arrow::Status Count(const std::shared_ptr<arrow::Array>& raw, const std::vector<uint32_t>& groups, const columnar::Selection& rows,
                      const int64_t* weights) {
    ARROW_ASSIGN_OR_RAISE(auto values, NormalizeFloats(raw, arrow::default_memory_pool()));
    ARROW_ASSIGN_OR_RAISE(auto group_array, FixedWidthArray(arrow::int32(), groups.data(), groups.size(), {}, arrow::default_memory_pool()));
    std::vector<uint32_t> pair_of;
    std::vector<int64_t> new_rows;
    ARROW_RETURN_NOT_OK(table_.Assign({group_array, values}, rows, &pair_of, &new_rows));
    counts_.resize(static_cast<size_t>(table_.size()), 0);
    rows.ForEachLive([&](int64_t i) { counts_[pair_of[static_cast<size_t>(i)]] += weights == nullptr ? 1 : weights[i]; });
    if (new_rows.empty()) return arrow::Status::OK();
    for (int64_t row : new_rows) group_of_.push_back(groups[static_cast<size_t>(row)]);
    ARROW_ASSIGN_OR_RAISE(auto chunk, TakeRows(values, new_rows, arrow::default_memory_pool()));
    for (const auto& buffer : chunk->data()->buffers) value_bytes_ += buffer == nullptr ? 0 : buffer->size();
    chunks_.push_back(std::move(chunk));
    return arrow::Status::OK();
  }

  std::shared_ptr<arrow::DataType> type_;
  size_t groups_ = 0;
  GroupTable table_;                // of (group, value); the rest is per such pair
  std::vector<uint32_t> group_of_;
  std::vector<int64_t> counts_;
  ArrayVector chunks_;
  int64_t value_bytes_ = 0;
};

arrow::Status Bind(AggregateCall* call) {
  if (call->arguments.size() == 2) return base::Unsupported("mode with a second argument");
  ARROW_RETURN_NOT_OK(CheckArgumentCount(*call, 1));
  call->type = call->arguments[0]->type();
  if (IsEncodable(*call->type)) return arrow::Status::OK();
  return base::Unsupported("mode of type ", expr::TypeName(*call->type));
}

std::unique_ptr<Accumulator> Make(const AggregateCall& call) { return std::make_unique<ModeAccumulator>(call.type); }

}  // namespace

const AggregateFamily& ModeFamily() {
  static const AggregateFamily family{{"mode"}, Bind, Make};
  return family;
}

}  // namespace vecruntime::exec
