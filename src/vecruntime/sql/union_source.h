// SPDX-License-Identifier: Apache-2.0
// UNION ALL: the rows of several plans, one after the other, as one source.
#pragma once

#include <arrow/type_fwd.h>

#include <memory>
#include <vector>

#include "vecruntime/exec/pipeline.h"

namespace vecruntime::sql {

/// Each branch is pipelines in running order, the last one without a sink. Open runs all but the last of each.
std::unique_ptr<exec::Source> MakeUnionSource(std::shared_ptr<arrow::Schema> schema, std::vector<std::vector<exec::Pipeline>> branches);

}  // namespace vecruntime::sql
