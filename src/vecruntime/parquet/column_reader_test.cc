// SPDX-License-Identifier: Apache-2.0
#include "vecruntime/columnar/decode.h"
#include "vecruntime/columnar/dictionary.h"
#include "vecruntime/parquet/column_reader.h"

#include <arrow/json/from_string.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <parquet/column_writer.h>
#include <parquet/file_writer.h>
#include <parquet/properties.h>

#include <random>
#include <thread>

#include "vecruntime/error.h"
#include "vecruntime/parquet/test_file_internal.h"

namespace vecruntime::parquet {
namespace {

using columnar::Selection;
using iceberg::Field;
using iceberg::Type;
using iceberg::TypeId;
using iceberg::Value;
using testing::FieldWithId;
using testing::OpenBuffer;
using testing::Requested;
using testing::WriteFile;
using ::testing::HasSubstr;

std::shared_ptr<arrow::Array> Json(const std::shared_ptr<arrow::DataType>& type, const std::string& json) {
  return *arrow::json::ArrayFromJSONString(type, json);
}

std::shared_ptr<const ParquetFile> FileOf(const std::shared_ptr<arrow::Field>& field, const std::string& json,
                                          const std::vector<iceberg::MappedField>& mapping = {}) {
  const auto table = arrow::Table::Make(arrow::schema({field}), {Json(field->type(), json)});
  return *OpenBuffer(WriteFile(*table, 1000), mapping);
}

arrow::Result<std::shared_ptr<arrow::Array>> ReadColumn(const std::shared_ptr<const ParquetFile>& file, const Field& requested) {
  std::shared_ptr<arrow::Array> arrays[2];
  for (const PageDecoder decoder : {PageDecoder::kAutomatic, PageDecoder::kLibrary}) {
    ARROW_ASSIGN_OR_RAISE(auto reader, ColumnReader::Make(file, requested, arrow::default_memory_pool(), {.decoder = decoder}));
    ARROW_ASSIGN_OR_RAISE(arrays[decoder == PageDecoder::kLibrary], reader->Read(Selection::All(file->num_rows())));
  }
  ARROW_RETURN_NOT_OK(arrays[0]->ValidateFull());
  EXPECT_TRUE(arrays[0]->Equals(arrays[1])) << arrays[0]->ToString() << arrays[1]->ToString();
  return arrays[0];
}

// The column of `json` values in `file_type`, read as `requested`, equals `expected` (default: the same JSON).
void ExpectReads(const std::shared_ptr<arrow::DataType>& file_type, const std::string& json, iceberg::TypePtr requested,
                 const std::string& expected) {
  const auto array = ReadColumn(FileOf(FieldWithId("c", file_type, 7), json), Requested(7, requested));
  ASSERT_TRUE(array.ok()) << array.status();
  const auto type = *requested->ToArrow();
  EXPECT_TRUE((*array)->Equals(Json(type, expected))) << requested->ToString() << ": " << (*array)->ToString();
}

// Widths are claims of the schema, which NULLs need not back up with bytes.
TEST(ColumnReader, NullsOfAnAbsurdWidthAreRefusedWithoutAllocating) {
  constexpr int kWidth = 1 << 28;
  const auto leaf = ::parquet::schema::PrimitiveNode::Make("c", ::parquet::Repetition::OPTIONAL, ::parquet::Type::FIXED_LEN_BYTE_ARRAY,
                                                           ::parquet::ConvertedType::NONE, kWidth, -1, -1, 7);
  const auto schema = ::parquet::schema::GroupNode::Make("schema", ::parquet::Repetition::REQUIRED, {leaf});
  const auto sink = *arrow::io::BufferOutputStream::Create();
  const auto writer = ::parquet::ParquetFileWriter::Open(sink, std::static_pointer_cast<::parquet::schema::GroupNode>(schema));
  const std::vector<int16_t> levels(100, 0);
  auto* const column = static_cast<::parquet::FixedLenByteArrayWriter*>(writer->AppendRowGroup()->NextColumn());
  column->WriteBatch(static_cast<int64_t>(levels.size()), levels.data(), nullptr, nullptr);
  writer->Close();
  const auto file = *OpenBuffer(*sink->Finish());
  auto reader = *ColumnReader::Make(file, Requested(7, Type::Fixed(kWidth)), arrow::default_memory_pool());
  const auto read = reader->Read(Selection::All(file->num_rows()));
  EXPECT_EQ(KindOf(read.status()), ErrorKind::kResourceExhausted);
  EXPECT_THAT(read.status().message(), HasSubstr("column c"));
}

TEST(ColumnReader, PromotesAsTheSpecAllows) {
  ExpectReads(arrow::int32(), "[1,null,-2]", Type::Primitive(TypeId::kLong), "[1,null,-2]");
  ExpectReads(arrow::uint32(), "[4294967295]", Type::Primitive(TypeId::kLong), "[4294967295]");
  ExpectReads(arrow::int8(), "[-3,null]", Type::Primitive(TypeId::kInt), "[-3,null]");
  ExpectReads(arrow::float32(), "[1.5,null]", Type::Primitive(TypeId::kDouble), "[1.5,null]");
  ExpectReads(arrow::decimal128(5, 2), R"(["-1.25",null])", Type::Decimal(38, 2), R"(["-1.25",null])");
  ExpectReads(arrow::date32(), "[-1,null]", Type::Primitive(TypeId::kTimestamp), R"(["1969-12-31",null])");
}

TEST(ColumnReader, ConvertsUnits) {
  ExpectReads(arrow::timestamp(arrow::TimeUnit::MILLI), "[-1,null]", Type::Primitive(TypeId::kTimestamp), "[-1000,null]");
  ExpectReads(arrow::timestamp(arrow::TimeUnit::NANO), "[-1,null]", Type::Primitive(TypeId::kTimestamp), "[-1,null]");
  ExpectReads(arrow::timestamp(arrow::TimeUnit::NANO), "[-1,null]", Type::Primitive(TypeId::kTimestampNs), "[-1,null]");
  ExpectReads(arrow::timestamp(arrow::TimeUnit::MICRO), "[-1,null]", Type::Primitive(TypeId::kTimestampNs), "[-1000,null]");
  ExpectReads(arrow::time32(arrow::TimeUnit::MILLI), "[5,null]", Type::Primitive(TypeId::kTime), "[5000,null]");
}

TEST(ColumnReader, ReadsInt96AsMicrosAndNanos) {
  const auto type = arrow::timestamp(arrow::TimeUnit::NANO);
  const auto table = arrow::Table::Make(arrow::schema({FieldWithId("c", type, 7)}), {Json(type, "[-1, 1577836800000001000, null]")});
  const auto arrow_properties = ::parquet::ArrowWriterProperties::Builder().enable_deprecated_int96_timestamps()->build();
  const auto file = *OpenBuffer(WriteFile(*table, 10, ::parquet::default_writer_properties(), arrow_properties));
  const auto micros = *ReadColumn(file, Requested(7, Type::Primitive(TypeId::kTimestampTz)));
  EXPECT_TRUE(micros->Equals(Json(micros->type(), "[-1, 1577836800000001, null]"))) << micros->ToString();
  const auto nanos = *ReadColumn(file, Requested(7, Type::Primitive(TypeId::kTimestampNs)));
  EXPECT_TRUE(nanos->Equals(Json(nanos->type(), "[-1, 1577836800000001000, null]"))) << nanos->ToString();
}

TEST(ColumnReader, ReadsDecimalsOfEveryPhysicalType) {
  for (const bool integers : {false, true}) {
    for (const int precision : {5, 15, 38}) {
      const auto type = arrow::decimal128(precision, 2);
      const auto table = arrow::Table::Make(arrow::schema({FieldWithId("c", type, 7)}), {Json(type, R"(["-1.25","0.00",null,"99.99"])")});
      auto builder = ::parquet::WriterProperties::Builder();
      if (integers) builder.enable_store_decimal_as_integer();
      const auto array = *ReadColumn(*OpenBuffer(WriteFile(*table, 10, builder.build())), Requested(7, Type::Decimal(precision, 2)));
      EXPECT_TRUE(array->Equals(table->column(0)->chunk(0))) << array->ToString();
    }
  }
}

TEST(ColumnReader, ReadsUuidFixedAndBinary) {
  ExpectReads(arrow::fixed_size_binary(16), R"(["0123456789abcdef",null])", Type::Primitive(TypeId::kUuid),
              R"(["30313233-3435-3637-3839-616263646566",null])");
  ExpectReads(arrow::fixed_size_binary(3), R"(["abc",null])", Type::Fixed(3), R"(["abc",null])");
  ExpectReads(arrow::binary(), R"(["abc",null,""])", Type::Primitive(TypeId::kString), R"(["abc",null,""])");
  ExpectReads(arrow::large_utf8(), R"(["abc",null,""])", Type::Primitive(TypeId::kBinary), R"(["abc",null,""])");
}

TEST(ColumnReader, RefusesByName) {
  const auto file = FileOf(FieldWithId("c", arrow::utf8(), 7), R"(["a"])");
  const auto variant = ReadColumn(file, Requested(7, Type::Primitive(TypeId::kVariant), "v"));
  EXPECT_EQ(KindOf(variant.status()), ErrorKind::kUnsupported) << variant.status();
  const auto narrowed = ReadColumn(file, Requested(7, Type::Primitive(TypeId::kInt), "n"));
  EXPECT_EQ(KindOf(narrowed.status()), ErrorKind::kCorruptData);
  EXPECT_THAT(narrowed.status().message(), AllOf(HasSubstr("memory.parquet"), HasSubstr("field id 7 (n)")));
}

const std::shared_ptr<arrow::DataType> kPair = arrow::struct_({FieldWithId("a", arrow::int32(), 2), FieldWithId("c", arrow::utf8(), 3)});

TEST(ColumnReader, StructMembersFollowIds) {
  const auto file = FileOf(FieldWithId("s", kPair, 1), R"([{"a":1,"c":"x"},null,{"a":null,"c":"y"}])");
  Field added = Requested(9, Type::Primitive(TypeId::kInt), "b");
  added.initial_default = Value{int32_t{42}};
  const auto type = Type::Struct({Requested(3, Type::Primitive(TypeId::kString), "renamed"), added,
                                  Requested(2, Type::Primitive(TypeId::kLong), "a"), Requested(10, Type::Primitive(TypeId::kUnknown), "u")});
  const auto array = *ReadColumn(file, Requested(1, type));
  EXPECT_TRUE(array->Equals(Json(array->type(), R"([{"renamed":"x","b":42,"a":1},null,{"renamed":"y","b":42,"a":null}])"))) << array->ToString();
  EXPECT_TRUE(static_cast<const arrow::StructArray&>(*array).field(1)->IsNull(1));
}

TEST(ColumnReader, AStructWithNoneOfItsMembersKeepsItsNulls) {
  const auto type = Type::Struct({Requested(9, Type::Primitive(TypeId::kInt), "b")});
  const auto pairs = FileOf(FieldWithId("s", kPair, 1), R"([{"a":1,"c":"x"},null,{"a":null,"c":null}])");
  const auto array = *ReadColumn(pairs, Requested(1, type));
  EXPECT_TRUE(array->Equals(Json(array->type(), R"([{"b":null},null,{"b":null}])"))) << array->ToString();

  const auto only_list = arrow::struct_({FieldWithId("l", arrow::list(FieldWithId("element", arrow::int32(), 4)), 3)});
  const auto lists = FileOf(FieldWithId("s", only_list, 1), R"([{"l":[1,2]},null,{"l":null},{"l":[]}])");
  const auto probed = *ReadColumn(lists, Requested(1, type));
  EXPECT_TRUE(probed->Equals(Json(probed->type(), R"([{"b":null},null,{"b":null},{"b":null}])"))) << probed->ToString();
}

TEST(ColumnReader, ListsAndMapsEvolveInside) {
  const auto list = FileOf(FieldWithId("l", arrow::list(FieldWithId("element", kPair, 5)), 1), R"([[{"a":1,"c":"x"},null],null,[],[{"a":2,"c":null}]])");
  const auto element = Type::Struct({Requested(9, Type::Primitive(TypeId::kInt), "b"), Requested(2, Type::Primitive(TypeId::kLong), "a")});
  const auto lists = *ReadColumn(list, Requested(1, Type::List(Requested(5, element))));
  EXPECT_TRUE(lists->Equals(Json(lists->type(), R"([[{"b":null,"a":1},null],null,[],[{"b":null,"a":2}]])"))) << lists->ToString();

  const auto map_type = std::make_shared<arrow::MapType>(FieldWithId("key", arrow::int32(), 5, false), FieldWithId("value", kPair, 6));
  const auto map = FileOf(FieldWithId("m", map_type, 1), R"([[[1,{"a":1,"c":"x"}],[2,null]],null,[]])");
  const auto added_only = Type::Struct({Requested(9, Type::Primitive(TypeId::kInt), "b")});
  const auto maps = *ReadColumn(map, Requested(1, Type::Map(Requested(5, Type::Primitive(TypeId::kLong)), Requested(6, added_only))));
  EXPECT_TRUE(maps->Equals(Json(maps->type(), R"([[[1,{"b":null}],[2,null]],null,[]])"))) << maps->ToString();
}

TEST(ColumnReader, ANestedFieldCanBeReadAlone) {
  const auto file = FileOf(FieldWithId("s", kPair, 1), R"([{"a":1,"c":"x"},null,{"a":null,"c":"y"}])");
  const auto array = *ReadColumn(file, Requested(3, Type::Primitive(TypeId::kString)));
  EXPECT_TRUE(array->Equals(Json(arrow::utf8(), R"(["x",null,"y"])"))) << array->ToString();
}

// ---- legacy lists, as Hive and old Arrow wrote them ----

using ::parquet::Repetition;
using ::parquet::schema::GroupNode;
using ::parquet::schema::NodePtr;
using ::parquet::schema::PrimitiveNode;

// One int32 leaf under `root`, written level by level.
std::shared_ptr<arrow::Buffer> WriteLeaf(NodePtr column, const std::vector<int16_t>& def_levels, const std::vector<int16_t>& rep_levels,
                                         const std::vector<int32_t>& values) {
  auto sink = *arrow::io::BufferOutputStream::Create();
  const auto root = std::static_pointer_cast<GroupNode>(GroupNode::Make("schema", Repetition::REQUIRED, {std::move(column)}));
  auto writer = ::parquet::ParquetFileWriter::Open(sink, root);
  auto* leaf = static_cast<::parquet::Int32Writer*>(writer->AppendRowGroup()->NextColumn());
  leaf->WriteBatch(static_cast<int64_t>(def_levels.size()), def_levels.data(), rep_levels.data(), values.data());
  writer->Close();
  return *sink->Finish();
}

NodePtr Int32Node(const std::string& name, Repetition::type repetition) {
  return PrimitiveNode::Make(name, repetition, ::parquet::Type::INT32);
}

NodePtr ListNode(NodePtr repeated) {
  return GroupNode::Make("l", Repetition::OPTIONAL, {std::move(repeated)}, ::parquet::ConvertedType::LIST);
}

const std::vector<iceberg::MappedField> kListMapping = {
    {.field_id = 1, .names = {"l"}, .fields = {{.field_id = 2, .names = {"element"}, .fields = {{.field_id = 3, .names = {"x"}}}}}}};

void ExpectList(const std::shared_ptr<arrow::Buffer>& buffer, iceberg::TypePtr element, const std::string& expected) {
  const auto array = ReadColumn(*OpenBuffer(buffer, kListMapping), Requested(1, Type::List(Requested(2, std::move(element)))));
  ASSERT_TRUE(array.ok()) << array.status();
  EXPECT_TRUE((*array)->Equals(Json((*array)->type(), expected))) << (*array)->ToString();
}

TEST(ColumnReader, ReadsListsOfEveryLayout) {
  const auto integer = Type::Primitive(TypeId::kInt);
  const auto hive = ListNode(GroupNode::Make("bag", Repetition::REPEATED, {Int32Node("array_element", Repetition::OPTIONAL)}));
  ExpectList(WriteLeaf(hive, {3, 2, 0, 1}, {0, 1, 0, 0}, {7}), integer, "[[7,null],null,[]]");
  const auto two_level = ListNode(Int32Node("array", Repetition::REPEATED));
  ExpectList(WriteLeaf(two_level, {2, 2, 0, 1}, {0, 1, 0, 0}, {7, 8}), integer, "[[7,8],null,[]]");
  const auto bare = Int32Node("l", Repetition::REPEATED);
  ExpectList(WriteLeaf(bare, {1, 1, 0}, {0, 1, 0}, {7, 8}), integer, "[[7,8],[]]");
}

// libparquet's writer ends a page whenever its buffer is over the limit, even before the first value.
TEST(ColumnReader, PagesWithoutValuesAreNotTheEnd) {
  const auto element = arrow::struct_({FieldWithId("a", arrow::int32(), 9), FieldWithId("b", arrow::fixed_size_binary(2), 10)});
  const auto array = Json(arrow::list(FieldWithId("element", element, 8)), R"([[], [{"a":1,"b":"xy"}], null])");
  const auto table = arrow::Table::Make(arrow::schema({FieldWithId("c", array->type(), 7)}), {array});
  const auto properties = ::parquet::WriterProperties::Builder()
                              .disable_dictionary()
                              ->encoding("c.list.element.b", ::parquet::Encoding::DELTA_BYTE_ARRAY)
                              ->data_pagesize(1)
                              ->build();
  const auto file = *OpenBuffer(WriteFile(*table, 1000, properties));
  const auto leaf = [](int id, std::string name, iceberg::TypePtr type) {
    return Field{.id = id, .name = std::move(name), .type = std::move(type)};
  };
  const auto type = Type::List({.id = 8, .name = "element", .type = Type::Struct({leaf(9, "a", Type::Primitive(TypeId::kInt)), leaf(10, "b", Type::Fixed(2))})});
  const auto read = ReadColumn(file, Requested(7, type));
  ASSERT_TRUE(read.ok()) << read.status();
  EXPECT_EQ((*read)->ToString(), Json(*type->ToArrow(), R"([[], [{"a":1,"b":"xy"}], null])")->ToString());
}

TEST(ColumnReader, ATwoLevelListOfStructsIsNoThreeLevelListOfScalars) {
  const auto avro = ListNode(GroupNode::Make("array", Repetition::REPEATED, {Int32Node("x", Repetition::OPTIONAL)}));
  ExpectList(WriteLeaf(avro, {3, 2, 0}, {0, 1, 0}, {7}), Type::Struct({Requested(3, Type::Primitive(TypeId::kInt), "x")}),
             R"([[{"x":7},{"x":null}],null])");
}

// ---- ranges and selections over every type, encoding, codec and page layout ----

struct Layout {
  arrow::Compression::type codec;
  ::parquet::ParquetDataPageVersion page_version;
  bool dictionary;
  int64_t page_bytes;
  int64_t row_group_rows;
};

std::shared_ptr<arrow::Schema> EveryType() {
  const auto nested = arrow::struct_({FieldWithId("x", arrow::int32(), 31), FieldWithId("l", arrow::list(FieldWithId("element", arrow::utf8(), 33)), 32)});
  const auto map = std::make_shared<arrow::MapType>(FieldWithId("key", arrow::utf8(), 35, false), FieldWithId("value", arrow::float64(), 36));
  return arrow::schema({
      FieldWithId("b", arrow::boolean(), 1), FieldWithId("i", arrow::int32(), 2), FieldWithId("l", arrow::int64(), 3),
      FieldWithId("f", arrow::float32(), 4), FieldWithId("d", arrow::float64(), 5), FieldWithId("dec", arrow::decimal128(20, 3), 6),
      FieldWithId("day", arrow::date32(), 7), FieldWithId("t", arrow::time64(arrow::TimeUnit::MICRO), 8),
      FieldWithId("ts", arrow::timestamp(arrow::TimeUnit::MICRO), 9), FieldWithId("s", arrow::utf8(), 10),
      FieldWithId("bin", arrow::binary(), 11), FieldWithId("rl", arrow::int64(), 12, false), FieldWithId("rs", arrow::utf8(), 13, false),
      FieldWithId("rb", arrow::boolean(), 14, false), FieldWithId("st", nested, 30), FieldWithId("m", map, 34),
      FieldWithId("ll", arrow::list(FieldWithId("element", arrow::list(FieldWithId("element", arrow::int64(), 39)), 38)), 37),
  });
}

iceberg::TypePtr RequestedType(int id) {
  switch (id) {
    case 1: case 14: return Type::Primitive(TypeId::kBoolean);
    case 2: return Type::Primitive(TypeId::kInt);
    case 3: case 12: return Type::Primitive(TypeId::kLong);
    case 4: return Type::Primitive(TypeId::kFloat);
    case 5: return Type::Primitive(TypeId::kDouble);
    case 6: return Type::Decimal(20, 3);
    case 7: return Type::Primitive(TypeId::kDate);
    case 8: return Type::Primitive(TypeId::kTime);
    case 9: return Type::Primitive(TypeId::kTimestamp);
    case 10: case 13: return Type::Primitive(TypeId::kString);
    case 11: return Type::Primitive(TypeId::kBinary);
    case 30:
      return Type::Struct({Requested(31, Type::Primitive(TypeId::kInt), "x"),
                           Requested(32, Type::List(Requested(33, Type::Primitive(TypeId::kString))), "l")});
    case 34: return Type::Map(Requested(35, Type::Primitive(TypeId::kString)), Requested(36, Type::Primitive(TypeId::kDouble)));
    default: return Type::List(Requested(38, Type::List(Requested(39, Type::Primitive(TypeId::kLong)))));
  }
}

class RandomArrays {
 public:
  explicit RandomArrays(uint32_t seed) : random_(seed) {}

