// SPDX-License-Identifier: Apache-2.0
// min(x), max(x) over every orderable type: NaN greatest, strings and binary by unsigned bytes.
#include <arrow/array/builder_binary.h>
#include <arrow/array/builder_primitive.h>
#include <arrow/type.h>

#include <cmath>
#include <string>

#include "vecruntime/base/error.h"
#include "vecruntime/exec/aggregates/accumulator.h"
#include "vecruntime/exec/aggregates/sums.h"
#include "vecruntime/exec/aggregates/min_max_by.h"
#include "vecruntime/exec/row_encoding.h"
#include "vecruntime/expr/function_registry.h"

namespace vecruntime::exec {
namespace {

template <typename T>
bool Less(T a, T b) {
  if constexpr (std::is_floating_point_v<T>) {
    return std::isnan(b) ? !std::isnan(a) : a < b;
  } else {
    return a < b;
  }
}

template <typename T>
class FixedMinMaxAccumulator : public Accumulator {
 public:
  FixedMinMaxAccumulator(bool greatest, std::shared_ptr<arrow::DataType> type) : greatest_(greatest), type_(std::move(type)) {}

  void Resize(size_t groups) override {
    best_.resize(groups, T{});
    valid_.resize(groups, 0);
  }

  arrow::Status Update(const ArrayVector& arguments, const GroupedRows& rows) override {
    const columnar::Selection valid = WithoutNulls(*rows.rows, arguments);
    const GroupedRows grouped = rows.Among(valid);
    if constexpr (std::is_same_v<T, Int128>) {
      const auto& decimals = static_cast<const arrow::Decimal128Array&>(*arguments[0]);
      VisitRows(grouped, [&](uint32_t group, int64_t i) { Offer(group, DecimalAt(decimals, i)); });
    } else if constexpr (std::is_same_v<T, bool>) {
      const auto& booleans = static_cast<const arrow::BooleanArray&>(*arguments[0]);
      VisitRows(grouped, [&](uint32_t group, int64_t i) { Offer(group, booleans.Value(i)); });
    } else {
      VisitRows(grouped, [&, values = arguments[0]->data()->template GetValues<T>(1)](uint32_t group, int64_t i) {
        Offer(group, values[i]);
      });
    }
    return arrow::Status::OK();
  }

  arrow::Status Merge(Accumulator* other, std::span<const uint32_t> to) override {
    const auto& from = *static_cast<FixedMinMaxAccumulator*>(other);
    for (size_t g = 0; g < to.size(); ++g) {
      if (from.valid_[g] != 0) Offer(to[g], from.best_[g]);
    }
    return arrow::Status::OK();
  }

  arrow::Result<std::shared_ptr<arrow::Array>> Finish(arrow::MemoryPool* pool) override {
    if constexpr (std::is_same_v<T, bool>) {
      arrow::BooleanBuilder builder(pool);
      for (size_t g = 0; g < best_.size(); ++g) {
        ARROW_RETURN_NOT_OK(valid_[g] != 0 ? builder.Append(best_[g]) : builder.AppendNull());
      }
      return builder.Finish();
    } else {
      return FixedWidthArray(type_, best_.data(), best_.size(), valid_, pool);
    }
  }

  int64_t bytes() const override { return static_cast<int64_t>(best_.capacity() * sizeof(T)) + BytesOf(valid_); }

 private:
  void Offer(uint32_t group, T value) {
    if (valid_[group] == 0 || (greatest_ ? Less<T>(best_[group], value) : Less<T>(value, best_[group]))) {
      best_[group] = value;
      valid_[group] = 1;
    }
  }

  bool greatest_;
  std::shared_ptr<arrow::DataType> type_;
  std::vector<T> best_;
  std::vector<uint8_t> valid_;
};

class BinaryMinMaxAccumulator : public Accumulator {
 public:
  BinaryMinMaxAccumulator(bool greatest, std::shared_ptr<arrow::DataType> type) : greatest_(greatest), type_(std::move(type)) {}

  void Resize(size_t groups) override {
    best_.resize(groups);
    valid_.resize(groups, 0);
  }

