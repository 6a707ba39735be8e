// SPDX-License-Identifier: Apache-2.0
#include "vecruntime/expr/evaluator.h"

#include <arrow/api.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <optional>

#include "vecruntime/error.h"
#include "vecruntime/expr/function_registry.h"
#include "vecruntime/expr/type_coercion.h"

namespace vecruntime::expr {
namespace {

const EvalContext kContext{arrow::default_memory_pool(), "UTC", 0};

std::shared_ptr<arrow::Array> Ints(const std::vector<std::optional<int32_t>>& values) {
  arrow::Int32Builder builder;
  for (const auto& value : values) EXPECT_TRUE((value ? builder.Append(*value) : builder.AppendNull()).ok());
  return *builder.Finish();
}

ExprPtr Int(int32_t value) { return Expr::Literal(std::make_shared<arrow::Int32Scalar>(value)); }
ExprPtr Column(int index) { return Expr::Column(index, "c" + std::to_string(index), arrow::int32(), true); }
ExprPtr Bind(std::string_view name, std::vector<ExprPtr> arguments) { return *BindCall(name, std::move(arguments), kContext); }

std::string Shown(const arrow::Result<arrow::Datum>& values) {
  if (!values.ok()) return values.status().message();
  if (values->is_scalar()) return values->scalar()->ToString();
  std::string text;
  const auto array = values->make_array();
  for (int64_t row = 0; row < array->length(); ++row) {
    text += (row > 0 ? "," : "") + (array->IsNull(row) ? std::string("null") : (*array->GetScalar(row))->ToString());
  }
  return text;
}

TEST(Evaluator, OnlyLiveRowsRaise) {
  const auto columns = std::vector<std::shared_ptr<arrow::Array>>{Ints({10, 20, 30}), Ints({2, 0, 5})};
  const ExprPtr quotient = Bind("div", {Column(0), Column(1)});
  columnar::Selection rows = columnar::Selection::All(3);
  const auto failed = Evaluate(*quotient, columns, rows, kContext);
  ASSERT_FALSE(failed.ok());
  EXPECT_EQ(KindOf(failed.status()), ErrorKind::kInvalidArgument);
  EXPECT_THAT(failed.status().message(), testing::StartsWith("[DIVIDE_BY_ZERO]"));
  rows.Kill(1);
  const auto values = Evaluate(*quotient, columns, rows, kContext);
  ASSERT_TRUE(values.ok()) << values.status();
  EXPECT_EQ((*values->make_array()->GetScalar(0))->ToString(), "5");
  EXPECT_EQ((*values->make_array()->GetScalar(2))->ToString(), "6");
}

TEST(Evaluator, AndShieldsItsRightSide) {
  const auto columns = std::vector<std::shared_ptr<arrow::Array>>{Ints({10, 20, std::nullopt}), Ints({2, 0, 5})};
  const ExprPtr guarded = Expr::And(Bind("<>", {Column(1), Int(0)}), Bind("=", {Bind("div", {Column(0), Column(1)}), Int(5)}));
  EXPECT_EQ(Shown(Evaluate(*guarded, columns, columnar::Selection::All(3), kContext)), "true,false,null");
}

TEST(Evaluator, ThreeValuedLogic) {
  const auto truth = [](std::optional<bool> value) {
    return value ? Expr::Literal(std::make_shared<arrow::BooleanScalar>(*value)) : Expr::Literal(arrow::MakeNullScalar(arrow::boolean()));
  };
  const std::vector<std::optional<bool>> values = {true, false, std::nullopt};
  const char* conjunction[3][3] = {{"true", "false", "null"}, {"false", "false", "false"}, {"null", "false", "null"}};
  const char* disjunction[3][3] = {{"true", "true", "true"}, {"true", "false", "null"}, {"true", "null", "null"}};
  for (size_t a = 0; a < 3; ++a) {
    for (size_t b = 0; b < 3; ++b) {
      const auto rows = columnar::Selection::All(1);
      const auto first = [](std::string text) { return text.substr(0, text.find(',')); };
      EXPECT_EQ(first(Shown(Evaluate(*Expr::And(truth(values[a]), truth(values[b])), {}, rows, kContext))), conjunction[a][b]);
      EXPECT_EQ(first(Shown(Evaluate(*Expr::Or(truth(values[a]), truth(values[b])), {}, rows, kContext))), disjunction[a][b]);
    }
  }
}

TEST(Evaluator, CaseRunsEachBranchOnItsOwnRows) {
  const auto columns = std::vector<std::shared_ptr<arrow::Array>>{Ints({10, 20, std::nullopt}), Ints({0, 4, 0})};
  const ExprPtr value = Expr::Case({Bind("=", {Column(1), Int(0)}), Column(0), CastIfNeeded(Bind("%", {Column(0), Column(1)}), arrow::int32())}, arrow::int32());
  EXPECT_EQ(Shown(Evaluate(*value, columns, columnar::Selection::All(3), kContext)), "10,0,null");
}

TEST(Evaluator, CoalesceStopsAtTheFirstValue) {
  const auto columns = std::vector<std::shared_ptr<arrow::Array>>{Ints({1, std::nullopt, 3}), Ints({0, 5, 0})};
  const ExprPtr value = Expr::Coalesce({Column(0), Bind("%", {Int(7), Column(1)})});
  EXPECT_EQ(Shown(Evaluate(*value, columns, columnar::Selection::All(3), kContext)), "1,2,3");
}

TEST(Evaluator, InFollowsTheRulesOfNull) {
  const auto columns = std::vector<std::shared_ptr<arrow::Array>>{Ints({1, 2, std::nullopt})};
  EXPECT_EQ(Shown(Evaluate(*Expr::In(Column(0), Ints({1, 5})), columns, columnar::Selection::All(3), kContext)), "true,false,null");
  EXPECT_EQ(Shown(Evaluate(*Expr::In(Column(0), Ints({1, std::nullopt})), columns, columnar::Selection::All(3), kContext)), "true,null,null");
}

TEST(Evaluator, InTreatsNanAndZeroAsValues) {
  arrow::DoubleBuilder set, probe;
  ASSERT_TRUE(set.AppendValues({std::nan(""), 0.0}).ok());
  ASSERT_TRUE(probe.AppendValues({-std::nan(""), -0.0, 1.0}).ok());
  const auto columns = std::vector<std::shared_ptr<arrow::Array>>{*probe.Finish()};
  const ExprPtr in = Expr::In(Expr::Column(0, "d", arrow::float64(), true), *set.Finish());
  EXPECT_EQ(Shown(Evaluate(*in, columns, columnar::Selection::All(3), kContext)), "true,true,false");
}

TEST(Evaluator, FilterNarrowsConjunctByConjunct) {
  const auto columns = std::vector<std::shared_ptr<arrow::Array>>{Ints({10, 20, 30}), Ints({2, 0, 5})};
  columnar::Selection rows = columnar::Selection::All(3);
  const ExprPtr predicate = Expr::And(Bind("<>", {Column(1), Int(0)}), Bind(">", {Bind("%", {Column(0), Column(1)}), Int(-1)}));
  ASSERT_TRUE(Filter(*predicate, columns, kContext, &rows).ok());
  EXPECT_EQ(rows.LiveIndices(), (std::vector<int32_t>{0, 2}));
}

TEST(Evaluator, FoldsConstantsButKeepsWhatRaises) {
  EXPECT_EQ(FoldConstants(Bind("+", {Int(1), Int(2)}), kContext)->ToString(), "3");
  EXPECT_EQ(FoldConstants(Bind("div", {Int(1), Int(0)}), kContext)->kind(), ExprKind::kCall);
  const ExprPtr dead = Expr::And(Expr::Literal(std::make_shared<arrow::BooleanScalar>(false)), Bind("=", {Column(0), Int(1)}));
  EXPECT_EQ(FoldConstants(dead, kContext)->ToString(), "false");
}

TEST(Evaluator, SlicedColumnsAreReadFromTheirOffset) {
  const auto columns = std::vector<std::shared_ptr<arrow::Array>>{Ints({9, 9, 1, std::nullopt, 3})->Slice(2), Ints({9, 10, 20, 30})->Slice(1)};
  EXPECT_EQ(Shown(Evaluate(*Bind("+", {Column(0), Column(1)}), columns, columnar::Selection::All(3), kContext)), "11,null,33");
}

}  // namespace
}  // namespace vecruntime::expr
