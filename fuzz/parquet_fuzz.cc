// SPDX-License-Identifier: Apache-2.0
// Any bytes as a Parquet file, every column read by our page decoding and by libparquet's: where both read it, they agree. (Not compared
// when compressed: versions of a codec may differ in what they make of damaged bytes.)
#include <arrow/array.h>
#include <arrow/buffer.h>
#include <arrow/io/memory.h>
#include <arrow/memory_pool.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <exception>

#include "vecruntime/columnar/decode.h"
#include "vecruntime/parquet/column_reader.h"
#include "vecruntime/parquet/parquet_file.h"
#include "vecruntime/parquet/parquet_file_internal.h"

namespace {

using vecruntime::columnar::Selection;
using vecruntime::parquet::ColumnReader;
using vecruntime::parquet::PageDecoder;
using vecruntime::parquet::ParquetFile;

constexpr int64_t kRowsMax = 4096;
constexpr int64_t kBytesMax = int64_t{256} << 20;

std::shared_ptr<arrow::Array> ReadOrNull(const std::shared_ptr<const ParquetFile>& file, const vecruntime::iceberg::Field& field,
                                         const Selection& rows, vecruntime::parquet::ColumnReaderOptions options) {
  // What a damaged file makes libparquet allocate is its own affair, within limits.
  static arrow::CappedMemoryPool pool(arrow::default_memory_pool(), kBytesMax);
  auto reader = ColumnReader::Make(file, field, &pool, options);
  if (!reader.ok()) return nullptr;
  auto array = (*reader)->Read(rows);
  if (array.ok()) array = vecruntime::columnar::Decode(*array, &pool);
  return array.ok() ? *array : nullptr;
}

bool IsCompressed(const ParquetFile& file, int row_group) try {
  const auto group = file.impl().metadata->RowGroup(row_group);
  for (int c = 0; c < group->num_columns(); ++c) {
    if (group->ColumnChunk(c)->compression() != arrow::Compression::UNCOMPRESSED) return true;
  }
  return false;
} catch (const std::exception&) {
  return true;  // the metadata of some other column is damaged
}

void ReadRowGroup(const std::shared_ptr<const ParquetFile>& file, int row_group) {
  const auto range = file->row_groups()[static_cast<size_t>(row_group)];
  if (range.empty()) return;
  const Selection rows = Selection::All(std::min(range.length(), kRowsMax), range.begin);
  const auto options = arrow::EqualOptions::Defaults().nans_equal(true).signed_zeros_equal(false);
  for (const auto& field : file->schema().columns()) {
    (void)file->Statistics(row_group, field);
    (void)file->PageStarts(row_group, field.id);
    const auto own = ReadOrNull(file, field, rows, {});
    const auto codes = ReadOrNull(file, field, rows, {.encoded = true});
    if ((own == nullptr) != (codes == nullptr) || (own != nullptr && !codes->Equals(own, options))) std::abort();
    const auto library = ReadOrNull(file, field, rows, {.decoder = PageDecoder::kLibrary});
    if (own == nullptr || library == nullptr || IsCompressed(*file, row_group)) continue;
    if (!own->ValidateFull().ok() && library->ValidateFull().ok()) std::abort();
    if (library->ValidateFull().ok() && !own->Equals(library, options)) std::abort();
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  auto buffer = std::make_shared<arrow::Buffer>(data, static_cast<int64_t>(size));
  const auto file = ParquetFile::Open(std::make_shared<arrow::io::BufferReader>(std::move(buffer)), "fuzz.parquet", {});
  if (!file.ok()) return 0;
  const int groups = static_cast<int>(std::min<size_t>((*file)->row_groups().size(), 4));
  for (int i = 0; i < groups; ++i) ReadRowGroup(*file, i);
  return 0;
}
