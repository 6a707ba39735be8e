// SPDX-License-Identifier: Apache-2.0
// Counts, sizes and times as people read them.
#pragma once

#include <chrono>
#include <cstdint>
#include <string>

namespace vecruntime::session {

/// "1,234,567"
std::string CountText(int64_t count);
/// "1 file", "1,234 files"
std::string CountText(int64_t count, const std::string& noun);
/// "512 B", "1.5 KiB", "120 MiB"
std::string BytesText(int64_t bytes);
/// "0.35 ms", "12 ms", "1.25 s"
std::string DurationText(std::chrono::nanoseconds duration);
/// "12.5%"; "0%" when the whole is 0.
std::string ShareText(int64_t part, int64_t whole);
/// "2024-01-31 10:20:30 UTC"
std::string InstantText(int64_t epoch_ms);

}  // namespace vecruntime::session
