// SPDX-License-Identifier: Apache-2.0
#include "vecruntime/iceberg/type.h"

#include <arrow/type.h>
#include <gtest/gtest.h>

#include "vecruntime/base/error.h"

namespace vecruntime::iceberg {

TEST(Type, ParsesEveryPrimitiveAndPrintsItBack) {
  for (const char* text : {"boolean", "int", "long", "float", "double", "date", "time", "timestamp", "timestamptz", "timestamp_ns",
                           "timestamptz_ns", "string", "uuid", "binary", "unknown", "variant", "geometry", "geography", "fixed[16]",
                           "decimal(38, 10)"}) {
    const auto type = Type::Parse(text);
    ASSERT_TRUE(type.ok()) << text;
    EXPECT_EQ((*type)->ToString(), text);
  }
  EXPECT_EQ((*Type::Parse("decimal(9,2)"))->scale(), 2);
  EXPECT_EQ((*Type::Parse("geometry(srid:3857)"))->id(), TypeId::kGeometry);
}

TEST(Type, RefusesWhatIsNoType) {
  for (const char* text : {"", "integer", "decimal", "decimal(39,0)", "decimal(0,0)", "decimal(9)", "decimal(9,x)", "fixed[-1]", "fixed[]",
                           "fixed[99999999999]", "decimal(9,2", "fixed[3)"}) {
    EXPECT_EQ(KindOf(Type::Parse(text).status()), ErrorKind::kCorruptData) << text;
  }
}

TEST(Type, RefusesVariantAsArrow) {
  EXPECT_EQ(KindOf(Type::Primitive(TypeId::kVariant)->ToArrow().status()), ErrorKind::kUnsupported);
}

SchemaPtr NestedSchema() {
  const TypePtr integer = Type::Primitive(TypeId::kInt);
  const TypePtr inner = Type::Struct({Field{.id = 6, .name = "x", .type = integer}});
  const TypePtr map = Type::Map(Field{.id = 4, .type = Type::Primitive(TypeId::kString)}, Field{.id = 5, .type = inner});
  const TypePtr list = Type::List(Field{.id = 3, .type = integer, .required = true});
  return std::make_shared<Schema>(
      7, std::vector<Field>{Field{.id = 1, .name = "l", .type = list}, Field{.id = 2, .name = "m", .type = map, .required = true}});
}

TEST(Schema, FindsNestedFieldsByIdWithPathAndName) {
  const SchemaPtr schema = NestedSchema();
  EXPECT_EQ(schema->FindById(6)->name, "x");
  EXPECT_EQ(schema->PathTo(6), (std::vector<FieldId>{2, 5, 6}));
  EXPECT_EQ(schema->NameOf(6), "m.value.x");
  EXPECT_EQ(schema->NameOf(3), "l.element");
  EXPECT_EQ(schema->FindById(99), nullptr);
  EXPECT_TRUE(schema->PathTo(99).empty());
  EXPECT_EQ(schema->NameOf(99), "");
}

TEST(Schema, HasAnArrowForm) {
  const auto type = NestedSchema()->as_struct()->ToArrow();
  ASSERT_TRUE(type.ok());
  EXPECT_EQ((*type)->ToString(), "struct<l: list<element: int32 not null>, m: map<string, struct<x: int32>> not null>");
}

}  // namespace vecruntime::iceberg
