// SPDX-License-Identifier: Apache-2.0
#include "vecruntime/session/statement.h"

#include <arrow/memory_pool.h>
#include <arrow/record_batch.h>

#include <utility>

#include "vecruntime/base/error.h"

namespace vecruntime::session {
namespace {

using Clock = std::chrono::steady_clock;

int64_t MicrosSinceEpoch() {
  return std::chrono::duration_cast<std::chrono::microseconds>(std::chrono::system_clock::now().time_since_epoch()).count();
}

expr::EvalContext MakeEvalContext(const SessionOptions& options) {
  return {.pool = arrow::default_memory_pool(), .timezone = options.timezone, .statement_time_us = MicrosSinceEpoch()};
}

std::string DescribePipeline(const exec::Pipeline& pipeline) {
  std::string text = pipeline.source->Describe();
  for (const auto& transform : pipeline.transforms) text += " > " + transform->Describe();
  if (pipeline.sink != nullptr) text += " > " + pipeline.sink->Describe();
  return text;
}

class StatementReader : public arrow::RecordBatchReader {
 public:
  StatementReader(std::shared_ptr<Statement> statement, std::shared_ptr<arrow::RecordBatchReader> reader)
      : statement_(std::move(statement)), reader_(std::move(reader)) {}
  std::shared_ptr<arrow::Schema> schema() const override { return reader_->schema(); }
  arrow::Status ReadNext(std::shared_ptr<arrow::RecordBatch>* batch) override { return reader_->ReadNext(batch); }
  arrow::Status Close() override {
    statement_->Cancel();
    return arrow::Status::OK();
  }

 private:
  std::shared_ptr<Statement> statement_;  // outlives reader_
  std::shared_ptr<arrow::RecordBatchReader> reader_;
};

}  // namespace

Statement::Statement(Environment environment)
    : environment_(std::move(environment)),
      context_{.workers = environment_.options.threads,
               .batch_rows = environment_.options.batch_rows,
               .budget = environment_.budget,
               .cancel = &cancel_,
               .eval = MakeEvalContext(environment_.options),
               .operator_ns = operator_ns_.get()},
      resolver_(environment_.loader,
                {.workers = environment_.options.threads, .pruning = environment_.options.pruning, .eval = context_.eval}) {}

std::shared_ptr<Statement> Statement::Make(Environment environment) {
  return std::shared_ptr<Statement>(new Statement(std::move(environment)));
}

arrow::Status Statement::Plan(std::string_view text) {
  const sql::PlanOptions options{.eval = context_.eval, .push_down = environment_.options.push_down};
  // Through RunWorkers for its guard against exceptions.
  ARROW_RETURN_NOT_OK(base::RunWorkers(1, [&](int) { return sql::PlanStatement(text, &resolver_, options).Value(&plan_); }));
  return cancel_.Check();
}

arrow::Result<std::shared_ptr<arrow::RecordBatchReader>> Statement::Run(Delivery delivery) {
  std::vector<exec::Pipeline>& pipelines = plan_.pipelines;
  if (pipelines.empty()) return base::Internal("a plan without a pipeline");
  for (size_t p = 0; p + 1 < pipelines.size(); ++p) {
    const std::string operators = DescribePipeline(pipelines[p]);
    const auto start = Clock::now();
    ARROW_RETURN_NOT_OK(exec::Run(&pipelines[p], context_));
    pipeline_times_.push_back({operators, Clock::now() - start});
    if (pipelines[p + 1].source != nullptr) continue;
    ARROW_ASSIGN_OR_RAISE(pipelines[p + 1].source, pipelines[p].sink->AsSource());
  }
  last_pipeline_ = DescribePipeline(pipelines.back());
  const auto read_ahead = delivery == Delivery::kWhole ? exec::ReadAhead::kAll : exec::ReadAhead::kRound;
  ARROW_ASSIGN_OR_RAISE(auto reader, exec::MakeReader(std::move(pipelines.back()), context_, read_ahead));
  return std::make_shared<StatementReader>(shared_from_this(), std::move(reader));
}

}  // namespace vecruntime::session
