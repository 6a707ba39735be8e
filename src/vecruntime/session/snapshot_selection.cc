// SPDX-License-Identifier: Apache-2.0
#include "vecruntime/session/snapshot_selection.h"

#include <arrow/result.h>

#include <charconv>
#include <string_view>

#include "vecruntime/base/error.h"

namespace vecruntime::session {
namespace {

using iceberg::Snapshot;
using iceberg::TableMetadata;

constexpr std::string_view kBranch = "branch_";
constexpr std::string_view kTag = "tag_";
constexpr std::string_view kSnapshotId = "snapshot_id_";
constexpr std::string_view kAtTimestamp = "at_timestamp_";

std::optional<int64_t> ToInteger(std::string_view text) {
  int64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return value;
}

SnapshotSelection UnderItsOwnSchema(const TableMetadata& metadata, const Snapshot* snapshot) {
  iceberg::SchemaPtr schema = snapshot->schema_id ? metadata.FindSchema(*snapshot->schema_id) : nullptr;
  if (schema == nullptr) schema = metadata.CurrentSchema();
  return {snapshot, std::move(schema), false};
}

arrow::Result<SnapshotSelection> ById(const TableMetadata& metadata, int64_t id) {
  const Snapshot* snapshot = metadata.FindSnapshot(id);
  if (snapshot == nullptr) return base::NotFound("no such snapshot: ", id);
  return UnderItsOwnSchema(metadata, snapshot);
}

arrow::Result<SnapshotSelection> ByRef(const TableMetadata& metadata, const std::string& name, std::optional<bool> branch) {
  const auto ref = metadata.refs.find(name);
  if (ref == metadata.refs.end() || (branch && ref->second.is_branch != *branch)) {
    std::string known;
    for (const auto& [other, unused] : metadata.refs) known += (known.empty() ? "; the table has " : ", ") + other;
    return base::NotFound("no such ", !branch ? "branch or tag" : *branch ? "branch" : "tag", ": ", name, known);
  }
  const Snapshot* snapshot = metadata.FindSnapshot(ref->second.snapshot_id);
  if (snapshot == nullptr) return base::CorruptData("reference ", name, " names a snapshot the table does not have: ", ref->second.snapshot_id);
  if (!ref->second.is_branch) return UnderItsOwnSchema(metadata, snapshot);
  return SnapshotSelection{snapshot, metadata.CurrentSchema(), name == "main"};
}

arrow::Result<SnapshotSelection> ByTimestamp(const TableMetadata& metadata, int64_t timestamp_ms) {
  ARROW_ASSIGN_OR_RAISE(const Snapshot* const snapshot, metadata.SnapshotAsOf(timestamp_ms));
  return UnderItsOwnSchema(metadata, snapshot);
}

// Rounds towards the past, so that a snapshot is never chosen before its time.
int64_t FloorToMilliseconds(int64_t us) { return us / 1000 - (us % 1000 < 0 ? 1 : 0); }

arrow::Result<SnapshotSelection> BySelector(const TableMetadata& metadata, std::string_view selector) {
  if (selector.starts_with(kBranch)) return ByRef(metadata, std::string(selector.substr(kBranch.size())), true);
  if (selector.starts_with(kTag)) return ByRef(metadata, std::string(selector.substr(kTag.size())), false);
  if (selector.starts_with(kSnapshotId)) return ById(metadata, *ToInteger(selector.substr(kSnapshotId.size())));
  return ByTimestamp(metadata, *ToInteger(selector.substr(kAtTimestamp.size())));
}

}  // namespace

bool IsSnapshotSelector(const std::string& part) {
  const std::string_view text = part;
  if (text.starts_with(kSnapshotId)) return ToInteger(text.substr(kSnapshotId.size())).has_value();
  if (text.starts_with(kAtTimestamp)) return ToInteger(text.substr(kAtTimestamp.size())).has_value();
  return (text.starts_with(kBranch) && text.size() > kBranch.size()) || (text.starts_with(kTag) && text.size() > kTag.size());
}

arrow::Result<SnapshotSelection> SelectSnapshot(const TableMetadata& metadata, const sql::TableReference& reference,
                                                const std::string& selector) {
  const int given = !selector.empty() + reference.version.has_value() + reference.timestamp_us.has_value();
  if (given > 1) {
    return base::InvalidArgument("a table is read at one snapshot: give only one of a branch, tag or snapshot in its name, VERSION AS OF and TIMESTAMP AS OF");
  }
  if (!selector.empty()) return BySelector(metadata, selector);
  if (reference.timestamp_us) return ByTimestamp(metadata, FloorToMilliseconds(*reference.timestamp_us));
  if (!reference.version) return SnapshotSelection{metadata.CurrentSnapshot(), metadata.CurrentSchema(), true};
  const auto id = ToInteger(*reference.version);
  if (id && !metadata.refs.contains(*reference.version)) return ById(metadata, *id);
  if (id && metadata.FindSnapshot(*id) != nullptr) return ById(metadata, *id);
  return ByRef(metadata, *reference.version, std::nullopt);
}

}  // namespace vecruntime::session
