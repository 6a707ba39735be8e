// SPDX-License-Identifier: Apache-2.0
#include "vecruntime/expr/function_registry.h"

#include <arrow/api.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "vecruntime/error.h"
#include "vecruntime/expr/cast/cast.h"
#include "vecruntime/expr/evaluator.h"

namespace vecruntime::expr {
namespace {

const EvalContext kContext{arrow::default_memory_pool(), "UTC", 0};

ExprPtr Column(const std::string& type) { return Expr::Column(0, "c", *ParseTypeName(type), true); }
ExprPtr Text(const std::string& text) { return Expr::Literal(std::make_shared<arrow::StringScalar>(text)); }
ExprPtr Int(int32_t value) { return Expr::Literal(std::make_shared<arrow::Int32Scalar>(value)); }

std::string ResultType(std::string_view name, std::vector<ExprPtr> arguments) {
  const auto bound = BindCall(name, std::move(arguments), kContext);
  return bound.ok() ? TypeName(*(*bound)->type()) : bound.status().message();
}

// The value of a constant call as CAST AS STRING shows it, or the error.
std::string Value(std::string_view name, std::vector<ExprPtr> arguments) {
  const auto bound = BindCall(name, std::move(arguments), kContext);
  if (!bound.ok()) return bound.status().message();
  const auto value = Evaluate(**bound, {}, columnar::Selection::All(1), kContext);
  return value.ok() ? ScalarText(*value->scalar()) : value.status().message();
}

TEST(FunctionRegistry, DecimalResultTypesAreSparks) {
  EXPECT_EQ(ResultType("+", {Column("decimal(10,2)"), Column("decimal(12,4)")}), "decimal(13,4)");
  EXPECT_EQ(ResultType("*", {Column("decimal(38,18)"), Int(2)}), "decimal(38,16)");
  EXPECT_EQ(ResultType("*", {Column("decimal(38,18)"), Column("int")}), "decimal(38,7)");
  EXPECT_EQ(ResultType("/", {Column("decimal(10,2)"), Column("decimal(10,2)")}), "decimal(23,13)");
  EXPECT_EQ(ResultType("%", {Column("decimal(10,2)"), Column("decimal(5,4)")}), "decimal(5,4)");
  EXPECT_EQ(ResultType("div", {Column("decimal(10,2)"), Column("int")}), "bigint");
  EXPECT_EQ(ResultType("+", {Column("decimal(10,2)"), Column("float")}), "double");
}

TEST(FunctionRegistry, OperandsMeetAsInAnsiMode) {
  EXPECT_EQ(ResultType("+", {Column("tinyint"), Column("smallint")}), "smallint");
  EXPECT_EQ(ResultType("+", {Column("int"), Column("float")}), "double");
  EXPECT_EQ(ResultType("/", {Column("int"), Column("int")}), "double");
  EXPECT_EQ(ResultType("+", {Column("int"), Column("string")}), "bigint");
  EXPECT_EQ(ResultType("-", {Column("date"), Column("date")}), "interval day");
  EXPECT_EQ(ResultType("-", {Column("timestamp"), Column("date")}), "interval day to second");
  EXPECT_EQ(ResultType("+", {Column("date"), Column("int")}), "date");
  EXPECT_THAT(ResultType("+", {Column("string"), Column("string")}), testing::StartsWith("[DATATYPE_MISMATCH."));
  EXPECT_THAT(ResultType("=", {Column("boolean"), Column("int")}), testing::StartsWith("[DATATYPE_MISMATCH."));
  EXPECT_THAT(ResultType("=", {Column("map<string,int>"), Column("map<string,int>")}), testing::StartsWith("[DATATYPE_MISMATCH."));
}

TEST(FunctionRegistry, RefusesByNameAndByArity) {
  EXPECT_EQ(KindOf(BindCall("uuid", {}, kContext).status()), ErrorKind::kUnsupported);
  EXPECT_EQ(KindOf(BindCall("rand", {}, kContext).status()), ErrorKind::kUnsupported);
  EXPECT_THAT(ResultType("upper", {}), testing::StartsWith("[WRONG_NUM_ARGS."));
  EXPECT_TRUE(IsScalarFunction("UPPER"));
}

TEST(FunctionRegistry, TypeNamesReadBack) {
  for (const char* name : {"boolean", "decimal(38,18)", "timestamp_ntz", "array<map<string,struct<a:int,b:array<date>>>>", "interval day",
                           "interval year to month", "void", "time(6)", "timestamptz_ns"}) {
    EXPECT_EQ(TypeName(**ParseTypeName(name)), name);
  }
  for (const char* name : {"", "decimal(39,0)", "decimal(5,6)", "array<int", "struct<a>", "int int", "map<int>"}) {
    EXPECT_FALSE(ParseTypeName(name).ok()) << name;
  }
  std::string deep;
  for (int k = 0; k < 100000; ++k) deep += "array<";
  EXPECT_FALSE(ParseTypeName(deep).ok());
}

TEST(FunctionRegistry, SubstringsCountFromBothEnds) {
  EXPECT_EQ(Value("substring", {Text("Spark SQL"), Int(5), Int(1)}), "k");
  EXPECT_EQ(Value("substring", {Text("Spark SQL"), Int(-3)}), "SQL");
  EXPECT_EQ(Value("substring", {Text("abc"), Int(-5), Int(3)}), "a");
  EXPECT_EQ(Value("substring_index", {Text("www.apache.org"), Text("."), Int(2)}), "www.apache");
  EXPECT_EQ(Value("substring_index", {Text("www.apache.org"), Text("."), Int(-2)}), "apache.org");
  EXPECT_EQ(Value("lpad", {Text("hi"), Int(5), Text("?!")}), "?!?hi");
  EXPECT_EQ(Value("soundex", {Text("Miller")}), "M460");
}

TEST(FunctionRegistry, DigestsAndHashes) {
  EXPECT_EQ(Value("md5", {Text("Spark")}), "8cde774d6f7333752ed72cacddb05126");
  EXPECT_EQ(Value("sha1", {Text("Spark")}), "85f5955f4b27a9a4c2aab6ffe5d7189fc298b92c");
  EXPECT_EQ(Value("sha2", {Text("Spark"), Int(256)}), "529bc3b07127ecb7e53a4dcf1991d9152c24537d919178022b2c42657f79a26b");
  EXPECT_EQ(Value("crc32", {Text("Spark")}), "1557323817");
  EXPECT_EQ(Value("hex", {Int(17)}), "11");
  EXPECT_EQ(Value("base64", {Text("Spark SQL")}), "U3BhcmsgU1FM");
}

TEST(FunctionRegistry, RegularExpressionsMeanWhatJavaMeans) {
  EXPECT_EQ(Value("rlike", {Text("abc\n"), Text("abc$")}), "true");
  EXPECT_EQ(Value("rlike", {Text("a\rb"), Text("a.b")}), "false");
  EXPECT_EQ(Value("regexp_replace", {Text("100-200"), Text("(\\d+)"), Text("num")}), "num-num");
  EXPECT_EQ(Value("regexp_extract", {Text("100-200"), Text("(\\d+)-(\\d+)"), Int(2)}), "200");
  for (const char* pattern : {"(?=a)", "(a)\\1", "a++", "[a-z&&[^b]]", "(?<!a)b", "(?m)^a"}) {
    const auto bound = BindCall("rlike", {Text("a"), Text(pattern)}, kContext);
    ASSERT_TRUE(bound.ok());
    EXPECT_EQ(KindOf(Evaluate(**bound, {}, columnar::Selection::All(1), kContext).status()), ErrorKind::kUnsupported) << pattern;
  }
}

TEST(FunctionRegistry, DatetimePatterns) {
  const auto timestamp = [](const char* text) { return *BindCast(Text(text), *ParseTypeName("timestamp"), false); };
  EXPECT_EQ(Value("date_format", {timestamp("2020-02-09 03:04:05.678"), Text("yyyy/MM/dd HH:mm:ss.SSS E MMM")}), "2020/02/09 03:04:05.678 Sun Feb");
  EXPECT_EQ(Value("to_date", {Text("20200131"), Text("yyyyMMdd")}), "2020-01-31");
  EXPECT_THAT(Value("to_date", {Text("2020-13-01"), Text("yyyy-MM-dd")}), testing::StartsWith("[CANNOT_PARSE_TIMESTAMP"));
  EXPECT_EQ(Value("date_trunc", {Text("week"), timestamp("2020-02-09 03:04:05")}), "2020-02-03 00:00:00");
  EXPECT_EQ(Value("months_between", {timestamp("1997-02-28 10:30:00"), timestamp("1996-10-30")}), "3.94959677");
}

}  // namespace
}  // namespace vecruntime::expr
