// SPDX-License-Identifier: Apache-2.0
// AND and OR over many terms as balanced trees: evaluation goes left to right as in a chain, but thousands of terms stay shallow.
#pragma once

#include <vector>

#include "vecruntime/expr/expr.h"

namespace vecruntime::sql {

/// REQUIRES: at least one term.
expr::ExprPtr MakeConjunction(const std::vector<expr::ExprPtr>& terms);
expr::ExprPtr MakeDisjunction(const std::vector<expr::ExprPtr>& terms);

}  // namespace vecruntime::sql
