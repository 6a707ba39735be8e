// SPDX-License-Identifier: Apache-2.0
#include "vecruntime/sql/display_name.h"

#include <arrow/type.h>

#include <algorithm>
#include <array>

#include "vecruntime/expr/interval_type.h"
#include "vecruntime/sql/lexer.h"

namespace vecruntime::sql {
namespace {

std::string JoinNames(const std::vector<std::string>& names, size_t from = 0) {
  std::string text;
  for (size_t i = from; i < names.size(); ++i) text += (i == from ? "" : ", ") + names[i];
  return text;
}

bool IsInterval(const arrow::DataType& type) { return type.id() == arrow::Type::DURATION || type.id() == arrow::Type::INTERVAL_MONTHS; }
bool IsIntegral(const arrow::DataType& type) { return type.id() == arrow::Type::INT8 || type.id() == arrow::Type::INT16 || type.id() == arrow::Type::INT32; }

// + and - on dates and timestamps are functions of their own in Spark, which shows. Empty for all other operands.
std::string TemporalName(const std::string& op, const std::vector<std::string>& names, const std::vector<std::shared_ptr<arrow::DataType>>& types) {
  if (types.size() != 2 || (op != "+" && op != "-")) return "";
  size_t point = 0;
  size_t shift = 1;
  if (op == "+" && (IsInterval(*types[0]) || IsIntegral(*types[0]))) std::swap(point, shift);
  const bool date = types[point]->id() == arrow::Type::DATE32;
  if (!date && types[point]->id() != arrow::Type::TIMESTAMP) return "";
  const std::string function = op == "+" ? "date_add(" : "date_sub(";
  if (date && IsIntegral(*types[shift])) return function + names[point] + ", " + names[shift] + ")";
  if (!IsInterval(*types[shift])) return "";
  const bool days = date && expr::UnitsOf(*types[shift]) == expr::IntervalUnits{expr::IntervalUnit::kDay, expr::IntervalUnit::kDay};
  if (days) return function + names[point] + ", extractansiintervaldays(" + names[shift] + "))";
  return names[point] + " " + op + " " + names[shift];
}

// Functions whose class names itself in capitals; their synonyms (pow, ceiling, ln) keep the case they were registered in.
constexpr std::array<std::string_view, 35> kCapitals = {
    "acos", "acosh", "asin", "asinh", "atan",  "atanh", "atan2", "cbrt",  "ceil",   "cos",  "cosh", "cot",     "csc",     "degrees", "exp", "expm1", "floor", "hypot",
    "log10", "log1p", "log2", "power", "radians", "rint", "sec", "signum", "sin", "sinh", "sqrt", "tan", "tanh", "log", "e", "pi", "rlike"};

// Aggregates whose second argument (ignoreNulls) does not show.
constexpr std::array<std::string_view, 5> kFirstArgumentOnly = {"first", "first_value", "last", "last_value", "any_value"};
constexpr std::array<std::string_view, 12> kTypeFunctions = {"boolean", "tinyint", "smallint", "int",       "bigint", "float",
                                                             "double",  "decimal", "date",     "timestamp", "string", "binary"};

template <typename Set>
bool Holds(const Set& set, std::string_view name) {
  return std::ranges::find(set, name) != set.end();
}

}  // namespace

std::string OperatorName(const Node& node, const std::vector<std::string>& names, const std::vector<std::shared_ptr<arrow::DataType>>& types) {
  const std::string& op = node.name;
  if (op == "not") return "(NOT " + names[0] + ")";
  if (op == "and" || op == "or") return "(" + names[0] + " " + ToUpper(op) + " " + names[1] + ")";
  if (op == "between") return "between(" + JoinNames(names) + ")";
  if (op == "in") return "(" + names[0] + " IN (" + JoinNames(names, 1) + "))";
  if (op == "like") return names[0] + " LIKE " + names[1] + (names.size() > 2 ? " ESCAPE '" + names[2] + "'" : "");
  if (op == "ilike") return "ilike(" + JoinNames(names) + ")";
  if (op == "rlike") return "RLIKE(" + JoinNames(names) + ")";
  if (op.ends_with("like any") || op.ends_with("like all")) {
    std::string name = op;
    std::erase(name, ' ');
    return name + "(" + names[0] + ")";
  }
  if (op == "is null" || op == "is not null") return "(" + names[0] + " " + ToUpper(op) + ")";
  if (op == "is true" || op == "is false") return "(" + names[0] + " <=> " + op.substr(3) + ")";
  if (op == "negative") return "(- " + names[0] + ")";
  if (op == "positive") return "(+ " + names[0] + ")";
  if (op == "~") return "~" + names[0];
  if (op == "||") return "concat(" + JoinNames(names) + ")";
  if (std::string temporal = TemporalName(op, names, types); !temporal.empty()) return temporal;
  return "(" + names[0] + " " + op + " " + names[1] + ")";
}

std::string CallName(const Node& node, const std::vector<std::string>& names, const std::string& filter) {
  std::string name = ToLower(node.name);
  if (Holds(kTypeFunctions, name) && names.size() == 1) return names[0];
  if (name == "if" && names.size() == 3) return "(IF(" + JoinNames(names) + "))";
  if (name == "user" || name == "session_user") name = "current_user";
  if (name == "dateadd") name = "date_add";
  if (name == "ltrim" && names.size() == 2) return "TRIM(LEADING " + names[0] + " FROM " + names[1] + ")";
  if (name == "rtrim" && names.size() == 2) return "TRIM(TRAILING " + names[0] + " FROM " + names[1] + ")";
  if (name == "named_struct" && !node.parts.empty()) {
    std::string fields;
    for (size_t i = 1; i < names.size(); i += 2) {
      fields += (i == 1 ? "" : ", ") + names[i];
      if (!node.parts[i / 2].empty()) fields += " AS " + node.parts[i / 2];
    }
    return "struct(" + fields + ")";
  }
  if (node.within_group) {
    std::string text = name + "(" + names[1] + ") WITHIN GROUP (ORDER BY " + names[0] + (names[2] == "true" ? " DESC)" : ")");
    return filter.empty() ? text : text + " FILTER (WHERE " + filter + ")";
  }
  std::vector<std::string> shown = names;
  if (Holds(kFirstArgumentOnly, name) && shown.size() > 1) shown.resize(1);
  if ((name == "substring" || name == "substr") && shown.size() == 2) shown.push_back("2147483647");
  if ((name == "locate" || name == "position") && shown.size() == 2) shown.push_back("1");
  if (name == "overlay" && shown.size() == 3) shown.push_back("-1");
  if (name == "percentile" && shown.size() == 2) shown.push_back("1");
  if ((name == "aggregate" || name == "reduce") && shown.size() == 3) shown.push_back("lambdafunction(namedlambdavariable(), namedlambdavariable())");
  if (node.star_argument) shown.push_back("1");
  if (Holds(kCapitals, name)) name = ToUpper(name);
  std::string text = name + "(" + (node.distinct ? "DISTINCT " : "") + JoinNames(shown) + ")";
  if (!filter.empty()) text += " FILTER (WHERE " + filter + ")";
  return text;
}

std::string CaseName(const std::vector<std::string>& names) {
  std::string text = "CASE";
  for (size_t i = 0; i + 1 < names.size(); i += 2) text += " WHEN " + names[i] + " THEN " + names[i + 1];
  if (names.size() % 2 == 1) text += " ELSE " + names.back();
  return text + " END";
}

}  // namespace vecruntime::sql
