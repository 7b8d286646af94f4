// SPDX-License-Identifier: Apache-2.0
// Convolutions with few places for a large window, as text before and after
// their pass.
#include <gtest/gtest.h>

#include <string>

#include "parsed_module.h"
#include "rewrite/stablehlo/passes.h"

namespace iree_pjrt {
namespace {

// Along one dimension, of an input and a kernel whose types are given.
struct Convolution {
  std::string input;
  std::string kernel;
  std::string result;
  std::string names = "[f, 0, b]x[i, 0, o]->[0, b, f]";
  std::string window;
  std::string groups = "1";

  std::string AfterMultiplying() const {
    const std::string types = "(tensor<" + input + ">, tensor<" + kernel +
                              ">) -> tensor<" + result + ">";
    return After(
        "module {\nfunc.func @main(%a: tensor<" + input + ">, %b: tensor<" +
            kernel + ">) -> tensor<" + result +
            "> {\n%0 = stablehlo.convolution(%a, %b) dim_numbers = " + names +
            ", window = {" + window +
            "} {batch_group_count = 1 : i64, feature_group_count = " + groups +
            " : i64} : " + types + "\nreturn %0 : tensor<" + result + ">\n}\n}",
        &MultiplyWindows);
  }
};

TEST(MultiplyWindowsTest, OfTheGradientOfAFilter) {
  const std::string text = Convolution{.input = "1x64x8xf32",
                                       .kernel = "1x64x5xf32",
                                       .result = "3x8x5xf32",
                                       .window = "pad = [[1, 1]]"}
                               .AfterMultiplying();
  EXPECT_FALSE(Holds(text, "stablehlo.convolution")) << text;
  EXPECT_EQ(Count(text, "contracting_dims = [0] x [0]"), 3u) << text;
  EXPECT_TRUE(Holds(text, "low = [0, 1, 0], high = [0, 1, 0]")) << text;
  for (const char* part : {"0:64", "1:65", "2:66"}) {
    EXPECT_TRUE(Holds(text, "[0:1, " + std::string(part) + ", 0:8]")) << text;
  }
  EXPECT_TRUE(Holds(text, "(tensor<24x5xf32>) -> tensor<3x8x5xf32>")) << text;
  EXPECT_FALSE(Holds(text, "transpose")) << text;
}

TEST(MultiplyWindowsTest, OfAStridedLayerTakesEveryOtherElement) {
  const std::string text = Convolution{.input = "1x64x8xf32",
                                       .kernel = "1x32x5xf32",
                                       .result = "3x8x5xf32",
                                       .window =
                                           "pad = [[0, 1]], "
                                           "rhs_dilate = [2]"}
                               .AfterMultiplying();
  EXPECT_TRUE(Holds(text, "[0:1, 2:65:2, 0:8]")) << text;
}

TEST(MultiplyWindowsTest, OfATransposedLayerTakesWhatIsBetweenNoZeros) {
  const std::string text = Convolution{.input = "1x32x8xf32",
                                       .kernel = "1x64x5xf32",
                                       .result = "3x8x5xf32",
                                       .window =
                                           "pad = [[1, 2]], "
                                           "lhs_dilate = [2]"}
                               .AfterMultiplying();
  EXPECT_FALSE(Holds(text, "stablehlo.convolution")) << text;
  // At the places 0 and 2 the odd elements, at 1 the even ones.
  EXPECT_EQ(Count(text, "[0:1, 1:64:2, 0:5]"), 2u) << text;
  EXPECT_EQ(Count(text, "[0:1, 0:64:2, 0:5]"), 1u) << text;
  EXPECT_TRUE(Holds(text, "low = [0, 0, 0], high = [0, 1, 0]")) << text;
}

TEST(MultiplyWindowsTest, OtherOrdersAreTransposedOnce) {
  const std::string text =
      Convolution{.input = "2x8x64xf32",
                  .kernel = "64x2x5xf32",
                  .result = "8x5x3xf32",
                  .names = "[f, b, 0]x[0, i, o]->[b, f, 0]",
                  .window = "pad = [[1, 1]]"}
          .AfterMultiplying();
  EXPECT_EQ(Count(text, "stablehlo.dot_general"), 3u) << text;
  EXPECT_TRUE(Holds(text, "(tensor<2x8x64xf32>) -> tensor<2x64x8xf32>"))
      << text;
  EXPECT_TRUE(Holds(text, "(tensor<64x2x5xf32>) -> tensor<2x64x5xf32>"))
      << text;
  EXPECT_TRUE(Holds(text, "(tensor<3x8x5xf32>) -> tensor<8x5x3xf32>")) << text;
}

TEST(MultiplyWindowsTest, OthersStay) {
  const Convolution plain{.input = "1x64x8xf32",
                          .kernel = "1x64x5xf32",
                          .result = "3x8x5xf32",
                          .window = "pad = [[1, 1]]"};
  Convolution filter = plain;
  filter.kernel = "1x3x5xf32";
  filter.result = "64x8x5xf32";
  Convolution whole = plain;
  whole.input = "1x64x8xi32";
  whole.kernel = "1x64x5xi32";
  whole.result = "3x8x5xi32";
  Convolution grouped = plain;
  grouped.input = "2x64x8xf32";
  grouped.kernel = "1x64x6xf32";
  grouped.result = "3x8x6xf32";
  grouped.groups = "2";
  Convolution reversed = plain;
  reversed.window += ", reverse = [true]";
  // As many features as IREE adds up at once, and few results.
  Convolution wide = plain;
  wide.input = "8x64x8xf32";
  wide.kernel = "8x64x5xf32";
  for (const Convolution& other : {filter, whole, grouped, reversed, wide}) {
    const std::string text = other.AfterMultiplying();
    EXPECT_TRUE(Holds(text, "stablehlo.convolution")) << text;
  }
}

// A convolution of so many features with as many, after MultiplyPatches.
std::string OfFeatures(int features, const std::string& window,
                       const std::string& input = "2x14x14x") {
  const std::string n = std::to_string(features);
  const std::string array = "tensor<" + input + n + "xf32>";
  const std::string kernel = "tensor<3x3x" + n + "x" + n + "xf32>";
  const std::string result = "tensor<2x7x7x" + n + "xf32>";
  return After("module {\nfunc.func @main(%a: " + array + ", %b: " + kernel +
                   ") -> " + result +
                   " {\n%0 = stablehlo.convolution(%a, %b) dim_numbers = "
                   "[b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f], window = {" +
                   window +
                   "} {batch_group_count = 1 : i64, feature_group_count = 1 : "
                   "i64} : (" +
                   array + ", " + kernel + ") -> " + result +
                   "\nreturn %0 : " + result + "\n}\n}",
               &MultiplyPatches);
}

TEST(MultiplyPatchesTest, WhatWindowsSeeIsMultipliedWithALargeFilter) {
  const std::string text =
      OfFeatures(256, "stride = [2, 2], pad = [[0, 1], [0, 1]]");
  EXPECT_FALSE(Holds(text, "stablehlo.convolution")) << text;
  EXPECT_EQ(Count(text, "stablehlo.slice"), 9u) << text;
  EXPECT_TRUE(Holds(text, "[0:2, 2:15:2, 1:14:2, 0:256]")) << text;
  EXPECT_TRUE(Holds(text,
                    "(tensor<98x2304xf32>, tensor<2304x256xf32>) -> "
                    "tensor<98x256xf32>"))
      << text;
}

TEST(MultiplyPatchesTest, OthersStay) {
  const std::string strides = "stride = [2, 2], pad = [[0, 1], [0, 1]]";
  // A filter that a cache holds.
  EXPECT_TRUE(Holds(OfFeatures(128, strides), "stablehlo.convolution"));
  // Spread arrays, and arrays that are cut.
  EXPECT_TRUE(Holds(
      OfFeatures(256, "pad = [[1, 1], [1, 1]], lhs_dilate = [2, 2]", "2x4x4x"),
      "stablehlo.convolution"));
  EXPECT_TRUE(Holds(OfFeatures(256, "pad = [[-5, 0], [0, -5]]"),
                    "stablehlo.convolution"));
}

// What is reversed, and then transposed if `transposed`.
std::string Reversed(bool transposed) {
  return After(
      "module { func.func @main(%a: tensor<3x4xf32>) -> " +
          std::string(transposed ? "tensor<4x3xf32>" : "tensor<3x4xf32>") +
          " { %0 = stablehlo.reverse %a, dims = [0] : tensor<3x4xf32> " +
          (transposed ? "%1 = stablehlo.transpose %0, dims = [1, 0] : "
                        "(tensor<3x4xf32>) -> tensor<4x3xf32> return %1 : "
                        "tensor<4x3xf32>"
                      : "return %0 : tensor<3x4xf32>") +
          " } }",
      &GuardReverses);
}

TEST(GuardReversesTest, OnlyOfWhatIsTransposed) {
  EXPECT_TRUE(Holds(Reversed(true), "optimization_barrier %0"));
  EXPECT_FALSE(Holds(Reversed(false), "optimization_barrier"));
}

}  // namespace
}  // namespace iree_pjrt
