// SPDX-License-Identifier: Apache-2.0
// if, coalesce, nvl, nvl2, nullif, zeroifnull, nullifzero, nanvl, isnan, typeof, bitwise operators, cast-named functions.
#include <bit>
#include <cmath>

#include "vecruntime/base/error.h"
#include "vecruntime/expr/function_registry.h"
#include "vecruntime/expr/functions/function_table.h"
#include "vecruntime/expr/row_kernel.h"

namespace vecruntime::expr {
namespace {

arrow::Result<ExprPtr> BindIf(const CallSite& site) {
  ARROW_ASSIGN_OR_RAISE(auto condition, CoerceTo(site[0], arrow::boolean()));
  ARROW_ASSIGN_OR_RAISE(const auto arguments, UnifyArguments(site, 1));
  return Expr::Case({condition, arguments[1], arguments[2]}, arguments[1]->type());
}

arrow::Result<ExprPtr> BindCoalesce(const CallSite& site) {
  ARROW_ASSIGN_OR_RAISE(auto arguments, UnifyArguments(site));
  return arguments.size() == 1 ? arguments[0] : Expr::Coalesce(std::move(arguments));
}

arrow::Result<ExprPtr> BindNvl2(const CallSite& site) {
  ARROW_ASSIGN_OR_RAISE(auto not_null, BindCall("is not null", {site[0]}, *site.context));
  ARROW_ASSIGN_OR_RAISE(const auto arguments, UnifyArguments(site, 1));
  return Expr::Case({not_null, arguments[1], arguments[2]}, arguments[1]->type());
}

arrow::Result<ExprPtr> BindNullIf(const CallSite& site) {
  ARROW_ASSIGN_OR_RAISE(auto equal, BindCall("=", {site[0], site[1]}, *site.context));
  return Expr::Case({equal, NullLiteral(site[0]->type()), site[0]}, site[0]->type());
}

arrow::Result<ExprPtr> BindZeroIfNull(const CallSite& site) { return BindCall("coalesce", {site[0], IntLiteral(0)}, *site.context); }
arrow::Result<ExprPtr> BindNullIfZero(const CallSite& site) { return BindCall("nullif", {site[0], IntLiteral(0)}, *site.context); }

arrow::Result<ExprPtr> BindIsNan(const CallSite& site) {
  ARROW_ASSIGN_OR_RAISE(auto child, CoerceTo(site[0], arrow::float64()));
  Kernel kernel = [](const std::vector<arrow::Datum>& arguments, const columnar::Selection& rows,
                     const EvalContext& context) -> arrow::Result<arrow::Datum> {
    ARROW_ASSIGN_OR_RAISE(const KernelCall call, KernelCall::Make(arguments, rows, context));
    const Column<double> values(call.argument(0));
    const columnar::Selection valid = call.ValidRows();
    columnar::Selection bits = columnar::Selection::None(rows.length());
    for (int64_t row = 0; row < rows.length(); ++row) {
      if (valid.IsLive(row) && std::isnan(values[row])) bits.Revive(row);
    }
    return BooleanResult(columnar::Selection::All(rows.length()), bits, context.pool);
  };
  return Expr::Call(site.name, arrow::boolean(), {child}, kernel);
}

arrow::Result<ExprPtr> BindNanvl(const CallSite& site) {
  ARROW_ASSIGN_OR_RAISE(auto first, CoerceTo(site[0], arrow::float64()));
  ARROW_ASSIGN_OR_RAISE(auto second, CoerceTo(site[1], arrow::float64()));
  ARROW_ASSIGN_OR_RAISE(auto is_nan, BindCall("isnan", {first}, *site.context));
  return Expr::Case({is_nan, second, first}, arrow::float64());
}

arrow::Result<ExprPtr> BindTypeof(const CallSite& site) { return StringLiteral(TypeName(site.type(0))); }

}  // namespace

void AddConditionalFunctions(FunctionTable* table) {
  table->Add({"if"}, 3, 3, BindIf);
  table->Add({"coalesce"}, 1, -1, BindCoalesce);
  table->Add({"nvl", "ifnull"}, 2, 2, BindCoalesce);
  table->Add({"nvl2"}, 3, 3, BindNvl2);
  table->Add({"nullif"}, 2, 2, BindNullIf);
  table->Add({"zeroifnull"}, 1, 1, BindZeroIfNull);
  table->Add({"nullifzero"}, 1, 1, BindNullIfZero);
  table->Add({"isnan"}, 1, 1, BindIsNan);
  table->Add({"nanvl"}, 2, 2, BindNanvl);
  table->Add({"typeof"}, 1, 1, BindTypeof);
}

namespace {

template <typename T>
Kernel BitwiseKernel(char op, const TypePtr& type) {
  return [op, type](const std::vector<arrow::Datum>& arguments, const columnar::Selection& rows,
                    const EvalContext& context) -> arrow::Result<arrow::Datum> {
    ARROW_ASSIGN_OR_RAISE(const KernelCall call, KernelCall::Make(arguments, rows, context));
    switch (op) {
      case '&':
        return MapBinary<T, T, T>(call, type, [](T a, T b) { return static_cast<T>(a & b); });
      case '|':
        return MapBinary<T, T, T>(call, type, [](T a, T b) { return static_cast<T>(a | b); });
      case '^':
        return MapBinary<T, T, T>(call, type, [](T a, T b) { return static_cast<T>(a ^ b); });
      default:
        return MapUnary<T, T>(call, type, [](T a) { return static_cast<T>(~a); });
    }
  };
}

Binder Bitwise(char op) {
  return [op](const CallSite& site) -> arrow::Result<ExprPtr> {
    ARROW_ASSIGN_OR_RAISE(auto arguments, UnifyArguments(site));
    TypePtr type = arguments[0]->type();
    if (type->id() == arrow::Type::NA) type = arrow::int32();
    if (IsString(*type)) type = arrow::int64();
    if (!IsIntegral(*type)) return WrongType(site, 0, "integral");
    for (ExprPtr& argument : arguments) argument = CastIfNeeded(argument, type);
    switch (type->id()) {
      case arrow::Type::INT8:
        return Expr::Call(site.name, type, arguments, BitwiseKernel<int8_t>(op, type));
      case arrow::Type::INT16:
        return Expr::Call(site.name, type, arguments, BitwiseKernel<int16_t>(op, type));
      case arrow::Type::INT32:
        return Expr::Call(site.name, type, arguments, BitwiseKernel<int32_t>(op, type));
      default:
        return Expr::Call(site.name, type, arguments, BitwiseKernel<int64_t>(op, type));
    }
  };
}

// Java masks the count with the width of the value.
template <typename T>
Kernel ShiftKernel(char op, const TypePtr& type) {
  return RowKernel<T, T, int32_t>(type, [op](Writer<T>& out, T value, int32_t count) {
    using Unsigned = std::make_unsigned_t<T>;
    const int bits = count & (static_cast<int>(sizeof(T)) * 8 - 1);
    switch (op) {
      case '<':
        return out.Set(static_cast<T>(static_cast<Unsigned>(value) << bits));
      case '>':
        return out.Set(static_cast<T>(value >> bits));
      default:
        return out.Set(static_cast<T>(static_cast<Unsigned>(value) >> bits));
    }
  });
}

Binder Shift(char op) {
  return [op](const CallSite& site) -> arrow::Result<ExprPtr> {
    const TypePtr type = site.type(0).id() == arrow::Type::INT64 ? arrow::int64() : arrow::int32();
    ARROW_ASSIGN_OR_RAISE(auto value, CoerceTo(site[0], type));
    ARROW_ASSIGN_OR_RAISE(auto count, CoerceTo(site[1], arrow::int32()));
    return Expr::Call(site.name, type, {value, count},
                      type->id() == arrow::Type::INT64 ? ShiftKernel<int64_t>(op, type) : ShiftKernel<int32_t>(op, type));
  };
}

arrow::Result<ExprPtr> BindBitCount(const CallSite& site) {
  const arrow::DataType& type = site.type(0);
  if (!IsIntegral(type) && type.id() != arrow::Type::BOOL && type.id() != arrow::Type::NA) return WrongType(site, 0, "integral or boolean");
  return Expr::Call(site.name, arrow::int32(), {CastIfNeeded(site[0], arrow::int64())},
                    RowKernel<int32_t, int64_t>(arrow::int32(), [](Writer<int32_t>& out, int64_t value) {
                      out.Set(std::popcount(static_cast<uint64_t>(value)));
                    }));
}

Binder CastTo(TypePtr type) {
  return [type](const CallSite& site) { return BindCast(site[0], type, false); };
}

}  // namespace

void AddBitwiseFunctions(FunctionTable* table) {
  table->Add({"&"}, 2, 2, Bitwise('&'));
  table->Add({"|"}, 2, 2, Bitwise('|'));
  table->Add({"^"}, 2, 2, Bitwise('^'));
  table->Add({"~"}, 1, 1, Bitwise('~'));
  table->Add({"shiftleft", "<<"}, 2, 2, Shift('<'));
  table->Add({"shiftright", ">>"}, 2, 2, Shift('>'));
  table->Add({"shiftrightunsigned", ">>>"}, 2, 2, Shift('u'));
  table->Add({"bit_count"}, 1, 1, BindBitCount);
  table->AddSimple({"getbit", "bit_get"}, {arrow::int64(), arrow::int32()}, arrow::int8(),
                   RowKernel<int8_t, int64_t, int32_t>(arrow::int8(), [](Writer<int8_t>& out, int64_t value, int32_t bit) {
                     if (bit < 0 || bit > 63) return out.Fail(base::InvalidArgument("[INVALID_PARAMETER_VALUE.BIT_POSITION_RANGE] Bit position out of range: ", bit));
                     out.Set(static_cast<int8_t>(value >> bit & 1));
                   }));
}

void AddCastFunctions(FunctionTable* table) {
  table->Add({"boolean"}, 1, 1, CastTo(arrow::boolean()));
  table->Add({"tinyint"}, 1, 1, CastTo(arrow::int8()));
  table->Add({"smallint"}, 1, 1, CastTo(arrow::int16()));
  table->Add({"int"}, 1, 1, CastTo(arrow::int32()));
  table->Add({"bigint"}, 1, 1, CastTo(arrow::int64()));
  table->Add({"float"}, 1, 1, CastTo(arrow::float32()));
  table->Add({"double"}, 1, 1, CastTo(arrow::float64()));
  table->Add({"decimal"}, 1, 1, CastTo(arrow::decimal128(10, 0)));
  table->Add({"date"}, 1, 1, CastTo(arrow::date32()));
  table->Add({"timestamp"}, 1, 1, CastTo(arrow::timestamp(arrow::TimeUnit::MICRO, "UTC")));
  table->Add({"string"}, 1, 1, CastTo(arrow::utf8()));
  table->Add({"binary"}, 1, 1, CastTo(arrow::binary()));
}

}  // namespace vecruntime::expr
