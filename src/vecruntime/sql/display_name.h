// SPDX-License-Identifier: Apache-2.0
// The text Spark 4.1 gives an expression without alias as its column name: the SQL of the analysed expression, without qualifiers,
// quotes around strings, or the casts it inserted itself.
#pragma once

#include <string>
#include <vector>

#include "vecruntime/expr/expr.h"
#include "vecruntime/sql/ast.h"

namespace vecruntime::sql {

/// Of a kOperator node; `names` and `types` are its operands'.
std::string OperatorName(const Node& node, const std::vector<std::string>& names, const std::vector<std::shared_ptr<arrow::DataType>>& types);
/// Of a kCall node; `filter` is the name of its FILTER condition, or empty.
std::string CallName(const Node& node, const std::vector<std::string>& names, const std::string& filter);
/// "CASE WHEN a THEN b ELSE c END".
std::string CaseName(const std::vector<std::string>& names);

}  // namespace vecruntime::sql
