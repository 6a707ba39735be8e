// SPDX-License-Identifier: Apache-2.0
#include "vecruntime/planning/equality_overlap.h"

#include <algorithm>

#include "vecruntime/planning/file_facts.h"
#include "vecruntime/planning/might_match.h"

namespace vecruntime::planning {
namespace {

using iceberg::DataFile;
using iceberg::FieldId;
using iceberg::PredicateOp;
using iceberg::TypeId;

bool SurelyNoNull(const DataFile& file, FieldId id) {
  const int64_t* nulls = iceberg::Find(file.null_value_counts, id);
  return nulls != nullptr && *nulls == 0;
}

// The comparison rules of might_match are for values of the rows; here they serve with the other file's bounds as the value.
bool RangesMeet(const ColumnFacts& deletes, const ColumnFacts& data, FieldId id, const iceberg::TypePtr& type) {
  const auto leaf_allows = [&](PredicateOp op, const std::optional<iceberg::Value>& bound, const ColumnFacts& facts) {
    return !bound || LeafMightMatch(*iceberg::Predicate::Leaf(op, id, type, {*bound}), facts);
  };
  return leaf_allows(PredicateOp::kGtEq, deletes.lower, {.upper = data.upper}) &&
         leaf_allows(PredicateOp::kGtEq, data.lower, {.upper = deletes.upper});
}

}  // namespace

bool EqualityMightOverlap(const DataFile& deletes, const DataFile& data, const iceberg::TableMetadata& metadata) {
  return std::all_of(deletes.equality_ids.begin(), deletes.equality_ids.end(), [&](FieldId id) {
    const iceberg::Field* field = metadata.FindFieldEverywhere(id);
    if (field == nullptr || field->type->is_nested()) return true;
    const TypeId type_id = field->type->id();
    if (type_id == TypeId::kFloat || type_id == TypeId::kDouble) return true;
    if (!SurelyNoNull(deletes, id) && !SurelyNoNull(data, id)) return true;
    const ColumnFacts of_deletes = FactsOfFile(deletes, id, *field->type, metadata);
    const ColumnFacts of_data = FactsOfFile(data, id, *field->type, metadata);
    return RangesMeet(of_deletes, of_data, id, field->type);
  });
}

}  // namespace vecruntime::planning
