// SPDX-License-Identifier: Apache-2.0
// Rewrites of products in StableHLO, as text before and after.
#include <gtest/gtest.h>

#include <array>
#include <string>

#include "parsed_module.h"
#include "rewrite/stablehlo/passes.h"

namespace iree_pjrt {
namespace {

// The transposed product of `lhs` and `rhs`, whose dimensions are `shape`.
std::string Transposed(const std::string& lhs, const std::string& rhs,
                       const std::string& dimensions, const std::string& shape,
                       const std::string& order, const std::string& result) {
  const std::string product = "tensor<" + shape + ">";
  const std::string type = "tensor<" + result + ">";
  return After("module {\nfunc.func @main(%a: tensor<" + lhs +
                   ">, %b: tensor<" + rhs + ">) -> " + type +
                   " {\n%0 = stablehlo.dot_general %a, %b, " + dimensions +
                   " : (tensor<" + lhs + ">, tensor<" + rhs + ">) -> " +
                   product + "\n%1 = stablehlo.transpose %0, dims = [" + order +
                   "] : (" + product + ") -> " + type +
                   "\nreturn %1 : " + type + "\n}\n}",
               &SwapFactors);
}

TEST(SwapFactorsTest, OfTheGradientOfWeights) {
  const std::string text =
      Transposed("8x256xf32", "8x128xf32", "contracting_dims = [0] x [0]",
                 "256x128xf32", "1, 0", "128x256xf32");
  EXPECT_FALSE(Holds(text, "transpose")) << text;
  EXPECT_TRUE(Holds(text, "dot_general %arg1, %arg0")) << text;
  EXPECT_TRUE(Holds(text, "-> tensor<128x256xf32>")) << text;
}

TEST(SwapFactorsTest, BatchesStayInFront) {
  const std::string text =
      Transposed("4x2x5x3xf32", "6x3x2x7xf32",
                 "batching_dims = [1, 3] x [2, 1], contracting_dims = [] x []",
                 "2x3x4x5x6x7xf32", "1, 0, 4, 5, 2, 3", "3x2x6x7x4x5xf32");
  EXPECT_FALSE(Holds(text, "transpose")) << text;
  EXPECT_TRUE(Holds(text, "batching_dims = [1, 2] x [3, 1]")) << text;
}

TEST(SwapFactorsTest, OtherOrdersStay) {
  for (const auto& [order, result] :
       {std::array{"0, 2, 1, 3", "4x6x5x7xf32"},
        std::array{"3, 2, 0, 1", "7x6x4x5xf32"},
        std::array{"2, 3, 1, 0", "6x7x5x4xf32"}}) {
    const std::string text =
        Transposed("9x4x5xf32", "9x6x7xf32", "contracting_dims = [0] x [0]",
                   "4x5x6x7xf32", order, result);
    EXPECT_TRUE(Holds(text, "transpose")) << text;
  }
}

TEST(SwapFactorsTest, SoDoesWhatIsUsedTwice) {
  const std::string text = After(R"(module {
    func.func @main(%a: tensor<8x4xf32>, %b: tensor<8x5xf32>)
        -> (tensor<5x4xf32>, tensor<4x5xf32>) {
      %0 = stablehlo.dot_general %a, %b, contracting_dims = [0] x [0]
          : (tensor<8x4xf32>, tensor<8x5xf32>) -> tensor<4x5xf32>
      %1 = stablehlo.transpose %0, dims = [1, 0]
          : (tensor<4x5xf32>) -> tensor<5x4xf32>
      return %1, %0 : tensor<5x4xf32>, tensor<4x5xf32>
    }
  })",
                                 &SwapFactors);
  EXPECT_TRUE(Holds(text, "transpose")) << text;
}

void SumProducts(const Ir& ir) { SumLongProducts(ir, /*rows=*/true); }

