// SPDX-License-Identifier: Apache-2.0
// A column of a quarter million rows from an uncompressed Parquet file in memory, by encoding: what is left when inflating is taken away.
#include <arrow/array/builder_binary.h>
#include <arrow/array/builder_primitive.h>
#include <arrow/io/memory.h>
#include <arrow/table.h>
#include <arrow/type.h>
#include <arrow/util/key_value_metadata.h>
#include <benchmark/benchmark.h>
#include <parquet/arrow/writer.h>
#include <parquet/properties.h>

#include <random>
#include <string>

#include "vecruntime/parquet/column_reader.h"

namespace vecruntime::parquet {
namespace {

constexpr int64_t kRows = 256 * 1024;
constexpr int64_t kMorselRows = 64 * 1024;
constexpr int kFieldId = 1;

template <typename Builder, typename Value>
std::shared_ptr<arrow::Array> Column(Value&& value) {
  std::mt19937 random(5);
  Builder builder;
  for (int64_t i = 0; i < kRows; ++i) {
    const auto status = builder.Append(value(random));
    if (!status.ok()) status.Abort();
  }
  return builder.Finish().ValueOrDie();
}

std::shared_ptr<arrow::Array> Doubles() {
  return Column<arrow::DoubleBuilder>([](auto& random) { return static_cast<double>(random()) / 100; });
}
std::shared_ptr<arrow::Array> FewDoubles() {
  return Column<arrow::DoubleBuilder>([](auto& random) { return static_cast<double>(random() % 50); });
}
std::shared_ptr<arrow::Array> Longs() {
  return Column<arrow::Int64Builder>([](auto& random) { return static_cast<int64_t>(random() % 6'000'000); });
}
std::shared_ptr<arrow::Array> Texts() {
  return Column<arrow::StringBuilder>([](auto& random) { return "comment " + std::to_string(random()); });
}

arrow::Result<std::shared_ptr<const ParquetFile>> MakeFile(const std::shared_ptr<arrow::Array>& column, ::parquet::Encoding::type encoding) {
  ::parquet::WriterProperties::Builder properties;
  properties.compression(arrow::Compression::UNCOMPRESSED)->data_pagesize(1 << 17);
  if (encoding == ::parquet::Encoding::RLE_DICTIONARY) {
    properties.enable_dictionary();
  } else {
    properties.disable_dictionary()->encoding(encoding);
  }
  const auto field = arrow::field("c", column->type(), true, arrow::key_value_metadata({"PARQUET:field_id"}, {std::to_string(kFieldId)}));
  ARROW_ASSIGN_OR_RAISE(auto sink, arrow::io::BufferOutputStream::Create());
  ARROW_RETURN_NOT_OK(::parquet::arrow::WriteTable(*arrow::Table::Make(arrow::schema({field}), {column}), arrow::default_memory_pool(), sink,
                                                   kRows, properties.build()));
  ARROW_ASSIGN_OR_RAISE(auto buffer, sink->Finish());
  return ParquetFile::Open(std::make_shared<arrow::io::BufferReader>(buffer), "memory.parquet", {});
}

arrow::Status Decode(benchmark::State& state, const std::shared_ptr<arrow::Array>& column, ::parquet::Encoding::type encoding,
                     ColumnReaderOptions options) {
  ARROW_ASSIGN_OR_RAISE(const auto file, MakeFile(column, encoding));
  const iceberg::Field* const field = file->schema().FindById(kFieldId);
  for (auto _ : state) {
    ARROW_ASSIGN_OR_RAISE(auto reader, ColumnReader::Make(file, *field, arrow::default_memory_pool(), options));
    for (int64_t begin = 0; begin < kRows; begin += kMorselRows) {
      ARROW_ASSIGN_OR_RAISE(auto values, reader->Read(columnar::Selection::All(kMorselRows, base::FileRow{begin})));
      benchmark::DoNotOptimize(values);
    }
  }
  state.SetItemsProcessed(state.iterations() * kRows);
  return arrow::Status::OK();
}

using MakeColumn = std::shared_ptr<arrow::Array> (*)();

void PageDecode(benchmark::State& state, MakeColumn make, ::parquet::Encoding::type encoding, ColumnReaderOptions options) {
  const arrow::Status status = Decode(state, make(), encoding, options);
  if (!status.ok()) state.SkipWithError(status.message().c_str());
}

constexpr ColumnReaderOptions kOurs = {};
constexpr ColumnReaderOptions kCodes = {.encoded = true};
constexpr ColumnReaderOptions kLibrary = {.decoder = PageDecoder::kLibrary};
using ::parquet::Encoding;

BENCHMARK_CAPTURE(PageDecode, double_plain, Doubles, Encoding::PLAIN, kOurs);
BENCHMARK_CAPTURE(PageDecode, double_plain_library, Doubles, Encoding::PLAIN, kLibrary);
BENCHMARK_CAPTURE(PageDecode, double_byte_stream_split, Doubles, Encoding::BYTE_STREAM_SPLIT, kOurs);
BENCHMARK_CAPTURE(PageDecode, double_dictionary, FewDoubles, Encoding::RLE_DICTIONARY, kOurs);
BENCHMARK_CAPTURE(PageDecode, double_dictionary_codes, FewDoubles, Encoding::RLE_DICTIONARY, kCodes);
BENCHMARK_CAPTURE(PageDecode, double_dictionary_library, FewDoubles, Encoding::RLE_DICTIONARY, kLibrary);
BENCHMARK_CAPTURE(PageDecode, long_delta, Longs, Encoding::DELTA_BINARY_PACKED, kOurs);
BENCHMARK_CAPTURE(PageDecode, text_plain, Texts, Encoding::PLAIN, kOurs);
BENCHMARK_CAPTURE(PageDecode, text_delta_length, Texts, Encoding::DELTA_LENGTH_BYTE_ARRAY, kOurs);

}  // namespace
}  // namespace vecruntime::parquet
