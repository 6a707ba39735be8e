// SPDX-License-Identifier: Apache-2.0
// The families of casts and the errors they share. Every function handles one argument of type `from`.
#pragma once

#include <arrow/result.h>
#include <arrow/type_fwd.h>

#include <string>
#include <string_view>

#include "vecruntime/expr/row_kernel.h"
#include "vecruntime/expr/type_coercion.h"

namespace vecruntime::expr {

/// One cast of a batch.
struct CastStep {
  TypePtr from;
  TypePtr to;
  bool try_cast = false;
};

arrow::Result<arrow::Datum> CastToString(const KernelCall& call, const CastStep& step);
arrow::Result<arrow::Datum> CastFromString(const KernelCall& call, const CastStep& step);
/// Between boolean and the numbers.
arrow::Result<arrow::Datum> CastNumber(const KernelCall& call, const CastStep& step);
/// Between dates, timestamps, and timestamps and numbers.
arrow::Result<arrow::Datum> CastTemporal(const KernelCall& call, const CastStep& step);
/// To an interval, or from one to another or to a number.
arrow::Result<arrow::Datum> CastInterval(const KernelCall& call, const CastStep& step);
/// Arrays, maps and structs to others of the same shape.
arrow::Result<arrow::Datum> CastNested(const KernelCall& call, const CastStep& step);

/// Dispatches to the family.
arrow::Result<arrow::Datum> CastColumn(const KernelCall& call, const CastStep& step);

arrow::Status InvalidInput(std::string_view value, const CastStep& step);
arrow::Status CastOverflow(std::string_view value, const CastStep& step);
arrow::Status DecimalOverflow(std::string_view value, const arrow::DataType& to);

/// NULL under try_cast, else the error that `make` makes.
template <typename T, typename MakeStatus>
void Reject(Writer<T>& out, const CastStep& step, MakeStatus&& make) {
  if (step.try_cast) {
    out.Null();
  } else {
    out.Fail(make());
  }
}

}  // namespace vecruntime::expr
