// SPDX-License-Identifier: Apache-2.0
#include "vecruntime/iceberg/manifest.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "vecruntime/base/error.h"
#include "vecruntime/iceberg/avro_writer_for_test.h"

namespace vecruntime::iceberg {
namespace {

/// A manifest with the columns that `version` has, minus those left out on purpose.
struct TestManifest {
  int version = 2;
  bool sequence_columns = true;
  bool content_column = true;
  std::map<std::string, std::string> header;
  std::string partition_type = "\"int\"";
  AvroBytes records;
  int64_t count = 0;

  std::string Schema() const {
    const bool v2 = version > 1;
    std::string entry = R"({"name":"status","type":"int","field-id":0},{"name":"snapshot_id","type":["null","long"],"field-id":1})";
    if (v2 && sequence_columns) {
      entry += R"(,{"name":"sequence_number","type":["null","long"],"field-id":3},{"name":"file_sequence_number","type":["null","long"],"field-id":4})";
    }
    std::string file = v2 && content_column ? R"({"name":"content","type":"int","field-id":134},)" : "";
    file += R"({"name":"file_path","type":"string","field-id":100},{"name":"file_format","type":"string","field-id":101},
      {"name":"partition","type":{"type":"record","name":"r102","fields":[{"name":"1x \ud83d\ude0e","type":["null",)" + partition_type +
            R"(],"field-id":1000}]},"field-id":102},
      {"name":"record_count","type":"long","field-id":103},{"name":"file_size_in_bytes","type":"long","field-id":104},
      {"name":"value_counts","type":["null",{"type":"array","logicalType":"map","items":{"type":"record","name":"k119_v120","fields":[
        {"name":"key","type":"int","field-id":119},{"name":"value","type":"long","field-id":120}]}}],"field-id":109},
      {"name":"lower_bounds","type":["null",{"type":"array","logicalType":"map","items":{"type":"record","name":"k126_v127","fields":[
        {"name":"key","type":"int","field-id":126},{"name":"value","type":"bytes","field-id":127}]}}],"field-id":125},
      {"name":"equality_ids","type":["null",{"type":"array","items":"int","element-id":136}],"field-id":135},
      {"name":"first_row_id","type":["null","long"],"field-id":142})";
    return R"({"type":"record","name":"manifest_entry","fields":[)" + entry + R"(,{"name":"data_file","type":{"type":"record","name":"r2","fields":[)" +
           file + R"(]},"field-id":2}]})";
  }

  TestManifest& Add(int status, std::optional<int64_t> sequence, const std::string& path, int content = 0, std::optional<int64_t> row_id = {},
                    int64_t partition = 7) {
    records.Long(status).Null();
    if (version > 1 && sequence_columns) {
      for (int column = 0; column < 2; ++column) sequence ? records.Some().Long(*sequence) : records.Null();
    }
    if (version > 1 && content_column) records.Long(content);
    records.Text(path).Text("parquet").Some().Long(partition).Long(100).Long(4096);
    records.Some().Long(2).Long(1).Long(100).Long(2).Long(99).Long(0);
    records.Some().Long(-2).Long(8).Long(1).Text("a").Long(2).Text("b").Long(0);
    content == 2 ? records.Some().Long(2).Long(1).Long(2).Long(0) : records.Null();
    row_id ? records.Some().Long(*row_id) : records.Null();
    ++count;
    return *this;
  }

  std::string Bytes() const { return AvroFileBytes(Schema(), count, records.str(), "null", header); }
};

const std::vector<PartitionSpec> kSpecs = {PartitionSpec{0, {PartitionField{1, 1000, "1x \xf0\x9f\x98\x8e", Transform::Parse("identity")}}}};

ManifestFile Listed(int64_t sequence_number = 9, ManifestContent content = ManifestContent::kData) {
  ManifestFile file;
  file.manifest_path = "/m.avro";
  file.manifest_length = 1;
  file.content = content;
  file.sequence_number = sequence_number;
  file.added_snapshot_id = 55;
  return file;
}

void ExpectCorrupt(const TestManifest& manifest, const ManifestFile& listed, const std::string& message) {
  const auto entries = ReadManifest(manifest.Bytes(), listed, kSpecs, {});
  EXPECT_EQ(KindOf(entries.status()), ErrorKind::kCorruptData);
  EXPECT_THAT(entries.status().message(), testing::AllOf(testing::HasSubstr(message), testing::HasSubstr("/m.avro")));
}

}  // namespace

TEST(Manifest, ReadsAFileByFieldIds) {
  const auto entries = ReadManifest(TestManifest().Add(1, {}, "/d.parquet", 2).Bytes(), Listed(9, ManifestContent::kDeletes), kSpecs, {});
  ASSERT_TRUE(entries.ok()) << entries.status();
  const DataFile& file = entries->at(0).file;
  EXPECT_EQ(file.content, FileContent::kEqualityDeletes);
  EXPECT_EQ(file.file_path, "/d.parquet");
  EXPECT_EQ(file.file_format, "PARQUET");
  EXPECT_THAT(file.partition, testing::ElementsAre(Value{7}));
  EXPECT_EQ(file.record_count, 100);
  EXPECT_EQ(*Find(file.value_counts, 2), 99);
  EXPECT_EQ(*Find(file.lower_bounds, 2), "b");
  EXPECT_EQ(Find(file.lower_bounds, 3), nullptr);
  EXPECT_THAT(file.equality_ids, testing::ElementsAre(1, 2));
  EXPECT_EQ(entries->at(0).snapshot_id, 55);
}

TEST(Manifest, OnlyAddedEntriesInheritSequenceNumbers) {
  TestManifest manifest;
  manifest.Add(1, {}, "/added").Add(1, 4, "/added-explicit").Add(0, 3, "/existing").Add(2, {}, "/deleted");
  const auto entries = ReadManifest(manifest.Bytes(), Listed(), kSpecs, {.live_only = false});
  ASSERT_TRUE(entries.ok()) << entries.status();
  EXPECT_EQ(entries->at(0).data_sequence_number, 9);
  EXPECT_EQ(entries->at(0).file_sequence_number, 9);
  EXPECT_EQ(entries->at(1).data_sequence_number, 4);
  EXPECT_EQ(entries->at(2).data_sequence_number, 3);
  EXPECT_FALSE(entries->at(3).data_sequence_number.has_value());
  EXPECT_EQ(ReadManifest(manifest.Bytes(), Listed(), kSpecs, {})->size(), 3u);
  ExpectCorrupt(TestManifest().Add(0, {}, "/existing"), Listed(), "without a sequence number");
  ExpectCorrupt(TestManifest().Add(0, -1, "/existing"), Listed(), "negative sequence number");
}

TEST(Manifest, MissingColumnsFollowTheRulesOfTheVersion) {
  TestManifest v2;
  v2.sequence_columns = false;
  v2.header["format-version"] = "2";
  EXPECT_EQ(ReadManifest(v2.Add(1, {}, "/a").Bytes(), Listed(), kSpecs, {})->at(0).data_sequence_number, 9);
  ExpectCorrupt(v2.Add(0, {}, "/b"), Listed(), "without a sequence number");

  TestManifest stripped;  // no header keys, but columns that version 1 does not have
  stripped.sequence_columns = false;
  ExpectCorrupt(stripped.Add(0, {}, "/b"), Listed(), "without a sequence number");

  TestManifest v1;
  v1.version = 1;
  v1.header["format-version"] = "1";
  v1.Add(1, {}, "/a").Add(0, {}, "/b");
  const auto entries = ReadManifest(v1.Bytes(), Listed(0), kSpecs, {});
  ASSERT_TRUE(entries.ok()) << entries.status();
  EXPECT_EQ(entries->at(0).data_sequence_number, 0);
  EXPECT_EQ(entries->at(1).data_sequence_number, 0);
  EXPECT_EQ(entries->at(1).file.content, FileContent::kData);
}

TEST(Manifest, TheContentOfAFileIsWhatItsEntrySays) {
  const auto entries = ReadManifest(TestManifest().Add(1, {}, "/d", 1).Bytes(), Listed(), kSpecs, {});
  EXPECT_EQ(entries->at(0).file.content, FileContent::kPositionDeletes);
  ExpectCorrupt(TestManifest().Add(1, {}, "/d", 0), Listed(9, ManifestContent::kDeletes), "data file in a delete manifest");
  ExpectCorrupt(TestManifest().Add(1, {}, "/d", 3), Listed(), "unknown file content");
  ExpectCorrupt(TestManifest().Add(3, {}, "/d"), Listed(), "unknown entry status");
  ExpectCorrupt(TestManifest().Add(1, {}, ""), Listed(), "without a file path");
}

TEST(Manifest, RowIdsAreInheritedInOrder) {
  TestManifest manifest;
  manifest.Add(1, {}, "/a").Add(1, {}, "/b", 0, 5000).Add(2, {}, "/gone").Add(0, 3, "/c");
  ManifestFile listed = Listed();
  listed.first_row_id = 1000;
  const auto entries = ReadManifest(manifest.Bytes(), listed, kSpecs, {});
  EXPECT_EQ(entries->at(0).file.first_row_id, 1000);
  EXPECT_EQ(entries->at(1).file.first_row_id, 5000);
  EXPECT_EQ(entries->at(2).file.first_row_id, 1100);
  EXPECT_FALSE(ReadManifest(manifest.Bytes(), Listed(), kSpecs, {})->at(1).file.first_row_id.has_value());
  listed.first_row_id = std::numeric_limits<int64_t>::max();
  ExpectCorrupt(manifest, listed, "row ids overflow");
}

TEST(Manifest, KeepsOnlyTheMetricsAskedFor) {
  const std::string bytes = TestManifest().Add(1, {}, "/a").Bytes();
  const auto some = ReadManifest(bytes, Listed(), kSpecs, {.metrics_for = std::vector<FieldId>{9, 2}});
  EXPECT_THAT(some->at(0).file.value_counts, testing::ElementsAre(testing::Pair(2, 99)));
  EXPECT_THAT(some->at(0).file.lower_bounds, testing::ElementsAre(testing::Pair(2, "b")));
  const auto none = ReadManifest(bytes, Listed(), kSpecs, {.metrics_for = std::vector<FieldId>{}});
  EXPECT_TRUE(none->at(0).file.value_counts.empty());
}

TEST(Manifest, PartitionValuesAreWidenedToTheirPresentType) {
  const std::string bytes = TestManifest().Add(1, {}, "/a").Bytes();
  ManifestReadOptions options;
  options.partition_types[0] = {Type::Primitive(TypeId::kLong)};
  EXPECT_EQ(ReadManifest(bytes, Listed(), kSpecs, options)->at(0).file.partition[0], Value{int64_t{7}});
  options.partition_types[0] = {Type::Primitive(TypeId::kUnknown)};
  EXPECT_EQ(ReadManifest(bytes, Listed(), kSpecs, options)->at(0).file.partition[0], Value{7});

  TestManifest wide;
  wide.partition_type = "\"long\"";
  options.partition_types[0] = {Type::Primitive(TypeId::kInt)};
  EXPECT_EQ(ReadManifest(wide.Add(1, {}, "/a").Bytes(), Listed(), kSpecs, options)->at(0).file.partition[0], Value{7});
  wide.Add(1, {}, "/b", 0, {}, int64_t{1} << 40);
  EXPECT_EQ(KindOf(ReadManifest(wide.Bytes(), Listed(), kSpecs, options).status()), ErrorKind::kCorruptData);
}

TEST(Manifest, AMissingPartitionValueIsNotNull) {
  const std::vector<PartitionSpec> specs = {{0, {PartitionField{1, 1000, "x", Transform::Parse("identity")}, PartitionField{2, 1001, "y", Transform::Parse("identity")}}}};
  const std::string bytes = TestManifest().Add(1, {}, "/a").Bytes();
  ManifestReadOptions options;
  options.partition_types[0] = {Type::Primitive(TypeId::kInt), Type::Primitive(TypeId::kInt)};
  EXPECT_THAT(ReadManifest(bytes, Listed(), specs, options).status().message(), testing::HasSubstr("without the partition field y"));
  const std::string deletes = TestManifest().Add(1, {}, "/d", 1).Bytes();
  EXPECT_TRUE(ReadManifest(deletes, Listed(9, ManifestContent::kDeletes), specs, options).ok());
  options.partition_types[0][1] = Type::Primitive(TypeId::kUnknown);  // its source column was dropped
  EXPECT_TRUE(ReadManifest(bytes, Listed(), specs, options).ok());
}

TEST(Manifest, AnInlineManifestBringsItsSpec) {
  TestManifest manifest;
  manifest.version = 1;
  manifest.header["partition-spec-id"] = "3";
  ManifestFile listed;
  listed.manifest_path = "/m.avro";
  ExpectCorrupt(manifest.Add(1, {}, "/a"), listed, "unknown partition spec: 3");
  manifest.header["partition-spec"] = R"([{"name":"x","transform":"identity","source-id":1,"field-id":1000}])";
  const auto entries = ReadManifest(manifest.Bytes(), listed, kSpecs, {});
  ASSERT_TRUE(entries.ok()) << entries.status();
  EXPECT_EQ(entries->at(0).file.spec_id, 3);
  EXPECT_EQ(entries->at(0).file.partition[0], Value{7});
  EXPECT_EQ(entries->at(0).data_sequence_number, 0);
}

TEST(Manifest, DamagedBytesNeverCrash) {
  const std::string good = TestManifest().Add(1, {}, "/a", 0).Add(0, 3, "/b", 2).Bytes();
  const size_t header = AvroHeader(TestManifest().Schema(), "null").size();
  for (size_t at = 0; at < good.size(); at += at < header ? 13 : 1) {
    for (const char flip : {'\x01', '\x80', '\x7f'}) {
      std::string flipped = good;
      flipped[at] ^= flip;
      ReadManifest(flipped, Listed(), kSpecs, {}).status().ToString();
    }
    EXPECT_FALSE(ReadManifest(good.substr(0, at), Listed(), kSpecs, {}).ok() && at > good.size() - 40);
  }
}

}  // namespace vecruntime::iceberg
