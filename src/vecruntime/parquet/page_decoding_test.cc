// SPDX-License-Identifier: Apache-2.0
#include <arrow/array.h>
#include <arrow/builder.h>
#include <arrow/util/bit_util.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "vecruntime/error.h"
#include "vecruntime/parquet/column_reader.h"
#include "vecruntime/parquet/delta_decoder_internal.h"
#include "vecruntime/parquet/page_codec_internal.h"
#include "vecruntime/parquet/page_header_internal.h"
#include "vecruntime/parquet/run_decoder_internal.h"
#include "vecruntime/parquet/test_file_internal.h"

namespace vecruntime::parquet {
namespace {

using Bytes = std::vector<uint8_t>;
using columnar::Selection;
using testing::FieldWithId;
using testing::Requested;

TEST(RunDecoder, MixesRepeatedAndPackedRuns) {
  // 5 times 3, then the eight packed values 0..7 in 3 bits (Parquet Encodings.md's example).
  const Bytes bytes = {5 << 1, 3, 3, 0x88, 0xc6, 0xfa};
  RunDecoder decoder;
  decoder.Reset(bytes, 3);
  uint32_t values[13];
  ASSERT_TRUE(decoder.Read(13, values).ok());
  EXPECT_THAT(values, ::testing::ElementsAre(3, 3, 3, 3, 3, 0, 1, 2, 3, 4, 5, 6, 7));
  EXPECT_FALSE(decoder.Read(1, values).ok());
  decoder.Reset(bytes, 3);
  ASSERT_TRUE(decoder.Skip(7).ok());
  ASSERT_TRUE(decoder.Read(2, values).ok());
  EXPECT_EQ(values[0], 2u);
}

TEST(RunDecoder, BitsBecomeValidity) {
  const Bytes bytes = {3, 0b10110101, 4 << 1, 1, 2 << 1, 0};
  RunDecoder decoder;
  decoder.Reset(bytes, 1);
  uint8_t bits[3] = {0, 0, 0};
  int64_t ones = 0;
  ASSERT_TRUE(decoder.ReadBits(14, bits, 3, &ones).ok());
  EXPECT_EQ(ones, 5 + 4);
  EXPECT_EQ(bits[0] | (bits[1] << 8) | (bits[2] << 16), (0b00'1111'10110101 << 3));
}

TEST(RunDecoder, RefusesWhatIsNotThere) {
  uint32_t value = 0;
  for (const Bytes& bytes : {Bytes{}, Bytes{0x80}, Bytes{2 << 1}, Bytes{2 << 1, 9}, Bytes{0, 0, 0}, Bytes{0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff}}) {
    RunDecoder decoder;
    decoder.Reset(bytes, 3);
    EXPECT_FALSE(decoder.Read(1, &value).ok());
  }
}

TEST(DeltaDecoder, RefusesMalformedHeaders) {
  DeltaDecoder decoder;
  // Block size, miniblocks, count, first value: no miniblocks, sizes that do not divide, a block beyond reason, nothing at all.
  for (const Bytes& bytes : {Bytes{0x80, 1, 0, 1, 0}, Bytes{0x80, 1, 3, 1, 0}, Bytes{0xff, 0xff, 0xff, 0xff, 0x7f, 1, 1, 0}, Bytes{}, Bytes{0x80}}) {
    EXPECT_FALSE(decoder.Reset(bytes).ok());
  }
  const Bytes promises = {0x80, 1, 4, 100, 0};
  ASSERT_TRUE(decoder.Reset(promises).ok());
  int64_t values[100];
  EXPECT_FALSE(decoder.Read(100, values).ok());
  EXPECT_FALSE(DeltaDecoder::EncodedBytes(promises).ok());
}

TEST(DeltaDecoder, DecodesTheSpecsExample) {
  // 7, 5, 3, 1, 2, 3, 4, 5 (Parquet Encodings.md): first 7, minimum delta -2, deltas 0 0 0 3 3 3 3 in 2 bits.
  const Bytes bytes = {0x80, 1, 4, 8, 14, 3, 2, 0, 0, 0, 0b11000000, 0b00111111, 0, 0, 0, 0, 0, 0};
  DeltaDecoder decoder;
  ASSERT_TRUE(decoder.Reset(bytes).ok());
  int64_t values[8];
  ASSERT_TRUE(decoder.Skip(1).ok());
  ASSERT_TRUE(decoder.Read(7, values).ok());
  EXPECT_THAT(std::vector<int64_t>(values, values + 7), ::testing::ElementsAre(5, 3, 1, 2, 3, 4, 5));
  EXPECT_EQ(*DeltaDecoder::EncodedBytes(bytes), 18);
}

TEST(PageHeader, ParsesAsksForMoreAndRefuses) {
  // type 0, uncompressed 10, compressed 8, data header {5 values, PLAIN, RLE, RLE}.
  const Bytes bytes = {0x15, 0, 0x15, 20, 0x15, 16, 0x2c, 0x15, 10, 0x15, 0, 0x15, 6, 0x15, 6, 0, 0};
  const auto header = *ParsePageHeader(bytes);
  ASSERT_TRUE(header.has_value());
  EXPECT_EQ(header->value_count, 5);
  EXPECT_EQ(header->compressed_bytes, 8);
  EXPECT_EQ(header->header_bytes, 17);
  for (size_t length = 0; length < bytes.size(); ++length) {
    EXPECT_FALSE((*ParsePageHeader(std::span(bytes).first(length))).has_value()) << length;
  }
  Bytes negative = bytes;
  negative[3] = 19;
  EXPECT_FALSE(ParsePageHeader(negative).ok());
  const Bytes nested(1000, 0x1c);
  EXPECT_FALSE(ParsePageHeader(nested).ok());
}

TEST(PageHeader, AnOffsetIndexThatDoesNotAscendIsNone) {
  const auto index = [](uint8_t second_row) { return Bytes{0x19, 0x2c, 0x16, 8, 0x15, 2, 0x16, 0, 0, 0x16, 20, 0x15, 2, 0x16, second_row, 0, 0}; };
  EXPECT_EQ(ParseOffsetIndex(index(10), 100, 1000).size(), 2u);
  EXPECT_TRUE(ParseOffsetIndex(index(0), 100, 1000).empty());
  EXPECT_TRUE(ParseOffsetIndex(index(10), 5, 1000).empty());
  EXPECT_TRUE(ParseOffsetIndex(index(10), 100, 10).empty());
}

TEST(InflatePage, RefusesBytesThatInflateToAnotherSize) {
  uint8_t out[16];
  const Bytes junk = {1, 2, 3, 4, 5, 6, 7, 8};
  for (const auto type : {arrow::Compression::SNAPPY, arrow::Compression::GZIP, arrow::Compression::ZSTD, arrow::Compression::LZ4, arrow::Compression::BROTLI}) {
    EXPECT_FALSE(InflatePage(type, junk, out).ok()) << type;
  }
}

// A file in memory that counts the bytes read from it and does not lend them.
class CountedFile : public arrow::io::RandomAccessFile {
 public:
  explicit CountedFile(std::shared_ptr<arrow::Buffer> buffer) : inner_(std::move(buffer)) {}
  arrow::Result<int64_t> ReadAt(int64_t position, int64_t bytes, void* out) override {
    bytes_read += bytes;
    return inner_.ReadAt(position, bytes, out);
  }
  arrow::Result<std::shared_ptr<arrow::Buffer>> ReadAt(int64_t position, int64_t bytes) override {
    bytes_read += bytes;
    return inner_.ReadAt(position, bytes);
  }
  arrow::Result<int64_t> GetSize() override { return inner_.GetSize(); }
  arrow::Result<int64_t> Read(int64_t bytes, void* out) override { return inner_.Read(bytes, out); }
  arrow::Result<std::shared_ptr<arrow::Buffer>> Read(int64_t bytes) override { return inner_.Read(bytes); }
  arrow::Status Seek(int64_t position) override { return inner_.Seek(position); }
  arrow::Result<int64_t> Tell() const override { return inner_.Tell(); }
  arrow::Status Close() override { return inner_.Close(); }
  bool closed() const override { return inner_.closed(); }

