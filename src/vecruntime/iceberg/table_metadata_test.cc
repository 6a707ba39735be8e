// SPDX-License-Identifier: Apache-2.0
#include "vecruntime/iceberg/table_metadata.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <libdeflate.h>

#include "vecruntime/base/error.h"

namespace vecruntime::iceberg {
namespace {

constexpr char kTable[] = R"({"format-version":2,"table-uuid":"u","location":"/w/t","last-sequence-number":4,"last-updated-ms":9,
  "current-schema-id":1,"schemas":[
    {"type":"struct","schema-id":0,"fields":[{"id":1,"name":"a","required":false,"type":"int"},{"id":2,"name":"b","required":false,"type":"string"}]},
    {"type":"struct","schema-id":1,"fields":[{"id":1,"name":"a","required":false,"type":"long"}]}],
  "default-spec-id":1,"partition-specs":[
    {"spec-id":0,"fields":[{"name":"b","transform":"identity","source-id":2,"field-id":1000},{"name":"g","transform":"day","source-id":77,"field-id":1001}]},
    {"spec-id":1,"fields":[]}],
  "properties":{"schema.name-mapping.default":"[{\"field-id\":1,\"names\":[\"a\",\"x\"],\"fields\":[{\"names\":[\"n\"]}]}]","n":5},
  "current-snapshot-id":30,
  "refs":{"t1":{"snapshot-id":10,"type":"tag","max-ref-age-ms":7}},
  "snapshots":[
    {"snapshot-id":10,"timestamp-ms":100,"sequence-number":1,"manifest-list":"/l10","schema-id":0,"summary":{"operation":"append"}},
    {"snapshot-id":20,"parent-snapshot-id":10,"timestamp-ms":200,"sequence-number":2,"manifest-list":"/l20"},
    {"snapshot-id":30,"parent-snapshot-id":10,"timestamp-ms":400,"sequence-number":4,"manifest-list":"/l30"},
    {"snapshot-id":40,"parent-snapshot-id":10,"timestamp-ms":350,"sequence-number":3,"manifest-list":"/staged"}],
  "snapshot-log":[{"timestamp-ms":100,"snapshot-id":10},{"timestamp-ms":200,"snapshot-id":20},
    {"timestamp-ms":300,"snapshot-id":10},{"timestamp-ms":400,"snapshot-id":30}],
  "metadata-log":[{"timestamp-ms":100,"metadata-file":"/m1"}],
  "statistics":[{"anything":[]}]})";

std::string Replaced(std::string text, std::string_view from, std::string_view to) {
  const size_t at = text.find(from);
  EXPECT_NE(at, std::string::npos) << from;
  return text.replace(at, from.size(), to);
}

void ExpectCorrupt(const std::string& text, const std::string& message) {
  const auto table = ParseTableMetadata(text, "/w/t/v1.json");
  EXPECT_EQ(KindOf(table.status()), ErrorKind::kCorruptData);
  EXPECT_THAT(table.status().message(), testing::HasSubstr(message));
  EXPECT_THAT(table.status().message(), testing::HasSubstr("/w/t/v1.json"));
}

std::string Gzip(std::string_view text) {
  libdeflate_compressor* compressor = libdeflate_alloc_compressor(6);
  std::string out(libdeflate_gzip_compress_bound(compressor, text.size()), '\0');
  out.resize(libdeflate_gzip_compress(compressor, text.data(), text.size(), out.data(), out.size()));
  libdeflate_free_compressor(compressor);
  return out;
}

constexpr char kVersion1[] = R"({"format-version":1,"location":"/w/t","last-column-id":1,
  "schema":{"type":"struct","fields":[{"id":1,"name":"a","required":false,"type":"int"}]},
  "partition-spec":[{"name":"a","transform":"identity","source-id":1},{"name":"a_b","transform":"bucket[4]","source-id":1}],
  "current-snapshot-id":1,"snapshots":[{"snapshot-id":1,"timestamp-ms":5,"manifests":["/m1","/m2"]}]})";

}  // namespace

TEST(TableMetadata, ReadsVersion2) {
  const auto parsed = ParseTableMetadata(kTable, "/w/t/v1.json");
  ASSERT_TRUE(parsed.ok()) << parsed.status();
  const TableMetadata& table = **parsed;
  EXPECT_EQ(table.CurrentSchema()->schema_id(), 1);
  EXPECT_EQ(table.CurrentSnapshot()->manifest_list, "/l30");
  EXPECT_EQ(table.FindSnapshot(10)->summary.at("operation"), "append");
  EXPECT_EQ(table.FindSnapshot(10)->schema_id, 0);
  EXPECT_EQ(table.FindSnapshot(99), nullptr);
  EXPECT_EQ(table.refs.at("main").snapshot_id, 30);
  EXPECT_FALSE(table.refs.at("t1").is_branch);
  EXPECT_EQ(table.refs.at("t1").max_ref_age_ms, 7);
  EXPECT_EQ(table.properties.at("n"), "5");
  ASSERT_EQ(table.name_mapping.size(), 1u);
  EXPECT_THAT(table.name_mapping[0].names, testing::ElementsAre("a", "x"));
  EXPECT_FALSE(table.name_mapping[0].fields[0].field_id.has_value());
  EXPECT_EQ(table.metadata_log[0].metadata_file, "/m1");
}

