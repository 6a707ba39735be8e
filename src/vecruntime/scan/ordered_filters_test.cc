// SPDX-License-Identifier: Apache-2.0
#include "vecruntime/scan/ordered_filters.h"

#include <arrow/array.h>
#include <arrow/json/from_string.h>
#include <arrow/memory_pool.h>
#include <arrow/scalar.h>
#include <arrow/type.h>
#include <gtest/gtest.h>

#include "vecruntime/expr/function_registry.h"

namespace vecruntime::scan {
namespace {

using columnar::Selection;
using expr::Expr;
using expr::ExprPtr;

const expr::EvalContext kEval{.pool = arrow::default_memory_pool()};

ExprPtr Column(int index) { return Expr::Column(index, "c" + std::to_string(index), arrow::int32(), true); }
ExprPtr Int(int value) { return Expr::Literal(std::make_shared<arrow::Int32Scalar>(value)); }
ExprPtr Bind(const std::string& name, std::vector<ExprPtr> arguments) { return *expr::BindCall(name, std::move(arguments), kEval); }

// Columns read so far, in order, and the rows that passed.
struct Outcome {
  std::vector<size_t> read;
  std::vector<int32_t> rows;
};

Outcome Narrowed(OrderedFilters* filters, const std::vector<std::shared_ptr<arrow::Array>>& stored) {
  Outcome outcome;
  std::vector<std::shared_ptr<arrow::Array>> columns(stored.size());
  Selection rows = Selection::All(stored[0]->length());
  const auto read = [&](size_t column) {
    if (columns[column] == nullptr) outcome.read.push_back(column);
    columns[column] = stored[column];
    return arrow::Status::OK();
  };
  const arrow::Status status = filters->Narrow(read, columns, kEval, &rows);
  EXPECT_TRUE(status.ok()) << status;
  outcome.rows = rows.LiveIndices();
  return outcome;
}

TEST(OrderedFilters, WhatDropsMostComesFirstButGuardsStayBeforeWhatTheyGuard) {
  // c0 <> 0 drops one row of eight, c1 = 1 all but one; c0 is guarded before it divides.
  const ExprPtr filter = Expr::And(Expr::And(Bind("<>", {Column(0), Int(0)}), Bind("=", {Column(1), Int(1)})),
                                   Bind("=", {Bind("div", {Int(10), Column(0)}), Int(5)}));
  OrderedFilters filters(filter);
  const std::vector<std::shared_ptr<arrow::Array>> columns = {*arrow::json::ArrayFromJSONString(arrow::int32(), "[0, 1, 2, 3, 4, 5, 6, null]"),
                                                              *arrow::json::ArrayFromJSONString(arrow::int32(), "[1, 0, 1, 0, 0, 0, 0, 0]")};
  const Outcome first = Narrowed(&filters, columns);
  EXPECT_EQ(first.read, (std::vector<size_t>{0, 1}));
  EXPECT_EQ(first.rows, (std::vector<int32_t>{2}));
  Outcome last;
  for (int batch = 0; batch < 100; ++batch) {
    last = Narrowed(&filters, columns);
    ASSERT_EQ(last.rows, first.rows);
  }
}

TEST(OrderedFilters, NoFilterDropsNothing) {
  OrderedFilters filters(nullptr);
  EXPECT_EQ(Narrowed(&filters, {*arrow::json::ArrayFromJSONString(arrow::int32(), "[1, null]")}).rows, (std::vector<int32_t>{0, 1}));
}

TEST(OrderedFilters, NothingIsReadForRowsThatAreGone) {
  OrderedFilters filters(Expr::And(Bind("=", {Column(0), Int(9)}), Bind("=", {Column(1), Int(1)})));
  const auto ones = *arrow::json::ArrayFromJSONString(arrow::int32(), "[1, 1]");
  for (int batch = 0; batch < 20; ++batch) EXPECT_EQ(Narrowed(&filters, {ones, ones}).read, (std::vector<size_t>{0}));
}

}  // namespace
}  // namespace vecruntime::scan
