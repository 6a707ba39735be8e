// SPDX-License-Identifier: Apache-2.0
// Decimals in 64 bits (columnar/decode.h) go through every operator as the same decimals in 128 bits do.
#include <arrow/builder.h>
#include <arrow/table.h>
#include <gtest/gtest.h>

#include <functional>
#include <random>

#include "vecruntime/columnar/decode.h"
#include "vecruntime/exec/operators.h"
#include "vecruntime/exec/testing/random_batches.h"
#include "vecruntime/expr/function_registry.h"

namespace vecruntime::exec {
namespace {

using expr::Expr;
using expr::ExprPtr;

std::shared_ptr<arrow::Schema> Fields() {
  return arrow::schema({arrow::field("number", arrow::int32()), arrow::field("price", arrow::decimal128(18, 2))});
}

ExprPtr Column(int index) { return Expr::Column(index, Fields()->field(index)->name(), Fields()->field(index)->type(), true); }

columnar::Batch RandomBatch(std::mt19937* rng, bool nulls) {
  const auto rows = static_cast<int64_t>((*rng)() % 3000 + 1);
  arrow::Int32Builder number;
  arrow::Decimal64Builder price(arrow::decimal64(18, 2));
  columnar::Batch batch{.columns = {}, .selection = columnar::Selection::All(rows)};
  for (int64_t i = 0; i < rows; ++i) {
    if ((*rng)() % 3 == 0) batch.selection.Kill(i);
    EXPECT_TRUE(number.Append(static_cast<int32_t>((*rng)() % 7)).ok());
    const int64_t value = (*rng)() % 50 == 0 ? 999'999'999'999'999'999 : static_cast<int64_t>((*rng)() % 2000) - 1000;
    EXPECT_TRUE((nulls && (*rng)() % 9 == 0 ? price.AppendNull() : price.Append(arrow::Decimal64((*rng)() % 2 == 0 ? value : -value))).ok());
  }
  batch.columns = {number.Finish().ValueOrDie(), price.Finish().ValueOrDie()};
  if (rows > 1) {  // columns with an offset
    for (auto& column : batch.columns) column = column->Slice(1);
    batch.selection = columnar::Selection::All(rows - 1);
    batch.selection.Kill(0);
  }
  return batch;
}

using Operators = std::function<std::pair<std::vector<std::unique_ptr<Transform>>, std::unique_ptr<Sink>>()>;

void ExpectSame(const Operators& operators, const std::string& what) {
  for (uint32_t seed = 1; seed <= 6; ++seed) {
    SCOPED_TRACE(what + ", seed " + std::to_string(seed));
    std::mt19937 rng(seed);
    std::vector<columnar::Batch> narrow, wide;
    for (int b = 0; b < 3; ++b) {
      narrow.push_back(RandomBatch(&rng, seed % 2 == 0));
      wide.push_back(narrow.back());
      for (auto& column : wide.back().columns) column = columnar::Decode(std::move(column), arrow::default_memory_pool()).ValueOrDie();
      ASSERT_NE(wide.back().columns[1]->type_id(), narrow.back().columns[1]->type_id());
    }
    const auto run = [&](std::vector<columnar::Batch> batches) {
      auto [transforms, sink] = operators();
      return testing::RunToTable(std::move(batches), std::move(transforms), std::move(sink), ExecContext{});
    };
    const auto from_narrow = run(narrow), from_wide = run(wide);
    ASSERT_TRUE(from_wide.ok()) << from_wide.status();
    ASSERT_TRUE(from_narrow.ok()) << from_narrow.status();
    ASSERT_TRUE((*from_narrow)->ValidateFull().ok());
    EXPECT_TRUE((*from_narrow)->Equals(**from_wide)) << (*from_narrow)->ToString() << "instead of " << (*from_wide)->ToString();
  }
}

ExprPtr Positive() { return expr::BindCall(">", {Column(1), Expr::Literal(arrow::MakeScalar(int32_t{0}))}, {}).ValueOrDie(); }

TEST(EncodedColumns, EveryAggregateFunction) {
  for (const char* function : {"sum", "avg", "min", "max", "count", "collect_list", "first", "last", "mode", "median", "stddev", "any_value"}) {
    for (const auto& keys : std::vector<std::vector<ExprPtr>>{{}, {Column(0)}, {Column(1)}, {Column(0), Column(1)}}) {
      for (const bool distinct : {false, true}) {
        for (const ExprPtr& filter : {ExprPtr(), Positive()}) {
          const std::string what = std::string(function) + (distinct ? " distinct" : "") + (filter != nullptr ? " filter" : "");
          ExpectSame([&] {
            std::vector<AggregateCall> calls = {BindAggregate(function, distinct, {Column(1)}, filter).ValueOrDie()};
            return std::pair(std::vector<std::unique_ptr<Transform>>(),
                             MakeAggregate(keys, std::move(calls), std::vector<std::string>(keys.size() + 1, "x")));
          }, what + " by " + std::to_string(keys.size()) + " keys");
        }
      }
    }
  }
}

TEST(EncodedColumns, FilterProjectSortAndLimit) {
  const auto transforms = [] {
    std::vector<std::unique_ptr<Transform>> all;
    all.push_back(MakeFilter(Fields(), Positive()));
    all.push_back(MakeProject({Column(1), expr::BindCall("*", {Column(1), Column(1)}, {}).ValueOrDie()}, {"price", "square"}));
    return all;
  };
  const auto schema = transforms().back()->output_schema();
  ExpectSame([&] { return std::pair(transforms(), MakeSort(schema, {{.expression = Expr::Column(0, "price", schema->field(0)->type(), true)}}, -1, 0)); },
             "sort");
  ExpectSame([&] { return std::pair(transforms(), MakeLimit(schema, 700, 13)); }, "limit");
}

}  // namespace
}  // namespace vecruntime::exec