std::string Product(const std::string& lhs, const std::string& rhs,
                    const std::string& dimensions, const std::string& result,
                    void (*pass)(const Ir&) = &SumProducts) {
  const std::string types = "(tensor<" + lhs + ">, tensor<" + rhs + ">)";
  return After("module {\nfunc.func @main(%a: tensor<" + lhs +
                   ">, %b: tensor<" + rhs + ">) -> tensor<" + result +
                   "> {\n%0 = stablehlo.dot_general %a, %b, " + dimensions +
                   " : " + types + " -> tensor<" + result +
                   ">\nreturn %0 : tensor<" + result + ">\n}\n}",
               pass);
}

TEST(SwapFactorsTest, AVectorComesAfterTheRowsOfAMatrix) {
  const auto swapped = [](const std::string& lhs, const std::string& rhs,
                          const std::string& dimensions,
                          const std::string& result) {
    return Product(lhs, rhs, dimensions, result, &SwapFactors);
  };
  const std::string rows =
      swapped("1x8xf32", "5x8xf32", "contracting_dims = [1] x [1]", "1x5xf32");
  EXPECT_TRUE(Holds(rows, "(tensor<5x8xf32>, tensor<8xf32>)")) << rows;
  const std::string batch = swapped(
      "2x8xf32", "2x5x8xf32",
      "batching_dims = [0] x [0], contracting_dims = [1] x [2]", "2x5xf32");
  EXPECT_TRUE(Holds(batch, "(tensor<2x5x8xf32>, tensor<2x8xf32>)")) << batch;
  for (const std::string& text :
       {swapped("1x8xf32", "8x5xf32", "contracting_dims = [1] x [0]",
                "1x5xf32"),
        swapped("3x8xf32", "5x8xf32", "contracting_dims = [1] x [1]",
                "3x5xf32"),
        swapped("8xf32", "8xf32", "contracting_dims = [0] x [0]", "f32")}) {
    EXPECT_TRUE(Holds(text, "dot_general %arg0, %arg1")) << text;
  }
}

TEST(SumLongProductsTest, OfTwoVectors) {
  const std::string text =
      Product("65536xf32", "65536xf32", "contracting_dims = [0] x [0]", "f32");
  EXPECT_FALSE(Holds(text, "dot_general")) << text;
  EXPECT_TRUE(Holds(text, "applies stablehlo.add across dimensions = [0]"))
      << text;
}

TEST(SumLongProductsTest, OfColumnsWithAConversion) {
  const std::string text = Product("65536xbf16", "65536x3xbf16",
                                   "contracting_dims = [0] x [0]", "3xf32");
  EXPECT_TRUE(Holds(text,
                    "dims = [0] : (tensor<65536xf32>) -> "
                    "tensor<65536x3xf32>"))
      << text;
}

TEST(SumLongProductsTest, OfTheRowsOfAMatrix) {
  EXPECT_FALSE(Holds(
      Product("8x512xf32", "512xf32", "contracting_dims = [1] x [0]", "8xf32"),
      "dot_general"));
  for (const auto& [lhs, rhs, dimensions] :
       {std::array{"8x511xf32", "511xf32", "[1] x [0]"},
        std::array{"512x8xf32", "512xf32", "[0] x [0]"}}) {
    EXPECT_TRUE(
        Holds(Product(lhs, rhs, "contracting_dims = " + std::string(dimensions),
                      "8xf32"),
              "dot_general"));
  }
}

TEST(SumLongProductsTest, RowsStayWhereTheyAreNotAskedFor) {
  EXPECT_TRUE(Holds(
      Product("8x512xf32", "512xf32", "contracting_dims = [1] x [0]", "8xf32",
              [](const Ir& ir) { SumLongProducts(ir, /*rows=*/false); }),
      "dot_general"));
}

TEST(SumLongProductsTest, BatchesComeFirst) {
  const std::string text = Product(
      "65536x3x2xf32", "2x65536xf32",
      "batching_dims = [2] x [0], contracting_dims = [0] x [1]", "2x3xf32");
  EXPECT_TRUE(Holds(text, "-> tensor<65536x3x2xf32>")) << text;
  EXPECT_TRUE(Holds(text, "(tensor<3x2xf32>) -> tensor<2x3xf32>")) << text;
}

