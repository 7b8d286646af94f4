// SPDX-License-Identifier: Apache-2.0
// Rewrites of StableHLO for types of numbers, as text before and after.
#include <gtest/gtest.h>

#include <string>

#include "base/status.h"
#include "parsed_module.h"
#include "rewrite/stablehlo/passes.h"

namespace iree_pjrt {
namespace {

TEST(WidenSumsTest, AProductIsRoundedOnce) {
  const std::string text = After(R"(module {
    func.func @main(%a: tensor<4x8xbf16>, %b: tensor<8x4xbf16>)
        -> tensor<4x4xbf16> {
      %0 = stablehlo.dot_general %a, %b, contracting_dims = [1] x [0]
          : (tensor<4x8xbf16>, tensor<8x4xbf16>) -> tensor<4x4xbf16>
      return %0 : tensor<4x4xbf16>
    }
  })",
                                 &WidenSums);
  EXPECT_TRUE(Holds(text, "-> tensor<4x4xf32>")) << text;
  EXPECT_TRUE(Holds(text, "convert %0 : (tensor<4x4xf32>) -> tensor<4x4xbf16>"))
      << text;
}

TEST(WidenSumsTest, BytesAreDecodedBeforeTheProduct) {
  const std::string text = After(R"(module {
    func.func @main(%a: tensor<4x8xf8E4M3FN>, %b: tensor<8x4xf8E5M2>)
        -> tensor<4x4xf32> {
      %0 = stablehlo.dot_general %a, %b, contracting_dims = [1] x [0]
          : (tensor<4x8xf8E4M3FN>, tensor<8x4xf8E5M2>) -> tensor<4x4xf32>
      return %0 : tensor<4x4xf32>
    }
  })",
                                 &WidenSums);
  EXPECT_TRUE(Holds(text, "(tensor<4x8xf32>, tensor<8x4xf32>)")) << text;
}

TEST(WidenSumsTest, SoIsAReduction) {
  const std::string text = After(R"(module {
    func.func @main(%v: tensor<8xf16>, %i: tensor<f16>) -> tensor<f16> {
      %0 = stablehlo.reduce(%v init: %i) applies stablehlo.add across
          dimensions = [0] : (tensor<8xf16>, tensor<f16>) -> tensor<f16>
      return %0 : tensor<f16>
    }
  })",
                                 &WidenSums);
  EXPECT_TRUE(Holds(text, "(tensor<8xf32>, tensor<f32>) -> tensor<f32>"))
      << text;
  EXPECT_TRUE(Holds(text, "(tensor<f32>) -> tensor<f16>")) << text;
}

TEST(WidenSumsTest, WhatDoesNotRoundStays) {
  const std::string text = After(R"(module {
    func.func @main(%v: tensor<8xf16>, %i: tensor<f16>) -> tensor<f16> {
      %0 = stablehlo.reduce(%v init: %i) applies stablehlo.maximum across
          dimensions = [0] : (tensor<8xf16>, tensor<f16>) -> tensor<f16>
      return %0 : tensor<f16>
    }
  })",
                                 &WidenSums);
  EXPECT_FALSE(Holds(text, "f32")) << text;
}

TEST(ConvertAfterSlicesTest, TheSliceIsConverted) {
  const auto sliced = [](const std::string& source) {
    return After(R"(module {
    func.func @main(%x: tensor<8x2xi8>, %y: tensor<16xi32>) -> tensor<3xi32> {
      %0 = stablehlo.convert %x : (tensor<8x2xi8>) -> tensor<8x2xi32>
      %1 = stablehlo.reshape %0 : (tensor<8x2xi32>) -> tensor<16xi32>
      %2 = stablehlo.slice )" +
                     source +
                     R"( [4:10:2] : (tensor<16xi32>) -> tensor<3xi32>
      return %2 : tensor<3xi32>
    }
  })",
                 &ConvertAfterSlices);
  };
  EXPECT_TRUE(Holds(sliced("%1"), "(tensor<16xi8>) -> tensor<3xi8>"));
  EXPECT_TRUE(Holds(sliced("%1"), "(tensor<3xi8>) -> tensor<3xi32>"));
  EXPECT_TRUE(Holds(sliced("%y"), "(tensor<16xi32>) -> tensor<3xi32>"));
}

