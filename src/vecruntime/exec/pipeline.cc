// SPDX-License-Identifier: Apache-2.0
#include "vecruntime/exec/pipeline.h"

#include <arrow/array.h>
#include <arrow/record_batch.h>
#include <arrow/type.h>
#include <arrow/util/byte_size.h>

#include <algorithm>
#include <atomic>
#include <deque>
#include <limits>
#include <utility>

#include "vecruntime/base/error.h"
#include "vecruntime/base/phase_timer.h"
#include "vecruntime/exec/evaluation.h"

namespace vecruntime::exec {
namespace {

constexpr int64_t kRoundBytes = int64_t{64} << 20;

arrow::Status CheckCancelled(const ExecContext& context) {
  return context.cancel == nullptr ? arrow::Status::OK() : context.cancel->Check();
}

// The source's next batch after all transforms; nullopt at the end. Batches without a live row are skipped.
arrow::Result<std::optional<columnar::Batch>> Pull(Pipeline* pipeline, const ExecContext& context, int worker) {
  while (true) {
    ARROW_RETURN_NOT_OK(CheckCancelled(context));
    ARROW_ASSIGN_OR_RAISE(std::optional<columnar::Batch> batch, pipeline->source->Next(worker));
    if (!batch.has_value()) return batch;
    const base::PhaseTimer timer(context.operator_ns);
    for (const auto& transform : pipeline->transforms) {
      if (batch->selection.NoneLive()) break;
      ARROW_RETURN_NOT_OK(transform->Apply(context, &*batch));
    }
    if (!batch->selection.NoneLive()) return batch;
  }
}

// Runs body on all workers; after the first failure `stop` tells the others to end.
arrow::Status RunUntilFailure(const ExecContext& context, const std::function<arrow::Status(int, const std::atomic<bool>&)>& body) {
  std::atomic<bool> stop{false};
  return base::RunWorkers(context.workers, [&](int worker) {
    arrow::Status status = base::Guarded([&] { return body(worker, stop); });
    if (!status.ok()) stop.store(true, std::memory_order_relaxed);
    return status;
  });
}

const std::shared_ptr<arrow::Schema>& OutputSchema(const Pipeline& pipeline) {
  return pipeline.transforms.empty() ? pipeline.source->output_schema() : pipeline.transforms.back()->output_schema();
}

class PipelineReader : public arrow::RecordBatchReader {
 public:
  PipelineReader(Pipeline pipeline, const ExecContext& context, ReadAhead read_ahead)
      : pipeline_(std::move(pipeline)), context_(context), schema_(OutputSchema(pipeline_)), workers_(static_cast<size_t>(std::max(context.workers, 1))) {
    if (read_ahead == ReadAhead::kRound) round_bytes_ = kRoundBytes;
    if (context.budget == nullptr) return;
    if (read_ahead == ReadAhead::kRound) round_bytes_ = std::min(round_bytes_, context.budget->limit_bytes() / 4);
    for (Worker& worker : workers_) worker.reservation = context.budget->Open("query result");
  }

  std::shared_ptr<arrow::Schema> schema() const override { return schema_; }

  arrow::Status ReadNext(std::shared_ptr<arrow::RecordBatch>* batch) override {
    batch->reset();
    ARROW_RETURN_NOT_OK(failure_);
    while (ready_.empty() && !exhausted_) {
      failure_ = Gather();
      ARROW_RETURN_NOT_OK(failure_);
    }
    if (ready_.empty()) return GiveBack();
    *batch = std::move(ready_.front());
    ready_.pop_front();
    return arrow::Status::OK();
  }

 private:
  struct Worker {
    std::vector<std::shared_ptr<arrow::RecordBatch>> batches;  // of this round
    base::Reservation reservation;
    bool ended = false;  // its source gave the last batch
  };

  arrow::Status Gather() {
    ARROW_RETURN_NOT_OK(GiveBack());
    std::atomic<int64_t> bytes{0};
    ARROW_RETURN_NOT_OK(RunUntilFailure(context_, [&](int number, const std::atomic<bool>& stop) -> arrow::Status {
      Worker& worker = workers_[static_cast<size_t>(number)];
      while (!worker.ended && !stop.load(std::memory_order_relaxed) && bytes.load(std::memory_order_relaxed) < round_bytes_) {
        ARROW_ASSIGN_OR_RAISE(auto batch, Pull(&pipeline_, context_, number));
        if (!batch.has_value()) {
          worker.ended = true;
          break;
        }
        const base::PhaseTimer timer(context_.operator_ns);
        ARROW_ASSIGN_OR_RAISE(auto columns, columnar::Compact(*batch, PoolOf(context_)));
        auto dense = arrow::RecordBatch::Make(schema_, batch->selection.CountLive(), std::move(columns));
        ARROW_ASSIGN_OR_RAISE(const int64_t size, arrow::util::ReferencedBufferSize(*dense));
        ARROW_RETURN_NOT_OK(worker.reservation.Resize(worker.reservation.bytes() + size));
        bytes.fetch_add(size, std::memory_order_relaxed);
        worker.batches.push_back(std::move(dense));
      }
      return arrow::Status::OK();
    }));
    exhausted_ = std::all_of(workers_.begin(), workers_.end(), [](const Worker& worker) { return worker.ended; });
    for (Worker& worker : workers_) {
      for (auto& batch : worker.batches) ready_.push_back(std::move(batch));
      worker.batches.clear();
    }
    return arrow::Status::OK();
  }

  // What the rounds before this one reserved.
  arrow::Status GiveBack() {
    for (Worker& worker : workers_) ARROW_RETURN_NOT_OK(worker.reservation.Resize(0));
    return arrow::Status::OK();
  }

  Pipeline pipeline_;
  const ExecContext& context_;
  std::shared_ptr<arrow::Schema> schema_;
  std::vector<Worker> workers_;
  int64_t round_bytes_ = std::numeric_limits<int64_t>::max();
  bool exhausted_ = false;
  arrow::Status failure_;
  std::deque<std::shared_ptr<arrow::RecordBatch>> ready_;
};

}  // namespace

arrow::Status Run(Pipeline* pipeline, const ExecContext& context) {
  ARROW_RETURN_NOT_OK(CheckCancelled(context));
  ARROW_RETURN_NOT_OK(pipeline->source->Open(context));
  ARROW_RETURN_NOT_OK(pipeline->sink->Open(context));
  ARROW_RETURN_NOT_OK(RunUntilFailure(context, [&](int worker, const std::atomic<bool>& stop) -> arrow::Status {
    while (!stop.load(std::memory_order_relaxed) && !pipeline->sink->Done()) {
      ARROW_ASSIGN_OR_RAISE(auto batch, Pull(pipeline, context, worker));
      if (!batch.has_value()) break;
      const base::PhaseTimer timer(context.operator_ns);
      ARROW_RETURN_NOT_OK(pipeline->sink->Consume(worker, std::move(*batch)));
    }
    return arrow::Status::OK();
  }));
  // Through RunWorkers for its guard against exceptions.
  return base::RunWorkers(1, [&](int) {
    const base::PhaseTimer timer(context.operator_ns);
    return pipeline->sink->Finish();
  });
}

arrow::Result<std::shared_ptr<arrow::RecordBatchReader>> MakeReader(Pipeline pipeline, const ExecContext& context, ReadAhead read_ahead) {
  ARROW_RETURN_NOT_OK(CheckCancelled(context));
  ARROW_RETURN_NOT_OK(pipeline.source->Open(context));
  return std::make_shared<PipelineReader>(std::move(pipeline), context, read_ahead);
}

}  // namespace vecruntime::exec
