// SPDX-License-Identifier: Apache-2.0
#include "vecruntime/iceberg/schema_json.h"

#include <gtest/gtest.h>

#include "vecruntime/base/error.h"
#include "vecruntime/iceberg/json_node.h"

namespace vecruntime::iceberg {
namespace {

arrow::Result<SchemaPtr> Parse(std::string_view text) {
  ARROW_ASSIGN_OR_RAISE(const auto document, JsonDocument::Parse(text));
  return ParseSchema(document->root());
}

arrow::Result<Value> ParseAs(const char* type, std::string_view text) {
  ARROW_ASSIGN_OR_RAISE(const auto document, JsonDocument::Parse(text));
  return ParseValue(**Type::Parse(type), document->root());
}

}  // namespace

TEST(SchemaJson, ReadsNestedTypesAndDefaults) {
  const auto schema = Parse(R"json({"type":"struct","schema-id":3,"identifier-field-ids":[1],"fields":[
    {"id":1,"name":"id","required":true,"type":"long","doc":"key"},
    {"id":2,"name":"l","required":false,"type":{"type":"list","element-id":3,"element-required":true,"element":"decimal(9,2)"}},
    {"id":4,"name":"m","required":false,"type":{"type":"map","key-id":5,"key":"string","value-id":6,"value-required":false,
      "value":{"type":"struct","fields":[{"id":7,"name":"x","required":false,"type":"date"}]}}},
    {"id":8,"name":"c","required":false,"type":"string","initial-default":"US","write-default":"CA"}]})json");
  ASSERT_TRUE(schema.ok()) << schema.status();
  EXPECT_EQ((*schema)->schema_id(), 3);
  EXPECT_EQ((*schema)->identifier_field_ids(), std::vector<FieldId>{1});
  EXPECT_EQ((*schema)->as_struct()->ToString(),
            "struct<1: id: required long, 2: l: optional list<decimal(9, 2)>, 4: m: optional map<string, struct<7: x: optional date>>, "
            "8: c: optional string>");
  EXPECT_EQ((*schema)->FindById(8)->initial_default, Value{std::string("US")});
  EXPECT_EQ((*schema)->FindById(8)->write_default, Value{std::string("CA")});
  EXPECT_EQ((*schema)->FindById(1)->doc, "key");
}

TEST(SchemaJson, NamesThePlaceOfTheFault) {
  const auto bad_type = Parse(R"({"fields":[{"id":1,"name":"a","required":true,"type":"int"},{"id":2,"name":"b","required":true,"type":"integer"}]})");
  EXPECT_EQ(KindOf(bad_type.status()), ErrorKind::kCorruptData);
  EXPECT_EQ(bad_type.status().message(), "unknown type: integer at $.fields[1].type");
  EXPECT_EQ(Parse(R"({"fields":[{"id":1,"name":"a","required":true}]})").status().message(), "missing field type at $.fields[0]");
  EXPECT_FALSE(Parse(R"({"fields":[{"id":1,"name":"a","required":true,"type":"int"},{"id":1,"name":"b","required":true,"type":"int"}]})").ok());
  EXPECT_FALSE(Parse(R"({"fields":[{"id":99999999999,"name":"a","required":true,"type":"int"}]})").ok());
  EXPECT_FALSE(Parse(R"([])").ok());
}

