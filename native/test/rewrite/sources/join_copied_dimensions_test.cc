// SPDX-License-Identifier: Apache-2.0
// JoinCopiedDimensions, as text before and after.
#include <gtest/gtest.h>

#include <string>

#include "parsed_module.h"
#include "rewrite/sources/copied_part.h"
#include "rewrite/sources/passes.h"

namespace iree_pjrt {
namespace {

struct Place {
  std::string offsets, sizes;
};

// The copy of a part of 8 x 112 x 112 x 3 elements from one array to another;
// between them it has this shape.
std::string Copied(const Place& from, const Place& to, const std::string& shape,
                   const std::string& element = "f32") {
  const auto part = [&](const Place& place) {
    return CopiedPart{"8x112x112x3x" + element, place.offsets, place.sizes,
                      "1, 1, 1, 1"};
  };
  return After(CopyOf(part(from), part(to), shape + "x" + element),
               &JoinCopiedDimensions);
}

// The copy of the part at one place.
std::string Copied(const std::string& offsets, const std::string& sizes,
                   const std::string& element = "f32") {
  std::string shape;
  for (const char letter : sizes) {
    if (letter == ',') shape += 'x';
    if (letter >= '0' && letter <= '9') shape += letter;
  }
  return Copied({offsets, sizes}, {offsets, sizes}, shape, element);
}

TEST(JoinCopiedDimensionsTest, PixelsAreRows) {
  const std::string text = Copied("0, 0, 2, 0", "8, 112, 100, 3");
  EXPECT_EQ(Count(text, "offsets = [0, 6], sizes = [896, 300]"), 2u) << text;
  EXPECT_TRUE(Holds(text, "readwrite:tensor<896x336xf32>")) << text;
}

TEST(JoinCopiedDimensionsTest, AllThatIsWhole) {
  EXPECT_EQ(Count(Copied("2, 0, 0, 0", "4, 112, 112, 3"),
                  "offsets = [75264], sizes = [150528]"),
            2u);
  EXPECT_EQ(Count(Copied("0, 2, 0, 0", "8, 100, 112, 3", "complex<f32>"),
                  "tensor<8x33600xcomplex<f32>>"),
            2u);
}

TEST(JoinCopiedDimensionsTest, PartsOfTheLastDimensionStay) {
  EXPECT_EQ(Count(Copied("0, 2, 2, 0", "8, 100, 100, 2"),
                  "offsets = [0, 2, 2, 0], sizes = [8, 100, 100, 2]"),
            2u);
}

// Of 3 x 3 elements, which of the dimensions is left out is not the same.
TEST(JoinCopiedDimensionsTest, PartsOfOtherDimensionsStay) {
  const std::string text = Copied(Place{"0, 0, 0, 0", "1, 1, 3, 3"},
                                  Place{"0, 0, 2, 0", "1, 3, 1, 3"}, "3x3");
  EXPECT_EQ(Count(text, "tensor<3x3xf32>"), 2u) << text;
  EXPECT_EQ(Count(text, "sizes = [1, 3, 1, 3]"), 1u) << text;
}

}  // namespace
}  // namespace iree_pjrt
