// SPDX-License-Identifier: Apache-2.0
// bool_and / every, bool_or / some / any.
#include <arrow/array/builder_primitive.h>
#include <arrow/type.h>

#include "vecruntime/exec/aggregates/accumulator.h"
#include "vecruntime/expr/function_registry.h"

namespace vecruntime::exec {
namespace {

class BooleanAccumulator : public Accumulator {
 public:
  explicit BooleanAccumulator(bool all) : all_(all) {}

  void Resize(size_t groups) override { seen_.resize(groups, 0); }

  arrow::Status Update(const ArrayVector& arguments, const GroupedRows& rows) override {
    const columnar::Selection valid = WithoutNulls(*rows.rows, arguments);
    const auto& values = static_cast<const arrow::BooleanArray&>(*arguments[0]);
    VisitRows(rows.Among(valid), [&](uint32_t group, int64_t i) { seen_[group] |= values.Value(i) ? kTrue : kFalse; });
    return arrow::Status::OK();
  }

  arrow::Status Merge(Accumulator* other, std::span<const uint32_t> to) override {
    const auto& from = static_cast<BooleanAccumulator*>(other)->seen_;
    for (size_t g = 0; g < to.size(); ++g) seen_[to[g]] |= from[g];
    return arrow::Status::OK();
  }

  arrow::Result<std::shared_ptr<arrow::Array>> Finish(arrow::MemoryPool* pool) override {
    arrow::BooleanBuilder builder(pool);
    ARROW_RETURN_NOT_OK(builder.Reserve(static_cast<int64_t>(seen_.size())));
    for (uint8_t seen : seen_) {
      if (seen == 0) {
        builder.UnsafeAppendNull();
      } else {
        builder.UnsafeAppend(all_ ? seen == kTrue : (seen & kTrue) != 0);
      }
    }
    return builder.Finish();
  }

  int64_t bytes() const override { return BytesOf(seen_); }

 private:
  static constexpr uint8_t kTrue = 1, kFalse = 2;
  bool all_;
  std::vector<uint8_t> seen_;
};

arrow::Status Bind(AggregateCall* call) {
  ARROW_RETURN_NOT_OK(CheckArgumentCount(*call, 1));
  call->function = call->function == "bool_and" || call->function == "every" ? "bool_and" : "bool_or";
  call->type = arrow::boolean();
  if (call->arguments[0]->type()->id() == arrow::Type::NA) {
    ARROW_ASSIGN_OR_RAISE(call->arguments[0], expr::BindCast(call->arguments[0], arrow::boolean(), false));
  }
  return call->arguments[0]->type()->id() == arrow::Type::BOOL ? arrow::Status::OK() : UnexpectedType(*call, 0, "\"BOOLEAN\"");
}

std::unique_ptr<Accumulator> Make(const AggregateCall& call) { return std::make_unique<BooleanAccumulator>(call.function == "bool_and"); }

}  // namespace

const AggregateFamily& BooleanFamily() {
  static const AggregateFamily family{{"bool_and", "every", "bool_or", "some", "any"}, Bind, Make};
  return family;
}

}  // namespace vecruntime::exec
