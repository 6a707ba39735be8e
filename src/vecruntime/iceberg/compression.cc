// SPDX-License-Identifier: Apache-2.0
#include "vecruntime/iceberg/compression.h"

#include <libdeflate.h>
#include <lz4frame.h>
#include <snappy.h>
#include <zstd.h>
#include <zstd_errors.h>

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <memory>

#include "vecruntime/base/error.h"

namespace vecruntime::iceberg {
namespace {

enum class Inflate { kDone, kOutputTooSmall, kDamaged };

/// Runs `inflate(out, capacity, &size)` with ever larger outputs, from `first_guess` up to what `compressed` bytes may become.
template <typename Function>
arrow::Status InflateGrowing(std::string_view codec, size_t compressed, size_t first_guess, std::string* out, const Function& inflate) {
  const size_t limit = MaxInflated(compressed);
  for (size_t capacity = std::min(std::max<size_t>(first_guess, 4096), limit);; capacity = std::min(capacity * 4, limit)) {
    out->resize(capacity);
    size_t size = 0;
    switch (inflate(out->data(), capacity, &size)) {
      case Inflate::kDone:
        out->resize(size);
        return arrow::Status::OK();
      case Inflate::kDamaged:
        return base::CorruptData("damaged ", codec, " data");
      case Inflate::kOutputTooSmall:
        if (capacity == limit) return base::CorruptData(codec, " data inflates to more than ", limit, " bytes");
    }
  }
}

struct FreeDecompressor {
  void operator()(libdeflate_decompressor* decompressor) const { libdeflate_free_decompressor(decompressor); }
};

/// One per thread: making one costs more than a small block.
libdeflate_decompressor* ThreadDecompressor() {
  thread_local const std::unique_ptr<libdeflate_decompressor, FreeDecompressor> decompressor(libdeflate_alloc_decompressor());
  return decompressor.get();
}

Inflate ToInflate(libdeflate_result result) {
  if (result == LIBDEFLATE_SUCCESS) return Inflate::kDone;
  return result == LIBDEFLATE_INSUFFICIENT_SPACE ? Inflate::kOutputTooSmall : Inflate::kDamaged;
}

Inflate InflateGzipMembers(std::string_view bytes, char* out, size_t capacity, size_t* size) {
  while (!bytes.empty()) {
    size_t consumed = 0;
    size_t produced = 0;
    const auto result = ToInflate(libdeflate_gzip_decompress_ex(ThreadDecompressor(), bytes.data(), bytes.size(), out + *size,
                                                                capacity - *size, &consumed, &produced));
    if (result != Inflate::kDone) return result;
    *size += produced;
    bytes.remove_prefix(consumed);
  }
  return Inflate::kDone;
}

}  // namespace

bool IsGzip(std::string_view bytes) { return bytes.size() >= 2 && bytes[0] == '\x1f' && bytes[1] == '\x8b'; }

arrow::Status InflateGzip(std::string_view bytes, std::string* out) {
  // The last four bytes claim the size of the last member.
  uint32_t claimed = 0;
  if (bytes.size() >= 4) std::memcpy(&claimed, bytes.data() + bytes.size() - 4, 4);
  return InflateGrowing("gzip", bytes.size(), claimed, out, [&](char* to, size_t capacity, size_t* size) {
    return InflateGzipMembers(bytes, to, capacity, size);
  });
}

arrow::Status InflateRaw(std::string_view bytes, std::string* out) {
  return InflateGrowing("deflate", bytes.size(), std::max(bytes.size() * 8, out->capacity()), out,
                        [&](char* to, size_t capacity, size_t* size) {
                          return ToInflate(libdeflate_deflate_decompress(ThreadDecompressor(), bytes.data(), bytes.size(), to, capacity, size));
                        });
}

arrow::Status InflateZstd(std::string_view bytes, std::string* out) {
  const unsigned long long claimed = ZSTD_getFrameContentSize(bytes.data(), bytes.size());
  if (claimed == ZSTD_CONTENTSIZE_ERROR) return base::CorruptData("damaged zstandard data");
  const size_t guess = claimed == ZSTD_CONTENTSIZE_UNKNOWN ? bytes.size() * 8 : static_cast<size_t>(claimed);
  return InflateGrowing("zstandard", bytes.size(), guess, out, [&](char* to, size_t capacity, size_t* size) {
    // One-shot, so that no window is allocated on the frame's word.
    *size = ZSTD_decompress(to, capacity, bytes.data(), bytes.size());
    if (!ZSTD_isError(*size)) return Inflate::kDone;
    return ZSTD_getErrorCode(*size) == ZSTD_error_dstSize_tooSmall ? Inflate::kOutputTooSmall : Inflate::kDamaged;
  });
}

arrow::Status InflateSnappy(std::string_view bytes, std::string* out) {
  size_t size = 0;
  if (!snappy::GetUncompressedLength(bytes.data(), bytes.size(), &size) || size > MaxInflated(bytes.size())) {
    return base::CorruptData("damaged snappy data");
  }
  out->resize(size);
  if (!snappy::RawUncompress(bytes.data(), bytes.size(), out->data())) return base::CorruptData("damaged snappy data");
  return arrow::Status::OK();
}

arrow::Status InflateLz4Frame(std::string_view bytes, std::string* out) {
  LZ4F_dctx* context = nullptr;
  if (LZ4F_isError(LZ4F_createDecompressionContext(&context, LZ4F_VERSION))) return base::ResourceExhausted("no memory for an LZ4 context");
  const std::unique_ptr<LZ4F_dctx, decltype(&LZ4F_freeDecompressionContext)> owner(context, &LZ4F_freeDecompressionContext);
  return InflateGrowing("LZ4", bytes.size(), bytes.size() * 8, out, [&](char* to, size_t capacity, size_t* size) {
    LZ4F_resetDecompressionContext(context);
    size_t consumed = bytes.size();
    *size = capacity;
    const size_t hint = LZ4F_decompress(context, to, size, bytes.data(), &consumed, nullptr);
    if (LZ4F_isError(hint)) return Inflate::kDamaged;
    if (hint == 0) return consumed == bytes.size() ? Inflate::kDone : Inflate::kDamaged;
    return *size == capacity ? Inflate::kOutputTooSmall : Inflate::kDamaged;
  });
}

}  // namespace vecruntime::iceberg
