// SPDX-License-Identifier: Apache-2.0
// The two kinds of EqualityDeleteSet.
#pragma once

#include <memory>
#include <vector>

#include "vecruntime/deletes/equality_delete_set.h"

namespace vecruntime::deletes {

inline constexpr int64_t kNoSequence = -1;  // sequence numbers are never negative

bool IsIntegerLike(const arrow::DataType& type);

/// Values of an integer-like array as 64-bit integers; what NULL rows get is unspecified.
void WidenIntegers(const arrow::Array& array, int64_t from, int64_t count, int64_t* out);

arrow::Result<std::shared_ptr<EqualityDeleteSet>> BuildIntegerKeySet(const std::vector<DeletedKeys>& parts, base::Reservation* memory);
arrow::Result<std::shared_ptr<EqualityDeleteSet>> BuildEncodedKeySet(const std::vector<DeletedKeys>& parts, base::Reservation* memory);

}  // namespace vecruntime::deletes
