// SPDX-License-Identifier: Apache-2.0
#include <arrow/array.h>
#include <arrow/buffer.h>
#include <arrow/scalar.h>
#include <arrow/type.h>
#include <arrow/util/bit_util.h>

#include <limits>
#include <utility>

#include "vecruntime/base/error.h"
#include "vecruntime/iceberg/value.h"
#include "vecruntime/parquet/projection_internal.h"

namespace vecruntime::parquet {

using arrow::ArrayData;
using arrow::Result;
using DataPtr = std::shared_ptr<ArrayData>;
using ::parquet::internal::ValidityBitmapInputOutput;

class ProjectionBuilder {
 public:
  ProjectionBuilder(const ::parquet::SchemaDescriptor& schema, Projection* out) : schema_(schema), out_(out) {}

  Result<ProjectedNode> Build(const FileNode& file, const iceberg::Field& requested) {
    const iceberg::Type& type = *requested.type;
    ProjectedNode node;
    node.file = &file;
    ARROW_ASSIGN_OR_RAISE(node.type, type.ToArrow());
    if (!type.is_nested()) {
      ARROW_RETURN_NOT_OK(BuildLeaf(file, requested, &node));
      return node;
    }
    if (file.leaf_type != nullptr || file.kind != KindOf(type)) return Mismatch(file, requested);
    for (const iceberg::Field& field : type.fields()) {
      ARROW_ASSIGN_OR_RAISE(ProjectedNode child, BuildChild(file, field, requested));
      node.children.push_back(std::move(child));
    }
    ARROW_RETURN_NOT_OK(ChooseLevelLeaf(&node));
    return node;
  }

 private:
  static FileNode::Kind KindOf(const iceberg::Type& type) {
    if (type.id() == iceberg::TypeId::kList) return FileNode::Kind::kList;
    return type.id() == iceberg::TypeId::kMap ? FileNode::Kind::kMap : FileNode::Kind::kStruct;
  }

  arrow::Status Mismatch(const FileNode& file, const iceberg::Field& requested) const {
    return base::CorruptData("column in Parquet file cannot be read as the table's type: file ", out_->path_, ", field id ", requested.id,
                             " (", requested.name, "), requested ", requested.type->ToString(), ", file has a different shape at ", file.name);
  }

  arrow::Status BuildLeaf(const FileNode& file, const iceberg::Field& requested, ProjectedNode* node) {
    if (file.kind != FileNode::Kind::kLeaf) return Mismatch(file, requested);
    ARROW_ASSIGN_OR_RAISE(LeafConversion conversion, MakeLeafConversion(*schema_.Column(file.column), requested, out_->path_));
    node->leaf = AddLeaf(file, std::move(conversion));
    return arrow::Status::OK();
  }

  Result<ProjectedNode> BuildChild(const FileNode& parent, const iceberg::Field& field, const iceberg::Field& requested_parent) {
    for (const FileNode& child : parent.children) {
      if (child.id == field.id) return Build(child, field);
    }
    // An element, key or value cannot be added or dropped on its own.
    if (parent.kind != FileNode::Kind::kStruct) return Mismatch(parent, requested_parent);
    ProjectedNode absent;
    ARROW_ASSIGN_OR_RAISE(absent.type, field.type->ToArrow());
    if (field.initial_default && !field.initial_default->is_null()) {
      ARROW_ASSIGN_OR_RAISE(absent.constant, iceberg::ToScalar(*field.type, *field.initial_default));
    } else {
      absent.constant = arrow::MakeNullScalar(absent.type);
    }
    return absent;
  }

  int AddLeaf(const FileNode& file, LeafConversion conversion) {
    out_->leaves_.push_back({file.column, file.levels, std::move(conversion)});
    return static_cast<int>(out_->leaves_.size()) - 1;
  }

