// SPDX-License-Identifier: Apache-2.0
#include "vecruntime/base/error.h"

#include <gtest/gtest.h>

namespace vecruntime::base {

TEST(Error, CarriesItsKindAndExitCode) {
  const arrow::Status status = CorruptData("bad magic in file ", "a.puffin", " at byte ", 4);
  EXPECT_EQ(KindOf(status), ErrorKind::kCorruptData);
  EXPECT_EQ(KindName(KindOf(status)), "CorruptData");
  EXPECT_EQ(ExitCode(KindOf(status)), 5);
  EXPECT_EQ(status.message(), "bad magic in file a.puffin at byte 4");
}

TEST(Error, ContextKeepsTheKind) {
  const arrow::Status status = WithContext(NotFound("no such table: x"), "while planning");
  EXPECT_EQ(KindOf(status), ErrorKind::kNotFound);
  EXPECT_EQ(status.message(), "no such table: x (while planning)");
}

TEST(Error, ForeignStatusGetsTheNearestKind) {
  EXPECT_EQ(KindOf(arrow::Status::NotImplemented("x")), ErrorKind::kUnsupported);
  EXPECT_EQ(KindOf(arrow::Status::IOError("x")), ErrorKind::kIoError);
  EXPECT_EQ(KindOf(arrow::Status::UnknownError("x")), ErrorKind::kInternal);
}

}  // namespace vecruntime::base
