// SPDX-License-Identifier: Apache-2.0
// Decodes the values of one flat column, page after page, into one physical Arrow array per run of rows. Three kinds: fixed-width values,
// booleans, byte strings. One thread at a time; statuses have no path, the caller adds it.
#pragma once

#include <arrow/result.h>
#include <arrow/type_fwd.h>
#include <parquet/schema.h>

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "vecruntime/parquet/page_header_internal.h"

namespace vecruntime::parquet {

class ValueReader {
 public:
  /// For columns of the physical type of `column`; `pool` feeds the arrays.
  static std::unique_ptr<ValueReader> Make(const ::parquet::ColumnDescriptor& column, arrow::MemoryPool* pool);
  virtual ~ValueReader() = default;

  /// The chunk's dictionary; `bytes` stays valid until the next call.
  virtual arrow::Status SetDictionary(std::span<const uint8_t> bytes, int32_t value_count) = 0;
  /// A page's values; `bytes` stays valid until the next call. NotImplemented for an encoding this type never has.
  virtual arrow::Status StartPage(PageEncoding encoding, std::span<const uint8_t> bytes) = 0;
  /// Passes over values (NULLs take none).
  virtual arrow::Status Skip(int64_t values) = 0;

  /// Starts an array of `rows` rows.
  virtual arrow::Status StartArray(int64_t rows) = 0;
  /// Appends `rows` rows whose values nobody will look at.
  virtual arrow::Status AppendDead(int64_t rows) = 0;
  /// Appends `rows` rows, of which the `values` set in `validity` (bits from `bit_offset`; null when all are) have a value.
  virtual arrow::Status Append(int64_t rows, int64_t values, const uint8_t* validity, int64_t bit_offset) = 0;
  /// Where a PLAIN page of `rows` rows without NULLs may be inflated to instead of being appended, with PageStream::kLevelRoom bytes of room
  /// before; empty when this type has no such place.
  virtual std::span<uint8_t> PlaceFor(int64_t rows) = 0;
  /// Says that the place was filled.
  virtual void AppendPlaced(int64_t rows) = 0;
  /// The array's buffers without the validity.
  virtual arrow::Result<std::vector<std::shared_ptr<arrow::Buffer>>> FinishArray() = 0;
};

std::unique_ptr<ValueReader> MakeFixedValueReader(int width, arrow::MemoryPool* pool);
std::unique_ptr<ValueReader> MakeBooleanValueReader(arrow::MemoryPool* pool);
std::unique_ptr<ValueReader> MakeBinaryValueReader(arrow::MemoryPool* pool);

}  // namespace vecruntime::parquet
