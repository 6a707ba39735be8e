// SPDX-License-Identifier: Apache-2.0
// Batches held in memory as a source: the result of a sink, metadata tables, VALUES.
#pragma once

#include <arrow/type_fwd.h>

#include <atomic>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "vecruntime/exec/pipeline.h"

namespace vecruntime::exec {

/// Hands out the batches in order, cut to the context's batch_rows. `ordered`: all of them to worker 0.
class BatchSource : public Source {
 public:
  BatchSource(std::shared_ptr<arrow::Schema> schema, std::vector<columnar::Batch> batches, std::string description, bool ordered);
  /// Keeps the bytes of a sink's result reserved as long as the source lives.
  void Hold(base::Reservation reservation) { reservations_.push_back(std::move(reservation)); }

  const std::shared_ptr<arrow::Schema>& output_schema() const override { return schema_; }
  arrow::Status Open(const ExecContext& context) override;
  arrow::Result<std::optional<columnar::Batch>> Next(int worker) override;
  std::string Describe() const override { return description_; }

 private:
  struct Piece {
    size_t batch;
    int64_t from;
    int64_t rows;
  };

  std::shared_ptr<arrow::Schema> schema_;
  std::vector<columnar::Batch> batches_;
  std::string description_;
  bool ordered_;
  std::vector<Piece> pieces_;
  std::atomic<size_t> next_{0};
  std::vector<base::Reservation> reservations_;
};

}  // namespace vecruntime::exec
