// SPDX-License-Identifier: Apache-2.0
#include "vecruntime/exec/aggregates/group_values.h"

#include <arrow/array.h>
#include <arrow/memory_pool.h>
#include <arrow/util/byte_size.h>

namespace vecruntime::exec {

arrow::Status GroupValues::Put(const std::shared_ptr<arrow::Array>& values, const std::vector<uint32_t>& groups,
                               const std::vector<int64_t>& rows) {
  if (groups.empty()) return arrow::Status::OK();
  ARROW_ASSIGN_OR_RAISE(auto chunk, TakeRows(values, rows, arrow::default_memory_pool()));
  for (size_t k = 0; k < groups.size(); ++k) refs_[groups[k]] = stored_ + static_cast<int64_t>(k);
  stored_ += chunk->length();
  ARROW_ASSIGN_OR_RAISE(const int64_t bytes, arrow::util::ReferencedBufferSize(*chunk));
  chunk_bytes_ += bytes;
  chunks_.push_back(std::move(chunk));
  if (stored_ > 2 * static_cast<int64_t>(refs_.size()) + 4096) return Tidy(arrow::default_memory_pool());
  return arrow::Status::OK();
}

arrow::Status GroupValues::Tidy(arrow::MemoryPool* pool) {
  std::vector<int64_t> kept;
  for (int64_t& ref : refs_) {
    if (ref < 0) continue;
    kept.push_back(ref);
    ref = static_cast<int64_t>(kept.size()) - 1;
  }
  ARROW_ASSIGN_OR_RAISE(auto whole, Concatenate(chunks_, type_, pool));
  ARROW_ASSIGN_OR_RAISE(auto dense, TakeRows(whole, kept, pool));
  stored_ = dense->length();
  ARROW_ASSIGN_OR_RAISE(chunk_bytes_, arrow::util::ReferencedBufferSize(*dense));
  chunks_ = {std::move(dense)};
  return arrow::Status::OK();
}

arrow::Status GroupValues::PutFrom(GroupValues* other, const std::vector<uint32_t>& from, const std::vector<uint32_t>& to) {
  ARROW_ASSIGN_OR_RAISE(auto whole, Concatenate(other->chunks_, type_, arrow::default_memory_pool()));
  std::vector<int64_t> rows(from.size());
  for (size_t k = 0; k < from.size(); ++k) rows[k] = other->refs_[from[k]];
  return Put(whole, to, rows);
}

arrow::Result<std::shared_ptr<arrow::Array>> GroupValues::Finish(arrow::MemoryPool* pool) {
  ARROW_ASSIGN_OR_RAISE(auto whole, Concatenate(chunks_, type_, pool));
  return TakeRows(whole, refs_, pool);
}

int64_t GroupValues::bytes() const { return chunk_bytes_ + static_cast<int64_t>(refs_.capacity() * sizeof(int64_t)); }

}  // namespace vecruntime::exec
