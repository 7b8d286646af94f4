// SPDX-License-Identifier: Apache-2.0
#include "base/shape.h"

#include <gtest/gtest.h>

#include "base/status.h"

namespace iree_pjrt {
namespace {

Shape F32(std::vector<int64_t> dims) {
  return MakeShape(PJRT_Buffer_Type_F32, dims.data(), dims.size());
}

TEST(ShapeTest, Sizes) {
  EXPECT_EQ(F32({2, 3}).byte_size(), 24u);
  EXPECT_EQ(F32({}).byte_size(), 4u);
  EXPECT_EQ(F32({5, 0, 7}).byte_size(), 0u);
}

TEST(ShapeTest, RefusesNegativeAndHuge) {
  EXPECT_THROW(F32({-1}), Error);
  EXPECT_THROW(F32({int64_t{1} << 40, int64_t{1} << 40}), Error);
  EXPECT_THROW(MakeShape(PJRT_Buffer_Type_TOKEN, nullptr, 0), Error);
}

TEST(ShapeTest, CopiesTransposedAndReversed) {
  const float from[] = {1, 2, 3, 4, 5, 6};
  float to[6] = {};
  const Shape shape = F32({3, 2});
  CopyStrided(shape, from, std::vector<int64_t>{4, 12}, to,
              RowMajorStrides(shape));
  EXPECT_EQ(std::vector<float>(to, to + 6),
            (std::vector<float>{1, 4, 2, 5, 3, 6}));
  CopyStrided(shape, from + 4, std::vector<int64_t>{-8, 4}, to,
              RowMajorStrides(shape));
  EXPECT_EQ(std::vector<float>(to, to + 6),
            (std::vector<float>{5, 6, 3, 4, 1, 2}));
}

TEST(ShapeTest, RowMajorIgnoresDimensionsOfOne) {
  EXPECT_TRUE(IsRowMajor(F32({3, 1}), std::vector<int64_t>{4, 999}));
  EXPECT_FALSE(IsRowMajor(F32({3, 2}), std::vector<int64_t>{4, 12}));
}

TEST(ShapeTest, RefusesLayoutsThatDoNotFit) {
  EXPECT_THROW(DenseStrides(F32({2, 3}), std::vector<int64_t>{0, 0}), Error);
  EXPECT_THROW(DenseStrides(F32({2, 3}), std::vector<int64_t>{0}), Error);
  EXPECT_THROW(DenseStrides(F32({2, 3}), std::vector<int64_t>{0, 5}), Error);
}

}  // namespace
}  // namespace iree_pjrt
