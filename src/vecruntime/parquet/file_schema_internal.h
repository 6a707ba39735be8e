// SPDX-License-Identifier: Apache-2.0
// The Parquet schema of one file as a tree of Iceberg fields: ids, definition and repetition levels, and the three list layouts seen
// in the wild folded into one. Immutable.
#pragma once

#include <arrow/result.h>
#include <parquet/level_conversion.h>
#include <parquet/schema.h>

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "vecruntime/iceberg/table_metadata.h"
#include "vecruntime/iceberg/type.h"

namespace vecruntime::parquet {

/// One node of the file: a primitive column, a struct, a list {element} or a map {key, value}. Repeated groups that only encode a
/// list or map have no node of their own.
struct FileNode {
  enum class Kind { kLeaf, kStruct, kList, kMap };

  Kind kind = Kind::kLeaf;
  std::string name;
  std::optional<iceberg::FieldId> id;
  bool optional = false;
  ::parquet::internal::LevelInfo levels;  // as parquet/level_conversion.h defines it: of a list, at its repeated node
  int column = -1;                        // kLeaf: ordinal of the column chunk
  iceberg::TypePtr leaf_type;             // kLeaf, and variant groups: the closest Iceberg type
  std::vector<FileNode> children;
};

/// The tree under the root. Groups of shapes no writer of lists or maps makes are left out. When no column has a field id, `mapping`
/// gives them.
std::vector<FileNode> BuildFileNodes(const ::parquet::SchemaDescriptor& schema, const std::vector<iceberg::MappedField>& mapping);

/// The node's field; nullopt when it, or every part that gives it meaning, has no id.
std::optional<iceberg::Field> FieldOf(const FileNode& node);

/// Where a field lives: the node, and whether a list or map lies above it.
struct NodeLocation {
  const FileNode* node = nullptr;
  bool repeated = false;
};
NodeLocation FindNode(const std::vector<FileNode>& nodes, iceberg::FieldId id);

}  // namespace vecruntime::parquet
