// SPDX-License-Identifier: Apache-2.0
// The frame around a deletion vector's bitmap (Puffin spec, "deletion-vector-v1 blob type"):
//
//   4 bytes big endian   length of magic + bitmap
//   4 bytes              magic D1 D3 39 64
//   n bytes              64-bit portable roaring bitmap
//   4 bytes big endian   CRC-32 of magic + bitmap
#pragma once

#include <arrow/type_fwd.h>

#include <cstdint>
#include <string_view>

#include "vecruntime/deletes/deleted_rows.h"

namespace vecruntime::deletes {

/// Decodes one blob, `bytes`, that starts at `offset` of Puffin file `path`. CorruptData when length, magic, checksum or bitmap is wrong, or
/// when the bitmap's cardinality is not `record_count` (the manifest entry's).
arrow::Result<DeletedRows> DecodeDeletionVector(std::string_view bytes, int64_t record_count, std::string_view path, int64_t offset);

}  // namespace vecruntime::deletes
