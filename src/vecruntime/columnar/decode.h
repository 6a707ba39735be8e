// SPDX-License-Identifier: Apache-2.0
// Columns of a Batch may come encoded, as the pages of a file hold them: in codes over a dictionary (dictionary.h), or, decimals of up to
// 18 digits, in 64 bits: an arrow::Decimal64Array that stands for an arrow::Decimal128Array of the same precision and scale.
#pragma once

#include <arrow/type_fwd.h>

#include <memory>

namespace vecruntime::columnar {

/// Whether arrays of `type` are encoded.
bool IsEncoded(const arrow::DataType& type);

/// The column with one value of its own type per row; an array that is not encoded as it is.
arrow::Result<std::shared_ptr<arrow::Array>> Decode(std::shared_ptr<arrow::Array> array, arrow::MemoryPool* pool);

}  // namespace vecruntime::columnar
