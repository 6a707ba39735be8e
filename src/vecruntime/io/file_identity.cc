// SPDX-License-Identifier: Apache-2.0
#include "vecruntime/io/file_identity.h"

namespace vecruntime::io {

std::string FileIdentity::Key() const {
  std::string key = location;
  for (const int64_t part : {size, modified_ns, changed_ns, static_cast<int64_t>(device), static_cast<int64_t>(inode)}) {
    key += '\n';
    key += std::to_string(part);
  }
  return key;
}

FileIdentity Together(const std::vector<FileIdentity>& files) {
  FileIdentity together{.location = {}, .settled = true};
  for (const FileIdentity& file : files) {
    together.location += file.Key() + '\n';
    together.settled &= file.settled;
  }
  return together;
}

}  // namespace vecruntime::io
