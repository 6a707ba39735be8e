// SPDX-License-Identifier: Apache-2.0
#include <arrow/array.h>
#include <arrow/record_batch.h>
#include <arrow/type.h>
#include <arrow/util/byte_size.h>

#include <algorithm>
#include <limits>

#include "vecruntime/exec/batch_source.h"
#include "vecruntime/exec/evaluation.h"
#include "vecruntime/exec/operators.h"
#include "vecruntime/exec/row_encoding.h"

namespace vecruntime::exec {
namespace {

// A top-N state is cut back to N rows whenever it holds this many more.
constexpr int64_t kTopRowsSlack = 64 * 1024;

struct Chunk {
  ArrayVector columns;
  EncodedRows keys;
  int64_t rows = 0;
};

// A row in some chunk; the first eight bytes of its key decide most comparisons.
struct RowRef {
  uint64_t prefix;
  uint32_t chunk;
  uint32_t row;
};

uint64_t PrefixOf(std::string_view key) {
  uint64_t prefix = 0;
  for (size_t k = 0; k < 8; ++k) prefix = prefix << 8 | (k < key.size() ? static_cast<uint8_t>(key[k]) : 0);
  return prefix;
}

class ChunkOrder {
 public:
  explicit ChunkOrder(const std::vector<Chunk>& chunks) : chunks_(chunks) {}
  // Ties keep the order of arrival, so that one worker always gives one answer.
  bool operator()(const RowRef& a, const RowRef& b) const {
    if (a.prefix != b.prefix) return a.prefix < b.prefix;
    const int order = chunks_[a.chunk].keys.row(a.row).compare(chunks_[b.chunk].keys.row(b.row));
    if (order != 0) return order < 0;
    return a.chunk != b.chunk ? a.chunk < b.chunk : a.row < b.row;
  }

 private:
  const std::vector<Chunk>& chunks_;
};

// The first `limit` rows of all chunks in order.
std::vector<RowRef> OrderRows(const std::vector<Chunk>& chunks, int64_t limit) {
  std::vector<RowRef> refs;
  int64_t total = 0;
  for (const Chunk& chunk : chunks) total += chunk.rows;
  refs.reserve(static_cast<size_t>(total));
  for (uint32_t c = 0; c < chunks.size(); ++c) {
    for (uint32_t r = 0; r < chunks[c].rows; ++r) refs.push_back({PrefixOf(chunks[c].keys.row(r)), c, r});
  }
  const ChunkOrder order(chunks);
  if (limit < total) {
    std::nth_element(refs.begin(), refs.begin() + limit, refs.end(), order);
    refs.resize(static_cast<size_t>(limit));
  }
  std::sort(refs.begin(), refs.end(), order);
  return refs;
}

arrow::Result<ArrayVector> Gather(const std::vector<Chunk>& chunks, const std::vector<RowRef>& refs, const arrow::Schema& schema,
                                  arrow::MemoryPool* pool) {
  std::vector<int64_t> base(chunks.size() + 1, 0);
  for (size_t c = 0; c < chunks.size(); ++c) base[c + 1] = base[c] + chunks[c].rows;
  std::vector<int64_t> indices(refs.size());
  for (size_t i = 0; i < refs.size(); ++i) indices[i] = base[refs[i].chunk] + refs[i].row;
  ArrayVector gathered;
  for (int f = 0; f < schema.num_fields(); ++f) {
    ArrayVector parts;
    for (const Chunk& chunk : chunks) parts.push_back(chunk.columns[static_cast<size_t>(f)]);
    ARROW_ASSIGN_OR_RAISE(auto whole, Concatenate(parts, schema.field(f)->type(), pool));
    ARROW_ASSIGN_OR_RAISE(auto column, TakeRows(whole, indices, pool));
    gathered.push_back(std::move(column));
  }
  return gathered;
}

class SortSink : public Sink {
 public:
  SortSink(std::shared_ptr<arrow::Schema> input, std::vector<SortKey> keys, int64_t limit, int64_t offset)
      : schema_(std::move(input)), keys_(std::move(keys)), limit_(limit), offset_(offset) {
    for (const SortKey& key : keys_) orders_.push_back({key.descending, key.nulls_first});
    top_rows_ = limit < 0 ? std::numeric_limits<int64_t>::max()
                          : offset > std::numeric_limits<int64_t>::max() - limit ? std::numeric_limits<int64_t>::max() : limit + offset;
  }

  const std::shared_ptr<arrow::Schema>& output_schema() const override { return schema_; }

  arrow::Status Open(const ExecContext& context) override {
    context_ = context;
    locals_.resize(static_cast<size_t>(std::max(context.workers, 1)));
    if (context.budget == nullptr) return arrow::Status::OK();
    for (Local& local : locals_) local.reservation = context.budget->Open("sort");
    result_reservation_ = context.budget->Open("sort result");
    return arrow::Status::OK();
  }

  arrow::Status Consume(int worker, columnar::Batch batch) override {
    Local& local = locals_[static_cast<size_t>(worker)];
    ARROW_ASSIGN_OR_RAISE(Chunk chunk, MakeChunk(std::move(batch), local));
    if (chunk.rows == 0) return arrow::Status::OK();
    local.rows += chunk.rows;
    ARROW_ASSIGN_OR_RAISE(const int64_t bytes,
                          arrow::util::ReferencedBufferSize(*arrow::RecordBatch::Make(schema_, chunk.rows, chunk.columns)));
    ARROW_RETURN_NOT_OK(local.reservation.Resize(local.reservation.bytes() + bytes + chunk.keys.memory()));
    local.chunks.push_back(std::move(chunk));
    if (top_rows_ < local.rows - kTopRowsSlack) return CutToTopRows(&local);
    return arrow::Status::OK();
  }

