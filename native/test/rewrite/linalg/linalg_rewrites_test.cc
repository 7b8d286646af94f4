// SPDX-License-Identifier: Apache-2.0
// Rewrites of linalg on tensors, as text before and after.
#include <gtest/gtest.h>

#include <string>

#include "parsed_module.h"
#include "rewrite/linalg/passes.h"

namespace iree_pjrt {
namespace {

TEST(StabilizeSortsTest, TurnsTheComparisonAround) {
  const std::string text = After(R"(module {
    util.func public @main(%v: tensor<8xi32>) -> tensor<8xi32> {
      %0 = iree_linalg_ext.sort dimension(0) outs(%v : tensor<8xi32>) {
      ^bb0(%a: i32, %b: i32):
        %1 = arith.cmpi slt, %a, %b : i32
        iree_linalg_ext.yield %1 : i1
      } -> tensor<8xi32>
      util.return %0 : tensor<8xi32>
    }
  })",
                                 &StabilizeSorts);
  EXPECT_TRUE(Holds(text, "arith.cmpi slt, %arg2, %arg1 : i32")) << text;
  EXPECT_TRUE(Holds(text, "arith.xori")) << text;
}

TEST(RoundFloats8Test, ArithmeticIsInFloat32) {
  const std::string text = After(R"(module {
    func.func @main(%a: f8E4M3FN, %c: f16) -> (f8E4M3FN, f8E5M2, f64) {
      %0 = arith.addf %a, %a : f8E4M3FN
      %1 = arith.truncf %c : f16 to f8E5M2
      %2 = arith.extf %a : f8E4M3FN to f64
      return %0, %1, %2 : f8E4M3FN, f8E5M2, f64
    }
  })",
                                 &RoundFloats8);
  for (const char* gone : {"f16 to f8E5M2", "addf %arg0", "f8E4M3FN to f64"}) {
    EXPECT_FALSE(Holds(text, gone)) << text;
  }
  EXPECT_TRUE(Holds(text, "arith.bitcast %arg0 : f8E4M3FN to i8")) << text;
  EXPECT_TRUE(Holds(text, ": i8 to f8E5M2")) << text;
}

TEST(SaturateConversionsTest, NanAndWhatIsOutOfRange) {
  const std::string text = After(R"(module {
    func.func @main(%a: f32, %b: f16) -> (i32, i8, i64) {
      %0 = arith.fptosi %a : f32 to i32
      %1 = arith.fptoui %b : f16 to i8
      %2 = arith.fptoui %a : f32 to i64
      return %0, %1, %2 : i32, i8, i64
    }
  })",
                                 &SaturateConversions);
  EXPECT_TRUE(Holds(text, "arith.cmpf uno, %arg0")) << text;
  EXPECT_TRUE(Holds(text, "constant 2147483647 : i32")) << text;
  // What float32 holds exactly is limited before it is converted.
  EXPECT_TRUE(Holds(text, "constant 2.550000e+02 : f32")) << text;
  EXPECT_FALSE(Holds(text, "fptoui %arg")) << text;
  EXPECT_TRUE(Holds(text, "constant -1 : i64")) << text;
}

TEST(CopySlicedSourcesTest, EveryOtherOfAFewComputedNumbers) {
  const auto slice = [](const std::string& size, const std::string& step) {
    return After(R"(#map = affine_map<(d0) -> (d0)>
    module {
      util.func public @main(%x: tensor<)" +
                     size + R"(xi8>) -> tensor<2xi32> {
        %0 = tensor.empty() : tensor<)" +
                     size + R"(xi32>
        %1 = linalg.generic {indexing_maps = [#map, #map],
                             iterator_types = ["parallel"]}
            ins(%x : tensor<)" +
                     size + R"(xi8>) outs(%0 : tensor<)" + size +
                     R"(xi32>) {
        ^bb0(%a: i8, %b: i32):
          %c = arith.extsi %a : i8 to i32
          linalg.yield %c : i32
        } -> tensor<)" +
                     size + R"(xi32>
        %2 = tensor.extract_slice %1[0] [2] [)" +
                     step + R"(]
            : tensor<)" +
                     size + R"(xi32> to tensor<2xi32>
        util.return %2 : tensor<2xi32>
      }
    })",
                 &CopySlicedSources);
  };
  EXPECT_TRUE(Holds(slice("4", "2"), "util.optimization_barrier"));
  EXPECT_FALSE(Holds(slice("4", "1"), "util.optimization_barrier"));
  EXPECT_FALSE(Holds(slice("400", "2"), "util.optimization_barrier"));
}