TEST(SumLongProductsTest, OthersStay) {
  for (const auto& [lhs, rhs, result] :
       {std::array{"65535xf32", "65535xf32", "f32"},
        std::array{"65536xi32", "65536xi32", "i32"}}) {
    EXPECT_TRUE(Holds(Product(lhs, rhs, "contracting_dims = [0] x [0]", result),
                      "dot_general"));
  }
  EXPECT_TRUE(Holds(Product("2x65536xf32", "65536x2xf32",
                            "contracting_dims = [1] x [0]", "2x2xf32"),
                    "dot_general"));
}

TEST(SplitLongProductsTest, PartsWithoutARest) {
  const std::string text =
      Product("6272x128xf32", "6272x128xf32", "contracting_dims = [0] x [0]",
              "128x128xf32", &SplitLongProducts);
  EXPECT_TRUE(
      Holds(text, "batching_dims = [0] x [0], contracting_dims = [1] x [1]"))
      << text;
  EXPECT_TRUE(Holds(text, "-> tensor<14x448x128xf32>")) << text;
  EXPECT_TRUE(Holds(text, "across dimensions = [0]")) << text;
  EXPECT_EQ(Count(text, "stablehlo.dot_general"), 1u) << text;
}

TEST(SplitLongProductsTest, TheRestIsAddedAndTypesStay) {
  const std::string text =
      Product("64x2047xbf16", "2047x64xbf16", "contracting_dims = [1] x [0]",
              "64x64xf32", &SplitLongProducts);
  EXPECT_FALSE(Holds(text, "batching_dims")) << text;
  const std::string longer =
      Product("64x65537xbf16", "65537x64xbf16", "contracting_dims = [1] x [0]",
              "64x64xf32", &SplitLongProducts);
  EXPECT_TRUE(
      Holds(longer, "batching_dims = [1] x [0], contracting_dims = [2] x [1]"))
      << longer;
  EXPECT_TRUE(Holds(longer, "tensor<64x714xbf16>")) << longer;
  EXPECT_TRUE(Holds(longer, "stablehlo.add")) << longer;
}

TEST(SplitLongProductsTest, OthersStay) {
  for (const auto& [lhs, rhs, result] :
       {std::array{"65536x16xf32", "65536x32xf32", "16x32xf32"},
        std::array{"1024x128xf32", "1024x128xf32", "128x128xf32"},
        std::array{"6272x256xf32", "6272x256xf32", "256x256xf32"},
        std::array{"65536x4xf32", "65536x128xf32", "4x128xf32"},
        std::array{"6272x128xi32", "6272x128xi32", "128x128xi32"},
        std::array{"6272x128xcomplex<f32>", "6272x128xcomplex<f32>",
                   "128x128xcomplex<f32>"}}) {
    const std::string text = Product(lhs, rhs, "contracting_dims = [0] x [0]",
                                     result, &SplitLongProducts);
    EXPECT_FALSE(Holds(text, "batching_dims")) << text;
  }
}

TEST(RewriteDotProductsTest, HidesBooleansAndTheAlgorithm) {
  const std::string text = After(R"(module {
    func.func @main(%a: tensor<4xi1>, %b: tensor<4xi32>) -> tensor<i32> {
      %0 = stablehlo.convert %a : (tensor<4xi1>) -> tensor<4xi32>
      %1 = stablehlo.dot_general %0, %b, contracting_dims = [0] x [0]
          : (tensor<4xi32>, tensor<4xi32>) -> tensor<i32>
      return %1 : tensor<i32>
    }
  })",
                                 &RewriteDotProducts);
  EXPECT_TRUE(Holds(text, "optimization_barrier %0 : tensor<4xi32>")) << text;
}

