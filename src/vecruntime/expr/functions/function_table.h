// SPDX-License-Identifier: Apache-2.0
// The table of scalar functions: each family of functions adds its own, the registry looks them up.
#pragma once

#include <arrow/result.h>
#include <arrow/type_fwd.h>

#include <functional>
#include <initializer_list>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "vecruntime/expr/expr.h"
#include "vecruntime/expr/function_registry.h"
#include "vecruntime/expr/type_coercion.h"

namespace vecruntime::expr {

/// A call being bound.
struct CallSite {
  std::string name;  // canonical name
  std::vector<ExprPtr> arguments;
  const EvalContext* context = nullptr;

  const ExprPtr& operator[](size_t k) const { return arguments[k]; }
  size_t size() const { return arguments.size(); }
  const arrow::DataType& type(size_t k) const { return *arguments[k]->type(); }
};

using Binder = std::function<arrow::Result<ExprPtr>(const CallSite& site)>;

struct Function {
  std::string name;
  int min_arguments = 0;
  int max_arguments = 0;  // -1: any number
  Binder bind;
};

class FunctionTable {
 public:
  /// The first name is canonical, the others are synonyms.
  void Add(std::initializer_list<std::string_view> names, int min_arguments, int max_arguments, Binder bind);
  /// A function of one signature: arguments are implicitly cast to `parameters`; missing trailing arguments are taken from `defaults`
  /// (which stand for the last parameters). The kernel always gets all parameters.
  void AddSimple(std::initializer_list<std::string_view> names, std::vector<TypePtr> parameters, TypePtr result, Kernel kernel,
                 std::vector<ExprPtr> defaults = {});

  /// nullptr when there is no function of that lower-case name.
  const Function* Find(std::string_view lower_name) const;
  std::vector<std::string> Names() const;

 private:
  std::map<std::string, Function, std::less<>> functions_;
};

void AddArithmeticFunctions(FunctionTable* table);
void AddBitwiseFunctions(FunctionTable* table);
void AddCastFunctions(FunctionTable* table);
void AddCollectionFunctions(FunctionTable* table);
void AddComparisonFunctions(FunctionTable* table);
void AddConditionalFunctions(FunctionTable* table);
void AddDateFunctions(FunctionTable* table);
void AddDateFormatFunctions(FunctionTable* table);
void AddDigestFunctions(FunctionTable* table);
void AddHashFunctions(FunctionTable* table);
void AddJsonFunctions(FunctionTable* table);
void AddMathFunctions(FunctionTable* table);
void AddRegexFunctions(FunctionTable* table);
void AddSearchFunctions(FunctionTable* table);
void AddStringFunctions(FunctionTable* table);
void AddTextEncodingFunctions(FunctionTable* table);

/// Date and interval arithmetic of +, -, *, /; nullptr when neither operand is a date, timestamp, time or interval.
arrow::Result<ExprPtr> BindTemporalArithmetic(const CallSite& site);

/// A comparison kernel for two arguments of the same type: "=", "<", "<=" (others are made of these).
Kernel MakeComparisonKernel(std::string_view op, const arrow::DataType& type);

/// InvalidArgument [DATATYPE_MISMATCH.UNEXPECTED_INPUT_TYPE] naming the function and the argument.
arrow::Status WrongType(const CallSite& site, size_t argument, std::string_view expected);

/// Literals for defaults.
ExprPtr StringLiteral(std::string_view text);
ExprPtr IntLiteral(int32_t value);
ExprPtr BooleanLiteral(bool value);
ExprPtr NullLiteral(const TypePtr& type);

/// The text of a constant argument; nullopt-like empty optional when the argument is not a non-NULL string literal.
const std::string* ConstantText(const ExprPtr& argument, std::string* storage);

/// All arguments [from, end) implicitly cast to their common type.
arrow::Result<std::vector<ExprPtr>> UnifyArguments(const CallSite& site, size_t from = 0);

}  // namespace vecruntime::expr