TEST(TableMetadata, FindsDroppedFieldsAndTypesOfOldSpecs) {
  const auto table = *ParseTableMetadata(kTable, "v1.json");
  EXPECT_EQ(table->FindFieldEverywhere(1)->type->id(), TypeId::kLong);
  EXPECT_EQ(table->FindFieldEverywhere(2)->name, "b");
  EXPECT_EQ(table->FindFieldEverywhere(3), nullptr);
  const auto types = table->PartitionTypes(*table->FindSpec(0));
  EXPECT_EQ(types[0]->id(), TypeId::kString);
  EXPECT_EQ(types[1]->id(), TypeId::kUnknown);
}

TEST(TableMetadata, TimeTravelFollowsTheLog) {
  const auto table = *ParseTableMetadata(kTable, "v1.json");
  EXPECT_EQ(KindOf(table->SnapshotAsOf(99).status()), ErrorKind::kNotFound);
  EXPECT_EQ((*table->SnapshotAsOf(100))->snapshot_id, 10);
  EXPECT_EQ((*table->SnapshotAsOf(250))->snapshot_id, 20);
  EXPECT_EQ((*table->SnapshotAsOf(399))->snapshot_id, 10);
  EXPECT_EQ((*table->SnapshotAsOf(1000))->snapshot_id, 30);
}

TEST(TableMetadata, ReadsGzipByItsMagic) {
  const auto table = ParseTableMetadata(Gzip(kTable), "v1.metadata.json");
  ASSERT_TRUE(table.ok()) << table.status();
  std::string damaged = Gzip(kTable);
  damaged[damaged.size() / 2] ^= 0x55;
  ExpectCorrupt(damaged, "damaged gzip");
  std::string short_claim = Gzip(kTable);
  ExpectCorrupt(short_claim.substr(0, short_claim.size() - 9), "damaged gzip");
}

TEST(TableMetadata, ReadsVersion1WithInlineManifests) {
  const auto parsed = ParseTableMetadata(kVersion1, "v1.json");
  ASSERT_TRUE(parsed.ok()) << parsed.status();
  EXPECT_THAT((*parsed)->CurrentSnapshot()->inline_manifests, testing::ElementsAre("/m1", "/m2"));
  EXPECT_EQ((*parsed)->CurrentSnapshot()->manifest_list, "");
  EXPECT_EQ((*parsed)->specs[0].fields[1].field_id, 1001);
  EXPECT_EQ((*parsed)->specs[0].fields[1].transform.parameter, 4);
  ExpectCorrupt(Replaced(kVersion1, "\"manifests\"", "\"manifest-list\":\"/l\",\"manifests\""), "$.snapshots[0]");
}

TEST(TableMetadata, EmptyTableInItsThreeSpellings) {
  for (const char* spelling : {"\"current-snapshot-id\":-1,", "\"current-snapshot-id\":null,", ""}) {
    const auto table = ParseTableMetadata(Replaced(kTable, "\"current-snapshot-id\":30,", spelling), "v1.json");
    ASSERT_TRUE(table.ok()) << table.status();
    EXPECT_FALSE((*table)->current_snapshot_id.has_value());
    EXPECT_EQ((*table)->CurrentSnapshot(), nullptr);
    EXPECT_FALSE((*table)->refs.contains("main"));
  }
}

TEST(TableMetadata, RefusesNewerFormatsByName) {
  const auto table = ParseTableMetadata(Replaced(kTable, "\"format-version\":2", "\"format-version\":4"), "v1.json");
  EXPECT_EQ(KindOf(table.status()), ErrorKind::kUnsupported);
  EXPECT_THAT(table.status().message(), testing::HasSubstr("version 4"));
}

TEST(TableMetadata, NamesThePlaceOfTheFault) {
  ExpectCorrupt("", "invalid JSON");
  ExpectCorrupt("{\"format-version\":2", "invalid JSON");
  ExpectCorrupt("[]", "expected an object");
  ExpectCorrupt(Replaced(kTable, "\"format-version\":2", "\"format-version\":0"), "format-version");
  ExpectCorrupt(Replaced(kTable, "\"current-schema-id\":1", "\"current-schema-id\":7"), "current-schema-id");
  ExpectCorrupt(Replaced(kTable, "\"default-spec-id\":1", "\"default-spec-id\":7"), "default-spec-id");
  ExpectCorrupt(Replaced(kTable, "\"current-snapshot-id\":30", "\"current-snapshot-id\":31"), "current-snapshot-id");
  ExpectCorrupt(Replaced(kTable, "\"snapshot-id\":20", "\"snapshot-id\":10"), "$.snapshots[1]");
  ExpectCorrupt(Replaced(kTable, "\"manifest-list\":\"/l20\"", "\"manifest-list\":7"), "$.snapshots[1].manifest-list");
  ExpectCorrupt(Replaced(kTable, "[{\\\"field-id\\\":1", "[{\\\"field-id\\\":\\\"1\\\""), "schema.name-mapping.default");
  ExpectCorrupt(Replaced(kTable, "\"refs\":{", "\"refs\":{\"main\":{\"snapshot-id\":10,\"type\":\"branch\"},"), "main branch");
}

}  // namespace vecruntime::iceberg
