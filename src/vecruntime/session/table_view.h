// SPDX-License-Identifier: Apache-2.0
// A loaded table behind the public interface.
#pragma once

#include <arrow/type_fwd.h>

#include <memory>
#include <string>

#include "vecruntime/session.h"
#include "vecruntime/session/table_loader.h"

namespace vecruntime::session {

/// `from`: the table as it is written after FROM. Columns of types no scan can yield are left out of the view's schema.
arrow::Result<std::shared_ptr<Table>> MakeTableView(std::shared_ptr<Session> session, LoadedTable table, std::string from);

}  // namespace vecruntime::session
