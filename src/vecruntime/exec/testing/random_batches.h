// SPDX-License-Identifier: Apache-2.0
// Random batches for the operators' tests, and the plain row-wise order they are judged by.
#pragma once

#include <arrow/array.h>
#include <arrow/array/concatenate.h>
#include <arrow/builder.h>
#include <arrow/record_batch.h>
#include <arrow/table.h>
#include <arrow/type.h>
#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <limits>
#include <memory>
#include <random>
#include <string>
#include <vector>

#include "vecruntime/columnar/batch.h"
#include "vecruntime/exec/operators.h"

namespace vecruntime::exec::testing {

/// Columns: 0 id bigint (unique), 1 small int, 2 double (NaN, infinities, -0.0), 3 string (zero bytes), 4 decimal(20,2), 5 boolean,
/// 6 big bigint, 7 date, 8 struct<double, string>, 9 array<int>. All but id hold NULLs.
inline std::shared_ptr<arrow::Schema> RandomSchema() {
  return arrow::schema({arrow::field("id", arrow::int64()), arrow::field("i", arrow::int32()), arrow::field("d", arrow::float64()),
                        arrow::field("s", arrow::utf8()), arrow::field("n", arrow::decimal128(20, 2)), arrow::field("b", arrow::boolean()),
                        arrow::field("l", arrow::int64()), arrow::field("t", arrow::date32()),
                        arrow::field("st", arrow::struct_({arrow::field("x", arrow::float64()), arrow::field("y", arrow::utf8())})),
                        arrow::field("a", arrow::list(arrow::int32()))});
}

class RandomBatches {
 public:
  explicit RandomBatches(uint32_t seed) : rng_(seed) {}

  columnar::Batch Make(int64_t rows) {
    columnar::Batch batch;
    batch.selection = columnar::Selection::All(rows);
    for (int64_t i = 0; i < rows; ++i) {
      if (Chance(4)) batch.selection.Kill(i);
    }
    arrow::Int64Builder id, big;
    arrow::Int32Builder small;
    arrow::DoubleBuilder number;
    arrow::StringBuilder text;
    arrow::Decimal128Builder decimal(arrow::decimal128(20, 2));
    arrow::BooleanBuilder boolean;
    arrow::Date32Builder date;
    for (int64_t i = 0; i < rows; ++i) {
      (void)id.Append(next_id_++);
      Put(small, static_cast<int32_t>(rng_() % 5) - 2);
      Put(number, Double());
      Put(text, Text());
      Put(decimal, arrow::Decimal128(static_cast<int64_t>(rng_() % 2000) - 1000) *
                       arrow::Decimal128(Chance(3) ? int64_t{10000000000000000} : int64_t{1}));
      Put(boolean, Chance(2));
      Put(big, static_cast<int64_t>((static_cast<uint64_t>(rng_()) << 32) | rng_()) >> (Chance(2) ? 3 : 60));
      Put(date, static_cast<int32_t>(rng_() % 20) - 10);
    }
    batch.columns = {Done(id), Done(small), Done(number), Done(text), Done(decimal), Done(boolean), Done(big), Done(date),
                     Struct(rows), List(rows)};
    return batch;
  }

  std::vector<columnar::Batch> MakeMany(int count, int64_t rows_max) {
    std::vector<columnar::Batch> batches;
    for (int b = 0; b < count; ++b) batches.push_back(Make(static_cast<int64_t>(rng_() % static_cast<uint64_t>(rows_max)) + 1));
    return batches;
  }

  uint32_t Next() { return rng_(); }
  bool Chance(uint32_t one_in) { return rng_() % one_in == 0; }

 private:
  template <typename Builder, typename Value>
  void Put(Builder& builder, Value value) {
    (void)(Chance(8) ? builder.AppendNull() : builder.Append(value));
  }
  static std::shared_ptr<arrow::Array> Done(arrow::ArrayBuilder& builder) { return builder.Finish().ValueOrDie(); }

  double Double() {
    static const double kSpecial[] = {std::nan(""), -std::nan("1"), 0.0, -0.0, INFINITY, -INFINITY, 1e300, 0.1};
    return Chance(3) ? kSpecial[rng_() % 8] : static_cast<double>(rng_() % 40) / 4 - 5;
  }

  std::string Text() {
    std::string text;
    for (uint32_t k = rng_() % 5; k > 0; --k) text += "ab\0\x7f"[rng_() % 4];
    if (Chance(5)) text += "\xC3\xA9";
    return text;
  }

  std::shared_ptr<arrow::Array> Struct(int64_t rows) {
    arrow::StructBuilder builder(RandomSchema()->field(8)->type(), arrow::default_memory_pool(),
                                 {std::make_shared<arrow::DoubleBuilder>(), std::make_shared<arrow::StringBuilder>()});
    for (int64_t i = 0; i < rows; ++i) {
      if (Chance(8)) {
        (void)builder.AppendNull();
        continue;
      }
      (void)builder.Append();
      Put(static_cast<arrow::DoubleBuilder&>(*builder.field_builder(0)), Double());
      Put(static_cast<arrow::StringBuilder&>(*builder.field_builder(1)), Text());
    }
    return Done(builder);
  }

