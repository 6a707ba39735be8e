// SPDX-License-Identifier: Apache-2.0
#include "vecruntime/planning/pruning_predicate.h"

#include <arrow/array.h>
#include <arrow/result.h>
#include <arrow/scalar.h>
#include <arrow/type.h>

#include <algorithm>
#include <array>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

namespace vecruntime::planning {
namespace {

using expr::Expr;
using expr::ExprKind;
using iceberg::Field;
using iceberg::Predicate;
using iceberg::PredicateOp;
using iceberg::PredicatePtr;
using iceberg::TypeId;
using iceberg::Value;

struct ComparisonName {
  std::string_view name;
  PredicateOp op;
  PredicateOp negated;
  PredicateOp mirrored;  // a op b == b mirrored a
};
constexpr std::array<ComparisonName, 6> kComparisons = {{
    {"=", PredicateOp::kEq, PredicateOp::kNotEq, PredicateOp::kEq},
    {"<>", PredicateOp::kNotEq, PredicateOp::kEq, PredicateOp::kNotEq},
    {"<", PredicateOp::kLt, PredicateOp::kGtEq, PredicateOp::kGt},
    {"<=", PredicateOp::kLtEq, PredicateOp::kGt, PredicateOp::kGtEq},
    {">", PredicateOp::kGt, PredicateOp::kLtEq, PredicateOp::kLt},
    {">=", PredicateOp::kGtEq, PredicateOp::kLt, PredicateOp::kLtEq},
}};
const ComparisonName* FindComparison(std::string_view name) {
  for (const ComparisonName& row : kComparisons) {
    if (row.name == name) return &row;
  }
  return nullptr;
}

bool IsInteger(TypeId id) { return id == TypeId::kInt || id == TypeId::kLong; }

// Casts under which distinct values stay distinct and keep their order, so that comparing the cast value is comparing the value.
bool KeepsOrder(const iceberg::Type& from, const arrow::DataType& to) {
  if (IsInteger(from.id())) return arrow::is_signed_integer(to.id()) || arrow::is_decimal(to.id());
  if (from.id() == TypeId::kFloat) return to.id() == arrow::Type::DOUBLE;
  // A narrower scale rounds: what is cast to 2 may be 1.5.
  if (from.id() == TypeId::kDecimal) return arrow::is_decimal(to.id()) && static_cast<const arrow::DecimalType&>(to).scale() >= from.scale();
  return false;
}

// Casts among those that no value fails.
bool HoldsAllValues(const iceberg::Type& from, const arrow::DataType& to) {
  if (!arrow::is_decimal(to.id())) return from.id() == TypeId::kFloat || from.id() == TypeId::kInt ? arrow::bit_width(to.id()) >= 32 : to.id() == arrow::Type::INT64;
  const auto& decimal = static_cast<const arrow::DecimalType&>(to);
  const int digits = from.id() == TypeId::kDecimal ? from.precision() - from.scale() : from.id() == TypeId::kInt ? 10 : 19;
  return decimal.precision() - decimal.scale() >= digits && (from.id() != TypeId::kDecimal || decimal.scale() >= from.scale());
}

class Converter {
 public:
  Converter(const std::function<const Field*(int)>& field_of, bool proof) : field_of_(field_of), proof_(proof) {}

  PredicatePtr Convert(const Expr& expr, bool negated) const {
    switch (expr.kind()) {
      case ExprKind::kLiteral:
        return ConvertLiteral(expr, negated);
      case ExprKind::kColumn:
        return BooleanColumn(expr, negated);
      case ExprKind::kAnd:
      case ExprKind::kOr: {
        const bool conjunction = (expr.kind() == ExprKind::kAnd) != negated;
        PredicatePtr left = Convert(*expr.children()[0], negated);
        PredicatePtr right = Convert(*expr.children()[1], negated);
        return conjunction ? Predicate::And(left, right) : Predicate::Or(left, right);
      }
      case ExprKind::kIn:
        return ConvertIn(expr, negated);
      case ExprKind::kCall:
        return ConvertCall(expr, negated);
      default:
        return Unknown();
    }
  }

