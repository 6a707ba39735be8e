// SPDX-License-Identifier: Apache-2.0
#include "vecruntime/planning/equality_overlap.h"

#include <utility>

#include "vecruntime/planning/file_facts.h"
#include "vecruntime/planning/might_match.h"

namespace vecruntime::planning {
namespace {

using iceberg::DataFile;
using iceberg::FieldId;
using iceberg::TypeId;

bool SurelyNoNull(const DataFile& file, FieldId id) {
  const int64_t* nulls = iceberg::Find(file.null_value_counts, id);
  return nulls != nullptr && *nulls == 0;
}

// Sets `number` from an integer bound; true when there is nothing else to the bound, or no bound.
bool SetInteger(const std::optional<iceberg::Value>& bound, int64_t* number) {
  if (!bound) return true;
  if (const auto* i = std::get_if<int32_t>(&bound->data)) return *number = *i, true;
  if (const auto* l = std::get_if<int64_t>(&bound->data)) return *number = *l, true;
  return false;
}

}  // namespace

KeyBounds::KeyBounds(const DataFile& file, const std::vector<FieldId>& key, const iceberg::TableMetadata& metadata) {
  fields_.reserve(key.size());
  for (const FieldId id : key) fields_.push_back(BoundsOf(file, id, metadata));
}

KeyBounds::FieldBounds KeyBounds::BoundsOf(const DataFile& file, FieldId id, const iceberg::TableMetadata& metadata) {
  FieldBounds bounds;
  const iceberg::Field* field = metadata.FindFieldEverywhere(id);
  if (field == nullptr || field->type->is_nested()) return bounds;
  const TypeId type_id = field->type->id();
  if (type_id == TypeId::kFloat || type_id == TypeId::kDouble) return bounds;
  bounds.comparable = true;
  bounds.surely_no_null = SurelyNoNull(file, id);
  ColumnFacts facts = FactsOfFile(file, id, *field->type, metadata);
  bounds.integers = SetInteger(facts.lower, &bounds.low) && SetInteger(facts.upper, &bounds.high);
  if (bounds.integers) return bounds;
  bounds.lower = std::move(facts.lower);
  bounds.upper = std::move(facts.upper);
  return bounds;
}

bool KeyBounds::FieldsMightMeet(const FieldBounds& a, const FieldBounds& b) {
  if (!a.comparable || !b.comparable) return true;
  // NULL equals NULL in equality deletes.
  if (!a.surely_no_null && !b.surely_no_null) return true;
  if (a.integers && b.integers) return a.low <= b.high && b.low <= a.high;
  const bool a_above_b = a.lower && SurelyAbove(*a.lower, b.upper);
  const bool b_above_a = b.lower && SurelyAbove(*b.lower, a.upper);
  return !a_above_b && !b_above_a;
}

bool KeyBounds::MightMeet(const KeyBounds& other) const {
  for (size_t i = 0; i < fields_.size(); ++i) {
    if (!FieldsMightMeet(fields_[i], other.fields_[i])) return false;
  }
  return true;
}

}  // namespace vecruntime::planning
