// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "vecruntime/base/error.h"
#include "vecruntime/iceberg/avro_writer_for_test.h"
#include "vecruntime/iceberg/manifest.h"

namespace vecruntime::iceberg {
namespace {

std::string Record(const std::string& fields) { return R"({"type":"record","name":"manifest_file","fields":[)" + fields + "]}"; }

const std::string kVersion1 = R"({"name":"manifest_path","type":"string","field-id":500},{"name":"manifest_length","type":"long","field-id":501},
  {"name":"partition_spec_id","type":"int","field-id":502},{"name":"added_snapshot_id","type":["null","long"],"field-id":503})";

const std::string kVersion3 = kVersion1 + R"(,{"name":"content","type":"int","field-id":517},
  {"name":"unknown_to_us","type":["null","string"],"field-id":999},
  {"name":"sequence_number","type":"long","field-id":515},{"name":"min_sequence_number","type":"long","field-id":516},
  {"name":"renamed","type":["null","int"],"field-id":504},
  {"name":"partitions","type":["null",{"type":"array","items":{"type":"record","name":"r508","fields":[
    {"name":"contains_null","type":"boolean","field-id":509},{"name":"contains_nan","type":["null","boolean"],"field-id":518},
    {"name":"lower_bound","type":["null","bytes"],"field-id":510},{"name":"upper_bound","type":["null","bytes"],"field-id":511}]},
    "element-id":508}],"field-id":507},
  {"name":"first_row_id","type":["null","long"],"field-id":520})";

AvroBytes Row(const std::string& path, int64_t content) {
  AvroBytes row;
  row.Text(path).Long(77).Long(2).Some().Long(11).Long(content).Some().Text("skipped").Long(5).Long(3).Some().Long(9);
  row.Some().Long(1).Raw(std::string_view("\0", 1)).Null().Some().Text("lo").Null().Long(0);
  row.Some().Long(1000);
  return row;
}

}  // namespace

TEST(ManifestList, ReadsByFieldIdWithoutAnyHeader) {
  const auto list = ReadManifestList(AvroFileBytes(Record(kVersion3), 2, Row("/a", 0).str() + Row("/b", 1).str(), "deflate"), "/list");
  ASSERT_TRUE(list.ok()) << list.status();
  const ManifestFile& file = list->at(1);
  EXPECT_EQ(file.manifest_path, "/b");
  EXPECT_EQ(file.manifest_length, 77);
  EXPECT_EQ(file.partition_spec_id, 2);
  EXPECT_EQ(file.content, ManifestContent::kDeletes);
  EXPECT_EQ(file.sequence_number, 5);
  EXPECT_EQ(file.min_sequence_number, 3);
  EXPECT_EQ(file.added_snapshot_id, 11);
  EXPECT_EQ(file.added_files_count, 9);
  EXPECT_FALSE(file.existing_files_count.has_value());
  ASSERT_EQ(file.partitions.size(), 1u);
  EXPECT_FALSE(file.partitions[0].contains_null);
  EXPECT_EQ(file.partitions[0].lower_bound, "lo");
  EXPECT_FALSE(file.partitions[0].upper_bound.has_value());
  EXPECT_EQ(file.first_row_id, 1000);
}

TEST(ManifestList, Version1DefaultsToDataAndSequenceZero) {
  const auto list = ReadManifestList(AvroFileBytes(Record(kVersion1), 1, AvroBytes().Text("/a").Long(5).Long(0).Null().str()), "/list");
  ASSERT_TRUE(list.ok()) << list.status();
  EXPECT_EQ(list->at(0).content, ManifestContent::kData);
  EXPECT_EQ(list->at(0).sequence_number, 0);
  EXPECT_TRUE(list->at(0).partitions.empty());
}

TEST(ManifestList, EmptyListsAreFine) {
  EXPECT_TRUE(ReadManifestList(AvroHeader(Record(kVersion1), "null"), "/list")->empty());
}

TEST(ManifestList, AManifestAfterVersion1HasASequenceNumber) {
  const std::string fields = kVersion1 + R"(,{"name":"content","type":"int","field-id":517},
    {"name":"sequence_number","type":["null","long"],"field-id":515})";
  const auto list = [&](const AvroBytes& row) { return ReadManifestList(AvroFileBytes(Record(fields), 1, row.str()), "/list"); };
  EXPECT_TRUE(list(AvroBytes().Text("/a").Long(5).Long(0).Null().Long(1).Some().Long(3)).ok());
  EXPECT_EQ(KindOf(list(AvroBytes().Text("/a").Long(5).Long(0).Null().Long(1).Null()).status()), ErrorKind::kCorruptData);
}

TEST(ManifestList, FaultsNameFileAndPlace) {
  const std::string bytes = AvroFileBytes(Record(kVersion3), 1, Row("/a", 7).str());
  const auto list = ReadManifestList(bytes, "/w/list.avro");
  EXPECT_EQ(KindOf(list.status()), ErrorKind::kCorruptData);
  EXPECT_THAT(list.status().message(), testing::HasSubstr("/w/list.avro at byte"));
  EXPECT_FALSE(ReadManifestList(AvroFileBytes(Record(kVersion3), 1, Row("", 0).str()), "/list").ok());
  EXPECT_FALSE(ReadManifestList(AvroFileBytes(Record(kVersion3), 1, Row("/a", 0).str() + "x"), "/list").ok());
  EXPECT_FALSE(ReadManifestList("", "/list").ok());
  const std::string good = AvroFileBytes(Record(kVersion3), 1, Row("/a", 0).str());
  const size_t header = AvroHeader(Record(kVersion3), "null").size();
  for (size_t at = 0; at < good.size(); at += at < header ? 13 : 1) {
    for (const char flip : {'\x01', '\x80', '\x7f'}) {
      std::string flipped = good;
      flipped[at] ^= flip;
      ReadManifestList(flipped, "/list").status().ToString();
    }
  }
}

}  // namespace vecruntime::iceberg
