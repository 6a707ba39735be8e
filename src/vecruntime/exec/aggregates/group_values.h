// SPDX-License-Identifier: Apache-2.0
// At most one value of any type per group, kept in Arrow arrays: what first, last, min_by and max_by answer with.
#pragma once

#include <arrow/type_fwd.h>

#include <cstdint>
#include <memory>
#include <vector>

#include "vecruntime/exec/evaluation.h"

namespace vecruntime::exec {

class GroupValues {
 public:
  explicit GroupValues(std::shared_ptr<arrow::DataType> type) : type_(std::move(type)) {}

  void Resize(size_t groups) { refs_.resize(groups, -1); }
  size_t groups() const { return refs_.size(); }
  bool Has(uint32_t group) const { return refs_[group] >= 0; }
  /// Sets the value of groups[k] to values[rows[k]], which may be NULL. REQUIRES: a group at most once.
  arrow::Status Put(const std::shared_ptr<arrow::Array>& values, const std::vector<uint32_t>& groups, const std::vector<int64_t>& rows);
  /// Sets the value of to[k] to that of from[k] in `other`. REQUIRES: other.Has(from[k]).
  arrow::Status PutFrom(GroupValues* other, const std::vector<uint32_t>& from, const std::vector<uint32_t>& to);
  /// One value per group, NULL where none was put.
  arrow::Result<std::shared_ptr<arrow::Array>> Finish(arrow::MemoryPool* pool);
  int64_t bytes() const;

 private:
  // Drops values that were replaced.
  arrow::Status Tidy(arrow::MemoryPool* pool);

  std::shared_ptr<arrow::DataType> type_;
  ArrayVector chunks_;
  int64_t stored_ = 0;
  int64_t chunk_bytes_ = 0;
  std::vector<int64_t> refs_;  // index into the concatenated chunks, or -1
};

}  // namespace vecruntime::exec
