// SPDX-License-Identifier: Apache-2.0
#include <arrow/array.h>
#include <arrow/builder.h>
#include <arrow/io/memory.h>
#include <arrow/record_batch.h>
#include <arrow/type.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "cli/output/display_width.h"
#include "cli/output/json_rows.h"
#include "cli/output/row_writer.h"
#include "vecruntime/error.h"

namespace vecruntime::cli {

template <typename Builder, typename... Values>
std::shared_ptr<arrow::Array> ArrayOf(Builder&& builder, Values... values) {
  ((void)builder.Append(values), ...);
  (void)builder.AppendNull();
  return builder.Finish().ValueOrDie();
}

std::shared_ptr<arrow::RecordBatch> BatchOf(std::vector<std::pair<std::string, std::shared_ptr<arrow::Array>>> columns) {
  arrow::FieldVector fields;
  arrow::ArrayVector arrays;
  for (auto& [name, array] : columns) {
    fields.push_back(arrow::field(name, array->type()));
    arrays.push_back(array);
  }
  return arrow::RecordBatch::Make(arrow::schema(fields), arrays[0]->length(), arrays);
}

std::string Written(const WriterOptions& options, const arrow::RecordBatch& batch) {
  auto stream = arrow::io::BufferOutputStream::Create().ValueOrDie();
  auto writer = MakeRowWriter(options, stream.get()).ValueOrDie();
  EXPECT_TRUE(writer->Begin(batch.schema()).ok());
  EXPECT_TRUE(writer->Write(batch).ok());
  EXPECT_TRUE(writer->End().ok());
  return stream->Finish().ValueOrDie()->ToString();
}

TEST(Json, WritesValuesAsSparkDoes) {
  const auto batch = BatchOf({{"d", ArrayOf(arrow::DoubleBuilder(), 1e10)},
                              {"nan", ArrayOf(arrow::DoubleBuilder(), std::nan(""))},
                              {"f", ArrayOf(arrow::FloatBuilder(), 0.1f)},
                              {"n", ArrayOf(arrow::Decimal128Builder(arrow::decimal128(10, 3)), arrow::Decimal128(-50))},
                              {"bin", ArrayOf(arrow::BinaryBuilder(), "\x01\x02")},
                              {"ts", ArrayOf(arrow::TimestampBuilder(arrow::timestamp(arrow::TimeUnit::MICRO, "UTC"),
                                                                     arrow::default_memory_pool()), int64_t{-1})},
                              {"ntz", ArrayOf(arrow::TimestampBuilder(arrow::timestamp(arrow::TimeUnit::MICRO),
                                                                      arrow::default_memory_pool()), int64_t{1577836800123999})},
                              {"day", ArrayOf(arrow::Date32Builder(), 18262)},
                              {"s", ArrayOf(arrow::StringBuilder(), "a\"\\\n\x01/\xC3\xA9")},
                              {"s", ArrayOf(arrow::BooleanBuilder(), true)}});
  EXPECT_EQ(Written({.format = Format::kJson}, *batch),
            R"({"d":1.0E10,"nan":"NaN","f":0.1,"n":-0.050,"bin":"AQI=","ts":"1969-12-31T23:59:59.999Z",)"
            R"("ntz":"2020-01-01T00:00:00.123","day":"2020-01-01","s":"a\"\\\n\u0001/)" "\xC3\xA9" R"(","s":true})" "\n"
            R"({"d":null,"nan":null,"f":null,"n":null,"bin":null,"ts":null,"ntz":null,"day":null,"s":null,"s":null})" "\n");
}

TEST(Json, ShowsTimestampsInTheSessionsZone) {
  const auto batch = BatchOf({{"ts", ArrayOf(arrow::TimestampBuilder(arrow::timestamp(arrow::TimeUnit::MICRO, "UTC"),
                                                                     arrow::default_memory_pool()), int64_t{0})}});
  EXPECT_EQ(Written({.format = Format::kJson, .timezone = "+05:30"}, *batch.get()->Slice(0, 1)), "{\"ts\":\"1970-01-01T05:30:00.000+05:30\"}\n");
  EXPECT_EQ(KindOf(MakeRowWriter({.format = Format::kJson, .timezone = "Nowhere"}, nullptr).status()), ErrorKind::kInvalidArgument);
}

TEST(Csv, QuotesWhatNeedsIt) {
  const auto batch = BatchOf({{"a,b", ArrayOf(arrow::StringBuilder(), "x", "", "q\"q", "l\nl")}, {"n", ArrayOf(arrow::Int32Builder(), 1, 2, 3, 4)}});
  EXPECT_EQ(Written({.format = Format::kCsv}, *batch), "\"a,b\",n\nx,1\n\"\",2\n\"q\"\"q\",3\n\"l\nl\",4\n,\n");
}

TEST(Table, AlignsByWhatTheTerminalShows) {
  const auto batch = BatchOf({{"name", ArrayOf(arrow::StringBuilder(), "\xE4\xB8\xAD\xE6\x96\x87", "a\tb")}, {"n", ArrayOf(arrow::Int32Builder(), 1000, 2)}});
  EXPECT_EQ(Written({}, *batch),
            "┌──────┬──────┐\n"
            "│ name │    n │\n"
            "├──────┼──────┤\n"
            "│ \xE4\xB8\xAD\xE6\x96\x87 │ 1000 │\n"
            "│ a\\tb │    2 │\n"
            "│ NULL │ NULL │\n"
            "└──────┴──────┘\n"
            "3 rows\n");
}

TEST(Table, ShortensOnlyOnATerminal) {
  arrow::StringBuilder builder;
  for (int k = 0; k < 30; ++k) EXPECT_TRUE(builder.Append(std::string(100, 'x')).ok());
  const auto batch = BatchOf({{"wide", builder.Finish().ValueOrDie()}});
  const std::string shortened = Written({.terminal_columns = 40, .terminal_rows_max = 5}, *batch);
  EXPECT_THAT(shortened, ::testing::HasSubstr(std::string(35, 'x') + "…"));
  EXPECT_THAT(shortened, ::testing::HasSubstr("30 rows (first 5 shown"));
  EXPECT_THAT(Written({}, *batch), ::testing::HasSubstr(std::string(100, 'x')));
}

TEST(DisplayWidth, MalformedBytesCountOneEach) {
  EXPECT_EQ(DisplayWidth("\xFF\xC3"), 2);
  EXPECT_EQ(DisplayWidth("e\xCC\x81"), 1);
  EXPECT_EQ(CutToWidth("abcdef", 4), "abc…");
  EXPECT_EQ(Printable("\x1b[1m"), "\\x1B[1m");
}

}  // namespace vecruntime::cli