// A slice of an array of 8 x 3 x 5 whose dimensions are 2, 0, 1 of it.
std::string TransposedSlice(const std::string& slice,
                            const std::string& shape) {
  return After("module {\nfunc.func @main(%x: tensor<8x3x5xf32>) -> tensor<" +
                   shape +
                   "xf32> {\n%0 = stablehlo.transpose %x, dims = [2, 0, 1] : "
                   "(tensor<8x3x5xf32>) -> tensor<5x8x3xf32>\n%1 = "
                   "stablehlo.slice %0 [" +
                   slice + "] : (tensor<5x8x3xf32>) -> tensor<" + shape +
                   "xf32>\nreturn %1 : tensor<" + shape + "xf32>\n}\n}",
               &SliceBeforeTransposing);
}

TEST(SliceBeforeTransposingTest, TheSliceIsThatOfTheArray) {
  const std::string text = TransposedSlice("4:5, 1:7:2, 0:2", "1x3x2");
  EXPECT_TRUE(Holds(text, "slice %arg0 [1:7:2, 0:2, 4:5]")) << text;
  EXPECT_TRUE(Holds(text, "(tensor<3x2x1xf32>) -> tensor<1x3x2xf32>")) << text;
}

TEST(SliceBeforeTransposingTest, WhatIsInAnotherOrderStays) {
  const std::string text = TransposedSlice("3:5, 1:7:2, 0:1", "2x3x1");
  EXPECT_FALSE(Holds(text, "slice %arg0")) << text;
}

TEST(SplitComplexReductionsTest, PartsAreSummed) {
  const auto reduced = [](const std::string& by, bool at_once) {
    return After(R"(module {
    func.func @main(%v: tensor<8xcomplex<f32>>, %i: tensor<complex<f32>>)
        -> tensor<complex<f32>> {
      %0 = stablehlo.reduce(%v init: %i) applies stablehlo.)" +
                     by + R"( across dimensions = [0]
          : (tensor<8xcomplex<f32>>, tensor<complex<f32>>)
          -> tensor<complex<f32>>
      return %0 : tensor<complex<f32>>
    }
  })",
                 [&](const Ir& ir) { SplitComplexReductions(ir, at_once); });
  };
  EXPECT_EQ(Count(reduced("add", false),
                  "(tensor<8xf32>, tensor<f32>) -> tensor<f32>"),
            2U);
  EXPECT_EQ(Count(reduced("add", true), "stablehlo.reduce"), 1U);
  EXPECT_FALSE(Holds(reduced("multiply", true), "tensor<8xf32>"));
}

TEST(SplitComplex128Test, ConstantsAreMadeOfTheirParts) {
  const std::string text = After(R"(module {
    func.func @main(%v: tensor<4xcomplex<f64>>)
        -> (tensor<3xcomplex<f64>>, tensor<complex<f64>>, tensor<complex<f32>>) {
      %0 = stablehlo.constant dense<(1.0, 2.0)> : tensor<3xcomplex<f64>>
      %1 = stablehlo.constant dense<(3.0, 4.0)> : tensor<complex<f64>>
      %2 = stablehlo.constant dense<(5.0, 6.0)> : tensor<complex<f32>>
      %3 = stablehlo.reduce(%v init: %1) applies stablehlo.add across
          dimensions = [0] : (tensor<4xcomplex<f64>>, tensor<complex<f64>>)
          -> tensor<complex<f64>>
      return %0, %3, %2
          : tensor<3xcomplex<f64>>, tensor<complex<f64>>, tensor<complex<f32>>
    }
  })",
                                 &SplitComplex128);
  EXPECT_TRUE(Holds(text, "optimization_barrier %0 : tensor<3xf64>")) << text;
  EXPECT_TRUE(Holds(text, "stablehlo.complex")) << text;
  // Neither what a sum begins with nor smaller numbers.
  for (const char* other : {"tensor<f64>", "tensor<f32>"}) {
    EXPECT_FALSE(Holds(text, other)) << text;
  }
}

