// SPDX-License-Identifier: Apache-2.0
#include "vecruntime/expr/functions/function_table.h"

#include <arrow/buffer.h>
#include <arrow/scalar.h>
#include <arrow/type.h>

#include "vecruntime/base/error.h"
#include "vecruntime/expr/function_registry.h"

namespace vecruntime::expr {

void FunctionTable::Add(std::initializer_list<std::string_view> names, int min_arguments, int max_arguments, Binder bind) {
  for (const std::string_view name : names) {
    functions_.emplace(std::string(name), Function{std::string(*names.begin()), min_arguments, max_arguments, bind});
  }
}

void FunctionTable::AddSimple(std::initializer_list<std::string_view> names, std::vector<TypePtr> parameters, TypePtr result,
                              Kernel kernel, std::vector<ExprPtr> defaults) {
  const int max_arguments = static_cast<int>(parameters.size());
  const int min_arguments = max_arguments - static_cast<int>(defaults.size());
  Binder bind = [parameters = std::move(parameters), result = std::move(result), kernel = std::move(kernel),
                 defaults = std::move(defaults)](const CallSite& site) -> arrow::Result<ExprPtr> {
    std::vector<ExprPtr> arguments;
    for (size_t k = 0; k < site.size(); ++k) {
      ARROW_ASSIGN_OR_RAISE(auto argument, CoerceTo(site[k], parameters[k]));
      arguments.push_back(std::move(argument));
    }
    for (size_t k = defaults.size() - (parameters.size() - site.size()); k < defaults.size(); ++k) arguments.push_back(defaults[k]);
    return Expr::Call(site.name, result, std::move(arguments), kernel);
  };
  Add(names, min_arguments, max_arguments, std::move(bind));
}

const Function* FunctionTable::Find(std::string_view lower_name) const {
  const auto found = functions_.find(lower_name);
  return found == functions_.end() ? nullptr : &found->second;
}

std::vector<std::string> FunctionTable::Names() const {
  std::vector<std::string> names;
  for (const auto& [name, function] : functions_) names.push_back(name);
  return names;
}

arrow::Status WrongType(const CallSite& site, size_t argument, std::string_view expected) {
  return base::InvalidArgument("[DATATYPE_MISMATCH.UNEXPECTED_INPUT_TYPE] Argument ", argument + 1, " of ", site.name, " must be ",
                               expected, " but is ", TypeName(site.type(argument)));
}

ExprPtr StringLiteral(std::string_view text) { return Expr::Literal(std::make_shared<arrow::StringScalar>(std::string(text))); }
ExprPtr IntLiteral(int32_t value) { return Expr::Literal(std::make_shared<arrow::Int32Scalar>(value)); }
ExprPtr BooleanLiteral(bool value) { return Expr::Literal(std::make_shared<arrow::BooleanScalar>(value)); }
ExprPtr NullLiteral(const TypePtr& type) { return Expr::Literal(arrow::MakeNullScalar(type)); }

const std::string* ConstantText(const ExprPtr& argument, std::string* storage) {
  if (argument->kind() != ExprKind::kLiteral || !IsString(*argument->type()) || !argument->value()->is_valid) return nullptr;
  *storage = static_cast<const arrow::StringScalar&>(*argument->value()).value->ToString();
  return storage;
}

arrow::Result<std::vector<ExprPtr>> UnifyArguments(const CallSite& site, size_t from) {
  std::vector<TypePtr> types;
  for (size_t k = from; k < site.size(); ++k) types.push_back(site[k]->type());
  ARROW_ASSIGN_OR_RAISE(const TypePtr common, CommonType(types));
  std::vector<ExprPtr> arguments(site.arguments.begin(), site.arguments.begin() + static_cast<int64_t>(from));
  for (size_t k = from; k < site.size(); ++k) arguments.push_back(CastIfNeeded(site[k], common));
  return arguments;
}

}  // namespace vecruntime::expr
