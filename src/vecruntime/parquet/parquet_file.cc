// SPDX-License-Identifier: Apache-2.0
#include "vecruntime/parquet/parquet_file.h"

#include <arrow/buffer.h>

#include <algorithm>
#include <cstring>
#include <set>
#include <utility>

#include "vecruntime/base/error.h"
#include "vecruntime/parquet/library_exception_internal.h"
#include "vecruntime/parquet/parquet_file_internal.h"

namespace vecruntime::parquet {
namespace {

using arrow::Result;

constexpr int64_t kSmallestFile = 12;  // magic, footer length, magic
constexpr int64_t kTailBytes = 8;      // footer length, magic
// One read of so much holds nearly every footer.
constexpr int64_t kFirstRead = 64 << 10;
// Parsed structures per byte of their Thrift form.
constexpr int64_t kParsedBytesPerByte = 12;

Result<std::shared_ptr<arrow::Buffer>> ReadEnd(arrow::io::RandomAccessFile& file, int64_t size, int64_t length, const std::string& path) {
  const auto end = file.ReadAt(size - length, length);
  if (!end.ok()) return StatusOfLibrary(end.status(), path);
  if ((*end)->size() != length) return base::CorruptData("Parquet file got shorter while it was read: ", path, ", bytes ", size);
  return end;
}

// The serialized footer.
Result<std::shared_ptr<arrow::Buffer>> ReadFooterBytes(arrow::io::RandomAccessFile& file, int64_t size, const std::string& path) {
  if (size < kSmallestFile) return base::CorruptData("Parquet file is too short: ", path, ", bytes ", size);
  ARROW_ASSIGN_OR_RAISE(auto end, ReadEnd(file, size, std::min(size, kFirstRead), path));
  const std::string_view tail = std::string_view(*end).substr(static_cast<size_t>(end->size() - kTailBytes));
  if (tail.substr(4) == "PARE") return base::Unsupported("encrypted Parquet file: ", path);
  if (tail.substr(4) != "PAR1") return base::CorruptData("Parquet magic bytes not found at the end of file: ", path, ", offset ", size - 4);
  uint32_t length = 0;
  std::memcpy(&length, tail.data(), sizeof(length));
  const int64_t needed = int64_t{length} + kTailBytes;
  if (needed > size - 4) return base::CorruptData("Parquet footer is longer than its file: ", path, ", footer ", length, " of ", size, " bytes");
  if (needed > end->size()) {
    ARROW_ASSIGN_OR_RAISE(end, ReadEnd(file, size, needed, path));
  }
  return arrow::SliceBuffer(end, end->size() - needed, length);
}

arrow::Status CheckFooter(const ::parquet::FileMetaData& metadata, const std::string& path) {
  if (metadata.is_encryption_algorithm_set()) return base::Unsupported("encrypted Parquet file: ", path);
  int64_t rows = 0;
  for (int i = 0; i < metadata.num_row_groups(); ++i) {
    const auto group = metadata.RowGroup(i);
    if (group->num_columns() != metadata.num_columns()) {
      return base::CorruptData("row group of Parquet file lacks columns: ", path, ", row group ", i);
    }
    if (group->num_rows() < 0 || __builtin_add_overflow(rows, group->num_rows(), &rows)) {
      return base::CorruptData("row count of Parquet row group is out of range: ", path, ", row group ", i);
    }
  }
  if (rows != metadata.num_rows()) {
    return base::CorruptData("row groups of Parquet file do not add up to its rows: ", path, ", ", rows, " of ", metadata.num_rows());
  }
  return arrow::Status::OK();
}

iceberg::Schema SchemaOf(const std::vector<FileNode>& nodes) {
  std::vector<iceberg::Field> columns;
  for (const FileNode& node : nodes) {
    if (auto field = FieldOf(node)) columns.push_back(std::move(*field));
  }
  return iceberg::Schema(0, std::move(columns));
}

arrow::Status CheckUniqueIds(const std::vector<FileNode>& nodes, const std::string& path, std::set<iceberg::FieldId>* seen) {
  for (const FileNode& node : nodes) {
    if (node.id && !seen->insert(*node.id).second) {
      return base::CorruptData("two columns of Parquet file share a field id: ", path, ", field id ", *node.id, " (", node.name, ")");
    }
    ARROW_RETURN_NOT_OK(CheckUniqueIds(node.children, path, seen));
  }
  return arrow::Status::OK();
}

Result<io::Decoded<Footer>> ReadFooter(arrow::io::RandomAccessFile& file, const std::string& path,
                                       const std::vector<iceberg::MappedField>& name_mapping) {
  const auto size = file.GetSize();
  if (!size.ok()) return StatusOfLibrary(size.status(), path);
  return CatchLibraryExceptions(path, [&]() -> Result<io::Decoded<Footer>> {
    ARROW_ASSIGN_OR_RAISE(const auto bytes, ReadFooterBytes(file, *size, path));
    auto length = static_cast<uint32_t>(bytes->size());
    auto metadata = ::parquet::FileMetaData::Make(bytes->data(), &length);
    ARROW_RETURN_NOT_OK(CheckFooter(*metadata, path));
    auto footer = std::make_shared<const Footer>(*size, std::move(metadata), name_mapping);
    std::set<iceberg::FieldId> seen;
    ARROW_RETURN_NOT_OK(CheckUniqueIds(footer->nodes, path, &seen));
    return io::Decoded<Footer>{std::move(footer), bytes->size() * kParsedBytesPerByte};
  });
}

int FirstColumn(const FileNode& node) {
  if (node.kind == FileNode::Kind::kLeaf) return node.column;
  for (const FileNode& child : node.children) {
    const int column = FirstColumn(child);
    if (column >= 0) return column;
  }
  return -1;
}

}  // namespace

Footer::Footer(int64_t file_size, std::shared_ptr<::parquet::FileMetaData> file_metadata, const std::vector<iceberg::MappedField>& mapping)
    : size(file_size), metadata(std::move(file_metadata)), nodes(BuildFileNodes(*metadata->schema(), mapping)), schema(SchemaOf(nodes)) {
  base::FileRow begin;
  for (int i = 0; i < metadata->num_row_groups(); ++i) {
    const base::FileRow end = begin + metadata->RowGroup(i)->num_rows();
    row_groups.push_back({begin, end});
    begin = end;
  }
}

int ParquetFile::Impl::RowGroupOf(base::FileRowRange rows) const {
  const auto after = std::upper_bound(row_groups.begin(), row_groups.end(), rows.begin,
                                      [](base::FileRow row, const base::FileRowRange& group) { return row < group.end; });
  if (after == row_groups.end() || rows.empty() || rows.begin < after->begin || rows.end > after->end) return -1;
  return static_cast<int>(after - row_groups.begin());
}

Result<std::vector<PageLocation>> ParquetFile::Impl::ReadOffsetIndex(int row_group, int column) const {
  const auto location = metadata->RowGroup(row_group)->ColumnChunk(column)->GetOffsetIndexLocation();
  if (!location || location->offset < 0 || location->length <= 0 || location->offset > size - location->length) return std::vector<PageLocation>();
  const auto bytes = source->ReadAt(location->offset, location->length);
  if (!bytes.ok()) return StatusOfLibrary(bytes.status(), path);
  return ParseOffsetIndex({(*bytes)->data(), static_cast<size_t>((*bytes)->size())}, row_groups[static_cast<size_t>(row_group)].length(), size);
}

ParquetFile::ParquetFile(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
ParquetFile::~ParquetFile() = default;

Result<std::shared_ptr<const ParquetFile>> ParquetFile::Open(std::shared_ptr<arrow::io::RandomAccessFile> file, std::string path,
                                                             const std::vector<iceberg::MappedField>& name_mapping) {
  ARROW_ASSIGN_OR_RAISE(auto footer, ReadFooter(*file, path, name_mapping));
  return std::shared_ptr<const ParquetFile>(new ParquetFile(std::make_unique<Impl>(std::move(file), std::move(path), std::move(footer.value))));
}

Result<std::shared_ptr<const ParquetFile>> ParquetFile::Open(const io::FileIO& file_io, io::IdentifiedFile opened, std::string path,
                                                             const std::vector<iceberg::MappedField>& name_mapping) {
  const auto read = [&] { return ReadFooter(*opened.file, path, name_mapping); };
  // Ids depend on the mapping where the file has none.
  ARROW_ASSIGN_OR_RAISE(auto footer, file_io.DecodePartOnce<Footer>(opened.identity, iceberg::TextOf(name_mapping), read));
  return std::shared_ptr<const ParquetFile>(
      new ParquetFile(std::make_unique<Impl>(std::move(opened.file), std::move(path), std::move(footer))));
}

const std::string& ParquetFile::path() const { return impl_->path; }
int64_t ParquetFile::num_rows() const { return impl_->metadata->num_rows(); }
int ParquetFile::num_columns() const { return impl_->metadata->schema()->group_node()->field_count(); }
const std::vector<base::FileRowRange>& ParquetFile::row_groups() const { return impl_->row_groups; }
const iceberg::Schema& ParquetFile::schema() const { return impl_->schema; }
bool ParquetFile::Mentions(iceberg::FieldId id) const { return FindNode(impl_->nodes, id).node != nullptr; }

std::optional<ColumnStatistics> ParquetFile::Statistics(int row_group, const iceberg::Field& requested) const {
  const NodeLocation location = FindNode(impl_->nodes, requested.id);
  if (location.node == nullptr || location.repeated || location.node->kind != FileNode::Kind::kLeaf) return std::nullopt;
  try {
    const auto chunk = impl_->metadata->RowGroup(row_group)->ColumnChunk(location.node->column);
    return ReadStatistics(*chunk, *impl_->parquet_schema().Column(location.node->column), *requested.type);
  } catch (const std::exception&) {
    return std::nullopt;  // Statistics only ever save work; the read itself reports the damage.
  }
}

std::vector<PageStatistics> ParquetFile::StatisticsByPage(int row_group, const iceberg::Field& requested) const {
  const NodeLocation location = FindNode(impl_->nodes, requested.id);
  if (location.node == nullptr || location.repeated || location.node->kind != FileNode::Kind::kLeaf) return {};
  const auto read = [&]() -> Result<std::vector<PageStatistics>> {
    const int column = location.node->column;
    const ::parquet::ColumnDescriptor& descriptor = *impl_->parquet_schema().Column(column);
    const auto place = impl_->metadata->RowGroup(row_group)->ColumnChunk(column)->GetColumnIndexLocation();
    if (!place || place->offset < 0 || place->length <= 0 || place->offset > impl_->size - place->length) return std::vector<PageStatistics>();
    ARROW_ASSIGN_OR_RAISE(const auto pages, impl_->ReadOffsetIndex(row_group, column));
    if (pages.size() < 2) return std::vector<PageStatistics>();
    ARROW_ASSIGN_OR_RAISE(const auto bytes, impl_->source->ReadAt(place->offset, place->length));
    const auto index = ::parquet::ColumnIndex::Make(descriptor, bytes->data(), bytes->size(), ::parquet::default_reader_properties());
    const base::FileRowRange group = impl_->row_groups[static_cast<size_t>(row_group)];
    std::vector<int64_t> rows;
    for (size_t i = 0; i < pages.size(); ++i) {
      rows.push_back((i + 1 < pages.size() ? pages[i + 1].first_row : group.length()) - pages[i].first_row);
    }
    const auto statistics = ReadPageStatistics(*index, descriptor, *requested.type, rows);
    std::vector<PageStatistics> result;
    for (size_t i = 0; i < statistics.size(); ++i) {
      const base::FileRow begin = group.begin + pages[i].first_row;
      result.push_back({{begin, begin + rows[i]}, statistics[i]});
    }
    return result;
  };
  // Statistics only ever save work; the read itself reports the damage.
  return CatchLibraryExceptions(path(), read).ValueOr({});
}

Result<std::vector<base::FileRow>> ParquetFile::PageStarts(int row_group, iceberg::FieldId id) const {
  const base::FileRowRange group = impl_->row_groups[static_cast<size_t>(row_group)];
  std::vector<base::FileRow> starts = {group.begin};
  const NodeLocation location = FindNode(impl_->nodes, id);
  if (location.node == nullptr) return base::Internal("page starts of a column that is not in the file: ", path(), ", field id ", id);
  return CatchLibraryExceptions(path(), [&]() -> Result<std::vector<base::FileRow>> {
    const int column = FirstColumn(*location.node);
    if (column < 0) return starts;
    ARROW_ASSIGN_OR_RAISE(const auto pages, impl_->ReadOffsetIndex(row_group, column));
    for (size_t i = 1; i < pages.size(); ++i) starts.push_back(group.begin + pages[i].first_row);
    return starts;
  });
}

}  // namespace vecruntime::parquet