TEST(SplitComplex128Test, PartsArePadded) {
  const std::string text = After(R"(module {
    func.func @main(%v: tensor<4xcomplex<f64>>, %f: tensor<complex<f64>>)
        -> tensor<7xcomplex<f64>> {
      %0 = stablehlo.pad %v, %f, low = [1], high = [2], interior = [0]
          : (tensor<4xcomplex<f64>>, tensor<complex<f64>>)
          -> tensor<7xcomplex<f64>>
      return %0 : tensor<7xcomplex<f64>>
    }
  })",
                                 &SplitComplex128);
  EXPECT_TRUE(Holds(text, "(tensor<4xf64>, tensor<f64>) -> tensor<7xf64>"))
      << text;
  EXPECT_FALSE(Holds(text, "-> tensor<7xcomplex<f64>>\n    %")) << text;
}

TEST(WidenIotasTest, OnlyThoseThatWrapAround) {
  const std::string text = After(R"(module {
    func.func @main() -> (tensor<2x40000xbf16>, tensor<9xbf16>,
                          tensor<40000xf32>) {
      %0 = stablehlo.iota dim = 1 : tensor<2x40000xbf16>
      %1 = stablehlo.iota dim = 0 : tensor<9xbf16>
      %2 = stablehlo.iota dim = 0 : tensor<40000xf32>
      return %0, %1, %2 : tensor<2x40000xbf16>, tensor<9xbf16>,
                          tensor<40000xf32>
    }
  })",
                                 &WidenIotas);
  EXPECT_TRUE(Holds(text, "iota dim = 1 : tensor<2x40000xf32>")) << text;
  EXPECT_TRUE(Holds(text, "iota dim = 0 : tensor<9xbf16>")) << text;
  EXPECT_EQ(Count(text, "stablehlo.convert"), 1) << text;
}

TEST(DropIdleReversesTest, OnlyThoseOfNoDimension) {
  const std::string text = After(R"(module {
    func.func @main(%v: tensor<f32>, %w: tensor<4xf32>)
        -> (tensor<f32>, tensor<4xf32>) {
      %0 = stablehlo.reverse %v, dims = [] : tensor<f32>
      %1 = stablehlo.reverse %w, dims = [0] : tensor<4xf32>
      return %0, %1 : tensor<f32>, tensor<4xf32>
    }
  })",
                                 &DropIdleReverses);
  EXPECT_FALSE(Holds(text, "dims = []")) << text;
  EXPECT_TRUE(Holds(text, "dims = [0]")) << text;
}

TEST(RewriteUnsignedOperationsTest, TheWindowIsOverSignedIntegers) {
  const std::string text = After(R"(module {
    func.func @main(%v: tensor<4xui8>, %i: tensor<ui8>) -> tensor<4xui8> {
      %0 = "stablehlo.reduce_window"(%v, %i) <{
          padding = dense<[[3, 0]]> : tensor<1x2xi64>,
          window_dimensions = array<i64: 4>}> ({
      ^bb0(%a: tensor<ui8>, %b: tensor<ui8>):
        %1 = stablehlo.maximum %a, %b : tensor<ui8>
        stablehlo.return %1 : tensor<ui8>
      }) : (tensor<4xui8>, tensor<ui8>) -> tensor<4xui8>
      return %0 : tensor<4xui8>
    }
  })",
                                 &RewriteUnsignedOperations);
  EXPECT_TRUE(Holds(text, "(tensor<4xi8>, tensor<i8>) -> tensor<4xi8>"))
      << text;
  EXPECT_TRUE(Holds(text, "stablehlo.maximum")) << text;
  EXPECT_TRUE(Holds(text, ": tensor<ui8>")) << text;
  EXPECT_TRUE(Holds(text, "(tensor<4xi8>) -> tensor<4xui8>")) << text;
}

