// SPDX-License-Identifier: Apache-2.0
#include <arrow/result.h>

#include <string_view>

#include "vecruntime/iceberg/manifest.h"

using namespace vecruntime::iceberg;

namespace {

/// Partition types for the spec that the corpus uses.
ManifestReadOptions OptionsFor(TypeId type) {
  ManifestReadOptions options{.live_only = false};
  options.partition_types[0] = {Type::Primitive(type), Type::Primitive(type)};
  return options;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const std::string_view bytes(reinterpret_cast<const char*>(data), size);
  const std::vector<PartitionSpec> specs = {
      {0, {{1, 1000, "a", Transform::Parse("identity")}, {2, 1001, "b", Transform::Parse("bucket[4]")}}}};
  ManifestFile manifest{.manifest_path = "fuzz", .manifest_length = static_cast<int64_t>(size), .sequence_number = 3, .first_row_id = 10};
  for (const TypeId type : {TypeId::kUnknown, TypeId::kLong}) {
    const auto entries = ReadManifest(bytes, manifest, specs, OptionsFor(type));
    if (!entries.ok()) continue;
    for (const ManifestEntry& entry : *entries) {
      for (const auto& [id, bound] : entry.file.lower_bounds) DecodeBound(*Type::Decimal(9, 2), bound).status().ToString();
      for (const Value& value : entry.file.partition) HashOf(value);
    }
  }
  manifest.content = ManifestContent::kDeletes;
  ReadManifest(bytes, manifest, {}, {.metrics_for = std::vector<FieldId>{1, 2}}).status().ToString();
  return 0;
}