// Elements of every other number, or each, converted from a type.
std::string TakenFromSlice(const std::string& type, const std::string& step) {
  const std::string from = "tensor<9x" + type + ">";
  const std::string some = "tensor<4x" + type + ">";
  return After(R"(#map = affine_map<(d0) -> (d0)>
    module {
      util.func public @main(%x: )" +
                   from + R"(, %i: tensor<4xindex>) -> tensor<4xi32> {
        %0 = tensor.empty() : tensor<4xi32>
        %1 = tensor.extract_slice %x[0] [4] [)" +
                   step + "] : " + from + " to " + some + R"(
        %2 = linalg.generic {indexing_maps = [#map, #map],
                             iterator_types = ["parallel"]}
            ins(%1 : )" +
                   some + R"() outs(%0 : tensor<4xi32>) {
        ^bb0(%a: )" +
                   type + R"(, %b: i32):
          %c = builtin.unrealized_conversion_cast %a : )" +
                   type + R"( to i32
          linalg.yield %c : i32
        } -> tensor<4xi32>
        %3 = linalg.generic {indexing_maps = [#map, #map],
                             iterator_types = ["parallel"]}
            ins(%i : tensor<4xindex>) outs(%0 : tensor<4xi32>) {
        ^bb0(%a: index, %b: i32):
          %c = tensor.extract %2[%a] : tensor<4xi32>
          linalg.yield %c : i32
        } -> tensor<4xi32>
        util.return %3 : tensor<4xi32>
      }
    })",
               &CopySlicedSources);
}

TEST(CopySlicedSourcesTest, EveryOtherNumberThatIsWidened) {
  constexpr const char* kCopy = "util.optimization_barrier";
  EXPECT_TRUE(Holds(TakenFromSlice("i8", "2"), kCopy));
  EXPECT_FALSE(Holds(TakenFromSlice("i8", "1"), kCopy));
  EXPECT_FALSE(Holds(TakenFromSlice("i32", "2"), kCopy));
}

TEST(FreeTargetsTest, WritesIntoASplatOrACopy) {
  const std::string text = After(R"(module {
    util.func public @main(%v: tensor<1xf32>, %i: tensor<1x1xi32>)
        -> (tensor<4xf32>, tensor<4xf32>) {
      %c = arith.constant dense<2.0> : tensor<4xf32>
      %d = arith.constant dense<[1.0, 2.0, 3.0, 4.0]> : tensor<4xf32>
      %0 = iree_linalg_ext.scatter dimension_map = [0] unique_indices(false)
          ins(%v, %i : tensor<1xf32>, tensor<1x1xi32>) outs(%c : tensor<4xf32>) {
      ^bb0(%a: f32, %b: f32):
        iree_linalg_ext.yield %a : f32
      } -> tensor<4xf32>
      %1 = iree_linalg_ext.scatter dimension_map = [0] unique_indices(false)
          ins(%v, %i : tensor<1xf32>, tensor<1x1xi32>) outs(%d : tensor<4xf32>) {
      ^bb0(%a: f32, %b: f32):
        iree_linalg_ext.yield %a : f32
      } -> tensor<4xf32>
      util.return %0, %1 : tensor<4xf32>, tensor<4xf32>
    }
  })",
                                 &FreeTargets);
  EXPECT_TRUE(Holds(text, "flow.tensor.splat")) << text;
  const size_t first = text.find("util.optimization_barrier");
  EXPECT_NE(text.find("util.optimization_barrier", first + 1),
            std::string::npos)
      << text;
}

