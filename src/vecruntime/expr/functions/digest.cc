// SPDX-License-Identifier: Apache-2.0
#include "vecruntime/expr/functions/digest.h"

#include <array>
#include <bit>
#include <cmath>

namespace vecruntime::expr {
namespace {

// Message with the padding all of these digests share: 0x80, zeros, the length in bits in `length_bytes` bytes.
std::string Padded(std::string_view data, size_t block, size_t length_bytes, bool big_endian) {
  std::string message(data);
  message.push_back('\x80');
  while ((message.size() + length_bytes) % block != 0) message.push_back('\0');
  const uint64_t bits = static_cast<uint64_t>(data.size()) * 8;
  for (size_t k = 0; k < length_bytes; ++k) {
    const size_t shift = 8 * (big_endian ? length_bytes - 1 - k : k);
    message.push_back(shift < 64 ? static_cast<char>(bits >> shift) : '\0');
  }
  return message;
}

template <typename Word>
Word Load(const char* bytes, bool big_endian) {
  Word word = 0;
  for (size_t k = 0; k < sizeof(Word); ++k) {
    word |= static_cast<Word>(static_cast<uint8_t>(bytes[k])) << (8 * (big_endian ? sizeof(Word) - 1 - k : k));
  }
  return word;
}

template <typename Word, size_t N>
std::string Store(const std::array<Word, N>& words, bool big_endian) {
  std::string bytes;
  for (const Word word : words) {
    for (size_t k = 0; k < sizeof(Word); ++k) {
      bytes.push_back(static_cast<char>(word >> (8 * (big_endian ? sizeof(Word) - 1 - k : k))));
    }
  }
  return bytes;
}

constexpr std::array<uint64_t, 80> kSha512Constants = {
    0x428a2f98d728ae22, 0x7137449123ef65cd, 0xb5c0fbcfec4d3b2f, 0xe9b5dba58189dbbc, 0x3956c25bf348b538, 0x59f111f1b605d019,
    0x923f82a4af194f9b, 0xab1c5ed5da6d8118, 0xd807aa98a3030242, 0x12835b0145706fbe, 0x243185be4ee4b28c, 0x550c7dc3d5ffb4e2,
    0x72be5d74f27b896f, 0x80deb1fe3b1696b1, 0x9bdc06a725c71235, 0xc19bf174cf692694, 0xe49b69c19ef14ad2, 0xefbe4786384f25e3,
    0x0fc19dc68b8cd5b5, 0x240ca1cc77ac9c65, 0x2de92c6f592b0275, 0x4a7484aa6ea6e483, 0x5cb0a9dcbd41fbd4, 0x76f988da831153b5,
    0x983e5152ee66dfab, 0xa831c66d2db43210, 0xb00327c898fb213f, 0xbf597fc7beef0ee4, 0xc6e00bf33da88fc2, 0xd5a79147930aa725,
    0x06ca6351e003826f, 0x142929670a0e6e70, 0x27b70a8546d22ffc, 0x2e1b21385c26c926, 0x4d2c6dfc5ac42aed, 0x53380d139d95b3df,
    0x650a73548baf63de, 0x766a0abb3c77b2a8, 0x81c2c92e47edaee6, 0x92722c851482353b, 0xa2bfe8a14cf10364, 0xa81a664bbc423001,
    0xc24b8b70d0f89791, 0xc76c51a30654be30, 0xd192e819d6ef5218, 0xd69906245565a910, 0xf40e35855771202a, 0x106aa07032bbd1b8,
    0x19a4c116b8d2d0c8, 0x1e376c085141ab53, 0x2748774cdf8eeb99, 0x34b0bcb5e19b48a8, 0x391c0cb3c5c95a63, 0x4ed8aa4ae3418acb,
    0x5b9cca4f7763e373, 0x682e6ff3d6b2b8a3, 0x748f82ee5defb2fc, 0x78a5636f43172f60, 0x84c87814a1f0ab72, 0x8cc702081a6439ec,
    0x90befffa23631e28, 0xa4506cebde82bde9, 0xbef9a3f7b2c67915, 0xc67178f2e372532b, 0xca273eceea26619c, 0xd186b8c721c0c207,
    0xeada7dd6cde0eb1e, 0xf57d4f7fee6ed178, 0x06f067aa72176fba, 0x0a637dc5a2c898a6, 0x113f9804bef90dae, 0x1b710b35131c471b,
    0x28db77f523047d84, 0x32caab7b40c72493, 0x3c9ebe0a15c9bebc, 0x431d67c49c100d4c, 0x4cc5d4becb3e42b6, 0x597f299cfc657e2a,
    0x5fcb6fab3ad6faec, 0x6c44198c4a475817};

// The rotations by which SHA-256 and SHA-512 differ. SHA-256's round constants are the high halves of SHA-512's first 64.
template <typename Word>
struct Sha2Shape;
template <>
struct Sha2Shape<uint32_t> {
  static constexpr int kRounds = 64, kBig0[] = {2, 13, 22}, kBig1[] = {6, 11, 25}, kSmall0[] = {7, 18, 3}, kSmall1[] = {17, 19, 10};
  static uint32_t Constant(size_t k) { return static_cast<uint32_t>(kSha512Constants[k] >> 32); }
};
template <>
struct Sha2Shape<uint64_t> {
  static constexpr int kRounds = 80, kBig0[] = {28, 34, 39}, kBig1[] = {14, 18, 41}, kSmall0[] = {1, 8, 7}, kSmall1[] = {19, 61, 6};
  static uint64_t Constant(size_t k) { return kSha512Constants[k]; }
};

template <typename Word>
std::string RunSha2(std::string_view data, std::array<Word, 8> state) {
  using Shape = Sha2Shape<Word>;
  constexpr size_t kBlock = 16 * sizeof(Word);
  const std::string message = Padded(data, kBlock, 2 * sizeof(Word), true);
  const auto rotate3 = [](Word x, const int* r) { return std::rotr(x, r[0]) ^ std::rotr(x, r[1]) ^ std::rotr(x, r[2]); };
  const auto rotate2 = [](Word x, const int* r) { return std::rotr(x, r[0]) ^ std::rotr(x, r[1]) ^ (x >> r[2]); };
  for (size_t block = 0; block < message.size(); block += kBlock) {
    std::array<Word, Shape::kRounds> w{};
    for (size_t k = 0; k < 16; ++k) w[k] = Load<Word>(message.data() + block + k * sizeof(Word), true);
    for (size_t k = 16; k < w.size(); ++k) {
      w[k] = w[k - 16] + rotate2(w[k - 15], Shape::kSmall0) + w[k - 7] + rotate2(w[k - 2], Shape::kSmall1);
    }
    auto [a, b, c, d, e, f, g, h] = state;
    for (size_t k = 0; k < w.size(); ++k) {
      const Word t1 = h + rotate3(e, Shape::kBig1) + ((e & f) ^ (~e & g)) + Shape::Constant(k) + w[k];
      const Word t2 = rotate3(a, Shape::kBig0) + ((a & b) ^ (a & c) ^ (b & c));
      h = g, g = f, f = e, e = d + t1, d = c, c = b, b = a, a = t1 + t2;
    }
    const std::array<Word, 8> added = {a, b, c, d, e, f, g, h};
    for (size_t k = 0; k < 8; ++k) state[k] += added[k];
  }
  return Store(state, true);
}

}  // namespace

std::string Sha2(std::string_view data, int bits) {
  switch (bits) {
    case 224:
      return RunSha2<uint32_t>(data, {0xc1059ed8, 0x367cd507, 0x3070dd17, 0xf70e5939, 0xffc00b31, 0x68581511, 0x64f98fa7, 0xbefa4fa4}).substr(0, 28);
    case 256:
      return RunSha2<uint32_t>(data, {0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a, 0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19});
    case 384:
      return RunSha2<uint64_t>(data, {0xcbbb9d5dc1059ed8, 0x629a292a367cd507, 0x9159015a3070dd17, 0x152fecd8f70e5939, 0x67332667ffc00b31,
                                      0x8eb44a8768581511, 0xdb0c2e0d64f98fa7, 0x47b5481dbefa4fa4}).substr(0, 48);
    case 512:
      return RunSha2<uint64_t>(data, {0x6a09e667f3bcc908, 0xbb67ae8584caa73b, 0x3c6ef372fe94f82b, 0xa54ff53a5f1d36f1, 0x510e527fade682d1,
                                      0x9b05688c2b3e6c1f, 0x1f83d9abfb41bd6b, 0x5be0cd19137e2179});
    default:
      return {};
  }
}

std::string Sha1(std::string_view data) {
  std::array<uint32_t, 5> state = {0x67452301, 0xefcdab89, 0x98badcfe, 0x10325476, 0xc3d2e1f0};
  const std::string message = Padded(data, 64, 8, true);
  for (size_t block = 0; block < message.size(); block += 64) {
    std::array<uint32_t, 80> w{};
    for (size_t k = 0; k < 16; ++k) w[k] = Load<uint32_t>(message.data() + block + k * 4, true);
    for (size_t k = 16; k < 80; ++k) w[k] = std::rotl(w[k - 3] ^ w[k - 8] ^ w[k - 14] ^ w[k - 16], 1);
    auto [a, b, c, d, e] = state;
    for (size_t k = 0; k < 80; ++k) {
      constexpr uint32_t kConstants[] = {0x5a827999, 0x6ed9eba1, 0x8f1bbcdc, 0xca62c1d6};
      const uint32_t mixed = k < 20 ? (b & c) | (~b & d) : k < 40 || k >= 60 ? b ^ c ^ d : (b & c) | (b & d) | (c & d);
      const uint32_t next = std::rotl(a, 5) + mixed + e + kConstants[k / 20] + w[k];
      e = d, d = c, c = std::rotl(b, 30), b = a, a = next;
    }
    const std::array<uint32_t, 5> added = {a, b, c, d, e};
    for (size_t k = 0; k < 5; ++k) state[k] += added[k];
  }
  return Store(state, true);
}

std::string Md5(std::string_view data) {
  static const std::array<uint32_t, 64> kConstants = [] {
    std::array<uint32_t, 64> constants{};
    for (size_t k = 0; k < 64; ++k) constants[k] = static_cast<uint32_t>(std::floor(std::abs(std::sin(static_cast<double>(k + 1))) * 4294967296.0));
    return constants;
  }();
  constexpr int kRotations[4][4] = {{7, 12, 17, 22}, {5, 9, 14, 20}, {4, 11, 16, 23}, {6, 10, 15, 21}};
  std::array<uint32_t, 4> state = {0x67452301, 0xefcdab89, 0x98badcfe, 0x10325476};
  const std::string message = Padded(data, 64, 8, false);
  for (size_t block = 0; block < message.size(); block += 64) {
    auto [a, b, c, d] = state;
    for (size_t k = 0; k < 64; ++k) {
      const size_t round = k / 16;
      const uint32_t mixed = round == 0 ? (b & c) | (~b & d) : round == 1 ? (d & b) | (~d & c) : round == 2 ? b ^ c ^ d : c ^ (b | ~d);
      const size_t word = round == 0 ? k : round == 1 ? (5 * k + 1) % 16 : round == 2 ? (3 * k + 5) % 16 : 7 * k % 16;
      const uint32_t sum = a + mixed + kConstants[k] + Load<uint32_t>(message.data() + block + word * 4, false);
      a = d, d = c, c = b, b += std::rotl(sum, kRotations[round][k % 4]);
    }
    const std::array<uint32_t, 4> added = {a, b, c, d};
    for (size_t k = 0; k < 4; ++k) state[k] += added[k];
  }
  return Store(state, false);
}

uint32_t Crc32(std::string_view data) {
  uint32_t crc = 0xFFFFFFFF;
  for (char c : data) {
    crc ^= static_cast<uint8_t>(c);
    for (int bit = 0; bit < 8; ++bit) crc = crc >> 1 ^ (crc & 1 ? 0xEDB88320 : 0);
  }
  return ~crc;
}

}  // namespace vecruntime::expr
