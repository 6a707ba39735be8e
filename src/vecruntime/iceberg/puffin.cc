// SPDX-License-Identifier: Apache-2.0
#include "vecruntime/iceberg/puffin.h"

#include <arrow/buffer.h>
#include <arrow/io/interfaces.h>

#include <cstring>
#include <utility>

#include "vecruntime/base/error.h"
#include "vecruntime/iceberg/compression.h"
#include "vecruntime/iceberg/json_node.h"

namespace vecruntime::iceberg {
namespace {

// magic | blobs | magic | payload | payload size (4, little endian) | flags (4) | magic
constexpr std::string_view kMagic = "PFA1";
constexpr int64_t kTrailerSize = 4 + 4 + 4;
constexpr uint32_t kPayloadCompressed = 1;

arrow::Result<PuffinBlob> ParseBlob(const JsonNode& node, int64_t footer_offset) {
  PuffinBlob blob;
  ARROW_ASSIGN_OR_RAISE(blob.type, node.Get<std::string>("type"));
  ARROW_ASSIGN_OR_RAISE(const JsonNode fields, node.Get("fields"));
  ARROW_ASSIGN_OR_RAISE(blob.fields, fields.AsList<FieldId>());
  ARROW_ASSIGN_OR_RAISE(blob.snapshot_id, node.Get<int64_t>("snapshot-id"));
  ARROW_ASSIGN_OR_RAISE(blob.sequence_number, node.Get<int64_t>("sequence-number"));
  ARROW_ASSIGN_OR_RAISE(blob.offset, node.Get<int64_t>("offset"));
  ARROW_ASSIGN_OR_RAISE(blob.length, node.Get<int64_t>("length"));
  ARROW_ASSIGN_OR_RAISE(blob.compression_codec, node.Find<std::string>("compression-codec"));
  if (const auto properties = node.Find("properties")) {
    ARROW_ASSIGN_OR_RAISE(blob.properties, properties->AsStringMap());
  }
  const auto magic_size = static_cast<int64_t>(kMagic.size());
  if (blob.offset < magic_size || blob.length < 0 || blob.offset > footer_offset || blob.length > footer_offset - blob.offset) {
    return node.Error("blob outside the file");
  }
  return blob;
}

arrow::Result<PuffinFooter> ParsePayload(std::string_view json, int64_t footer_offset) {
  ARROW_ASSIGN_OR_RAISE(const auto document, JsonDocument::Parse(json));
  PuffinFooter footer;
  ARROW_ASSIGN_OR_RAISE(const JsonNode list, document->root().Get("blobs"));
  ARROW_ASSIGN_OR_RAISE(const auto items, list.Items());
  for (const JsonNode& item : items) {
    ARROW_ASSIGN_OR_RAISE(PuffinBlob blob, ParseBlob(item, footer_offset));
    footer.blobs.push_back(std::move(blob));
  }
  if (const auto properties = document->root().Find("properties")) {
    ARROW_ASSIGN_OR_RAISE(footer.properties, properties->AsStringMap());
  }
  return footer;
}

uint32_t LoadLittleEndian(std::string_view bytes) {
  uint32_t value = 0;
  std::memcpy(&value, bytes.data(), sizeof(value));
  return value;
}

arrow::Result<std::shared_ptr<arrow::Buffer>> ReadExactly(arrow::io::RandomAccessFile* file, int64_t offset, int64_t length) {
  ARROW_ASSIGN_OR_RAISE(auto buffer, file->ReadAt(offset, length));
  if (buffer->size() != length) return base::IoError("file is shorter than its size");
  return buffer;
}

arrow::Result<PuffinFooter> ReadFooter(arrow::io::RandomAccessFile* file) {
  const auto magic_size = static_cast<int64_t>(kMagic.size());
  ARROW_ASSIGN_OR_RAISE(const int64_t file_size, file->GetSize());
  if (file_size < magic_size + magic_size + kTrailerSize) return base::CorruptData("too short for a Puffin file: ", file_size, " bytes");
  ARROW_ASSIGN_OR_RAISE(const auto start, ReadExactly(file, 0, magic_size));
  ARROW_ASSIGN_OR_RAISE(const auto trailer, ReadExactly(file, file_size - kTrailerSize, kTrailerSize));
  const std::string_view tail(*trailer);
  if (std::string_view(*start) != kMagic) return base::CorruptData("bad Puffin magic at byte 0");
  if (tail.substr(8) != kMagic) return base::CorruptData("bad Puffin magic at byte ", file_size - magic_size);
  const int64_t payload_size = LoadLittleEndian(tail);
  const uint32_t flags = LoadLittleEndian(tail.substr(4));
  if ((flags & ~kPayloadCompressed) != 0) return base::Unsupported("Puffin footer flags ", flags);
  const int64_t footer_offset = file_size - kTrailerSize - payload_size - magic_size;
  if (footer_offset < magic_size) return base::CorruptData("Puffin footer longer than the file: ", payload_size, " bytes");
  ARROW_ASSIGN_OR_RAISE(const auto footer, ReadExactly(file, footer_offset, magic_size + payload_size));
  std::string_view payload(*footer);
  if (!payload.starts_with(kMagic)) return base::CorruptData("bad Puffin magic at byte ", footer_offset);
  payload.remove_prefix(kMagic.size());
  std::string inflated;
  if ((flags & kPayloadCompressed) != 0) {
    ARROW_RETURN_NOT_OK(InflateLz4Frame(payload, &inflated));
    payload = inflated;
  }
  return ParsePayload(payload, footer_offset);
}

}  // namespace

const PuffinBlob* PuffinFooter::FindBlob(int64_t offset, int64_t length) const {
  for (const PuffinBlob& blob : blobs) {
    if (blob.offset == offset && blob.length == length) return &blob;
  }
  return nullptr;
}

arrow::Result<PuffinFooter> ReadPuffinFooter(arrow::io::RandomAccessFile* file, std::string_view path) {
  auto footer = ReadFooter(file);
  if (!footer.ok()) return base::WithContext(footer.status(), "Puffin file " + std::string(path));
  return footer;
}

}  // namespace vecruntime::iceberg
