// SPDX-License-Identifier: Apache-2.0
#include "vecruntime/deletes/deletion_vector.h"

#include <arrow/result.h>
#include <libdeflate.h>

#include <cstddef>

#include "vecruntime/base/error.h"

namespace vecruntime::deletes {
namespace {

constexpr std::string_view kMagic = "\xD1\xD3\x39\x64";
constexpr size_t kLengthBytes = 4;
constexpr size_t kChecksumBytes = 4;

uint32_t BigEndian32(std::string_view bytes) {
  uint32_t value = 0;
  for (size_t i = 0; i < 4; ++i) value = value << 8 | static_cast<uint8_t>(bytes[i]);
  return value;
}

}  // namespace

arrow::Result<DeletedRows> DecodeDeletionVector(std::string_view bytes, int64_t record_count, std::string_view path, int64_t offset) {
  const auto corrupt = [&](const char* what) {
    return base::CorruptData("deletion vector: ", what, ": file ", path, ", blob at byte ", offset);
  };
  if (bytes.size() < kLengthBytes + kMagic.size() + kChecksumBytes) return corrupt("blob is too short");
  const std::string_view body = bytes.substr(kLengthBytes, bytes.size() - kLengthBytes - kChecksumBytes);
  if (BigEndian32(bytes) != body.size()) return corrupt("length field does not agree with the blob's length");
  if (!body.starts_with(kMagic)) return corrupt("bad magic");
  if (libdeflate_crc32(0, body.data(), body.size()) != BigEndian32(bytes.substr(bytes.size() - kChecksumBytes))) {
    return corrupt("checksum does not match");
  }
  const int64_t bitmap_offset = offset + static_cast<int64_t>(kLengthBytes + kMagic.size());
  ARROW_ASSIGN_OR_RAISE(DeletedRows rows, DeletedRows::FromRoaring64(body.substr(kMagic.size()), path, bitmap_offset));
  if (rows.cardinality() != record_count) {
    return base::CorruptData("deletion vector: cardinality ", rows.cardinality(), " is not the manifest's record count ", record_count,
                             ": file ", path, ", blob at byte ", offset);
  }
  return rows;
}

}  // namespace vecruntime::deletes
