// SPDX-License-Identifier: Apache-2.0
// Batches in codes are added up by cells; the same batches with plain columns go row by row. Both must come to the same.
#include "vecruntime/exec/preaggregation.h"

#include <arrow/array/array_dict.h>
#include <arrow/builder.h>
#include <arrow/record_batch.h>
#include <arrow/scalar.h>
#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <limits>
#include <map>
#include <random>
#include <string>

#include "vecruntime/base/error.h"
#include "vecruntime/columnar/decode.h"
#include "vecruntime/columnar/dictionary.h"
#include "vecruntime/exec/operators.h"
#include "vecruntime/expr/function_registry.h"

namespace vecruntime::exec {
namespace {

using expr::Expr;
using expr::ExprPtr;

constexpr double kInfinity = std::numeric_limits<double>::infinity();

/// Columns: 0 key string, 1 price double, 2 discount double, 3 tax double, 4 amount decimal(18,2), 5 rate decimal(5,2), 6 day int, 7 number bigint.
const arrow::FieldVector& Fields() {
  static const arrow::FieldVector fields = {
      arrow::field("key", arrow::utf8()),           arrow::field("price", arrow::float64()),
      arrow::field("discount", arrow::float64()),   arrow::field("tax", arrow::float64()),
      arrow::field("amount", arrow::decimal128(18, 2)), arrow::field("rate", arrow::decimal128(5, 2)),
      arrow::field("day", arrow::int32()),          arrow::field("number", arrow::int64())};
  return fields;
}

ExprPtr Column(int index) {
  const auto& field = Fields()[static_cast<size_t>(index)];
  return Expr::Column(index, field->name(), field->type(), true);
}

ExprPtr Binary(const char* name, ExprPtr left, ExprPtr right) { return expr::BindCall(name, {std::move(left), std::move(right)}, {}).ValueOrDie(); }
ExprPtr One(const std::shared_ptr<arrow::DataType>& type) {
  if (type->id() == arrow::Type::DOUBLE) return Expr::Literal(arrow::MakeScalar(1.0));
  return Expr::Literal(std::make_shared<arrow::Decimal128Scalar>(arrow::Decimal128(1), arrow::decimal128(1, 0)));
}
ExprPtr Less(int column) { return Binary("-", One(Fields()[static_cast<size_t>(column)]->type()), Column(column)); }

AggregateCall Call(const char* name, std::vector<ExprPtr> arguments) {
  return BindAggregate(name, false, std::move(arguments), nullptr).ValueOrDie();
}

template <typename Builder, typename Value>
std::shared_ptr<arrow::Array> ArrayOf(const std::vector<Value>& values, const std::shared_ptr<arrow::DataType>& type) {
  Builder builder(type, arrow::default_memory_pool());
  for (const Value& value : values) EXPECT_TRUE(builder.Append(value).ok());
  return builder.Finish().ValueOrDie();
}

/// A column in codes over some entries.
std::shared_ptr<arrow::Array> Encode(std::shared_ptr<arrow::Array> entries, const std::function<uint32_t()>& random, int64_t rows) {
  const auto count = static_cast<uint32_t>(entries->length());
  std::shared_ptr<arrow::Array> codes;
  if (count <= 256) {
    std::vector<uint8_t> narrow;
    for (int64_t i = 0; i < rows; ++i) narrow.push_back(static_cast<uint8_t>(random() % count));
    codes = ArrayOf<arrow::UInt8Builder>(narrow, arrow::uint8());
  } else {
    std::vector<uint16_t> wide;
    for (int64_t i = 0; i < rows; ++i) wide.push_back(static_cast<uint16_t>(random() % count));
    codes = ArrayOf<arrow::UInt16Builder>(wide, arrow::uint16());
  }
  auto type = arrow::dictionary(codes->type(), entries->type());
  return std::make_shared<arrow::DictionaryArray>(std::move(type), std::move(codes), std::move(entries));
}

/// Of decimal(18,2), in 64 bits when `narrow`.
std::shared_ptr<arrow::Array> DecimalColumn(const std::vector<arrow::Decimal128>& values, bool narrow) {
  if (!narrow) return ArrayOf<arrow::Decimal128Builder>(values, arrow::decimal128(18, 2));
  std::vector<arrow::Decimal64> narrow_values;
  for (const arrow::Decimal128& value : values) narrow_values.emplace_back(static_cast<int64_t>(value.low_bits()));
  return ArrayOf<arrow::Decimal64Builder>(narrow_values, arrow::decimal64(18, 2));
}

/// What makes the batches of one run special.
struct Kind {
  std::vector<double> odd_prices = {};
  std::vector<double> discounts = {0, 0.01, 0.02, 0.05, 0.1};
  int64_t amount_max = 10'000'000;
  int64_t number_max = 1000;
  int days = 40;
};

columnar::Batch RandomBatch(std::mt19937* rng, const Kind& kind, int64_t rows) {
  const auto random = [rng] { return static_cast<uint32_t>((*rng)()); };
  std::vector<double> prices;
  std::vector<arrow::Decimal128> amounts;
  std::vector<int64_t> numbers;
  std::vector<int32_t> days;
  for (int64_t i = 0; i < rows; ++i) {
    const bool odd = !kind.odd_prices.empty() && random() % 500 == 0;
    prices.push_back(odd ? kind.odd_prices[random() % kind.odd_prices.size()] : static_cast<double>(random() % 10'000'000) / 100 - 1000);
    amounts.emplace_back(static_cast<int64_t>(random() * uint64_t{1} << 31 | random()) % kind.amount_max * (random() % 2 == 0 ? 1 : -1));
    numbers.push_back(static_cast<int64_t>(uint64_t{random()} << 31 | random()) % kind.number_max * (random() % 2 == 0 ? 1 : -1));
  }
  for (int day = 0; day < kind.days; ++day) days.push_back(day * 3);
  columnar::Batch batch;
  batch.selection = columnar::Selection::All(rows);
  for (int64_t i = 0; i < rows; ++i) {
    if (random() % 4 == 0) batch.selection.Kill(i);
  }
  const std::vector<arrow::Decimal128> rates = {arrow::Decimal128(0), arrow::Decimal128(7), arrow::Decimal128(-12), arrow::Decimal128(99999)};
  batch.columns = {Encode(ArrayOf<arrow::StringBuilder, std::string>({"A", "N", "R"}, arrow::utf8()), random, rows),
                   ArrayOf<arrow::DoubleBuilder>(prices, arrow::float64()),
                   Encode(ArrayOf<arrow::DoubleBuilder>(kind.discounts, arrow::float64()), random, rows),
                   Encode(ArrayOf<arrow::DoubleBuilder, double>({0, 0.02, 0.08}, arrow::float64()), random, rows),
                   DecimalColumn(amounts, random() % 2 == 0),
                   Encode(ArrayOf<arrow::Decimal128Builder>(rates, arrow::decimal128(5, 2)), random, rows),
                   Encode(ArrayOf<arrow::Int32Builder>(days, arrow::int32()), random, rows),
                   ArrayOf<arrow::Int64Builder>(numbers, arrow::int64())};
  return batch;
}

columnar::Batch Decoded(columnar::Batch batch) {
  for (auto& column : batch.columns) column = columnar::Decode(std::move(column), arrow::default_memory_pool()).ValueOrDie();
  return batch;
}

arrow::Result<std::map<std::string, std::vector<std::shared_ptr<arrow::Scalar>>>> Groups(std::vector<columnar::Batch> batches,
                                                                                        std::vector<ExprPtr> keys, std::vector<AggregateCall> calls) {
  const size_t key_count = keys.size();
  Pipeline first;
  ExecContext context;
  context.batch_rows = 1 << 20;
  first.source = MakeBatchSource(arrow::schema(Fields()), std::move(batches), "test");
  std::vector<std::string> names(keys.size() + calls.size(), "x");
  first.sink = MakeAggregate(std::move(keys), std::move(calls), std::move(names));
  ARROW_RETURN_NOT_OK(Run(&first, context));
  Pipeline last;
  ARROW_ASSIGN_OR_RAISE(last.source, first.sink->AsSource());
  ARROW_ASSIGN_OR_RAISE(auto reader, MakeReader(std::move(last), context));
  std::map<std::string, std::vector<std::shared_ptr<arrow::Scalar>>> groups;
  std::shared_ptr<arrow::RecordBatch> batch;
  while (true) {
    ARROW_RETURN_NOT_OK(reader->ReadNext(&batch));
    if (batch == nullptr) return groups;
    for (int64_t row = 0; row < batch->num_rows(); ++row) {
      std::string key;
      std::vector<std::shared_ptr<arrow::Scalar>> values;
      for (int c = 0; c < batch->num_columns(); ++c) {
        ARROW_ASSIGN_OR_RAISE(auto value, batch->column(c)->GetScalar(row));
        if (static_cast<size_t>(c) < key_count) key += value->ToString() + "|";
        else values.push_back(std::move(value));
      }
      groups[key] = std::move(values);
    }
  }
}

void ExpectSame(const arrow::Scalar& by_cells, const arrow::Scalar& by_rows, const std::string& what) {
  if (by_rows.type->id() != arrow::Type::DOUBLE) {
    EXPECT_TRUE(by_cells.Equals(by_rows)) << what << ": " << by_cells.ToString() << " instead of " << by_rows.ToString();
    return;
  }
  const double x = static_cast<const arrow::DoubleScalar&>(by_cells).value, y = static_cast<const arrow::DoubleScalar&>(by_rows).value;
  if (std::isfinite(y)) {
    EXPECT_NEAR(x, y, std::abs(y) * 1e-9) << what;
  } else {
    EXPECT_EQ(std::isnan(x), std::isnan(y)) << what << ": " << x << " instead of " << y;
    if (!std::isnan(y)) {
      EXPECT_EQ(x, y) << what;
    }
  }
}

std::vector<AggregateCall> Calls() {
  const ExprPtr discounted = Binary("*", Column(1), Less(2));
  const ExprPtr rated = Binary("*", Column(4), Binary("+", One(Fields()[5]->type()), Column(5)));
  return {Call("count", {}),
          Call("sum", {Column(1)}),
          Call("sum", {discounted}),
          Call("sum", {Binary("*", discounted, Binary("+", One(arrow::float64()), Column(3)))}),
          Call("avg", {Column(2)}),
          Call("sum", {Binary("*", Column(2), Column(1))}),
          Call("sum", {Binary("*", Column(2), Column(2))}),
          Call("sum", {Column(4)}),
          Call("avg", {rated}),
          Call("sum", {rated}),
          Call("sum", {Column(7)}),
          Call("avg", {Column(6)})};
}

bool AddsUpByCells(const columnar::Batch& batch, const std::vector<ExprPtr>& keys) {
  const auto plan = Preaggregation::Make(keys, Calls());
  return plan != nullptr && plan->Run(batch, ExecContext{}).ValueOrDie().has_value();
}

void Check(const Kind& kind, const std::vector<ExprPtr>& keys, bool by_cells, uint32_t seed) {
  SCOPED_TRACE("seed " + std::to_string(seed));
  std::mt19937 rng(seed);
  std::vector<columnar::Batch> encoded, decoded;
  for (int b = 0; b < 3; ++b) {
    encoded.push_back(RandomBatch(&rng, kind, 12000 + static_cast<int64_t>(rng() % 3000)));
    decoded.push_back(Decoded(encoded.back()));
    ASSERT_EQ(AddsUpByCells(encoded.back(), keys), by_cells);
    ASSERT_FALSE(AddsUpByCells(decoded.back(), keys));
  }
  const auto cells = Groups(encoded, keys, Calls());
  const auto rows = Groups(decoded, keys, Calls());
  ASSERT_EQ(cells.ok(), rows.ok()) << cells.status().ToString() << " instead of " << rows.status().ToString();
  if (!rows.ok()) return;
  ASSERT_EQ(cells->size(), rows->size());
  for (const auto& [key, values] : *rows) {
    ASSERT_TRUE(cells->contains(key)) << key;
    for (size_t c = 0; c < values.size(); ++c) ExpectSame(*cells->at(key)[c], *values[c], "group " + key + ", call " + std::to_string(c));
  }
}

TEST(Preaggregation, AgreesWithRowByRow) {
  for (uint32_t seed = 1; seed <= 8; ++seed) {
    Check({}, {Column(0)}, true, seed);
    Check({}, {}, true, seed);
    Check({}, {Column(6), Column(0)}, false, seed);  // 120 groups of 60 cells are too many
    Check({.days = 11}, {Binary("+", Column(6), Column(6)), Column(0)}, true, seed);
  }
}

// 0 * infinity, infinity - infinity and products beyond the greatest double are what row by row makes of them.
TEST(Preaggregation, LeavesNumbersThatAreNotFiniteToRows) {
  for (uint32_t seed = 1; seed <= 4; ++seed) {
    Check({.odd_prices = {kInfinity, -kInfinity}}, {Column(0)}, false, seed);
    Check({.odd_prices = {std::nan("")}}, {Column(0)}, false, seed);
    Check({.odd_prices = {1.7e308}}, {Column(0)}, false, seed);
    Check({.discounts = {0, 1e305, -0.1}}, {Column(0)}, false, seed);
    Check({.discounts = {0, kInfinity}}, {Column(0)}, false, seed);
  }
}

TEST(Preaggregation, IsExactUpToTheLimits) {
  for (uint32_t seed = 1; seed <= 4; ++seed) {
    Check({.amount_max = 1'000'000'000'000'000'000}, {Column(0)}, true, seed);
    Check({.number_max = std::numeric_limits<int64_t>::max() / 4}, {Column(0)}, true, seed);
  }
}

TEST(Preaggregation, TakesNullsRowByRow) {
  std::mt19937 rng(1);
  columnar::Batch batch = RandomBatch(&rng, {}, 4000);
  ASSERT_TRUE(AddsUpByCells(batch, {}));
  auto data = batch.columns[1]->data()->Copy();
  data->buffers[0] = arrow::AllocateEmptyBitmap(4000).ValueOrDie();
  data->null_count = arrow::kUnknownNullCount;
  batch.columns[1] = arrow::MakeArray(data);
  EXPECT_FALSE(AddsUpByCells(batch, {}));
}

TEST(Preaggregation, NeedsCallsThatAddUp) {
  EXPECT_EQ(Preaggregation::Make({}, {Call("max", {Column(1)})}), nullptr);
  EXPECT_EQ(Preaggregation::Make({}, {Call("count", {Column(1)})}), nullptr);
  EXPECT_EQ(Preaggregation::Make({}, {BindAggregate("sum", true, {Column(1)}, nullptr).ValueOrDie()}), nullptr);
  EXPECT_NE(Preaggregation::Make({}, {Call("sum", {Column(1)}), Call("count", {})}), nullptr);
}

}  // namespace
}  // namespace vecruntime::exec
