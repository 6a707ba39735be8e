// SPDX-License-Identifier: Apache-2.0
// vecruntime_floor: how long it takes to inflate exactly the pages that a query needs, and nothing else. No reader of the same files can be
// faster, so its time is what VecRuntime's is held against.
//
// A page is needed when its column is read and it holds a row that the deletes and the filter leave (in blocks of kBlockRows). Which these
// are is found out beforehand; only reading and inflating is timed: one zstd context and one buffer a thread, pages handed out one by one.
//
// Standard input: one job a line, {"table": "ns.t", "columns": ["a", ...], "where": "..." or ""}. Standard output: one line each,
// {"ms": ..., "pages": ..., "compressed_bytes": ..., "inflated_bytes": ..., "method": "mmap" or "pread"}, or {"error": "..."}.
#include <arrow/array.h>
#include <arrow/record_batch.h>
#include <arrow/result.h>
#include <arrow/util/compression.h>
#include <fcntl.h>
#include <parquet/file_reader.h>
#include <parquet/metadata.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zstd.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstring>
#include <iostream>
#include <map>
#include <memory>
#include <nlohmann/json.hpp>
#include <span>
#include <string>
#include <thread>
#include <unordered_map>
#include <vector>

#include "vecruntime/base/error.h"
#include "vecruntime/parquet/page_header_internal.h"
#include "vecruntime/session.h"

namespace vecruntime::bench {
namespace {

constexpr int64_t kBlockRows = 1000;
using Millis = std::chrono::duration<double, std::milli>;

/// Blocks of kBlockRows rows of each data file that hold a row of the answer.
using LiveBlocks = std::map<std::string, std::vector<bool>>;

/// A local file, open for pread and mapped.
class MappedFile {
 public:
  static arrow::Result<std::shared_ptr<const MappedFile>> Open(const std::string& path) {
    std::shared_ptr<MappedFile> file(new MappedFile());
    file->descriptor_ = open(path.c_str(), O_RDONLY | O_CLOEXEC);
    struct stat facts {};
    if (file->descriptor_ < 0 || fstat(file->descriptor_, &facts) != 0) return base::IoError("cannot open ", path);
    file->size_ = static_cast<size_t>(facts.st_size);
    void* const mapped = mmap(nullptr, file->size_, PROT_READ, MAP_SHARED, file->descriptor_, 0);
    if (mapped == MAP_FAILED) return base::IoError("cannot map ", path);
    file->bytes_ = static_cast<const uint8_t*>(mapped);
    return file;
  }
  ~MappedFile() {
    if (bytes_ != nullptr) munmap(const_cast<uint8_t*>(bytes_), size_);
    if (descriptor_ >= 0) close(descriptor_);
  }

  int descriptor() const { return descriptor_; }
  std::span<const uint8_t> bytes() const { return {bytes_, size_}; }

