// SPDX-License-Identifier: Apache-2.0
#include "vecruntime/exec/pipeline.h"

#include <arrow/scalar.h>
#include <gtest/gtest.h>

#include <set>
#include <stdexcept>
#include <thread>

#include "vecruntime/base/error.h"
#include "vecruntime/exec/testing/random_batches.h"

namespace vecruntime::exec {

using testing::Column;
using testing::RandomBatches;

// Yields the same batch over and over; after `fail_at` batches it fails, or throws.
class EndlessSource : public Source {
 public:
  explicit EndlessSource(int fail_at = -1, bool throws = false) : fail_at_(fail_at), throws_(throws), batch_(RandomBatches(1).Make(10)) {}
  const std::shared_ptr<arrow::Schema>& output_schema() const override { return schema_; }
  arrow::Status Open(const ExecContext&) override { return arrow::Status::OK(); }
  arrow::Result<std::optional<columnar::Batch>> Next(int) override {
    if (calls_.fetch_add(1) == fail_at_) {
      if (throws_) throw std::runtime_error("boom");
      return base::CorruptData("bad page");
    }
    return batch_;
  }
  std::string Describe() const override { return "endless"; }
  int calls() const { return calls_.load(); }

 private:
  int fail_at_;
  bool throws_;
  columnar::Batch batch_;
  std::shared_ptr<arrow::Schema> schema_ = testing::RandomSchema();
  std::atomic<int> calls_{0};
};

Pipeline EndlessInto(std::unique_ptr<Sink> sink, int fail_at = -1, bool throws = false) {
  Pipeline pipeline;
  pipeline.source = std::make_unique<EndlessSource>(fail_at, throws);
  pipeline.sink = std::move(sink);
  return pipeline;
}

TEST(Run, LimitStopsAnEndlessSource) {
  for (int workers : {1, 2, 5}) {
    ExecContext context;
    context.workers = workers;
    Pipeline pipeline = EndlessInto(MakeLimit(testing::RandomSchema(), 25, 3));
    ASSERT_TRUE(exec::Run(&pipeline, context).ok());
    Pipeline last;
    last.source = pipeline.sink->AsSource().ValueOrDie();
    EXPECT_EQ(MakeReader(std::move(last), context).ValueOrDie()->ToTable().ValueOrDie()->num_rows(), 25);
  }
}

TEST(Run, AFailureOfOneWorkerEndsAll) {
  ExecContext context;
  context.workers = 3;
  Pipeline pipeline = EndlessInto(MakeAggregate({}, {}, {}), 50);
  EXPECT_EQ(KindOf(exec::Run(&pipeline, context)), ErrorKind::kCorruptData);
  Pipeline throwing = EndlessInto(MakeAggregate({}, {}, {}), 50, true);
  EXPECT_EQ(KindOf(exec::Run(&throwing, context)), ErrorKind::kInternal);
}

TEST(Run, CancelEndsAnEndlessStatement) {
  base::CancelToken cancel;
  ExecContext context;
  context.workers = 2;
  context.cancel = &cancel;
  Pipeline pipeline = EndlessInto(MakeAggregate({}, {}, {}));
  std::thread canceller([&] {
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
    cancel.Cancel();
  });
  EXPECT_EQ(KindOf(exec::Run(&pipeline, context)), ErrorKind::kCancelled);
  canceller.join();
}

TEST(Reader, AFailingStatementYieldsNoRow) {
  ExecContext context;
  Pipeline pipeline;
  pipeline.source = std::make_unique<EndlessSource>(100);
  auto reader = MakeReader(std::move(pipeline), context).ValueOrDie();
  std::shared_ptr<arrow::RecordBatch> batch;
  EXPECT_EQ(KindOf(reader->ReadNext(&batch)), ErrorKind::kCorruptData);
  EXPECT_EQ(batch, nullptr);
  EXPECT_EQ(KindOf(reader->ReadNext(&batch)), ErrorKind::kCorruptData);
}

TEST(Reader, StreamsAResultLargerThanItsBudget) {
  RandomBatches random(5);
  auto batches = random.MakeMany(200, 500);
  const int64_t rows = testing::AllLive(batches)[0]->length();
  base::MemoryBudget budget(200000);
  ExecContext context;
  context.workers = 2;
  context.budget = &budget;
  Pipeline pipeline;
  pipeline.source = MakeBatchSource(testing::RandomSchema(), batches, "test");
  auto table = MakeReader(std::move(pipeline), context, ReadAhead::kRound).ValueOrDie()->ToTable();
  ASSERT_TRUE(table.ok()) << table.status().ToString();
  EXPECT_EQ((*table)->num_rows(), rows);
  EXPECT_EQ(budget.used_bytes(), 0);
  Pipeline whole;
  whole.source = MakeBatchSource(testing::RandomSchema(), batches, "test");
  const auto refused = MakeReader(std::move(whole), context).ValueOrDie()->ToTable().status();
  EXPECT_EQ(KindOf(refused), ErrorKind::kResourceExhausted) << refused;
}

TEST(Operators, FilterAndProjectAgreeWithTheRows) {
  for (uint32_t seed = 1; seed <= 20; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    RandomBatches random(seed);
    auto batches = random.MakeMany(5, 80);
    const auto rows = testing::AllLive(batches);
    std::multiset<int64_t> expected;
    for (int64_t i = 0; i < rows[0]->length(); ++i) {
      const auto& b = static_cast<const arrow::BooleanArray&>(*rows[5]);
      if (b.IsValid(i) && b.Value(i)) expected.insert(static_cast<const arrow::Int64Array&>(*rows[0]).Value(i));
    }
    ExecContext context;
    context.workers = static_cast<int>(random.Next() % 3) + 1;
    context.batch_rows = 7;
    Pipeline pipeline;
    pipeline.source = MakeBatchSource(testing::RandomSchema(), batches, "test");
    pipeline.transforms.push_back(MakeFilter(testing::RandomSchema(), Column(5)));
    pipeline.transforms.push_back(MakeProject({expr::Expr::Literal(arrow::MakeScalar(int64_t{7})), Column(0)}, {"seven", "id"}));
    auto table = MakeReader(std::move(pipeline), context).ValueOrDie()->ToTable().ValueOrDie()->CombineChunks().ValueOrDie();
    EXPECT_EQ(table->schema()->ToString(), "seven: int64\nid: int64");
    std::multiset<int64_t> got;
    for (int64_t i = 0; i < table->num_rows(); ++i) {
      EXPECT_EQ(static_cast<const arrow::Int64Array&>(*testing::ColumnOf(*table, 0)).Value(i), 7);
      got.insert(static_cast<const arrow::Int64Array&>(*testing::ColumnOf(*table, 1)).Value(i));
    }
    EXPECT_EQ(got, expected);
  }
}

}  // namespace vecruntime::exec
