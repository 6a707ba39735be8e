// SPDX-License-Identifier: Apache-2.0
// Twice: the bytes as a whole blob, and as a bitmap behind a frame that is right, so that the checksum does not stop the fuzzer.
#include <arrow/result.h>
#include <libdeflate.h>

#include <cstdint>
#include <cstdlib>
#include <string>

#include "vecruntime/deletes/deletion_vector.h"

namespace {

void AppendBigEndian(uint32_t value, std::string* out) {
  for (int shift = 24; shift >= 0; shift -= 8) out->push_back(static_cast<char>(value >> shift));
}

std::string Framed(std::string_view bitmap) {
  const std::string body = "\xD1\xD3\x39\x64" + std::string(bitmap);
  std::string blob;
  AppendBigEndian(static_cast<uint32_t>(body.size()), &blob);
  blob += body;
  AppendBigEndian(libdeflate_crc32(0, body.data(), body.size()), &blob);
  return blob;
}

void Decode(std::string_view blob) {
  // The manifest's record count is the bitmap's own here; any other is refused.
  const auto rows = vecruntime::deletes::DeletedRows::FromRoaring64(blob.size() > 12 ? blob.substr(8, blob.size() - 12) : blob, "fuzz", 0);
  const int64_t count = rows.ok() ? rows->cardinality() : 0;
  const auto decoded = vecruntime::deletes::DecodeDeletionVector(blob, count, "fuzz", 0);
  if (!decoded.ok()) return;
  for (const int64_t begin : {int64_t{0}, int64_t{65530}, int64_t{1} << 32}) {
    auto selection = vecruntime::columnar::Selection::All(1000, vecruntime::base::FileRow{begin});
    decoded->Narrow(&selection);
    if (selection.CountLive() < 1000 - decoded->cardinality()) std::abort();
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const std::string_view bytes(reinterpret_cast<const char*>(data), size);
  Decode(bytes);
  Decode(Framed(bytes));
  return 0;
}
