// SPDX-License-Identifier: Apache-2.0
// +, -, *, /, div, %, pmod on numbers, their try_ forms, unary minus and abs: ANSI overflow and Spark's decimal result types.
#include <cmath>
#include <limits>

#include "vecruntime/base/error.h"
#include "vecruntime/expr/function_registry.h"
#include "vecruntime/expr/functions/function_table.h"
#include "vecruntime/expr/number_text.h"
#include "vecruntime/expr/row_kernel.h"

namespace vecruntime::expr {
namespace {

enum class Op { kAdd, kSubtract, kMultiply, kDivide, kIntegralDivide, kRemainder, kPmod };

std::string_view SymbolOf(Op op) {
  constexpr std::string_view kSymbols[] = {"+", "-", "*", "/", "div", "%", "pmod"};
  return kSymbols[static_cast<size_t>(op)];
}

arrow::Status DivisionByZero(Op op) {
  if (op == Op::kRemainder || op == Op::kPmod) {
    return base::InvalidArgument("[REMAINDER_BY_ZERO] Remainder by zero; use `try_mod` to get NULL instead");
  }
  return base::InvalidArgument("[DIVIDE_BY_ZERO] Division by zero; use `try_divide` to get NULL instead");
}

template <typename T>
arrow::Status IntegerOverflow(Op op, T a, T b) {
  if constexpr (sizeof(T) <= 2) {
    return base::InvalidArgument("[BINARY_ARITHMETIC_OVERFLOW] Overflow: ", int{a}, " ", SymbolOf(op), " ", int{b});
  } else {
    return base::InvalidArgument("[ARITHMETIC_OVERFLOW] ", sizeof(T) == 4 ? "Integer" : "Long", " overflow; use a try_ function: ", a, " ",
                                 SymbolOf(op), " ", b);
  }
}

// ------------------------------------------------------------------------------------------------------------- integers

template <typename T>
bool Remainder(T a, T b, T* out) {
  if (b == 0) return false;
  *out = b == -1 ? T{0} : static_cast<T>(a % b);
  return true;
}

template <typename T>
bool PositiveRemainder(T a, T b, T* out) {
  T rest{};
  if (!Remainder(a, b, &rest)) return false;
  if (rest < 0) {
    // As Java: the sum wraps in the operation's own width (int for the narrow types).
    using Wide = std::conditional_t<sizeof(T) == 8, int64_t, int32_t>;
    const auto sum = static_cast<Wide>(static_cast<std::make_unsigned_t<Wide>>(rest) + static_cast<std::make_unsigned_t<Wide>>(b));
    Wide wrapped{};
    Remainder<Wide>(sum, b, &wrapped);
    rest = static_cast<T>(wrapped);
  }
  *out = rest;
  return true;
}

template <typename T>
arrow::Result<arrow::Datum> IntegerArithmetic(const KernelCall& call, Op op, const TypePtr& type, bool null_on_failure) {
  const auto overflow = [op](T a, T b) { return IntegerOverflow(op, a, b); };
  const auto by_zero = [op](T, T) { return DivisionByZero(op); };
  switch (op) {
    case Op::kAdd:
      return MapBinaryChecked<T, T, T>(call, type, null_on_failure,
                                       [](T a, T b, T* out) { return !__builtin_add_overflow(a, b, out); }, overflow);
    case Op::kSubtract:
      return MapBinaryChecked<T, T, T>(call, type, null_on_failure,
                                       [](T a, T b, T* out) { return !__builtin_sub_overflow(a, b, out); }, overflow);
    case Op::kMultiply:
      return MapBinaryChecked<T, T, T>(call, type, null_on_failure,
                                       [](T a, T b, T* out) { return !__builtin_mul_overflow(a, b, out); }, overflow);
    case Op::kRemainder:
      return MapBinaryChecked<T, T, T>(call, type, null_on_failure, Remainder<T>, by_zero);
    case Op::kPmod:
      return MapBinaryChecked<T, T, T>(call, type, null_on_failure, PositiveRemainder<T>, by_zero);
    default:
      return base::Internal("Integer arithmetic of an unexpected operator");
  }
}

arrow::Result<arrow::Datum> IntegralDivision(const KernelCall& call, bool null_on_failure) {
  return MapBinaryChecked<int64_t, int64_t, int64_t>(
      call, arrow::int64(), null_on_failure,
      [](int64_t a, int64_t b, int64_t* out) {
        if (b == 0 || (b == -1 && a == std::numeric_limits<int64_t>::min())) return false;
        *out = a / b;
        return true;
      },
      [](int64_t a, int64_t b) { return b == 0 ? DivisionByZero(Op::kIntegralDivide) : IntegerOverflow(Op::kIntegralDivide, a, b); });
}

// -------------------------------------------------------------------------------------------------------------- floating

template <typename T>
arrow::Result<arrow::Datum> FloatingArithmetic(const KernelCall& call, Op op, const TypePtr& type, bool null_on_failure) {
  const auto by_zero = [op](T, T) { return DivisionByZero(op); };
  switch (op) {
    case Op::kAdd:
      return MapBinary<T, T, T>(call, type, [](T a, T b) { return a + b; });
    case Op::kSubtract:
      return MapBinary<T, T, T>(call, type, [](T a, T b) { return a - b; });
    case Op::kMultiply:
      return MapBinary<T, T, T>(call, type, [](T a, T b) { return a * b; });
    case Op::kDivide:
      return MapBinaryChecked<T, T, T>(call, type, null_on_failure,
                                       [](T a, T b, T* out) {
                                         *out = a / b;
                                         return b != 0;
                                       },
                                       by_zero);
    case Op::kRemainder:
      return MapBinaryChecked<T, T, T>(call, type, null_on_failure,
                                       [](T a, T b, T* out) {
                                         *out = std::fmod(a, b);
                                         return b != 0;
                                       },
                                       by_zero);
    default:
      return MapBinaryChecked<T, T, T>(call, type, null_on_failure,
                                       [](T a, T b, T* out) {
                                         const T rest = std::fmod(a, b);
                                         *out = rest < 0 ? std::fmod(rest + b, b) : rest;
                                         return b != 0;
                                       },
                                       by_zero);
  }
}

// -------------------------------------------------------------------------------------------------------------- decimals

TypePtr DecimalResult(Op op, const arrow::DataType& a, const arrow::DataType& b) {
  const int p1 = DecimalPrecision(a), s1 = DecimalScale(a), p2 = DecimalPrecision(b), s2 = DecimalScale(b);
  const int scale = std::max(s1, s2);
  switch (op) {
    case Op::kAdd:
    case Op::kSubtract:
      return AdjustedDecimal(std::max(p1 - s1, p2 - s2) + scale + 1, scale);
    case Op::kMultiply:
      return AdjustedDecimal(p1 + p2 + 1, s1 + s2);
    case Op::kDivide: {
      const int quotient_scale = std::max(6, s1 + p2 + 1);
      return AdjustedDecimal(p1 - s1 + s2 + quotient_scale, quotient_scale);
    }
    default:
      return AdjustedDecimal(std::min(p1 - s1, p2 - s2) + scale, scale);
  }
}

// The parameters of one decimal operation.
struct DecimalStep {
  Op op;
  int a_scale, b_scale, scale, precision;
  bool exact;  // the operands and the exact result fit 128 bits, and nothing is rounded away

