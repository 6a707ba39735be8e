// SPDX-License-Identifier: Apache-2.0
#include "vecruntime/deletes/delete_source.h"

#include <arrow/array.h>
#include <arrow/builder.h>
#include <arrow/json/from_string.h>
#include <arrow/memory_pool.h>
#include <arrow/result.h>
#include <arrow/type.h>
#include <gtest/gtest.h>

#include <optional>
#include <random>
#include <string>
#include <vector>

#include "vecruntime/columnar/decode.h"
#include "vecruntime/columnar/dictionary.h"

namespace vecruntime::deletes {
namespace {

template <typename Builder, typename T>
std::shared_ptr<arrow::Array> Array(const std::vector<std::optional<T>>& values) {
  Builder builder;
  for (const auto& value : values) EXPECT_TRUE((value ? builder.Append(*value) : builder.AppendNull()).ok());
  return *builder.Finish();
}

std::shared_ptr<arrow::Array> Texts(const std::vector<std::optional<std::string>>& values) {
  return Array<arrow::StringBuilder>(values);
}

std::vector<int32_t> Live(const std::vector<std::shared_ptr<arrow::Array>>& deleted, std::shared_ptr<arrow::Array> column,
                          int64_t data_sequence) {
  base::Reservation memory;
  const auto set = *EqualityDeleteSet::Build({deleted[0]->type()}, {{deleted, 5}}, &memory);
  const ColumnSupplier supplier = [&](const iceberg::Field&, const columnar::Selection&) { return column; };
  const auto source = MakeEqualitySource(set, {KeyField{}}, nullptr, data_sequence, supplier, arrow::default_memory_pool());
  columnar::Selection rows = columnar::Selection::All(column->length());
  EXPECT_TRUE(source->Narrow(&rows).ok());
  return rows.LiveIndices();
}

TEST(EqualitySource, CodesOfADictionaryAreTreatedAsTheirValues) {
  const std::vector<std::vector<std::optional<std::string>>> keys = {{"b", "z"}, {"a", std::nullopt}, {std::nullopt}, {"z"}};
  const auto entries = Texts({"a", "b", "c"});
  for (const auto& deleted : keys) {
    std::mt19937 random(7);
    std::vector<std::optional<uint8_t>> narrow;
    std::vector<std::optional<uint16_t>> wide;
    for (int i = 0; i < 1000; ++i) {
      const bool null = random() % 10 == 0;
      narrow.push_back(null ? std::nullopt : std::optional(static_cast<uint8_t>(random() % 3)));
      wide.push_back(narrow.back() ? std::optional<uint16_t>(*narrow.back()) : std::nullopt);
    }
    for (const auto& codes : {Array<arrow::UInt8Builder>(narrow), Array<arrow::UInt16Builder>(wide)}) {
      const auto type = arrow::dictionary(codes->type(), entries->type());
      const std::shared_ptr<arrow::Array> encoded = *arrow::DictionaryArray::FromArrays(type, codes->Slice(5), entries);
      const auto plain = *columnar::Decode(encoded, arrow::default_memory_pool());
      EXPECT_EQ(Live({Texts(deleted)}, encoded, 1), Live({Texts(deleted)}, plain, 1));
      EXPECT_EQ(Live({Texts(deleted)}, encoded, 5).size(), 995U);
    }
  }
}

TEST(EqualitySource, DecimalsIn64BitsAreTreatedAsTheirValues) {
  const auto of = [](const std::shared_ptr<arrow::DataType>& type, const char* values) { return *arrow::json::ArrayFromJSONString(type, values); };
  const auto wide = arrow::decimal128(18, 2);
  const auto column = of(arrow::decimal64(18, 2), R"(["1.50", null, "-7.25", "9999999999999999.99", "0.00"])");
  EXPECT_EQ(Live({of(wide, R"(["-7.25", "9999999999999999.99"])")}, column, 1), (std::vector<int32_t>{0, 1, 4}));
  EXPECT_EQ(Live({of(wide, R"([null])")}, column->Slice(1), 1), (std::vector<int32_t>{1, 2, 3}));
}

TEST(EqualitySource, ColumnsAreNotReadForDataAsNewAsTheDeletes) {
  base::Reservation memory;
  const auto set = *EqualityDeleteSet::Build({arrow::utf8()}, {{{Texts({"a"})}, 5}}, &memory);
  const ColumnSupplier supplier = [](const iceberg::Field&, const columnar::Selection&) -> arrow::Result<std::shared_ptr<arrow::Array>> {
    return arrow::Status::IOError("read");
  };
  columnar::Selection rows = columnar::Selection::All(10);
  for (const int64_t data_sequence : {4, 5}) {
    const auto source = MakeEqualitySource(set, {KeyField{}}, nullptr, data_sequence, supplier, arrow::default_memory_pool());
    EXPECT_EQ(source->Narrow(&rows).ok(), data_sequence == 5);
  }
}

}  // namespace
}  // namespace vecruntime::deletes
