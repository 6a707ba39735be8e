// SPDX-License-Identifier: Apache-2.0
#include "vecruntime/deletes/position_delete_file.h"

#include <arrow/array.h>
#include <arrow/io/interfaces.h>
#include <arrow/result.h>

#include <algorithm>

#include "vecruntime/base/error.h"
#include "vecruntime/columnar/dictionary.h"
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

constexpr int64_t kOtherFile = -1;

class Collector {
 public:
  Collector(const std::string& path, const DataFileNumbers& numbers, base::Reservation* reservation)
      : path_(path), numbers_(numbers), reservation_(reservation) {}

  arrow::Status Add(const arrow::Array& paths, const arrow::Int64Array& positions, base::FileRow first) {
    if (paths.null_count() != 0) return Corrupt("NULL file_path", first);
    if (positions.null_count() != 0) return Corrupt("NULL pos", first);
    const int64_t* values = positions.raw_values();
    int64_t signs = 0;
    for (int64_t i = 0; i < positions.length(); ++i) signs |= values[i];
    if (signs < 0) return Corrupt("negative pos", first + (std::find_if(values, values + positions.length(), IsNegative) - values));
    const arrow::DictionaryArray* encoded = columnar::AsEncoded(paths);
    if (encoded == nullptr) {
      AddPlain(static_cast<const arrow::StringArray&>(paths), values);
      return Reserve();
    }
    if (encoded->dictionary()->null_count() != 0) return Corrupt("NULL file_path", first);
    UseDictionary(*encoded);
    columnar::WithCodes(*encoded, [&](const auto* codes) { AddCodes(codes, encoded->length(), values); });
    return Reserve();
  }

  PositionDeletes TakeResult() {
    std::stable_sort(result_.runs.begin(), result_.runs.end(), [](const auto& a, const auto& b) { return a.data_file < b.data_file; });
    return std::move(result_);
  }

 private:
  static bool IsNegative(int64_t position) { return position < 0; }

  arrow::Status Reserve() {
    return reservation_->Resize(static_cast<int64_t>(result_.positions.size() * sizeof(int64_t) +
                                                     result_.runs.size() * sizeof(PositionDeletes::Run)));
  }

  // Rows of one data file lie together, so its number is looked up once per run of equal paths.
  void AddPlain(const arrow::StringArray& paths, const int64_t* positions) {
    for (int64_t begin = 0, end = 0; begin < paths.length(); begin = end) {
      const std::string_view path = paths.GetView(begin);
      while (end < paths.length() && paths.GetView(end) == path) ++end;
      AddRun(NumberOf(path), positions + begin, positions + end);
    }
  }

  template <typename Code>
  void AddCodes(const Code* codes, int64_t rows, const int64_t* positions) {
    for (int64_t begin = 0, end = 0; begin < rows; begin = end) {
      while (end < rows && codes[end] == codes[begin]) ++end;
      AddRun(number_of_code_[codes[begin]], positions + begin, positions + end);
    }
  }

  void AddRun(int64_t number, const int64_t* begin, const int64_t* end) {
    if (number == kOtherFile) return;
    const auto data_file = static_cast<uint32_t>(number);
    const size_t start = result_.positions.size();
    result_.positions.insert(result_.positions.end(), begin, end);
    if (result_.runs.empty() || result_.runs.back().data_file != data_file) result_.runs.push_back({data_file, start, start});
    result_.runs.back().end = result_.positions.size();
  }

  void UseDictionary(const arrow::DictionaryArray& encoded) {
    if (encoded.dictionary()->data() == dictionary_) return;
    dictionary_ = encoded.dictionary()->data();
    const auto& entries = static_cast<const arrow::StringArray&>(*encoded.dictionary());
    number_of_code_.clear();
    for (int64_t i = 0; i < entries.length(); ++i) number_of_code_.push_back(NumberOf(entries.GetView(i)));
  }

  int64_t NumberOf(std::string_view data_path) const {
    const auto found = numbers_.find(data_path);
    return found == numbers_.end() ? kOtherFile : int64_t{found->second};
  }

  arrow::Status Corrupt(const char* what, base::FileRow row) const {
    return base::CorruptData("position delete file has a ", what, ": file ", path_, ", at or after row ", row.value);
  }

  const std::string& path_;
  const DataFileNumbers& numbers_;
  base::Reservation* const reservation_;
  PositionDeletes result_;
  std::shared_ptr<arrow::ArrayData> dictionary_;  // that of number_of_code_
  std::vector<int64_t> number_of_code_;
};

}  // namespace

arrow::Result<PositionDeletes> ReadPositionDeletes(std::shared_ptr<arrow::io::RandomAccessFile> file, const std::string& path,
                                                   const DataFileNumbers& numbers, arrow::MemoryPool* pool,
                                                   base::Reservation* reservation) {
  // Writers without field ids are known by the spec's column names.
  static const std::vector<iceberg::MappedField> kNames = {{iceberg::kDeleteFilePathId, {"file_path"}, {}},
                                                           {iceberg::kDeleteFilePosId, {"pos"}, {}}};
  ARROW_ASSIGN_OR_RAISE(auto opened, parquet::ParquetFile::Open(std::move(file), path, kNames));
  for (const Field* field : {&PathField(), &PosField()}) {
    if (!opened->HasField(field->id)) return base::CorruptData("position delete file has no column ", field->name, ": file ", path);
  }
  ARROW_ASSIGN_OR_RAISE(auto path_reader, parquet::ColumnReader::Make(opened, PathField(), pool, {.dictionaries = true}));
  ARROW_ASSIGN_OR_RAISE(auto pos_reader, parquet::ColumnReader::Make(opened, PosField(), pool));
  Collector collector(path, numbers, reservation);
  for (const base::FileRowRange& group : opened->row_groups()) {
    for (base::FileRow begin = group.begin; begin < group.end; begin = begin + kRowsPerRead) {
      const auto rows = columnar::Selection::All(std::min(kRowsPerRead, group.end - begin), begin);
      ARROW_ASSIGN_OR_RAISE(auto paths, path_reader->Read(rows));
      ARROW_ASSIGN_OR_RAISE(auto positions, pos_reader->Read(rows));
      ARROW_RETURN_NOT_OK(collector.Add(*paths, static_cast<const arrow::Int64Array&>(*positions), begin));
    }
  }
  return collector.TakeResult();
}

}  // namespace vecruntime::deletes