  arrow::Status Update(const ArrayVector& arguments, const GroupedRows& rows) override {
    const columnar::Selection valid = WithoutNulls(*rows.rows, arguments);
    const auto& values = static_cast<const arrow::BinaryArray&>(*arguments[0]);
    VisitRows(rows.Among(valid), [&](uint32_t group, int64_t i) { Offer(group, values.GetView(i)); });
    return arrow::Status::OK();
  }

  arrow::Status Merge(Accumulator* other, std::span<const uint32_t> to) override {
    const auto& from = *static_cast<BinaryMinMaxAccumulator*>(other);
    for (size_t g = 0; g < to.size(); ++g) {
      if (from.valid_[g] != 0) Offer(to[g], from.best_[g]);
    }
    return arrow::Status::OK();
  }

  arrow::Result<std::shared_ptr<arrow::Array>> Finish(arrow::MemoryPool* pool) override {
    arrow::BinaryBuilder builder(pool);
    for (size_t g = 0; g < best_.size(); ++g) {
      ARROW_RETURN_NOT_OK(valid_[g] != 0 ? builder.Append(best_[g]) : builder.AppendNull());
    }
    ARROW_ASSIGN_OR_RAISE(const auto binary, builder.Finish());
    return binary->View(type_);
  }

  int64_t bytes() const override { return BytesOf(best_) + BytesOf(valid_) + text_bytes_; }

 private:
  // std::string_view orders by unsigned bytes.
  void Offer(uint32_t group, std::string_view value) {
    std::string& best = best_[group];
    if (valid_[group] != 0 && (greatest_ ? value <= best : value >= best)) return;
    text_bytes_ += static_cast<int64_t>(value.size()) - static_cast<int64_t>(best.size());
    best.assign(value);
    valid_[group] = 1;
  }

  bool greatest_;
  std::shared_ptr<arrow::DataType> type_;
  std::vector<std::string> best_;
  std::vector<uint8_t> valid_;
  int64_t text_bytes_ = 0;
};

arrow::Status Bind(AggregateCall* call) {
  ARROW_RETURN_NOT_OK(CheckArgumentCount(*call, 1));
  call->type = call->arguments[0]->type();
  if (IsEncodable(*call->type)) return arrow::Status::OK();
  return base::InvalidArgument("[DATATYPE_MISMATCH.INVALID_ORDERING_TYPE] The `", call->function, "` does not support ordering on type \"",
                               expr::TypeName(*call->type), "\".");
}

std::unique_ptr<Accumulator> Make(const AggregateCall& call) {
  const bool greatest = call.function == "max";
  switch (call.type->id()) {
    case arrow::Type::BOOL: return std::make_unique<FixedMinMaxAccumulator<bool>>(greatest, call.type);
    case arrow::Type::INT8: return std::make_unique<FixedMinMaxAccumulator<int8_t>>(greatest, call.type);
    case arrow::Type::INT16: return std::make_unique<FixedMinMaxAccumulator<int16_t>>(greatest, call.type);
    case arrow::Type::INT32:
    case arrow::Type::DATE32:
    case arrow::Type::INTERVAL_MONTHS: return std::make_unique<FixedMinMaxAccumulator<int32_t>>(greatest, call.type);
    case arrow::Type::INT64:
    case arrow::Type::TIMESTAMP:
    case arrow::Type::TIME64:
    case arrow::Type::DURATION: return std::make_unique<FixedMinMaxAccumulator<int64_t>>(greatest, call.type);
    case arrow::Type::FLOAT: return std::make_unique<FixedMinMaxAccumulator<float>>(greatest, call.type);
    case arrow::Type::DOUBLE: return std::make_unique<FixedMinMaxAccumulator<double>>(greatest, call.type);
    case arrow::Type::DECIMAL128: return std::make_unique<FixedMinMaxAccumulator<Int128>>(greatest, call.type);
    case arrow::Type::STRING:
    case arrow::Type::BINARY: return std::make_unique<BinaryMinMaxAccumulator>(greatest, call.type);
    default: return std::make_unique<MinMaxByAccumulator>(greatest, call.type);
  }
}

}  // namespace

const AggregateFamily& MinMaxFamily() {
  static const AggregateFamily family{{"min", "max"}, Bind, Make};
  return family;
}

}  // namespace vecruntime::exec