TEST(SplitComplexConstantsTest, MakesThemOfTheirParts) {
  const std::string text = After(R"(module {
    util.func public @main() -> complex<f32> {
      %0 = complex.constant [1.0 : f32, 2.0 : f32] : complex<f32>
      util.return %0 : complex<f32>
    }
  })",
                                 &SplitComplexConstants);
  EXPECT_TRUE(Holds(text, "complex.create")) << text;
  EXPECT_FALSE(Holds(text, "complex.constant")) << text;
}

TEST(FoldKnownPartsTest, ARealNumberHasNoImaginaryPart) {
  const std::string text = After(R"(#map = affine_map<(d0) -> (d0)>
  module {
    util.func public @main(%x: tensor<1xf32>) -> tensor<f32> {
      %zero = arith.constant 0.0 : f32
      %0 = tensor.empty() : tensor<1xcomplex<f32>>
      %1 = linalg.generic {indexing_maps = [#map, #map],
                           iterator_types = ["parallel"]}
          ins(%x : tensor<1xf32>) outs(%0 : tensor<1xcomplex<f32>>) {
      ^bb0(%a: f32, %b: complex<f32>):
        %c = complex.create %a, %zero : complex<f32>
        linalg.yield %c : complex<f32>
      } -> tensor<1xcomplex<f32>>
      %2 = tensor.collapse_shape %1 []
          : tensor<1xcomplex<f32>> into tensor<complex<f32>>
      %3 = tensor.empty() : tensor<f32>
      %4 = linalg.generic {indexing_maps = [affine_map<() -> ()>,
                                            affine_map<() -> ()>],
                           iterator_types = []}
          ins(%2 : tensor<complex<f32>>) outs(%3 : tensor<f32>) {
      ^bb0(%a: complex<f32>, %b: f32):
        %c = complex.im %a : complex<f32>
        linalg.yield %c : f32
      } -> tensor<f32>
      util.return %4 : tensor<f32>
    }
  })",
                                 &FoldKnownParts);
  EXPECT_TRUE(Holds(text, "dense<0.000000e+00> : tensor<f32>")) << text;
  EXPECT_FALSE(Holds(text, "complex.im")) << text;
}

TEST(WidenMathTest, AnglesNeedNoSineAndArcsAreWide) {
  const std::string text = After(R"(module {
    util.func public @main(%x: f32) -> (f32, f32, f64) {
      %0 = math.sin %x : f32
      %1 = math.atan %x : f32
      %2 = arith.extf %x : f32 to f64
      %3 = math.sin %2 : f64
      util.return %0, %1, %3 : f32, f32, f64
    }
  })",
                                 &WidenMath);
  EXPECT_FALSE(Holds(text, "math.sin %arg0")) << text;
  EXPECT_TRUE(Holds(text, ": f64\n")) << text;
  EXPECT_FALSE(Holds(text, "math.atan %arg0")) << text;
}

TEST(WidenMathTest, PowersAndRootsAreOfOperationsThatBecomeVectors) {
  const std::string text = After(R"(module {
    util.func public @main(%x: f32, %y: bf16, %z: f64) -> (f32, bf16, f64) {
      %0 = math.cbrt %x : f32
      %1 = math.powf %y, %y : bf16
      %2 = math.powf %z, %z : f64
      util.return %0, %1, %2 : f32, bf16, f64
    }
  })",
                                 &WidenMath);
  EXPECT_EQ(Count(text, "math.powf"), 1u) << text;
  EXPECT_FALSE(Holds(text, "math.cbrt")) << text;
  EXPECT_EQ(Count(text, "arith.shrui"), 2u) << text;
}

// One elementwise function of two numbers: `%x`, `%y` to `%z`.
std::string Function(const std::string& type, const std::string& operations) {
  return "module { func.func @main(%x: " + type + ", %y: " + type + ") -> " +
         type + " {\n" + operations + "\n return %z : " + type + "\n} }";
}

constexpr char kAddition[] = R"(module {
  util.func public @main(%x: tensor<8xf32>, %y: tensor<8xf32>)
      -> tensor<8xf32> {
    %0 = tensor.empty() : tensor<8xf32>
    %1 = linalg.map { arith.addf }
        ins(%x, %y : tensor<8xf32>, tensor<8xf32>) outs(%0 : tensor<8xf32>)
    util.return %1 : tensor<8xf32>
  }
})";

