// SPDX-License-Identifier: Apache-2.0
// The footer of a Puffin file (Puffin spec, "File structure"): which blobs it holds and where. Blob payloads are decoded elsewhere.
#pragma once

#include <arrow/io/type_fwd.h>
#include <arrow/type_fwd.h>

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "vecruntime/iceberg/type.h"

namespace vecruntime::iceberg {

struct PuffinBlob {
  std::string type;  // "deletion-vector-v1", "apache-datasketches-theta-v1", ...
  std::vector<FieldId> fields;
  int64_t snapshot_id = -1;
  int64_t sequence_number = -1;
  int64_t offset = 0;  // from the start of the file
  int64_t length = 0;
  std::optional<std::string> compression_codec;
  std::map<std::string, std::string> properties;
};

struct PuffinFooter {
  std::vector<PuffinBlob> blobs;
  std::map<std::string, std::string> properties;

  /// The blob at exactly this place, nullptr when there is none.
  const PuffinBlob* FindBlob(int64_t offset, int64_t length) const;
};

/// Reads the footer, LZ4-compressed or not, and checks both magics and that every blob lies between them. `path` is for messages.
arrow::Result<PuffinFooter> ReadPuffinFooter(arrow::io::RandomAccessFile* file, std::string_view path);

}  // namespace vecruntime::iceberg