TEST(RewriteDotProductsTest, HidesUnsignedIntegers) {
  const auto dot = [](const std::string& type) {
    return After(R"(module {
      func.func @main(%a: tensor<4x)" +
                     type + R"(>, %b: tensor<4xf32>)
          -> tensor<f32> {
        %0 = stablehlo.convert %a : (tensor<4x)" +
                     type + R"(>) -> tensor<4xf32>
        %1 = stablehlo.dot_general %0, %b, contracting_dims = [0] x [0]
            : (tensor<4xf32>, tensor<4xf32>) -> tensor<f32>
        return %1 : tensor<f32>
      }
    })",
                 &RewriteDotProducts);
  };
  EXPECT_TRUE(Holds(dot("ui8"), "optimization_barrier"));
  EXPECT_FALSE(Holds(dot("i8"), "optimization_barrier"));
}

// The result of an outer product of numbers of a narrower type.
std::string OuterProduct(const std::string& lhs, const std::string& rhs,
                         const std::string& dimensions,
                         const std::string& result) {
  return After("module { func.func @main(%a: " + lhs + ", %b: " + rhs +
                   ") -> " + result + " { %0 = stablehlo.dot_general %a, %b, " +
                   dimensions + " : (" + lhs + ", " + rhs + ") -> " + result +
                   " return %0 : " + result + " } }",
               &ExpandOuterProducts);
}

TEST(ExpandOuterProductsTest, MultipliesWhatIsConverted) {
  const std::string text =
      OuterProduct("tensor<2x1x4xf16>", "tensor<3x2x1xf16>",
                   "batching_dims = [0] x [1], contracting_dims = [1] x [2]",
                   "tensor<2x4x3xf32>");
  EXPECT_FALSE(Holds(text, "dot_general")) << text;
  EXPECT_TRUE(Holds(text, "dims = [0, 1] : (tensor<2x4xf32>)")) << text;
  EXPECT_TRUE(Holds(text, "dims = [2, 0] : (tensor<3x2xf32>)")) << text;
  EXPECT_TRUE(Holds(text, "stablehlo.multiply")) << text;
}

TEST(ExpandOuterProductsTest, LeavesSums) {
  for (const char* columns : {"0", "2"}) {
    const std::string type = "tensor<4x" + std::string(columns) + "xf32>";
    EXPECT_TRUE(Holds(OuterProduct(type, type, "contracting_dims = [1] x [1]",
                                   "tensor<4x4xf32>"),
                      "dot_general"));
  }
}

// A product of 256 x 32 by 32 x `columns`.
std::string Product(const std::string& element, bool kernels,
                    const std::string& columns = "256") {
  const std::string lhs = "tensor<256x32x" + element + ">";
  const std::string rhs = "tensor<32x" + columns + "x" + element + ">";
  const std::string result = "tensor<256x" + columns + "xf32>";
  return After("module {\nfunc.func @main(%a: " + lhs + ", %b: " + rhs +
                   ") -> " + result +
                   " {\n%0 = stablehlo.dot_general %a, %b, contracting_dims = "
                   "[1] x [0] : (" +
                   lhs + ", " + rhs + ") -> " + result +
                   "\nreturn %0 : " + result + "\n}\n}",
               [&](const Ir& ir) { WidenFactors(ir, kernels); });
}

TEST(WidenFactorsTest, LargeProductsOf16BitsAreOfFloat32) {
  for (const std::string& text :
       {Product("f16", true), Product("bf16", false)}) {
    EXPECT_TRUE(Holds(text, "(tensor<256x32xf32>, tensor<32x256xf32>)"))
        << text;
    EXPECT_EQ(Count(text, "optimization_barrier"), 2u) << text;
  }
}

TEST(WidenFactorsTest, OthersStay) {
  for (const std::string& text : {Product("bf16", true), Product("f32", false),
                                  Product("f16", true, "128")}) {
    EXPECT_FALSE(Holds(text, "optimization_barrier")) << text;
  }
}

}  // namespace
}  // namespace iree_pjrt
