// SPDX-License-Identifier: Apache-2.0
#include "vecruntime/exec/shared_expressions.h"

#include <arrow/scalar.h>
#include <arrow/type.h>
#include <gtest/gtest.h>

#include "vecruntime/expr/function_registry.h"

namespace vecruntime::exec {
namespace {

using expr::Expr;
using expr::ExprPtr;

ExprPtr Binary(const char* name, ExprPtr left, int32_t right) {
  return expr::BindCall(name, {std::move(left), Expr::Literal(arrow::MakeScalar(right))}, {}).ValueOrDie();
}

AggregateCall Call(const char* name, ExprPtr argument, ExprPtr filter = nullptr) {
  return BindAggregate(name, false, {std::move(argument)}, std::move(filter)).ValueOrDie();
}

// A FILTER may keep an argument from the rows it fails on.
TEST(SharedExpressions, AreTheLargestThatSeveralCallsWithoutFilterContain) {
  const ExprPtr a = Expr::Column(3, "a", arrow::int32(), true);
  const ExprPtr doubled = Binary("*", a, 2);
  const auto shared = ShareExpressions({Expr::Column(1, "k", arrow::int32(), true)},
                                       {Call("sum", doubled), Call("max", Binary("+", doubled, 1)),
                                        Call("sum", doubled, Binary(">", a, 0)), Call("min", a)});
  ASSERT_EQ(shared.expressions.size(), 1U);
  EXPECT_EQ(shared.expressions[0]->ToString(), "(a * 2)");
  EXPECT_EQ(shared.first_column, 4U);
  EXPECT_EQ(shared.calls[0].arguments[0]->column(), 4);
  EXPECT_EQ(shared.calls[1].arguments[0]->children()[0]->column(), 4);
  EXPECT_EQ(shared.calls[2].arguments[0]->ToString(), "(a * 2)");
  EXPECT_EQ(shared.calls[3].arguments[0]->column(), 3);
}

TEST(SharedExpressions, LeaveWhatIsThereOnce) {
  const ExprPtr a = Expr::Column(0, "a", arrow::int32(), true);
  EXPECT_TRUE(ShareExpressions({}, {Call("sum", Binary("*", a, 2)), Call("max", Binary("*", a, 3))}).expressions.empty());
}

}  // namespace
}  // namespace vecruntime::exec
