// SPDX-License-Identifier: Apache-2.0
// bit_and, bit_or, bit_xor over integers of any width.
#include <arrow/type.h>

#include "vecruntime/exec/aggregates/accumulator.h"
#include "vecruntime/expr/function_registry.h"

namespace vecruntime::exec {
namespace {

enum class Operation { kAnd, kOr, kXor };

int64_t Apply(Operation operation, int64_t a, int64_t b) {
  return operation == Operation::kAnd ? a & b : operation == Operation::kOr ? a | b : a ^ b;
}

// Works on the sign-extended 64-bit value; the low bytes are the narrower result.
class BitwiseAccumulator : public Accumulator {
 public:
  BitwiseAccumulator(Operation operation, std::shared_ptr<arrow::DataType> type) : operation_(operation), type_(std::move(type)) {}

  void Resize(size_t groups) override {
    bits_.resize(groups, operation_ == Operation::kAnd ? -1 : 0);
    valid_.resize(groups, 0);
  }

  arrow::Status Update(const ArrayVector& arguments, const GroupedRows& rows) override {
    const columnar::Selection valid = WithoutNulls(*rows.rows, arguments);
    const auto& data = *arguments[0]->data();
    auto typed = [&](const auto* values) {
      VisitRows(rows.Among(valid), [&](uint32_t group, int64_t i) {
        bits_[group] = Apply(operation_, bits_[group], values[i]);
        valid_[group] = 1;
      });
    };
    switch (type_->id()) {
      case arrow::Type::INT8: typed(data.GetValues<int8_t>(1)); break;
      case arrow::Type::INT16: typed(data.GetValues<int16_t>(1)); break;
      case arrow::Type::INT32: typed(data.GetValues<int32_t>(1)); break;
      default: typed(data.GetValues<int64_t>(1)); break;
    }
    return arrow::Status::OK();
  }

  arrow::Status Merge(Accumulator* other, std::span<const uint32_t> to) override {
    const auto& from = *static_cast<BitwiseAccumulator*>(other);
    for (size_t g = 0; g < to.size(); ++g) {
      if (from.valid_[g] == 0) continue;
      bits_[to[g]] = Apply(operation_, bits_[to[g]], from.bits_[g]);
      valid_[to[g]] = 1;
    }
    return arrow::Status::OK();
  }

  arrow::Result<std::shared_ptr<arrow::Array>> Finish(arrow::MemoryPool* pool) override {
    switch (type_->id()) {
      case arrow::Type::INT8: return Narrow<int8_t>(pool);
      case arrow::Type::INT16: return Narrow<int16_t>(pool);
      case arrow::Type::INT32: return Narrow<int32_t>(pool);
      default: return Narrow<int64_t>(pool);
    }
  }

  int64_t bytes() const override { return BytesOf(bits_) + BytesOf(valid_); }

 private:
  template <typename T>
  arrow::Result<std::shared_ptr<arrow::Array>> Narrow(arrow::MemoryPool* pool) const {
    std::vector<T> values(bits_.size());
    for (size_t g = 0; g < bits_.size(); ++g) values[g] = static_cast<T>(bits_[g]);
    return FixedWidthArray(type_, values.data(), values.size(), valid_, pool);
  }

  Operation operation_;
  std::shared_ptr<arrow::DataType> type_;
  std::vector<int64_t> bits_;
  std::vector<uint8_t> valid_;
};

arrow::Status Bind(AggregateCall* call) {
  ARROW_RETURN_NOT_OK(CheckArgumentCount(*call, 1));
  if (call->arguments[0]->type()->id() == arrow::Type::NA) {
    ARROW_ASSIGN_OR_RAISE(call->arguments[0], expr::BindCast(call->arguments[0], arrow::int32(), false));
  }
  call->type = call->arguments[0]->type();
  return arrow::is_integer(call->type->id()) ? arrow::Status::OK() : UnexpectedType(*call, 0, "\"INTEGRAL\"");
}

std::unique_ptr<Accumulator> Make(const AggregateCall& call) {
  const Operation operation = call.function == "bit_and"  ? Operation::kAnd
                              : call.function == "bit_or" ? Operation::kOr
                                                          : Operation::kXor;
  return std::make_unique<BitwiseAccumulator>(operation, call.type);
}

}  // namespace

const AggregateFamily& BitwiseFamily() {
  static const AggregateFamily family{{"bit_and", "bit_or", "bit_xor"}, Bind, Make};
  return family;
}

}  // namespace vecruntime::exec
