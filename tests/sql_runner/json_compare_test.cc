// SPDX-License-Identifier: Apache-2.0
#include "tests/sql_runner/json_compare.h"

#include <arrow/type.h>
#include <gtest/gtest.h>

#include "tests/sql_runner/sql_test_file.h"

namespace vecruntime::sql_test {

const arrow::Schema kSchema({arrow::field("d", arrow::float64()), arrow::field("n", arrow::decimal128(10, 2))});

std::string Compare(const std::vector<std::string>& expected, const std::vector<std::string>& actual, bool ordered = false) {
  return CompareRows(expected, actual, kSchema, ordered);
}

TEST(CompareRows, DoublesAreComparedRelativelyAndDecimalsExactly) {
  EXPECT_EQ(Compare({R"({"d":1.0E10,"n":1.50})"}, {R"({"d":10000000000.1,"n":1.50})"}), "");
  EXPECT_NE(Compare({R"({"d":1.0,"n":1.50})"}, {R"({"d":1.0,"n":1.5})"}), "");
  EXPECT_NE(Compare({R"({"d":1.0,"n":1.50})"}, {R"({"d":1.00001,"n":1.50})"}), "");
  EXPECT_EQ(Compare({R"({"d":null,"n":1.5E-7})"}, {R"({"d":null,"n":0.00000015})"}), "");
  EXPECT_NE(Compare({R"({"d":null,"n":1})"}, {R"({"d":0.0,"n":1})"}), "");
}

TEST(CompareRows, CountsRowsAsAMultiset) {
  const std::string a = R"({"d":1.0,"n":1})", b = R"({"d":2.0,"n":1})";
  EXPECT_EQ(Compare({a, b, a}, {a, a, b}), "");
  EXPECT_NE(Compare({a, b, b}, {a, a, b}), "");
  EXPECT_NE(Compare({a, b}, {b, a}, true), "");
  EXPECT_NE(Compare({a}, {}), "");
  EXPECT_NE(Compare({}, {a}), "");
}

TEST(CompareRows, NamesOrderAndNestingCount) {
  EXPECT_NE(Compare({R"({"d":1.0,"n":1})"}, {R"({"n":1,"d":1.0})"}), "");
  EXPECT_NE(Compare({R"({"d":"1","n":1})"}, {R"({"d":1,"n":1})"}), "");
  EXPECT_NE(Compare({R"({"d":[1],"n":1})"}, {R"({"d":[[1]],"n":1})"}), "");
  EXPECT_EQ(Compare({R"({"d": [1, {"a": true}], "n": "\u00e9"})"}, {"{\"d\":[1,{\"a\":true}],\"n\":\"\xC3\xA9\"}"}), "");
}

TEST(ParseTestFile, ReadsEveryKindOfRecord) {
  const ParsedFile file = ParseTestFile(
      "# about\nquery\nSELECT 1\nFROM t\n----\n{\"1\":1}\n\nquery ordered\nSELECT 2\n----\n\nerror CorruptData a.parquet \"two words\"\nSELECT 3\n\n"
      "types\nSELECT 4\n----\nx int\n");
  ASSERT_EQ(file.error, "");
  ASSERT_EQ(file.records.size(), 4u);
  EXPECT_EQ(file.records[0].sql, "SELECT 1\nFROM t");
  EXPECT_EQ(file.records[1].expected.size(), 0u);
  EXPECT_EQ(file.records[2].error_texts, (std::vector<std::string>{"a.parquet", "two words"}));
  EXPECT_EQ(file.records[3].line, 15);
  EXPECT_NE(ParseTestFile("query\nSELECT 1\n\n").error, "");
  EXPECT_NE(ParseTestFile("qeury\n").error, "");
}

}  // namespace vecruntime::sql_test
