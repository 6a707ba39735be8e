// SPDX-License-Identifier: Apache-2.0
// Mathematical functions on doubles, and rounding of every numeric type.
#include <arrow/scalar.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>
#include <optional>

#include "vecruntime/base/error.h"
#include "vecruntime/expr/evaluator.h"
#include "vecruntime/expr/function_registry.h"
#include "vecruntime/expr/functions/function_table.h"
#include "vecruntime/expr/number_text.h"
#include "vecruntime/expr/row_kernel.h"

namespace vecruntime::expr {
namespace {

using Real = double (*)(double);
using Real2 = double (*)(double, double);

const TypePtr& Double() {
  static const TypePtr type = arrow::float64();
  return type;
}

void AddReal(FunctionTable* table, std::initializer_list<std::string_view> names, Real function) {
  table->AddSimple(names, {Double()}, Double(),
                   RowKernel<double, double>(Double(), [function](Writer<double>& out, double value) { out.Set(function(value)); }));
}

// Logarithms are NULL where they do not exist.
void AddLogarithm(FunctionTable* table, std::string_view name, Real function, double above) {
  table->AddSimple({name}, {Double()}, Double(), RowKernel<double, double>(Double(), [function, above](Writer<double>& out, double value) {
                     if (value <= above) return out.Null();
                     out.Set(function(value));
                   }));
}

void AddReal2(FunctionTable* table, std::initializer_list<std::string_view> names, Real2 function) {
  table->AddSimple(names, {Double(), Double()}, Double(),
                   RowKernel<double, double, double>(Double(), [function](Writer<double>& out, double a, double b) { out.Set(function(a, b)); }));
}

arrow::Result<ExprPtr> BindLog(const CallSite& site) {
  ARROW_ASSIGN_OR_RAISE(auto first, CoerceTo(site[0], Double()));
  if (site.size() == 1) return BindCall("ln", {first}, *site.context);
  ARROW_ASSIGN_OR_RAISE(auto second, CoerceTo(site[1], Double()));
  return Expr::Call(site.name, Double(), {first, second},
                    RowKernel<double, double, double>(Double(), [](Writer<double>& out, double base, double value) {
                      if (base <= 0 || value <= 0) return out.Null();
                      out.Set(std::log(value) / std::log(base));
                    }));
}

// StrictMath.pow differs from C's on 1^NaN and (-1)^inf, which are NaN in Java.
double JavaPow(double base, double exponent) {
  if (std::isnan(exponent)) return exponent;
  if (std::isinf(exponent) && std::abs(base) == 1) return std::numeric_limits<double>::quiet_NaN();
  return std::pow(base, exponent);
}

double Signum(double value) { return value > 0 ? 1.0 : value < 0 ? -1.0 : value; }

// The sign of a number or of an interval.
arrow::Result<ExprPtr> BindSignum(const CallSite& site) {
  const auto sign_of = [](Writer<double>& out, auto amount) { out.Set(Signum(static_cast<double>(amount))); };
  const bool months = site.type(0).id() == arrow::Type::INTERVAL_MONTHS;
  if (IsInterval(site.type(0))) {
    return Expr::Call(site.name, Double(), {site[0]}, months ? RowKernel<double, int32_t>(Double(), sign_of) : RowKernel<double, int64_t>(Double(), sign_of));
  }
  ARROW_ASSIGN_OR_RAISE(auto number, CoerceTo(site[0], Double()));
  return Expr::Call(site.name, Double(), {number}, RowKernel<double, double>(Double(), sign_of));
}

// ------------------------------------------------------------------------------------------------------------ floor, ceil

int64_t SaturatedLong(double value) {
  if (std::isnan(value)) return 0;
  if (value >= 9223372036854775808.0) return std::numeric_limits<int64_t>::max();
  if (value < -9223372036854775808.0) return std::numeric_limits<int64_t>::min();
  return static_cast<int64_t>(value);
}

enum class Rounding { kHalfUp, kHalfEven, kCeiling, kFloor };

// value / 10^drop, rounded.
Int128 DropDigits(Int128 value, int drop, Rounding rounding) {
  if (drop > kMaxDecimalPrecision) return rounding == Rounding::kCeiling && value > 0 ? 1 : rounding == Rounding::kFloor && value < 0 ? -1 : 0;
  const Int128 unit = PowerOfTen(drop);
  const Int128 quotient = value / unit;
  const Int128 rest = value % unit;
  switch (rounding) {
    case Rounding::kCeiling:
      return quotient + (rest > 0 ? 1 : 0);
    case Rounding::kFloor:
      return quotient - (rest < 0 ? 1 : 0);
    case Rounding::kHalfEven: {
      const Int128 twice = (rest < 0 ? -rest : rest);
      const bool up = twice > unit - twice || (twice == unit - twice && quotient % 2 != 0);
      return up ? quotient + (value < 0 ? -1 : 1) : quotient;
    }
    default:
      return DivideHalfUp(value, unit);
  }
}

// Spark's RoundBase.dataType.
TypePtr RoundedType(const arrow::DataType& type, int scale) {
  const int integral = DecimalPrecision(type) - DecimalScale(type) + 1;
  if (scale < 0) return arrow::decimal128(std::min(std::max(integral, -scale + 1), kMaxDecimalPrecision), 0);
  const int kept = std::min(DecimalScale(type), scale);
  return arrow::decimal128(std::min(integral + kept, kMaxDecimalPrecision), kept);
}

ExprPtr RoundDecimal(const CallSite& site, const ExprPtr& child, int scale, Rounding rounding) {
  const arrow::DataType& from = *child->type();
  const TypePtr type = RoundedType(from, scale);
  const int drop = DecimalScale(from) - scale;
  const int precision = DecimalPrecision(*type);
  Kernel kernel = RowKernel<Int128, Int128>(type, [=](Writer<Int128>& out, Int128 value) {
    if (drop > 0) value = DropDigits(value, drop, rounding);
    if (scale < 0 && value != 0) {
      if (-scale > kMaxDecimalPrecision || __builtin_mul_overflow(value, PowerOfTen(-scale), &value)) value = PowerOfTen(kMaxDecimalPrecision);
    }
    if (!FitsPrecision(value, precision)) return out.Fail(base::InvalidArgument("[NUMERIC_VALUE_OUT_OF_RANGE.WITH_SUGGESTION] Rounded value does not fit ", TypeName(*type)));
    out.Set(value);
  });
  return Expr::Call(site.name, type, {child}, kernel);
}

template <typename T>
Kernel RoundIntegerKernel(const TypePtr& type, int scale, Rounding rounding) {
  return RowKernel<T, T>(type, [scale, rounding](Writer<T>& out, T value) {
    if (scale >= 0) return out.Set(value);
    const int drop = std::min(-scale, kMaxDecimalPrecision - 1);
    Int128 rounded = DropDigits(value, drop, rounding);
    if (rounded != 0) rounded *= PowerOfTen(drop);
    if (static_cast<T>(rounded) != rounded) return out.Fail(base::InvalidArgument("[ARITHMETIC_OVERFLOW] Overflow in rounding: ", int64_t{value}));
    out.Set(static_cast<T>(rounded));
  });
}

// Through the shortest decimal text, as BigDecimal.valueOf(double).setScale does.
double RoundDouble(double value, int scale, Rounding rounding) {
  if (!std::isfinite(value) || (scale >= 0 && std::abs(value) >= 1e18)) return value;
  std::string text;
  AppendDouble(value, &text);
  constexpr int kWorkScale = 20;  // finer than the 17 digits of a double at any magnitude where rounding can matter
  Int128 decimal = 0;
  int digits_scale = std::max(scale, 0) + kWorkScale;
  while (digits_scale > 0 && ParseDecimal(text, kMaxDecimalPrecision, digits_scale, &decimal) == DecimalParse::kOverflow) --digits_scale;
  if (digits_scale == 0 && ParseDecimal(text, kMaxDecimalPrecision, 0, &decimal) != DecimalParse::kOk) return value;
  if (digits_scale > scale) {
    decimal = DropDigits(decimal, digits_scale - scale, rounding);
  } else {
    return value;
  }
  text.clear();
  AppendDecimal(decimal, scale, &text);
  double rounded = 0;
  ParseDouble(text, &rounded);
  return decimal == 0 ? 0.0 : rounded;
}

// The scale argument, 0 when it is not given; nullopt for NULL.
arrow::Result<std::optional<int>> ConstantScale(const CallSite& site, size_t argument) {
  if (site.size() <= argument) return std::optional<int>(0);
  ARROW_ASSIGN_OR_RAISE(const ExprPtr written, CoerceTo(site[argument], arrow::int32()));
  const ExprPtr scale = FoldConstants(written, *site.context);
  if (scale->kind() != ExprKind::kLiteral) {
    return base::InvalidArgument("[DATATYPE_MISMATCH.NON_FOLDABLE_INPUT] The scale of ", site.name, " must be constant");
  }
  if (!scale->value()->is_valid) return std::optional<int>();
  return std::optional<int>(static_cast<const arrow::Int32Scalar&>(*scale->value()).value);
}

Binder Round(Rounding rounding) {
  return [rounding](const CallSite& site) -> arrow::Result<ExprPtr> {
    ExprPtr child = site[0];
    if (IsString(*child->type()) || child->type()->id() == arrow::Type::NA) child = CastIfNeeded(child, Double());
    const TypePtr type = child->type();
    ARROW_ASSIGN_OR_RAISE(const auto written_scale, ConstantScale(site, 1));
    if (!written_scale) return NullLiteral(type);
    const int scale = std::clamp(*written_scale, -1000, 1000);
    switch (type->id()) {
      case arrow::Type::INT8:
        return Expr::Call(site.name, type, {child}, RoundIntegerKernel<int8_t>(type, scale, rounding));
      case arrow::Type::INT16:
        return Expr::Call(site.name, type, {child}, RoundIntegerKernel<int16_t>(type, scale, rounding));
      case arrow::Type::INT32:
        return Expr::Call(site.name, type, {child}, RoundIntegerKernel<int32_t>(type, scale, rounding));
      case arrow::Type::INT64:
        return Expr::Call(site.name, type, {child}, RoundIntegerKernel<int64_t>(type, scale, rounding));
      case arrow::Type::DECIMAL128:
        return RoundDecimal(site, child, scale, rounding);
      case arrow::Type::FLOAT:
        return Expr::Call(site.name, type, {child}, RowKernel<float, float>(type, [=](Writer<float>& out, float value) {
                            out.Set(static_cast<float>(RoundDouble(value, scale, rounding)));
                          }));
      case arrow::Type::DOUBLE:
        return Expr::Call(site.name, type, {child}, RowKernel<double, double>(type, [=](Writer<double>& out, double value) {
                            out.Set(RoundDouble(value, scale, rounding));
                          }));
      default:
        return WrongType(site, 0, "numeric");
    }
  };
}

// ceil and floor: bigint from integers and doubles, decimals keep their integral digits; with a scale they work on decimals.
Binder Towards(Rounding rounding) {
  return [rounding](const CallSite& site) -> arrow::Result<ExprPtr> {
    ExprPtr child = site[0];
    if (site.size() == 2) {
      ARROW_ASSIGN_OR_RAISE(const auto scale, ConstantScale(site, 1));
      if (IsIntegral(*child->type())) child = CastIfNeeded(child, DecimalForIntegral(*child->type()));
      if (!IsDecimal(*child->type())) {
        child = CastIfNeeded(child, arrow::decimal128(child->type()->id() == arrow::Type::FLOAT ? 14 : 30, child->type()->id() == arrow::Type::FLOAT ? 7 : 15));
      }
      if (!scale) return NullLiteral(child->type());
      return RoundDecimal(site, child, std::clamp(*scale, -1000, 1000), rounding);
    }
    if (IsDecimal(*child->type())) return DecimalScale(*child->type()) == 0 ? child : RoundDecimal(site, child, 0, rounding);
    if (IsIntegral(*child->type())) return CastIfNeeded(child, arrow::int64());
    ARROW_ASSIGN_OR_RAISE(child, CoerceTo(child, Double()));
    return Expr::Call(site.name, arrow::int64(), {child},
                      RowKernel<int64_t, double>(arrow::int64(), [rounding](Writer<int64_t>& out, double value) {
                        out.Set(SaturatedLong(rounding == Rounding::kCeiling ? std::ceil(value) : std::floor(value)));
                      }));
  };
}

void Factorial(Writer<int64_t>& out, int32_t value) {
  if (value < 0 || value > 20) return out.Null();
  int64_t product = 1;
  for (int32_t k = 2; k <= value; ++k) product *= k;
  out.Set(product);
}

void WidthBucket(Writer<int64_t>& out, double value, double low, double high, int64_t buckets) {
  if (buckets <= 0 || buckets == std::numeric_limits<int64_t>::max() || std::isnan(value) || low == high || !std::isfinite(low) || !std::isfinite(high)) {
    return out.Null();
  }
  const double lower = std::min(low, high), upper = std::max(low, high);
  if (low < high) {
    if (value < lower) return out.Set(0);
    if (value >= upper) return out.Set(buckets + 1);
    return out.Set(static_cast<int64_t>(static_cast<double>(buckets) * (value - lower) / (upper - lower)) + 1);
  }
  if (value > upper) return out.Set(0);
  if (value <= lower) return out.Set(buckets + 1);
  out.Set(static_cast<int64_t>(static_cast<double>(buckets) * (upper - value) / (upper - lower)) + 1);
}

Binder Constant(double value) {
  return [value](const CallSite&) -> arrow::Result<ExprPtr> { return Expr::Literal(std::make_shared<arrow::DoubleScalar>(value)); };
}

}  // namespace

void AddMathFunctions(FunctionTable* table) {
  AddReal(table, {"sqrt"}, std::sqrt);
  AddReal(table, {"cbrt"}, std::cbrt);
  AddReal(table, {"exp"}, std::exp);
  AddReal(table, {"expm1"}, std::expm1);
  AddReal(table, {"sin"}, std::sin);
  AddReal(table, {"cos"}, std::cos);
  AddReal(table, {"tan"}, std::tan);
  AddReal(table, {"cot"}, [](double x) { return 1 / std::tan(x); });
  AddReal(table, {"sec"}, [](double x) { return 1 / std::cos(x); });
  AddReal(table, {"csc"}, [](double x) { return 1 / std::sin(x); });
  AddReal(table, {"asin"}, std::asin);
  AddReal(table, {"acos"}, std::acos);
  AddReal(table, {"atan"}, std::atan);
  AddReal(table, {"sinh"}, std::sinh);
  AddReal(table, {"cosh"}, std::cosh);
  AddReal(table, {"tanh"}, std::tanh);
  AddReal(table, {"asinh"}, [](double x) { return std::isinf(x) && x < 0 ? x : std::log(x + std::sqrt(x * x + 1.0)); });
  AddReal(table, {"acosh"}, [](double x) { return std::log(x + std::sqrt(x * x - 1.0)); });
  AddReal(table, {"atanh"}, [](double x) { return 0.5 * (std::log1p(x) - std::log1p(-x)); });
  AddReal(table, {"degrees"}, [](double x) { return x * (180.0 / std::numbers::pi); });
  AddReal(table, {"radians"}, [](double x) { return x * (std::numbers::pi / 180.0); });
  AddReal(table, {"rint"}, std::nearbyint);
  table->Add({"signum", "sign"}, 1, 1, BindSignum);
  AddLogarithm(table, "ln", std::log, 0);
  AddLogarithm(table, "log2", std::log2, 0);
  AddLogarithm(table, "log10", std::log10, 0);
  AddLogarithm(table, "log1p", std::log1p, -1);
  table->Add({"log"}, 1, 2, BindLog);
  AddReal2(table, {"pow", "power"}, JavaPow);
  AddReal2(table, {"atan2"}, [](double y, double x) { return std::atan2(y + 0.0, x + 0.0); });
  AddReal2(table, {"hypot"}, std::hypot);
  table->Add({"pi"}, 0, 0, Constant(std::numbers::pi));
  table->Add({"e"}, 0, 0, Constant(std::numbers::e));
  table->Add({"round"}, 1, 2, Round(Rounding::kHalfUp));
  table->Add({"bround"}, 1, 2, Round(Rounding::kHalfEven));
  table->Add({"ceil", "ceiling"}, 1, 2, Towards(Rounding::kCeiling));
  table->Add({"floor"}, 1, 2, Towards(Rounding::kFloor));
  table->AddSimple({"factorial"}, {arrow::int32()}, arrow::int64(), RowKernel<int64_t, int32_t>(arrow::int64(), Factorial));
  table->AddSimple({"width_bucket"}, {Double(), Double(), Double(), arrow::int64()}, arrow::int64(),
                   RowKernel<int64_t, double, double, double, int64_t>(arrow::int64(), WidthBucket));
}

}  // namespace vecruntime::expr
