// SPDX-License-Identifier: Apache-2.0
#include "vecruntime/catalog/hadoop_catalog.h"

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

class HadoopCatalogTest : public testing::Test {
 protected:
  void SetUp() override {
    warehouse_ = std::filesystem::temp_directory_path() / ("vecruntime-warehouse-" + std::to_string(getpid()));
    for (const char* table : {"db/orders", "db/Lines", "db/nested/deep"}) {
      std::filesystem::create_directories(warehouse_ / table / "metadata");
      std::ofstream(warehouse_ / table / "metadata" / "v1.metadata.json") << "{}";
    }
    std::filesystem::create_directories(warehouse_ / "db" / "nometa" / "metadata");
  }
  void TearDown() override { std::filesystem::remove_all(warehouse_); }

  std::filesystem::path warehouse_;
  std::shared_ptr<const io::FileIO> file_io_ = std::make_shared<io::FileIO>();
};

}  // namespace

TEST_F(HadoopCatalogTest, LoadsAndLists) {
  const HadoopCatalog catalog(file_io_, warehouse_.string() + "/");
  EXPECT_EQ(*catalog.LoadTable({"db"}, "orders"), warehouse_.string() + "/db/orders/metadata/v1.metadata.json");
  EXPECT_EQ(*catalog.LoadTable({"db", "nested"}, "deep"), warehouse_.string() + "/db/nested/deep/metadata/v1.metadata.json");
  EXPECT_THAT(*catalog.ListTables({"db"}), testing::ElementsAre("Lines", "orders"));
  EXPECT_THAT(*catalog.ListNamespaces({}), testing::ElementsAre("db"));
  EXPECT_THAT(*catalog.ListNamespaces({"db"}), testing::ElementsAre("nested", "nometa"));
}

TEST_F(HadoopCatalogTest, UnknownNamesAreNotFoundWithNearOnes) {
  const HadoopCatalog catalog(file_io_, warehouse_.string());
  const auto error = catalog.LoadTable({"db"}, "order").status();
  EXPECT_EQ(KindOf(error), ErrorKind::kNotFound);
  EXPECT_THAT(error.message(), testing::HasSubstr("no such table: db.order (did you mean orders?)"));
  EXPECT_THAT(catalog.LoadTable({"db"}, "lines").status().message(), testing::HasSubstr("did you mean Lines?"));
  EXPECT_EQ(KindOf(catalog.LoadTable({"nodb"}, "x").status()), ErrorKind::kNotFound);
  EXPECT_EQ(KindOf(catalog.ListTables({"nodb"}).status()), ErrorKind::kNotFound);
}

TEST_F(HadoopCatalogTest, NamesNeverLeaveTheWarehouse) {
  const HadoopCatalog catalog(file_io_, warehouse_.string());
  EXPECT_EQ(KindOf(catalog.LoadTable({".."}, "x").status()), ErrorKind::kInvalidArgument);
  EXPECT_EQ(KindOf(catalog.LoadTable({"db"}, "../x").status()), ErrorKind::kInvalidArgument);
  EXPECT_EQ(KindOf(catalog.LoadTable({"db"}, "").status()), ErrorKind::kInvalidArgument);
}

}  // namespace vecruntime::catalog
