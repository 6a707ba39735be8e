// SPDX-License-Identifier: Apache-2.0
#include "vecruntime/sql/parser.h"

#include <gtest/gtest.h>

#include "vecruntime/base/error.h"
#include "vecruntime/sql/statement.h"

namespace vecruntime::sql {
namespace {

std::string Parse(const std::string& sql) {
  const auto query = ParseQuery(sql);
  return query.ok() ? ToString(**query) : "error: " + query.status().message();
}

// The tree of one expression.
std::string ParseOne(const std::string& expression) {
  const std::string text = Parse("SELECT " + expression);
  const std::string prefix = "(select ";
  if (!text.starts_with(prefix)) return text;
  return text.substr(prefix.size(), text.size() - prefix.size() - 1);
}

struct Case {
  std::string sql;
  std::string tree;
};

TEST(Parser, FollowsSparksPrecedence) {
  const std::vector<Case> cases = {
      {"a + b * c", "(+ a (* b c))"},
      {"a - b - c", "(- (- a b) c)"},
      {"a AND b OR c AND NOT d", "(or (and a b) (and c (not d)))"},
      {"NOT a = 1 AND b", "(and (not (= a 1)) b)"},
      {"!true = false", "(not (= true false))"},
      {"1 = 1 IS NULL", "(is null (= 1 1))"},
      {"1 < 2 = true", "(= (< 1 2) true)"},
      {"1 | 2 ^ 3 & 4 << 1", "(| 1 (^ 2 (& 3 (<< 4 1))))"},
      {"2 * 3 % 4 DIV 5", "(div (% (* 2 3) 4) 5)"},
      {"1 + 2 || 3", "(|| (+ 1 2) 3)"},
      {"-a * b", "(* (negative a) b)"},
      {"- - 1", "(negative -1)"},
      {"2 -1", "(- 2 1)"},
      {"-9223372036854775808", "-9223372036854775808"},
      {"a <> 1", "(not (= a 1))"},
      {"a != 1 OR a == 2", "(or (not (= a 1)) (= a 2))"},
      {"a BETWEEN 1 AND 2 AND b", "(and (between a 1 2) b)"},
      {"a NOT BETWEEN 1 + 1 AND 2", "(not (between a (+ 1 1) 2))"},
      {"a IN (1, 2)", "(in a 1 2)"},
      {"a NOT IN (1)", "(not (in a 1))"},
      {"a LIKE 'x%' ESCAPE '/'", "(like a x% /)"},
      {"a NOT LIKE ANY ('x', 'y')", "(not like any a x y)"},
      {"a ILIKE ALL ('x')", "(ilike all a x)"},
      {"a RLIKE 'x' AND a REGEXP 'y'", "(and (rlike a x) (rlike a y))"},
      {"a IS NOT DISTINCT FROM b", "(<=> a b)"},
      {"a IS DISTINCT FROM b", "(not (<=> a b))"},
      {"a IS NOT TRUE", "(not (is true a))"},
      {"a IS UNKNOWN", "(is null a)"},
      {"a AND b AND c AND d", "(and (and a b) (and c d))"},
      {"s.x.y", "s.x.y"},
      {"f(x).y[0]", "([] (. (call f x) y) 0)"},
      {"m['k'].v", "(. ([] m k) v)"},
      {"a::bigint + 1", "(+ (cast bigint a) 1)"},
      {"CAST(a AS DECIMAL(10, 2))", "(cast DECIMAL(10, 2) a)"},
      {"TRY_CAST(a AS array<array<int>>)", "(try_cast array<array<int>> a)"},
      {"CAST(a AS INTERVAL DAY TO SECOND)", "(cast INTERVAL DAY TO SECOND a)"},
      {"CASE a WHEN 1 THEN 'x' ELSE 'y' END", "(case (= a 1) x y)"},
      {"CASE WHEN a THEN b END", "(case a b)"},
      {"EXTRACT(YEAR FROM d)", "(extract YEAR d)"},
      {"TRIM(a)", "(call TRIM a)"},
      {"TRIM(LEADING FROM a)", "(call ltrim a)"},
      {"TRIM('x' FROM a)", "(trim BOTH x a)"},
      {"SUBSTRING(a FROM 1 FOR 2)", "(call substring a 1 2)"},
      {"POSITION('x' IN a)", "(call locate x a)"},
      {"OVERLAY(a PLACING 'z' FROM 1)", "(call overlay a z 1)"},
      {"DATEADD(DAY, 1, d)", "(call timestampadd DAY 1 d)"},
      {"date_add(d, 1)", "(call date_add d 1)"},
      {"count(*)", "(call count *)"},
      {"count(DISTINCT a, b) FILTER (WHERE c)", "(call count distinct a b filter c)"},
      {"first(a) IGNORE NULLS", "(call first a true)"},
      {"transform(a, x -> x + b AND c)", "(call transform a (lambda x (and (+ x b) c)))"},
      {"zip_with(a, b, (x, y) -> x.z)", "(call zip_with a b (lambda x y x.z))"},
      {"percentile_cont(0.5) WITHIN GROUP (ORDER BY a DESC)", "(call percentile_cont a 0.5 true)"},
      {"(1, a)", "(call named_struct col1 1 a a)"},
      {"struct(a AS x, 1)", "(call named_struct x a col2 1)"},
      {"current_date", "(call current_date)"},
  };
  for (const Case& c : cases) EXPECT_EQ(ParseOne(c.sql), c.tree) << c.sql;
}

TEST(Parser, ReadsLiterals) {
  const std::vector<Case> cases = {
      {"1", "1"}, {"1L", "1"}, {"127S", "127"}, {"1.5", "1.5"}, {".5", "0.5"}, {"5.", "5"}, {"1e3", "1000.0"}, {"1.e2", "100.0"},
      {"1e7", "1.0E7"}, {"1.5F", "1.5"}, {"1e3BD", "1000"}, {"0.00001D", "1.0E-5"}, {"99999999999999999999", "99999999999999999999"},
      {"'it''s'", "it's"}, {"'it\\'s'", "it's"}, {"\"a\"\"b\"", "a\"b"}, {"'\\u0041\\101\\%\\_\\z\\\\'", "AA\\%\\_z\\"},
      {"r'a\\n'", "a\\n"}, {"'a' \"b\" 'c'", "abc"}, {"X'1f'", "X'1F'"}, {"x'123'", "X'0123'"}, {"DATE '2020-01-01'", "date'2020-01-01'"},
      {"TIMESTAMP_LTZ'2020'", "timestamp'2020'"}, {"INTERVAL '1' DAY", "INTERVAL '1' DAY"},
      {"INTERVAL 1 DAY 2 HOURS", "INTERVAL '1 02' DAY TO HOUR"}, {"INTERVAL '1 day'", "INTERVAL '1' DAY"},
      {"INTERVAL '1-2' YEAR TO MONTH", "INTERVAL '1-2' YEAR TO MONTH"}, {"INTERVAL -'1-2' YEAR TO MONTH", "INTERVAL '-1-2' YEAR TO MONTH"},
      {"INTERVAL '1 02:03:04.5' DAY TO SECOND", "INTERVAL '1 02:03:04.5' DAY TO SECOND"},
      {"INTERVAL 1.5 SECONDS", "INTERVAL '01.5' SECOND"}, {"INTERVAL 1 WEEK", "INTERVAL '7' DAY"},
      {"INTERVAL 3 MICROSECONDS", "INTERVAL '00.000003' SECOND"}, {"INTERVAL '10' MINUTE '3' SECOND", "INTERVAL '10:03' MINUTE TO SECOND"},
      {"INTERVAL -1 DAY", "INTERVAL '-1' DAY"}, {"INTERVAL 1 MONTH 2 YEARS", "INTERVAL '2-1' YEAR TO MONTH"}, {"interval", "interval"},
      {"'\\uD83D\\uDE00\\uD83Dx\\U0001F600'", "\xF0\x9F\x98\x80?x\xF0\x9F\x98\x80"}, {"\xC3\xA9t", "\xC3\xA9t"}, {"1a", "1a"}, {"null", "NULL"}, {"TRUE", "true"},
  };
  for (const Case& c : cases) EXPECT_EQ(ParseOne(c.sql), c.tree) << c.sql;
}

TEST(Parser, ReadsQueries) {
  const std::vector<Case> cases = {
      {"SELECT DISTINCT a x, b AS `my col` FROM ns.t AS u WHERE a > 1",
       "(select-distinct (as a x) (as b my col) (from ns.t as u) (where (> a 1)))"},
      {"SELECT * EXCEPT (a, b.c), t.* FROM t", "(select (except * a b.c) t.* (from t))"},
      {"SELECT a FROM '/data/t'", "(select a (from '/data/t'))"},
      {"SELECT a FROM `/data/t` VERSION AS OF 12", "(select a (from '/data/t' version 12))"},
      {"SELECT a FROM t FOR SYSTEM_VERSION AS OF 'br' u", "(select a (from t version br as u))"},
      {"SELECT a FROM t TIMESTAMP AS OF '2020-01-01' WHERE b", "(select a (from t timestamp 2020-01-01) (where b))"},
      {"SELECT a FROM t FOR SYSTEM_TIME AS OF CAST('x' AS TIMESTAMP)", "(select a (from t timestamp (cast TIMESTAMP x)))"},
      {"SELECT a, count(*) FROM t GROUP BY ALL HAVING count(*) > 1 ORDER BY 2 DESC NULLS LAST, a LIMIT 10 OFFSET 5",
       "(select a (call count *) (from t) (group ALL) (having (> (call count *) 1))) (order 2 desc nulls-last) (order a asc) (limit 10) (offset 5)"},
      {"WITH c(z) AS (SELECT 1), d AS (SELECT 2) SELECT z FROM c", "(with c (select 1)) (with d (select 2)) (select z (from c))"},
      {"SELECT a FROM (SELECT 1 a) x(b)", "(select a (from (select (as 1 a)) as x b))"},
      {"VALUES (1, 'a'), (2, 'b')", "(values (1 a) (2 b))"},
      {"SELECT * FROM VALUES 1, 2 AS v(x)", "(select * (from (values (1) (2)) as v x))"},
      {"SELECT 1 UNION ALL SELECT 2 UNION SELECT 3 ORDER BY 1", "(union (select 1) all (select 2) distinct (select 3)) (order 1 asc)"},
      {"(SELECT 1 LIMIT 1) UNION ALL (SELECT 2)", "(union (select 1) (limit 1) all (select 2))"},
      {"SELECT order, date, end FROM t", "(select order date end (from t))"},
      {"SELECT a LIMIT ALL; ", "(select a)"},
      {"SELECT /* a /* b */ c */ 1 -- end", "(select 1)"},
      {"SELECT a FROM t.`files` ", "(select a (from t.files))"},
  };
  for (const Case& c : cases) EXPECT_EQ(Parse(c.sql), c.tree) << c.sql;
}

struct Refusal {
  std::string sql;
  ErrorKind kind;
  std::string message;   // part of it
  std::string position;  // "line 1, column 8"
};

TEST(Parser, RefusesByNameAndPosition) {
  const ErrorKind invalid = ErrorKind::kInvalidArgument;
  const ErrorKind unsupported = ErrorKind::kUnsupported;
  const std::vector<Refusal> cases = {
      {"", invalid, "empty statement", "line 1, column 1"},
      {"SELEC 1", invalid, "'SELEC'", "line 1, column 1"},
      {"SELECT a,\n  FROM t", invalid, "'FROM'", "line 2, column 3"},
      {"SELECT (1", invalid, "end of input", "line 1, column 10"},
      {"SELECT 1)", invalid, "')'", "line 1, column 9"},
      {"SELECT 'abc", invalid, "string literal is not closed", "line 1, column 8"},
      {"SELECT `abc", invalid, "identifier is not closed", "line 1, column 8"},
      {"SELECT 1 /* x", invalid, "UNCLOSED_BRACKETED_COMMENT", "line 1, column 10"},
      {"SELECT 1; SELECT 2", invalid, "'SELECT'", "line 1, column 11"},
      {"SELECT a b c FROM t", invalid, "'c'", "line 1, column 12"},
      {"SELECT 128Y", invalid, "tinyint", "line 1, column 8"},
      {"SELECT 1e400", invalid, "double", "line 1, column 8"},
      {"SELECT 12345678901234567890123456789012345678901", invalid, "DECIMAL_PRECISION_EXCEEDS_MAX_PRECISION", "line 1, column 8"},
      {"SELECT INTERVAL 1 MONTH 1 DAY", invalid, "Cannot mix", "line 1, column 8"},
      {"SELECT INTERVAL '1.5' DAY", invalid, "fractional", "line 1, column 8"},
      {"SELECT INTERVAL '1 25' DAY TO HOUR", invalid, "range", "line 1, column 8"},
      {"SELECT a IS NOT NULL IS TRUE FROM t", invalid, "'IS'", "line 1, column 22"},
      {"SELECT a LIKE 'x' ESCAPE 'ab'", invalid, "INVALID_ESCAPE_CHAR", "line 1, column 26"},
      {"SELECT a FROM t WHERE a IN ()", invalid, "')'", "line 1, column 29"},
      {"SELECT a FROM t LIMIT 1 LIMIT 2", invalid, "'LIMIT'", "line 1, column 25"},
      {"WITH c AS (SELECT 1), C AS (SELECT 2) SELECT 1", invalid, "DUPLICATED_CTE_DEFINITIONS_NAMES", "line 1, column 23"},
      {"SELECT $a", invalid, "unexpected character", "line 1, column 8"},
      {"SELECT '\xC3\xA9\xC3\xA9', )", invalid, "')'", "line 1, column 14)\n  SELECT '\xC3\xA9\xC3\xA9', )\n               ^"},
      {"SELECT a FROM t JOIN u ON true", unsupported, "JOIN", "line 1, column 17"},
      {"SELECT a FROM t, u", unsupported, "join", "line 1, column 16"},
      {"SELECT sum(a) OVER (PARTITION BY b) FROM t", unsupported, "window functions", "line 1, column 15"},
      {"SELECT a FROM t WHERE a IN (SELECT 1)", unsupported, "IN with a subquery", "line 1, column 25"},
      {"SELECT a FROM t WHERE EXISTS (SELECT 1)", unsupported, "EXISTS", "line 1, column 23"},
      {"SELECT (SELECT 1)", unsupported, "scalar subquery", "line 1, column 8"},
      {"SELECT a FROM t GROUP BY ROLLUP (a)", unsupported, "ROLLUP", "line 1, column 26"},
      {"SELECT a FROM t GROUP BY a WITH CUBE", unsupported, "CUBE", "line 1, column 28"},
      {"SELECT a FROM t GROUP BY a GROUPING SETS ((a))", unsupported, "GROUPING SETS", "line 1, column 28"},
      {"SELECT 1 INTERSECT SELECT 1", unsupported, "INTERSECT", "line 1, column 10"},
      {"SELECT mode() WITHIN GROUP (ORDER BY a)", unsupported, "WITHIN GROUP", "line 1, column 15"},
      {"SELECT a:b FROM t", unsupported, "':'", "line 1, column 9"},
      {"SELECT ?", unsupported, "parameters", "line 1, column 8"},
      {"SELECT a FROM t TABLESAMPLE (10 PERCENT)", unsupported, "TABLESAMPLE", "line 1, column 17"},
      {"SELECT a FROM range(10)", unsupported, "range", "line 1, column 15"},
      {"INSERT INTO t VALUES (1)", unsupported, "INSERT", "line 1, column 1"},
      {"MERGE INTO t USING u ON true", unsupported, "MERGE", "line 1, column 1"},
      {"CALL system.x()", unsupported, "CALL", "line 1, column 1"},
      {"DELETE FROM t", unsupported, "DELETE", "line 1, column 1"},
  };
  for (const Refusal& c : cases) {
    const auto query = ParseQuery(c.sql);
    ASSERT_FALSE(query.ok()) << c.sql;
    EXPECT_EQ(KindOf(query.status()), c.kind) << c.sql << "\n" << query.status();
    EXPECT_NE(query.status().message().find(c.message), std::string::npos) << c.sql << "\n" << query.status();
    EXPECT_NE(query.status().message().find(c.position), std::string::npos) << c.sql << "\n" << query.status();
  }
}

TEST(Parser, ShowsTheLineAndACaret) {
  const auto query = ParseQuery("SELECT a\nFROM t WHERE )");
  ASSERT_FALSE(query.ok());
  EXPECT_NE(query.status().message().find("(line 2, column 14)\n  FROM t WHERE )\n               ^"), std::string::npos) << query.status();
}

TEST(Parser, RefusesBytesThatAreNoText) {
  for (const std::string sql : {"SELECT '\xFF'", "SELECT \xC3", "SELECT 1 -- \xED\xA0\x80"}) {
    EXPECT_EQ(KindOf(ParseQuery(sql).status()), ErrorKind::kInvalidArgument);
  }
}

std::string Repeat(const std::string& text, int times) {
  std::string out;
  for (int i = 0; i < times; ++i) out += text;
  return out;
}

TEST(Parser, RefusesDeepNestingWithoutOverflow) {
  constexpr int kTimes = 10000;
  const std::vector<std::string> statements = {
      "SELECT " + Repeat("(", kTimes) + "1" + Repeat(")", kTimes),
      "SELECT " + Repeat("NOT ", kTimes) + "a",
      "SELECT " + Repeat("- ", kTimes) + "a",
      "SELECT " + Repeat("-", 1) + Repeat(" -", kTimes) + "1",
      "SELECT a" + Repeat(" + a", kTimes),
      "SELECT a" + Repeat("[0]", kTimes),
      "SELECT a" + Repeat("::int", kTimes),
      "SELECT " + Repeat("CASE WHEN a THEN ", kTimes),
      "SELECT " + Repeat("f(", kTimes),
      "SELECT " + Repeat("substring(", kTimes),
      "SELECT " + Repeat("trim(position(overlay(", kTimes),
      Repeat("(", kTimes) + "SELECT 1",
      "SELECT 1 FROM " + Repeat("(SELECT 1 FROM ", kTimes),
      "SELECT 1 FROM " + Repeat("(", kTimes) + "t",
      Repeat("WITH c AS (", kTimes) + "SELECT 1",
      "SELECT CAST(1 AS " + Repeat("array<", kTimes),
  };
  for (const std::string& statement : statements) {
    const auto query = ParseQuery(statement);
    ASSERT_FALSE(query.ok()) << statement.substr(0, 60);
    EXPECT_EQ(KindOf(query.status()), ErrorKind::kInvalidArgument) << query.status();
    EXPECT_NE(query.status().message().find("deep"), std::string::npos) << query.status();
  }
  // Long chains of AND and OR are balanced, as Spark's are, and may be long.
  EXPECT_TRUE(ParseQuery("SELECT a" + Repeat(" OR a", kTimes)).ok());
}

TEST(SplitStatements, CutsAtTopLevelSemicolons) {
  const auto statements = SplitStatements("SELECT ';' ; -- a;b\n SELECT `;`, /* ; */ 2;; \n");
  ASSERT_TRUE(statements.ok()) << statements.status();
  EXPECT_EQ(*statements, (std::vector<std::string>{"SELECT ';'", "SELECT `;`, /* ; */ 2"}));
}

}  // namespace
}  // namespace vecruntime::sql
