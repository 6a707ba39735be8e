// SPDX-License-Identifier: Apache-2.0
#include "vecruntime/catalog/metadata_discovery.h"

#include <arrow/result.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>

#include "vecruntime/base/error.h"
#include "vecruntime/io/file_io.h"

namespace vecruntime::catalog {
namespace {

class MetadataDiscovery : public testing::Test {
 protected:
  void SetUp() override {
    const auto* test = testing::UnitTest::GetInstance()->current_test_info();
    table_ = std::filesystem::temp_directory_path() / ("vecruntime-" + std::to_string(getpid())) / test->name();
    std::filesystem::create_directories(table_ / "metadata");
  }
  void TearDown() override { std::filesystem::remove_all(table_); }

  void Write(const std::string& name, const std::string& text = "{}") { std::ofstream(table_ / "metadata" / name) << text; }
  arrow::Result<std::string> Find() const { return FindMetadata(io::FileIO(), table_.string()); }
  std::string FoundName() const {
    const auto found = Find();
    return found.ok() ? found->substr(found->rfind('/') + 1) : found.status().ToString();
  }

  std::filesystem::path table_;
};

}  // namespace

TEST(MetadataFileName, KnowsEverySpelling) {
  EXPECT_EQ(ParseMetadataFileName("v12.metadata.json")->version, 12);
  EXPECT_TRUE(ParseMetadataFileName("v12.metadata.json.gz")->gzip);
  EXPECT_TRUE(ParseMetadataFileName("v12.gz.metadata.json")->gzip);
  EXPECT_EQ(ParseMetadataFileName("00003-6e1a-4b.metadata.json")->version, 3);
  EXPECT_FALSE(ParseMetadataFileName("00003-6e1a-4b.gz.metadata.json")->numbered);
  for (const char* name : {"snap-1.avro", "v.metadata.json", "vx.metadata.json", ".metadata.json", "v-1.metadata.json", "v1.json",
                           "v99999999999999999999.metadata.json", "version-hint.text"}) {
    EXPECT_FALSE(ParseMetadataFileName(name).has_value()) << name;
  }
}

TEST_F(MetadataDiscovery, NewestByNumberWhateverTheHintSays) {
  for (const char* name : {"v1.metadata.json", "v9.gz.metadata.json", "v10.metadata.json.gz", "v2.metadata.json"}) Write(name);
  for (const char* hint : {"2", "10", "10\n", " 9 \r\n", "garbage", "", "-3"}) {
    Write("version-hint.text", hint);
    EXPECT_EQ(FoundName(), "v10.metadata.json.gz") << hint;
  }
  std::filesystem::remove(table_ / "metadata" / "version-hint.text");
  EXPECT_EQ(FoundName(), "v10.metadata.json.gz");
}

TEST_F(MetadataDiscovery, AHintAheadOfTheFilesIsCorrupt) {
  Write("v1.metadata.json");
  Write("version-hint.text", "7");
  EXPECT_EQ(KindOf(Find().status()), ErrorKind::kCorruptData);
}

TEST_F(MetadataDiscovery, CatalogNamesAndTheirTies) {
  Write("00002-b.metadata.json");
  Write("00010-a.gz.metadata.json");
  EXPECT_EQ(FoundName(), "00010-a.gz.metadata.json");
  Write("00010-b.metadata.json");
  EXPECT_EQ(KindOf(Find().status()), ErrorKind::kInvalidArgument);
  Write("version-hint.text", "00010-b");
  EXPECT_EQ(FoundName(), "00010-b.metadata.json");
}

TEST_F(MetadataDiscovery, PlainBeforeGzipOfOneVersion) {
  Write("v3.gz.metadata.json");
  Write("v3.metadata.json");
  EXPECT_EQ(FoundName(), "v3.metadata.json");
}

TEST_F(MetadataDiscovery, AMetadataFileStandsForItself) {
  EXPECT_EQ(*FindMetadata(io::FileIO(), "/w/t/metadata/v1.metadata.json"), "/w/t/metadata/v1.metadata.json");
  Write("v1.metadata.json");
  EXPECT_EQ(*FindMetadata(io::FileIO(), table_.string() + "//"), table_.string() + "/metadata/v1.metadata.json");
}

TEST_F(MetadataDiscovery, NoTable) {
  EXPECT_EQ(KindOf(Find().status()), ErrorKind::kNotFound);
  EXPECT_EQ(KindOf(FindMetadata(io::FileIO(), "/nowhere/at/all").status()), ErrorKind::kNotFound);
}

}  // namespace vecruntime::catalog
