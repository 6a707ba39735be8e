// SPDX-License-Identifier: Apache-2.0
#include "vecruntime/parquet/parquet_file.h"

#include <arrow/json/from_string.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <parquet/file_writer.h>

#include <cmath>
#include <random>

#include "vecruntime/error.h"
#include "vecruntime/parquet/test_file_internal.h"

namespace vecruntime::parquet {
namespace {

using iceberg::Type;
using iceberg::TypeId;
using iceberg::Value;
using testing::FieldWithId;
using testing::OpenBuffer;
using testing::Requested;
using testing::WriteFile;
using ::testing::HasSubstr;

std::shared_ptr<arrow::Table> TableOf(const std::shared_ptr<arrow::Field>& field, const std::string& json) {
  return arrow::Table::Make(arrow::schema({field}), {*arrow::json::ArrayFromJSONString(field->type(), json)});
}

std::optional<ColumnStatistics> StatisticsOf(const std::shared_ptr<arrow::DataType>& type, const std::string& json, iceberg::TypePtr requested) {
  const auto file = *OpenBuffer(WriteFile(*TableOf(FieldWithId("c", type, 7), json), 1000));
  return file->Statistics(0, Requested(7, std::move(requested)));
}

TEST(ParquetFile, RowGroupsCoverTheFileAndIdsNameItsColumns) {
  const auto file = *OpenBuffer(WriteFile(*TableOf(FieldWithId("c", arrow::int32(), 7), "[1,2,3,4,5]"), 2));
  EXPECT_EQ(file->num_rows(), 5);
  ASSERT_EQ(file->row_groups().size(), 3u);
  EXPECT_EQ(file->row_groups()[2], (base::FileRowRange{{4}, {5}}));
  EXPECT_TRUE(file->HasField(7));
  EXPECT_FALSE(file->HasField(8));
}

TEST(ParquetFile, AFileWithoutIdsHasFieldsOnlyByNameMapping) {
  const auto type = arrow::struct_({arrow::field("x", arrow::int32()), arrow::field("l", arrow::list(arrow::int64()))});
  const auto buffer = WriteFile(*TableOf(arrow::field("s", type), R"([{"x":1,"l":[2]}])"), 10);
  EXPECT_TRUE((*OpenBuffer(buffer))->schema().columns().empty());
  const std::vector<iceberg::MappedField> mapping = {
      {.field_id = 1, .names = {"old", "s"}, .fields = {{.field_id = 2, .names = {"x"}},
                                                       {.field_id = 3, .names = {"l"}, .fields = {{.field_id = 4, .names = {"element"}}}}}}};
  const auto file = *OpenBuffer(buffer, mapping);
  EXPECT_EQ(file->schema().NameOf(2), "s.x");
  EXPECT_EQ(file->schema().FindById(4)->type->id(), TypeId::kLong);
}

TEST(ParquetFile, StatisticsAreInUnitsOfTheRequestedType) {
  const auto millis = StatisticsOf(arrow::timestamp(arrow::TimeUnit::MILLI), "[1577836800000, null]", Type::Primitive(TypeId::kTimestamp));
  ASSERT_TRUE(millis.has_value());
  EXPECT_EQ(millis->min, Value{int64_t{1577836800000000}});
  EXPECT_EQ(millis->max, Value{int64_t{1577836800000000}});
  EXPECT_EQ(millis->null_count, 1);
  EXPECT_EQ(millis->value_count, 2);
  const auto nanos = StatisticsOf(arrow::timestamp(arrow::TimeUnit::NANO), "[-1, 1999]", Type::Primitive(TypeId::kTimestamp));
  EXPECT_EQ(nanos->min, Value{int64_t{-1}});
  EXPECT_EQ(nanos->max, Value{int64_t{1}});
  const auto days = StatisticsOf(arrow::date32(), "[-1, 1]", Type::Primitive(TypeId::kTimestamp));
  EXPECT_EQ(days->min, Value{int64_t{-86400000000}});
}

std::vector<PageStatistics> PagesOf(const std::shared_ptr<arrow::DataType>& type, const std::string& json, iceberg::TypePtr requested,
                                    bool write_index = true) {
  ::parquet::WriterProperties::Builder properties;
  properties.data_pagesize(1)->write_batch_size(2)->disable_dictionary();  // two rows a page
  if (write_index) properties.enable_write_page_index(); else properties.disable_write_page_index();
  const auto file = *OpenBuffer(WriteFile(*TableOf(FieldWithId("c", type, 7), json), 6, properties.build()));
  return file->StatisticsByPage(static_cast<int>(file->row_groups().size()) - 1, Requested(7, std::move(requested)));
}

TEST(ParquetFile, StatisticsByPageCoverTheRowsOfTheirGroup) {
  const auto pages = PagesOf(arrow::int32(), "[0,0,0,0,0,0, 1,2,null,3,null]", Type::Primitive(TypeId::kLong));
  ASSERT_EQ(pages.size(), 3u);
  EXPECT_EQ(pages[0].rows, (base::FileRowRange{{6}, {8}}));
  EXPECT_EQ(pages[0].statistics.max, Value{int64_t{2}});
  EXPECT_EQ(pages[1].statistics.min, Value{int64_t{3}});
  EXPECT_EQ(pages[1].statistics.null_count, 1);
  EXPECT_EQ(pages[2].rows, (base::FileRowRange{{10}, {11}}));
  EXPECT_EQ(pages[2].statistics.min, std::nullopt);
  EXPECT_EQ(pages[2].statistics.null_count, pages[2].statistics.value_count);
}

TEST(ParquetFile, PageBoundsMindNaNAndSignedZero) {
  const auto pages = PagesOf(arrow::float64(), "[0.0,1.5,2.5,NaN,3.5]", Type::Primitive(TypeId::kDouble));
  ASSERT_EQ(pages.size(), 3u);
  EXPECT_TRUE(std::signbit(std::get<double>(pages[0].statistics.min->data)));
  for (const PageStatistics& page : pages) EXPECT_EQ(page.statistics.max, std::nullopt);
}

TEST(ParquetFile, NoStatisticsByPageWithoutAPageIndexOrOfAnotherType) {
  EXPECT_TRUE(PagesOf(arrow::int32(), "[1,2,3,4]", Type::Primitive(TypeId::kInt), false).empty());
  for (const PageStatistics& page : PagesOf(arrow::int32(), "[1,2,3,4]", Type::Primitive(TypeId::kString))) {
    EXPECT_EQ(page.statistics.min, std::nullopt);
  }
}

TEST(ParquetFile, StatisticsOfPromotedIntegersWiden) {
  const auto narrow = StatisticsOf(arrow::int32(), "[-5, 9]", Type::Primitive(TypeId::kLong));
  EXPECT_EQ(narrow->min, Value{int64_t{-5}});
  const auto unsigned_int = StatisticsOf(arrow::uint32(), "[1, 4294967295]", Type::Primitive(TypeId::kLong));
  EXPECT_EQ(unsigned_int->min, Value{int64_t{1}});
  EXPECT_EQ(unsigned_int->max, Value{int64_t{4294967295}});
}

TEST(ParquetFile, FloatBoundsMindSignedZeroAndNaN) {
  const auto zeros = StatisticsOf(arrow::float64(), "[0.0, 1.5]", Type::Primitive(TypeId::kDouble));
  ASSERT_TRUE(zeros->min.has_value());
  EXPECT_TRUE(std::signbit(std::get<double>(zeros->min->data)));
  EXPECT_FALSE(zeros->max.has_value());
  const auto nans = StatisticsOf(arrow::float64(), "[NaN]", Type::Primitive(TypeId::kDouble));
  EXPECT_FALSE(nans && nans->min);
}

TEST(ParquetFile, DecimalBoundsDecodeFromEveryPhysicalType) {
  for (const int precision : {5, 15, 38}) {
    const auto statistics = StatisticsOf(arrow::decimal128(precision, 2), R"(["-1.50", "2.25"])", Type::Decimal(precision, 2));
    EXPECT_EQ(statistics->min, Value{arrow::Decimal128(-150)}) << precision;
    EXPECT_EQ(statistics->max, Value{arrow::Decimal128(225)}) << precision;
  }
}

TEST(ParquetFile, PageStartsComeFromTheOffsetIndex) {
  std::vector<int64_t> values(10000);
  for (size_t i = 0; i < values.size(); ++i) values[i] = static_cast<int64_t>(i * 7919);
  arrow::Int64Builder builder;
  ASSERT_TRUE(builder.AppendValues(values).ok());
  const auto table = arrow::Table::Make(arrow::schema({FieldWithId("c", arrow::int64(), 7)}), {*builder.Finish()});
  const auto properties = ::parquet::WriterProperties::Builder().data_pagesize(1000)->write_batch_size(100)->disable_dictionary()->enable_write_page_index()->build();
  const auto file = *OpenBuffer(WriteFile(*table, 6000, properties));
  const auto starts = *file->PageStarts(1, 7);
  ASSERT_GT(starts.size(), 10u);
  EXPECT_EQ(starts.front().value, 6000);
  EXPECT_TRUE(std::is_sorted(starts.begin(), starts.end()));
  EXPECT_LT(starts.back().value, 10000);
}

TEST(ParquetFile, DamagedFootersAreCorruptDataThatNamesTheFile) {
  const auto buffer = WriteFile(*TableOf(FieldWithId("c", arrow::utf8(), 7), R"(["a","b"])"), 1);
  for (int64_t length = 0; length < buffer->size(); ++length) {
    const auto file = OpenBuffer(arrow::SliceBuffer(buffer, 0, length));
    ASSERT_FALSE(file.ok()) << length;
    EXPECT_EQ(KindOf(file.status()), ErrorKind::kCorruptData) << file.status();
    EXPECT_THAT(file.status().message(), HasSubstr("memory.parquet"));
  }
  std::mt19937 random(11);
  for (int i = 0; i < 2000; ++i) {
    std::string bytes = buffer->ToString();
    bytes[random() % bytes.size()] ^= static_cast<char>(1 << (random() % 8));
    const auto file = OpenBuffer(arrow::Buffer::FromString(std::move(bytes)));
    if (file.ok()) (*file)->Statistics(0, Requested(7, Type::Primitive(TypeId::kString)));
  }
}

TEST(ParquetFile, AFileWithoutRowGroupsIsEmpty) {
  const auto file = *OpenBuffer(WriteFile(*TableOf(FieldWithId("c", arrow::int32(), 7), "[]"), 10));
  EXPECT_EQ(file->num_rows(), 0);
}

}  // namespace
}  // namespace vecruntime::parquet
