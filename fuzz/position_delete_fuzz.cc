// SPDX-License-Identifier: Apache-2.0
// Arbitrary bytes as a position-delete file.
#include <arrow/buffer.h>
#include <arrow/io/memory.h>
#include <arrow/memory_pool.h>
#include <arrow/result.h>

#include <cstdint>
#include <cstdlib>

#include "vecruntime/deletes/position_delete_file.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  auto file = std::make_shared<arrow::io::BufferReader>(std::make_shared<arrow::Buffer>(data, static_cast<int64_t>(size)));
  vecruntime::base::Reservation memory;
  const auto deletes = vecruntime::deletes::ReadPositionDeletes(std::move(file), "fuzz", arrow::default_memory_pool(), &memory);
  if (!deletes.ok()) return 0;
  for (const auto& [path, rows] : *deletes) {
    if (rows.cardinality() <= 0) std::abort();
  }
  return 0;
}
