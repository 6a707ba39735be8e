// SPDX-License-Identifier: Apache-2.0
// Runs a fuzz target without libFuzzer: replay_main [--mutations N] [--seed S] FILE_OR_DIRECTORY...
// Every file is run as it is, then N times damaged at random; the seed of a crash replays it.
#include <algorithm>
#include <cstdint>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <iterator>
#include <random>
#include <string>
#include <vector>

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size);

namespace {

void Run(const std::string& input) { LLVMFuzzerTestOneInput(reinterpret_cast<const uint8_t*>(input.data()), input.size()); }

/// One to four random damages: flips, cuts, repeats, and numbers that overflow.
std::string Damaged(std::string input, std::mt19937_64& random) {
  const auto below = [&](size_t bound) { return static_cast<size_t>(random() % std::max<size_t>(bound, 1)); };
  for (size_t damages = 1 + below(4); damages > 0; --damages) {
    const size_t at = below(input.size());
    const size_t length = below(std::min<size_t>(input.size() - at, 64));
    switch (below(6)) {
      case 0:
        if (!input.empty()) input[at] = static_cast<char>(input[at] ^ (1 << below(8)));
        break;
      case 1:
        if (!input.empty()) input[at] = static_cast<char>(random());
        break;
      case 2:
        input.resize(at);
        break;
      case 3:
        input.erase(at, length);
        break;
      case 4:
        input.insert(at, input.substr(below(input.size()), length));
        break;
      default:
        input.insert(at, std::string(1 + below(9), below(2) == 0 ? '\xff' : '\x7f'));
    }
  }
  return input;
}

std::vector<std::filesystem::path> FilesIn(const std::filesystem::path& path) {
  if (!std::filesystem::is_directory(path)) return {path};
  std::vector<std::filesystem::path> files;
  for (const auto& entry : std::filesystem::directory_iterator(path)) files.push_back(entry.path());
  std::sort(files.begin(), files.end());
  return files;
}

}  // namespace

int main(int argc, char** argv) {
  long mutations = 0;
  uint64_t seed = 1;
  long runs = 0;
  for (int i = 1; i < argc; ++i) {
    if (std::strcmp(argv[i], "--mutations") == 0 && i + 1 < argc) {
      mutations = std::stol(argv[++i]);
    } else if (std::strcmp(argv[i], "--seed") == 0 && i + 1 < argc) {
      seed = std::stoull(argv[++i]);
    } else {
      for (const auto& file : FilesIn(argv[i])) {
        std::ifstream stream(file, std::ios::binary);
        const std::string input((std::istreambuf_iterator<char>(stream)), std::istreambuf_iterator<char>());
        std::mt19937_64 random(seed);
        Run(input);
        for (long mutation = 0; mutation < mutations; ++mutation) Run(Damaged(input, random));
        runs += 1 + mutations;
      }
    }
  }
  std::cout << runs << " inputs, none crashed\n";
  return runs > 0 ? 0 : 1;
}
