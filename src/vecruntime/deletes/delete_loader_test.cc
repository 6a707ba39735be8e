// SPDX-License-Identifier: Apache-2.0
#include "vecruntime/deletes/delete_loader.h"

#include <arrow/api.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <chrono>
#include <filesystem>
#include <fstream>
#include <string>
#include <thread>

#include "vecruntime/iceberg/metadata_columns.h"
#include "vecruntime/parquet/test_file_internal.h"

namespace vecruntime::deletes {
namespace {

using parquet::testing::FieldWithId;

std::shared_ptr<arrow::Array> Longs(const std::vector<int64_t>& values) {
  arrow::Int64Builder builder;
  EXPECT_TRUE(builder.AppendValues(values).ok());
  return *builder.Finish();
}

// Delete files of the one data file "data", loaded again and again through one cache.
class DeleteLoaderTest : public ::testing::Test {
 protected:
  DeleteLoaderTest() {
    std::filesystem::create_directories(folder_);
    auto metadata = std::make_shared<iceberg::TableMetadata>();
    const auto schema = std::make_shared<const iceberg::Schema>(
        0, std::vector<iceberg::Field>{{.id = 1, .name = "k", .type = iceberg::Type::Primitive(iceberg::TypeId::kLong)}});
    metadata->schemas = {schema};
    metadata->specs = {{}};
    metadata_ = metadata;
  }
  ~DeleteLoaderTest() override { std::filesystem::remove_all(folder_); }

  std::string WritePositions(const std::string& name, const std::vector<std::string>& paths, const std::vector<int64_t>& positions) const {
    arrow::StringBuilder builder;
    EXPECT_TRUE(builder.AppendValues(paths).ok());
    const auto schema = arrow::schema({FieldWithId("file_path", arrow::utf8(), iceberg::kDeleteFilePathId, false),
                                       FieldWithId("pos", arrow::int64(), iceberg::kDeleteFilePosId, false)});
    return Write(name, *arrow::Table::Make(schema, {*builder.Finish(), Longs(positions)}));
  }
  std::string WriteKeys(const std::string& name, const std::vector<int64_t>& keys) const {
    return Write(name, *arrow::Table::Make(arrow::schema({FieldWithId("k", arrow::int64(), 1)}), {Longs(keys)}));
  }

  arrow::Result<TaskDeletes> Load(const std::vector<std::string>& position_files, const std::vector<std::string>& equality_files = {},
                                  int64_t sequence = 2) {
    planning::ScanTask task;
    task.data = Entry("data", 1);
    for (const std::string& path : position_files) task.position_deletes.push_back(Entry(path, sequence));
    for (const std::string& path : equality_files) task.equality_deletes.push_back(Entry(path, sequence));
    ARROW_ASSIGN_OR_RAISE(auto loaded, LoadDeletes(file_io_, {task}, metadata_, {.workers = 1, .budget = budget_.get(),
                                                                                 .pool = arrow::default_memory_pool()}));
    return std::move(loaded[0]);
  }
  // The deleted ones among the rows (position deletes) or among the keys (equality deletes) 0 to 9.
  static std::vector<int32_t> DeadRows(const TaskDeletes& deletes) {
    columnar::Selection rows = columnar::Selection::All(10);
    if (deletes.positions != nullptr) deletes.positions->Narrow(&rows);
    for (const auto& equality : deletes.equality) {
      EXPECT_TRUE(equality.set->Narrow({Longs({0, 1, 2, 3, 4, 5, 6, 7, 8, 9})}, 1, &rows).ok());
    }
    for (uint64_t& word : rows.mutable_words()) word = ~word & 0x3FF;
    return rows.LiveIndices();
  }

  const std::string folder_ = (std::filesystem::temp_directory_path() / ("vecruntime_delete_loader_" + std::to_string(::getpid()))).string();
  const std::shared_ptr<base::MemoryBudget> budget_ = std::make_shared<base::MemoryBudget>(1 << 24);
  const std::shared_ptr<base::IdentityCache> cache_ = std::make_shared<base::IdentityCache>(budget_, 1 << 22);
  const io::FileIO file_io_{cache_};
  std::shared_ptr<const iceberg::TableMetadata> metadata_;

