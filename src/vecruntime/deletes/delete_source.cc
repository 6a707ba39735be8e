// SPDX-License-Identifier: Apache-2.0
#include "vecruntime/deletes/delete_source.h"

#include <arrow/array.h>
#include <arrow/array/util.h>
#include <arrow/buffer.h>
#include <arrow/result.h>

#include <algorithm>
#include <utility>

#include "vecruntime/columnar/decode.h"
#include "vecruntime/columnar/dictionary.h"

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
  EqualitySource(std::shared_ptr<const EqualityDeleteSet> set, std::vector<KeyField> keys, std::shared_ptr<const parquet::ParquetFile> file,
                 int64_t data_sequence, ColumnSupplier supplier, arrow::MemoryPool* pool)
      : set_(std::move(set)), keys_(std::move(keys)), file_(std::move(file)), data_sequence_(data_sequence),
        supplier_(std::move(supplier)), pool_(pool) {}

  arrow::Status Narrow(columnar::Selection* rows) override {
    if (set_->max_sequence() <= data_sequence_ || rows->NoneLive() || !MightMatch(rows->begin())) return arrow::Status::OK();
    if (keys_.size() == 1 && keys_[0].depth == 0) {
      ARROW_ASSIGN_OR_RAISE(auto column, supplier_(keys_[0].column, *rows));
      const arrow::DictionaryArray* encoded = columnar::AsEncoded(*column);
      if (encoded != nullptr) return NarrowEncoded(*encoded, rows);
      ARROW_ASSIGN_OR_RAISE(column, columnar::Decode(std::move(column), pool_));
      return set_->Narrow({std::move(column)}, data_sequence_, rows);
    }
    std::vector<std::shared_ptr<arrow::Array>> values;
    values.reserve(keys_.size());
    for (const KeyField& key : keys_) {
      ARROW_ASSIGN_OR_RAISE(auto column, supplier_(key.column, *rows));
      ARROW_ASSIGN_OR_RAISE(values.emplace_back(), ExtractKey(key, std::move(column), pool_));
    }
    return set_->Narrow(values, data_sequence_, rows);
  }

 private:
  // Whether a row of the row group that `row` lies in can have a deleted key; asked of the statistics once per row group.
  bool MightMatch(base::FileRow row) {
    if (file_ == nullptr) return true;
    if (row >= group_.begin && row < group_.end) return group_might_match_;
    const auto& groups = file_->row_groups();
    const auto group = std::partition_point(groups.begin(), groups.end(), [&](const auto& candidate) { return candidate.end <= row; });
    if (group == groups.end()) return true;
    group_ = *group;
    group_might_match_ = true;
    for (size_t i = 0; i < keys_.size(); ++i) {
      if (keys_[i].depth != 0 || !file_->HasField(keys_[i].id)) continue;
      const auto statistics = file_->Statistics(static_cast<int>(group - groups.begin()), keys_[i].column);
      group_might_match_ &= !statistics || set_->bounds()[i].MightMatch(*statistics);
    }
    return group_might_match_;
  }

  // Probes each dictionary entry once.
  arrow::Status NarrowEncoded(const arrow::DictionaryArray& encoded, columnar::Selection* rows) {
    if (encoded.dictionary()->data() != dictionary_) ARROW_RETURN_NOT_OK(ProbeDictionary(encoded));
    rows->AndNot(dead_entries_.Match(encoded));
    const arrow::Array& codes = *encoded.indices();
    if (!null_is_dead_ || codes.null_count() == 0) return arrow::Status::OK();
    rows->AndBitmap(codes.null_bitmap_data(), codes.offset());
    return arrow::Status::OK();
  }

  arrow::Status ProbeDictionary(const arrow::DictionaryArray& encoded) {
    const std::shared_ptr<arrow::Array> entries = encoded.dictionary();
    columnar::Selection live = columnar::Selection::All(entries->length());
    ARROW_RETURN_NOT_OK(set_->Narrow({entries}, data_sequence_, &live));
    columnar::Selection dead = columnar::Selection::All(entries->length());
    dead.AndNot(live);
    dead_entries_ = columnar::EntrySet(arrow::BooleanArray(dead.length(), arrow::Buffer::Wrap(dead.words().data(), dead.words().size())));
    ARROW_ASSIGN_OR_RAISE(auto null, arrow::MakeArrayOfNull(entries->type(), 1, pool_));
    columnar::Selection null_row = columnar::Selection::All(1);
    ARROW_RETURN_NOT_OK(set_->Narrow({std::move(null)}, data_sequence_, &null_row));
    null_is_dead_ = null_row.NoneLive();
    dictionary_ = entries->data();
    return arrow::Status::OK();
  }

  const std::shared_ptr<const EqualityDeleteSet> set_;
  const std::vector<KeyField> keys_;
  const std::shared_ptr<const parquet::ParquetFile> file_;
  const int64_t data_sequence_;
  const ColumnSupplier supplier_;
  arrow::MemoryPool* const pool_;
  base::FileRowRange group_;  // the row group of group_might_match_
  bool group_might_match_ = true;
  std::shared_ptr<arrow::ArrayData> dictionary_;  // the one of dead_entries_
  columnar::EntrySet dead_entries_;
  bool null_is_dead_ = false;
};

}  // namespace

std::unique_ptr<DeleteSource> MakePositionSource(std::shared_ptr<const DeletedRows> deleted) {
  return std::make_unique<PositionSource>(std::move(deleted));
}

std::unique_ptr<DeleteSource> MakeEqualitySource(std::shared_ptr<const EqualityDeleteSet> set, std::vector<KeyField> keys,
                                                 std::shared_ptr<const parquet::ParquetFile> file, int64_t data_sequence,
                                                 ColumnSupplier supplier, arrow::MemoryPool* pool) {
  return std::make_unique<EqualitySource>(std::move(set), std::move(keys), std::move(file), data_sequence, std::move(supplier), pool);
}

}  // namespace vecruntime::deletes
