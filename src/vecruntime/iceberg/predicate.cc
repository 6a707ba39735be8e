// SPDX-License-Identifier: Apache-2.0
#include "vecruntime/iceberg/predicate.h"

#include <utility>

namespace vecruntime::iceberg {
namespace {

PredicatePtr Constant(PredicateOp op) {
  auto predicate = std::make_shared<Predicate>();
  predicate->op = op;
  return predicate;
}

PredicatePtr Combine(PredicateOp op, PredicatePtr a, PredicatePtr b) {
  auto predicate = std::make_shared<Predicate>();
  predicate->op = op;
  // a AND b AND c is one node with three children.
  for (PredicatePtr& side : {std::ref(a), std::ref(b)}) {
    if (side->op == op) {
      predicate->children.insert(predicate->children.end(), side->children.begin(), side->children.end());
    } else {
      predicate->children.push_back(std::move(side));
    }
  }
  return predicate;
}

std::string_view Symbol(PredicateOp op) {
  switch (op) {
    case PredicateOp::kTrue:
      return "true";
    case PredicateOp::kFalse:
      return "false";
    case PredicateOp::kAnd:
      return " and ";
    case PredicateOp::kOr:
      return " or ";
    case PredicateOp::kIsNull:
      return "is null";
    case PredicateOp::kNotNull:
      return "is not null";
    case PredicateOp::kIsNan:
      return "is nan";
    case PredicateOp::kNotNan:
      return "is not nan";
    case PredicateOp::kEq:
      return "=";
    case PredicateOp::kNotEq:
      return "<>";
    case PredicateOp::kLt:
      return "<";
    case PredicateOp::kLtEq:
      return "<=";
    case PredicateOp::kGt:
      return ">";
    case PredicateOp::kGtEq:
      return ">=";
    case PredicateOp::kIn:
      return "in";
    case PredicateOp::kNotIn:
      return "not in";
    case PredicateOp::kStartsWith:
      return "starts with";
    case PredicateOp::kNotStartsWith:
      return "not starts with";
  }
  return "";
}

}  // namespace

PredicatePtr Predicate::True() {
  static const PredicatePtr kInstance = Constant(PredicateOp::kTrue);
  return kInstance;
}

PredicatePtr Predicate::False() {
  static const PredicatePtr kInstance = Constant(PredicateOp::kFalse);
  return kInstance;
}

PredicatePtr Predicate::And(PredicatePtr a, PredicatePtr b) {
  if (a->op == PredicateOp::kFalse || b->op == PredicateOp::kTrue) return a;
  if (b->op == PredicateOp::kFalse || a->op == PredicateOp::kTrue) return b;
  return Combine(PredicateOp::kAnd, std::move(a), std::move(b));
}

PredicatePtr Predicate::Or(PredicatePtr a, PredicatePtr b) {
  if (a->op == PredicateOp::kTrue || b->op == PredicateOp::kFalse) return a;
  if (b->op == PredicateOp::kTrue || a->op == PredicateOp::kFalse) return b;
  return Combine(PredicateOp::kOr, std::move(a), std::move(b));
}

PredicatePtr Predicate::Leaf(PredicateOp op, FieldId field_id, TypePtr type, std::vector<Value> values) {
  auto predicate = std::make_shared<Predicate>();
  predicate->op = op;
  predicate->field_id = field_id;
  predicate->type = std::move(type);
  predicate->values = std::move(values);
  return predicate;
}

std::string Predicate::ToString(const Schema& schema) const {
  std::string text;
  if (op == PredicateOp::kAnd || op == PredicateOp::kOr) {
    for (const PredicatePtr& child : children) {
      if (!text.empty()) text += Symbol(op);
      text += child->ToString(schema);
    }
    return "(" + text + ")";
  }
  if (op == PredicateOp::kTrue || op == PredicateOp::kFalse) return std::string(Symbol(op));
  const std::string name = schema.NameOf(field_id);
  text = (name.empty() ? "#" + std::to_string(field_id) : name) + " " + std::string(Symbol(op));
  const bool is_list = op == PredicateOp::kIn || op == PredicateOp::kNotIn;
  for (size_t i = 0; i < values.size(); ++i) {
    text += i > 0 ? ", " : is_list ? " (" : " ";
    text += type->id() == TypeId::kString ? "'" + iceberg::ToString(*type, values[i]) + "'" : iceberg::ToString(*type, values[i]);
  }
  if (is_list) text += values.empty() ? " ()" : ")";
  return text;
}

}  // namespace vecruntime::iceberg
