// SPDX-License-Identifier: Apache-2.0
#include "vecruntime/catalog/hadoop_catalog.h"

#include <arrow/result.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>

#include "vecruntime/base/error.h"

namespace vecruntime::catalog {
namespace {

class HadoopCatalogTest : public ::testing::Test {
 protected:
  void SetUp() override { root_ = std::filesystem::temp_directory_path() / ("vecruntime_catalog_test_" + std::to_string(::getpid())); }
  void TearDown() override { std::filesystem::remove_all(root_); }

  void Touch(const std::string& path) {
    std::filesystem::create_directories((root_ / path).parent_path());
    std::ofstream(root_ / path) << "1";
  }
  std::string Newest(const std::string& table) {
    const auto found = FindTableMetadata(*file_io_, (root_ / table).string());
    return found.ok() ? std::filesystem::path(*found).filename().string() : found.status().ToString();
  }

  std::filesystem::path root_;
  std::shared_ptr<const io::FileIO> file_io_ = std::make_shared<io::FileIO>();
};

TEST_F(HadoopCatalogTest, TheGreatestVersionWinsWhateverTheHintSays) {
  Touch("ns/t/metadata/version-hint.text");
  for (const char* name : {"v1.metadata.json", "v2.gz.metadata.json", "v9.metadata.json", "v10.metadata.json.gz", "vx.metadata.json",
                           "v11.metadata.json.crc", "snap-99.avro", "v12metadata.json"}) {
    Touch(std::string("ns/t/metadata/") + name);
  }
  EXPECT_EQ(Newest("ns/t"), "v10.metadata.json.gz");
  Touch("ns/u/metadata/00001-aaaa.metadata.json");
  Touch("ns/u/metadata/00003-bbbb.gz.metadata.json");
  EXPECT_EQ(Newest("ns/u"), "00003-bbbb.gz.metadata.json");
}

TEST_F(HadoopCatalogTest, AMissingTableSuggestsNearNames) {
  Touch("ns/orders/metadata/v1.metadata.json");
  const HadoopCatalog catalog(file_io_, root_.string());
  EXPECT_TRUE(catalog.FindTable({"ns", "orders"}).ok());
  const auto status = catalog.FindTable({"ns", "order"}).status();
  EXPECT_EQ(KindOf(status), ErrorKind::kNotFound);
  EXPECT_EQ(status.message(), "no such table: ns.order; did you mean orders");
}

TEST_F(HadoopCatalogTest, ListsNamespacesAndTables) {
  Touch("a/t1/metadata/v1.metadata.json");
  Touch("a/b/t2/metadata/v1.metadata.json");
  const HadoopCatalog catalog(file_io_, root_.string());
  EXPECT_EQ(*catalog.ListNamespaces(), (std::vector<std::string>{"a", "a.b"}));
  EXPECT_EQ(*catalog.ListTables("a"), (std::vector<std::string>{"t1"}));
  EXPECT_EQ(*catalog.ListTables("a.b"), (std::vector<std::string>{"t2"}));
}

}  // namespace
}  // namespace vecruntime::catalog
