// SPDX-License-Identifier: Apache-2.0
// Inflates page bodies. Each thread has its own contexts, made when first needed and freed with the thread.
#pragma once

#include <arrow/status.h>
#include <arrow/util/type_fwd.h>

#include <cstdint>
#include <span>

namespace vecruntime::parquet {

/// CRC-32 as in gzip, over a page's stored body (parquet.thrift, "PageHeader.crc").
uint32_t PageCrc(std::span<const uint8_t> body);

/// Most bytes that `compressed_bytes` of `codec` can inflate to; nothing is allocated for a page that claims more.
int64_t InflatedBytesMax(arrow::Compression::type codec, int64_t compressed_bytes);

/// Inflates `in` to exactly out.size() bytes. SerializationError when it does not come out so, NotImplemented for an unknown codec.
arrow::Status InflatePage(arrow::Compression::type codec, std::span<const uint8_t> in, std::span<uint8_t> out);

}  // namespace vecruntime::parquet
