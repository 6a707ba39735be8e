// SPDX-License-Identifier: Apache-2.0
#include <arrow/array.h>
#include <arrow/record_batch.h>
#include <arrow/type.h>
#include <arrow/util/byte_size.h>

#include <algorithm>
#include <atomic>

#include "vecruntime/exec/batch_source.h"
#include "vecruntime/exec/evaluation.h"
#include "vecruntime/exec/operators.h"

namespace vecruntime::exec {
namespace {

class LimitSink : public Sink {
 public:
  LimitSink(std::shared_ptr<arrow::Schema> input, int64_t limit, int64_t offset)
      : schema_(std::move(input)), limit_(limit), offset_(offset) {}

  const std::shared_ptr<arrow::Schema>& output_schema() const override { return schema_; }

  arrow::Status Open(const ExecContext& context) override {
    context_ = context;
    locals_.resize(static_cast<size_t>(std::max(context.workers, 1)));
    if (context.budget != nullptr) {
      for (Local& local : locals_) local.reservation = context.budget->Open("limit");
    }
    kept_.store(0);
    return arrow::Status::OK();
  }

  arrow::Status Consume(int worker, columnar::Batch batch) override {
    if (Done()) return arrow::Status::OK();
    columnar::Batch dense;
    ARROW_ASSIGN_OR_RAISE(dense.columns, columnar::Compact(batch, PoolOf(context_)));
    dense.selection = columnar::Selection::All(batch.selection.CountLive());
    kept_.fetch_add(dense.num_rows(), std::memory_order_relaxed);
    Local& local = locals_[static_cast<size_t>(worker)];
    ARROW_ASSIGN_OR_RAISE(const int64_t bytes,
                          arrow::util::ReferencedBufferSize(*arrow::RecordBatch::Make(schema_, dense.num_rows(), dense.columns)));
    ARROW_RETURN_NOT_OK(local.reservation.Resize(local.reservation.bytes() + bytes));
    local.batches.push_back(std::move(dense));
    return arrow::Status::OK();
  }

  bool Done() const override { return limit_ >= 0 && kept_.load(std::memory_order_relaxed) - offset_ >= limit_; }

  arrow::Status Finish() override {
    int64_t skip = offset_;
    int64_t rest = limit_ < 0 ? kept_.load() : limit_;
    for (Local& local : locals_) {
      reservations_.push_back(std::move(local.reservation));
      for (auto& batch : local.batches) {
        const int64_t from = std::min(skip, batch.num_rows());
        const int64_t rows = std::min(rest, batch.num_rows() - from);
        skip -= from;
        rest -= rows;
        if (rows == 0) continue;
        columnar::Batch part;
        part.selection = columnar::Selection::All(rows);
        for (const auto& column : batch.columns) part.columns.push_back(column->Slice(from, rows));
        result_.push_back(std::move(part));
      }
    }
    locals_.clear();
    return arrow::Status::OK();
  }

  arrow::Result<std::unique_ptr<Source>> AsSource() override {
    auto source = std::make_unique<BatchSource>(schema_, std::move(result_), Describe(), true);
    for (auto& reservation : reservations_) source->Hold(std::move(reservation));
    return source;
  }

  std::string Describe() const override {
    return "Limit " + (limit_ < 0 ? std::string("all") : std::to_string(limit_)) +
           (offset_ > 0 ? " offset " + std::to_string(offset_) : "");
  }

 private:
  struct Local {
    std::vector<columnar::Batch> batches;
    base::Reservation reservation;
  };

  std::shared_ptr<arrow::Schema> schema_;
  int64_t limit_;
  int64_t offset_;
  ExecContext context_;
  std::vector<Local> locals_;
  std::vector<base::Reservation> reservations_;
  std::atomic<int64_t> kept_{0};
  std::vector<columnar::Batch> result_;
};

}  // namespace

std::unique_ptr<Sink> MakeLimit(std::shared_ptr<arrow::Schema> input, int64_t limit, int64_t offset) {
  return std::make_unique<LimitSink>(std::move(input), limit, offset);
}

}  // namespace vecruntime::exec