TEST(RewriteUnsignedOperationsTest, SoIsTheReversal) {
  const std::string text = After(R"(module {
    func.func @main(%v: tensor<4xui8>) -> tensor<4xui8> {
      %0 = stablehlo.reverse %v, dims = [0] : tensor<4xui8>
      return %0 : tensor<4xui8>
    }
  })",
                                 &RewriteUnsignedOperations);
  EXPECT_TRUE(Holds(text, "dims = [0] : tensor<4xi8>")) << text;
}

TEST(RewriteUnsignedOperationsTest, SoIsAScatterButForItsIndices) {
  const std::string text = After(R"(module {
    func.func @main(%v: tensor<4xui8>, %i: tensor<1xui8>, %u: tensor<ui8>)
        -> tensor<4xui8> {
      %0 = "stablehlo.scatter"(%v, %i, %u) <{
          scatter_dimension_numbers = #stablehlo.scatter<
              inserted_window_dims = [0], scatter_dims_to_operand_dims = [0]>}> ({
      ^bb0(%a: tensor<ui8>, %b: tensor<ui8>):
        %1 = stablehlo.maximum %a, %b : tensor<ui8>
        stablehlo.return %1 : tensor<ui8>
      }) : (tensor<4xui8>, tensor<1xui8>, tensor<ui8>) -> tensor<4xui8>
      return %0 : tensor<4xui8>
    }
  })",
                                 &RewriteUnsignedOperations);
  EXPECT_TRUE(
      Holds(text, "(tensor<4xi8>, tensor<1xui8>, tensor<i8>) -> tensor<4xi8>"))
      << text;
  EXPECT_TRUE(Holds(text, ": tensor<ui8>")) << text;
}

TEST(WidenSmallIntegersTest, CutsWhatMayHaveGrown) {
  const std::string text = After(R"(module {
    func.func @main(%a: tensor<3xi4>, %b: tensor<3xui4>)
        -> (tensor<3xi4>, tensor<3xui4>) {
      %c = stablehlo.constant dense<[1, -2, 3]> : tensor<3xi4>
      %0 = stablehlo.add %a, %c : tensor<3xi4>
      %1 = stablehlo.reverse %b, dims = [0] : tensor<3xui4>
      return %0, %1 : tensor<3xi4>, tensor<3xui4>
    }
  })",
                                 &WidenSmallIntegers);
  EXPECT_FALSE(Holds(text, "i4")) << text;
  EXPECT_TRUE(Holds(text, "dense<[1, -2, 3]> : tensor<3xi8>")) << text;
  // The sum and the first input are cut with their sign, the second input
  // without.
  const size_t first = text.find("shift_right_arithmetic");
  EXPECT_NE(text.find("shift_right_arithmetic", first + 1), std::string::npos);
  EXPECT_TRUE(Holds(text, "shift_right_logical")) << text;
}

TEST(WidenSmallIntegersTest, ClampsWhatWasAFloat) {
  const std::string text = After(R"(module {
    func.func @main(%a: tensor<3xf32>) -> tensor<3xi4> {
      %0 = stablehlo.convert %a : (tensor<3xf32>) -> tensor<3xi4>
      return %0 : tensor<3xi4>
    }
  })",
                                 &WidenSmallIntegers);
  EXPECT_TRUE(Holds(text, "stablehlo.clamp")) << text;
  EXPECT_TRUE(Holds(text, "dense<-8> : tensor<3xi8>")) << text;
  EXPECT_FALSE(Holds(text, "shift_left")) << text;
}

