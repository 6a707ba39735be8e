// SPDX-License-Identifier: Apache-2.0
#include "vecruntime/iceberg/metadata_table.h"

#include <arrow/array.h>
#include <arrow/record_batch.h>
#include <arrow/scalar.h>
#include <arrow/type.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <iterator>

#include "vecruntime/base/error.h"

namespace vecruntime::iceberg {
namespace {

const std::filesystem::path kWarehouse = std::filesystem::path(VECRUNTIME_SOURCE_DIR) / "tests/fixtures/warehouse";

std::string Contents(const std::filesystem::path& path) {
  std::ifstream stream(path, std::ios::binary);
  return std::string((std::istreambuf_iterator<char>(stream)), std::istreambuf_iterator<char>());
}

/// A committed table; its files are found by name, wherever its metadata says they are.
struct FixtureTable {
  std::filesystem::path directory;
  std::shared_ptr<const TableMetadata> metadata;
  ReadBytes read = [this](const std::string& location) -> arrow::Result<std::shared_ptr<arrow::Buffer>> {
    return arrow::Buffer::FromString(Contents(directory / std::filesystem::path(location).filename()));
  };

  explicit FixtureTable(const std::string& name) : directory(kWarehouse / name / "metadata") {
    std::filesystem::path newest;
    for (const auto& entry : std::filesystem::directory_iterator(directory)) {
      if (entry.path().string().ends_with(".metadata.json") && entry.path() > newest) newest = entry.path();
    }
    metadata = *ParseTableMetadata(Contents(newest), newest.string());
  }

  std::shared_ptr<arrow::RecordBatch> Rows(std::string_view name) const {
    const auto batch = ReadMetadataTable(*ParseMetadataTable(name), *metadata, metadata->CurrentSnapshot(), read);
    EXPECT_TRUE(batch.ok()) << name << ": " << batch.status();
    EXPECT_TRUE((*batch)->ValidateFull().ok()) << name;
    return *batch;
  }
};

int64_t SumOf(const arrow::RecordBatch& batch, const std::string& column) {
  int64_t sum = 0;
  const auto array = batch.GetColumnByName(column);
  for (int64_t i = 0; i < array->length(); ++i) {
    const auto scalar = *array->GetScalar(i);
    sum += std::stoll(scalar->ToString());
  }
  return sum;
}

constexpr const char* kAllNames[] = {"snapshots",   "history",        "refs",      "metadata_log_entries", "manifests",
                                     "files",       "data_files",     "entries",   "all_manifests",        "all_files",
                                     "all_entries", "all_data_files", "partitions", "delete_files",        "all_delete_files"};

}  // namespace

TEST(MetadataTable, KnowsItsNamesInAnyCase) {
  for (const char* name : kAllNames) EXPECT_TRUE(ParseMetadataTable(name).has_value()) << name;
  EXPECT_EQ(ParseMetadataTable("FILES"), MetadataTable::kFiles);
  EXPECT_FALSE(ParseMetadataTable("filez").has_value());
}

TEST(MetadataTable, TablesAgreeWithEachOther) {
  for (const char* name : {"mcase/avro_null_v2", "mcase/avro_zstandard_v3", "ecase/e16"}) {
    const FixtureTable table(name);
    const auto files = table.Rows("files");
    const auto data_files = table.Rows("data_files");
    const auto delete_files = table.Rows("delete_files");
    const auto partitions = table.Rows("partitions");
    EXPECT_GT(delete_files->num_rows(), 0) << name;
    EXPECT_EQ(files->num_rows(), data_files->num_rows() + delete_files->num_rows());
    EXPECT_EQ(SumOf(*partitions, "record_count"), SumOf(*data_files, "record_count"));
    EXPECT_EQ(SumOf(*partitions, "file_count"), data_files->num_rows());
    EXPECT_EQ(table.Rows("snapshots")->num_rows(), static_cast<int64_t>(table.metadata->snapshots.size()));
    EXPECT_GE(table.Rows("entries")->num_rows(), files->num_rows());
    EXPECT_GE(table.Rows("all_entries")->num_rows(), table.Rows("entries")->num_rows());
    EXPECT_GE(table.Rows("all_manifests")->num_rows(), table.Rows("manifests")->num_rows());
  }
}

TEST(MetadataTable, EveryTableOfAnEmptyTableHasItsColumns) {
  const FixtureTable table("mcase/m5_null_v2");
  for (const char* name : kAllNames) {
    const auto schema = MetadataTableSchema(*ParseMetadataTable(name), *table.metadata);
    ASSERT_TRUE(schema.ok()) << name;
    EXPECT_TRUE(table.Rows(name)->schema()->Equals(**schema)) << name;
  }
  EXPECT_EQ(table.Rows("files")->num_rows(), 0);
  EXPECT_EQ(table.Rows("metadata_log_entries")->num_rows(), static_cast<int64_t>(table.metadata->metadata_log.size()) + 1);
}

TEST(MetadataTable, UnpartitionedTablesHaveNoPartitionColumn) {
  const FixtureTable table("ecase/e1");
  EXPECT_EQ(table.Rows("files")->GetColumnByName("partition"), nullptr);
  EXPECT_EQ(table.Rows("partitions")->GetColumnByName("spec_id"), nullptr);
  EXPECT_EQ(table.Rows("partitions")->num_rows(), 1);
}

TEST(MetadataTable, AFileThatCannotBeReadIsAnError) {
  const FixtureTable table("ecase/e1");
  const ReadBytes fails = [](const std::string& location) { return base::IoError("gone: ", location); };
  EXPECT_EQ(KindOf(ReadMetadataTable(MetadataTable::kFiles, *table.metadata, table.metadata->CurrentSnapshot(), fails).status()),
            ErrorKind::kIoError);
}

}  // namespace vecruntime::iceberg
