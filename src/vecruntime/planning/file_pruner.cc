// SPDX-License-Identifier: Apache-2.0
#include "vecruntime/planning/file_pruner.h"

#include <algorithm>
#include <cmath>

#include "vecruntime/planning/file_facts.h"
#include "vecruntime/planning/might_match.h"

namespace vecruntime::planning {
namespace {

using iceberg::FieldId;
using iceberg::PartitionSpec;
using iceberg::Predicate;
using iceberg::Value;

// A leaf might match when it might match under every partition field that derives from its column; `facts_of(i)` describes the i-th.
template <typename FactsOf>
bool PartitionLeafMightMatch(const Predicate& leaf, const PartitionSpec& spec, const FactsOf& facts_of) {
  for (size_t i = 0; i < spec.fields.size(); ++i) {
    if (spec.fields[i].source_id != leaf.field_id) continue;
    if (!LeafMightMatchTransformed(leaf, spec.fields[i].transform, facts_of(i))) return false;
  }
  return true;
}

bool IsNanValue(const Value& value) {
  const auto* f = std::get_if<float>(&value.data);
  const auto* d = std::get_if<double>(&value.data);
  return (f != nullptr && std::isnan(*f)) || (d != nullptr && std::isnan(*d));
}

// A file's rows all share its tuple: one value, NULL or NaN for all of them.
ColumnFacts FactsOfTupleValue(const Value& value) {
  ColumnFacts facts{.null_count = 0, .nan_count = 0, .value_count = 1};
  if (value.is_null()) {
    facts.null_count = 1;
  } else if (IsNanValue(value)) {
    facts.nan_count = 1;
  } else {
    facts.lower = facts.upper = value;
  }
  return facts;
}

bool IsColumn(const iceberg::TableMetadata& metadata, FieldId id) {
  return std::any_of(metadata.schemas.begin(), metadata.schemas.end(), [&](const auto& schema) {
    return std::any_of(schema->columns().begin(), schema->columns().end(), [&](const iceberg::Field& column) { return column.id == id; });
  });
}

// All rows of a file share the value of a column that partitions it as it is.
bool IdentityPartitionMatches(const Predicate& leaf, const iceberg::DataFile& file, const iceberg::TableMetadata& metadata) {
  const PartitionSpec* spec = metadata.FindSpec(file.spec_id);
  if (spec == nullptr || file.partition.size() != spec->fields.size()) return false;
  for (size_t i = 0; i < spec->fields.size(); ++i) {
    const iceberg::PartitionField& field = spec->fields[i];
    if (field.source_id != leaf.field_id || field.transform.kind != iceberg::TransformKind::kIdentity) continue;
    ColumnFacts facts = FactsOfTupleValue(file.partition[i]);
    facts.exact = true;
    if (LeafAllMatch(leaf, facts)) return true;
  }
  return false;
}

void CollectFields(const Predicate& predicate, std::vector<FieldId>* fields) {
  for (const auto& child : predicate.children) CollectFields(*child, fields);
  if (predicate.type != nullptr) fields->push_back(predicate.field_id);
}

}  // namespace

bool FilePruner::ManifestMightMatch(const iceberg::ManifestFile& manifest) const {
  const PartitionSpec* spec = metadata_.FindSpec(manifest.partition_spec_id);
  if (spec == nullptr || manifest.partitions.size() != spec->fields.size()) return true;
  return MightMatch(predicate_, [&](const Predicate& leaf) {
    return PartitionLeafMightMatch(leaf, *spec, [&](size_t i) {
      const iceberg::PartitionFieldSummary& summary = manifest.partitions[i];
      ColumnFacts facts;
      if (!summary.contains_null) facts.null_count = 0;
      if (summary.contains_nan == false) facts.nan_count = 0;
      const iceberg::TypePtr type = spec->fields[i].transform.ResultType(leaf.type);
      SetBounds(*type, summary.lower_bound ? &*summary.lower_bound : nullptr, summary.upper_bound ? &*summary.upper_bound : nullptr,
                &facts);
      return facts;
    });
  });
}

bool FilePruner::PartitionMightMatch(const iceberg::DataFile& file) const {
  const PartitionSpec* spec = metadata_.FindSpec(file.spec_id);
  if (spec == nullptr || file.partition.size() != spec->fields.size()) return true;
  return MightMatch(predicate_, [&](const Predicate& leaf) {
    return PartitionLeafMightMatch(leaf, *spec, [&](size_t i) { return FactsOfTupleValue(file.partition[i]); });
  });
}

bool FilePruner::MetricsMightMatch(const iceberg::DataFile& file) const {
  return MightMatch(predicate_, [&](const Predicate& leaf) {
    return LeafMightMatch(leaf, FactsOfFile(file, leaf.field_id, *leaf.type, metadata_));
  });
}

bool AllRowsMatch(const Predicate& proof, const iceberg::DataFile& file, const iceberg::TableMetadata& metadata) {
  return AllMatch(proof, [&](const Predicate& leaf) {
    // A member of a list or map has more or fewer values than the file has rows.
    if (!IsColumn(metadata, leaf.field_id)) return false;
    const ColumnFacts facts = FactsOfFile(file, leaf.field_id, *leaf.type, metadata);
    if ((!facts.value_count || *facts.value_count == file.record_count) && LeafAllMatch(leaf, facts)) return true;
    return IdentityPartitionMatches(leaf, file, metadata);
  });
}

std::vector<FieldId> FieldsOf(const Predicate& predicate) {
  std::vector<FieldId> fields;
  CollectFields(predicate, &fields);
  return fields;
}

}  // namespace vecruntime::planning
