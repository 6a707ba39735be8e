// SPDX-License-Identifier: Apache-2.0
// How one requested column comes out of one file: which leaf columns are read, and how their values and levels are put together into the
// requested nesting, by field id (Iceberg spec, "Column Projection"). Immutable; shared.
#pragma once

#include <arrow/result.h>
#include <arrow/type_fwd.h>

#include <memory>
#include <string>
#include <vector>

#include "vecruntime/iceberg/type.h"
#include "vecruntime/parquet/file_schema_internal.h"
#include "vecruntime/parquet/leaf_conversion_internal.h"

namespace vecruntime::parquet {

/// A leaf column to read.
struct ProjectedLeaf {
  int column = -1;
  ::parquet::internal::LevelInfo levels;
  LeafConversion conversion;  // null: only its levels are wanted
};

/// One node of the requested type. A node without `file` is absent from the file and comes out as `constant`.
struct ProjectedNode {
  const FileNode* file = nullptr;
  std::shared_ptr<arrow::DataType> type;
  std::shared_ptr<arrow::Scalar> constant;
  std::vector<ProjectedNode> children;
  int leaf = -1;              // primitive: its index in Projection::leaves; nested: the leaf whose levels describe it
  bool leaf_repeats = false;  // nested: that leaf lies below a further list
};

/// What a leaf column gave for a run of records.
struct LeafBatch {
  std::shared_ptr<arrow::ArrayData> values;  // converted; null when the leaf was read for its levels
  const int16_t* def_levels = nullptr;
  const int16_t* rep_levels = nullptr;
  int64_t level_count = 0;
};

class Projection {
 public:
  /// REQUIRES: `node` outlives the projection and has the id of `requested`.
  static arrow::Result<Projection> Make(const FileNode& node, const iceberg::Field& requested, const ::parquet::SchemaDescriptor& schema,
                                        std::string path);

  const std::vector<ProjectedLeaf>& leaves() const { return leaves_; }
  const std::shared_ptr<arrow::DataType>& type() const { return root_.type; }
  /// The requested array of `rows` records. CorruptData when levels and values contradict each other.
  arrow::Result<std::shared_ptr<arrow::Array>> Assemble(const std::vector<LeafBatch>& leaves, int64_t rows, arrow::MemoryPool* pool) const;

 private:
  friend class ProjectionBuilder;
  ProjectedNode root_;
  std::vector<ProjectedLeaf> leaves_;
  std::string path_;
};

}  // namespace vecruntime::parquet