TEST(KeepInputsTest, WhatIsNotDonatedIsUsedBeforeTheReturn) {
  const auto kept = [](bool first, bool second) {
    return Count(After(kAddition,
                       [&](const Ir& ir) { KeepInputs(ir, {first, second}); }),
                 "util.optimization_barrier");
  };
  EXPECT_EQ(kept(false, false), 2U);
  EXPECT_EQ(kept(true, false), 1U);
  EXPECT_EQ(kept(true, true), 0U);
}

TEST(KeepInputsTest, WhatIsReturnedIsKeptThoughItIsDonated) {
  const std::string text = After(R"(module {
    util.func public @main(%x: tensor<8xf32>) -> tensor<8xf32> {
      util.return %x : tensor<8xf32>
    }
  })",
                                 [](const Ir& ir) { KeepInputs(ir, {true}); });
  EXPECT_TRUE(Holds(text, "util.optimization_barrier %arg0")) << text;
}

TEST(LimitDispatchOperandsTest, ASumOfManyArraysIsTakenInParts) {
  const auto barriers = [](int arrays, size_t most) {
    std::string arguments;
    std::string sums;
    std::string last = "%a0";
    for (int i = 0; i < arrays; ++i) {
      const std::string n = std::to_string(i);
      arguments += (i ? ", %a" : "%a") + n + ": tensor<8xf32>";
      if (i == 0) continue;
      sums += "%s" + n +
              R"( = linalg.generic {
          indexing_maps = [affine_map<(d0) -> (d0)>, affine_map<(d0) -> (d0)>,
                           affine_map<(d0) -> (d0)>],
          iterator_types = ["parallel"]}
          ins()" +
              last + ", %a" + n +
              R"( : tensor<8xf32>, tensor<8xf32>) outs(%e : tensor<8xf32>) {
        ^bb0(%p: f32, %q: f32, %r: f32):
          %t = arith.addf %p, %q : f32
          linalg.yield %t : f32
        } -> tensor<8xf32>
)";
      last = "%s" + n;
    }
    return Count(
        After("module { util.func public @main(" + arguments +
                  ") -> tensor<8xf32> {\n"
                  "%e = tensor.empty() : tensor<8xf32>\n" +
                  sums + "util.return " + last + " : tensor<8xf32>\n} }",
              [most](const Ir& ir) { LimitDispatchOperands(ir, most); }),
        "util.optimization_barrier");
  };
  EXPECT_EQ(barriers(8, kMostArraysOnCpus), 0U);
  EXPECT_GE(barriers(40, kMostArraysOnCpus), 1U);
  EXPECT_GE(barriers(100, kMostArraysOnCpus), 3U);
  EXPECT_EQ(barriers(20, kMostArraysOnCpus), 0U);
  EXPECT_GE(barriers(20, kMostArraysOnGpus), 1U);
}

TEST(FillWithConstantsTest, AnArrayOfOneKnownNumberIsFilledWithIt) {
  const auto filled =
      [](const std::string& number, const std::string& type = "f32") {
        const std::string array = "tensor<3x2x" + type + ">";
        const std::string scalar = "tensor<" + type + ">";
        return After("module { util.func public @main(%x: " + scalar + ") -> " +
                         array + " {" + number + " : " + scalar + R"(
      %e = tensor.empty() : )" +
                         array + R"(
      %0 = linalg.generic {
          indexing_maps = [affine_map<(d0, d1) -> ()>,
                           affine_map<(d0, d1) -> (d0, d1)>],
          iterator_types = ["parallel", "parallel"]}
          ins(%n : )" + scalar +
                         ") outs(%e : " + array + R"() {
      ^bb0(%a: )" + type +
                         ", %b: " + type + R"():
        linalg.yield %a : )" +
                         type + R"(
      } -> )" + array + R"(
      util.return %0 : )" +
                         array + R"(
    } })",
                     &FillWithConstants);
      };
  EXPECT_TRUE(Holds(filled("%n = arith.constant dense<5.0>"),
                    "linalg.fill ins(%cst_0 : f32)"));
  EXPECT_FALSE(
      Holds(filled("%n = util.optimization_barrier %x"), "linalg.fill"));
  EXPECT_FALSE(
      Holds(filled("%n = arith.constant dense<(5.0,1.0)>", "complex<f32>"),
            "linalg.fill"));
}