  std::shared_ptr<arrow::Array> List(int64_t rows) {
    auto values = std::make_shared<arrow::Int32Builder>();
    arrow::ListBuilder builder(arrow::default_memory_pool(), values);
    for (int64_t i = 0; i < rows; ++i) {
      if (Chance(8)) {
        (void)builder.AppendNull();
        continue;
      }
      (void)builder.Append();
      for (uint32_t k = rng_() % 4; k > 0; --k) Put(*values, static_cast<int32_t>(rng_() % 3) - 1);
    }
    return Done(builder);
  }

  std::mt19937 rng_;
  int64_t next_id_ = 0;
};

/// The live rows of all batches as one batch of dense columns.
inline std::vector<std::shared_ptr<arrow::Array>> AllLive(const std::vector<columnar::Batch>& batches) {
  std::vector<std::shared_ptr<arrow::Array>> all;
  for (size_t c = 0; c < batches[0].columns.size(); ++c) {
    arrow::ArrayVector parts;
    for (const auto& batch : batches) parts.push_back(columnar::Compact(batch, arrow::default_memory_pool()).ValueOrDie()[c]);
    all.push_back(arrow::Concatenate(parts).ValueOrDie());
  }
  return all;
}

/// Spark's order of two values, NULL least: -1, 0, 1.
inline int CompareValues(const arrow::Array& a, int64_t i, const arrow::Array& b, int64_t j) {
  if (a.IsNull(i) || b.IsNull(j)) return static_cast<int>(a.IsValid(i)) - static_cast<int>(b.IsValid(j));
  auto order = [](const auto& x, const auto& y) { return x < y ? -1 : y < x ? 1 : 0; };
  switch (a.type_id()) {
    case arrow::Type::BOOL:
      return order(static_cast<const arrow::BooleanArray&>(a).Value(i), static_cast<const arrow::BooleanArray&>(b).Value(j));
    case arrow::Type::INT32:
    case arrow::Type::DATE32: return order(a.data()->GetValues<int32_t>(1)[i], b.data()->GetValues<int32_t>(1)[j]);
    case arrow::Type::INT64: return order(a.data()->GetValues<int64_t>(1)[i], b.data()->GetValues<int64_t>(1)[j]);
    case arrow::Type::DOUBLE: {
      const double x = a.data()->GetValues<double>(1)[i], y = b.data()->GetValues<double>(1)[j];
      return std::isnan(x) || std::isnan(y) ? static_cast<int>(std::isnan(x)) - static_cast<int>(std::isnan(y)) : order(x, y);
    }
    case arrow::Type::DECIMAL128:
      return order(arrow::Decimal128(static_cast<const arrow::Decimal128Array&>(a).GetValue(i)),
                   arrow::Decimal128(static_cast<const arrow::Decimal128Array&>(b).GetValue(j)));
    case arrow::Type::STRING: {
      const auto x = static_cast<const arrow::StringArray&>(a).GetView(i), y = static_cast<const arrow::StringArray&>(b).GetView(j);
      const int bytes = std::memcmp(x.data(), y.data(), std::min(x.size(), y.size()));
      return bytes != 0 ? (bytes < 0 ? -1 : 1) : order(x.size(), y.size());
    }
    case arrow::Type::STRUCT:
      for (int f = 0; f < a.type()->num_fields(); ++f) {
        const int member = CompareValues(*static_cast<const arrow::StructArray&>(a).field(f), i,
                                         *static_cast<const arrow::StructArray&>(b).field(f), j);
        if (member != 0) return member;
      }
      return 0;
    case arrow::Type::LIST: {
      const auto x = static_cast<const arrow::ListArray&>(a).value_slice(i), y = static_cast<const arrow::ListArray&>(b).value_slice(j);
      for (int64_t k = 0; k < std::min(x->length(), y->length()); ++k) {
        const int element = CompareValues(*x, k, *y, k);
        if (element != 0) return element;
      }
      return order(x->length(), y->length());
    }
    default: ADD_FAILURE() << "no order of " << a.type()->ToString(); return 0;
  }
}

inline expr::ExprPtr Column(int index) {
  const auto field = RandomSchema()->field(index);
  return expr::Expr::Column(index, field->name(), field->type(), true);
}

/// Runs batches -> transforms -> sink and reads the sink's result as one dense set of columns.
inline arrow::Result<std::shared_ptr<arrow::Table>> RunToTable(std::vector<columnar::Batch> batches,
                                                               std::vector<std::unique_ptr<Transform>> transforms,
                                                               std::unique_ptr<Sink> sink, const ExecContext& context) {
  Pipeline first;
  first.source = MakeBatchSource(RandomSchema(), std::move(batches), "test");
  first.transforms = std::move(transforms);
  first.sink = std::move(sink);
  ARROW_RETURN_NOT_OK(Run(&first, context));
  Pipeline last;
  ARROW_ASSIGN_OR_RAISE(last.source, first.sink->AsSource());
  ARROW_ASSIGN_OR_RAISE(auto reader, MakeReader(std::move(last), context));
  ARROW_ASSIGN_OR_RAISE(auto table, reader->ToTable());
  return table->CombineChunks();
}

/// The one chunk of a column; an empty array when the table has no rows.
inline std::shared_ptr<arrow::Array> ColumnOf(const arrow::Table& table, int index) {
  const auto& column = table.column(index);
  return column->num_chunks() == 0 ? arrow::MakeEmptyArray(column->type()).ValueOrDie() : column->chunk(0);
}

}  // namespace vecruntime::exec::testing
