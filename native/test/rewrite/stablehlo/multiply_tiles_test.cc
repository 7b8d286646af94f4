// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <string>

#include "parsed_module.h"
#include "rewrite/stablehlo/passes.h"

namespace iree_pjrt {
namespace {

std::string Multiplied(const std::string& lhs, const std::string& rhs,
                       const std::string& dimensions,
                       const std::string& result) {
  const std::string types =
      "tensor<" + lhs + ">, %b: tensor<" + rhs + ">) -> tensor<" + result + ">";
  return After("module {\nfunc.func @main(%a: " + types +
                   " {\n%0 = stablehlo.dot_general %a, %b, " + dimensions +
                   " : (tensor<" + lhs + ">, tensor<" + rhs + ">) -> tensor<" +
                   result + ">\nreturn %0 : tensor<" + result + ">\n}\n}",
               &MultiplyTiles);
}

TEST(MultiplyTilesTest, MatricesAreTakenAsTheyLie) {
  const std::string text =
      Multiplied("200x300xi8", "300x256xi8", "contracting_dims = [1] x [0]",
                 "200x256xi32");
  EXPECT_TRUE(Holds(text, "@iree_pjrt_tile_product")) << text;
  EXPECT_TRUE(Holds(text, "lhs_turned = 0")) << text;
  EXPECT_TRUE(Holds(text, "rhs_turned = 1")) << text;
  EXPECT_TRUE(Holds(text, "-> (tensor<1x200x256xi32>, tensor<153600xi8>)"))
      << text;
  EXPECT_FALSE(Holds(text, "transpose")) << text;
}

TEST(MultiplyTilesTest, OfTheGradientOfWeights) {
  const std::string text =
      Multiplied("8x64x256xbf16", "8x64x128xbf16",
                 "contracting_dims = [0, 1] x [0, 1]", "256x128xf32");
  EXPECT_TRUE(Holds(text, "lhs_turned = 1")) << text;
  EXPECT_TRUE(Holds(text, "rhs_turned = 1")) << text;
  EXPECT_TRUE(Holds(text, "tensor<1x512x256xbf16>")) << text;
  EXPECT_FALSE(Holds(text, "transpose")) << text;
}

TEST(MultiplyTilesTest, OtherOrdersAreTransposed) {
  // Attention: batch, place, head, number.
  const std::string text = Multiplied(
      "4x128x8x64xbf16", "4x128x8x64xbf16",
      "batching_dims = [0, 2] x [0, 2], contracting_dims = [3] x [3]",
      "4x8x128x128xf32");
  EXPECT_EQ(Count(text, "stablehlo.transpose"), 2u) << text;
  EXPECT_TRUE(Holds(text, "tensor<32x128x64xbf16>")) << text;
  EXPECT_TRUE(Holds(text, "-> tensor<4x8x128x128xf32>")) << text;
}

TEST(MultiplyTilesTest, OthersStay) {
  const auto stays = [](const char* lhs, const char* rhs, const char* result) {
    const std::string text =
        Multiplied(lhs, rhs, "contracting_dims = [1] x [0]", result);
    EXPECT_FALSE(Holds(text, "tile_product")) << text;
  };
  stays("32x32xi8", "32x32xi8", "32x32xi32");           // small
  stays("1x4096xi8", "4096x4096xi8", "1x4096xi32");     // of one row
  stays("4096x16xi8", "16x4096xi8", "4096x4096xi32");   // not deep
  stays("256x256xi8", "256x256xi8", "256x256xi8");      // to bytes
  stays("256x256xui8", "256x256xui8", "256x256xui32");  // unsigned
  stays("256x256xf32", "256x256xf32", "256x256xf32");
  stays("256x256xbf16", "256x256xbf16", "256x256xbf16");
}

}  // namespace
}  // namespace iree_pjrt
