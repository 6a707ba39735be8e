// SPDX-License-Identifier: Apache-2.0
// Plans before and after the rules, as trees.
#include "vecruntime/sql/rules.h"

#include <arrow/result.h>
#include <arrow/type.h>
#include <gtest/gtest.h>

#include "vecruntime/sql/binder.h"
#include "vecruntime/sql/parser.h"

namespace vecruntime::sql {
namespace {

class NamedRelation : public Relation {
 public:
  const std::shared_ptr<arrow::Schema>& schema() const override { return schema_; }
  int visible_columns() const override { return 3; }
  const std::string& name() const override { return name_; }
  arrow::Result<std::unique_ptr<exec::Source>> Scan(const ScanRequest&) override { return arrow::Status::NotImplemented("not run"); }

 private:
  std::shared_ptr<arrow::Schema> schema_ = arrow::schema(
      {arrow::field("a", arrow::int32()), arrow::field("b", arrow::utf8()), arrow::field("c", arrow::int64()), arrow::field("_pos", arrow::int64())});
  std::string name_ = "t";
};

class NamedResolver : public RelationResolver {
 public:
  arrow::Result<std::shared_ptr<Relation>> Resolve(const TableReference&) override { return std::make_shared<NamedRelation>(); }
};

std::string Plan(const std::string& sql, bool push_down = true) {
  NamedResolver resolver;
  const expr::EvalContext eval{.pool = arrow::default_memory_pool()};
  const auto query = ParseQuery(sql);
  if (!query.ok()) return query.status().ToString();
  const auto plan = BindQuery(**query, sql, &resolver, eval);
  if (!plan.ok()) return plan.status().ToString();
  return "\n" + ToString(*Optimize(*plan, eval, push_down));
}

TEST(Rules, CountReadsNoColumn) {
  EXPECT_EQ(Plan("SELECT count(*) FROM t"), R"(
Aggregate keys=[] calls=[count(*)]
  Scan t columns=[]
)");
}

TEST(Rules, FiltersReachTheScan) {
  EXPECT_EQ(Plan("SELECT b FROM t WHERE a > 1 + 1"), R"(
Project [b]
  Scan t columns=[a, b] filter=(a > 2)
)");
  EXPECT_EQ(Plan("SELECT x FROM (SELECT a + 1 AS x, b FROM t ORDER BY b) WHERE x > 1"), R"(
Project [x]
  Sort keys=[b ASC NULLS FIRST]
    Project [(a + 1) AS x, b]
      Scan t columns=[a, b] filter=((a + 1) > 1)
)");
}

TEST(Rules, WithoutPushDownAFilterStays) {
  EXPECT_EQ(Plan("SELECT b FROM t WHERE a > 1", false), R"(
Project [b]
  Filter (a > 1)
    Scan t columns=[a, b, c]
)");
}

TEST(Rules, FiltersStopAtLimits) {
  EXPECT_EQ(Plan("SELECT a FROM (SELECT a FROM t LIMIT 5) WHERE a > 1"), R"(
Filter (a > 1)
  Limit limit=5
    Scan t columns=[a]
)");
  EXPECT_EQ(Plan("SELECT a FROM (SELECT a FROM t ORDER BY a LIMIT 5) WHERE a > 1"), R"(
Filter (a > 1)
  TopN keys=[a ASC NULLS FIRST] limit=5
    Scan t columns=[a]
)");
}

TEST(Rules, FiltersOnKeysPassAggregates) {
  EXPECT_EQ(Plan("SELECT b, n FROM (SELECT b, count(*) AS n FROM t GROUP BY b) WHERE b = 'x' AND n > 1"), R"(
Project [b, count(1) AS n]
  Filter (count(1) > 1)
    Aggregate keys=[b] calls=[count(*)]
      Scan t columns=[b] filter=(b = 'x')
)");
  // A conjunct after one that stays, stays too; and a global aggregate has a row even over none.
  EXPECT_EQ(Plan("SELECT n FROM (SELECT b, count(*) AS n FROM t GROUP BY b) WHERE n > 1 AND b = 'x'"), R"(
Project [count(1) AS n]
  Filter ((count(1) > 1) AND (b = 'x'))
    Aggregate keys=[b] calls=[count(*)]
      Scan t columns=[b]
)");
}

TEST(Rules, LimitMeetsSort) {
  EXPECT_EQ(Plan("SELECT b FROM t ORDER BY a DESC LIMIT 3 OFFSET 2"), R"(
Project [b]
  TopN keys=[a DESC NULLS LAST] limit=3 offset=2
    Project [b, a]
      Scan t columns=[a, b]
)");
  EXPECT_EQ(Plan("SELECT b FROM (SELECT b FROM t LIMIT 10 OFFSET 1) LIMIT 20 OFFSET 3"), R"(
Limit limit=7 offset=4
  Scan t columns=[b]
)");
}

TEST(Rules, FalseReadsNothing) {
  EXPECT_EQ(Plan("SELECT count(*) FROM t WHERE 1 = 2"), R"(
Aggregate keys=[] calls=[count(*)]
  Values rows=0
)");
  EXPECT_EQ(Plan("SELECT a FROM t WHERE 1 = 1 AND a > 1"), R"(
Scan t columns=[a] filter=(a > 1)
)");
}

TEST(Rules, UnusedAggregatesAndColumnsGo) {
  EXPECT_EQ(Plan("SELECT n FROM (SELECT b, count(*) AS n, sum(a) AS s FROM t GROUP BY b)"), R"(
Project [count(1) AS n]
  Aggregate keys=[b] calls=[count(*)]
    Scan t columns=[b]
)");
}

TEST(Rules, ProjectsMergeUnlessTheyWouldComputeTwice) {
  EXPECT_EQ(Plan("SELECT x FROM (SELECT a + 1 AS x FROM t)"), R"(
Project [(a + 1) AS x]
  Scan t columns=[a]
)");
  EXPECT_EQ(Plan("SELECT x + x AS y FROM (SELECT a + 1 AS x FROM t)"), R"(
Project [(x + x) AS y]
  Project [(a + 1) AS x]
    Scan t columns=[a]
)");
}

TEST(Rules, UnionBranchesAreFilteredAndPruned) {
  EXPECT_EQ(Plan("SELECT x FROM (SELECT a AS x, b FROM t UNION ALL SELECT a, b FROM t) WHERE x > 1"), R"(
Union
  Project [a AS x]
    Scan t columns=[a] filter=(a > 1)
  Scan t columns=[a] filter=(a > 1)
)");
}

}  // namespace
}  // namespace vecruntime::sql
