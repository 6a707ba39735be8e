// SPDX-License-Identifier: Apache-2.0
#include <arrow/array/util.h>
#include <arrow/scalar.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <numeric>

#include "vecruntime/base/error.h"
#include "vecruntime/exec/testing/random_batches.h"

namespace vecruntime::exec {

using testing::Column;
using testing::CompareValues;
using testing::RandomBatches;

struct RowLess {
  const arrow::ArrayVector* columns;
  std::vector<int> keys;
  bool operator()(int64_t i, int64_t j) const {
    for (int key : keys) {
      const auto& column = *(*columns)[static_cast<size_t>(key)];
      if (const int order = CompareValues(column, i, column, j); order != 0) return order < 0;
    }
    return false;
  }
};

AggregateCall Call(const char* name, std::vector<expr::ExprPtr> arguments, bool distinct = false, expr::ExprPtr filter = nullptr) {
  return BindAggregate(name, distinct, std::move(arguments), std::move(filter)).ValueOrDie();
}

bool IsTrue(const arrow::Array& booleans, int64_t i) {
  return booleans.IsValid(i) && static_cast<const arrow::BooleanArray&>(booleans).Value(i);
}

double AsDouble(const arrow::Array& array, int64_t i) { return array.data()->GetValues<double>(1)[i]; }

// The aggregates of one group by plain loops over its rows, next to what the operator said.
class GroupCheck {
 public:
  GroupCheck(const arrow::ArrayVector& rows, std::vector<int64_t> group) : rows_(rows), group_(std::move(group)) {}

  std::vector<int64_t> NotNull(int column) const {
    std::vector<int64_t> kept;
    std::copy_if(group_.begin(), group_.end(), std::back_inserter(kept), [&](int64_t i) { return at(column).IsValid(i); });
    return kept;
  }
  const arrow::Array& at(int column) const { return *rows_[static_cast<size_t>(column)]; }

  int64_t Extreme(int column, bool greatest) const {
    const auto rows = NotNull(column);
    auto less = [&](int64_t i, int64_t j) { return CompareValues(at(column), i, at(column), j) < 0; };
    if (rows.empty()) return -1;
    return greatest ? *std::max_element(rows.begin(), rows.end(), less) : *std::min_element(rows.begin(), rows.end(), less);
  }
  int64_t Distinct(int column) const {
    auto rows = NotNull(column);
    auto less = [&](int64_t i, int64_t j) { return CompareValues(at(column), i, at(column), j) < 0; };
    std::sort(rows.begin(), rows.end(), less);
    return std::unique(rows.begin(), rows.end(), [&](int64_t i, int64_t j) { return !less(i, j) && !less(j, i); }) - rows.begin();
  }
  const std::vector<int64_t>& rows() const { return group_; }