TEST(GuardScatteredValuesTest, WhatIsComputedIsBehindABarrier) {
  const auto scatter = [](const std::string& updates) {
    return After(R"(module {
    util.func public @main(%x: tensor<8xf32>, %i: tensor<3x1xi32>,
                           %u: tensor<3xf32>, %v: tensor<3xf32>)
        -> tensor<8xf32> {
      %w = arith.addf %u, %v : tensor<3xf32>
      %0 = iree_linalg_ext.scatter dimension_map = [0] unique_indices(false)
          ins()" + updates +
                     R"(, %i : tensor<3xf32>, tensor<3x1xi32>)
          outs(%x : tensor<8xf32>) {
      ^bb0(%a: f32, %b: f32):
        iree_linalg_ext.yield %a : f32
      } -> tensor<8xf32>
      util.return %0 : tensor<8xf32>
    } })",
                 &GuardScatteredValues);
  };
  EXPECT_EQ(Count(scatter("%w"), "util.optimization_barrier"), 1U);
  EXPECT_EQ(Count(scatter("%u"), "util.optimization_barrier"), 0U);
}

TEST(KeepProductSumsTest, AZeroStandsBetweenProductAndSum) {
  const std::string text = After(R"(module {
    util.func public @main(%x: tensor<8xf32>, %s: tensor<f32>) -> tensor<f32> {
      %e = tensor.empty() : tensor<8xf32>
      %0 = linalg.generic {indexing_maps = [affine_map<(d0) -> (d0)>,
                                            affine_map<(d0) -> (d0)>],
                           iterator_types = ["parallel"]}
          ins(%x : tensor<8xf32>) outs(%e : tensor<8xf32>) {
      ^bb0(%a: f32, %b: f32):
        %p = arith.mulf %a, %a : f32
        linalg.yield %p : f32
      } -> tensor<8xf32>
      %1 = linalg.generic {indexing_maps = [affine_map<(d0) -> (d0)>,
                                            affine_map<(d0) -> ()>],
                           iterator_types = ["reduction"]}
          ins(%0 : tensor<8xf32>) outs(%s : tensor<f32>) {
      ^bb0(%a: f32, %b: f32):
        %t = arith.addf %a, %b : f32
        linalg.yield %t : f32
      } -> tensor<f32>
      util.return %1 : tensor<f32>
    }
  })",
                                 &KeepProductSums);
  EXPECT_EQ(Count(text, "arith.addf"), 2U) << text;
}

TEST(ExpandPowersTest, ThePowerIsOfTheAbsoluteValue) {
  const std::string text =
      After(Function("f32", "%z = math.powf %x, %y : f32"), &ExpandPowers);
  EXPECT_TRUE(Holds(text, "math.absf %arg0")) << text;
  EXPECT_FALSE(Holds(text, "math.powf %arg0")) << text;
  EXPECT_TRUE(Holds(text, "math.copysign")) << text;
}

TEST(ExpandFloat64MathTest, WhatIreeLowersBadlyIsGone) {
  for (const char* name : {"cbrt", "exp", "expm1", "log1p", "tanh"}) {
    const std::string operation = "math." + std::string(name) + " %x : ";
    EXPECT_FALSE(Holds(
        After(Function("f64", "%z = " + operation + "f64"), &ExpandFloat64Math),
        operation));
    EXPECT_TRUE(Holds(
        After(Function("f32", "%z = " + operation + "f32"), &ExpandFloat64Math),
        "math." + std::string(name)));
  }
}

