// SPDX-License-Identifier: Apache-2.0
#include "vecruntime/parquet/value_reader_internal.h"

namespace vecruntime::parquet {

std::unique_ptr<ValueReader> ValueReader::Make(const ::parquet::ColumnDescriptor& column, arrow::MemoryPool* pool) {
  switch (column.physical_type()) {
    case ::parquet::Type::BOOLEAN: return MakeBooleanValueReader(pool);
    case ::parquet::Type::BYTE_ARRAY: return MakeBinaryValueReader(pool);
    case ::parquet::Type::INT32:
    case ::parquet::Type::FLOAT: return MakeFixedValueReader(4, pool);
    case ::parquet::Type::INT96: return MakeFixedValueReader(12, pool);
    case ::parquet::Type::FIXED_LEN_BYTE_ARRAY: return MakeFixedValueReader(column.type_length(), pool);
    default: return MakeFixedValueReader(8, pool);
  }
}

}  // namespace vecruntime::parquet
