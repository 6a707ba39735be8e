// SPDX-License-Identifier: Apache-2.0
// Inflates page bodies with contexts that live as long as the reader. One thread at a time.
#pragma once

#include <arrow/status.h>
#include <arrow/util/type_fwd.h>

#include <cstdint>
#include <memory>
#include <span>

namespace vecruntime::parquet {

/// CRC-32 as in gzip, over a page's stored body (parquet.thrift, "PageHeader.crc").
uint32_t PageCrc(std::span<const uint8_t> body);

class PageCodec {
 public:
  PageCodec();
  ~PageCodec();

  /// Most bytes that `compressed_bytes` of `codec` can inflate to; nothing is allocated for a page that claims more.
  static int64_t InflatedBytesMax(arrow::Compression::type codec, int64_t compressed_bytes);

  /// Inflates `in` to exactly out.size() bytes. SerializationError when it does not come out so, NotImplemented for an unknown codec.
  arrow::Status Inflate(arrow::Compression::type codec, std::span<const uint8_t> in, std::span<uint8_t> out);

 private:
  struct Contexts;
  std::unique_ptr<Contexts> contexts_;
};

}  // namespace vecruntime::parquet
