// SPDX-License-Identifier: Apache-2.0
// Rewrites of paddings in StableHLO, as text before and after.
#include <gtest/gtest.h>

#include <string>

#include "parsed_module.h"
#include "rewrite/stablehlo/passes.h"

namespace iree_pjrt {
namespace {

// Numbers are padded by two of these.
std::string PaddedBy(const std::string& low, const std::string& high,
                     const std::string& interior, const std::string& type) {
  return After(R"(module {
    func.func @main(%v: tensor<5x4xf32>, %z: tensor<f32>) -> )" +
                   type + " { %0 = stablehlo.pad %v, %z, low = [" + low +
                   "], high = [" + high + "], interior = [" + interior +
                   "] : (tensor<5x4xf32>, tensor<f32>) -> " + type +
                   " return %0 : " + type + " } }",
               &SliceNegativePads);
}

TEST(SliceNegativePadsTest, IsOnlyASlice) {
  const std::string text =
      PaddedBy("-1, 0", "-2, -1", "0, 0", "tensor<2x3xf32>");
  EXPECT_TRUE(Holds(text, "slice %arg0 [1:3, 0:3]")) << text;
  EXPECT_FALSE(Holds(text, "pad")) << text;
}

TEST(SliceNegativePadsTest, WhatIsPaddedIsSlicedBeforeOrAfter) {
  const std::string text =
      PaddedBy("-1, -2", "2, 1", "0, 1", "tensor<6x6xf32>");
  EXPECT_TRUE(Holds(text, "slice %arg0 [1:5, 0:4]")) << text;
  EXPECT_TRUE(Holds(text, "low = [0, 0], high = [2, 1], interior = [0, 1]"))
      << text;
  EXPECT_TRUE(Holds(text, "[0:6, 2:8]")) << text;
}

TEST(SliceNegativePadsTest, OthersStay) {
  EXPECT_FALSE(
      Holds(PaddedBy("1, 0", "0, 2", "0, 1", "tensor<6x9xf32>"), "slice"));
  // Nothing is left of the first dimension.
  EXPECT_FALSE(
      Holds(PaddedBy("-6, 0", "3, 0", "0, 0", "tensor<2x4xf32>"), "slice"));
}

// The sum of %v and %w, of so many rows, both padded: %v from row 0 on.
std::string Interleaved(const std::string& rows, const std::string& high,
                        const std::string& first, const std::string& other) {
  const std::string w = "tensor<" + rows + "x2xf32>";
  return After(R"(module {
    func.func @main(%v: tensor<4x2xf32>, %w: )" +
                   w + R"(, %z: tensor<f32>) -> tensor<8x2xf32> {
      %0 = stablehlo.pad %v, %z, low = [0, 0], high = [1, 0], interior = [1, 0]
          : (tensor<4x2xf32>, tensor<f32>) -> tensor<8x2xf32>
      %1 = stablehlo.pad %w, %z, low = [)" +
                   first + ", 0], high = [" + high + ", 0], interior = [" +
                   other + ", 0] : (" + w + R"(, tensor<f32>) -> tensor<8x2xf32>
      %2 = stablehlo.add %0, %1 : tensor<8x2xf32>
      return %2 : tensor<8x2xf32>
    }
  })",
               &InterleavePads);
}

TEST(InterleavePadsTest, ElementsTakeTurns) {
  const std::string text = Interleaved("4", "0", "1", "1");
  EXPECT_TRUE(Holds(text, "stablehlo.select")) << text;
  EXPECT_TRUE(Holds(text, "tensor<4x2x2xf32>) -> tensor<8x2xf32>")) << text;
  EXPECT_FALSE(Holds(text, "add %0")) << text;
}

TEST(InterleavePadsTest, OthersAreAdded) {
  EXPECT_FALSE(Holds(Interleaved("4", "1", "0", "1"), "select"));
  EXPECT_FALSE(Holds(Interleaved("7", "0", "1", "0"), "select"));
}

// Numbers are padded, then again with so many between them.
std::string PaddedTwice(const std::string& between, const std::string& type) {
  return After(R"(module {
    func.func @main(%v: tensor<5xf32>, %z: tensor<f32>) -> )" +
                   type + R"( {
      %0 = stablehlo.pad %v, %z, low = [1], high = [1], interior = [0]
          : (tensor<5xf32>, tensor<f32>) -> tensor<7xf32>
      %1 = stablehlo.pad %0, %z, low = [1], high = [1], interior = [)" +
                   between + R"(]
          : (tensor<7xf32>, tensor<f32>) -> )" +
                   type + R"(
      return %1 : )" +
                   type + R"(
    }
  })",
               &SeparatePads);
}

TEST(SeparatePadsTest, WhatIsPaddedAndThenBetweenItsElements) {
  EXPECT_TRUE(Holds(PaddedTwice("1", "tensor<15xf32>"),
                    "optimization_barrier %0 : tensor<7xf32>"));
  EXPECT_FALSE(Holds(PaddedTwice("0", "tensor<9xf32>"), "barrier"));
}

TEST(SeparatePadsTest, WhatAFunctionPadsBetween) {
  const std::string text = After(R"(module {
    func.func private @f(%v: tensor<7xf32>, %z: tensor<f32>) -> tensor<13xf32> {
      %0 = stablehlo.pad %v, %z, low = [0], high = [0], interior = [1]
          : (tensor<7xf32>, tensor<f32>) -> tensor<13xf32>
      return %0 : tensor<13xf32>
    }
    func.func @main(%v: tensor<5xf32>, %z: tensor<f32>) -> tensor<13xf32> {
      %0 = stablehlo.pad %v, %z, low = [1], high = [1], interior = [0]
          : (tensor<5xf32>, tensor<f32>) -> tensor<7xf32>
      %1 = func.call @f(%0, %z) : (tensor<7xf32>, tensor<f32>) -> tensor<13xf32>
      return %1 : tensor<13xf32>
    }
  })",
                                 &SeparatePads);
  EXPECT_TRUE(Holds(text, "optimization_barrier %0 : tensor<7xf32>")) << text;
}

}  // namespace
}  // namespace iree_pjrt
