// SPDX-License-Identifier: Apache-2.0
// What a table's deletes cost and what to do about them, as text.
#pragma once

#include <arrow/type_fwd.h>

#include <string>

#include "vecruntime/session/table_loader.h"

namespace vecruntime {
class Session;
}

namespace vecruntime::session {

/// Reads the current snapshot's manifests, and its deletes by counting the live rows of each data file; no other column of a data file is
/// read. `from`: the table as written after FROM, for `session`.
arrow::Result<std::string> InspectionText(const LoadedTable& table, Session* session, const std::string& from);

}  // namespace vecruntime::session
