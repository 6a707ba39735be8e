// SPDX-License-Identifier: Apache-2.0
#include "vecruntime/columnar/batch.h"

#include <arrow/array.h>
#include <arrow/buffer.h>
#include <arrow/compute/api_vector.h>
#include <arrow/compute/exec.h>

namespace vecruntime::columnar {

arrow::Result<std::vector<std::shared_ptr<arrow::Array>>> Compact(const Batch& batch, arrow::MemoryPool* pool) {
  const int64_t live = batch.selection.CountLive();
  if (live == batch.num_rows()) return batch.columns;
  const auto words = batch.selection.words();
  const auto mask = std::make_shared<arrow::BooleanArray>(
      batch.num_rows(),
      std::make_shared<arrow::Buffer>(reinterpret_cast<const uint8_t*>(words.data()), static_cast<int64_t>(words.size_bytes())));
  arrow::compute::ExecContext context(pool);
  context.set_use_threads(false);
  std::vector<std::shared_ptr<arrow::Array>> dense;
  dense.reserve(batch.columns.size());
  for (const auto& column : batch.columns) {
    if (live == 0) {
      dense.push_back(column->Slice(0, 0));
      continue;
    }
    ARROW_ASSIGN_OR_RAISE(arrow::Datum kept, arrow::compute::Filter(column, mask, arrow::compute::FilterOptions::Defaults(), &context));
    dense.push_back(kept.make_array());
  }
  return dense;
}

}  // namespace vecruntime::columnar