 private:
  PredicatePtr ConvertLiteral(const Expr& expr, bool negated) const {
    if (expr.type()->id() != arrow::Type::BOOL || !expr.value()->is_valid) return Predicate::False();
    const bool value = static_cast<const arrow::BooleanScalar&>(*expr.value()).value;
    return value != negated ? Predicate::True() : Predicate::False();
  }

  PredicatePtr BooleanColumn(const Expr& expr, bool negated) const {
    const Field* field = FieldOf(expr);
    if (field == nullptr || field->type->id() != TypeId::kBoolean) return Unknown();
    return Predicate::Leaf(PredicateOp::kEq, field->id, field->type, {Value{!negated}});
  }

  PredicatePtr ConvertCall(const Expr& expr, bool negated) const {
    const std::string& name = expr.name();
    const auto& arguments = expr.children();
    if (name == "not") return Convert(*arguments[0], !negated);
    if (name == "is null" || name == "isnull") return NullTest(*arguments[0], !negated);
    if (name == "is not null" || name == "isnotnull") return NullTest(*arguments[0], negated);
    if (const ComparisonName* comparison = FindComparison(name)) return ConvertComparison(*comparison, expr, negated);
    if (name == "<=>") return ConvertNullSafeEqual(expr, negated);
    if (negated) return Unknown();
    if (name == "like" && arguments.size() == 2) return ConvertLike(expr);
    if (name == "startswith") return ConvertStartsWith(expr);
    if (name == "isnan") {
      const Field* field = FieldOf(*arguments[0]);
      return field == nullptr ? Unknown() : Predicate::Leaf(PredicateOp::kIsNan, field->id, field->type);
    }
    return Unknown();
  }

  PredicatePtr NullTest(const Expr& child, bool is_null) const {
    const Field* field = FieldOf(child);
    if (field == nullptr) return Unknown();
    return Predicate::Leaf(is_null ? PredicateOp::kIsNull : PredicateOp::kNotNull, field->id, field->type);
  }

  PredicatePtr ConvertComparison(const ComparisonName& comparison, const Expr& expr, bool negated) const {
    const Expr* side = expr.children()[0].get();
    const Expr* constant = expr.children()[1].get();
    PredicateOp op = negated ? comparison.negated : comparison.op;
    if (side->kind() == ExprKind::kLiteral) {
      std::swap(side, constant);
      op = FindComparison(comparison.name)->mirrored;
      if (negated) op = Negate(op);
    }
    if (constant->kind() != ExprKind::kLiteral) return Unknown();
    if (!constant->value()->is_valid) return Predicate::False();
    return Leaf(op, *side, *constant->value());
  }

  static PredicateOp Negate(PredicateOp op) {
    return std::find_if(kComparisons.begin(), kComparisons.end(), [&](const auto& row) { return row.op == op; })->negated;
  }

  PredicatePtr ConvertNullSafeEqual(const Expr& expr, bool negated) const {
    const Expr* side = expr.children()[0].get();
    const Expr* constant = expr.children()[1].get();
    if (side->kind() == ExprKind::kLiteral) std::swap(side, constant);
    if (negated || constant->kind() != ExprKind::kLiteral) return Unknown();
    return constant->value()->is_valid ? Leaf(PredicateOp::kEq, *side, *constant->value()) : NullTest(*side, true);
  }

  PredicatePtr ConvertIn(const Expr& expr, bool negated) const {
    const Field* field = ComparableFieldOf(*expr.children()[0]);
    const arrow::Array& set = *expr.set();
    if (negated && set.null_count() > 0) return Predicate::False();  // NOT IN with a NULL is never true
    if (field == nullptr) return Unknown();
    std::vector<Value> values;
    for (int64_t i = 0; i < set.length(); ++i) {
      if (set.IsNull(i)) continue;
      const auto scalar = set.GetScalar(i);
      arrow::Result<Value> value = scalar.ok() ? FromScalar(*field->type, **scalar) : arrow::Result<Value>(scalar.status());
      if (!value.ok()) return Unknown();
      values.push_back(*std::move(value));
    }
    if (values.empty()) return negated ? Unknown() : Predicate::False();
    return Predicate::Leaf(negated ? PredicateOp::kNotIn : PredicateOp::kIn, field->id, field->type, std::move(values));
  }

