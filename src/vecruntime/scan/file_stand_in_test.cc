// SPDX-License-Identifier: Apache-2.0
#include "vecruntime/scan/file_stand_in.h"

#include <arrow/array.h>
#include <arrow/memory_pool.h>
#include <arrow/result.h>
#include <gtest/gtest.h>

#include <string>

namespace vecruntime::scan {
namespace {

using columnar::ColumnUse;
using iceberg::Type;
using iceberg::TypeId;
using iceberg::Value;

// Ten rows: id 1-10, v 100-300 with `v_nulls` NULLs, s of ten texts.
class FileStandInTest : public ::testing::Test {
 protected:
  FileStandInTest() {
    const auto column = [](int id, const char* name, TypeId type) { return iceberg::Field{.id = id, .name = name, .type = Type::Primitive(type)}; };
    fields_ = {column(1, "id", TypeId::kLong), column(2, "v", TypeId::kInt), column(3, "s", TypeId::kString)};
    metadata_->schemas = {std::make_shared<iceberg::Schema>(0, fields_)};
    entry_.file.record_count = 10;
    entry_.file.value_counts = {{1, 10}, {2, 10}, {3, 10}};
    SetNulls(0);
    SetBounds(100, 300);
  }

  void SetNulls(int64_t v_nulls) { entry_.file.null_value_counts = {{1, 0}, {2, v_nulls}, {3, 0}}; }
  void SetBounds(int32_t low, int32_t high) {
    const auto bytes = [](TypeId type, Value value) { return iceberg::EncodeBound(*Type::Primitive(type), value); };
    entry_.file.lower_bounds = {{1, bytes(TypeId::kLong, Value{int64_t{1}})}, {2, bytes(TypeId::kInt, Value{low})}, {3, "a"}};
    entry_.file.upper_bounds = {{1, bytes(TypeId::kLong, Value{int64_t{10}})}, {2, bytes(TypeId::kInt, Value{high})}, {3, "j"}};
  }

  planning::ScanTask Task() const {
    planning::ScanTask task{.data = std::make_shared<const iceberg::ManifestEntry>(entry_)};
    task.all_match = true;
    return task;
  }
  bool Passes(const planning::ScanTask& task, const std::vector<std::pair<int, ColumnUse>>& looked_at) const {
    std::vector<ScanColumn> columns;
    std::vector<ColumnUse> uses;
    for (const auto& [field, use] : looked_at) {
      columns.push_back({ScanColumnKind::kField, fields_[static_cast<size_t>(field - 1)]});
      uses.push_back(use);
    }
    return StandInCheck(columns, uses, *metadata_)(task);
  }
  std::string Values(ColumnUse use, int64_t from, int64_t to) const {
    const FileStandIn stand_in(Task().data, metadata_, arrow::default_memory_pool());
    const auto array = stand_in.Get({ScanColumnKind::kField, fields_[1]}, use, {base::FileRow{from}, base::FileRow{to}});
    if (!array.ok()) return array.status().ToString();
    const auto& numbers = static_cast<const arrow::Int32Array&>(**array);
    std::string text;
    for (int64_t i = 0; i < numbers.length(); ++i) text += (i == 0 ? "" : " ") + (numbers.IsNull(i) ? "-" : std::to_string(numbers.Value(i)));
    return text;
  }

  static constexpr ColumnUse kNothing{};
  static constexpr ColumnUse kExtremes{.extremes = true};
  static constexpr ColumnUse kNullCount{.null_count = true};
  std::vector<iceberg::Field> fields_;
  std::shared_ptr<iceberg::TableMetadata> metadata_ = std::make_shared<iceberg::TableMetadata>();
  iceberg::ManifestEntry entry_;
};

TEST_F(FileStandInTest, MetricsDecideColumnByColumn) {
  EXPECT_TRUE(Passes(Task(), {}));
  EXPECT_TRUE(Passes(Task(), {{1, kExtremes}, {2, kNullCount}, {3, kNothing}}));
  EXPECT_TRUE(Passes(Task(), {{3, kNullCount}}));
  EXPECT_FALSE(Passes(Task(), {{3, kExtremes}})) << "bounds of texts may be cut";
  EXPECT_FALSE(Passes(Task(), {{1, {.values = true}}}));
  entry_.file.upper_bounds.clear();
  EXPECT_FALSE(Passes(Task(), {{1, kExtremes}}));
  EXPECT_TRUE(Passes(Task(), {{1, kNullCount}}));
}

TEST_F(FileStandInTest, FiltersAndDeletesHaveTheirSay) {
  planning::ScanTask task = Task();
  task.all_match = false;
  EXPECT_FALSE(Passes(task, {}));
  task = Task();
  task.deletion_vector = task.data;
  EXPECT_TRUE(Passes(task, {{1, kNullCount}}));
  EXPECT_FALSE(Passes(task, {{1, kExtremes}}));
  SetNulls(3);
  task.data = Task().data;
  EXPECT_FALSE(Passes(task, {{2, kNullCount}})) << "which NULLs were deleted is not known";
  SetNulls(10);
  task.data = Task().data;
  EXPECT_TRUE(Passes(task, {{2, {.extremes = true, .null_count = true}}}));
  task.equality_deletes = {task.data};
  EXPECT_FALSE(Passes(task, {}));
}

TEST_F(FileStandInTest, ARecordCountWithoutConfirmationIsNotBelieved) {
  entry_.file.record_count = 100;
  EXPECT_FALSE(Passes(Task(), {}));
  entry_.file.record_count = 10;
  entry_.file.value_counts.clear();
  EXPECT_FALSE(Passes(Task(), {}));
}

TEST_F(FileStandInTest, RowsKeepWhatIsLookedAt) {
  SetNulls(3);
  EXPECT_EQ(Values(kExtremes, 0, 10), "100 300 - - - - - - - -");
  EXPECT_EQ(Values({.extremes = true, .null_count = true}, 0, 10), "100 300 300 300 300 300 300 - - -");
  EXPECT_EQ(Values({.extremes = true, .null_count = true}, 0, 1), "100");
  EXPECT_EQ(Values({.extremes = true, .null_count = true}, 6, 8), "300 -");
  EXPECT_EQ(Values(kNullCount, 6, 8), "0 -");
  EXPECT_EQ(Values(kNothing, 0, 2), "- -");
}

TEST_F(FileStandInTest, OneValueHasOneExtreme) {
  SetNulls(9);
  EXPECT_FALSE(Passes(Task(), {{2, kExtremes}})) << "two bounds cannot both be the one value";
  SetBounds(100, 100);
  EXPECT_TRUE(Passes(Task(), {{2, kExtremes}}));
  EXPECT_EQ(Values(kExtremes, 0, 3), "100 - -");
}

}  // namespace
}  // namespace vecruntime::scan
