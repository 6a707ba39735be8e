// SPDX-License-Identifier: Apache-2.0
// Writes Avro container files byte by byte, right or wrong on purpose.
#pragma once

#include <libdeflate.h>
#include <snappy.h>
#include <zstd.h>

#include <cstring>
#include <map>
#include <string>
#include <string_view>

namespace vecruntime::iceberg {

class AvroBytes {
 public:
  AvroBytes& Long(int64_t value) {
    uint64_t zigzag = static_cast<uint64_t>(value) << 1 ^ static_cast<uint64_t>(value >> 63);
    for (; zigzag >= 0x80; zigzag >>= 7) bytes_ += static_cast<char>(zigzag | 0x80);
    bytes_ += static_cast<char>(zigzag);
    return *this;
  }
  AvroBytes& Text(std::string_view value) {
    Long(static_cast<int64_t>(value.size()));
    bytes_ += value;
    return *this;
  }
  AvroBytes& Raw(std::string_view value) {
    bytes_ += value;
    return *this;
  }
  AvroBytes& Null() { return Long(0); }
  AvroBytes& Some() { return Long(1); }  // branch of ["null", T]
  const std::string& str() const { return bytes_; }

 private:
  std::string bytes_;
};

inline const std::string kTestSync = "0123456789abcdef";

inline std::string Compressed(const std::string& codec, const std::string& data) {
  if (codec == "deflate") {
    libdeflate_compressor* compressor = libdeflate_alloc_compressor(6);
    std::string out(libdeflate_deflate_compress_bound(compressor, data.size()), '\0');
    out.resize(libdeflate_deflate_compress(compressor, data.data(), data.size(), out.data(), out.size()));
    libdeflate_free_compressor(compressor);
    return out;
  }
  if (codec == "snappy") {
    std::string out;
    snappy::Compress(data.data(), data.size(), &out);
    const uint32_t crc = __builtin_bswap32(libdeflate_crc32(0, data.data(), data.size()));
    return out.append(reinterpret_cast<const char*>(&crc), 4);
  }
  if (codec == "zstandard") {
    std::string out(ZSTD_compressBound(data.size()), '\0');
    out.resize(ZSTD_compress(out.data(), out.size(), data.data(), data.size(), 3));
    return out;
  }
  return data;
}

inline std::string AvroBlock(const std::string& codec, int64_t records, const std::string& data) {
  return AvroBytes().Long(records).Text(Compressed(codec, data)).Raw(kTestSync).str();
}

inline std::string AvroHeader(const std::string& schema, const std::string& codec, std::map<std::string, std::string> metadata = {}) {
  metadata["avro.schema"] = schema;
  metadata["avro.codec"] = codec;
  AvroBytes out;
  out.Raw(std::string_view("Obj\1", 4)).Long(static_cast<int64_t>(metadata.size()));
  for (const auto& [key, value] : metadata) out.Text(key).Text(value);
  return out.Long(0).Raw(kTestSync).str();
}

/// A file of one block.
inline std::string AvroFileBytes(const std::string& schema, int64_t records, const std::string& data, const std::string& codec = "null",
                                 const std::map<std::string, std::string>& metadata = {}) {
  return AvroHeader(schema, codec, metadata) + AvroBlock(codec, records, data);
}

}  // namespace vecruntime::iceberg
