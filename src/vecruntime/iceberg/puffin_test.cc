// SPDX-License-Identifier: Apache-2.0
#include "vecruntime/iceberg/puffin.h"

#include <arrow/buffer.h>
#include <arrow/io/memory.h>
#include <arrow/result.h>
#include <gtest/gtest.h>

#include "vecruntime/base/error.h"

namespace vecruntime::iceberg {
namespace {

std::string File(const std::string& json, uint32_t flags = 0) {
  std::string file = "PFA1" + std::string(20, 'b') + "PFA1" + json;
  for (const uint32_t number : {static_cast<uint32_t>(json.size()), flags}) {
    for (int i = 0; i < 4; ++i) file.push_back(static_cast<char>(number >> (8 * i)));
  }
  return file + "PFA1";
}

arrow::Result<PuffinFooter> Read(const std::string& bytes) {
  arrow::io::BufferReader reader(arrow::Buffer::FromString(bytes));
  return ReadPuffinFooter(&reader, "t.puffin");
}

const char kBlob[] = R"({"blobs":[{"type":"deletion-vector-v1","fields":[],"snapshot-id":-1,"sequence-number":-1,"offset":4,"length":20,)"
                     R"("properties":{"referenced-data-file":"f","cardinality":"1"}}],"properties":{"created-by":"x"}})";

TEST(Puffin, ReadsTheBlobsOfTheFooter) {
  const auto footer = Read(File(kBlob));
  ASSERT_TRUE(footer.ok()) << footer.status();
  ASSERT_EQ(footer->blobs.size(), 1u);
  EXPECT_EQ(footer->blobs[0].offset, 4);
  EXPECT_EQ(footer->blobs[0].properties.at("referenced-data-file"), "f");
}

TEST(Puffin, DamageIsCorruptDataNamingTheFile) {
  const std::string good = File(kBlob);
  for (size_t cut = 0; cut < good.size(); ++cut) {
    const auto status = Read(good.substr(0, cut)).status();
    ASSERT_EQ(KindOf(status), ErrorKind::kCorruptData) << cut;
    ASSERT_NE(status.message().find("t.puffin"), std::string::npos);
  }
  EXPECT_FALSE(Read(File(R"({"blobs":[{"type":"x","fields":[],"offset":4,"length":21}]})")).ok()) << "blob runs into the footer";
  EXPECT_FALSE(Read(File(R"({"blobs":[{"type":"x","fields":[],"offset":-4,"length":8}]})")).ok());
  EXPECT_FALSE(Read(File(R"({"blobs":)")).ok());
  EXPECT_FALSE(Read(File(kBlob, 1)).ok()) << "not an LZ4 frame";
  EXPECT_EQ(KindOf(Read(File(kBlob, 2)).status()), ErrorKind::kUnsupported);
}

}  // namespace
}  // namespace vecruntime::iceberg
