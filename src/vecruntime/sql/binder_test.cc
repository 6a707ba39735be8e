// SPDX-License-Identifier: Apache-2.0
// Statements from text to rows over an in-memory relation, with Spark 4.1.3's column names, rows and error classes as recorded.
#include <arrow/array.h>
#include <arrow/builder.h>
#include <arrow/record_batch.h>
#include <arrow/scalar.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "vecruntime/base/error.h"
#include "vecruntime/exec/operators.h"
#include "vecruntime/expr/evaluator.h"
#include "vecruntime/sql/statement.h"

namespace vecruntime::sql {
namespace {

using ::testing::HasSubstr;

// One batch of rows; what was asked of it is kept.
class MemoryRelation : public Relation {
 public:
  MemoryRelation(std::shared_ptr<arrow::RecordBatch> rows, int visible, std::string name) : rows_(std::move(rows)), visible_(visible), name_(std::move(name)) {}
  const std::shared_ptr<arrow::Schema>& schema() const override { return rows_->schema(); }
  int visible_columns() const override { return visible_; }
  const std::string& name() const override { return name_; }

  arrow::Result<std::unique_ptr<exec::Source>> Scan(const ScanRequest& request) override {
    requests.push_back(request);
    columnar::Batch batch;
    arrow::FieldVector fields;
    for (const int column : request.columns) {
      batch.columns.push_back(rows_->column(column));
      fields.push_back(schema()->field(column));
    }
    batch.selection = columnar::Selection::All(rows_->num_rows());
    if (request.filter) {
      expr::EvalContext eval;
      eval.pool = arrow::default_memory_pool();
      ARROW_RETURN_NOT_OK(expr::Filter(*request.filter, batch.columns, eval, &batch.selection));
    }
    return exec::MakeBatchSource(arrow::schema(fields), {std::move(batch)}, "memory");
  }

  std::vector<ScanRequest> requests;

 private:
  std::shared_ptr<arrow::RecordBatch> rows_;
  int visible_;
  std::string name_;
};

class MemoryResolver : public RelationResolver {
 public:
  arrow::Result<std::shared_ptr<Relation>> Resolve(const TableReference& reference) override {
    references.push_back(reference);
    if (reference.parts.back() != "t") return base::NotFound("no such table: ", reference.parts.back());
    return relation;
  }
  std::shared_ptr<MemoryRelation> relation;
  std::vector<TableReference> references;
};

std::string Show(const arrow::Scalar& scalar) { return scalar.is_valid ? scalar.ToString() : "NULL"; }

struct Answer {
  std::vector<std::string> names;
  std::vector<std::string> rows;
  std::string explanation;
  arrow::Status status;
};

class BinderTest : public ::testing::TestWithParam<bool> {
 protected:
  void SetUp() override {
    // Hand-made columns: the binder needs types more than rows.
    const auto ints = [](std::vector<int32_t> values) {
      arrow::Int32Builder builder;
      EXPECT_TRUE(builder.AppendValues(values).ok());
      return builder.Finish().ValueOrDie();
    };
    arrow::StringBuilder strings;
    EXPECT_TRUE(strings.AppendValues({"x", "y", "x"}).ok());
    const auto b = strings.Finish().ValueOrDie();
    arrow::BooleanBuilder booleans;
    EXPECT_TRUE(booleans.AppendValues(std::vector<bool>{true, false, true}).ok());
    const auto bo = booleans.Finish().ValueOrDie();
    arrow::Int64Builder longs;
    EXPECT_TRUE(longs.AppendValues({2, 4, 6}).ok());
    const auto c = longs.Finish().ValueOrDie();
    const auto s = arrow::StructArray::Make({ints({1, 2, 3}), b}, std::vector<std::string>{"x", "y"}).ValueOrDie();
    const auto l = arrow::ListArray::FromArrays(*ints({0, 2, 4, 6}), *ints({1, 2, 3, 4, 5, 6})).ValueOrDie();
    const auto d = std::make_shared<arrow::Date32Array>(3, arrow::Buffer::FromVector(std::vector<int32_t>{18262, 18263, 18264}));
    const auto ts = std::make_shared<arrow::TimestampArray>(arrow::timestamp(arrow::TimeUnit::MICRO, "UTC"), 3,
                                                            arrow::Buffer::FromVector(std::vector<int64_t>{0, 1000000, 2000000}));
    const auto dbl = std::make_shared<arrow::DoubleArray>(3, arrow::Buffer::FromVector(std::vector<double>{2.5, -1, 0}));
    const auto schema = arrow::schema({arrow::field("a", arrow::int32()), arrow::field("b", arrow::utf8()), arrow::field("c", arrow::int64()),
                                       arrow::field("bo", arrow::boolean()), arrow::field("s", s->type()), arrow::field("l", l->type()),
                                       arrow::field("d", arrow::date32()), arrow::field("ts", ts->type()), arrow::field("dbl", arrow::float64()),
                                       arrow::field("_pos", arrow::int64())});
    resolver_.relation = std::make_shared<MemoryRelation>(
        arrow::RecordBatch::Make(schema, 3, {ints({1, 2, 3}), b, c, bo, s, l, d, ts, dbl, c}), 9, "ns.t");
  }

