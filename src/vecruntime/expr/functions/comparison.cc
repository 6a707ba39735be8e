// SPDX-License-Identifier: Apache-2.0
// =, <>, <, <=, >, >=, <=>, NOT, IS NULL and its relatives, GREATEST and LEAST.
#include <arrow/array.h>
#include <arrow/array/builder_base.h>

#include "vecruntime/base/error.h"
#include "vecruntime/expr/function_registry.h"
#include "vecruntime/expr/functions/function_table.h"
#include "vecruntime/expr/row_kernel.h"
#include "vecruntime/expr/value_order.h"

namespace vecruntime::expr {
namespace {

enum class Order { kEqual, kLess, kLessEqual };

template <typename T>
arrow::Result<arrow::Datum> CompareColumns(const KernelCall& call, Order order) {
  switch (order) {
    case Order::kEqual:
      return MapPredicate<T, T>(call, [](T a, T b) { return ValueEquals(a, b); });
    case Order::kLess:
      return MapPredicate<T, T>(call, [](T a, T b) { return ValueLess(a, b); });
    default:
      return MapPredicate<T, T>(call, [](T a, T b) { return !ValueLess(b, a); });
  }
}

arrow::Result<arrow::Datum> CompareNested(const KernelCall& call, Order order) {
  const auto a = arrow::MakeArray(call.argument(0).data);
  const auto b = arrow::MakeArray(call.argument(1).data);
  const columnar::Selection valid = call.ValidRows();
  columnar::Selection bits = columnar::Selection::None(call.num_rows());
  call.rows().ForEachLive([&](int64_t row) {
    if (!valid.IsLive(row)) return;
    const int compared = CompareValues(*a, call.argument(0).RowOf(row), *b, call.argument(1).RowOf(row));
    if (order == Order::kEqual ? compared == 0 : order == Order::kLess ? compared < 0 : compared <= 0) bits.Revive(row);
  });
  return BooleanResult(valid, bits, call.context().pool);
}

arrow::Result<arrow::Datum> CompareByType(const KernelCall& call, arrow::Type::type type, Order order) {
  switch (type) {
    case arrow::Type::BOOL:
      return CompareColumns<bool>(call, order);
    case arrow::Type::INT8:
      return CompareColumns<int8_t>(call, order);
    case arrow::Type::INT16:
      return CompareColumns<int16_t>(call, order);
    case arrow::Type::INT32:
    case arrow::Type::DATE32:
    case arrow::Type::INTERVAL_MONTHS:
      return CompareColumns<int32_t>(call, order);
    case arrow::Type::INT64:
    case arrow::Type::TIMESTAMP:
    case arrow::Type::TIME64:
    case arrow::Type::DURATION:
      return CompareColumns<int64_t>(call, order);
    case arrow::Type::FLOAT:
      return CompareColumns<float>(call, order);
    case arrow::Type::DOUBLE:
      return CompareColumns<double>(call, order);
    case arrow::Type::DECIMAL128:
      return CompareColumns<Int128>(call, order);
    case arrow::Type::STRING:
    case arrow::Type::BINARY:
      return CompareColumns<std::string_view>(call, order);
    case arrow::Type::NA:
      return arrow::Datum(arrow::MakeNullScalar(arrow::boolean()));
    default:
      return CompareNested(call, order);
  }
}

Kernel ComparisonKernel(arrow::Type::type type, Order order) {
  return [type, order](const std::vector<arrow::Datum>& arguments, const columnar::Selection& rows,
                       const EvalContext& context) -> arrow::Result<arrow::Datum> {
    ARROW_ASSIGN_OR_RAISE(const KernelCall call, KernelCall::Make(arguments, rows, context));
    return CompareByType(call, type, order);
  };
}

// The bits of a boolean result, without regard to NULL.
columnar::Selection BitsOf(const arrow::Datum& values, int64_t num_rows) {
  columnar::Selection bits = columnar::Selection::All(num_rows);
  if (num_rows > 0) bits.AndBitmap(values.array()->buffers[1]->data(), values.array()->offset);
  return bits;
}

// NULL-safe equality, negated for IS DISTINCT FROM.
Kernel NullSafeEqualKernel(arrow::Type::type type) {
  return [type](const std::vector<arrow::Datum>& arguments, const columnar::Selection& rows,
                const EvalContext& context) -> arrow::Result<arrow::Datum> {
    ARROW_ASSIGN_OR_RAISE(const KernelCall call, KernelCall::Make(arguments, rows, context));
    columnar::Selection equal = call.ValidRows();
    if (type != arrow::Type::NA) {
      ARROW_ASSIGN_OR_RAISE(const arrow::Datum compared, CompareByType(call, type, Order::kEqual));
      equal.And(BitsOf(compared, rows.length()));
    }
    columnar::Selection both_null = columnar::Selection::All(rows.length());
    both_null.AndNot(call.ValidRows(0));
    both_null.AndNot(call.ValidRows(1));
    equal.Or(both_null);
    return BooleanResult(columnar::Selection::All(rows.length()), equal, context.pool);
  };
}

arrow::Status CheckComparable(const CallSite& site, const arrow::DataType& type) {
  if (IsOrderable(type)) return arrow::Status::OK();
  return base::InvalidArgument("[DATATYPE_MISMATCH.INVALID_ORDERING_TYPE] ", site.name, " does not support type ", TypeName(type));
}

Binder Comparison(Order order, bool swapped, bool negated) {
  return [=](const CallSite& site) -> arrow::Result<ExprPtr> {
    ExprPtr left = site[0], right = site[1];
    ARROW_RETURN_NOT_OK(UnifyComparison(site.name, &left, &right));
    ARROW_RETURN_NOT_OK(CheckComparable(site, *left->type()));
    const auto type = left->type()->id();
    Kernel kernel = ComparisonKernel(type, order);
    if (!swapped && !negated) return Expr::Call(site.name, arrow::boolean(), {left, right}, kernel);
    // The call keeps the operands as written, for pruning and EXPLAIN.
    Kernel adapted = [kernel, swapped, negated](const std::vector<arrow::Datum>& arguments, const columnar::Selection& rows,
                                                const EvalContext& context) -> arrow::Result<arrow::Datum> {
      if (swapped) return kernel({arguments[1], arguments[0]}, rows, context);
      ARROW_ASSIGN_OR_RAISE(const arrow::Datum compared, kernel(arguments, rows, context));
      if (compared.is_scalar()) return compared;
      columnar::Selection bits = columnar::Selection::All(rows.length());
      if (negated) bits.AndNot(BitsOf(compared, rows.length()));
      columnar::Selection valid = columnar::Selection::All(rows.length());
      if (compared.null_count() > 0) valid.AndBitmap(compared.array()->buffers[0]->data(), compared.array()->offset);
      return BooleanResult(valid, bits, context.pool);
    };
    return Expr::Call(site.name, arrow::boolean(), {left, right}, adapted);
  };
}

arrow::Result<ExprPtr> BindNullSafeEqual(const CallSite& site) {
  ExprPtr left = site[0], right = site[1];
  ARROW_RETURN_NOT_OK(UnifyComparison(site.name, &left, &right));
  ARROW_RETURN_NOT_OK(CheckComparable(site, *left->type()));
  return Expr::Call(site.name, arrow::boolean(), {left, right}, NullSafeEqualKernel(left->type()->id()));
}

arrow::Result<ExprPtr> BindIsNull(const CallSite& site, bool when_null) {
  Kernel kernel = [when_null](const std::vector<arrow::Datum>& arguments, const columnar::Selection& rows,
                              const EvalContext& context) -> arrow::Result<arrow::Datum> {
    ARROW_ASSIGN_OR_RAISE(const KernelCall call, KernelCall::Make(arguments, rows, context));
    const columnar::Selection valid = call.ValidRows();
    columnar::Selection bits = when_null ? columnar::Selection::All(rows.length()) : valid;
    if (when_null) bits.AndNot(valid);
    return BooleanResult(columnar::Selection::All(rows.length()), bits, context.pool);
  };
  return Expr::Call(site.name, arrow::boolean(), site.arguments, kernel);
}

// IS [NOT] TRUE / FALSE: never NULL.
Binder IsTruth(bool truth, bool negated) {
  return [=](const CallSite& site) -> arrow::Result<ExprPtr> {
    ARROW_ASSIGN_OR_RAISE(auto child, CoerceTo(site[0], arrow::boolean()));
    Kernel kernel = [=](const std::vector<arrow::Datum>& arguments, const columnar::Selection& rows,
                        const EvalContext& context) -> arrow::Result<arrow::Datum> {
      ARROW_ASSIGN_OR_RAISE(const KernelCall call, KernelCall::Make(arguments, rows, context));
      const Column<bool> values(call.argument(0));
      const columnar::Selection valid = call.ValidRows();
      columnar::Selection bits = columnar::Selection::None(rows.length());
      for (int64_t row = 0; row < rows.length(); ++row) {
        if ((valid.IsLive(row) && values[row] == truth) != negated) bits.Revive(row);
      }
      return BooleanResult(columnar::Selection::All(rows.length()), bits, context.pool);
    };
    return Expr::Call(site.name, arrow::boolean(), {child}, kernel);
  };
}

// GREATEST and LEAST skip NULLs; built from comparisons so that every orderable type works.
Binder Extreme(bool greatest) {
  return [greatest](const CallSite& site) -> arrow::Result<ExprPtr> {
    ARROW_ASSIGN_OR_RAISE(const auto arguments, UnifyArguments(site));
    const TypePtr type = arguments[0]->type();
    ARROW_RETURN_NOT_OK(CheckComparable(site, *type));
    Kernel kernel = [greatest](const std::vector<arrow::Datum>& inputs, const columnar::Selection& rows,
                               const EvalContext& context) -> arrow::Result<arrow::Datum> {
      ARROW_ASSIGN_OR_RAISE(const KernelCall call, KernelCall::Make(inputs, rows, context));
      std::vector<std::shared_ptr<arrow::Array>> columns;
      for (const Argument& argument : call.arguments()) columns.push_back(arrow::MakeArray(argument.data));
      const auto& type = columns[0]->type();
      ARROW_ASSIGN_OR_RAISE(const auto builder, arrow::MakeBuilder(type, context.pool));
      for (int64_t row = 0; row < rows.length(); ++row) {
        int best = -1;
        for (size_t k = 0; k < columns.size() && rows.IsLive(row); ++k) {
          const int64_t at = call.argument(k).RowOf(row);
          if (columns[k]->IsNull(at)) continue;
          if (best >= 0) {
            const auto b = static_cast<size_t>(best);
            const int order = CompareValues(*columns[k], at, *columns[b], call.argument(b).RowOf(row));
            if (greatest ? order <= 0 : order >= 0) continue;
          }
          best = static_cast<int>(k);
        }
        if (best < 0) {
          ARROW_RETURN_NOT_OK(builder->AppendNull());
        } else {
          const auto b = static_cast<size_t>(best);
          ARROW_RETURN_NOT_OK(builder->AppendArraySlice(*columns[b]->data(), call.argument(b).RowOf(row), 1));
        }
      }
      ARROW_ASSIGN_OR_RAISE(const auto values, builder->Finish());
      return arrow::Datum(values);
    };
    return Expr::Call(site.name, type, arguments, kernel);
  };
}

}  // namespace

Kernel MakeComparisonKernel(std::string_view op, const arrow::DataType& type) {
  return ComparisonKernel(type.id(), op == "=" ? Order::kEqual : op == "<" ? Order::kLess : Order::kLessEqual);
}

void AddComparisonFunctions(FunctionTable* table) {
  table->Add({"=", "=="}, 2, 2, Comparison(Order::kEqual, false, false));
  table->Add({"<>", "!="}, 2, 2, Comparison(Order::kEqual, false, true));
  table->Add({"<"}, 2, 2, Comparison(Order::kLess, false, false));
  table->Add({"<="}, 2, 2, Comparison(Order::kLessEqual, false, false));
  table->Add({">"}, 2, 2, Comparison(Order::kLess, true, false));
  table->Add({">="}, 2, 2, Comparison(Order::kLessEqual, true, false));
  table->Add({"<=>", "equal_null"}, 2, 2, BindNullSafeEqual);
  table->AddSimple({"not", "!"}, {arrow::boolean()}, arrow::boolean(),
                   RowKernel<bool, bool>(arrow::boolean(), [](Writer<bool>& out, bool value) { out.Set(!value); }));
  table->Add({"and"}, 2, 2, [](const CallSite& site) -> arrow::Result<ExprPtr> {
    ARROW_ASSIGN_OR_RAISE(auto left, CoerceTo(site[0], arrow::boolean()));
    ARROW_ASSIGN_OR_RAISE(auto right, CoerceTo(site[1], arrow::boolean()));
    return Expr::And(left, right);
  });
  table->Add({"or"}, 2, 2, [](const CallSite& site) -> arrow::Result<ExprPtr> {
    ARROW_ASSIGN_OR_RAISE(auto left, CoerceTo(site[0], arrow::boolean()));
    ARROW_ASSIGN_OR_RAISE(auto right, CoerceTo(site[1], arrow::boolean()));
    return Expr::Or(left, right);
  });
  table->Add({"is null", "isnull", "is unknown"}, 1, 1, [](const CallSite& site) { return BindIsNull(site, true); });
  table->Add({"is not null", "isnotnull", "is not unknown"}, 1, 1, [](const CallSite& site) { return BindIsNull(site, false); });
  table->Add({"is true"}, 1, 1, IsTruth(true, false));
  table->Add({"is not true"}, 1, 1, IsTruth(true, true));
  table->Add({"is false"}, 1, 1, IsTruth(false, false));
  table->Add({"is not false"}, 1, 1, IsTruth(false, true));
  table->Add({"greatest"}, 2, -1, Extreme(true));
  table->Add({"least"}, 2, -1, Extreme(false));
}

}  // namespace vecruntime::expr
