// SPDX-License-Identifier: Apache-2.0
#include "vecruntime/sql/union_source.h"

#include <arrow/result.h>

#include <utility>

namespace vecruntime::sql {
namespace {

class UnionSource : public exec::Source {
 public:
  UnionSource(std::shared_ptr<arrow::Schema> schema, std::vector<std::vector<exec::Pipeline>> branches)
      : schema_(std::move(schema)), branches_(std::move(branches)) {}

  const std::shared_ptr<arrow::Schema>& output_schema() const override { return schema_; }

  arrow::Status Open(const exec::ExecContext& context) override {
    context_ = &context;
    for (auto& branch : branches_) {
      for (size_t i = 0; i + 1 < branch.size(); ++i) {
        ARROW_RETURN_NOT_OK(exec::Run(&branch[i], context));
        ARROW_ASSIGN_OR_RAISE(branch[i + 1].source, branch[i].sink->AsSource());
      }
      ARROW_RETURN_NOT_OK(branch.back().source->Open(context));
    }
    at_.assign(static_cast<size_t>(context.workers), 0);
    return arrow::Status::OK();
  }

  arrow::Result<std::optional<columnar::Batch>> Next(int worker) override {
    // Each worker finishes its part of a branch before it goes on to the next.
    for (size_t& branch = at_[static_cast<size_t>(worker)]; branch < branches_.size(); ++branch) {
      exec::Pipeline& last = branches_[branch].back();
      ARROW_ASSIGN_OR_RAISE(auto batch, last.source->Next(worker));
      if (!batch) continue;
      for (const auto& transform : last.transforms) ARROW_RETURN_NOT_OK(transform->Apply(*context_, &*batch));
      return batch;
    }
    return std::nullopt;
  }

  std::string Describe() const override { return "Union of " + std::to_string(branches_.size()); }

 private:
  std::shared_ptr<arrow::Schema> schema_;
  std::vector<std::vector<exec::Pipeline>> branches_;
  const exec::ExecContext* context_ = nullptr;
  std::vector<size_t> at_;
};

}  // namespace

std::unique_ptr<exec::Source> MakeUnionSource(std::shared_ptr<arrow::Schema> schema, std::vector<std::vector<exec::Pipeline>> branches) {
  return std::make_unique<UnionSource>(std::move(schema), std::move(branches));
}

}  // namespace vecruntime::sql