  // A struct's slots are seen most directly in a leaf that does not repeat below it; a list's in any leaf below it.
  arrow::Status ChooseLevelLeaf(ProjectedNode* node) {
    const int16_t rep_level = node->file->levels.rep_level;
    for (const ProjectedNode& child : node->children) {
      if (child.file == nullptr) continue;
      const int16_t leaf_rep_level = out_->leaves_[static_cast<size_t>(child.leaf)].levels.rep_level;
      if (node->leaf >= 0 && leaf_rep_level > rep_level) continue;
      node->leaf = child.leaf;
      if (leaf_rep_level == rep_level) break;
    }
    if (node->leaf < 0) {
      const FileNode* probe = ProbeLeaf(*node->file);
      if (probe == nullptr) return base::CorruptData("struct without members in Parquet file: ", out_->path_, ", column ", node->file->name);
      node->leaf = AddLeaf(*probe, nullptr);
    }
    node->leaf_repeats = out_->leaves_[static_cast<size_t>(node->leaf)].levels.rep_level > rep_level;
    return arrow::Status::OK();
  }

  // The least nested leaf under `node`: none of the requested members is in the file, yet its NULLs are.
  static const FileNode* ProbeLeaf(const FileNode& node) {
    if (node.kind == FileNode::Kind::kLeaf) return &node;
    const FileNode* best = nullptr;
    for (const FileNode& child : node.children) {
      const FileNode* leaf = ProbeLeaf(child);
      if (leaf != nullptr && (best == nullptr || leaf->levels.rep_level < best->levels.rep_level)) best = leaf;
    }
    return best;
  }

  const ::parquet::SchemaDescriptor& schema_;
  Projection* out_;
};

namespace {

class Assembler {
 public:
  Assembler(const std::vector<LeafBatch>& leaves, const std::string& path, arrow::MemoryPool* pool)
      : leaves_(leaves), path_(path), pool_(pool) {}

  Result<DataPtr> Build(const ProjectedNode& node, int64_t length) const {
    switch (node.file->kind) {
      case FileNode::Kind::kLeaf: return BuildLeaf(node, length);
      case FileNode::Kind::kStruct: return BuildStruct(node, length);
      default: return BuildList(node, length);
    }
  }

 private:
  arrow::Status Contradiction(const ProjectedNode& node) const {
    return base::CorruptData("levels and values of a Parquet column contradict each other: ", path_, ", column ", node.file->name);
  }

  Result<DataPtr> BuildLeaf(const ProjectedNode& node, int64_t length) const {
    const DataPtr& values = leaves_[static_cast<size_t>(node.leaf)].values;
    if (values->length != length) return Contradiction(node);
    return values;
  }

  Result<DataPtr> BuildStruct(const ProjectedNode& node, int64_t length) const {
    std::shared_ptr<arrow::Buffer> validity;
    int64_t null_count = 0;
    if (node.file->optional) {
      ARROW_ASSIGN_OR_RAISE(validity, arrow::AllocateEmptyBitmap(length, pool_));
      ARROW_RETURN_NOT_OK(ReadValidity(node, length, validity->mutable_data(), &null_count));
      if (null_count == 0) validity = nullptr;
    }
    std::vector<DataPtr> children;
    for (const ProjectedNode& child : node.children) {
      ARROW_ASSIGN_OR_RAISE(DataPtr data, child.file != nullptr ? Build(child, length) : Constant(child, length, validity, null_count));
      children.push_back(std::move(data));
    }
    return ArrayData::Make(node.type, length, {std::move(validity)}, std::move(children), null_count);
  }

  arrow::Status ReadValidity(const ProjectedNode& node, int64_t length, uint8_t* bits, int64_t* null_count) const {
    const LeafBatch& leaf = leaves_[static_cast<size_t>(node.leaf)];
    ValidityBitmapInputOutput io;
    io.values_read_upper_bound = length;
    io.valid_bits = bits;
    if (node.leaf_repeats) {
      ::parquet::internal::DefRepLevelsToBitmap(leaf.def_levels, leaf.rep_levels, leaf.level_count, node.file->levels, &io);
    } else {
      ::parquet::internal::DefLevelsToBitmap(leaf.def_levels, leaf.level_count, node.file->levels, &io);
    }
    if (io.values_read != length) return Contradiction(node);
    *null_count = io.null_count;
    return arrow::Status::OK();
  }

