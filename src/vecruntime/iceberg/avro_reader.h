// SPDX-License-Identifier: Apache-2.0
// Reads Avro object container files (Avro 1.11 spec, "Object Container Files") held in memory. The bytes are untrusted: every length is
// checked, nesting is bounded, and no value makes work or memory that its bytes do not pay for.
#pragma once

#include <arrow/type_fwd.h>

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "vecruntime/iceberg/avro_schema.h"
#include "vecruntime/iceberg/value.h"

namespace vecruntime::iceberg {

/// A position in the inflated bytes of one block. After the first fault every read gives a zero value and ok() is false, so that callers
/// check once per record instead of once per value. Views it returns live as long as the block.
class AvroCursor {
 public:
  AvroCursor() = default;
  explicit AvroCursor(std::string_view bytes) : begin_(bytes.data()), at_(bytes.data()), end_(bytes.data() + bytes.size()) {}

  bool ok() const { return fault_ == nullptr; }
  bool at_end() const { return at_ == end_; }
  size_t offset() const { return static_cast<size_t>(at_ - begin_); }
  const char* fault() const { return fault_; }
  void Fail(const char* fault);

  int64_t Long();
  std::string_view Bytes();
  std::string_view Raw(size_t length);

  /// Reads a union's branch number: the node whose value follows, nullptr after a fault. Other nodes come back as they are.
  const AvroNode* Resolve(const AvroNode* node);
  /// Values of nullable columns; nullopt for null. Another type than asked for is a fault.
  std::optional<int64_t> OptionalLong(const AvroNode* node);
  std::optional<int32_t> OptionalInt(const AvroNode* node);
  std::optional<bool> OptionalBool(const AvroNode* node);
  std::optional<std::string_view> OptionalBytes(const AvroNode* node);  // bytes, string, fixed
  /// A partition value, in the alternative that its Avro type and logical type ask for.
  Value ReadValue(const AvroNode* node);

  void Skip(const AvroNode* node, int depth = 0);

  /// Calls `read()` for each element of an array; a null instead of an array is an empty one.
  template <typename Read>
  void Items(const AvroNode* node, const Read& read) {
    node = Resolve(node);
    if (node == nullptr || node->kind == AvroKind::kNull) return;
    if (node->kind != AvroKind::kArray || node->items->zero_size) return Fail("expected an Avro array");
    for (int64_t count = BlockCount(); count > 0; count = BlockCount()) {
      for (int64_t i = 0; i < count && ok(); ++i) read(node->items);
    }
  }
  /// Items of the next block of an array or map, 0 after the last one. Never more than there are bytes left.
  int64_t BlockCount();

 private:
  const char* begin_ = nullptr;
  const char* at_ = nullptr;
  const char* end_ = nullptr;
  const char* fault_ = nullptr;
};

class AvroFile {
 public:
  /// REQUIRES: `bytes` outlive the file. `path` is for messages. Unsupported names an unknown codec.
  static arrow::Result<std::unique_ptr<AvroFile>> Open(std::string_view bytes, std::string_view path);

  /// The root record.
  const AvroNode& root() const { return schema_->root(); }
  /// A value of the header's metadata, nullptr when absent.
  const std::string* Find(const std::string& key) const;

  /// Inflates the next block; false after the last. Invalidates views into the block before.
  arrow::Result<bool> NextBlock();
  int64_t block_records() const { return block_records_; }
  AvroCursor block() const { return AvroCursor(block_); }
  /// CorruptData that names the file, the block's byte offset and, when given, where in the inflated block the cursor stands.
  arrow::Status Error(std::string_view message, const AvroCursor* cursor = nullptr) const;

 private:
  AvroFile(std::string_view bytes, std::string_view path) : bytes_(bytes), path_(path), cursor_(bytes) {}
  arrow::Status ReadHeader();
  arrow::Status Inflate(std::string_view compressed);

  enum class Codec { kNull, kDeflate, kSnappy, kZstandard };

  std::string_view bytes_;
  std::string path_;
  AvroCursor cursor_;
  std::map<std::string, std::string> metadata_;
  std::unique_ptr<AvroSchema> schema_;
  Codec codec_ = Codec::kNull;
  std::string_view sync_;
  size_t block_offset_ = 0;
  int64_t block_records_ = 0;
  std::string_view block_;
  std::string inflated_;
};

}  // namespace vecruntime::iceberg
