// SPDX-License-Identifier: Apache-2.0
#include "vecruntime/iceberg/avro_reader.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <limits>

#include "vecruntime/base/error.h"
#include "vecruntime/iceberg/avro_writer_for_test.h"
#include "vecruntime/iceberg/type.h"

namespace vecruntime::iceberg {
namespace {

constexpr char kPair[] = R"({"type":"record","name":"r","fields":[
  {"name":"n","type":["null","long"],"field-id":1},{"name":"s","type":"string","field-id":2}]})";

std::string PairData(int records) {
  AvroBytes data;
  for (int i = 0; i < records; ++i) data.Some().Long(i * 1000).Text("row " + std::to_string(i));
  return data.str();
}

/// Reads every record by skipping it; the number of records, or the error.
arrow::Result<int64_t> SkipAll(std::string_view bytes) {
  ARROW_ASSIGN_OR_RAISE(const auto file, AvroFile::Open(bytes, "x.avro"));
  int64_t records = 0;
  while (true) {
    ARROW_ASSIGN_OR_RAISE(const bool more, file->NextBlock());
    if (!more) return records;
    AvroCursor cursor = file->block();
    for (int64_t i = 0; i < file->block_records(); ++i, ++records) {
      cursor.Skip(&file->root());
      if (!cursor.ok()) return file->Error(cursor.fault(), &cursor);
    }
    if (!cursor.at_end()) return file->Error("left over");
  }
}

std::string OneField(const std::string& type) { return R"({"type":"record","name":"r","fields":[{"name":"f","type":)" + type + "}]}"; }

Value ReadOne(const std::string& type, const std::string& data) {
  const std::string bytes = AvroFileBytes(OneField(type), 1, data);
  const auto file = AvroFile::Open(bytes, "x.avro");
  EXPECT_TRUE(file.ok()) << file.status();
  EXPECT_TRUE(*(*file)->NextBlock());
  AvroCursor cursor = (*file)->block();
  Value value = cursor.ReadValue((*file)->root().fields[0].type);
  EXPECT_TRUE(cursor.ok()) << cursor.fault();
  return value;
}

}  // namespace

TEST(AvroReader, ReadsEveryCodec) {
  for (const std::string codec : {"null", "deflate", "snappy", "zstandard"}) {
    std::string bytes = AvroFileBytes(kPair, 500, PairData(500), codec);
    bytes += AvroBlock(codec, 3, PairData(3));
    const auto file = AvroFile::Open(bytes, "x.avro");
    ASSERT_TRUE(file.ok()) << codec << file.status();
    ASSERT_TRUE(*(*file)->NextBlock());
    AvroCursor cursor = (*file)->block();
    const auto& fields = (*file)->root().fields;
    for (int i = 0; i < 500; ++i) {
      ASSERT_EQ(cursor.OptionalLong(fields[0].type), i * 1000);
      ASSERT_EQ(cursor.OptionalBytes(fields[1].type), "row " + std::to_string(i));
    }
    EXPECT_TRUE(cursor.ok() && cursor.at_end());
    EXPECT_EQ(*SkipAll(bytes), 503);
  }
}

TEST(AvroReader, RefusesUnknownCodecByName) {
  const auto file = AvroFile::Open(AvroFileBytes(kPair, 1, PairData(1), "xz"), "x.avro");
  EXPECT_EQ(KindOf(file.status()), ErrorKind::kUnsupported);
  EXPECT_THAT(file.status().message(), testing::HasSubstr("xz"));
}

