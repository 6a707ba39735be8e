// SPDX-License-Identifier: Apache-2.0
// Murmur3 (x86, 32 bit, seed 0) as the bucket transform needs it (Iceberg spec, Appendix B).
#pragma once

#include <cstdint>
#include <string_view>

namespace vecruntime::iceberg {

int32_t Murmur3(std::string_view bytes);
/// Hash of the 8 little-endian bytes of `value`.
int32_t Murmur3(int64_t value);

}  // namespace vecruntime::iceberg