  Answer Ask(const std::string& sql, bool push_down = true) {
    Answer answer;
    answer.status = [&]() -> arrow::Status {
      PlanOptions options;
      options.push_down = push_down;
      ARROW_ASSIGN_OR_RAISE(PhysicalPlan plan, PlanStatement(sql, &resolver_, options));
      answer.names = plan.output_schema->field_names();
      answer.explanation = plan.explanation;
      base::MemoryBudget budget(1 << 30);
      exec::ExecContext context;
      context.workers = 2;
      context.batch_rows = 2;
      context.budget = &budget;
      context.eval.pool = arrow::default_memory_pool();
      for (size_t i = 0; i + 1 < plan.pipelines.size(); ++i) {
        ARROW_RETURN_NOT_OK(exec::Run(&plan.pipelines[i], context));
        ARROW_ASSIGN_OR_RAISE(plan.pipelines[i + 1].source, plan.pipelines[i].sink->AsSource());
      }
      ARROW_ASSIGN_OR_RAISE(auto reader, exec::MakeReader(std::move(plan.pipelines.back()), context));
      EXPECT_TRUE(reader->schema()->Equals(*plan.output_schema)) << reader->schema()->ToString() << "\n" << plan.output_schema->ToString();
      for (;;) {
        std::shared_ptr<arrow::RecordBatch> batch;
        ARROW_RETURN_NOT_OK(reader->ReadNext(&batch));
        if (!batch) return arrow::Status::OK();
        for (int64_t r = 0; r < batch->num_rows(); ++r) {
          std::string row;
          for (int c = 0; c < batch->num_columns(); ++c) {
            row += (c == 0 ? "" : "|") + Show(*batch->column(c)->GetScalar(r).ValueOrDie());
          }
          answer.rows.push_back(row);
        }
      }
    }();
    return answer;
  }

