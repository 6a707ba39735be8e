// SPDX-License-Identifier: Apache-2.0
#include "vecruntime/deletes/position_delete_file.h"

#include <arrow/array.h>
#include <arrow/io/interfaces.h>
#include <arrow/result.h>

#include <algorithm>

#include "vecruntime/base/error.h"
#include "vecruntime/iceberg/metadata_columns.h"
#include "vecruntime/parquet/column_reader.h"

namespace vecruntime::deletes {
namespace {

using iceberg::Field;
using iceberg::Type;
using iceberg::TypeId;

constexpr int64_t kRowsPerRead = 1 << 16;

const Field& PathField() {
  static const Field field{.id = iceberg::kDeleteFilePathId, .name = "file_path", .type = Type::Primitive(TypeId::kString), .required = true};
  return field;
}
const Field& PosField() {
  static const Field field{.id = iceberg::kDeleteFilePosId, .name = "pos", .type = Type::Primitive(TypeId::kLong), .required = true};
  return field;
}

class Collector {
 public:
  Collector(const std::string& path, const std::unordered_set<std::string>& wanted, base::Reservation* reservation)
      : path_(path), wanted_(wanted), reservation_(reservation) {}

  // Rows of one data file lie together, so the list is looked up once per run of equal paths.
  arrow::Status Add(const arrow::StringArray& paths, const arrow::Int64Array& positions, base::FileRow first) {
    if (paths.null_count() != 0) return Corrupt("NULL file_path", first);
    if (positions.null_count() != 0) return Corrupt("NULL pos", first);
    int64_t kept = 0;
    for (int64_t i = 0; i < paths.length(); ++i) {
      if (positions.Value(i) < 0) return Corrupt("negative pos", first + i);
      const std::string_view data_path = paths.GetView(i);
      if (i == 0 || data_path != current_path_) Switch(data_path);
      if (current_ == nullptr) continue;
      current_->push_back(positions.Value(i));
      ++kept;
    }
    current_path_ = {};
    return reservation_->Resize(reservation_->bytes() + kept * static_cast<int64_t>(sizeof(int64_t)));
  }

  PositionsByPath TakeResult() { return std::move(result_); }

 private:
  void Switch(std::string_view data_path) {
    current_path_ = data_path;
    const auto wanted = wanted_.find(std::string(data_path));
    current_ = wanted == wanted_.end() ? nullptr : &result_[*wanted];
  }

  arrow::Status Corrupt(const char* what, base::FileRow row) const {
    return base::CorruptData("position delete file has a ", what, ": file ", path_, ", at or after row ", row.value);
  }

  const std::string& path_;
  const std::unordered_set<std::string>& wanted_;
  base::Reservation* const reservation_;
  PositionsByPath result_;
  std::string_view current_path_;
  std::vector<int64_t>* current_ = nullptr;
};

}  // namespace

arrow::Result<PositionsByPath> ReadPositionDeletes(std::shared_ptr<arrow::io::RandomAccessFile> file, const std::string& path,
                                                   const std::unordered_set<std::string>& wanted, arrow::MemoryPool* pool,
                                                   base::Reservation* reservation) {
  // Writers without field ids are known by the spec's column names.
  static const std::vector<iceberg::MappedField> kNames = {{iceberg::kDeleteFilePathId, {"file_path"}, {}},
                                                           {iceberg::kDeleteFilePosId, {"pos"}, {}}};
  ARROW_ASSIGN_OR_RAISE(auto opened, parquet::ParquetFile::Open(std::move(file), path, kNames));
  for (const Field* field : {&PathField(), &PosField()}) {
    if (!opened->HasField(field->id)) return base::CorruptData("position delete file has no column ", field->name, ": file ", path);
  }
  ARROW_ASSIGN_OR_RAISE(auto path_reader, parquet::ColumnReader::Make(opened, PathField(), pool));
  ARROW_ASSIGN_OR_RAISE(auto pos_reader, parquet::ColumnReader::Make(opened, PosField(), pool));
  Collector collector(path, wanted, reservation);
  for (const base::FileRowRange& group : opened->row_groups()) {
    for (base::FileRow begin = group.begin; begin < group.end; begin = begin + kRowsPerRead) {
      const auto rows = columnar::Selection::All(std::min(kRowsPerRead, group.end - begin), begin);
      ARROW_ASSIGN_OR_RAISE(auto paths, path_reader->Read(rows));
      ARROW_ASSIGN_OR_RAISE(auto positions, pos_reader->Read(rows));
      ARROW_RETURN_NOT_OK(collector.Add(static_cast<const arrow::StringArray&>(*paths), static_cast<const arrow::Int64Array&>(*positions),
                                        begin));
    }
  }
  return collector.TakeResult();
}

}  // namespace vecruntime::deletes
