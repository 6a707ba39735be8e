// SPDX-License-Identifier: Apache-2.0
// Whole-buffer decompression of untrusted metadata. Output never exceeds MaxInflated(input), whatever the input claims.
#pragma once

#include <arrow/type_fwd.h>

#include <cstddef>
#include <string>
#include <string_view>

namespace vecruntime::iceberg {

/// Deflate cannot do better than 1032:1; the other codecs are held to the same.
constexpr size_t MaxInflated(size_t compressed) { return compressed * 1032 + (size_t{1} << 20); }

bool IsGzip(std::string_view bytes);

/// Each replaces `*out` (its capacity is reused). CorruptData when the bytes are damaged or inflate too far.
arrow::Status InflateGzip(std::string_view bytes, std::string* out);      // one or more members
arrow::Status InflateRaw(std::string_view bytes, std::string* out);       // deflate without header
arrow::Status InflateZstd(std::string_view bytes, std::string* out);      // one or more frames
arrow::Status InflateSnappy(std::string_view bytes, std::string* out);    // one block
arrow::Status InflateLz4Frame(std::string_view bytes, std::string* out);

}  // namespace vecruntime::iceberg
