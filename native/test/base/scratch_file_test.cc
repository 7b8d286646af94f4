// SPDX-License-Identifier: Apache-2.0
#include "base/scratch_file.h"

#include <gtest/gtest.h>

#include <cstdlib>

#include "base/status.h"

namespace iree_pjrt {
namespace {

class ScratchFile : public testing::Test {
 protected:
  void TearDown() override { unsetenv("TMPDIR"); }
};

TEST_F(ScratchFile, PathsDiffer) {
  EXPECT_NE(ScratchPath(".o"), ScratchPath(".o"));
  EXPECT_TRUE(ScratchPath(".o").ends_with(".o"));
}

TEST_F(ScratchFile, SaysThatAFolderIsMissing) {
  setenv("TMPDIR", "/nonexistent/folder", 1);
  try {
    CheckScratchFolder();
    FAIL();
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), PJRT_Error_Code_FAILED_PRECONDITION);
    EXPECT_NE(error.message().find("TMPDIR"), std::string::npos);
  }
}

TEST_F(ScratchFile, TakesAGoodFolder) {
  setenv("TMPDIR", testing::TempDir().c_str(), 1);
  EXPECT_NO_THROW(CheckScratchFolder());
}

TEST_F(ScratchFile, ReadFileThrowsForAMissingFile) {
  EXPECT_THROW(ReadFile("/nonexistent/file"), Error);
}

}  // namespace
}  // namespace iree_pjrt
