// SPDX-License-Identifier: Apache-2.0
// Page headers and offset indexes (parquet.thrift, "PageHeader", "OffsetIndex").
#pragma once

#include <arrow/result.h>
#include <arrow/status.h>

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

namespace vecruntime::parquet {

enum class PageType : int32_t { kData = 0, kIndex = 1, kDictionary = 2, kDataV2 = 3 };

/// Encodings as parquet.thrift numbers them; other numbers may occur and are refused where the page is decoded.
enum class PageEncoding : int32_t {
  kPlain = 0, kPlainDictionary = 2, kRle = 3, kBitPacked = 4, kDeltaBinaryPacked = 5, kDeltaLengthByteArray = 6, kDeltaByteArray = 7,
  kRleDictionary = 8, kByteStreamSplit = 9,
};

struct PageHeader {
  PageType type = PageType::kData;
  int32_t header_bytes = 0;
  int32_t uncompressed_bytes = 0;  // both sizes leave the header out, and count a v2 page's levels
  int32_t compressed_bytes = 0;
  std::optional<uint32_t> crc;     // CRC-32 of the body as stored
  int32_t value_count = 0;         // NULLs included
  PageEncoding encoding = PageEncoding::kPlain;
  PageEncoding def_level_encoding = PageEncoding::kRle;  // v1
  int32_t def_level_bytes = 0;                           // v2
  int32_t rep_level_bytes = 0;                           // v2
  bool is_compressed = true;                             // v2

  bool is_data() const { return type == PageType::kData || type == PageType::kDataV2; }
  bool is_dictionary_encoded() const { return encoding == PageEncoding::kPlainDictionary || encoding == PageEncoding::kRleDictionary; }
};

/// Parses the header at the start of `bytes`; nullopt when they end before it does. Invalid for anything else that does not parse, and for
/// negative sizes and counts.
arrow::Result<std::optional<PageHeader>> ParsePageHeader(std::span<const uint8_t> bytes);

struct PageLocation {
  int64_t offset = 0;     // of the page header in the file
  int64_t first_row = 0;  // in the row group
};

/// The locations in an OffsetIndex; empty when it does not parse, or its rows do not ascend from 0 below `rows`, or its offsets
/// below `file_bytes`.
std::vector<PageLocation> ParseOffsetIndex(std::span<const uint8_t> bytes, int64_t rows, int64_t file_bytes);

}  // namespace vecruntime::parquet
