// SPDX-License-Identifier: Apache-2.0
#include "vecruntime/planning/delete_index.h"

#include <gtest/gtest.h>

#include <cmath>

#include "vecruntime/base/error.h"
#include "vecruntime/iceberg/metadata_columns.h"

namespace vecruntime::planning {
namespace {

using iceberg::Field;
using iceberg::FileContent;
using iceberg::ManifestEntry;
using iceberg::PartitionField;
using iceberg::Transform;
using iceberg::Type;
using iceberg::TypeId;
using iceberg::Value;

// Specs: 0 = identity(x), 1 = identity(y), 2 = unpartitioned, 3 = void(x).
std::shared_ptr<const iceberg::TableMetadata> Metadata() {
  auto metadata = std::make_shared<iceberg::TableMetadata>();
  metadata->schemas = {std::make_shared<iceberg::Schema>(
      0, std::vector<Field>{{.id = 1, .name = "x", .type = Type::Primitive(TypeId::kDouble)},
                            {.id = 2, .name = "y", .type = Type::Primitive(TypeId::kDouble)}})};
  metadata->specs = {{0, {PartitionField{1, 1000, "x", Transform::Parse("identity")}}},
                     {1, {PartitionField{2, 1001, "y", Transform::Parse("identity")}}},
                     {2, {}},
                     {3, {PartitionField{1, 1000, "x", Transform::Parse("void")}}}};
  return metadata;
}

EntryPtr Entry(FileContent content, const std::string& path, int64_t sequence, int spec = 2, std::vector<Value> partition = {}) {
  ManifestEntry entry;
  entry.data_sequence_number = sequence;
  entry.file.content = content;
  entry.file.file_path = path;
  entry.file.file_format = "PARQUET";
  entry.file.spec_id = spec;
  entry.file.partition = std::move(partition);
  if (content == FileContent::kEqualityDeletes) entry.file.equality_ids = {1};
  return std::make_shared<const ManifestEntry>(std::move(entry));
}

EntryPtr Vector(const std::string& path, const std::string& data, int64_t sequence) {
  ManifestEntry entry = *Entry(FileContent::kPositionDeletes, path, sequence);
  entry.file.file_format = "PUFFIN";
  entry.file.referenced_data_file = data;
  entry.file.content_offset = 4;
  entry.file.content_size_in_bytes = 50;
  return std::make_shared<const ManifestEntry>(std::move(entry));
}

EntryPtr PathBound(EntryPtr entry, const std::string& lower, const std::string& upper) {
  ManifestEntry copy = *entry;
  copy.file.lower_bounds = {{iceberg::kDeleteFilePathId, lower}};
  copy.file.upper_bounds = {{iceberg::kDeleteFilePathId, upper}};
  return std::make_shared<const ManifestEntry>(std::move(copy));
}

TEST(DeleteIndex, EqualityAppliesToOlderDataPositionsAlsoToTheSame) {
  const auto index = *DeleteIndex::Make({Entry(FileContent::kEqualityDeletes, "eq5", 5), Entry(FileContent::kPositionDeletes, "pos5", 5)},
                                        Metadata());
  EXPECT_EQ(index.TaskFor(Entry(FileContent::kData, "a", 4))->equality_deletes.size(), 1u);
  EXPECT_EQ(index.TaskFor(Entry(FileContent::kData, "a", 5))->equality_deletes.size(), 0u);
  EXPECT_EQ(index.TaskFor(Entry(FileContent::kData, "a", 5))->position_deletes.size(), 1u);
  EXPECT_EQ(index.TaskFor(Entry(FileContent::kData, "a", 6))->position_deletes.size(), 0u);
}

TEST(DeleteIndex, PartitionIsSpecAndTupleWithJavaIdentity) {
  const double nan = std::nan("");
  const auto index = *DeleteIndex::Make({Entry(FileContent::kEqualityDeletes, "nan", 5, 0, {Value{nan}}),
                                         Entry(FileContent::kEqualityDeletes, "zero", 5, 0, {Value{0.0}}),
                                         Entry(FileContent::kEqualityDeletes, "null", 5, 0, {Value{}})},
                                        Metadata());
  const auto names = [&](int spec, Value value) {
    std::string text;
    const ScanTask task = *index.TaskFor(Entry(FileContent::kData, "a", 1, spec, {value}));
    for (const auto& entry : task.equality_deletes) text += entry->file.file_path;
    return text;
  };
  EXPECT_EQ(names(0, Value{nan}), "nan");
  EXPECT_EQ(names(0, Value{0.0}), "zero");
  EXPECT_EQ(names(0, Value{-0.0}), "");
  EXPECT_EQ(names(0, Value{}), "null");
  EXPECT_EQ(names(1, Value{0.0}), "");
}

TEST(DeleteIndex, UnpartitionedEqualityDeletesAreGlobal) {
  for (int spec : {2, 3}) {
    std::vector<Value> tuple(spec == 3 ? 1 : 0);
    const auto index = *DeleteIndex::Make({Entry(FileContent::kEqualityDeletes, "eq", 5, spec, tuple)}, Metadata());
    EXPECT_EQ(index.TaskFor(Entry(FileContent::kData, "a", 1, 0, {Value{1.0}}))->equality_deletes.size(), 1u) << spec;
  }
}

TEST(DeleteIndex, AVectorSupersedesPositionDeletesOfItsFileOnly) {
  const auto index = *DeleteIndex::Make({Entry(FileContent::kPositionDeletes, "pos", 5), Vector("dv", "a", 6)}, Metadata());
  EXPECT_NE(index.TaskFor(Entry(FileContent::kData, "a", 1))->deletion_vector, nullptr);
  EXPECT_TRUE(index.TaskFor(Entry(FileContent::kData, "a", 1))->position_deletes.empty());
  EXPECT_EQ(index.TaskFor(Entry(FileContent::kData, "b", 1))->position_deletes.size(), 1u);
}

TEST(DeleteIndex, RefusesBrokenVectors) {
  EXPECT_EQ(KindOf(DeleteIndex::Make({Vector("dv1", "a", 6), Vector("dv2", "a", 7)}, Metadata()).status()), ErrorKind::kCorruptData);
  for (int field = 0; field < 3; ++field) {
    ManifestEntry entry = *Vector("dv", "a", 6);
    if (field == 0) entry.file.referenced_data_file.reset();
    if (field == 1) entry.file.content_offset.reset();
    if (field == 2) entry.file.content_size_in_bytes.reset();
    const auto status = DeleteIndex::Make({std::make_shared<const ManifestEntry>(entry)}, Metadata()).status();
    EXPECT_EQ(KindOf(status), ErrorKind::kCorruptData) << field;
  }
  const auto older = *DeleteIndex::Make({Vector("dv", "a", 6)}, Metadata());
  EXPECT_EQ(KindOf(older.TaskFor(Entry(FileContent::kData, "a", 7)).status()), ErrorKind::kCorruptData);
}

TEST(DeleteIndex, PathBoundsNeverLoseADelete) {
  const std::string path = "file:/warehouse/t/data/part-0.parquet";
  const auto plain = Entry(FileContent::kPositionDeletes, "pos", 5);
  const auto finds = [&](const EntryPtr& deletes, const std::string& data) {
    return DeleteIndex::Make({deletes}, Metadata())->TaskFor(Entry(FileContent::kData, data, 1))->position_deletes.size() == 1;
  };
  EXPECT_TRUE(finds(PathBound(plain, path, path), path));
  EXPECT_TRUE(finds(PathBound(plain, path.substr(0, 16), path.substr(0, 16)), path));
  EXPECT_TRUE(finds(PathBound(plain, path.substr(0, 16), "file:/warehousf"), path));
  EXPECT_TRUE(finds(PathBound(plain, "z", "a"), path));
  EXPECT_FALSE(finds(PathBound(plain, "g", "h"), path));
}

TEST(DeleteIndex, PathScopedDeletesIgnoreThePartition) {
  const auto deletes = PathBound(Entry(FileContent::kPositionDeletes, "pos", 5, 0, {Value{1.0}}), "a", "a");
  const auto index = *DeleteIndex::Make({deletes}, Metadata());
  EXPECT_EQ(index.TaskFor(Entry(FileContent::kData, "a", 1, 0, {Value{2.0}}))->position_deletes.size(), 1u);
}

}  // namespace
}  // namespace vecruntime::planning
