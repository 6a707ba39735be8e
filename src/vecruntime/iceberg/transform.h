// SPDX-License-Identifier: Apache-2.0
// Partition transforms and specs (Iceberg spec, "Partition Transforms").
#pragma once

#include <arrow/type_fwd.h>

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "vecruntime/iceberg/type.h"

namespace vecruntime::iceberg {

enum class TransformKind { kIdentity, kBucket, kTruncate, kYear, kMonth, kDay, kHour, kVoid, kUnknown };

struct Transform {
  TransformKind kind = TransformKind::kIdentity;
  int parameter = 0;  // bucket count or truncate width
  std::string text;   // as written

  static Transform Parse(std::string_view text);  // an unknown name is kUnknown: readable, never used for pruning
  /// Type of the transformed value for a source of type `source`.
  TypePtr ResultType(const TypePtr& source) const;
  /// The transformed value; NULL gives NULL; pre-epoch times floor; truncate near the type's minimum saturates at nothing (Invalid).
  /// REQUIRES: kind is not kUnknown.
  arrow::Result<Value> Apply(const Type& source, const Value& value) const;
  /// A transformed value of type `result` as Iceberg shows partitions to people: "2017-11" for a month, base64 for bytes, "null".
  std::string HumanText(const Type& result, const Value& value) const;
};

struct PartitionField {
  FieldId source_id = 0;
  int field_id = 0;
  std::string name;
  Transform transform;
};

struct PartitionSpec {
  int spec_id = 0;
  std::vector<PartitionField> fields;
  bool unpartitioned() const { return fields.empty(); }
};

}  // namespace vecruntime::iceberg
