// SPDX-License-Identifier: Apache-2.0
#include <arrow/record_batch.h>
#include <arrow/result.h>

#include <string_view>

#include "vecruntime/base/error.h"
#include "vecruntime/iceberg/metadata_table.h"

using namespace vecruntime;

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const auto parsed = iceberg::ParseTableMetadata(std::string_view(reinterpret_cast<const char*>(data), size), "fuzz");
  if (!parsed.ok()) return 0;
  const iceberg::TableMetadata& table = **parsed;
  table.SnapshotAsOf(table.last_updated_ms).status().ToString();
  for (const iceberg::PartitionSpec& spec : table.specs) table.PartitionTypes(spec);
  for (const auto& schema : table.schemas) schema->as_struct()->ToString();
  const iceberg::ReadBytes nothing = [](const std::string&) { return base::NotFound("no files here"); };
  for (const auto kind : {iceberg::MetadataTable::kSnapshots, iceberg::MetadataTable::kHistory, iceberg::MetadataTable::kRefs,
                          iceberg::MetadataTable::kMetadataLogEntries, iceberg::MetadataTable::kFiles}) {
    iceberg::ReadMetadataTable(kind, table, table.CurrentSnapshot(), nothing).status().ToString();
  }
  return 0;
}
