// SPDX-License-Identifier: Apache-2.0
#include "base/row_major.h"

#include <gtest/gtest.h>

#include "base/status.h"

namespace iree_pjrt {
namespace {

TEST(LayoutsTest, RowMajorAsXlaWritesIt) {
  EXPECT_EQ(RowMajorText(0), "{}");
  EXPECT_EQ(RowMajorText(1), "{0}");
  EXPECT_EQ(RowMajorText(3), "{2,1,0}");
}

TEST(LayoutsTest, OnlyRowMajorIsTaken) {
  for (const char* fine : {"", "auto", "default", "{1,0}"}) {
    EXPECT_NO_THROW(CheckLayout(fine, 2, "argument 0")) << fine;
  }
  for (const char* other : {"{0,1}", "{1,0:T(8,128)}", "{2,1,0}"}) {
    try {
      CheckLayout(other, 2, "argument 0");
      ADD_FAILURE() << other;
    } catch (const Error& error) {
      EXPECT_EQ(error.code(), PJRT_Error_Code_UNIMPLEMENTED);
      EXPECT_NE(error.message().find("argument 0"), std::string::npos);
      EXPECT_NE(error.message().find(other), std::string::npos);
    }
  }
}

}  // namespace
}  // namespace iree_pjrt