  arrow::Status Finish() override {
    std::vector<Chunk> chunks;
    int64_t bytes = 0;
    for (Local& local : locals_) {
      bytes += local.reservation.bytes();
      std::move(local.chunks.begin(), local.chunks.end(), std::back_inserter(chunks));
    }
    // While rows are gathered, both the input and the output are held.
    ARROW_RETURN_NOT_OK(result_reservation_.Resize(bytes));
    std::vector<RowRef> refs = OrderRows(chunks, top_rows_);
    refs.erase(refs.begin(), refs.begin() + std::min(offset_, static_cast<int64_t>(refs.size())));
    ARROW_ASSIGN_OR_RAISE(result_.columns, Gather(chunks, refs, *schema_, PoolOf(context_)));
    result_.selection = columnar::Selection::All(static_cast<int64_t>(refs.size()));
    locals_.clear();
    return arrow::Status::OK();
  }

  arrow::Result<std::unique_ptr<Source>> AsSource() override {
    std::vector<columnar::Batch> batches;
    if (result_.num_rows() > 0) batches.push_back(std::move(result_));
    auto source = std::make_unique<BatchSource>(schema_, std::move(batches), Describe(), true);
    source->Hold(std::move(result_reservation_));
    return source;
  }

  std::string Describe() const override {
    std::string text = limit_ < 0 ? "Sort" : "Top " + std::to_string(limit_);
    if (offset_ > 0) text += " offset " + std::to_string(offset_);
    for (size_t k = 0; k < keys_.size(); ++k) {
      text += (k == 0 ? " by " : ", ") + keys_[k].expression->ToString() + (keys_[k].descending ? " DESC" : " ASC") +
              (keys_[k].nulls_first ? " NULLS FIRST" : " NULLS LAST");
    }
    return text;
  }

 private:
  struct Local {
    std::vector<Chunk> chunks;
    int64_t rows = 0;
    std::string threshold;  // key of the N-th row so far; empty until known
    base::Reservation reservation;
  };

  arrow::Result<Chunk> MakeChunk(columnar::Batch batch, const Local& local) const {
    Chunk chunk;
    if (top_rows_ == 0) return chunk;
    ArrayVector keys;
    for (const SortKey& key : keys_) {
      ARROW_ASSIGN_OR_RAISE(auto values, EvaluateArray(*key.expression, batch.columns, batch.selection, context_));
      keys.push_back(std::move(values));
    }
    ARROW_ASSIGN_OR_RAISE(chunk.keys, EncodeOrdered(keys, orders_, batch.selection));
    if (!local.threshold.empty()) {
      for (int32_t i : batch.selection.LiveIndices()) {
        if (chunk.keys.row(i) > local.threshold) batch.selection.Kill(i);
      }
    }
    chunk.rows = batch.selection.CountLive();
    ARROW_ASSIGN_OR_RAISE(chunk.columns, columnar::Compact(batch, PoolOf(context_)));
    if (chunk.rows != batch.num_rows()) chunk.keys = DenseKeys(chunk.keys, batch.selection);
    return chunk;
  }

  static EncodedRows DenseKeys(const EncodedRows& keys, const columnar::Selection& rows) {
    EncodedRows dense;
    dense.offsets.push_back(0);
    rows.ForEachLive([&](int64_t i) {
      const std::string_view key = keys.row(i);
      dense.bytes.insert(dense.bytes.end(), key.begin(), key.end());
      dense.offsets.push_back(static_cast<int64_t>(dense.bytes.size()));
    });
    return dense;
  }

  arrow::Status CutToTopRows(Local* local) const {
    const std::vector<RowRef> refs = OrderRows(local->chunks, top_rows_);
    Chunk top;
    ARROW_ASSIGN_OR_RAISE(top.columns, Gather(local->chunks, refs, *schema_, PoolOf(context_)));
    top.rows = static_cast<int64_t>(refs.size());
    top.keys.offsets.push_back(0);
    for (const RowRef& ref : refs) {
      const std::string_view key = local->chunks[ref.chunk].keys.row(ref.row);
      top.keys.bytes.insert(top.keys.bytes.end(), key.begin(), key.end());
      top.keys.offsets.push_back(static_cast<int64_t>(top.keys.bytes.size()));
    }
    local->threshold = top.keys.row(top.rows - 1);
    local->rows = top.rows;
    ARROW_ASSIGN_OR_RAISE(const int64_t bytes,
                          arrow::util::ReferencedBufferSize(*arrow::RecordBatch::Make(schema_, top.rows, top.columns)));
    const int64_t memory = bytes + top.keys.memory();
    local->chunks.clear();
    local->chunks.push_back(std::move(top));
    return local->reservation.Resize(memory);
  }

  std::shared_ptr<arrow::Schema> schema_;
  std::vector<SortKey> keys_;
  std::vector<ColumnOrder> orders_;
  int64_t limit_;
  int64_t offset_;
  int64_t top_rows_;
  ExecContext context_;
  std::vector<Local> locals_;
  base::Reservation result_reservation_;
  columnar::Batch result_;
};

}  // namespace

std::unique_ptr<Sink> MakeSort(std::shared_ptr<arrow::Schema> input, std::vector<SortKey> keys, int64_t limit, int64_t offset) {
  return std::make_unique<SortSink>(std::move(input), std::move(keys), limit, offset);
}

}  // namespace vecruntime::exec
