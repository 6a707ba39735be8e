// SPDX-License-Identifier: Apache-2.0
#include "vecruntime/io/file_io.h"

#include <arrow/buffer.h>
#include <arrow/result.h>
#include <gtest/gtest.h>

#include <chrono>
#include <filesystem>
#include <fstream>
#include <thread>

#include "vecruntime/base/error.h"

namespace vecruntime::io {
namespace {

class FileIOTest : public ::testing::Test {
 protected:
  void SetUp() override {
    directory_ = std::filesystem::temp_directory_path() / ("vecruntime_file_io_test_" + std::to_string(::getpid()));
    std::filesystem::create_directories(directory_ / "sub");
    std::ofstream(directory_ / "a%20 b.txt") << "0123456789";
  }
  void TearDown() override { std::filesystem::remove_all(directory_); }

  std::filesystem::path directory_;
  FileIO file_io_;
};

TEST_F(FileIOTest, OpensEverySpellingOfALocalPathVerbatim) {
  const std::string path = (directory_ / "a%20 b.txt").string();
  for (const std::string& location : {path, "file:" + path, "file://" + path}) {
    ASSERT_EQ((*file_io_.ReadAll(location))->ToString(), "0123456789") << location;
  }
}

TEST_F(FileIOTest, RangeBeyondTheEndIsCorruptAndNamesTheFile) {
  const std::string path = (directory_ / "a%20 b.txt").string();
  EXPECT_EQ((*file_io_.ReadRange(path, 2, 3))->ToString(), "234");
  const auto status = file_io_.ReadRange(path, 8, 3).status();
  EXPECT_EQ(KindOf(status), ErrorKind::kCorruptData);
  EXPECT_NE(status.message().find(path), std::string::npos);
  EXPECT_FALSE(file_io_.ReadRange(path, -1, 3).ok());
  EXPECT_FALSE(file_io_.ReadRange(path, 1, INT64_MAX).ok());
}

TEST_F(FileIOTest, ErrorsHaveAKindAndTheLocation) {
  const auto missing = file_io_.Open("file:" + (directory_ / "none").string()).status();
  EXPECT_EQ(KindOf(missing), ErrorKind::kNotFound);
  EXPECT_NE(missing.message().find("file:"), std::string::npos);
  EXPECT_EQ(KindOf(file_io_.Open((directory_ / "sub").string()).status()), ErrorKind::kIoError);
  EXPECT_EQ(KindOf(file_io_.Open("foo://x/y").status()), ErrorKind::kUnsupported);
}

TEST_F(FileIOTest, RelocationOpensMovedPathsOnly) {
  const auto moved = file_io_.WithRelocation({"file:/old/place", directory_.string()});
  EXPECT_EQ((*moved->ReadAll("file:/old/place/a%20 b.txt"))->ToString(), "0123456789");
  EXPECT_EQ(KindOf(moved->ReadAll("/old/place/a%20 b.txt").status()), ErrorKind::kNotFound);
}

TEST_F(FileIOTest, ListsChildrenByName) {
  const auto children = *file_io_.List(directory_.string());
  ASSERT_EQ(children.size(), 2u);
  EXPECT_EQ(children[0].size, 10);
  EXPECT_TRUE(children[1].is_directory);
}

// Decodes a file to its text, counting how often it had to.
class DecodeOnceTest : public FileIOTest {
 protected:
  std::string Decode(const std::string& variant = "") {
    const auto decode = [this](const arrow::Buffer& bytes) -> arrow::Result<Decoded<std::string>> {
      ++decoded_;
      return Decoded<std::string>{std::make_shared<const std::string>(bytes.ToString()), bytes.size()};
    };
    const auto value = cached_.DecodeOnce<std::string>(path_, variant, decode);
    return value.ok() ? **value : value.status().ToString();
  }
  void Write(const std::string& text) const {
    std::ofstream(path_) << text;
    std::this_thread::sleep_for(std::chrono::milliseconds(50));  // until the identity settles
  }

  const std::string path_ = (std::filesystem::temp_directory_path() / ("vecruntime_decode_once_" + std::to_string(::getpid()))).string();
  FileIO cached_{std::make_shared<base::IdentityCache>(std::make_shared<base::MemoryBudget>(1 << 20), 1 << 20)};
  int decoded_ = 0;
};

TEST_F(DecodeOnceTest, RemembersWhileTheFileStaysTheSame) {
  Write("one");
  EXPECT_EQ(Decode(), "one");
  EXPECT_EQ(Decode(), "one");
  EXPECT_EQ(decoded_, 1);
  EXPECT_EQ(Decode("otherwise"), "one");
  EXPECT_EQ(decoded_, 2);
}

TEST_F(DecodeOnceTest, NoticesARewriteOfTheSameLengthAndTime) {
  Write("one");
  EXPECT_EQ(Decode(), "one");
  const auto time = std::filesystem::last_write_time(path_);
  Write("two");
  std::filesystem::last_write_time(path_, time);
  std::this_thread::sleep_for(std::chrono::milliseconds(50));
  EXPECT_EQ(Decode(), "two");
}

TEST_F(DecodeOnceTest, NoticesAnotherFileInItsPlace) {
  Write("one");
  EXPECT_EQ(Decode(), "one");
  std::ofstream(path_ + ".new") << "two";
  std::filesystem::rename(path_ + ".new", path_);
  EXPECT_EQ(Decode(), "two");
  std::filesystem::remove(path_);
  EXPECT_NE(Decode().find("No such file"), std::string::npos);
}

TEST_F(DecodeOnceTest, DoesNotTrustAFileJustWritten) {
  std::ofstream(path_) << "one";
  EXPECT_EQ(Decode(), "one");
  EXPECT_EQ(Decode(), "one");
  EXPECT_EQ(decoded_, 2);
}

}  // namespace
}  // namespace vecruntime::io