 private:
  static planning::EntryPtr Entry(const std::string& path, int64_t sequence) {
    auto entry = std::make_shared<iceberg::ManifestEntry>();
    entry->file.file_path = path;
    entry->file.equality_ids = {1};
    entry->data_sequence_number = sequence;
    return entry;
  }
  std::string Write(const std::string& name, const arrow::Table& table) const {
    const std::string path = folder_ + '/' + name;
    const auto bytes = parquet::testing::WriteFile(table, 1000);
    std::ofstream(path, std::ios::binary) << bytes->ToString();
    std::this_thread::sleep_for(std::chrono::milliseconds(50));  // until the identity settles
    return path;
  }
};

TEST_F(DeleteLoaderTest, FilesOfOneDataFileAddUpAndOtherPathsDoNotCount) {
  const auto a = WritePositions("a", {"data", "data", "other", "data"}, {3, 1, 9, 1});
  const auto b = WritePositions("b", {"data"}, {7});
  const TaskDeletes deletes = *Load({a, b});
  EXPECT_EQ(DeadRows(deletes), (std::vector<int32_t>{1, 3, 7}));
  EXPECT_EQ(deletes.positions->cardinality(), 3);
  EXPECT_EQ(Load({WritePositions("c", {"other"}, {2})})->positions, nullptr);
}

TEST_F(DeleteLoaderTest, RemembersWhatItReadWhileTheFilesStayTheSame) {
  const auto positions = WritePositions("a", {"data", "data"}, {1, 3});
  const auto keys = WriteKeys("b", {5, 6});
  EXPECT_EQ(DeadRows(*Load({positions}, {keys})), (std::vector<int32_t>{1, 3, 5, 6}));
  const int64_t misses = cache_->misses();
  EXPECT_EQ(DeadRows(*Load({positions}, {keys})), (std::vector<int32_t>{1, 3, 5, 6}));
  EXPECT_EQ(cache_->misses(), misses);
}

TEST_F(DeleteLoaderTest, RemembersWhatSeveralFilesDeleteTogether) {
  const auto a = WritePositions("a", {"data"}, {1});
  const auto b = WritePositions("b", {"data", "other"}, {3, 5});
  const auto c = WritePositions("c", {"other"}, {7});
  const auto d = WritePositions("d", {"other"}, {8});
  EXPECT_EQ(DeadRows(*Load({a, b})), (std::vector<int32_t>{1, 3}));
  EXPECT_EQ(Load({c, d})->positions, nullptr);
  const int64_t misses = cache_->misses();
  EXPECT_EQ(DeadRows(*Load({a, b})), (std::vector<int32_t>{1, 3}));
  EXPECT_EQ(Load({c, d})->positions, nullptr);
  EXPECT_EQ(cache_->misses(), misses);
  EXPECT_EQ(DeadRows(*Load({b, c})), (std::vector<int32_t>{3}));
  EXPECT_EQ(DeadRows(*Load({a})), (std::vector<int32_t>{1}));
  WritePositions("b", {"data"}, {9});
  EXPECT_EQ(DeadRows(*Load({a, b})), (std::vector<int32_t>{1, 9}));
  std::filesystem::remove(b);
  EXPECT_NE(Load({a, b}).status().message().find(b), std::string::npos);
}

TEST_F(DeleteLoaderTest, NoticesThatADeleteFileWasWrittenAnew) {
  const auto positions = WritePositions("a", {"data", "data"}, {1, 3});
  const auto keys = WriteKeys("b", {5, 6});
  EXPECT_EQ(DeadRows(*Load({positions}, {keys})), (std::vector<int32_t>{1, 3, 5, 6}));
  WritePositions("a", {"data", "data"}, {2, 4});
  WriteKeys("b", {7, 8});
  EXPECT_EQ(DeadRows(*Load({positions}, {keys})), (std::vector<int32_t>{2, 4, 7, 8}));
}

TEST_F(DeleteLoaderTest, ARememberedSetIsOfTheSameFilesAndSequenceNumbers) {
  const auto a = WriteKeys("a", {5});
  const auto b = WriteKeys("b", {6});
  EXPECT_EQ(DeadRows(*Load({}, {a})), (std::vector<int32_t>{5}));
  EXPECT_EQ(DeadRows(*Load({}, {a, b})), (std::vector<int32_t>{5, 6}));
  EXPECT_EQ(DeadRows(*Load({}, {a, b}, 1)), (std::vector<int32_t>{}));
  EXPECT_EQ(DeadRows(*Load({}, {a, b})), (std::vector<int32_t>{5, 6}));
}

TEST_F(DeleteLoaderTest, AMissingFileIsAnErrorHoweverWellItIsRemembered) {
  const auto positions = WritePositions("a", {"data"}, {1});
  const auto keys = WriteKeys("b", {5});
  ASSERT_TRUE(Load({positions}, {keys}).ok());
  std::filesystem::remove(positions);
  EXPECT_NE(Load({positions}).status().message().find(positions), std::string::npos);
  std::filesystem::remove(keys);
  EXPECT_NE(Load({}, {keys}).status().message().find(keys), std::string::npos);
}

TEST_F(DeleteLoaderTest, GivesBackWhatItReserved) {
  const auto positions = WritePositions("a", {"data"}, {1});
  const auto keys = WriteKeys("b", {5});
  ASSERT_TRUE(Load({positions}, {keys}).ok());
  EXPECT_EQ(budget_->used_bytes(), cache_->bytes());
  {
    const auto deletes = *Load({positions}, {keys});
    EXPECT_GT(budget_->used_bytes(), cache_->bytes());
  }
  EXPECT_EQ(budget_->used_bytes(), cache_->bytes());
}

}  // namespace
}  // namespace vecruntime::deletes
