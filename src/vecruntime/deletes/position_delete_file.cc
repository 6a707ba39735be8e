// SPDX-License-Identifier: Apache-2.0
#include "vecruntime/deletes/position_delete_file.h"

#include <arrow/array.h>
#include <arrow/io/interfaces.h>
#include <arrow/result.h>

#include <algorithm>
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

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

// Bytes of a tree node and a string's own.
constexpr int64_t kBytesPerDataFile = 160;

class Collector {
 public:
  Collector(const std::string& path, base::Reservation* memory) : path_(path), memory_(memory) {}

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

  // Rows of one data file lie together in what most writers make; one that returns to a data file gives it another run.
  arrow::Result<PositionDeletes> Finish() {
    std::stable_sort(runs_.begin(), runs_.end(), [](const Run& a, const Run& b) { return a.data_file < b.data_file; });
    std::vector<std::span<const int64_t>> lists;
    int64_t bytes = 0;
    PositionDeletes result;
    for (auto begin = runs_.begin(), end = begin; begin != runs_.end(); begin = end) {
      lists.clear();
      for (; end != runs_.end() && end->data_file == begin->data_file; ++end) {
        lists.push_back(std::span(positions_).subspan(end->begin, end->end - end->begin));
      }
      DeletedRows rows = DeletedRows::FromPositions(lists);
      bytes += rows.size_bytes() + kBytesPerDataFile + static_cast<int64_t>(paths_[begin->data_file]->size());
      ARROW_RETURN_NOT_OK(memory_->Resize(collected_bytes() + bytes));
      result.emplace(*paths_[begin->data_file], std::move(rows));
    }
    ARROW_RETURN_NOT_OK(memory_->Resize(bytes));
    return result;
  }

 private:
  // positions_[begin, end) are rows of one data file, in file order.
  struct Run { size_t data_file; size_t begin; size_t end; };

  static bool IsNegative(int64_t position) { return position < 0; }

  int64_t collected_bytes() const {
    return static_cast<int64_t>(positions_.size() * sizeof(int64_t) + runs_.size() * sizeof(Run)) +
           static_cast<int64_t>(paths_.size()) * kBytesPerDataFile + path_bytes_;
  }
  arrow::Status Reserve() { return memory_->Resize(collected_bytes()); }

  // A path is looked up once per run of equal ones.
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

  void AddRun(size_t data_file, const int64_t* begin, const int64_t* end) {
    const size_t start = positions_.size();
    positions_.insert(positions_.end(), begin, end);
    if (runs_.empty() || runs_.back().data_file != data_file) runs_.push_back({data_file, start, start});
    runs_.back().end = positions_.size();
  }

  void UseDictionary(const arrow::DictionaryArray& encoded) {
    if (encoded.dictionary()->data() == dictionary_) return;
    dictionary_ = encoded.dictionary()->data();
    const auto& entries = static_cast<const arrow::StringArray&>(*encoded.dictionary());
    number_of_code_.clear();
    for (int64_t i = 0; i < entries.length(); ++i) number_of_code_.push_back(NumberOf(entries.GetView(i)));
  }

  size_t NumberOf(std::string_view data_path) {
    auto found = numbers_.find(data_path);
    if (found == numbers_.end()) {
      found = numbers_.emplace(std::string(data_path), paths_.size()).first;
      paths_.push_back(&found->first);
      path_bytes_ += static_cast<int64_t>(data_path.size());
    }
    return found->second;
  }

  arrow::Status Corrupt(const char* what, base::FileRow row) const {
    return base::CorruptData("position delete file has a ", what, ": file ", path_, ", at or after row ", row.value);
  }

  const std::string& path_;
  base::Reservation* const memory_;
  std::vector<int64_t> positions_;
  std::vector<Run> runs_;
  std::map<std::string, size_t, std::less<>> numbers_;  // of the data files, as they come
  std::vector<const std::string*> paths_;               // by number
  int64_t path_bytes_ = 0;
  std::shared_ptr<arrow::ArrayData> dictionary_;  // that of number_of_code_
  std::vector<size_t> number_of_code_;
};

}  // namespace

arrow::Result<PositionDeletes> ReadPositionDeletes(std::shared_ptr<arrow::io::RandomAccessFile> file, const std::string& path,
                                                   arrow::MemoryPool* pool, base::Reservation* memory) {
  // Writers without field ids are known by the spec's column names.
  static const std::vector<iceberg::MappedField> kNames = {{iceberg::kDeleteFilePathId, {"file_path"}, {}},
                                                           {iceberg::kDeleteFilePosId, {"pos"}, {}}};
  ARROW_ASSIGN_OR_RAISE(auto opened, parquet::ParquetFile::Open(std::move(file), path, kNames));
  for (const Field* field : {&PathField(), &PosField()}) {
    if (!opened->HasField(field->id)) return base::CorruptData("position delete file has no column ", field->name, ": file ", path);
  }
  ARROW_ASSIGN_OR_RAISE(auto path_reader, parquet::ColumnReader::Make(opened, PathField(), pool, {.encoded = true}));
  ARROW_ASSIGN_OR_RAISE(auto pos_reader, parquet::ColumnReader::Make(opened, PosField(), pool));
  Collector collector(path, memory);
  for (const base::FileRowRange& group : opened->row_groups()) {
    for (base::FileRow begin = group.begin; begin < group.end; begin = begin + kRowsPerRead) {
      const auto rows = columnar::Selection::All(std::min(kRowsPerRead, group.end - begin), begin);
      ARROW_ASSIGN_OR_RAISE(auto paths, path_reader->Read(rows));
      ARROW_ASSIGN_OR_RAISE(auto positions, pos_reader->Read(rows));
      ARROW_RETURN_NOT_OK(collector.Add(*paths, static_cast<const arrow::Int64Array&>(*positions), begin));
    }
  }
  return collector.Finish();
}

}  // namespace vecruntime::deletes
