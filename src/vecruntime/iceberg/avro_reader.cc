// SPDX-License-Identifier: Apache-2.0
#include "vecruntime/iceberg/avro_reader.h"

#include <libdeflate.h>

#include <bit>
#include <cstring>
#include <limits>
#include <utility>

#include "vecruntime/base/error.h"
#include "vecruntime/iceberg/compression.h"
#include "vecruntime/iceberg/type.h"

namespace vecruntime::iceberg {
namespace {

constexpr std::string_view kMagic = std::string_view("Obj\1", 4);
constexpr size_t kSyncSize = 16;
constexpr int kMaxDepth = 64;

template <typename T>
T Load(std::string_view bytes) {
  T value{};
  if (bytes.size() == sizeof(T)) std::memcpy(&value, bytes.data(), sizeof(T));
  return value;
}

Value DecimalOf(std::string_view bytes, AvroCursor* cursor) {
  static const TypePtr kWidest = Type::Decimal(38, 0);
  auto value = DecodeBound(*kWidest, bytes);
  if (value.ok()) return *std::move(value);
  cursor->Fail("decimal of more than 128 bits");
  return Value{};
}

Value TextOf(const AvroNode& node, std::string_view text, AvroCursor* cursor) {
  if (node.logical_type != "uuid") return Value{std::string(text)};
  auto bytes = UuidBytes(text);
  if (bytes.ok()) return Value{*std::move(bytes)};
  cursor->Fail("invalid uuid");
  return Value{};
}

}  // namespace

void AvroCursor::Fail(const char* fault) {
  if (fault_ == nullptr) fault_ = fault;
  // Reads after a fault find nothing left to read.
  end_ = at_;
}

int64_t AvroCursor::Long() {
  uint64_t value = 0;
  for (int shift = 0; shift < 64; shift += 7) {
    if (at_ == end_) {
      Fail("unexpected end of data");
      return 0;
    }
    const auto byte = static_cast<uint8_t>(*at_++);
    value |= static_cast<uint64_t>(byte & 0x7f) << shift;
    if (byte < 0x80) return static_cast<int64_t>(value >> 1 ^ -(value & 1));
  }
  Fail("integer of more than 64 bits");
  return 0;
}

std::string_view AvroCursor::Raw(size_t length) {
  if (length > static_cast<size_t>(end_ - at_)) {
    Fail("length beyond the end of data");
    return {};
  }
  const std::string_view bytes(at_, length);
  at_ += length;
  return bytes;
}

std::string_view AvroCursor::Bytes() {
  const int64_t length = Long();
  if (length < 0) {
    Fail("negative length");
    return {};
  }
  return Raw(static_cast<size_t>(length));
}

int64_t AvroCursor::BlockCount() {
  int64_t count = Long();
  if (count < 0) {
    Long();  // size of the block in bytes
    if (count == std::numeric_limits<int64_t>::min()) return Fail("invalid count"), 0;
    count = -count;
  }
  if (count > end_ - at_) Fail("more items than bytes");
  return ok() ? count : 0;
}

const AvroNode* AvroCursor::Resolve(const AvroNode* node) {
  if (node->kind == AvroKind::kUnion) {
    const auto branch = static_cast<uint64_t>(Long());
    if (ok() && branch < node->branches.size()) return node->branches[branch];
    Fail("union branch out of range");
  }
  return ok() ? node : nullptr;
}

std::optional<int64_t> AvroCursor::OptionalLong(const AvroNode* node) {
  node = Resolve(node);
  if (node == nullptr || node->kind == AvroKind::kNull) return std::nullopt;
  if (node->kind == AvroKind::kInt || node->kind == AvroKind::kLong) return Long();
  Fail("expected an Avro integer");
  return std::nullopt;
}

std::optional<int32_t> AvroCursor::OptionalInt(const AvroNode* node) {
  const auto value = OptionalLong(node);
  if (!value) return std::nullopt;
  if (*value != static_cast<int32_t>(*value)) Fail("integer of more than 32 bits");
  return static_cast<int32_t>(*value);
}

std::optional<bool> AvroCursor::OptionalBool(const AvroNode* node) {
  node = Resolve(node);
  if (node == nullptr || node->kind == AvroKind::kNull) return std::nullopt;
  if (node->kind == AvroKind::kBoolean) return Load<uint8_t>(Raw(1)) != 0;
  Fail("expected an Avro boolean");
  return std::nullopt;
}

std::optional<std::string_view> AvroCursor::OptionalBytes(const AvroNode* node) {
  node = Resolve(node);
  if (node == nullptr || node->kind == AvroKind::kNull) return std::nullopt;
  if (node->kind == AvroKind::kBytes || node->kind == AvroKind::kString) return Bytes();
  if (node->kind == AvroKind::kFixed) return Raw(node->fixed_size);
  Fail("expected Avro bytes");
  return std::nullopt;
}

Value AvroCursor::ReadValue(const AvroNode* node) {
  node = Resolve(node);
  if (node == nullptr) return Value{};
  switch (node->kind) {
    case AvroKind::kNull:
      return Value{};
    case AvroKind::kBoolean:
      return Value{Load<uint8_t>(Raw(1)) != 0};
    case AvroKind::kInt: {
      const int64_t value = Long();
      if (value != static_cast<int32_t>(value)) Fail("integer of more than 32 bits");
      return Value{static_cast<int32_t>(value)};
    }
    case AvroKind::kLong:
      return Value{Long()};
    case AvroKind::kFloat:
      return Value{Load<float>(Raw(4))};
    case AvroKind::kDouble:
      return Value{Load<double>(Raw(8))};
    case AvroKind::kString:
      return TextOf(*node, Bytes(), this);
    case AvroKind::kBytes:
    case AvroKind::kFixed: {
      const std::string_view bytes = node->kind == AvroKind::kBytes ? Bytes() : Raw(node->fixed_size);
      return node->logical_type == "decimal" && ok() ? DecimalOf(bytes, this) : Value{std::string(bytes)};
    }
    default:
      Fail("partition value of a nested Avro type");
      return Value{};
  }
}

void AvroCursor::Skip(const AvroNode* node, int depth) {
  node = Resolve(node);
  if (node == nullptr || node->zero_size) return;
  if (depth > kMaxDepth) return Fail("nested too deeply");
  switch (node->kind) {
    case AvroKind::kBoolean:
      Raw(1);
      break;
    case AvroKind::kInt:
    case AvroKind::kLong:
    case AvroKind::kEnum:
      Long();
      break;
    case AvroKind::kFloat:
      Raw(4);
      break;
    case AvroKind::kDouble:
      Raw(8);
      break;
    case AvroKind::kBytes:
    case AvroKind::kString:
      Bytes();
      break;
    case AvroKind::kFixed:
      Raw(node->fixed_size);
      break;
    case AvroKind::kRecord:
      for (const AvroField& field : node->fields) {
        if (ok()) Skip(field.type, depth + 1);
      }
      break;
    case AvroKind::kArray:
    case AvroKind::kMap:
      for (int64_t count = BlockCount(); count > 0; count = BlockCount()) {
        const bool no_bytes = node->kind == AvroKind::kArray && node->items->zero_size;
        for (int64_t i = 0; i < count && ok() && !no_bytes; ++i) {
          if (node->kind == AvroKind::kMap) Bytes();
          Skip(node->items, depth + 1);
        }
      }
      break;
    default:
      break;
  }
}

arrow::Result<std::unique_ptr<AvroFile>> AvroFile::Open(std::string_view bytes, std::string_view path) {
  std::unique_ptr<AvroFile> file(new AvroFile(bytes, path));
  ARROW_RETURN_NOT_OK(file->ReadHeader());
  return file;
}

arrow::Status AvroFile::ReadHeader() {
  if (cursor_.Raw(kMagic.size()) != kMagic) return Error("not an Avro file");
  for (int64_t count = cursor_.BlockCount(); count > 0; count = cursor_.BlockCount()) {
    for (int64_t i = 0; i < count && cursor_.ok(); ++i) {
      std::string key(cursor_.Bytes());
      metadata_[std::move(key)] = std::string(cursor_.Bytes());
    }
  }
  sync_ = cursor_.Raw(kSyncSize);
  if (!cursor_.ok()) return Error(cursor_.fault(), &cursor_);
  const std::string* schema = Find("avro.schema");
  if (schema == nullptr) return Error("Avro header without a schema");
  auto parsed = AvroSchema::Parse(*schema);
  if (!parsed.ok()) return Error("bad Avro schema: " + parsed.status().message());
  schema_ = *std::move(parsed);
  if (root().kind != AvroKind::kRecord || root().zero_size) return Error("Avro schema is not a record with fields");
  const std::string* codec = Find("avro.codec");
  if (codec == nullptr || *codec == "null") {
    codec_ = Codec::kNull;
  } else if (*codec == "deflate") {
    codec_ = Codec::kDeflate;
  } else if (*codec == "snappy") {
    codec_ = Codec::kSnappy;
  } else if (*codec == "zstandard") {
    codec_ = Codec::kZstandard;
  } else {
    return base::Unsupported("Avro codec ", *codec, " in ", path_);
  }
  return arrow::Status::OK();
}

const std::string* AvroFile::Find(const std::string& key) const {
  const auto found = metadata_.find(key);
  return found == metadata_.end() ? nullptr : &found->second;
}

arrow::Result<bool> AvroFile::NextBlock() {
  if (cursor_.at_end()) return false;
  block_offset_ = cursor_.offset();
  block_records_ = cursor_.Long();
  const std::string_view compressed = cursor_.Bytes();
  const std::string_view sync = cursor_.Raw(kSyncSize);
  if (!cursor_.ok()) return Error(cursor_.fault());
  if (sync != sync_) return Error("sync marker mismatch");
  const arrow::Status status = Inflate(compressed);
  if (!status.ok()) return Error(status.message());
  // Each record takes at least one byte, see ReadHeader.
  if (block_records_ < 0 || static_cast<uint64_t>(block_records_) > block_.size()) return Error("more records than bytes");
  return true;
}

arrow::Status AvroFile::Inflate(std::string_view compressed) {
  switch (codec_) {
    case Codec::kNull:
      block_ = compressed;
      return arrow::Status::OK();
    case Codec::kDeflate:
      ARROW_RETURN_NOT_OK(InflateRaw(compressed, &inflated_));
      break;
    case Codec::kZstandard:
      ARROW_RETURN_NOT_OK(InflateZstd(compressed, &inflated_));
      break;
    case Codec::kSnappy: {
      if (compressed.size() < 4) return base::CorruptData("snappy block without a checksum");
      const std::string_view checksum = compressed.substr(compressed.size() - 4);
      ARROW_RETURN_NOT_OK(InflateSnappy(compressed.substr(0, compressed.size() - 4), &inflated_));
      if (__builtin_bswap32(Load<uint32_t>(checksum)) != libdeflate_crc32(0, inflated_.data(), inflated_.size())) {
        return base::CorruptData("snappy block with a wrong checksum");
      }
      break;
    }
  }
  block_ = inflated_;
  return arrow::Status::OK();
}

arrow::Status AvroFile::Error(std::string_view message, const AvroCursor* cursor) const {
  const std::string inside = cursor != nullptr ? ", at " + std::to_string(cursor->offset()) + " of the inflated block" : "";
  return base::CorruptData(message, " in Avro file ", path_, " at byte ", block_offset_, inside);
}

}  // namespace vecruntime::iceberg
