// SPDX-License-Identifier: Apache-2.0
// Every instruction set against plain loops over random input: same bits, no byte read or written beyond what was promised.
#include "vecruntime/columnar/kernels.h"

#include <gtest/gtest.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <bit>
#include <cstring>
#include <limits>
#include <random>
#include <string>
#include <vector>

namespace vecruntime::columnar {
namespace {

// `size` bytes that end at a page that cannot be touched.
class GuardedBytes {
 public:
  explicit GuardedBytes(size_t size) {
    const auto page = static_cast<size_t>(::sysconf(_SC_PAGESIZE));
    mapped_ = (size + page - 1) / page * page + page;
    base_ = static_cast<uint8_t*>(::mmap(nullptr, mapped_, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0));
    EXPECT_EQ(::mprotect(base_ + mapped_ - page, page, PROT_NONE), 0);
    data_ = base_ + mapped_ - page - size;
  }
  ~GuardedBytes() { ::munmap(base_, mapped_); }
  GuardedBytes(const GuardedBytes&) = delete;
  GuardedBytes& operator=(const GuardedBytes&) = delete;
  uint8_t* data() { return data_; }
  template <typename T>
  T* as() {
    return reinterpret_cast<T*>(data_);
  }

 private:
  size_t mapped_ = 0;
  uint8_t* base_ = nullptr;
  uint8_t* data_ = nullptr;
};

class KernelsTest : public testing::TestWithParam<InstructionSet> {
 protected:
  void SetUp() override {
    kernels_ = KernelsFor(GetParam());
    if (kernels_ == nullptr) GTEST_SKIP() << "this processor lacks the instruction set";
  }

  template <typename T>
  std::vector<T> Random(int64_t count, uint64_t below) {
    std::vector<T> values(static_cast<size_t>(count));
    for (T& value : values) value = static_cast<T>(random_() % below);
    return values;
  }
  std::vector<uint64_t> RandomWords(int64_t count) {
    std::vector<uint64_t> words(static_cast<size_t>((count + 63) / 64));
    for (uint64_t& word : words) word = random_() % 4 == 0 ? 0 : random_() % 3 == 0 ? ~uint64_t{0} : random_();
    if (count % 64 != 0) words.back() &= (uint64_t{1} << (count % 64)) - 1;
    return words;
  }

  template <typename Out, typename Unpack>
  void CheckUnpack(int width, int64_t count, Unpack unpack) {
    const auto values = Random<Out>(count, uint64_t{1} << width);
    GuardedBytes packed(static_cast<size_t>(count * width / 8));
    std::memset(packed.data(), 0, static_cast<size_t>(count * width / 8));
    for (int64_t i = 0; i < count * width; ++i) {
      if ((values[static_cast<size_t>(i / width)] >> (i % width)) & 1) packed.data()[i / 8] |= static_cast<uint8_t>(1 << (i % 8));
    }
    GuardedBytes out(static_cast<size_t>(count) * sizeof(Out));
    unpack(packed.data(), width, count, out.as<Out>());
    EXPECT_TRUE(std::equal(values.begin(), values.end(), out.as<Out>())) << "width " << width << ", count " << count;
  }

