// SPDX-License-Identifier: Apache-2.0
#include "vecruntime/deletes/deletion_vector.h"

#include <arrow/result.h>
#include <gtest/gtest.h>
#include <libdeflate.h>

#include <string>

#include "vecruntime/base/error.h"

namespace vecruntime::deletes {
namespace {

std::string LittleEndian(uint64_t value, int bytes) {
  std::string out;
  for (int i = 0; i < bytes; ++i) out.push_back(static_cast<char>(value >> (8 * i)));
  return out;
}
std::string BigEndian(uint32_t value) {
  std::string out;
  for (int i = 3; i >= 0; --i) out.push_back(static_cast<char>(value >> (8 * i)));
  return out;
}
std::string Frame(const std::string& bitmap) {
  const std::string body = "\xD1\xD3\x39\x64" + bitmap;
  return BigEndian(static_cast<uint32_t>(body.size())) + body + BigEndian(libdeflate_crc32(0, body.data(), body.size()));
}
// One bitmap with key 0: container 0 is the array {1, 5}, container 2 the runs [10, 12] and [20, 20].
std::string TwoContainers() {
  return LittleEndian(1, 8) + LittleEndian(0, 4) + LittleEndian(12347 | (2 - 1) << 16, 4) + LittleEndian(0b10, 1) + LittleEndian(0, 2) +
         LittleEndian(1, 2) + LittleEndian(2, 2) + LittleEndian(3, 2) + LittleEndian(1, 2) + LittleEndian(5, 2) + LittleEndian(2, 2) +
         LittleEndian(10, 2) + LittleEndian(2, 2) + LittleEndian(20, 2) + LittleEndian(0, 2);
}

TEST(DeletionVector, DecodesArrayAndRunContainers) {
  const auto rows = DecodeDeletionVector(Frame(TwoContainers()), 6, "f.puffin", 4);
  ASSERT_TRUE(rows.ok()) << rows.status();
  columnar::Selection selection = columnar::Selection::All(32, base::FileRow{2 * 65536});
  rows->Narrow(&selection);
  EXPECT_EQ(selection.CountLive(), 28);
  for (int dead : {10, 11, 12, 20}) EXPECT_FALSE(selection.IsLive(dead));
  columnar::Selection first = columnar::Selection::All(8);
  rows->Narrow(&first);
  EXPECT_EQ(first.LiveIndices(), (std::vector<int32_t>{0, 2, 3, 4, 6, 7}));
}

TEST(DeletionVector, AnEmptyBucketIsFine) {
  const std::string empty = LittleEndian(2, 8) + LittleEndian(0, 4) + LittleEndian(12346, 4) + LittleEndian(0, 4) + LittleEndian(1, 4) +
                            LittleEndian(12346, 4) + LittleEndian(0, 4);
  EXPECT_TRUE(DecodeDeletionVector(Frame(empty), 0, "f", 0).ok());
}

TEST(DeletionVector, EveryDamageIsCorruptDataNamingTheFile) {
  const std::string good = Frame(TwoContainers());
  for (size_t i = 0; i < good.size(); ++i) {
    std::string flipped = good;
    flipped[i] = static_cast<char>(flipped[i] ^ 0x10);
    const auto status = DecodeDeletionVector(flipped, 6, "f.puffin", 4).status();
    ASSERT_EQ(KindOf(status), ErrorKind::kCorruptData) << "byte " << i;
    ASSERT_NE(status.message().find("f.puffin"), std::string::npos);
    ASSERT_FALSE(DecodeDeletionVector(good.substr(0, i), 6, "f", 4).ok());
  }
  EXPECT_FALSE(DecodeDeletionVector(good, 5, "f", 4).ok()) << "cardinality is not the record count";
}

// With a correct checksum the bitmap itself is what has to be refused; no input may crash or allocate beyond its size.
TEST(DeletionVector, RefusesImpossibleBitmapsBehindAGoodChecksum) {
  const std::string bitmap = TwoContainers();
  for (size_t i = 0; i < bitmap.size(); ++i) {
    for (int bit = 0; bit < 8; ++bit) {
      std::string flipped = bitmap;
      flipped[i] = static_cast<char>(flipped[i] ^ (1 << bit));
      const auto rows = DecodeDeletionVector(Frame(flipped), 6, "f", 0);
      EXPECT_TRUE(!rows.ok() || rows->cardinality() == 6);
    }
    EXPECT_FALSE(DecodeDeletionVector(Frame(bitmap.substr(0, i)), 6, "f", 0).ok());
  }
  const std::string keys_descend = LittleEndian(2, 8) + LittleEndian(1, 4) + LittleEndian(12346, 4) + LittleEndian(0, 4) +
                                   LittleEndian(0, 4) + LittleEndian(12346, 4) + LittleEndian(0, 4);
  EXPECT_FALSE(DecodeDeletionVector(Frame(keys_descend), 0, "f", 0).ok());
}

}  // namespace
}  // namespace vecruntime::deletes
