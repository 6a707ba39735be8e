// SPDX-License-Identifier: Apache-2.0
#include "vecruntime/iceberg/puffin.h"

#include <arrow/buffer.h>
#include <arrow/io/memory.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <lz4frame.h>

#include "vecruntime/base/error.h"

namespace vecruntime::iceberg {
namespace {

constexpr char kPayload[] = R"({"blobs":[{"type":"deletion-vector-v1","fields":[2147483645],"snapshot-id":-1,"sequence-number":-1,"offset":4,
  "length":6,"properties":{"referenced-data-file":"/d","cardinality":"3"}}],"properties":{"created-by":"x"}})";

std::string LittleEndian(uint32_t value) { return std::string(reinterpret_cast<const char*>(&value), 4); }

std::string File(const std::string& payload, uint32_t flags = 0) {
  return "PFA1blob06PFA1" + payload + LittleEndian(static_cast<uint32_t>(payload.size())) + LittleEndian(flags) + "PFA1";
}

arrow::Result<PuffinFooter> Read(const std::string& bytes) {
  arrow::io::BufferReader reader(arrow::Buffer::FromString(bytes));
  return ReadPuffinFooter(&reader, "/x.puffin");
}

std::string Lz4(const std::string& text) {
  std::string out(LZ4F_compressFrameBound(text.size(), nullptr), '\0');
  out.resize(LZ4F_compressFrame(out.data(), out.size(), text.data(), text.size(), nullptr));
  return out;
}

}  // namespace

TEST(Puffin, ReadsPlainAndCompressedFooters) {
  for (const std::string& bytes : {File(kPayload), File(Lz4(kPayload), 1)}) {
    const auto footer = Read(bytes);
    ASSERT_TRUE(footer.ok()) << footer.status();
    ASSERT_NE(footer->FindBlob(4, 6), nullptr);
    EXPECT_EQ(footer->FindBlob(4, 6)->properties.at("referenced-data-file"), "/d");
    EXPECT_EQ(footer->FindBlob(4, 6)->type, "deletion-vector-v1");
    EXPECT_EQ(footer->FindBlob(4, 5), nullptr);
    EXPECT_EQ(footer->properties.at("created-by"), "x");
  }
}

TEST(Puffin, DamageIsCorruptDataAndNamesTheFile) {
  std::string bad_start = File(kPayload);
  bad_start[0] = 'X';
  std::string bad_footer_start = File(kPayload);
  bad_footer_start[10] = 'X';
  std::string bad_end = File(kPayload);
  bad_end.back() = 'X';
  std::string too_long = File(kPayload);
  too_long[too_long.size() - 9] = '\x7f';
  const std::string outside = R"({"blobs":[{"type":"t","fields":[],"snapshot-id":1,"sequence-number":1,"offset":9,"length":2}]})";
  const std::string before = R"({"blobs":[{"type":"t","fields":[],"snapshot-id":1,"sequence-number":1,"offset":0,"length":2}]})";
  const std::string huge = R"({"blobs":[{"type":"t","fields":[],"snapshot-id":1,"sequence-number":1,"offset":9223372036854775807,"length":2}]})";
  for (const std::string& bytes : {bad_start, bad_footer_start, bad_end, too_long, File("{"), File("{}"), File(outside), File(before),
                                   File(huge), File("not lz4", 1), std::string(), std::string("PFA1PFA1")}) {
    const auto footer = Read(bytes);
    EXPECT_EQ(KindOf(footer.status()), ErrorKind::kCorruptData) << footer.status();
    EXPECT_THAT(footer.status().message(), testing::HasSubstr("/x.puffin"));
  }
  EXPECT_EQ(KindOf(Read(File(kPayload, 2)).status()), ErrorKind::kUnsupported);
}

TEST(Puffin, CutOrFlippedBytesNeverCrash) {
  const std::string good = File(Lz4(kPayload), 1);
  for (size_t at = 0; at < good.size(); ++at) {
    std::string flipped = good;
    flipped[at] ^= 0x41;
    Read(flipped).status().ToString();
    EXPECT_FALSE(Read(good.substr(0, at)).ok());
  }
}

}  // namespace vecruntime::iceberg