  PredicatePtr ConvertLike(const Expr& expr) const {
    const std::optional<std::string> pattern = StringLiteral(*expr.children()[1]);
    if (!pattern || pattern->find('\\') != std::string::npos) return Unknown();
    const size_t wildcard = pattern->find_first_of("%_");
    if (wildcard == 0) return Unknown();
    const bool exact = wildcard == std::string::npos;
    if (proof_ && !exact && pattern->substr(wildcard) != "%") return Unknown();
    return StringLeaf(exact ? PredicateOp::kEq : PredicateOp::kStartsWith, *expr.children()[0], pattern->substr(0, wildcard));
  }

  PredicatePtr ConvertStartsWith(const Expr& expr) const {
    const std::optional<std::string> prefix = StringLiteral(*expr.children()[1]);
    return prefix ? StringLeaf(PredicateOp::kStartsWith, *expr.children()[0], *prefix) : Unknown();
  }

  PredicatePtr StringLeaf(PredicateOp op, const Expr& side, std::string text) const {
    const Field* field = FieldOf(side);
    if (field == nullptr || field->type->id() != TypeId::kString) return Unknown();
    return Predicate::Leaf(op, field->id, field->type, {Value{std::move(text)}});
  }

  PredicatePtr Leaf(PredicateOp op, const Expr& side, const arrow::Scalar& constant) const {
    const Field* field = ComparableFieldOf(side);
    if (field == nullptr) return Unknown();
    arrow::Result<Value> value = FromScalar(*field->type, constant);
    if (!value.ok()) return Unknown();
    return Predicate::Leaf(op, field->id, field->type, {*std::move(value)});
  }

  static std::optional<std::string> StringLiteral(const Expr& expr) {
    if (expr.kind() != ExprKind::kLiteral || expr.type()->id() != arrow::Type::STRING || !expr.value()->is_valid) return std::nullopt;
    return std::string(static_cast<const arrow::StringScalar&>(*expr.value()).view());
  }

  // The field behind a column or a chain of struct accesses, looking through casts that keep its order.
  const Field* ComparableFieldOf(const Expr& expr) const {
    if (expr.kind() != ExprKind::kCast) return FieldOf(expr);
    const Field* field = FieldOf(*expr.children()[0]);
    const bool keeps = field != nullptr && KeepsOrder(*field->type, *expr.type()) && (!proof_ || HoldsAllValues(*field->type, *expr.type()));
    return keeps ? field : nullptr;
  }

  const Field* FieldOf(const Expr& expr) const {
    if (expr.kind() == ExprKind::kColumn) return field_of_(expr.column());
    if (expr.kind() != ExprKind::kCall || expr.name() != ".") return nullptr;
    const Field* parent = FieldOf(*expr.children()[0]);
    const std::optional<std::string> member = StringLiteral(*expr.children()[1]);
    if (parent == nullptr || parent->type->id() != TypeId::kStruct || !member) return nullptr;
    for (const Field& field : parent->type->fields()) {
      if (field.name == *member) return &field;
    }
    return nullptr;
  }

  // What cannot be expressed.
  PredicatePtr Unknown() const { return proof_ ? Predicate::False() : Predicate::True(); }

  const std::function<const Field*(int)>& field_of_;
  const bool proof_;
};

}  // namespace

PredicatePtr ToPruningPredicate(const Expr& filter, const std::function<const Field*(int)>& field_of) {
  return Converter(field_of, false).Convert(filter, false);
}

PredicatePtr ToProofPredicate(const Expr& filter, const std::function<const Field*(int)>& field_of) {
  return Converter(field_of, true).Convert(filter, false);
}

}  // namespace vecruntime::planning