 private:
  const arrow::ArrayVector& rows_;
  std::vector<int64_t> group_;
};

const std::vector<int> kExtremeColumns = {1, 2, 3, 4, 5, 6, 7, 8, 9};

std::vector<AggregateCall> CallsUnderTest() {
  std::vector<AggregateCall> calls = {
      Call("count", {}),
      Call("count", {Column(3)}),
      Call("sum", {Column(1)}),
      Call("sum", {Column(4)}),
      Call("avg", {Column(1)}),
      Call("count", {Column(2)}, true),
      Call("count", {Column(8)}, true),
      Call("count", {Column(3)}, false, Column(5)),
      Call("count_if", {Column(5)}),
      Call("bool_and", {Column(5)}),
      Call("bool_or", {Column(5)}),
      Call("var_pop", {Column(1)}),
      Call("collect_set", {Column(1)}),
      Call("max_by", {Column(0), Column(6)}),
      Call("median", {Column(1)}),
      Call("sum", {Column(1)}, true),
      Call("bit_xor", {Column(6)}),
  };
  for (int column : kExtremeColumns) {
    calls.push_back(Call("min", {Column(column)}));
    calls.push_back(Call("max", {Column(column)}));
  }
  return calls;
}

// `value(c)` is the array of call c, `g` the row of the group in it.
template <typename ValueOf>
void CheckGroup(const GroupCheck& check, ValueOf&& value, int64_t g) {
  auto int64_at = [&](int call) { return value(call)->template data()->template GetValues<int64_t>(1)[g]; };
  auto valid = [&](int call) { return value(call)->IsValid(g); };
  EXPECT_EQ(int64_at(0), static_cast<int64_t>(check.rows().size()));
  EXPECT_EQ(int64_at(1), static_cast<int64_t>(check.NotNull(3).size()));
  int64_t sum = 0, trues = 0, falses = 0, filtered = 0, bits = 0;
  std::map<int64_t, int> distinct;
  const auto ints = check.NotNull(1);
  for (int64_t i : ints) {
    const int32_t each = check.at(1).data()->template GetValues<int32_t>(1)[i];
    sum += each;
    ++distinct[each];
  }
  for (int64_t i : check.NotNull(6)) bits ^= check.at(6).data()->template GetValues<int64_t>(1)[i];
  for (int64_t i : check.rows()) {
    trues += IsTrue(check.at(5), i);
    falses += check.at(5).IsValid(i) && !IsTrue(check.at(5), i);
    filtered += IsTrue(check.at(5), i) && check.at(3).IsValid(i);
  }
  ASSERT_EQ(valid(2), !ints.empty());
  if (!ints.empty()) {
    const auto n = static_cast<double>(ints.size());
    EXPECT_EQ(int64_at(2), sum);
    EXPECT_DOUBLE_EQ(AsDouble(*value(4), g), static_cast<double>(sum) / n);
    double squares = 0;
    std::vector<double> sorted;
    for (const auto& [each, times] : distinct) {
      squares += times * (static_cast<double>(each) - static_cast<double>(sum) / n) * (static_cast<double>(each) - static_cast<double>(sum) / n);
      sorted.insert(sorted.end(), static_cast<size_t>(times), static_cast<double>(each));
    }
    EXPECT_NEAR(AsDouble(*value(11), g), squares / n, 1e-9);
    EXPECT_DOUBLE_EQ(AsDouble(*value(14), g), (sorted[(sorted.size() - 1) / 2] + sorted[sorted.size() / 2]) / 2);
    int64_t distinct_sum = 0;
    for (const auto& [each, times] : distinct) distinct_sum += each;
    EXPECT_EQ(int64_at(15), distinct_sum);
  }
  arrow::Decimal128 decimal_sum(0);
  for (int64_t i : check.NotNull(4)) decimal_sum += arrow::Decimal128(static_cast<const arrow::Decimal128Array&>(check.at(4)).GetValue(i));
  if (valid(3)) {
    EXPECT_EQ(arrow::Decimal128(static_cast<const arrow::Decimal128Array&>(*value(3)).GetValue(g)), decimal_sum);
  }
  EXPECT_EQ(int64_at(5), check.Distinct(2));
  EXPECT_EQ(int64_at(6), check.Distinct(8));
  EXPECT_EQ(int64_at(7), filtered);
  EXPECT_EQ(int64_at(8), trues);
  ASSERT_EQ(valid(9), trues + falses > 0);
  if (valid(9)) {
    EXPECT_EQ(IsTrue(*value(9), g), falses == 0);
  }
  if (valid(10)) {
    EXPECT_EQ(IsTrue(*value(10), g), trues > 0);
  }
  EXPECT_EQ(static_cast<const arrow::ListArray&>(*value(12)).value_length(g), static_cast<int32_t>(distinct.size()));
  const int64_t greatest = check.Extreme(6, true);
  ASSERT_EQ(valid(13), greatest >= 0);
  if (valid(16)) {
    EXPECT_EQ(int64_at(16), bits);
  }
  for (size_t k = 0; k < kExtremeColumns.size(); ++k) {
    for (bool max : {false, true}) {
      const int call = 17 + 2 * static_cast<int>(k) + (max ? 1 : 0);
      const int64_t best = check.Extreme(kExtremeColumns[k], max);
      ASSERT_EQ(valid(call), best >= 0) << "column " << kExtremeColumns[k];
      if (best >= 0) {
        EXPECT_EQ(CompareValues(*value(call), g, check.at(kExtremeColumns[k]), best), 0) << "column " << kExtremeColumns[k];
      }
    }
  }
}

void CheckAgainstRows(uint32_t seed, const std::vector<int>& keys) {
  RandomBatches random(seed);
  auto batches = random.MakeMany(1 + static_cast<int>(random.Next() % 6), 120);
  const auto rows = testing::AllLive(batches);
  std::map<int64_t, std::vector<int64_t>, RowLess> groups(RowLess{&rows, keys});
  for (int64_t i = 0; i < rows[0]->length(); ++i) groups[i].push_back(i);

  std::vector<expr::ExprPtr> key_columns;
  for (int key : keys) key_columns.push_back(Column(key));
  const auto calls = CallsUnderTest();
  ExecContext context;
  context.workers = static_cast<int>(random.Next() % 3) + 1;
  context.batch_rows = random.Next() % 60 + 1;
  auto result = testing::RunToTable(batches, {}, MakeAggregate(key_columns, calls, std::vector<std::string>(keys.size() + calls.size(), "x")),
                                    context);
  ASSERT_TRUE(result.ok()) << result.status().ToString();
  ASSERT_EQ((*result)->num_rows(), keys.empty() ? 1 : static_cast<int64_t>(groups.size()));
  std::vector<std::shared_ptr<arrow::Array>> output;
  for (int c = 0; c < (*result)->num_columns(); ++c) output.push_back(testing::ColumnOf(**result, c));
  for (const auto& [row, members] : groups) {
    int64_t g = 0;
    auto matches = [&] {
      for (size_t k = 0; k < keys.size(); ++k) {
        if (CompareValues(*output[k], g, *rows[static_cast<size_t>(keys[k])], row) != 0) return false;
      }
      return true;
    };
    while (g < (*result)->num_rows() && !matches()) ++g;
    ASSERT_LT(g, (*result)->num_rows()) << "a group is missing";
    CheckGroup(GroupCheck(rows, members), [&](int call) { return output[keys.size() + static_cast<size_t>(call)]; }, g);
  }
}

TEST(Aggregate, AgreesWithRowWiseGroups) {
  const std::vector<std::vector<int>> key_sets = {{}, {1}, {2}, {3}, {4}, {5}, {6}, {8}, {9}, {1, 7}, {1, 5, 7}, {3, 1}, {2, 3, 4}, {6, 0}};
  for (uint32_t seed = 1; seed <= 42; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    CheckAgainstRows(seed, key_sets[seed % key_sets.size()]);
    if (::testing::Test::HasFatalFailure()) return;
  }
}

std::shared_ptr<arrow::Table> OverBatches(std::vector<columnar::Batch> batches, std::vector<AggregateCall> calls) {
  const std::vector<std::string> names(calls.size(), "x");
  return testing::RunToTable(std::move(batches), {}, MakeAggregate({}, std::move(calls), names), ExecContext{}).ValueOrDie();
}

TEST(Aggregate, TheGlobalGroupExistsWithoutRows) {
  const auto table = OverBatches({}, CallsUnderTest());
  ASSERT_EQ(table->num_rows(), 1);
  EXPECT_EQ(testing::ColumnOf(*table, 0)->GetScalar(0).ValueOrDie()->ToString(), "0");
  EXPECT_TRUE(testing::ColumnOf(*table, 2)->IsNull(0));
  EXPECT_EQ(static_cast<const arrow::ListArray&>(*testing::ColumnOf(*table, 12)).value_length(0), 0);
}

TEST(Aggregate, GroupsShowZeroWithoutItsSign) {
  RandomBatches random(1);
  columnar::Batch batch = random.Make(2);
  arrow::DoubleBuilder zeros;
  ASSERT_TRUE(zeros.AppendValues({-0.0, 0.0}).ok());
  batch.columns[2] = zeros.Finish().ValueOrDie();
  batch.selection = columnar::Selection::All(2);
  const auto table =
      testing::RunToTable({batch}, {}, MakeAggregate({Column(2)}, {Call("count", {})}, {"k", "n"}), ExecContext{}).ValueOrDie();
  ASSERT_EQ(table->num_rows(), 1);
  EXPECT_FALSE(std::signbit(AsDouble(*testing::ColumnOf(*table, 0), 0)));
}

columnar::Batch OneColumn(int column, std::shared_ptr<arrow::Array> values) {
  columnar::Batch batch = RandomBatches(1).Make(values->length());
  batch.selection = columnar::Selection::All(values->length());
  batch.columns[static_cast<size_t>(column)] = std::move(values);
  return batch;
}

TEST(Aggregate, ASumThatLeavesBigintIsAnError) {
  arrow::Int64Builder builder;
  ASSERT_TRUE(builder.AppendValues({std::numeric_limits<int64_t>::max(), 1}).ok());
  const auto result = testing::RunToTable({OneColumn(6, builder.Finish().ValueOrDie())}, {},
                                          MakeAggregate({}, {Call("sum", {Column(6)})}, {"s"}), ExecContext{});
  EXPECT_EQ(KindOf(result.status()), ErrorKind::kInvalidArgument);
  EXPECT_EQ(result.status().message().find("[ARITHMETIC_OVERFLOW]"), 0u);
}

// So many of the greatest decimal(33, 0) come to just over 2^128.
TEST(Aggregate, ASumOfOneLargeBatchDoesNotWrapAround) {
  constexpr int64_t kRows = 340283;
  const auto greatest = arrow::Decimal128::FromString(std::string(33, '9')).ValueOrDie();
  const auto type = arrow::decimal128(33, 0);
  columnar::Batch batch;
  batch.selection = columnar::Selection::All(kRows);
  batch.columns = {arrow::MakeArrayFromScalar(arrow::Decimal128Scalar(greatest, type), kRows).ValueOrDie()};
  Pipeline pipeline;
  pipeline.source = MakeBatchSource(arrow::schema({arrow::field("n", type)}), {batch}, "test");
  pipeline.sink = MakeAggregate({}, {Call("sum", {expr::Expr::Column(0, "n", type, true)})}, {"s"});
  ExecContext context;
  context.batch_rows = kRows;
  const arrow::Status status = exec::Run(&pipeline, context);
  EXPECT_EQ(KindOf(status), ErrorKind::kInvalidArgument) << status.ToString();
}

TEST(Aggregate, DecimalAveragesRoundHalfUp) {
  arrow::Decimal128Builder builder(arrow::decimal128(20, 2));
  for (int64_t unscaled : {-100, 0, 0, -100, 0, 0}) ASSERT_TRUE(builder.Append(arrow::Decimal128(unscaled)).ok());
  const auto table = OverBatches({OneColumn(4, builder.Finish().ValueOrDie())}, {Call("avg", {Column(4)}), Call("sum", {Column(4)})});
  EXPECT_EQ(table->schema()->field(0)->type()->ToString(), "decimal128(24, 6)");
  EXPECT_EQ(table->schema()->field(1)->type()->ToString(), "decimal128(30, 2)");
  EXPECT_EQ(static_cast<const arrow::Decimal128Array&>(*testing::ColumnOf(*table, 0)).FormatValue(0), "-0.333333");
}

TEST(BindAggregate, RefusesByName) {
  EXPECT_TRUE(IsAggregateFunction("Approx_Count_Distinct"));
  EXPECT_EQ(KindOf(BindAggregate("approx_count_distinct", false, {Column(1)}, nullptr).status()), ErrorKind::kUnsupported);
  EXPECT_EQ(KindOf(BindAggregate("sum", false, {Column(9)}, nullptr).status()), ErrorKind::kInvalidArgument);
  EXPECT_EQ(KindOf(BindAggregate("min_by", false, {Column(9)}, nullptr).status()), ErrorKind::kInvalidArgument);
  EXPECT_FALSE(IsAggregateFunction("concat"));
}

TEST(Aggregate, NamesItselfWhenTheBudgetIsExceeded) {
  base::MemoryBudget budget(20000);
  ExecContext context;
  context.budget = &budget;
  RandomBatches random(3);
  const auto result = testing::RunToTable(random.MakeMany(4, 3000), {}, MakeAggregate({Column(0)}, {Call("count", {})}, {"k", "n"}), context);
  EXPECT_EQ(KindOf(result.status()), ErrorKind::kResourceExhausted);
  EXPECT_NE(result.status().message().find("hash aggregation"), std::string::npos);
  EXPECT_EQ(budget.used_bytes(), 0);
}

}  // namespace vecruntime::exec
