// SPDX-License-Identifier: Apache-2.0
// Which bytes a location holds right now: what has to agree before something decoded earlier may stand for reading the file again. A path
// alone does not tell: tables are rewritten, restored and copied over one another.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace vecruntime::io {

struct FileIdentity {
  std::string location;  // as opened
  int64_t size = 0;
  int64_t modified_ns = 0;  // since the epoch
  int64_t changed_ns = 0;   // of the inode; a restored modification time does not restore it. 0 where there is none
  uint64_t device = 0;
  uint64_t inode = 0;
  /// False for a file touched so recently that a second write could leave the times as they are, and where the times are unknown.
  bool settled = false;

  /// Text that differs when any of the above does.
  std::string Key() const;
};

/// The identity of what is made from several files, in this order.
FileIdentity Together(const std::vector<FileIdentity>& files);

}  // namespace vecruntime::io