  const Kernels* kernels_ = nullptr;
  std::mt19937_64 random_{20261201};
};

constexpr int64_t kCounts[] = {0, 1, 7, 63, 64, 65, 100, 128, 1000, 4096};

TEST_P(KernelsTest, UnpacksEveryWidth) {
  for (int64_t count = 0; count <= 264; count += 8) {
    for (int width = 1; width <= 8; ++width) CheckUnpack<uint8_t>(width, count, kernels_->unpack8);
    for (int width = 1; width <= 16; ++width) CheckUnpack<uint16_t>(width, count, kernels_->unpack16);
  }
}

TEST_P(KernelsTest, MatchesCodes) {
  for (const int64_t count : kCounts) {
    std::vector<uint8_t> table(1 << 16);
    for (uint8_t& entry : table) entry = random_() % 2 == 0 ? 0xff : 0;
    const auto codes8 = Random<uint8_t>(count, 256);
    const auto codes16 = Random<uint16_t>(count, 1 << 16);
    std::vector<uint64_t> words8(static_cast<size_t>((count + 63) / 64), ~uint64_t{0}), words16 = words8, equal = words8;
    kernels_->match8(codes8.data(), count, table.data(), 256, words8.data());
    kernels_->match16(codes16.data(), count, table.data(), 1 << 16, words16.data());
    kernels_->equal8(codes8.data(), count, 7, equal.data());
    for (int64_t i = 0; i < static_cast<int64_t>(words8.size()) * 64; ++i) {
      const auto at = static_cast<size_t>(i);
      const auto bit = [&](const std::vector<uint64_t>& words) { return ((words[at / 64] >> (at % 64)) & 1) != 0; };
      EXPECT_EQ(bit(words8), i < count && table[codes8[at]] != 0);
      EXPECT_EQ(bit(words16), i < count && table[codes16[at]] != 0);
      EXPECT_EQ(bit(equal), i < count && codes8[at] == 7);
    }
  }
}

TEST_P(KernelsTest, MatchesCodesOfSmallDictionaries) {
  for (const int64_t count : kCounts) {
    for (const int64_t entry_count : {1, 2, 15, 16, 17, 50, 64, 96, 97, 128, 255}) {
      std::vector<uint8_t> table(256, 0);
      for (int64_t i = 0; i < entry_count; ++i) table[static_cast<size_t>(i)] = random_() % 2 == 0 ? 0xff : 0;
      const auto codes = Random<uint8_t>(count, static_cast<uint64_t>(entry_count));
      std::vector<uint64_t> words(static_cast<size_t>((count + 63) / 64), ~uint64_t{0});
      kernels_->match8(codes.data(), count, table.data(), entry_count, words.data());
      for (size_t i = 0; i < words.size() * 64; ++i) {
        ASSERT_EQ((words[i / 64] >> (i % 64)) & 1, i < codes.size() && table[codes[i]] != 0) << "entries " << entry_count;
      }
    }
  }
}

TEST_P(KernelsTest, MatchesWideCodesOfSmallDictionaries) {
  for (const int64_t count : kCounts) {
    for (const int64_t entry_count : {257, 1023, 1024, 1025, 2048, 2526, 3073, 4096, 4097}) {
      std::vector<uint8_t> table(static_cast<size_t>(entry_count));
      for (uint8_t& entry : table) entry = random_() % 2 == 0 ? 0xff : 0;
      const auto codes = Random<uint16_t>(count, static_cast<uint64_t>(entry_count));
      std::vector<uint64_t> words(static_cast<size_t>((count + 63) / 64), ~uint64_t{0});
      kernels_->match16(codes.data(), count, table.data(), entry_count, words.data());
      for (size_t i = 0; i < words.size() * 64; ++i) {
        ASSERT_EQ((words[i / 64] >> (i % 64)) & 1, i < codes.size() && table[codes[i]] != 0) << "entries " << entry_count;
      }
    }
  }
}

TEST_P(KernelsTest, FindsTheHighestValue) {
  for (const int64_t count : kCounts) {
    auto values8 = Random<uint8_t>(count, 200);
    auto values16 = Random<uint16_t>(count, 40000);
    EXPECT_TRUE(kernels_->all_below8(values8.data(), count, 200));
    EXPECT_TRUE(kernels_->all_below16(values16.data(), count, 40000));
    for (size_t i = 0; i < values8.size(); i += 1 + values8.size() / 40) {
      auto one8 = values8;
      auto one16 = values16;
      one8[i] = 200;
      one16[i] = 40000;
      EXPECT_FALSE(kernels_->all_below8(one8.data(), count, 200));
      EXPECT_FALSE(kernels_->all_below16(one16.data(), count, 40000));
    }
  }
}

TEST_P(KernelsTest, FillsBytes) {
  for (const int64_t count : kCounts) {
    const auto words = RandomWords(count);
    GuardedBytes bytes(static_cast<size_t>(count));
    std::memset(bytes.data(), 7, static_cast<size_t>(count));
    kernels_->fill_bytes(words.data(), count, 200, bytes.data());
    for (int64_t i = 0; i < count; ++i) ASSERT_EQ(bytes.data()[i], (words[static_cast<size_t>(i / 64)] >> (i % 64)) & 1 ? 200 : 7);
  }
}

TEST_P(KernelsTest, CountsBits) {
  for (const int64_t count : kCounts) {
    const auto words = RandomWords(count * 64);
    int64_t expected = 0;
    for (const uint64_t word : words) expected += std::popcount(word);
    EXPECT_EQ(kernels_->count_bits(words.data(), count), expected);
  }
}

TEST_P(KernelsTest, WidensCodes) {
  for (const int64_t count : kCounts) {
    for (const int64_t entry_count : {1, 2, 8, 11, 16, 17, 256}) {
      const auto entries = Random<uint64_t>(entry_count, ~uint64_t{0});
      const auto codes = Random<uint8_t>(count, static_cast<uint64_t>(entry_count));
      std::vector<uint64_t> out(static_cast<size_t>(count));
      kernels_->widen8(entries.data(), entry_count, codes.data(), count, out.data());
      for (size_t i = 0; i < out.size(); ++i) ASSERT_EQ(out[i], entries[codes[i]]);
    }
  }
}

TEST_P(KernelsTest, FindsBits) {
  constexpr int64_t kBits = 1000;
  for (const int64_t base : {int64_t{-500}, std::numeric_limits<int64_t>::min(), std::numeric_limits<int64_t>::max() - kBits + 1}) {
    for (const int64_t count : kCounts) {
      GuardedBytes bits(static_cast<size_t>((kBits + 63) / 64 * 8));
      for (int64_t i = 0; i < (kBits + 63) / 64; ++i) bits.as<uint64_t>()[i] = random_();
      GuardedBytes longs(static_cast<size_t>(count) * 8), ints(static_cast<size_t>(count) * 4);
      std::vector<uint64_t> words(static_cast<size_t>((count + 63) / 64)), expected_longs(words.size()), expected_ints(words.size());
      const auto expect = [&](int64_t i, int64_t value, std::vector<uint64_t>* expected) {
        const uint64_t bit = static_cast<uint64_t>(value) - static_cast<uint64_t>(base);
        if (bit < kBits) (*expected)[static_cast<size_t>(i / 64)] |= (bits.as<uint64_t>()[bit / 64] >> (bit % 64) & 1) << (i % 64);
      };
      for (int64_t i = 0; i < count; ++i) {
        const int64_t step = random_() % 4 == 0 ? static_cast<int64_t>(random_()) : static_cast<int64_t>(random_() % (kBits + 20)) - 10;
        longs.as<int64_t>()[i] = static_cast<int64_t>(static_cast<uint64_t>(base) + static_cast<uint64_t>(step));
        ints.as<int32_t>()[i] = static_cast<int32_t>(longs.as<int64_t>()[i]);
        expect(i, longs.as<int64_t>()[i], &expected_longs);
        expect(i, ints.as<int32_t>()[i], &expected_ints);
      }
      kernels_->find_bits64(longs.as<int64_t>(), count, bits.as<uint64_t>(), static_cast<uint64_t>(base), kBits, words.data());
      EXPECT_EQ(words, expected_longs) << "base " << base << ", count " << count;
      kernels_->find_bits32(ints.as<int32_t>(), count, bits.as<uint64_t>(), static_cast<uint64_t>(base), kBits, words.data());
      EXPECT_EQ(words, expected_ints) << "base " << base << ", count " << count;
    }
  }
}

TEST_P(KernelsTest, SumsToTheSameBits) {
  for (const int64_t count : kCounts) {
    std::vector<double> values(static_cast<size_t>(count));
    for (double& value : values) value = static_cast<double>(static_cast<int64_t>(random_())) * 1e-3;
    const auto words = RandomWords(count);
    std::vector<double> expected(kSumLanes, 0.5), sums(kSumLanes, 0.5);
    for (int64_t i = 0; i < count; ++i) {
      if ((words[static_cast<size_t>(i / 64)] >> (i % 64)) & 1) expected[static_cast<size_t>(i % kSumLanes)] += values[static_cast<size_t>(i)];
    }
    kernels_->sum_double(values.data(), words.data(), count, sums.data());
    EXPECT_EQ(std::memcmp(sums.data(), expected.data(), sizeof(double) * kSumLanes), 0) << "count " << count;
  }
}

TEST_P(KernelsTest, SumsLongsExactly) {
  for (const int64_t count : kCounts) {
    for (const int width : {1, 20, 33, 64}) {
      std::vector<int64_t> values(static_cast<size_t>(count));
      for (int64_t& value : values) {
        value = static_cast<int64_t>(random_()) >> (64 - width);
        if (width == 64 && random_() % 4 == 0) value = random_() % 2 == 0 ? INT64_MAX : INT64_MIN;
      }
      const auto words = RandomWords(count);
      __int128 expected = 0;
      uint64_t magnitudes = 0;
      for (int64_t i = 0; i < count; ++i) {
        const int64_t value = values[static_cast<size_t>(i)];
        if ((words[static_cast<size_t>(i / 64)] >> (i % 64)) & 1) expected += value;
        magnitudes |= static_cast<uint64_t>(value < 0 ? ~value : value);
      }
      EXPECT_TRUE(kernels_->sum_long(values.data(), words.data(), count) == expected) << "count " << count << ", width " << width;
      EXPECT_EQ(kernels_->or_magnitudes(values.data(), count), magnitudes) << "count " << count << ", width " << width;
    }
  }
}

std::string NameOf(const testing::TestParamInfo<InstructionSet>& info) {
  constexpr const char* kNames[] = {"Scalar", "Avx2", "Avx512"};
  return kNames[static_cast<int>(info.param)];
}

INSTANTIATE_TEST_SUITE_P(EveryInstructionSet, KernelsTest,
                         testing::Values(InstructionSet::kScalar, InstructionSet::kAvx2, InstructionSet::kAvx512), NameOf);

}  // namespace
}  // namespace vecruntime::columnar