 private:
  MappedFile() = default;
  int descriptor_ = -1;
  const uint8_t* bytes_ = nullptr;
  size_t size_ = 0;
};

struct Page {
  const MappedFile* file = nullptr;
  int64_t offset = 0;  // of the compressed body
  int64_t compressed_bytes = 0;
  int64_t inflated_bytes = 0;
};

struct Job {
  std::vector<std::shared_ptr<const MappedFile>> files;
  std::vector<Page> pages;
  bool mapped = true;
  int64_t compressed_bytes = 0;
  int64_t inflated_bytes = 0;
};

std::string LocalPath(std::string location) {
  if (location.starts_with("file:")) location.erase(0, 5);
  while (location.starts_with("//")) location.erase(0, 1);
  return location;
}

arrow::Result<LiveBlocks> FindLiveBlocks(Session* session, const std::string& table, const std::string& where) {
  const std::string sql = "SELECT DISTINCT _file, _pos DIV " + std::to_string(kBlockRows) + " AS block FROM " + table +
                          (where.empty() ? "" : " WHERE " + where);
  ARROW_ASSIGN_OR_RAISE(auto reader, session->Sql(sql));
  LiveBlocks live;
  std::shared_ptr<arrow::RecordBatch> batch;
  while (true) {
    ARROW_RETURN_NOT_OK(reader->ReadNext(&batch));
    if (batch == nullptr) return live;
    const auto& files = static_cast<const arrow::StringArray&>(*batch->column(0));
    const auto& blocks = static_cast<const arrow::Int64Array&>(*batch->column(1));
    for (int64_t i = 0; i < batch->num_rows(); ++i) {
      std::vector<bool>& of_file = live[files.GetString(i)];
      const auto block = static_cast<size_t>(blocks.Value(i));
      if (block >= of_file.size()) of_file.resize(block + 1);
      of_file[block] = true;
    }
  }
}

bool AnyLive(const std::vector<bool>& live, int64_t begin_row, int64_t end_row) {
  const auto end = std::min<int64_t>((end_row + kBlockRows - 1) / kBlockRows, static_cast<int64_t>(live.size()));
  for (int64_t block = begin_row / kBlockRows; block < end; ++block) {
    if (live[static_cast<size_t>(block)]) return true;
  }
  return false;
}

// Appends the chunk's pages that hold a live row, and its dictionary when there are any.
arrow::Status AddChunk(const std::shared_ptr<const MappedFile>& file, const ::parquet::ColumnChunkMetaData& chunk, int64_t first_row,
                       const std::vector<bool>& live, Job* job) {
  const auto codec = chunk.compression();
  if (codec != arrow::Compression::ZSTD) return base::Unsupported("the floor inflates zstd only, not ", arrow::util::Codec::GetCodecAsString(codec));
  int64_t offset = chunk.data_page_offset();
  if (chunk.has_dictionary_page() && chunk.dictionary_page_offset() > 0) offset = std::min(offset, chunk.dictionary_page_offset());
  const int64_t end = offset + chunk.total_compressed_size();
  std::vector<Page> wanted;
  bool has_data = false;
  while (offset < end) {
    ARROW_ASSIGN_OR_RAISE(const auto header, parquet::ParsePageHeader(file->bytes().subspan(offset, end - offset)));
    if (!header.has_value()) return base::CorruptData("no page header at ", offset);
    const int64_t levels = header->type == parquet::PageType::kDataV2 ? header->def_level_bytes + header->rep_level_bytes : 0;
    const Page page{file.get(), offset + header->header_bytes + levels, header->compressed_bytes - levels, header->uncompressed_bytes - levels};
    // A column without repetition: as many rows as values.
    const bool needed = !header->is_data() || AnyLive(live, first_row, first_row + header->value_count);
    if (needed) wanted.push_back(page);
    has_data = has_data || (needed && header->is_data());
    if (header->is_data()) first_row += header->value_count;
    offset += header->header_bytes + header->compressed_bytes;
  }
  if (has_data) job->pages.insert(job->pages.end(), wanted.begin(), wanted.end());
  return arrow::Status::OK();
}

arrow::Status AddFile(const std::string& path, const std::vector<std::string>& columns, const std::vector<bool>& live, Job* job) {
  ARROW_ASSIGN_OR_RAISE(auto file, MappedFile::Open(path));
  const auto footer = ::parquet::ParquetFileReader::OpenFile(path, /*memory_map=*/true)->metadata();
  for (const std::string& name : columns) {
    const int column = footer->schema()->ColumnIndex(name);
    if (column < 0) return base::NotFound("no column ", name, " in ", path);
    int64_t first_row = 0;
    for (int g = 0; g < footer->num_row_groups(); ++g) {
      const auto group = footer->RowGroup(g);
      ARROW_RETURN_NOT_OK(AddChunk(file, *group->ColumnChunk(column), first_row, live, job));
      first_row += group->num_rows();
    }
  }
  job->files.push_back(std::move(file));
  return arrow::Status::OK();
}

/// What one thread keeps from run to run.
struct Inflater {
  std::unique_ptr<ZSTD_DCtx, size_t (*)(ZSTD_DCtx*)> context{ZSTD_createDCtx(), ZSTD_freeDCtx};
  std::vector<uint8_t> stored;
  std::vector<uint8_t> inflated;

  bool Inflate(const Page& page, bool mapped) {
    const uint8_t* body = page.file->bytes().data() + page.offset;
    const auto compressed = static_cast<size_t>(page.compressed_bytes), size = static_cast<size_t>(page.inflated_bytes);
    if (!mapped) {
      if (stored.size() < compressed) stored.resize(compressed);
      if (pread(page.file->descriptor(), stored.data(), compressed, page.offset) != page.compressed_bytes) return false;
      body = stored.data();
    }
    if (inflated.size() < size) inflated.resize(size);
    return ZSTD_decompressDCtx(context.get(), inflated.data(), size, body, compressed) == size;
  }
};

class Floor {
 public:
  Floor(std::shared_ptr<Session> session, int threads) : session_(std::move(session)), inflaters_(threads) {}

