// SPDX-License-Identifier: Apache-2.0
#include "vecruntime/session/metadata_relation.h"
#include <arrow/result.h>
#include "vecruntime/base/error.h"
namespace vecruntime::session {
bool IsMetadataTableName(const std::string&) { return false; }
arrow::Result<std::shared_ptr<sql::Relation>> MakeMetadataRelation(const LoadedTable&, const std::string& name, const iceberg::Snapshot*) {
  return base::Unsupported("metadata table ", name);
}
}