  bool Apply(Int128 a, Int128 b, Int128* out) const {
    switch (op) {
      case Op::kAdd:
        return AddDecimals(a, a_scale, b, b_scale, false, scale, precision, out);
      case Op::kSubtract:
        return AddDecimals(a, a_scale, b, b_scale, true, scale, precision, out);
      case Op::kMultiply:
        return MultiplyDecimals(a, b, a_scale + b_scale, scale, precision, out);
      case Op::kDivide:
        return b != 0 && DivideDecimals(a, b, scale - a_scale + b_scale, true, precision, out);
      case Op::kIntegralDivide:
        return b != 0 && DivideDecimals(a, b, b_scale - a_scale, false, precision, out);
      case Op::kRemainder:
        return Rest(a, b, out);
      case Op::kPmod: {
        if (!Rest(a, b, out)) return false;
        if (*out >= 0) return true;
        Int128 sum = 0;
        const int common = std::max(a_scale, b_scale);
        return AddDecimals(*out, scale, b, b_scale, false, common, kMaxDecimalPrecision, &sum) &&
               RemainderDecimals(sum, common, b, b_scale, kMaxDecimalPrecision, &sum) && Rescale(sum, common, scale, precision, out);
      }
    }
    return false;
  }

 private:
  bool Rest(Int128 a, Int128 b, Int128* out) const {
    if (b == 0) return false;
    Int128 rest = 0;
    return RemainderDecimals(a, a_scale, b, b_scale, kMaxDecimalPrecision, &rest) &&
           Rescale(rest, std::max(a_scale, b_scale), scale, precision, out);
  }
};

Int128 Wrapped(UInt128 value) { return static_cast<Int128>(value); }

arrow::Result<arrow::Datum> ExactDecimal(const KernelCall& call, const DecimalStep& step, const TypePtr& type) {
  const auto a_factor = static_cast<UInt128>(PowerOfTen(step.op == Op::kMultiply ? 0 : step.scale - step.a_scale));
  const auto b_factor = static_cast<UInt128>(PowerOfTen(step.op == Op::kMultiply ? 0 : step.scale - step.b_scale));
  // Values at dead and NULL rows are arbitrary, hence the unsigned arithmetic.
  switch (step.op) {
    case Op::kAdd:
      return MapBinary<Int128, Int128, Int128>(call, type, [=](Int128 a, Int128 b) {
        return Wrapped(static_cast<UInt128>(a) * a_factor + static_cast<UInt128>(b) * b_factor);
      });
    case Op::kSubtract:
      return MapBinary<Int128, Int128, Int128>(call, type, [=](Int128 a, Int128 b) {
        return Wrapped(static_cast<UInt128>(a) * a_factor - static_cast<UInt128>(b) * b_factor);
      });
    default:
      return MapBinary<Int128, Int128, Int128>(
          call, type, [](Int128 a, Int128 b) { return Wrapped(static_cast<UInt128>(a) * static_cast<UInt128>(b)); });
  }
}

arrow::Result<arrow::Datum> DecimalArithmetic(const KernelCall& call, const DecimalStep& step, const TypePtr& type,
                                              bool null_on_failure) {
  if (step.exact) return ExactDecimal(call, step, type);
  return MapBinaryChecked<Int128, Int128, Int128>(
      call, type, null_on_failure, [&](Int128 a, Int128 b, Int128* out) { return step.Apply(a, b, out); },
      [&](Int128 a, Int128 b) {
        const bool divides = step.op != Op::kAdd && step.op != Op::kSubtract && step.op != Op::kMultiply;
        if (divides && b == 0) return DivisionByZero(step.op);
        std::string text;
        AppendDecimal(a, step.a_scale, &text);
        text.append(" ").append(SymbolOf(step.op)).append(" ");
        AppendDecimal(b, step.b_scale, &text);
        return base::InvalidArgument("[NUMERIC_VALUE_OUT_OF_RANGE.WITH_SUGGESTION] The result cannot be represented as ",
                                     TypeName(*type), ": ", text);
      });
}

arrow::Result<arrow::Datum> DecimalIntegralDivision(const KernelCall& call, const DecimalStep& step, bool null_on_failure) {
  const auto divide = [&](Int128 a, Int128 b, int64_t* out) {
    Int128 quotient = 0;
    if (!step.Apply(a, b, &quotient)) return false;
    *out = static_cast<int64_t>(quotient);
    return *out == quotient;
  };
  return MapBinaryChecked<int64_t, Int128, Int128>(call, arrow::int64(), null_on_failure, divide, [](Int128, Int128 b) {
    return b == 0 ? DivisionByZero(Op::kIntegralDivide)
                  : base::InvalidArgument("[ARITHMETIC_OVERFLOW] Long overflow in integral divide of decimals");
  });
}

// --------------------------------------------------------------------------------------------------------------- binding

// Both operands as the types the operation runs on.
arrow::Result<std::pair<ExprPtr, ExprPtr>> CoerceOperands(const CallSite& site, Op op) {
  ExprPtr left = site[0], right = site[1];
  const auto mismatch = [&] {
    return base::InvalidArgument("[DATATYPE_MISMATCH.BINARY_OP_DIFF_TYPES] Operands of ", site.name, " do not fit: ",
                                 TypeName(*site[0]->type()), ", ", TypeName(*site[1]->type()));
  };
  if (const TypePtr promoted = StringPromotion(*left->type(), *right->type())) {
    left = CastIfNeeded(left, promoted);
    right = CastIfNeeded(right, promoted);
  }
  if (left->type()->id() == arrow::Type::NA) left = CastIfNeeded(left, right->type());
  if (right->type()->id() == arrow::Type::NA) right = CastIfNeeded(right, left->type());
  if (left->type()->id() == arrow::Type::NA) {
    left = right = NullLiteral(op == Op::kIntegralDivide ? arrow::int64() : arrow::float64());
  }
  if (!IsNumeric(*left->type()) || !IsNumeric(*right->type())) return mismatch();
  const bool decimal = IsDecimal(*left->type()) || IsDecimal(*right->type());
  const bool floating = IsFloating(*left->type()) || IsFloating(*right->type());
  if (op == Op::kIntegralDivide && floating) return mismatch();
  if (decimal && !floating) {
    const auto as_decimal = [](const ExprPtr& side) {
      if (IsDecimal(*side->type())) return side;
      return CastIfNeeded(side, side->kind() == ExprKind::kLiteral ? DecimalForLiteral(*side) : DecimalForIntegral(*side->type()));
    };
    return std::pair(as_decimal(left), as_decimal(right));
  }
  TypePtr type = CommonTypeOf(left->type(), right->type());
  if (op == Op::kDivide) type = arrow::float64();
  if (op == Op::kIntegralDivide) type = arrow::int64();
  return std::pair(CastIfNeeded(left, type), CastIfNeeded(right, type));
}

arrow::Result<arrow::Datum> RunNumeric(const KernelCall& call, Op op, const TypePtr& type, bool null_on_failure) {
  if (op == Op::kIntegralDivide) return IntegralDivision(call, null_on_failure);
  switch (type->id()) {
    case arrow::Type::INT8:
      return IntegerArithmetic<int8_t>(call, op, type, null_on_failure);
    case arrow::Type::INT16:
      return IntegerArithmetic<int16_t>(call, op, type, null_on_failure);
    case arrow::Type::INT32:
      return IntegerArithmetic<int32_t>(call, op, type, null_on_failure);
    case arrow::Type::INT64:
      return IntegerArithmetic<int64_t>(call, op, type, null_on_failure);
    case arrow::Type::FLOAT:
      return FloatingArithmetic<float>(call, op, type, null_on_failure);
    default:
      return FloatingArithmetic<double>(call, op, type, null_on_failure);
  }
}

ExprPtr BindDecimal(const CallSite& site, Op op, const ExprPtr& left, const ExprPtr& right, bool null_on_failure) {
  const arrow::DataType& a = *left->type();
  const arrow::DataType& b = *right->type();
  // The quotient of `div` is checked against bigint, so all 38 digits are let through first.
  const TypePtr type = op == Op::kIntegralDivide ? arrow::decimal128(kMaxDecimalPrecision, 0) : DecimalResult(op, a, b);
  DecimalStep step{op, DecimalScale(a), DecimalScale(b), DecimalScale(*type), DecimalPrecision(*type), false};
  const int widest = op == Op::kMultiply ? DecimalPrecision(a) + DecimalPrecision(b)
                                         : std::max(DecimalPrecision(a) - step.a_scale, DecimalPrecision(b) - step.b_scale) +
                                               std::max(step.a_scale, step.b_scale) + 1;
  const int exact_scale = op == Op::kMultiply ? step.a_scale + step.b_scale : std::max(step.a_scale, step.b_scale);
  step.exact = (op == Op::kAdd || op == Op::kSubtract || op == Op::kMultiply) && widest <= kMaxDecimalPrecision && step.scale == exact_scale;
  Kernel kernel = [=](const std::vector<arrow::Datum>& arguments, const columnar::Selection& rows,
                      const EvalContext& context) -> arrow::Result<arrow::Datum> {
    ARROW_ASSIGN_OR_RAISE(const KernelCall call, KernelCall::Make(arguments, rows, context));
    if (op == Op::kIntegralDivide) return DecimalIntegralDivision(call, step, null_on_failure);
    return DecimalArithmetic(call, step, type, null_on_failure);
  };
  return Expr::Call(site.name, op == Op::kIntegralDivide ? arrow::int64() : type, {left, right}, kernel);
}

Binder Arithmetic(Op op, bool null_on_failure) {
  return [op, null_on_failure](const CallSite& site) -> arrow::Result<ExprPtr> {
    if (op <= Op::kDivide) {
      CallSite symbol = site;
      symbol.name = SymbolOf(op);
      ARROW_ASSIGN_OR_RAISE(const ExprPtr temporal, BindTemporalArithmetic(symbol));
      if (temporal && null_on_failure) return base::Unsupported("Function is not supported for dates and intervals: ", site.name);
      if (temporal) return temporal;
    }
    ARROW_ASSIGN_OR_RAISE(const auto operands, CoerceOperands(site, op));
    const auto& [left, right] = operands;
    if (IsDecimal(*left->type()) && IsDecimal(*right->type())) return BindDecimal(site, op, left, right, null_on_failure);
    const TypePtr type = left->type();
    Kernel kernel = [op, type, null_on_failure](const std::vector<arrow::Datum>& arguments, const columnar::Selection& rows,
                                                const EvalContext& context) -> arrow::Result<arrow::Datum> {
      ARROW_ASSIGN_OR_RAISE(const KernelCall call, KernelCall::Make(arguments, rows, context));
      return RunNumeric(call, op, type, null_on_failure);
    };
    return Expr::Call(site.name, type, {left, right}, kernel);
  };
}

// ----------------------------------------------------------------------------------------------------------------- unary

template <typename T>
Kernel NegateKernel(const TypePtr& type, bool only_negative) {
  return RowKernel<T, T>(type, [only_negative](Writer<T>& out, T value) {
    if (only_negative && !(value < 0) && !(std::is_floating_point_v<T> && value == 0)) return out.Set(value);
    if constexpr (std::is_floating_point_v<T>) {
      out.Set(only_negative ? std::abs(value) : -value);
    } else {
      if (value == std::numeric_limits<T>::min()) {
        return out.Fail(base::InvalidArgument("[ARITHMETIC_OVERFLOW] Overflow of ", only_negative ? "abs: " : "negative: ", int64_t{value}));
      }
      out.Set(static_cast<T>(-value));
    }
  });
}

// Spark negates decimals through a context of 34 digits, rounded half to even; longer values lose digits or overflow there too.
Int128 NegateDecimal(Int128 value) {
  constexpr int kContextDigits = 34;
  int drop = 0;
  while (!FitsPrecision(value, kContextDigits + drop)) ++drop;
  if (drop == 0) return -value;
  const Int128 unit = PowerOfTen(drop);
  Int128 quotient = value / unit;
  const Int128 rest = value % unit < 0 ? -(value % unit) : value % unit;
  if (rest * 2 > unit || (rest * 2 == unit && quotient % 2 != 0)) quotient += value < 0 ? -1 : 1;
  return -quotient * unit;
}

Kernel NegateDecimalKernel(const TypePtr& type, bool only_negative) {
  const int precision = DecimalPrecision(*type);
  return RowKernel<Int128, Int128>(type, [=](Writer<Int128>& out, Int128 value) {
    const Int128 result = only_negative && value > 0 ? value : NegateDecimal(value);
    if (!FitsPrecision(result, precision)) {
      return out.Fail(base::InvalidArgument("[NUMERIC_VALUE_OUT_OF_RANGE.WITH_SUGGESTION] The negated value cannot be represented as ", TypeName(*type)));
    }
    out.Set(result);
  });
}

Binder Negation(bool only_negative) {
  return [only_negative](const CallSite& site) -> arrow::Result<ExprPtr> {
    ExprPtr child = site[0];
    if (IsString(*child->type()) || child->type()->id() == arrow::Type::NA) child = CastIfNeeded(child, arrow::float64());
    const TypePtr type = child->type();
    Kernel kernel;
    switch (type->id()) {
      case arrow::Type::INT8:
        kernel = NegateKernel<int8_t>(type, only_negative);
        break;
      case arrow::Type::INT16:
        kernel = NegateKernel<int16_t>(type, only_negative);
        break;
      case arrow::Type::INT32:
      case arrow::Type::INTERVAL_MONTHS:
        kernel = NegateKernel<int32_t>(type, only_negative);
        break;
      case arrow::Type::INT64:
      case arrow::Type::DURATION:
        kernel = NegateKernel<int64_t>(type, only_negative);
        break;
      case arrow::Type::FLOAT:
        kernel = NegateKernel<float>(type, only_negative);
        break;
      case arrow::Type::DOUBLE:
        kernel = NegateKernel<double>(type, only_negative);
        break;
      case arrow::Type::DECIMAL128:
        kernel = NegateDecimalKernel(type, only_negative);
        break;
      default:
        return WrongType(site, 0, "numeric or interval");
    }
    return Expr::Call(site.name, type, {child}, kernel);
  };
}

}  // namespace

void AddArithmeticFunctions(FunctionTable* table) {
  table->Add({"+"}, 2, 2, Arithmetic(Op::kAdd, false));
  table->Add({"-"}, 2, 2, Arithmetic(Op::kSubtract, false));
  table->Add({"*"}, 2, 2, Arithmetic(Op::kMultiply, false));
  table->Add({"/"}, 2, 2, Arithmetic(Op::kDivide, false));
  table->Add({"div"}, 2, 2, Arithmetic(Op::kIntegralDivide, false));
  table->Add({"%", "mod"}, 2, 2, Arithmetic(Op::kRemainder, false));
  table->Add({"pmod"}, 2, 2, Arithmetic(Op::kPmod, false));
  table->Add({"try_add"}, 2, 2, Arithmetic(Op::kAdd, true));
  table->Add({"try_subtract"}, 2, 2, Arithmetic(Op::kSubtract, true));
  table->Add({"try_multiply"}, 2, 2, Arithmetic(Op::kMultiply, true));
  table->Add({"try_divide"}, 2, 2, Arithmetic(Op::kDivide, true));
  table->Add({"try_mod"}, 2, 2, Arithmetic(Op::kRemainder, true));
  table->Add({"negative"}, 1, 1, Negation(false));
  table->Add({"abs"}, 1, 1, Negation(true));
  table->Add({"positive"}, 1, 1, [](const CallSite& site) -> arrow::Result<ExprPtr> {
    return IsString(site.type(0)) ? CastIfNeeded(site[0], arrow::float64()) : site[0];
  });
}

}  // namespace vecruntime::expr
