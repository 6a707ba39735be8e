// SPDX-License-Identifier: Apache-2.0
// Any value as CAST(... AS STRING) writes it inside an array, map or struct.
#pragma once

#include <arrow/type_fwd.h>

#include <cstdint>
#include <string>

#include "vecruntime/expr/time_zone.h"

namespace vecruntime::expr {

/// "[1, null]", "{a, b}", "{k -> v}"; "null" for NULL. Timestamps with zone are written in `zone`.
void AppendValueText(const arrow::Array& values, int64_t row, const TimeZone& zone, std::string* out);

}  // namespace vecruntime::expr
