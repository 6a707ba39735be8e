// SPDX-License-Identifier: Apache-2.0
// Shared by the functions of arrays, maps and structs.
#pragma once

#include "vecruntime/expr/functions/function_table.h"

namespace vecruntime::expr {

TypePtr ListOf(const TypePtr& element);
const TypePtr& ElementType(const arrow::DataType& list);
bool IsList(const arrow::DataType& type);
bool IsMap(const arrow::DataType& type);

/// array, map, map_from_arrays, struct, named_struct, sequence.
void AddConstructors(FunctionTable* table);

}  // namespace vecruntime::expr
