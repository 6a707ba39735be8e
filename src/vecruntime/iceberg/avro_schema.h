// SPDX-License-Identifier: Apache-2.0
// Avro writer schemas with Iceberg's field ids (Avro spec, "Schema Declaration"; Iceberg spec, Appendix A). Names are not checked: writers
// exist that put illegal ones.
#pragma once

#include <arrow/type_fwd.h>

#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace vecruntime::iceberg {

class JsonNode;

enum class AvroKind { kNull, kBoolean, kInt, kLong, kFloat, kDouble, kBytes, kString, kFixed, kEnum, kRecord, kArray, kMap, kUnion };

struct AvroNode;

struct AvroField {
  std::string name;
  std::optional<int> id;  // "field-id"
  const AvroNode* type = nullptr;
};

struct AvroNode {
  AvroKind kind = AvroKind::kNull;
  std::string logical_type;
  size_t fixed_size = 0;                   // kFixed
  std::vector<AvroField> fields;           // kRecord
  std::vector<const AvroNode*> branches;   // kUnion
  const AvroNode* items = nullptr;         // kArray: elements; kMap: values
  bool zero_size = false;                  // every value is encoded in no bytes
};

/// One wanted member of a record.
struct AvroSlot {
  int slot = 0;
  int field_id = 0;
  std::string_view name;  // used for fields that carry no id
};

class AvroSchema {
 public:
  /// CorruptData for a schema that breaks Avro's rules.
  static arrow::Result<std::unique_ptr<AvroSchema>> Parse(std::string_view json);
  const AvroNode& root() const { return *root_; }

 private:
  class Parser;
  std::vector<std::unique_ptr<AvroNode>> nodes_;  // may refer to each other in cycles
  const AvroNode* root_ = nullptr;
};

/// For each field of `record`, the slot it fills or -1.
std::vector<int> MatchSlots(const AvroNode& record, std::span<const AvroSlot> wanted);
/// The node itself, or the one branch of a union that is not null; nullptr when there is none or more than one.
const AvroNode* WithoutNull(const AvroNode& node);

}  // namespace vecruntime::iceberg