  int64_t bytes_read = 0;

 private:
  arrow::io::BufferReader inner_;
};

std::shared_ptr<arrow::Buffer> LongColumn(int64_t rows) {
  arrow::Int64Builder builder;
  for (int64_t i = 0; i < rows; ++i) (void)builder.Append(i * 2654435761 % 1000003);
  const auto table = arrow::Table::Make(arrow::schema({FieldWithId("c", arrow::int64(), 7)}), {*builder.Finish()});
  const auto properties = ::parquet::WriterProperties::Builder().disable_dictionary()->data_pagesize(64 * 1024)->enable_write_page_index()->build();
  return testing::WriteFile(*table, rows, properties);
}

TEST(FlatColumnReader, PagesWithoutLiveRowsAreNotRead) {
  const auto buffer = LongColumn(1'000'000);
  const auto source = std::make_shared<CountedFile>(buffer);
  const auto file = *ParquetFile::Open(source, "memory.parquet", {});
  auto reader = *ColumnReader::Make(file, Requested(7, iceberg::Type::Primitive(iceberg::TypeId::kLong)), arrow::default_memory_pool());
  source->bytes_read = 0;
  Selection rows = Selection::None(1'000'000);
  rows.Revive(3);
  rows.Revive(900'000);
  const auto array = *reader->Read(rows);
  EXPECT_EQ(static_cast<const arrow::Int64Array&>(*array).Value(900'000), int64_t{900'000} * 2654435761 % 1000003);
  EXPECT_LT(source->bytes_read, buffer->size() / 5);
}

TEST(FlatColumnReader, SequentialReadsReadEachByteOnce) {
  const auto buffer = LongColumn(1'000'000);
  const auto source = std::make_shared<CountedFile>(buffer);
  const auto file = *ParquetFile::Open(source, "memory.parquet", {});
  auto reader = *ColumnReader::Make(file, Requested(7, iceberg::Type::Primitive(iceberg::TypeId::kLong)), arrow::default_memory_pool());
  source->bytes_read = 0;
  for (int64_t row = 0; row < 1'000'000; row += 50'000) {
    const auto array = *reader->Read(Selection::All(50'000, {row}));
    EXPECT_EQ(static_cast<const arrow::Int64Array&>(*array).Value(7), (row + 7) * 2654435761 % 1000003);
  }
  EXPECT_LE(source->bytes_read, buffer->size());
}

TEST(FlatColumnReader, RangesThatDoNotAscendAreRefused) {
  const auto file = *testing::OpenBuffer(LongColumn(1000));
  auto reader = *ColumnReader::Make(file, Requested(7, iceberg::Type::Primitive(iceberg::TypeId::kLong)), arrow::default_memory_pool());
  ASSERT_TRUE(reader->Read(Selection::All(10, {100})).ok());
  EXPECT_EQ(KindOf(reader->Read(Selection::All(10, {105})).status()), ErrorKind::kInternal);
}

}  // namespace
}  // namespace vecruntime::parquet