  // Few distinct values make dictionaries and runs, many make plain pages.
  std::shared_ptr<arrow::Array> Make(const std::shared_ptr<arrow::DataType>& type, int64_t length, bool nullable) {
    distinct_ = Below(2) == 0 ? 5 : 1'000'000;
    auto builder = *arrow::MakeBuilder(type);
    const uint32_t null_percent = nullable ? Below(3) * 20 : 0;
    for (int64_t i = 0; i < length; ++i) Append(builder.get(), *type, null_percent);
    return *builder->Finish();
  }
  uint32_t Below(uint32_t bound) { return static_cast<uint32_t>(random_() % bound); }

 private:
  void Append(arrow::ArrayBuilder* builder, const arrow::DataType& type, uint32_t null_percent) {
    if (Below(100) < null_percent) {
      ASSERT_TRUE(builder->AppendNull().ok());
      return;
    }
    const uint32_t v = Below(distinct_);
    switch (type.id()) {
      case arrow::Type::BOOL: Put<arrow::BooleanBuilder>(builder, v % 2 == 0); break;
      case arrow::Type::INT32: Put<arrow::Int32Builder>(builder, static_cast<int32_t>(v * 2654435761u)); break;
      case arrow::Type::INT64: Put<arrow::Int64Builder>(builder, static_cast<int64_t>(v) * 1234567891011 - 77); break;
      case arrow::Type::FLOAT: Put<arrow::FloatBuilder>(builder, static_cast<float>(v) / 3); break;
      case arrow::Type::DOUBLE: Put<arrow::DoubleBuilder>(builder, -static_cast<double>(v) / 7); break;
      case arrow::Type::DECIMAL128: Put<arrow::Decimal128Builder>(builder, arrow::Decimal128(static_cast<int64_t>(v) * 98765432101 - 5)); break;
      case arrow::Type::DATE32: Put<arrow::Date32Builder>(builder, static_cast<int32_t>(v)); break;
      case arrow::Type::TIME64: Put<arrow::Time64Builder>(builder, static_cast<int64_t>(v)); break;
      case arrow::Type::TIMESTAMP: Put<arrow::TimestampBuilder>(builder, static_cast<int64_t>(v) * 1000003); break;
      case arrow::Type::STRING:
      case arrow::Type::BINARY: Put<arrow::BinaryBuilder>(builder, std::string(v % 13, 'q') + std::to_string(v)); break;
      case arrow::Type::STRUCT: AppendStruct(static_cast<arrow::StructBuilder*>(builder), type); break;
      case arrow::Type::LIST: AppendList(static_cast<arrow::ListBuilder*>(builder), type); break;
      case arrow::Type::MAP: AppendMap(static_cast<arrow::MapBuilder*>(builder), type); break;
      default: FAIL();
    }
  }

