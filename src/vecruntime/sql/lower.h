// SPDX-License-Identifier: Apache-2.0
// A logical plan to the pipelines of exec/ that run it.
#pragma once

#include <arrow/type_fwd.h>

#include <string>

#include "vecruntime/sql/logical_plan.h"
#include "vecruntime/sql/statement.h"

namespace vecruntime::sql {

/// Opens the scans (Relation::Scan) and chains the operators; fills in the explanation.
arrow::Result<PhysicalPlan> Lower(const PlanPtr& plan);

}  // namespace vecruntime::sql
