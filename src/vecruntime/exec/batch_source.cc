// SPDX-License-Identifier: Apache-2.0
#include "vecruntime/exec/batch_source.h"

#include <arrow/array.h>
#include <arrow/type.h>

#include <algorithm>
#include <utility>

#include "vecruntime/exec/operators.h"

namespace vecruntime::exec {

BatchSource::BatchSource(std::shared_ptr<arrow::Schema> schema, std::vector<columnar::Batch> batches, std::string description,
                         bool ordered)
    : schema_(std::move(schema)), batches_(std::move(batches)), description_(std::move(description)), ordered_(ordered) {}

arrow::Status BatchSource::Open(const ExecContext& context) {
  pieces_.clear();
  for (size_t b = 0; b < batches_.size(); ++b) {
    for (int64_t from = 0; from < batches_[b].num_rows(); from += context.batch_rows) {
      pieces_.push_back({b, from, std::min(context.batch_rows, batches_[b].num_rows() - from)});
    }
  }
  next_.store(0);
  return arrow::Status::OK();
}

arrow::Result<std::optional<columnar::Batch>> BatchSource::Next(int worker) {
  if (ordered_ && worker != 0) return std::nullopt;
  const size_t index = next_.fetch_add(1, std::memory_order_relaxed);
  if (index >= pieces_.size()) return std::nullopt;
  const Piece& piece = pieces_[index];
  const columnar::Batch& whole = batches_[piece.batch];
  if (piece.rows == whole.num_rows()) return whole;
  columnar::Batch part;
  part.selection = whole.selection.Slice(piece.from, piece.rows);
  for (const auto& column : whole.columns) part.columns.push_back(column->Slice(piece.from, piece.rows));
  return part;
}

std::unique_ptr<Source> MakeBatchSource(std::shared_ptr<arrow::Schema> schema, std::vector<columnar::Batch> batches,
                                        std::string description) {
  return std::make_unique<BatchSource>(std::move(schema), std::move(batches), std::move(description), false);
}

}  // namespace vecruntime::exec
