// SPDX-License-Identifier: Apache-2.0
#include "vecruntime/exec/pipeline.h"

#include <arrow/array.h>
#include <arrow/record_batch.h>
#include <arrow/type.h>
#include <arrow/util/byte_size.h>

#include <algorithm>
#include <atomic>
#include <deque>
#include <utility>

#include "vecruntime/base/error.h"
#include "vecruntime/base/phase_timer.h"
#include "vecruntime/exec/evaluation.h"

namespace vecruntime::exec {
namespace {

// Later rounds of a result larger than memory: enough to keep all workers busy.
constexpr int64_t kStreamingRoundBytes = int64_t{64} << 20;

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
    arrow::Status status;
    try {
      status = body(worker, stop);
    } catch (...) {
      stop.store(true, std::memory_order_relaxed);
      throw;
    }
    if (!status.ok()) stop.store(true, std::memory_order_relaxed);
    return status;
  });
}

const std::shared_ptr<arrow::Schema>& OutputSchema(const Pipeline& pipeline) {
  return pipeline.transforms.empty() ? pipeline.source->output_schema() : pipeline.transforms.back()->output_schema();
}

class PipelineReader : public arrow::RecordBatchReader {
 public:
  PipelineReader(Pipeline pipeline, const ExecContext& context)
      : pipeline_(std::move(pipeline)), context_(context), schema_(OutputSchema(pipeline_)) {
    if (context.budget != nullptr) {
      reservation_ = context.budget->Open("query result");
      round_bytes_ = context.budget->limit_bytes() / 4;
    }
  }

  std::shared_ptr<arrow::Schema> schema() const override { return schema_; }

  arrow::Status ReadNext(std::shared_ptr<arrow::RecordBatch>* batch) override {
    batch->reset();
    ARROW_RETURN_NOT_OK(failure_);
    if (ready_.empty() && !exhausted_) {
      failure_ = Gather();
      if (!failure_.ok()) ready_.clear();
      ARROW_RETURN_NOT_OK(failure_);
    }
    if (ready_.empty()) return reservation_.Resize(0);
    *batch = std::move(ready_.front());
    ready_.pop_front();
    return arrow::Status::OK();
  }

 private:
  using Batches = std::vector<std::shared_ptr<arrow::RecordBatch>>;

  arrow::Status Gather() {
    std::vector<Batches> gathered(static_cast<size_t>(std::max(context_.workers, 1)));
    ended_.resize(gathered.size(), 0);
    std::atomic<int64_t> bytes{0};
    ARROW_RETURN_NOT_OK(RunUntilFailure(context_, [&](int worker, const std::atomic<bool>& stop) -> arrow::Status {
      uint8_t& ended = ended_[static_cast<size_t>(worker)];
      while (ended == 0 && !stop.load(std::memory_order_relaxed) && bytes.load(std::memory_order_relaxed) < round_bytes_) {
        ARROW_ASSIGN_OR_RAISE(auto batch, Pull(&pipeline_, context_, worker));
        if (!batch.has_value()) {
          ended = 1;
          break;
        }
        ARROW_ASSIGN_OR_RAISE(auto columns, columnar::Compact(*batch, PoolOf(context_)));
        auto dense = arrow::RecordBatch::Make(schema_, batch->selection.CountLive(), std::move(columns));
        ARROW_ASSIGN_OR_RAISE(const int64_t size, arrow::util::ReferencedBufferSize(*dense));
        bytes.fetch_add(size, std::memory_order_relaxed);
        gathered[static_cast<size_t>(worker)].push_back(std::move(dense));
      }
      return arrow::Status::OK();
    }));
    exhausted_ = std::all_of(ended_.begin(), ended_.end(), [](uint8_t ended) { return ended != 0; });
    ARROW_RETURN_NOT_OK(reservation_.Resize(bytes.load()));
    for (auto& batches : gathered) {
      for (auto& batch : batches) ready_.push_back(std::move(batch));
    }
    round_bytes_ = std::min(round_bytes_, kStreamingRoundBytes);
    return arrow::Status::OK();
  }

  Pipeline pipeline_;
  const ExecContext& context_;
  std::shared_ptr<arrow::Schema> schema_;
  base::Reservation reservation_;
  int64_t round_bytes_ = int64_t{256} << 20;
  std::vector<uint8_t> ended_;  // per worker: its source gave the last batch
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

arrow::Result<std::shared_ptr<arrow::RecordBatchReader>> MakeReader(Pipeline pipeline, const ExecContext& context) {
  ARROW_RETURN_NOT_OK(CheckCancelled(context));
  ARROW_RETURN_NOT_OK(pipeline.source->Open(context));
  return std::make_shared<PipelineReader>(std::move(pipeline), context);
}

}  // namespace vecruntime::exec
