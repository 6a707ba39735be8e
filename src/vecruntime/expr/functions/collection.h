// SPDX-License-Identifier: Apache-2.0
// Shared by the functions of arrays, maps and structs.
#pragma once

#include "vecruntime/expr/functions/function_table.h"

namespace vecruntime::expr {

TypePtr ListOf(const TypePtr& element);
const TypePtr& ElementType(const arrow::DataType& list);
bool IsList(const arrow::DataType& type);
bool IsMap(const arrow::DataType& type);

/// Most functions of arrays bring elements together only where that needs no new decimal type: InvalidArgument
/// [DATATYPE_MISMATCH.ARRAY_FUNCTION_DIFF_TYPES] where one of two different types is a decimal.
arrow::Status CheckNoNewDecimal(const CallSite& site, const arrow::DataType& a, const arrow::DataType& b);

/// array_insert, arrays_zip, map_from_entries, str_to_map.
void AddCollectionBuilders(FunctionTable* table);
/// sequence() of dates or timestamps, with or without a step.
arrow::Result<ExprPtr> BindTemporalSequence(const CallSite& site);
/// array, map, map_from_arrays, struct, named_struct, sequence.
void AddConstructors(FunctionTable* table);

}  // namespace vecruntime::expr
