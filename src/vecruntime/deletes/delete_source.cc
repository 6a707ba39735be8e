// SPDX-License-Identifier: Apache-2.0
#include "vecruntime/deletes/delete_source.h"

#include <arrow/array.h>
#include <arrow/result.h>

#include <utility>

namespace vecruntime::deletes {
namespace {

class PositionSource : public DeleteSource {
 public:
  explicit PositionSource(std::shared_ptr<const DeletedRows> deleted) : deleted_(std::move(deleted)) {}
  arrow::Status Narrow(columnar::Selection* rows) override {
    deleted_->Narrow(rows);
    return arrow::Status::OK();
  }

 private:
  const std::shared_ptr<const DeletedRows> deleted_;
};

class EqualitySource : public DeleteSource {
 public:
  EqualitySource(std::shared_ptr<const EqualityDeleteSet> set, std::vector<KeyField> keys, int64_t data_sequence, ColumnSupplier supplier,
                 arrow::MemoryPool* pool)
      : set_(std::move(set)), keys_(std::move(keys)), data_sequence_(data_sequence), supplier_(std::move(supplier)), pool_(pool) {}

  arrow::Status Narrow(columnar::Selection* rows) override {
    if (rows->NoneLive()) return arrow::Status::OK();
    std::vector<std::shared_ptr<arrow::Array>> values;
    values.reserve(keys_.size());
    for (const KeyField& key : keys_) {
      ARROW_ASSIGN_OR_RAISE(auto column, supplier_(key.column, *rows));
      ARROW_ASSIGN_OR_RAISE(values.emplace_back(), ExtractKey(key, std::move(column), pool_));
    }
    return set_->Narrow(values, data_sequence_, rows);
  }

 private:
  const std::shared_ptr<const EqualityDeleteSet> set_;
  const std::vector<KeyField> keys_;
  const int64_t data_sequence_;
  const ColumnSupplier supplier_;
  arrow::MemoryPool* const pool_;
};

}  // namespace

std::unique_ptr<DeleteSource> MakePositionSource(std::shared_ptr<const DeletedRows> deleted) {
  return std::make_unique<PositionSource>(std::move(deleted));
}

std::unique_ptr<DeleteSource> MakeEqualitySource(std::shared_ptr<const EqualityDeleteSet> set, std::vector<KeyField> keys,
                                                 int64_t data_sequence, ColumnSupplier supplier, arrow::MemoryPool* pool) {
  return std::make_unique<EqualitySource>(std::move(set), std::move(keys), data_sequence, std::move(supplier), pool);
}

}  // namespace vecruntime::deletes
