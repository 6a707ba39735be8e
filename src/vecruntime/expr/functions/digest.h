// SPDX-License-Identifier: Apache-2.0
// Message digests of short values.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace vecruntime::expr {

/// Raw digest bytes.
std::string Md5(std::string_view data);
std::string Sha1(std::string_view data);
/// `bits` is 224, 256, 384 or 512; empty for any other.
std::string Sha2(std::string_view data, int bits);
uint32_t Crc32(std::string_view data);

}  // namespace vecruntime::expr
