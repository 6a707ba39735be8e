// SPDX-License-Identifier: Apache-2.0
// `value IN (constants)` as a kernel over a hash set built once.
#pragma once

#include <arrow/type_fwd.h>

#include <memory>

#include "vecruntime/expr/expr.h"

namespace vecruntime::expr {

/// Boolean kernel of one argument that has the type of `set`: true when equal to an element (NaN = NaN, -0.0 = 0.0), else NULL when
/// the argument is NULL or the set holds a NULL, else false.
Kernel MakeInKernel(const std::shared_ptr<arrow::Array>& set);

}  // namespace vecruntime::expr
