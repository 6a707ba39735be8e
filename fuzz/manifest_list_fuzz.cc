// SPDX-License-Identifier: Apache-2.0
#include <arrow/result.h>

#include <string_view>

#include "vecruntime/iceberg/manifest.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const std::string_view bytes(reinterpret_cast<const char*>(data), size);
  vecruntime::iceberg::ReadManifestList(bytes, "fuzz").status().ToString();
  return 0;
}