  // A member the file lacks: its default where the struct exists, NULL where the struct is NULL.
  Result<DataPtr> Constant(const ProjectedNode& node, int64_t length, const std::shared_ptr<arrow::Buffer>& parent_validity,
                           int64_t parent_nulls) const {
    if (!node.constant->is_valid) {
      ARROW_ASSIGN_OR_RAISE(auto nulls, arrow::MakeArrayOfNull(node.type, length, pool_));
      return nulls->data();
    }
    ARROW_ASSIGN_OR_RAISE(auto filled, arrow::MakeArrayFromScalar(*node.constant, length, pool_));
    DataPtr data = filled->data()->Copy();
    data->type = node.type;
    data->buffers[0] = parent_validity;
    data->null_count = parent_nulls;
    return data;
  }

  Result<DataPtr> BuildList(const ProjectedNode& node, int64_t length) const {
    const LeafBatch& leaf = leaves_[static_cast<size_t>(node.leaf)];
    ARROW_ASSIGN_OR_RAISE(std::shared_ptr<arrow::Buffer> offsets, arrow::AllocateBuffer((length + 1) * 4, pool_));
    std::shared_ptr<arrow::Buffer> validity;
    ValidityBitmapInputOutput io;
    io.values_read_upper_bound = length;
    if (node.file->optional) {
      ARROW_ASSIGN_OR_RAISE(validity, arrow::AllocateEmptyBitmap(length, pool_));
      io.valid_bits = validity->mutable_data();
    }
    int32_t* offset = offsets->mutable_data_as<int32_t>();
    offset[0] = 0;
    if (leaf.level_count > std::numeric_limits<int32_t>::max()) return Contradiction(node);
    ::parquet::internal::DefRepLevelsToList(leaf.def_levels, leaf.rep_levels, leaf.level_count, node.file->levels, &io, offset);
    if (io.values_read != length) return Contradiction(node);
    if (io.null_count == 0) validity = nullptr;
    return ListOf(node, length, {std::move(validity), std::move(offsets)}, offset[length], io.null_count);
  }

  Result<DataPtr> ListOf(const ProjectedNode& node, int64_t length, std::vector<std::shared_ptr<arrow::Buffer>> buffers, int64_t elements,
                         int64_t null_count) const {
    std::vector<DataPtr> children;
    for (const ProjectedNode& child : node.children) {
      ARROW_ASSIGN_OR_RAISE(DataPtr data, Build(child, elements));
      children.push_back(std::move(data));
    }
    if (node.file->kind == FileNode::Kind::kMap) {
      // Parquet lets a key be optional; Arrow and Iceberg do not let it be NULL.
      if (children[0]->GetNullCount() != 0) return base::CorruptData("NULL map key in Parquet file: ", path_, ", column ", node.file->name);
      const auto& entries = static_cast<const arrow::MapType&>(*node.type).value_type();
      children = {ArrayData::Make(entries, elements, {nullptr}, std::move(children), 0)};
    }
    return ArrayData::Make(node.type, length, std::move(buffers), std::move(children), null_count);
  }

  const std::vector<LeafBatch>& leaves_;
  const std::string& path_;
  arrow::MemoryPool* pool_;
};

}  // namespace

Result<Projection> Projection::Make(const FileNode& node, const iceberg::Field& requested, const ::parquet::SchemaDescriptor& schema,
                                    std::string path) {
  Projection projection;
  projection.path_ = std::move(path);
  ARROW_ASSIGN_OR_RAISE(projection.root_, ProjectionBuilder(schema, &projection).Build(node, requested));
  return projection;
}

Result<std::shared_ptr<arrow::Array>> Projection::Assemble(const std::vector<LeafBatch>& leaves, int64_t rows, arrow::MemoryPool* pool) const {
  ARROW_ASSIGN_OR_RAISE(DataPtr data, Assembler(leaves, path_, pool).Build(root_, rows));
  return arrow::MakeArray(data);
}

}  // namespace vecruntime::parquet
