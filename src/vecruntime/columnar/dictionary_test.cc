// SPDX-License-Identifier: Apache-2.0
#include "vecruntime/columnar/dictionary.h"

#include <arrow/array.h>
#include <arrow/json/from_string.h>
#include <arrow/memory_pool.h>
#include <arrow/type.h>
#include <gtest/gtest.h>

#include "vecruntime/columnar/decode.h"

namespace vecruntime::columnar {
namespace {

using arrow::json::ArrayFromJSONString;

std::shared_ptr<arrow::DictionaryArray> Encoded(const std::shared_ptr<arrow::DataType>& codes, const std::string& codes_json,
                                                const std::shared_ptr<arrow::DataType>& type, const std::string& values_json) {
  return std::make_shared<arrow::DictionaryArray>(arrow::dictionary(codes, type), *ArrayFromJSONString(codes, codes_json),
                                                  *ArrayFromJSONString(type, values_json));
}

void ExpectDecodes(const std::shared_ptr<arrow::DictionaryArray>& encoded, const std::string& expected_json) {
  const auto expected = *ArrayFromJSONString(encoded->dictionary()->type(), expected_json);
  const auto decoded = Decode(encoded, arrow::default_memory_pool());
  ASSERT_TRUE(decoded.ok()) << decoded.status();
  EXPECT_TRUE((*decoded)->Equals(*expected)) << (*decoded)->ToString();
  ASSERT_TRUE((*decoded)->ValidateFull().ok());
}

TEST(Dictionary, DecodesEveryWidth) {
  for (const auto& codes : {arrow::uint8(), arrow::uint16()}) {
    ExpectDecodes(Encoded(codes, "[2, 0, null, 1]", arrow::int32(), "[10, 20, 30]"), "[30, 10, null, 20]");
    ExpectDecodes(Encoded(codes, "[2, 0, 1]", arrow::float64(), "[1.5, -2.5, 3]"), "[3, 1.5, -2.5]");
    ExpectDecodes(Encoded(codes, "[1, 0, null]", arrow::decimal128(20, 2), R"(["1.50", "-7.25"])"), R"(["-7.25", "1.50", null])");
    ExpectDecodes(Encoded(codes, "[1, null, 0, 1]", arrow::utf8(), R"(["", "text"])"), R"(["text", null, "", "text"])");
    ExpectDecodes(Encoded(codes, "[1, 0, 1]", arrow::int64(), "[5, null]"), "[null, 5, null]");
    ExpectDecodes(Encoded(codes, "[]", arrow::date32(), "[]"), "[]");
  }
}

TEST(Dictionary, DecodesSlices) {
  const auto sliced = Encoded(arrow::uint8(), "[0, 1, null, 1, 0]", arrow::int64(), "[7, 8]")->Slice(1, 3);
  const auto decoded = Decode(sliced, arrow::default_memory_pool());
  ASSERT_TRUE(decoded.ok());
  EXPECT_TRUE((*decoded)->Equals(**ArrayFromJSONString(arrow::int64(), "[8, null, 8]"))) << (*decoded)->ToString();
}

TEST(Decode, WidensDecimals) {
  const auto narrow = *ArrayFromJSONString(arrow::decimal64(18, 2), R"(["0.00", "-0.01", null, "9999999999999999.99", "-9999999999999999.99"])");
  const auto wide = *ArrayFromJSONString(arrow::decimal128(18, 2), R"(["0.00", "-0.01", null, "9999999999999999.99", "-9999999999999999.99"])");
  for (int64_t from = 0; from <= narrow->length(); ++from) {
    const auto decoded = *Decode(narrow->Slice(from), arrow::default_memory_pool());
    EXPECT_TRUE(decoded->Equals(*wide->Slice(from))) << decoded->ToString();
    ASSERT_TRUE(decoded->ValidateFull().ok());
  }
}

TEST(Dictionary, MatchesEntries) {
  const auto entries = *ArrayFromJSONString(arrow::boolean(), "[true, false, null]");
  for (const auto& codes : {arrow::uint8(), arrow::uint16()}) {
    const auto encoded = Encoded(codes, "[0, 1, 2, null, 0]", arrow::int32(), "[1, 2, 3]");
    const EntrySet set(static_cast<const arrow::BooleanArray&>(*entries));
    EXPECT_EQ(set.Match(*encoded).LiveIndices(), (std::vector<int32_t>{0, 4}));
    const EntrySet all(static_cast<const arrow::BooleanArray&>(**ArrayFromJSONString(arrow::boolean(), "[true, true, true]")));
    EXPECT_TRUE(all.all());
    EXPECT_EQ(all.Match(*encoded).LiveIndices(), (std::vector<int32_t>{0, 1, 2, 4}));
  }
}

}  // namespace
}  // namespace vecruntime::columnar