TEST(AvroReader, DamageIsCorruptDataWithFileAndOffset) {
  for (const std::string codec : {"null", "deflate", "snappy", "zstandard"}) {
    const std::string header = AvroHeader(kPair, codec);
    std::string bytes = header + AvroBlock(codec, 20, PairData(20));
    std::string bad_sync = bytes;
    bad_sync.back() ^= 1;
    const auto error = SkipAll(bad_sync).status();
    EXPECT_EQ(KindOf(error), ErrorKind::kCorruptData);
    EXPECT_THAT(error.message(), testing::HasSubstr("x.avro at byte " + std::to_string(header.size())));
    for (size_t cut = 0; cut < bytes.size(); ++cut) {
      if (cut == header.size()) continue;
      EXPECT_EQ(KindOf(SkipAll(bytes.substr(0, cut)).status()), ErrorKind::kCorruptData) << codec << cut;
    }
    for (size_t at = 0; at < bytes.size(); ++at) {
      std::string flipped = bytes;
      flipped[at] ^= 0x80;
      SkipAll(flipped).status().ToString();
    }
  }
  std::string bad_checksum = AvroFileBytes(kPair, 20, PairData(20), "snappy");
  bad_checksum[bad_checksum.size() - 17] ^= 1;
  EXPECT_THAT(SkipAll(bad_checksum).status().message(), testing::HasSubstr("checksum"));
}

TEST(AvroReader, CountsBeyondTheDataAreRefused) {
  EXPECT_THAT(SkipAll(AvroFileBytes(kPair, int64_t{1} << 60, PairData(2))).status().message(), testing::HasSubstr("more records"));
  EXPECT_FALSE(SkipAll(AvroFileBytes(kPair, -1, PairData(2))).ok());
  const std::string list = OneField(R"({"type":"array","items":"int"})");
  EXPECT_FALSE(SkipAll(AvroFileBytes(list, 1, AvroBytes().Long(int64_t{1} << 50).Long(1).Long(0).str())).ok());
  EXPECT_FALSE(SkipAll(AvroFileBytes(list, 1, AvroBytes().Long(std::numeric_limits<int64_t>::min()).Long(1).Long(0).str())).ok());
  const std::string nulls = OneField(R"({"type":"array","items":"null"})");
  EXPECT_FALSE(SkipAll(AvroFileBytes(nulls, 1, AvroBytes().Long(int64_t{1} << 50).Long(0).str())).ok());
  EXPECT_EQ(*SkipAll(AvroFileBytes(nulls, 1, AvroBytes().Long(1).Long(0).str())), 1);
  const std::string text = OneField("\"string\"");
  EXPECT_FALSE(SkipAll(AvroFileBytes(text, 1, AvroBytes().Long(-1).str())).ok());
  EXPECT_FALSE(SkipAll(AvroFileBytes(text, 1, AvroBytes().Long(std::numeric_limits<int64_t>::max()).str())).ok());
  EXPECT_FALSE(SkipAll(AvroFileBytes(OneField("\"long\""), 1, std::string(11, '\xff'))).ok());
}

TEST(AvroReader, SkipsNegativeBlocksMapsAndEverythingElse) {
  const std::string list = OneField(R"({"type":"array","items":"int"})");
  EXPECT_EQ(*SkipAll(AvroFileBytes(list, 1, AvroBytes().Long(-2).Long(2).Long(1).Long(2).Long(1).Long(3).Long(0).str())), 1);
  const std::string map = OneField(R"({"type":"map","values":["null","double"]})");
  EXPECT_EQ(*SkipAll(AvroFileBytes(map, 1, AvroBytes().Long(2).Text("a").Null().Text("b").Some().Raw("12345678").Long(0).str())), 1);
  const std::string mixed = R"({"type":"record","name":"ns.r","fields":[{"name":"a","type":{"type":"fixed","name":"fx","size":3}},
    {"name":"b","type":"fx"},{"name":"c","type":{"type":"enum","name":"e","symbols":["X","Y"]}},{"name":"d","type":"boolean"},
    {"name":"e","type":"float"},{"name":"f","type":{"type":"record","name":"inner","fields":[]}},{"name":"g","type":"bytes"}]})";
  EXPECT_EQ(*SkipAll(AvroFileBytes(mixed, 1, AvroBytes().Raw("abcdef").Long(1).Raw("\1").Raw("1234").Text("x").str())), 1);
}