  arrow::Result<nlohmann::json> Run(const nlohmann::json& request) {
    ARROW_ASSIGN_OR_RAISE(Job* const job, Prepare(request));
    ARROW_ASSIGN_OR_RAISE(const double ms, InflateAll(*job));
    return nlohmann::json{{"ms", ms},
                          {"pages", job->pages.size()},
                          {"compressed_bytes", job->compressed_bytes},
                          {"inflated_bytes", job->inflated_bytes},
                          {"method", job->mapped ? "mmap" : "pread"}};
  }

 private:
  arrow::Result<Job*> Prepare(const nlohmann::json& request) {
    auto& job = jobs_[request.dump()];
    if (job != nullptr) return job.get();
    auto made = std::make_unique<Job>();
    const auto columns = request.at("columns").get<std::vector<std::string>>();
    if (!columns.empty()) {
      ARROW_ASSIGN_OR_RAISE(const LiveBlocks live, FindLiveBlocks(session_.get(), request.at("table"), request.value("where", "")));
      for (const auto& [location, blocks] : live) ARROW_RETURN_NOT_OK(AddFile(LocalPath(location), columns, blocks, made.get()));
    }
    for (const Page& page : made->pages) {
      made->compressed_bytes += page.compressed_bytes;
      made->inflated_bytes += page.inflated_bytes;
    }
    ARROW_ASSIGN_OR_RAISE(made->mapped, MappedIsFaster(made.get()));
    job = std::move(made);
    return job.get();
  }

  // The faster of the two ways to reach the bytes, by the best of a few runs each.
  arrow::Result<bool> MappedIsFaster(Job* job) {
    double best_ms[2] = {1e300, 1e300};
    for (int i = 0; i < 8; ++i) {
      job->mapped = i % 2 == 1;
      ARROW_ASSIGN_OR_RAISE(const double ms, InflateAll(*job));
      if (i >= 2) best_ms[i % 2] = std::min(best_ms[i % 2], ms);
    }
    return best_ms[1] < best_ms[0];
  }

  arrow::Result<double> InflateAll(const Job& job) {
    if (job.pages.empty()) return 0.0;
    std::atomic<size_t> next{0};
    std::atomic<bool> failed{false};
    const auto start = std::chrono::steady_clock::now();
    std::vector<std::thread> threads;
    for (Inflater& inflater : inflaters_) {
      threads.emplace_back([&] {
        for (size_t i = next++; i < job.pages.size() && !failed; i = next++) {
          if (!inflater.Inflate(job.pages[i], job.mapped)) failed = true;
        }
      });
    }
    for (std::thread& thread : threads) thread.join();
    const double ms = Millis(std::chrono::steady_clock::now() - start).count();
    if (failed) return base::CorruptData("a page does not inflate to its size");
    return ms;
  }

  const std::shared_ptr<Session> session_;
  std::vector<Inflater> inflaters_;
  std::unordered_map<std::string, std::unique_ptr<Job>> jobs_;
};

int Main(int argc, char** argv) {
  CLI::App app("Inflates exactly the pages a query needs and tells how long that takes.", "vecruntime_floor");
  SessionOptions options;
  int threads = 2;
  app.add_option("-w,--warehouse", options.warehouse, "Directory of the Hadoop catalog")->required();
  app.add_option("-t,--threads", threads, "Threads that inflate")->check(CLI::PositiveNumber);
  CLI11_PARSE(app, argc, argv);
  auto session = Session::Make(options);
  if (!session.ok()) {
    std::cerr << session.status().message() << "\n";
    return 1;
  }
  Floor floor(*session, threads);
  std::string line;
  while (std::getline(std::cin, line)) {
    const auto answer = floor.Run(nlohmann::json::parse(line));
    std::cout << (answer.ok() ? *answer : nlohmann::json{{"error", answer.status().message()}}).dump() << std::endl;
  }
  return 0;
}

}  // namespace
}  // namespace vecruntime::bench

int main(int argc, char** argv) {
  try {
    return vecruntime::bench::Main(argc, argv);
  } catch (const std::exception& error) {
    std::cerr << "vecruntime_floor: " << error.what() << "\n";
    return 1;
  }
}
