// SPDX-License-Identifier: Apache-2.0
#include "vecruntime/expr/function_registry.h"

#include <arrow/type.h>

#include <algorithm>
#include <cctype>

#include "vecruntime/base/error.h"
#include "vecruntime/expr/cast/cast.h"
#include "vecruntime/expr/functions/function_table.h"

namespace vecruntime::expr {
namespace {

const FunctionTable& Table() {
  static const FunctionTable table = [] {
    FunctionTable all;
    AddArithmeticFunctions(&all);
    AddBitwiseFunctions(&all);
    AddCastFunctions(&all);
    AddCollectionFunctions(&all);
    AddComparisonFunctions(&all);
    AddConditionalFunctions(&all);
    AddDateFunctions(&all);
    AddDateFormatFunctions(&all);
    AddDigestFunctions(&all);
    AddHashFunctions(&all);
    AddJsonFunctions(&all);
    AddMathFunctions(&all);
    AddRegexFunctions(&all);
    AddSearchFunctions(&all);
    AddStringFunctions(&all);
    AddTextEncodingFunctions(&all);
    return all;
  }();
  return table;
}

std::string Lower(std::string_view text) {
  std::string lower(text);
  std::transform(lower.begin(), lower.end(), lower.begin(), [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return lower;
}

}  // namespace

arrow::Result<ExprPtr> BindCall(std::string_view name, std::vector<ExprPtr> arguments, const EvalContext& context) {
  const Function* function = Table().Find(Lower(name));
  if (function == nullptr) return base::Unsupported("Function is not supported: ", name);
  const int count = static_cast<int>(arguments.size());
  if (count < function->min_arguments || (function->max_arguments >= 0 && count > function->max_arguments)) {
    return base::InvalidArgument("[WRONG_NUM_ARGS.WITHOUT_SUGGESTION] Wrong number of arguments of ", name, ": ", count);
  }
  return function->bind(CallSite{function->name, std::move(arguments), &context});
}

arrow::Result<ExprPtr> BindCast(ExprPtr child, const std::shared_ptr<arrow::DataType>& to, bool try_cast) {
  if (!CanCast(*child->type(), *to)) {
    return base::InvalidArgument("[DATATYPE_MISMATCH.CAST_WITHOUT_SUGGESTION] Cannot cast ", TypeName(*child->type()), " to ",
                                 TypeName(*to), ": ", child->ToString());
  }
  if (SameType(*child->type(), *to) && !IsNested(*to)) return child;
  return Expr::Cast(std::move(child), to, try_cast);
}

bool IsScalarFunction(std::string_view name) { return Table().Find(Lower(name)) != nullptr; }

std::vector<std::string> ScalarFunctionNames() { return Table().Names(); }

}  // namespace vecruntime::expr
