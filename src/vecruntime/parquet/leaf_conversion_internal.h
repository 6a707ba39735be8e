// SPDX-License-Identifier: Apache-2.0
// From the values a column chunk physically holds to the Arrow type a query asks for: promotion, units, decimals, uuid, INT96.
#pragma once

#include <arrow/array/data.h>
#include <arrow/result.h>
#include <arrow/type_fwd.h>
#include <parquet/schema.h>

#include <functional>
#include <memory>
#include <string_view>

#include "vecruntime/iceberg/type.h"

namespace vecruntime::parquet {

/// The Arrow type physical values travel in: boolean, int32, int64, float, double, binary, fixed_size_binary (12 bytes for INT96).
std::shared_ptr<arrow::DataType> PhysicalArrowType(const ::parquet::ColumnDescriptor& column);

/// Turns physical values (offset 0) into values of the requested type. Stateless; the result may share the input's buffers. CorruptData
/// when a non-null value has no place in the requested type (a timestamp out of range, a decimal too wide).
using LeafConversion = std::function<arrow::Result<std::shared_ptr<arrow::ArrayData>>(std::shared_ptr<arrow::ArrayData>, arrow::MemoryPool*)>;

/// The conversion from `column` to `requested`. Unsupported by name for types that cannot be read, CorruptData when the file's type cannot
/// become the requested one; both name `path` and the field.
/// `narrow_decimals`: integers become decimals of up to 18 digits in 64 bits (columnar/decode.h).
arrow::Result<LeafConversion> MakeLeafConversion(const ::parquet::ColumnDescriptor& column, const iceberg::Field& requested,
                                                 std::string_view path, bool narrow_decimals = false);

}  // namespace vecruntime::parquet
