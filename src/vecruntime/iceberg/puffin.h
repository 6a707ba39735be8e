// SPDX-License-Identifier: Apache-2.0
// Puffin files: blobs behind a footer (Puffin spec, "File structure", "Footer structure").
//
//   magic "PFA1" | blobs | magic | footer payload (JSON, maybe an LZ4 frame) | payload size (4, LE) | flags (4) | magic
#pragma once

#include <arrow/io/type_fwd.h>
#include <arrow/type_fwd.h>

#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace vecruntime::iceberg {

struct PuffinBlob {
  std::string type;  // "deletion-vector-v1", "apache-datasketches-theta-v1", ...
  std::vector<int32_t> fields;
  int64_t offset = 0;
  int64_t length = 0;
  std::string compression_codec;  // empty: not compressed
  std::map<std::string, std::string> properties;
};

struct PuffinFooter {
  std::vector<PuffinBlob> blobs;
  std::map<std::string, std::string> properties;
};

/// Reads and checks the footer. CorruptData names `path`; blobs that lie outside the file are corrupt too.
arrow::Result<PuffinFooter> ReadPuffinFooter(arrow::io::RandomAccessFile* file, const std::string& path);

}  // namespace vecruntime::iceberg
