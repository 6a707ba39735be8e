// SPDX-License-Identifier: Apache-2.0
// Finds the newest metadata file of a table that is nothing but a directory.
#pragma once

#include <arrow/type_fwd.h>

#include <optional>
#include <string>
#include <string_view>

namespace vecruntime::io {
class FileIO;
}

namespace vecruntime::catalog {

/// How a metadata file is named: v3.metadata.json, v3.gz.metadata.json, v3.metadata.json.gz, or 00003-<uuid> in place of v3.
struct MetadataFileName {
  int64_t version = 0;
  bool numbered = false;  // vN: at most one is committed per version
  bool gzip = false;
};
std::optional<MetadataFileName> ParseMetadataFileName(std::string_view name);

/// The newest metadata file in `table`/metadata by number. `table` may also be a metadata file itself. A version-hint that names an older
/// version is stale and loses; one that names a version without a file is CorruptData; one that is no number is ignored. Two files of a
/// catalog with the same newest number are InvalidArgument, since only one of them was committed and nothing here says which.
arrow::Result<std::string> FindMetadata(const io::FileIO& file_io, const std::string& table);

}  // namespace vecruntime::catalog