TEST(WidenSmallIntegersTest, RefusesOtherViews) {
  EXPECT_THROW(After(R"(module {
    func.func @main(%a: tensor<4x2xi4>) -> tensor<4xi8> {
      %0 = stablehlo.bitcast_convert %a : (tensor<4x2xi4>) -> tensor<4xi8>
      return %0 : tensor<4xi8>
    }
  })",
                     &WidenSmallIntegers),
               Error);
}

TEST(RewriteTokensTest, AreTensorsOfNoBits) {
  const std::string text = After(R"(module {
    func.func @main(%t: !stablehlo.token) -> !stablehlo.token {
      %0 = stablehlo.create_token : !stablehlo.token
      %1 = stablehlo.after_all %t, %0 : !stablehlo.token
      return %1 : !stablehlo.token
    }
  })",
                                 &RewriteTokens);
  EXPECT_FALSE(Holds(text, "token")) << text;
  EXPECT_TRUE(Holds(text, "(%arg0: tensor<0xi1>) -> tensor<0xi1>")) << text;
}

TEST(RewriteComplexAbsTest, DividesByTheLargerPart) {
  const std::string text = After(R"(module {
    func.func @main(%a: tensor<2xcomplex<f32>>) -> tensor<2xf32> {
      %0 = stablehlo.abs %a : (tensor<2xcomplex<f32>>) -> tensor<2xf32>
      return %0 : tensor<2xf32>
    }
  })",
                                 &RewriteComplexAbs);
  EXPECT_FALSE(Holds(text, "abs %arg0")) << text;
  EXPECT_TRUE(Holds(text, "stablehlo.divide")) << text;
}

TEST(WidenComplexMathTest, IsDoneInFloat64) {
  for (const char* name : {"exponential_minus_one", "tan", "tanh"}) {
    const auto after = [&](const std::string& type) {
      return After("module { func.func @main(%a: " + type + ") -> " + type +
                       " { %0 = stablehlo." + name + " %a : " + type +
                       " return %0 : " + type + " } }",
                   &WidenComplexMath);
    };
    const std::string text = after("tensor<2xcomplex<f32>>");
    EXPECT_FALSE(Holds(text, std::string(name) + " %arg0")) << text;
    EXPECT_TRUE(Holds(text, "stablehlo.sine")) << text;
    EXPECT_TRUE(Holds(text, "tensor<2xf64>")) << text;
    EXPECT_FALSE(Holds(after("tensor<2xf32>"), "convert"));
  }
}

// A selection between arrays of this shape, after the pass.
std::string SelectedBy(const std::string& mask, const std::string& shape) {
  const std::string array = "tensor<" + shape + "f32>";
  return After("module {\nfunc.func @main(%m: tensor<" + mask +
                   "i1>, %a: " + array + ", %b: " + array + ") -> " + array +
                   " {\n%0 = stablehlo.select %m, %a, %b : tensor<" + mask +
                   "i1>, " + array + "\nreturn %0 : " + array + "\n}\n}",
               &SpreadPredicates);
}

TEST(SpreadPredicatesTest, OneBooleanGetsTheShapeOfTheArrays) {
  const std::string text = SelectedBy("", "4x8x");
  EXPECT_TRUE(Holds(text, "(tensor<i1>) -> tensor<4x8xi1>")) << text;
  EXPECT_TRUE(Holds(text, "tensor<4x8xi1>, tensor<4x8xf32>")) << text;
}

TEST(SpreadPredicatesTest, OtherSelectionsStay) {
  EXPECT_FALSE(Holds(SelectedBy("", ""), "broadcast"));
  EXPECT_FALSE(Holds(SelectedBy("8x", "8x"), "broadcast"));
}

}  // namespace
}  // namespace iree_pjrt