TEST(SchemaJson, ReadsEverySingleValue) {
  const std::tuple<const char*, const char*, Value> cases[] = {
      {"boolean", "true", Value{true}},
      {"int", "-3", Value{-3}},
      {"long", "9223372036854775807", Value{std::numeric_limits<int64_t>::max()}},
      {"float", "1.5", Value{1.5f}},
      {"double", "2", Value{2.0}},
      {"decimal(9,2)", "\"-14.20\"", Value{arrow::Decimal128(-1420)}},
      {"date", "\"1969-12-31\"", Value{-1}},
      {"date", "\"+10000-01-01\"", Value{2932897}},
      {"time", "\"22:31:08.123456\"", Value{int64_t{81068123456}}},
      {"time", "\"22:31\"", Value{int64_t{81060000000}}},
      {"timestamp", "\"2017-11-16T22:31:08.123456\"", Value{int64_t{1510871468123456}}},
      {"timestamptz", "\"2017-11-16T22:31:08+00:00\"", Value{int64_t{1510871468000000}}},
      {"timestamptz", "\"2017-11-16T23:31:08+01:00\"", Value{int64_t{1510871468000000}}},
      {"timestamp_ns", "\"2017-11-16T22:31:08.123456789\"", Value{int64_t{1510871468123456789}}},
      {"uuid", "\"f79c3e09-677c-4bbd-a479-3f349cb785e7\"", Value{*UuidBytes("f79c3e09-677c-4bbd-a479-3f349cb785e7")}},
      {"fixed[2]", "\"00fF\"", Value{std::string("\0\xff", 2)}},
      {"binary", "\"\"", Value{std::string()}},
  };
  for (const auto& [type, text, value] : cases) {
    const auto parsed = ParseAs(type, text);
    ASSERT_TRUE(parsed.ok()) << type << " " << text << parsed.status();
    EXPECT_EQ(*parsed, value) << type << " " << text;
  }
}

TEST(SchemaJson, RefusesValuesThatDoNotFit) {
  const std::pair<const char*, const char*> cases[] = {
      {"int", "2147483648"},
      {"int", "\"1\""},
      {"decimal(3,2)", "\"10.00\""},
      {"decimal(9,2)", "\"1.234\""},
      {"date", "\"2017-13-01\""},
      {"date", "\"999999999-01-01\""},
      {"time", "\"24:00:00\""},
      {"timestamp", "\"2017-11-16T22:31:08+00:00\""},
      {"timestamp", "\"2017-11-16T22:31:08.1234567\""},
      {"timestamptz", "\"2017-11-16T22:31:08\""},
      {"timestamp_ns", "\"9999-01-01T00:00:00\""},
      {"uuid", "\"x\""},
      {"fixed[2]", "\"00\""},
      {"binary", "\"0\""},
      {"variant", "1"},
      {"boolean", "1"},
  };
  for (const auto& [type, text] : cases) EXPECT_EQ(KindOf(ParseAs(type, text).status()), ErrorKind::kCorruptData) << type << " " << text;
}

TEST(SchemaJson, ReadsNestedValues) {
  const TypePtr integer = Type::Primitive(TypeId::kInt);
  const TypePtr type = Type::Struct({
      Field{.id = 1, .name = "l", .type = Type::List(Field{.id = 2, .type = integer})},
      Field{.id = 3, .name = "m", .type = Type::Map(Field{.id = 4, .type = integer}, Field{.id = 5, .type = integer})},
      Field{.id = 6, .name = "d", .type = integer, .initial_default = Value{34}},
  });
  const auto document = JsonDocument::Parse(R"({"1":[1,null],"3":{"keys":[1],"values":[2]}})");
  const auto value = ParseValue(*type, (*document)->root());
  ASSERT_TRUE(value.ok()) << value.status();
  EXPECT_EQ(ToString(*type, *value), "{l=[1, null], m={1=2}, d=34}");
  const auto uneven = JsonDocument::Parse(R"({"3":{"keys":[1],"values":[]}})");
  EXPECT_FALSE(ParseValue(*type, (*uneven)->root()).ok());
}

TEST(JsonNode, LastDuplicateWinsAndNullIsAbsent) {
  const auto document = JsonDocument::Parse(R"({"a":1,"b":null,"a":2})");
  EXPECT_EQ(*(*document)->root().Get<int32_t>("a"), 2);
  EXPECT_FALSE((*document)->root().Find("b").has_value());
}

TEST(JsonNode, RefusesDeepNesting) {
  EXPECT_EQ(KindOf(JsonDocument::Parse(std::string(100'000, '[')).status()), ErrorKind::kCorruptData);
  EXPECT_EQ(KindOf(JsonDocument::Parse(std::string(300, '[') + std::string(300, ']')).status()), ErrorKind::kCorruptData);
  EXPECT_EQ(KindOf(JsonDocument::Parse("").status()), ErrorKind::kCorruptData);
}

}  // namespace vecruntime::iceberg
