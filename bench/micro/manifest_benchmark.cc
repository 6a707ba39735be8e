// SPDX-License-Identifier: Apache-2.0
// A manifest of a thousand data files with metrics of sixteen columns: as uncompressed Avro, and inflated from the codecs writers choose.
#include <arrow/result.h>
#include <benchmark/benchmark.h>

#include <string>

#include "vecruntime/iceberg/avro_writer_for_test.h"
#include "vecruntime/iceberg/manifest.h"

namespace vecruntime::iceberg {
namespace {

constexpr int64_t kFiles = 1000;
constexpr int kColumns = 16;

std::string MapType(const std::string& name, int key_id, const std::string& value_type) {
  return R"(["null",{"type":"array","logicalType":"map","items":{"type":"record","name":")" + name +
         R"(","fields":[{"name":"key","type":"int","field-id":)" + std::to_string(key_id) + R"(},{"name":"value","type":")" + value_type +
         R"(","field-id":)" + std::to_string(key_id + 1) + "}]}}]";
}

std::string Schema() {
  std::string file = R"({"name":"content","type":"int","field-id":134},{"name":"file_path","type":"string","field-id":100},
    {"name":"file_format","type":"string","field-id":101},
    {"name":"partition","type":{"type":"record","name":"r102","fields":[]},"field-id":102},
    {"name":"record_count","type":"long","field-id":103},{"name":"file_size_in_bytes","type":"long","field-id":104})";
  file += R"(,{"name":"value_counts","type":)" + MapType("k119_v120", 119, "long") + R"(,"field-id":109})";
  file += R"(,{"name":"lower_bounds","type":)" + MapType("k126_v127", 126, "bytes") + R"(,"field-id":125})";
  file += R"(,{"name":"upper_bounds","type":)" + MapType("k129_v130", 129, "bytes") + R"(,"field-id":128})";
  return R"({"type":"record","name":"manifest_entry","fields":[{"name":"status","type":"int","field-id":0},
    {"name":"snapshot_id","type":["null","long"],"field-id":1},{"name":"sequence_number","type":["null","long"],"field-id":3},
    {"name":"file_sequence_number","type":["null","long"],"field-id":4},{"name":"data_file","type":{"type":"record","name":"r2","fields":[)" +
         file + R"(]},"field-id":2}]})";
}

std::string Manifest(const std::string& codec) {
  AvroBytes records;
  for (int64_t i = 0; i < kFiles; ++i) {
    records.Long(1).Some().Long(55).Null().Null();
    records.Long(0).Text("/warehouse/db/table/data/00000-" + std::to_string(i) + "-5f0c4d1e-0-00001.parquet").Text("PARQUET");
    records.Long(1'000'000 + i).Long(64'000'000 + i);
    records.Some().Long(kColumns);
    for (int c = 1; c <= kColumns; ++c) records.Long(c).Long(1'000'000 + i);
    records.Long(0);
    for (const std::string_view bound : {"00000000", "99999999"}) {
      records.Some().Long(kColumns);
      for (int c = 1; c <= kColumns; ++c) records.Long(c).Text(bound);
      records.Long(0);
    }
  }
  return AvroFileBytes(Schema(), kFiles, records.str(), codec);
}

// `bounds`: how many columns' metrics the query asks for.
void ManifestDecode(benchmark::State& state, const std::string& codec, int bounds) {
  const std::string bytes = Manifest(codec);
  ManifestFile listed;
  listed.manifest_path = "/m.avro";
  listed.manifest_length = static_cast<int64_t>(bytes.size());
  listed.sequence_number = 9;
  ManifestReadOptions options;
  options.metrics_for.emplace();
  for (int c = 1; c <= bounds; ++c) options.metrics_for->push_back(c);
  const std::vector<PartitionSpec> specs = {PartitionSpec{0, {}}};
  for (auto _ : state) {
    auto entries = ReadManifest(bytes, listed, specs, options);
    if (!entries.ok() || entries->size() != kFiles) return state.SkipWithError(entries.status().ToString().c_str());
    benchmark::DoNotOptimize(entries->data());
  }
  state.SetItemsProcessed(state.iterations() * kFiles);
}
BENCHMARK_CAPTURE(ManifestDecode, no_metrics, "null", 0);
BENCHMARK_CAPTURE(ManifestDecode, one_column, "null", 1);
BENCHMARK_CAPTURE(ManifestDecode, all_columns, "null", kColumns);
BENCHMARK_CAPTURE(ManifestDecode, deflate, "deflate", 1);
BENCHMARK_CAPTURE(ManifestDecode, zstandard, "zstandard", 1);

}  // namespace
}  // namespace vecruntime::iceberg