// What is taken of %a at a place that `places` computes from the loops %i and
// %j.
std::string TakenFrom(const std::string& places, const std::string& place,
                      const std::string& rows = "500") {
  const std::string array = "tensor<" + rows + "x300xf32>";
  return After(R"(module {
    util.func public @main(%a: )" +
                   array + ") -> " + array + R"( {
      %last = arith.constant 299 : index
      %0 = tensor.empty() : )" +
                   array + R"(
      %1 = linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>],
                           iterator_types = ["parallel", "parallel"]}
          outs(%0 : )" +
                   array + R"() {
      ^bb0(%out: f32):
        %i = linalg.index 0 : index
        %j = linalg.index 1 : index
        )" + places +
                   "\n%e = tensor.extract %a[" + place + "] : " + array + R"(
        linalg.yield %e : f32
      } -> )" + array +
                   "\nutil.return %1 : " + array + "}}",
               &IndexByRows);
}

TEST(IndexByRowsTest, ComputedRowsAreInAnArray) {
  const std::string turned = "%t = arith.subi %last, %i : index";
  const std::string text = TakenFrom(turned, "%t, %j");
  EXPECT_TRUE(Holds(text, "util.optimization_barrier")) << text;
  EXPECT_TRUE(Holds(text, ": tensor<500xi64>) outs(")) << text;
  EXPECT_FALSE(Holds(TakenFrom(turned, "%t, %j", "5"), "barrier"));
}

TEST(IndexByRowsTest, RowsStayApartWhereColumnsAreComputed) {
  const std::string turned = "%t = arith.subi %last, %j : index";
  const std::string text = TakenFrom(turned, "%i, %t");
  EXPECT_TRUE(Holds(text, ": tensor<500xi64>) outs(")) << text;
  EXPECT_FALSE(Holds(TakenFrom("", "%i, %j"), "barrier"));
}

// A loop over `result` that takes an element of `indices` at `place`, and one
// of %x there.
std::string TakenAt(const std::string& result, const std::string& indices,
                    const std::string& place) {
  return After(R"(module {
    util.func public @main(%x: tensor<9xf32>, %indices: )" +
                   indices + ") -> " + result + R"( {
      %c0 = arith.constant 0 : index
      %0 = tensor.empty() : )" +
                   result + R"(
      %1 = linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>],
                           iterator_types = ["parallel", "parallel"]}
          outs(%0 : )" +
                   result + R"() {
      ^bb0(%out: f32):
        %i = linalg.index 0 : index
        %j = linalg.index 1 : index
        %taken = tensor.extract %indices[)" +
                   place + "] : " + indices + R"(
        %k = arith.index_cast %taken : i32 to index
        %e = tensor.extract %x[%k] : tensor<9xf32>
        linalg.yield %e : f32
      } -> )" + result +
                   "\nutil.return %1 : " + result + "}}",
               &TakeIndicesAsInputs);
}

TEST(TakeIndicesAsInputsTest, IndicesOfTheirOwnBecomeInputs) {
  const std::string text =
      TakenAt("tensor<4x5xf32>", "tensor<4x5xi32>", "%i, %j");
  EXPECT_TRUE(Holds(text, "ins(%arg1 : tensor<4x5xi32>)")) << text;
  EXPECT_FALSE(Holds(text, "tensor.extract %arg1")) << text;
  EXPECT_TRUE(Holds(text, "tensor.extract %arg0")) << text;
}

TEST(TakeIndicesAsInputsTest, DimensionsOfOneElementDoNotCount) {
  const std::string text =
      TakenAt("tensor<1x5xf32>", "tensor<5x1xi32>", "%j, %c0");
  EXPECT_TRUE(Holds(text, "ins(%arg1 : tensor<5x1xi32>)")) << text;
  EXPECT_TRUE(Holds(text, "affine_map<(d0, d1) -> (d1, 0)>")) << text;
}

TEST(TakeIndicesAsInputsTest, IndicesOfRowsAndOfOtherPlacesStay) {
  const struct {
    const char* indices;
    const char* place;
  } others[] = {{"tensor<4xi32>", "%i"},
                {"tensor<6x5xi32>", "%i, %j"},
                {"tensor<5x4xi32>", "%j, %i"},
                {"tensor<4x5xi32>", "%i, %c0"}};
  for (const auto& other : others) {
    const std::string text =
        TakenAt("tensor<4x5xf32>", other.indices, other.place);
    EXPECT_TRUE(Holds(text, "tensor.extract %arg1")) << text;
  }
}

}  // namespace
}  // namespace iree_pjrt
