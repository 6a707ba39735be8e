// SPDX-License-Identifier: Apache-2.0
#include <arrow/buffer.h>
#include <arrow/io/memory.h>
#include <arrow/result.h>

#include "vecruntime/iceberg/puffin.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  arrow::io::BufferReader reader(std::make_shared<arrow::Buffer>(data, static_cast<int64_t>(size)));
  vecruntime::iceberg::ReadPuffinFooter(&reader, "fuzz").status().ToString();
  return 0;
}
