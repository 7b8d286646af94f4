// SPDX-License-Identifier: Apache-2.0
#include "release/release_line.h"

#include <gtest/gtest.h>

namespace iree_pjrt {
namespace {

TEST(ReleaseLineTest, PartsAreNumbers) {
  EXPECT_LT((ReleaseLine{3, 9}), (ReleaseLine{3, 11}));
  EXPECT_LT((ReleaseLine{3, 13}), (ReleaseLine{4, 0}));
}

TEST(ReleaseLineTest, BothEndsAreInARange) {
  constexpr ReleaseLines kAll;
  static_assert(kAll.Hold({3, 11}));
  constexpr ReleaseLines kSome{.from = {3, 11}, .until = {3, 13}};
  static_assert(!kSome.Hold({3, 10}));
  static_assert(kSome.Hold({3, 11}));
  static_assert(kSome.Hold({3, 13}));
  static_assert(!kSome.Hold({3, 14}));
}

TEST(ReleaseLineTest, ARangeHasWords) {
  EXPECT_EQ(TextOf({}), "");
  EXPECT_EQ(TextOf({.from = {3, 13}}), "from 3.13");
  EXPECT_EQ(TextOf({.until = {3, 11}}), "until 3.11");
  EXPECT_EQ(TextOf({.from = {3, 11}, .until = {3, 13}}),
            "from 3.11 until 3.13");
}

TEST(ReleaseLineTest, EachFolderNamesItsOwn) {
  EXPECT_EQ("v" + std::to_string(kReleaseLine.major) + "_" +
                std::to_string(kReleaseLine.minor),
            IREE_PJRT_RELEASE);
}

}  // namespace
}  // namespace iree_pjrt