  MemoryResolver resolver_;
};

TEST_F(BinderTest, NamesColumnsAsSparkDoes) {
  const std::vector<std::pair<std::string, std::string>> cases = {
      {"a", "a"}, {"A", "A"}, {"t.a", "a"}, {"s.x", "x"}, {"S.X", "X"}, {"l[0]", "l[0]"}, {"a+1", "(a + 1)"}, {"a + c * 2", "(a + (c * 2))"},
      {"-a", "(- a)"}, {"+a", "(+ a)"}, {"~a", "~a"}, {"!bo", "(NOT bo)"}, {"a == 1", "(a = 1)"}, {"a != 1", "(NOT (a = 1))"},
      {"a < 1 and b > 'x' or bo", "(((a < 1) AND (b > x)) OR bo)"}, {"a between 1 and 2", "between(a, 1, 2)"},
      {"a not between 1 and 2", "(NOT between(a, 1, 2))"}, {"a in (1,2)", "(a IN (1, 2))"}, {"a not in (1, 2)", "(NOT (a IN (1, 2)))"},
      {"b like 'x%'", "b LIKE x%"}, {"b not like 'x%'", "(NOT b LIKE x%)"}, {"b like 'x%' escape '/'", "b LIKE x% ESCAPE '/'"},
      {"b ilike 'X'", "ilike(b, X)"}, {"b rlike 'x'", "RLIKE(b, x)"}, {"b like any ('a','b')", "likeany(b)"}, {"b not like all ('a','b')", "notlikeall(b)"},
      {"a is null", "(a IS NULL)"}, {"a is not null", "(a IS NOT NULL)"}, {"bo is true", "(bo <=> true)"}, {"bo is not true", "(NOT (bo <=> true))"},
      {"bo is unknown", "(bo IS NULL)"}, {"a is distinct from 1", "(NOT (a <=> 1))"}, {"1e3", "1000.0"}, {"1.5", "1.5"}, {"'a' 'b'", "ab"},
      {"null", "NULL"}, {"X'1f'", "X'1F'"}, {"date'2020-01-01'", "DATE '2020-01-01'"}, {"timestamp'2020-01-01'", "TIMESTAMP '2020-01-01 00:00:00'"},
      {"interval 1 day 2 hours", "INTERVAL '1 02' DAY TO HOUR"}, {"case when a=1 then 'x' else 'y' end", "CASE WHEN (a = 1) THEN x ELSE y END"},
      {"case a when 1 then 'x' when 2 then 'z' end", "CASE WHEN (a = 1) THEN x WHEN (a = 2) THEN z END"}, {"cast(a as string)", "a"},
      {"cast(a+1 as bigint)", "CAST((a + 1) AS BIGINT)"}, {"cast('1' as int)", "CAST(1 AS INT)"}, {"cast(s.x as string)", "CAST(s.x AS STRING)"},
      {"try_cast('x' as int)", "TRY_CAST(x AS INT)"}, {"a :: string", "a"}, {"1 :: string", "CAST(1 AS STRING)"},
      {"extract(year from d)", "extract(year FROM d)"}, {"date_part('year', d)", "date_part(year, d)"}, {"trim(both from b)", "trim(b)"},
      {"trim(leading 'x' from b)", "TRIM(LEADING x FROM b)"}, {"ltrim('x', b)", "TRIM(LEADING x FROM b)"},
      {"substring(b from 1)", "substring(b, 1, 2147483647)"}, {"position('a' in b)", "locate(a, b, 1)"}, {"position('a', b)", "position(a, b, 1)"},
      {"overlay(b placing 'z' from 1)", "overlay(b, z, 1, -1)"}, {"current_date", "current_date()"}, {"now()", "now()"}, {"count(*)", "count(1)"},
      {"COUNT(1)", "count(1)"}, {"count(distinct a, b)", "count(DISTINCT a, b)"}, {"SUM(DISTINCT a)", "sum(DISTINCT a)"},
      {"first(a, true)", "first(a)"}, {"any_value(a) ignore nulls", "any_value(a)"}, {"count(*) filter (where a > 1)", "count(1) FILTER (WHERE (a > 1))"},
      {"sum(a) / count(*)", "(sum(a) / count(1))"}, {"a || b", "concat(a, b)"}, {"a div 2", "(a div 2)"}, {"a << 1", "(a << 1)"},
      {"if(a=1, 2, 3)", "(IF((a = 1), 2, 3))"}, {"ceil(dbl)", "CEIL(dbl)"}, {"ceiling(dbl)", "ceiling(dbl)"}, {"sqrt(a)", "SQRT(a)"},
      {"pow(a, 2)", "pow(a, 2)"}, {"d + interval '1' day", "date_add(d, extractansiintervaldays(INTERVAL '1' DAY))"},
      {"d - interval '1' month", "d - INTERVAL '1' MONTH"}, {"ts + interval '1' hour", "ts + INTERVAL '01' HOUR"}, {"d + 1", "date_add(d, 1)"},
      {"d - d", "(d - d)"}, {"dateadd(day, 1, d)", "timestampadd(day, 1, d)"}, {"int(b)", "b"}, {"date('2020-01-01')", "2020-01-01"},
      {"- a + 1", "((- a) + 1)"}, {"2 - -1", "(2 - -1)"}, {"struct(a as p, b)", "struct(a AS p, b)"}, {"(1, 2)", "named_struct(col1, 1, col2, 2)"},
      {"struct(1, 'x').col1", "struct(1, x).col1"}, {"-s.x", "(- s.x)"}, {"b collate utf8_binary", "collate(b, utf8_binary)"},
  };
  for (const auto& [expression, name] : cases) {
    const auto plan = PlanStatement("SELECT " + expression + " FROM ns.t", &resolver_, {});
    ASSERT_TRUE(plan.ok()) << expression << ": " << plan.status();
    EXPECT_EQ(plan->output_schema->field(0)->name(), name) << expression;
  }
}

struct Query {
  std::string sql;
  std::vector<std::string> rows;
};

TEST_F(BinderTest, AnswersAsSparkDoes) {
  const std::string t = " FROM VALUES (1, 5), (2, 7) t(a, b) ";
  const std::string u = " FROM VALUES (1, 5), (2, 0) t(a, b) ";
  const std::vector<Query> cases = {
      // An input column wins in HAVING, an output column in ORDER BY.
      {"SELECT a AS b, count(*)" + u + "GROUP BY a, b HAVING b > 1", {"1|1"}},
      {"SELECT -a AS b, count(*)" + u + "GROUP BY a HAVING b < -1", {"-2|1"}},
      {"SELECT -a AS b, count(*)" + u + "GROUP BY a, b HAVING b < 0", {}},
      {"SELECT -a AS b, count(*)" + u + "GROUP BY a HAVING b < -1 AND sum(b) = 0", {"-2|1"}},
      {"SELECT a AS b, sum(b)" + u + "GROUP BY a HAVING sum(b) > 2", {"1|5"}},
      {"SELECT -a AS b, b AS q" + t + "ORDER BY b", {"-2|7", "-1|5"}},
      {"SELECT -a AS b, b AS q" + t + "ORDER BY b + 0", {"-2|7", "-1|5"}},
      {"SELECT -a AS a" + t + "ORDER BY t.a", {"-1", "-2"}},
      {"SELECT -b AS a, a" + t + "ORDER BY a", {"-5|1", "-7|2"}},
      {"SELECT -b AS a, -a AS a" + t + "ORDER BY a", {"-5|-1", "-7|-2"}},
      {"SELECT a, a" + t + "ORDER BY a DESC", {"2|2", "1|1"}},
      {"SELECT b AS x, a" + t + "ORDER BY t.b DESC, x", {"7|2", "5|1"}},
      {"SELECT a" + t + "ORDER BY b DESC", {"2", "1"}},
      {"SELECT a" + t + "ORDER BY ALL DESC", {"2", "1"}},
      {"SELECT a" + t + "ORDER BY 1 DESC LIMIT 1", {"2"}},
      {"SELECT a" + t + "ORDER BY a LIMIT 1 OFFSET 1", {"2"}},
      {"SELECT a" + t + "ORDER BY a OFFSET 1", {"2"}},
      {"SELECT a" + t + "ORDER BY a LIMIT 1 + 1", {"1", "2"}},
      {"SELECT a" + t + "LIMIT 0", {}},
      // GROUP BY: input columns before aliases, places, ALL, equal expressions.
      {"SELECT a + 1 AS x, count(*)" + t + "GROUP BY x ORDER BY x", {"2|1", "3|1"}},
      {"SELECT a + 1 AS x, count(*)" + t + "GROUP BY 1 ORDER BY 1", {"2|1", "3|1"}},
      {"SELECT count(*) c, a" + t + "GROUP BY ALL ORDER BY a", {"1|1", "1|2"}},
      {"SELECT count(*)" + t + "GROUP BY ALL", {"2"}},
      {"SELECT a % 2 AS a, count(*) FROM VALUES (1, 5), (3, 0) t(a, b) GROUP BY a", {"1|1", "1|1"}},
      {"SELECT 1 + a" + t + "GROUP BY a + 1 ORDER BY 1", {"2", "3"}},
      {"SELECT a + 1 + 2" + t + "GROUP BY a + 1 ORDER BY 1", {"4", "5"}},
      {"SELECT max(a) + b" + t + "GROUP BY b ORDER BY b", {"6", "9"}},
      {"SELECT 'k' AS k, count(*)" + t + "GROUP BY k", {"k|2"}},
      {"SELECT *" + t + "GROUP BY a, b ORDER BY a", {"1|5", "2|7"}},
      {"SELECT count(*), *" + t + "GROUP BY a, b ORDER BY a", {"1|1|5", "1|2|7"}},
      {"SELECT a" + t + "GROUP BY a ORDER BY sum(b) DESC, 1", {"2", "1"}},
      {"SELECT max(a)" + t + "ORDER BY max(a) + 1", {"2"}},
      {"SELECT a AS k, count(*)" + t + "GROUP BY k ORDER BY a DESC", {"2|1", "1|1"}},
      {"SELECT 1" + t + "HAVING count(*) > 1", {"1"}},
      {"SELECT sum(a) s" + t + "HAVING s > 1", {"3"}},
      {"SELECT a + 1 AS x" + t + "GROUP BY ALL HAVING x > 2", {"3"}},
      {"SELECT max(a + b) FILTER (WHERE b > 5), count(DISTINCT a)" + t, {"9|2"}},
      {"SELECT count(*) WHERE false", {"0"}},
      {"SELECT sum(a), count(*)" + t + "WHERE a > 5", {"NULL|0"}},
      {"SELECT a, count(*)" + t + "WHERE a > 5 GROUP BY a", {}},
      // Lateral aliases: input columns first.
      {"SELECT a AS b, b" + t + "ORDER BY a", {"1|5", "2|7"}},
      {"SELECT a x, x + 1 y, y + 1 z" + t + "ORDER BY x", {"1|2|3", "2|3|4"}},
      {"SELECT sum(a) s, s * 2 d, d + 1" + t + "GROUP BY b ORDER BY d", {"1|2|3", "2|4|5"}},
      // DISTINCT.
      {"SELECT DISTINCT a % 1 AS x" + t, {"0"}},
      {"SELECT DISTINCT a AS x" + t + "ORDER BY x DESC", {"2", "1"}},
      {"SELECT DISTINCT a, b" + t + "ORDER BY t.b DESC", {"2|7", "1|5"}},
      {"SELECT DISTINCT a, b" + t + "ORDER BY a + b DESC LIMIT 1", {"2|7"}},
      {"SELECT DISTINCT count(*)" + t + "GROUP BY a", {"1"}},
      // VALUES, subqueries, WITH, UNION.
      {"VALUES (1, 'a'), (2, 'b') ORDER BY col1 DESC", {"2|b", "1|a"}},
      {"SELECT * FROM VALUES 1, 2 ORDER BY 1", {"1", "2"}},
      {"SELECT x.b FROM (SELECT 1 AS a) AS x(b)", {"1"}},
      {"WITH c(z) AS (SELECT 1 AS x), d AS (SELECT z + 1 AS y FROM c) SELECT * FROM d", {"2"}},
      {"SELECT a" + t + "UNION ALL SELECT 3 ORDER BY a DESC LIMIT 2", {"3", "2"}},
      {"SELECT 1 UNION ALL SELECT 2 UNION SELECT 2 ORDER BY 1", {"1", "2"}},
      {"SELECT sum(a) FROM (SELECT a" + t + "UNION ALL SELECT a" + t + "ORDER BY a LIMIT 3)", {"4"}},
      {"SELECT a FROM (SELECT a" + t + "ORDER BY a LIMIT 1) WHERE a > 1", {}},
      {"SELECT * EXCEPT (a)" + t + "ORDER BY b", {"5", "7"}},
      {"SELECT current_date FROM (SELECT 1 AS current_date)", {"1"}},
      // Three-valued logic and the operators made here.
      {"SELECT 2 IN (1, NULL), 1 IN (1, NULL), NULL IN (1), 1 IN ('1', '2'), 1.5 IN (1, 2)", {"NULL|true|NULL|true|false"}},
      {"SELECT 'ab' NOT LIKE ANY ('a%', 'b%'), NOT 'ab' LIKE ANY ('a%', 'b%'), 'ab' LIKE ALL ('a%', '%b')", {"true|false|true"}},
      {"SELECT 2 BETWEEN 1 AND 3, NULL BETWEEN 1 AND 3, 5 NOT BETWEEN 1 AND 3", {"true|NULL|true"}},
      {"SELECT NULL IS TRUE, NULL IS NOT TRUE, NULL IS DISTINCT FROM 1", {"false|true|true"}},
      {"SELECT CASE WHEN a > 1 THEN 'big' END" + t + "ORDER BY a", {"NULL", "big"}},
      {"SELECT a FROM ns.t WHERE bo AND s.x > 1", {"3"}},
      {"SELECT s.*, l[1] FROM ns.t WHERE a = 2", {"2|y|4"}},
      {"SELECT _pos, t.a FROM ns.t WHERE _pos > 2 ORDER BY _pos DESC", {"6|3", "4|2"}},
      {"SELECT count(*) FROM t", {"3"}},
      {"SELECT count(DISTINCT *), count(*)" + t, {"2|2"}},
      {"SELECT coalesce(*), struct(*).b" + t + "ORDER BY a", {"1|5", "2|7"}},
      {"SELECT struct(s.*).y FROM t WHERE a = 2", {"y"}},
      {"SELECT * EXCEPT (a, b)" + t, {"", ""}},
      {"SELECT NULL AND true, NULL OR true", {"NULL|true"}},
      {"SELECT b, count(*), sum(c) FROM t GROUP BY b ORDER BY b", {"x|2|8", "y|1|4"}},
  };
  for (const Query& c : cases) {
    for (const bool push_down : {true, false}) {
      Answer answer = Ask(c.sql, push_down);
      ASSERT_TRUE(answer.status.ok()) << c.sql << "\n" << answer.status;
      if (c.sql.find("ORDER BY") == std::string::npos) {
        EXPECT_THAT(answer.rows, ::testing::UnorderedElementsAreArray(c.rows)) << c.sql;
      } else {
        EXPECT_EQ(answer.rows, c.rows) << c.sql << "\n" << answer.explanation;
      }
    }
  }
}

TEST_F(BinderTest, RefusesWithSparksErrorClasses) {
  const std::string t = " FROM VALUES (1, 5), (2, 7) t(a, b) ";
  const std::vector<std::pair<std::string, std::string>> cases = {
      {"SELECT zzz" + t, "[UNRESOLVED_COLUMN.WITH_SUGGESTION]"},
      {"SELECT zzz", "[UNRESOLVED_COLUMN.WITHOUT_SUGGESTION]"},
      {"SELECT u.a" + t, "[UNRESOLVED_COLUMN.WITH_SUGGESTION]"},
      {"SELECT t.a FROM (SELECT * FROM t) AS u", "[UNRESOLVED_COLUMN.WITH_SUGGESTION]"},
      {"SELECT a FROM t AS u WHERE t.a = 1", "[UNRESOLVED_COLUMN.WITH_SUGGESTION]"},
      {"SELECT a AS x" + t + "WHERE x = 1", "[UNRESOLVED_COLUMN.WITH_SUGGESTION]"},
      {"SELECT x FROM (SELECT 1 AS x, 2 AS x)", "[AMBIGUOUS_REFERENCE]"},
      {"SELECT a FROM (SELECT 1 AS a, 2 AS A)", "[AMBIGUOUS_REFERENCE]"},
      {"SELECT a" + t + "WHERE NULL", "[DATATYPE_MISMATCH.FILTER_NOT_BOOLEAN]"},
      {"SELECT CASE WHEN NULL THEN 1 END", "[DATATYPE_MISMATCH"},
      {"SELECT abs(*)" + t, "[WRONG_NUM_ARGS"},
      {"SELECT a + *" + t, "[INVALID_USAGE_OF_STAR_OR_REGEX]"},
      {"SELECT a AS b, sum(b)" + t + "GROUP BY a ORDER BY sum(b)", "[AMBIGUOUS_REFERENCE]"},
      {"SELECT a x, b x, x + 1 y" + t, "[AMBIGUOUS_LATERAL_COLUMN_ALIAS]"},
      {"SELECT a, count(*)" + t, "[MISSING_GROUP_BY]"},
      {"SELECT a" + t + "HAVING a > 1", "[MISSING_GROUP_BY]"},
      {"SELECT a, b" + t + "GROUP BY a", "[MISSING_AGGREGATION]"},
      {"SELECT a + 1 AS x, count(*) + a" + t + "GROUP BY ALL", "[MISSING_AGGREGATION]"},
      {"SELECT a" + t + "GROUP BY 3", "[GROUP_BY_POS_OUT_OF_RANGE]"},
      {"SELECT a" + t + "GROUP BY -1", "[GROUP_BY_POS_OUT_OF_RANGE]"},
      {"SELECT count(*)" + t + "GROUP BY 1", "[GROUP_BY_POS_AGGREGATE]"},
      {"SELECT b, count(*) AS n" + t + "GROUP BY n", "[GROUP_BY_AGGREGATE]"},
      {"SELECT a" + t + "ORDER BY 2", "[ORDER_BY_POS_OUT_OF_RANGE]"},
      {"SELECT a" + t + "WHERE sum(a) = 1", "[INVALID_WHERE_CONDITION]"},
      {"SELECT sum(sum(a))" + t, "[NESTED_AGGREGATE_FUNCTION]"},
      {"SELECT a" + t + "ORDER BY count(*)", "[UNSUPPORTED_EXPR_FOR_OPERATOR]"},
      {"SELECT DISTINCT a AS x" + t + "ORDER BY a", "[UNRESOLVED_COLUMN.WITH_SUGGESTION]"},
      {"SELECT DISTINCT a + 1" + t + "ORDER BY a + 1", "[UNRESOLVED_COLUMN.WITH_SUGGESTION]"},
      {"SELECT DISTINCT a" + t + "ORDER BY b", "[UNRESOLVED_COLUMN.WITH_SUGGESTION]"},
      {"SELECT DISTINCT a, count(*)" + t + "GROUP BY a ORDER BY count(*)", "[UNSUPPORTED_EXPR_FOR_OPERATOR]"},
      {"SELECT a" + t + "WHERE a", "[DATATYPE_MISMATCH.FILTER_NOT_BOOLEAN]"},
      {"SELECT a" + t + "LIMIT -1", "[INVALID_LIMIT_LIKE_EXPRESSION.IS_NEGATIVE]"},
      {"SELECT a" + t + "LIMIT 'x'", "[INVALID_LIMIT_LIKE_EXPRESSION.DATA_TYPE]"},
      {"SELECT a" + t + "LIMIT a", "[INVALID_LIMIT_LIKE_EXPRESSION.IS_UNFOLDABLE]"},
      {"SELECT 1 UNION ALL SELECT 1, 2", "[NUM_COLUMNS_MISMATCH]"},
      {"SELECT date'2020-13-01'", "[INVALID_TYPED_LITERAL]"},
      {"SELECT z.*" + t, "[CANNOT_RESOLVE_STAR_EXPAND]"},
      {"SELECT * EXCEPT (zz)" + t, "[UNRESOLVED_COLUMN.WITH_SUGGESTION]"},
      {"SELECT nofunc(a)" + t, "[UNRESOLVED_ROUTINE]"},
      {"SELECT count()" + t, "count"},
      {"SELECT a" + t + "TIMESTAMP AS OF '2020'", "PARSE_SYNTAX_ERROR"},
      {"SELECT a FROM t TIMESTAMP AS OF 'x'", "[INVALID_TIME_TRAVEL_TIMESTAMP_EXPR]"},
      {"SELECT a FROM t TIMESTAMP AS OF a", "[UNRESOLVED_COLUMN"},
      {"SELECT l, count(*) FROM VALUES (map('a', 1)) v(l) GROUP BY l", "INVALID_ORDERING_TYPE"},
  };
  for (const auto& [sql, message] : cases) {
    const Answer answer = Ask(sql);
    ASSERT_FALSE(answer.status.ok()) << sql;
    EXPECT_THAT(answer.status.message(), HasSubstr(message)) << sql;
    EXPECT_THAT(answer.status.message(), HasSubstr("(line 1, column ")) << sql;
  }
}

TEST_F(BinderTest, SuggestsNearNames) {
  EXPECT_THAT(Ask("SELECT dbll FROM t").status.message(), HasSubstr("[`dbl`"));
  EXPECT_THAT(Ask("SELECT uper(b) FROM t").status.message(), HasSubstr("`upper`"));
}

TEST_F(BinderTest, PassesTimeTravelToTheResolver) {
  ASSERT_TRUE(Ask("SELECT a FROM ns.t VERSION AS OF 'br'").status.ok());
  EXPECT_EQ(resolver_.references.back().version, "br");
  ASSERT_TRUE(Ask("SELECT a FROM ns.t VERSION AS OF 17").status.ok());
  EXPECT_EQ(resolver_.references.back().version, "17");
  ASSERT_TRUE(Ask("SELECT a FROM ns.t TIMESTAMP AS OF '1970-01-01 00:00:02'").status.ok());
  EXPECT_EQ(resolver_.references.back().timestamp_us, 2000000);
  ASSERT_TRUE(Ask("SELECT a FROM ns.t FOR SYSTEM_TIME AS OF TIMESTAMP'1970-01-01 00:00:02' + INTERVAL 1 SECOND").status.ok());
  EXPECT_EQ(resolver_.references.back().timestamp_us, 3000000);
  EXPECT_EQ(KindOf(Ask("SELECT a FROM nosuch").status), ErrorKind::kNotFound);
}

TEST_F(BinderTest, AsksScansForWhatIsNeededOnly) {
  const auto columns = [&](const std::string& sql, bool push_down = true) {
    EXPECT_TRUE(Ask(sql, push_down).status.ok()) << sql;
    return resolver_.relation->requests.back().columns;
  };
  const auto filter = [&] { return resolver_.relation->requests.back().filter; };
  EXPECT_EQ(columns("SELECT count(*) FROM t"), std::vector<int>{});
  EXPECT_EQ(columns("SELECT b FROM t"), std::vector<int>{1});
  EXPECT_EQ(columns("SELECT * FROM t").size(), 9u);
  EXPECT_EQ(columns("SELECT c FROM t ORDER BY a"), (std::vector<int>{0, 2}));
  EXPECT_EQ(columns("SELECT count(*) FROM t WHERE a > 1"), std::vector<int>{0});
  ASSERT_NE(filter(), nullptr);
  EXPECT_EQ(columns("SELECT x FROM (SELECT a + 1 AS x, b FROM t) WHERE x > 1 + 1"), std::vector<int>{0});
  ASSERT_NE(filter(), nullptr);
  EXPECT_EQ(columns("SELECT _pos FROM t", false).size(), 10u);
  EXPECT_EQ(columns("SELECT a FROM t WHERE a > 1", false).size(), 9u);
  EXPECT_EQ(filter(), nullptr);
  EXPECT_EQ(columns("SELECT a FROM t WHERE true"), std::vector<int>{0});
  EXPECT_EQ(filter(), nullptr);
}

TEST_F(BinderTest, RunsWhatIsAsDeepAsAllowed) {
  constexpr int kLevels = 200;
  std::string calls = "a";
  std::string sum = "a";
  std::string query = "SELECT a FROM t";
  for (int i = 0; i < kLevels; ++i) {
    calls = "abs(" + calls + ")";
    sum += " + 0";
    if (i % 2 == 0) query = "SELECT a FROM (" + query + ")";  // two levels each: the parenthesis and the query
  }
  EXPECT_THAT(Ask("SELECT " + calls + ", " + sum + " FROM t WHERE " + calls + " = 2 GROUP BY ALL HAVING " + sum + " = 2").rows, ::testing::ElementsAre("2|2"));
  EXPECT_EQ(Ask(query + " WHERE a > 2").rows, std::vector<std::string>{"3"});
  std::string disjunction = "a = 2";
  for (int i = 0; i < 5000; ++i) disjunction += " OR a = " + std::to_string(i + 10);
  EXPECT_EQ(Ask("SELECT a FROM t WHERE " + disjunction).rows, std::vector<std::string>{"2"});
}

TEST_F(BinderTest, BoundsWhatAStatementUnfoldsTo) {
  std::string with = "WITH c0 AS (SELECT 1 AS x)";
  for (int i = 1; i < 40; ++i) {
    const std::string before = "c" + std::to_string(i - 1);
    with += ", c" + std::to_string(i) + " AS (SELECT * FROM " + before + " UNION ALL SELECT * FROM " + before + ")";
  }
  EXPECT_THAT(Ask(with + " SELECT * FROM c39").status.message(), HasSubstr("query blocks"));
  std::string select = "SELECT 1 AS x0";
  for (int i = 1; i < 60; ++i) {
    const std::string before = "x" + std::to_string(i - 1);
    select += ", " + before + " + " + before + " AS x" + std::to_string(i);
  }
  EXPECT_THAT(Ask(select).status.message(), HasSubstr("too large"));
}

}  // namespace
}  // namespace vecruntime::sql
