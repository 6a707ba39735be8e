// SPDX-License-Identifier: Apache-2.0
#include "vecruntime/parquet/page_codec_internal.h"

#include <arrow/util/compression.h>
#include <isa-l/crc.h>
#include <libdeflate.h>
#include <lz4.h>
#include <snappy.h>
#include <zstd.h>

#include <limits>
#include <memory>

namespace vecruntime::parquet {
namespace {

using arrow::Compression;
using arrow::Status;

Status Malformed(const char* codec) { return Status::SerializationError("malformed ", codec, " page"); }

Status InflateSnappy(std::span<const uint8_t> in, std::span<uint8_t> out) {
  const char* bytes = reinterpret_cast<const char*>(in.data());
  size_t size = 0;
  if (!snappy::GetUncompressedLength(bytes, in.size(), &size) || size != out.size() ||
      !snappy::RawUncompress(bytes, in.size(), reinterpret_cast<char*>(out.data()))) {
    return Malformed("snappy");
  }
  return Status::OK();
}

Status InflateLz4(std::span<const uint8_t> in, std::span<uint8_t> out) {
  const int size = LZ4_decompress_safe(reinterpret_cast<const char*>(in.data()), reinterpret_cast<char*>(out.data()),
                                       static_cast<int>(in.size()), static_cast<int>(out.size()));
  return size >= 0 && static_cast<size_t>(size) == out.size() ? Status::OK() : Malformed("lz4");
}

// A gzip page may be several members in a row (RFC 1952); some writers produce zlib streams instead.
Status InflateGzip(libdeflate_decompressor* context, std::span<const uint8_t> in, std::span<uint8_t> out) {
  while (!out.empty()) {
    size_t used = 0;
    size_t made = 0;
    libdeflate_result result = libdeflate_gzip_decompress_ex(context, in.data(), in.size(), out.data(), out.size(), &used, &made);
    if (result != LIBDEFLATE_SUCCESS) {
      result = libdeflate_zlib_decompress_ex(context, in.data(), in.size(), out.data(), out.size(), &used, &made);
    }
    if (result != LIBDEFLATE_SUCCESS || used == 0) return Malformed("gzip");
    in = in.subspan(used);
    out = out.subspan(made);
    if (in.empty() && !out.empty()) return Malformed("gzip");
  }
  return Status::OK();
}

/// The contexts of one thread.
struct Contexts {
  ZSTD_DCtx* zstd = nullptr;
  libdeflate_decompressor* deflate = nullptr;
  std::unique_ptr<arrow::util::Codec> other;
  Compression::type other_type = Compression::UNCOMPRESSED;

  ~Contexts() {
    ZSTD_freeDCtx(zstd);
    if (deflate != nullptr) libdeflate_free_decompressor(deflate);
  }

  Status InflateZstd(std::span<const uint8_t> in, std::span<uint8_t> out) {
    if (zstd == nullptr && (zstd = ZSTD_createDCtx()) == nullptr) return Status::OutOfMemory("zstd context");
    const size_t size = ZSTD_decompressDCtx(zstd, out.data(), out.size(), in.data(), in.size());
    return !ZSTD_isError(size) && size == out.size() ? Status::OK() : Malformed("zstd");
  }

  Status InflateGzipPage(std::span<const uint8_t> in, std::span<uint8_t> out) {
    if (deflate == nullptr && (deflate = libdeflate_alloc_decompressor()) == nullptr) return Status::OutOfMemory("deflate context");
    return InflateGzip(deflate, in, out);
  }

  Status InflateOther(Compression::type codec, std::span<const uint8_t> in, std::span<uint8_t> out) {
    if (other == nullptr || other_type != codec) {
      ARROW_ASSIGN_OR_RAISE(other, arrow::util::Codec::Create(codec));
      other_type = codec;
    }
    const auto size = other->Decompress(static_cast<int64_t>(in.size()), in.data(), static_cast<int64_t>(out.size()), out.data());
    return size.ok() && *size == static_cast<int64_t>(out.size()) ? Status::OK() : Malformed("compressed");
  }
};

Contexts& OfThisThread() {
  thread_local Contexts contexts;
  return contexts;
}

}  // namespace

// ISA-L's folds 512 bits at a time where it can: every page that is read pays for this.
uint32_t PageCrc(std::span<const uint8_t> body) { return crc32_gzip_refl(0, body.data(), body.size()); }

int64_t InflatedBytesMax(Compression::type codec, int64_t compressed_bytes) {
  switch (codec) {
    case Compression::UNCOMPRESSED: return compressed_bytes;
    case Compression::SNAPPY: return compressed_bytes * 64;        // a 3-byte copy makes at most 64
    case Compression::LZ4: return compressed_bytes * 256;          // a length byte makes at most 255
    case Compression::GZIP: return compressed_bytes * 1040;        // deflate's limit is 1032
    case Compression::ZSTD: return compressed_bytes * 64 * 1024;   // an RLE block of 4 bytes makes 128 KiB
    default: return std::numeric_limits<int32_t>::max();
  }
}

Status InflatePage(Compression::type codec, std::span<const uint8_t> in, std::span<uint8_t> out) {
  switch (codec) {
    case Compression::SNAPPY: return InflateSnappy(in, out);
    case Compression::LZ4: return InflateLz4(in, out);
    case Compression::GZIP: return OfThisThread().InflateGzipPage(in, out);
    case Compression::ZSTD: return OfThisThread().InflateZstd(in, out);
    default: return OfThisThread().InflateOther(codec, in, out);
  }
}

}  // namespace vecruntime::parquet
