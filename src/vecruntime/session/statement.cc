// SPDX-License-Identifier: Apache-2.0
#include "vecruntime/session/statement.h"

#include <arrow/memory_pool.h>
#include <arrow/record_batch.h>

#include <utility>

#include "vecruntime/base/error.h"
#include "vecruntime/exec/operators.h"

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

arrow::Result<std::shared_ptr<arrow::RecordBatchReader>> Statement::Run() {
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
  ARROW_ASSIGN_OR_RAISE(exec::Pipeline result, Collect(std::move(pipelines.back()), pipelines.size() == 1));
  ARROW_ASSIGN_OR_RAISE(auto reader, exec::MakeReader(std::move(result), context_));
  return std::make_shared<StatementReader>(shared_from_this(), std::move(reader));
}

// The whole result before its first row leaves: a file that turns out corrupt half-way then shows no row at all, and a plain scan runs on
// all workers. Behind another pipeline one worker keeps the order a sort has made.
arrow::Result<exec::Pipeline> Statement::Collect(exec::Pipeline last, bool any_order) {
  const auto& schema = last.transforms.empty() ? last.source->output_schema() : last.transforms.back()->output_schema();
  last.sink = exec::MakeLimit(schema, -1, 0);
  exec::ExecContext context = context_;
  if (!any_order) context.workers = 1;
  ARROW_RETURN_NOT_OK(exec::Run(&last, context));
  exec::Pipeline result;
  ARROW_ASSIGN_OR_RAISE(result.source, last.sink->AsSource());
  return result;
}

}  // namespace vecruntime::session
