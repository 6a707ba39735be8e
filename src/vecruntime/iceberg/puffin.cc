// SPDX-License-Identifier: Apache-2.0
#include "vecruntime/iceberg/puffin.h"

#include <arrow/buffer.h>
#include <arrow/io/interfaces.h>
#include <arrow/result.h>

#include <string_view>
#include <utility>

#include "vecruntime/base/error.h"
#include "vecruntime/iceberg/compression.h"
#include "vecruntime/iceberg/json_node.h"

namespace vecruntime::iceberg {
namespace {

constexpr std::string_view kMagic = "PFA1";
constexpr int64_t kMagicBytes = 4;
constexpr int64_t kTrailerBytes = 4 + 4 + kMagicBytes;  // payload size, flags, magic
constexpr uint32_t kFlagCompressed = 1;

uint32_t LittleEndian32(std::string_view bytes) {
  uint32_t value = 0;
  for (size_t i = 4; i-- > 0;) value = value << 8 | static_cast<uint8_t>(bytes[i]);
  return value;
}

arrow::Result<PuffinBlob> ParseBlob(const JsonNode& node, int64_t blobs_end) {
  PuffinBlob blob;
  ARROW_ASSIGN_OR_RAISE(blob.type, node.Get<std::string>("type"));
  ARROW_ASSIGN_OR_RAISE(const JsonNode fields, node.Get("fields"));
  ARROW_ASSIGN_OR_RAISE(blob.fields, fields.AsList<int32_t>());
  ARROW_ASSIGN_OR_RAISE(blob.offset, node.Get<int64_t>("offset"));
  ARROW_ASSIGN_OR_RAISE(blob.length, node.Get<int64_t>("length"));
  ARROW_ASSIGN_OR_RAISE(const auto codec, node.Find<std::string>("compression-codec"));
  blob.compression_codec = codec.value_or("");
  if (const auto properties = node.Find("properties")) {
    ARROW_ASSIGN_OR_RAISE(blob.properties, properties->AsStringMap());
  }
  const bool inside = blob.offset >= kMagicBytes && blob.length >= 0 && blob.offset <= blobs_end && blob.length <= blobs_end - blob.offset;
  if (!inside) return node.Error("blob lies outside the file");
  return blob;
}

arrow::Result<PuffinFooter> ParsePayload(std::string_view json, int64_t blobs_end) {
  ARROW_ASSIGN_OR_RAISE(const auto document, JsonDocument::Parse(json));
  PuffinFooter footer;
  ARROW_ASSIGN_OR_RAISE(const JsonNode blobs, document->root().Get("blobs"));
  ARROW_ASSIGN_OR_RAISE(const auto items, blobs.Items());
  for (const JsonNode& item : items) {
    ARROW_ASSIGN_OR_RAISE(footer.blobs.emplace_back(), ParseBlob(item, blobs_end));
  }
  if (const auto properties = document->root().Find("properties")) {
    ARROW_ASSIGN_OR_RAISE(footer.properties, properties->AsStringMap());
  }
  return footer;
}

}  // namespace

arrow::Result<PuffinFooter> ReadPuffinFooter(arrow::io::RandomAccessFile* file, const std::string& path) {
  const auto corrupt = [&](const char* what) { return base::CorruptData("Puffin file: ", what, ": ", path); };
  ARROW_ASSIGN_OR_RAISE(const int64_t size, file->GetSize());
  if (size < kMagicBytes + kMagicBytes + kTrailerBytes) return corrupt("file is too short");
  ARROW_ASSIGN_OR_RAISE(const auto head, file->ReadAt(0, kMagicBytes));
  ARROW_ASSIGN_OR_RAISE(const auto trailer_bytes, file->ReadAt(size - kTrailerBytes, kTrailerBytes));
  const std::string_view trailer(*trailer_bytes);
  if (trailer.size() != kTrailerBytes || std::string_view(*head) != kMagic || trailer.substr(8) != kMagic) return corrupt("bad magic");
  const int64_t payload_size = LittleEndian32(trailer);
  const uint32_t flags = LittleEndian32(trailer.substr(4));
  if ((flags & ~kFlagCompressed) != 0) return base::Unsupported("Puffin footer flags ", flags, ": ", path);
  const int64_t payload_at = size - kTrailerBytes - payload_size;
  if (payload_at < kMagicBytes + kMagicBytes) return corrupt("footer is longer than the file");
  ARROW_ASSIGN_OR_RAISE(const auto footer_bytes, file->ReadAt(payload_at - kMagicBytes, kMagicBytes + payload_size));
  const std::string_view footer(*footer_bytes);
  if (footer.substr(0, kMagicBytes) != kMagic) return corrupt("bad magic before the footer");
  std::string_view payload = footer.substr(kMagicBytes);
  std::string inflated;
  if ((flags & kFlagCompressed) != 0) {
    ARROW_RETURN_NOT_OK(base::WithContext(InflateLz4Frame(payload, &inflated), "footer of Puffin file " + path));
    payload = inflated;
  }
  auto parsed = ParsePayload(payload, payload_at - kMagicBytes);
  if (!parsed.ok()) return base::WithContext(parsed.status(), "footer of Puffin file " + path);
  return parsed;
}

}  // namespace vecruntime::iceberg
