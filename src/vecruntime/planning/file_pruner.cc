// SPDX-License-Identifier: Apache-2.0
#include "vecruntime/planning/file_pruner.h"

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

std::vector<FieldId> FilePruner::fields() const {
  std::vector<FieldId> fields;
  CollectFields(predicate_, &fields);
  return fields;
}

}  // namespace vecruntime::planning
