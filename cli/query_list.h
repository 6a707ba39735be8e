// SPDX-License-Identifier: Apache-2.0
// A file of queries to measure: statements separated by ';', each with an optional name.
#pragma once

#include <arrow/type_fwd.h>

#include <string>
#include <string_view>
#include <vector>

#include "vecruntime/session.h"

namespace vecruntime::cli {

struct NamedQuery {
  std::string name;  // of the comment line "-- name: NAME" before it, else the statement on one line
  std::string sql;
};

arrow::Result<std::vector<NamedQuery>> ParseQueryList(const Session& session, std::string_view script);

}  // namespace vecruntime::cli