  template <typename Builder, typename T>
  void Put(arrow::ArrayBuilder* builder, T value) { ASSERT_TRUE(static_cast<Builder*>(builder)->Append(value).ok()); }

  void AppendStruct(arrow::StructBuilder* builder, const arrow::DataType& type) {
    ASSERT_TRUE(builder->Append().ok());
    for (int i = 0; i < type.num_fields(); ++i) Append(builder->field_builder(i), *type.field(i)->type(), 20);
  }
  void AppendList(arrow::ListBuilder* builder, const arrow::DataType& type) {
    ASSERT_TRUE(builder->Append().ok());
    for (uint32_t n = Below(4); n > 0; --n) Append(builder->value_builder(), *type.field(0)->type(), 20);
  }
  void AppendMap(arrow::MapBuilder* builder, const arrow::DataType& type) {
    ASSERT_TRUE(builder->Append().ok());
    const auto& map = static_cast<const arrow::MapType&>(type);
    for (uint32_t n = Below(3); n > 0; --n) {
      Append(builder->key_builder(), *map.key_type(), 0);
      Append(builder->item_builder(), *map.item_type(), 20);
    }
  }

  std::mt19937 random_;
  uint32_t distinct_ = 5;
};

std::shared_ptr<arrow::Table> RandomTable(RandomArrays* random, int64_t rows) {
  const auto schema = EveryType();
  std::vector<std::shared_ptr<arrow::Array>> columns;
  for (const auto& field : schema->fields()) columns.push_back(random->Make(field->type(), rows, field->nullable()));
  return arrow::Table::Make(schema, columns);
}

std::shared_ptr<::parquet::WriterProperties> PropertiesOf(const Layout& layout, const arrow::Schema& schema, RandomArrays* random) {
  ::parquet::WriterProperties::Builder builder;
  builder.compression(layout.codec)->data_page_version(layout.page_version)->data_pagesize(layout.page_bytes)->write_batch_size(64);
  builder.dictionary_pagesize_limit(random->Below(2) == 0 ? 300 : 1 << 20);
  if (layout.dictionary) return builder.enable_dictionary()->build();
  builder.disable_dictionary();
  using ::parquet::Encoding;
  for (const auto& field : schema.fields()) {
    std::vector<Encoding::type> choices = {Encoding::PLAIN};
    switch (field->type()->id()) {
      case arrow::Type::BOOL: choices = {Encoding::PLAIN, Encoding::RLE}; break;
      case arrow::Type::INT32:
      case arrow::Type::INT64:
      case arrow::Type::DATE32:
      case arrow::Type::TIME64:
      case arrow::Type::TIMESTAMP: choices = {Encoding::PLAIN, Encoding::DELTA_BINARY_PACKED, Encoding::BYTE_STREAM_SPLIT}; break;
      case arrow::Type::FLOAT:
      case arrow::Type::DOUBLE: choices = {Encoding::PLAIN, Encoding::BYTE_STREAM_SPLIT}; break;
      case arrow::Type::STRING:
      case arrow::Type::BINARY: choices = {Encoding::PLAIN, Encoding::DELTA_LENGTH_BYTE_ARRAY, Encoding::DELTA_BYTE_ARRAY}; break;
      case arrow::Type::DECIMAL128: choices = {Encoding::PLAIN, Encoding::BYTE_STREAM_SPLIT, Encoding::DELTA_BYTE_ARRAY}; break;
      default: break;
    }
    builder.encoding(field->name(), choices[random->Below(static_cast<uint32_t>(choices.size()))]);
  }
  return builder.build();
}

// Ascending ranges inside row groups, some rows dead, some ranges dead whole, with gaps.
std::vector<Selection> RandomSelections(const ParquetFile& file, RandomArrays* random) {
  std::vector<Selection> selections;
  const uint32_t step = 1 + random->Below(700);
  for (const base::FileRowRange group : file.row_groups()) {
    for (base::FileRow row = group.begin; row < group.end;) {
      const int64_t length = std::min<int64_t>(1 + random->Below(step), group.end - row);
      const uint32_t way = random->Below(6);
      Selection selection = way == 0 ? Selection::None(length, row) : Selection::All(length, row);
      if (way == 1) selection.KillRange(0, length / 2);
      if (way == 2) for (int64_t i = 0; i < length; ++i) if (random->Below(3) != 0) selection.Kill(i);
      if (way != 3) selections.push_back(std::move(selection));
      row = row + length;
    }
  }
  return selections;
}

void ExpectLiveValues(const std::shared_ptr<const ParquetFile>& file, int id, const arrow::Array& expected, const std::vector<Selection>& selections,
                      const std::string& trace, ColumnReaderOptions options = {}) {
  auto reader = ColumnReader::Make(file, Requested(id, RequestedType(id)), arrow::default_memory_pool(), options);
  ASSERT_TRUE(reader.ok()) << trace << reader.status();
  const auto equal_options = arrow::EqualOptions::Defaults().nans_equal(true);
  for (const Selection& selection : selections) {
    auto array = (*reader)->Read(selection);
    ASSERT_TRUE(array.ok()) << trace << array.status();
    ASSERT_TRUE((*array)->ValidateFull().ok()) << trace << (*array)->ValidateFull();
    array = columnar::Decode(*array, arrow::default_memory_pool());
    ASSERT_TRUE(array.ok()) << trace << array.status();
    ASSERT_EQ((*array)->length(), selection.length()) << trace;
    ASSERT_TRUE((*array)->ValidateFull().ok()) << trace << (*array)->ValidateFull();
    ASSERT_TRUE((*array)->type()->id() == expected.type_id()) << trace;
    selection.ForEachLive([&](int64_t i) {
      const int64_t row = selection.begin().value + i;
      ASSERT_TRUE(expected.RangeEquals(row, row + 1, i, **array, equal_options)) << trace << " column " << id << " row " << row;
    });
    if (::testing::Test::HasFatalFailure()) return;
  }
}

void CheckLayout(uint32_t seed) {
  RandomArrays random(seed);
  static constexpr arrow::Compression::type kCodecs[] = {arrow::Compression::UNCOMPRESSED, arrow::Compression::SNAPPY, arrow::Compression::GZIP,
                                                         arrow::Compression::ZSTD, arrow::Compression::LZ4, arrow::Compression::BROTLI};
  const Layout layout{.codec = kCodecs[random.Below(6)],
                      .page_version = random.Below(2) == 0 ? ::parquet::ParquetDataPageVersion::V1 : ::parquet::ParquetDataPageVersion::V2,
                      .dictionary = random.Below(2) == 0,
                      .page_bytes = 100 + random.Below(6000),
                      .row_group_rows = 1 + random.Below(3000)};
  const auto table = RandomTable(&random, 1 + random.Below(5000));
  const auto file = *OpenBuffer(WriteFile(*table, layout.row_group_rows, PropertiesOf(layout, *table->schema(), &random)));
  const std::string trace = "seed " + std::to_string(seed) + " ";
  for (int c = 0; c < table->num_columns(); ++c) {
    const int id = std::stoi(*table->schema()->field(c)->metadata()->Get("PARQUET:field_id"));
    const auto selections = RandomSelections(*file, &random);
    ExpectLiveValues(file, id, *table->column(c)->chunk(0), selections, trace + "own ");
    ExpectLiveValues(file, id, *table->column(c)->chunk(0), selections, trace + "library ", {.decoder = PageDecoder::kLibrary});
    ExpectLiveValues(file, id, *table->column(c)->chunk(0), selections, trace + "codes ", {.encoded = true});
    if (::testing::Test::HasFatalFailure()) return;
  }
}

TEST(ColumnReaderProperty, LiveValuesEqualTheWrittenOnes) {
  for (uint32_t seed = 1; seed <= 12 && !HasFatalFailure(); ++seed) CheckLayout(seed);
}

TEST(ColumnReader, TwoReadersShareOneFile) {
  RandomArrays random(99);
  const auto table = RandomTable(&random, 4000);
  const auto file = *OpenBuffer(WriteFile(*table, 1500));
  const auto read_all = [&] {
    for (int c = 0; c < table->num_columns(); ++c) {
      const int id = std::stoi(*table->schema()->field(c)->metadata()->Get("PARQUET:field_id"));
      std::vector<Selection> selections;
      for (const auto& group : file->row_groups()) selections.push_back(Selection::All(group.length(), group.begin));
      ExpectLiveValues(file, id, *table->column(c)->chunk(0), selections, "parallel");
    }
  };
  std::thread other(read_all);
  read_all();
  other.join();
}

// The arrays both decoders make of a damaged file, where they make any, are the same. Not so for damaged compressed bytes: what versions of
// a codec make of those may differ.
void ExpectAgreement(const std::shared_ptr<const ParquetFile>& file, int id, bool compressed, const std::string& trace) {
  for (const auto& group : file->row_groups()) {
    std::shared_ptr<arrow::Array> arrays[2];
    for (const PageDecoder decoder : {PageDecoder::kAutomatic, PageDecoder::kLibrary}) {
      auto reader = *ColumnReader::Make(file, Requested(id, RequestedType(id)), arrow::default_memory_pool(), {.decoder = decoder});
      const auto array = reader->Read(Selection::All(group.length(), group.begin));
      if (array.ok()) {
        arrays[decoder == PageDecoder::kLibrary] = *array;
        continue;
      }
      EXPECT_NE(KindOf(array.status()), ErrorKind::kInternal) << trace << array.status();
      EXPECT_THAT(array.status().message(), HasSubstr("memory.parquet")) << trace;
    }
    if (arrays[0] == nullptr || arrays[1] == nullptr || compressed) continue;
    ASSERT_TRUE(arrays[0]->ValidateFull().ok() || !arrays[1]->ValidateFull().ok()) << trace;
    ASSERT_TRUE(arrays[0]->Equals(arrays[1], arrow::EqualOptions::Defaults().nans_equal(true))) << trace << " column " << id;
  }
}

TEST(ColumnReader, DamagedPagesNeverCrashAndBothDecodersAgreeOnThem) {
  for (uint32_t seed = 1; seed <= 8; ++seed) {
    RandomArrays random(seed);
    const auto table = RandomTable(&random, 300);
    const Layout layout{.codec = seed % 2 == 0 ? arrow::Compression::UNCOMPRESSED : arrow::Compression::ZSTD,
                        .page_version = seed % 4 < 2 ? ::parquet::ParquetDataPageVersion::V1 : ::parquet::ParquetDataPageVersion::V2,
                        .dictionary = seed % 3 == 0, .page_bytes = 400, .row_group_rows = 200};
    const auto buffer = WriteFile(*table, layout.row_group_rows, PropertiesOf(layout, *table->schema(), &random));
    for (int round = 0; round < 60; ++round) {
      std::string bytes = buffer->ToString();
      const size_t span = bytes.size() / 2;  // the pages; footers have a test of their own
      for (int flips = 0; flips < 3; ++flips) bytes[4 + random.Below(static_cast<uint32_t>(span))] ^= static_cast<char>(1 << random.Below(8));
      const auto file = OpenBuffer(arrow::Buffer::FromString(std::move(bytes)));
      ASSERT_TRUE(file.ok()) << file.status();
      for (int id = 1; id <= 14; ++id) {
        ExpectAgreement(*file, id, seed % 2 != 0, "seed " + std::to_string(seed) + " round " + std::to_string(round) + " ");
        if (HasFatalFailure()) return;
      }
      for (const int id : {30, 34, 37}) {
        auto reader = *ColumnReader::Make(*file, Requested(id, RequestedType(id)), arrow::default_memory_pool());
        (void)reader->Read(Selection::All((*file)->row_groups()[0].length()));
      }
    }
  }
}

TEST(ColumnReader, ChecksumsTellFlippedBits) {
  arrow::StringBuilder builder;
  for (int i = 0; i < 1000; ++i) ASSERT_TRUE(builder.Append("qqqqqqqqq" + std::to_string(i)).ok());
  const auto table = arrow::Table::Make(arrow::schema({FieldWithId("s", arrow::utf8(), 10)}), {*builder.Finish()});
  const auto properties = ::parquet::WriterProperties::Builder().enable_page_checksum()->disable_dictionary()->build();
  const auto buffer = WriteFile(*table, 1000, properties);
  for (const PageDecoder decoder : {PageDecoder::kAutomatic, PageDecoder::kLibrary}) {
    const auto read = [&](const std::string& content) {
      const auto file = *OpenBuffer(arrow::Buffer::FromString(content));
      auto reader = *ColumnReader::Make(file, Requested(10, RequestedType(10)), arrow::default_memory_pool(), {.decoder = decoder});
      return reader->Read(Selection::All(1000)).status();
    };
    std::string bytes = buffer->ToString();
    EXPECT_TRUE(read(bytes).ok());
    bytes[bytes.find("qqqqqqqqq500") + 3] ^= 1;  // in the page, not in its header's statistics
    EXPECT_EQ(KindOf(read(bytes)), ErrorKind::kCorruptData);
  }
}

}  // namespace
}  // namespace vecruntime::parquet