TEST(AvroReader, RecursiveSchemasStopAtABound) {
  const std::string chain = R"({"type":"record","name":"n","fields":[{"name":"next","type":["null","n"]}]})";
  EXPECT_EQ(*SkipAll(AvroFileBytes(chain, 1, AvroBytes().Some().Some().Null().str())), 1);
  EXPECT_THAT(SkipAll(AvroFileBytes(chain, 1, std::string(100'000, '\2'))).status().message(), testing::HasSubstr("too deeply"));
  const std::string endless = R"({"type":"record","name":"n","fields":[{"name":"next","type":"n"}]})";
  EXPECT_FALSE(SkipAll(AvroFileBytes(endless, 1, "x")).ok());
}

TEST(AvroReader, RefusesBadSchemas) {
  for (const char* schema : {"", "{}", "\"int\"", "[]", R"({"type":"record","name":"r","fields":[]})",
                             R"({"type":"record","name":"r","fields":[{"name":"a","type":"mystery"}]})",
                             R"({"type":"record","name":"r","fields":[{"name":"a","type":[["null"]]}]})",
                             R"({"type":"record","name":"r","fields":[{"name":"a","type":{"type":"fixed","name":"f","size":-1}}]})"}) {
    EXPECT_EQ(KindOf(SkipAll(AvroFileBytes(schema, 1, "x")).status()), ErrorKind::kCorruptData) << schema;
  }
}

TEST(AvroReader, RecordsAreNotCopiedForALogicalType) {
  const std::string schema = R"({"type":"record","name":"r","fields":[
    {"name":"a","type":{"type":"record","name":"p","fields":[{"name":"x","type":"long"}]}},
    {"name":"b","type":{"type":"p","logicalType":"l"}}]})";
  const std::string bytes = AvroFileBytes(schema, 1, AvroBytes().Long(1).Long(2).str());
  const auto file = AvroFile::Open(bytes, "x.avro");
  ASSERT_TRUE(file.ok()) << file.status();
  EXPECT_EQ((*file)->root().fields[0].type, (*file)->root().fields[1].type);
  EXPECT_EQ(*SkipAll(bytes), 1);
}

TEST(AvroReader, ReadsPartitionValuesByLogicalType) {
  EXPECT_EQ(ReadOne(R"({"type":"int","logicalType":"date"})", AvroBytes().Long(-1).str()), Value{-1});
  EXPECT_EQ(ReadOne(R"({"type":"long","logicalType":"timestamp-micros"})", AvroBytes().Long(-1).str()), Value{int64_t{-1}});
  EXPECT_EQ(ReadOne(R"({"type":"bytes","logicalType":"decimal","precision":9,"scale":2})", AvroBytes().Text("\xff").str()),
            Value{arrow::Decimal128(-1)});
  EXPECT_EQ(ReadOne(R"({"type":"fixed","size":2,"name":"d","logicalType":"decimal","precision":4,"scale":2})", AvroBytes().Raw("\x01\x02").str()),
            Value{arrow::Decimal128(258)});
  EXPECT_EQ(ReadOne(R"({"type":"fixed","size":16,"name":"u","logicalType":"uuid"})", AvroBytes().Raw("0123456789abcdef").str()),
            Value{std::string("0123456789abcdef")});
  EXPECT_EQ(ReadOne(R"({"type":"string","logicalType":"uuid"})", AvroBytes().Text("f79c3e09-677c-4bbd-a479-3f349cb785e7").str()),
            Value{*UuidBytes("f79c3e09-677c-4bbd-a479-3f349cb785e7")});
  EXPECT_EQ(ReadOne(R"(["null","string"])", AvroBytes().Null().str()), Value{});
  EXPECT_EQ(ReadOne(R"(["double","null"])", AvroBytes().Long(0).Raw(std::string_view("\0\0\0\0\0\0\xf0\x3f", 8)).str()), Value{1.0});
}

}  // namespace vecruntime::iceberg
