// SPDX-License-Identifier: Apache-2.0
// Barriers between operations that IREE fuses wrongly, as text before and
// after.
#include <gtest/gtest.h>

#include <string>

#include "parsed_module.h"
#include "rewrite/linalg/passes.h"

namespace iree_pjrt {
namespace {

constexpr char kBarrier[] = "util.optimization_barrier";

std::string Maps(const std::string& maps) {
  return "linalg.generic {indexing_maps = [" + maps + "], iterator_types = [";
}

// The sums of rows, then what is made of %sums.
std::string OfSums(const std::string& rest) {
  return R"(#ij = affine_map<(d0, d1) -> (d0, d1)>
    #i = affine_map<(d0, d1) -> (d0)>
    #j = affine_map<(d0, d1) -> (d1)>
    #v = affine_map<(d0) -> (d0)>
    module {
      util.func public @main(%x: tensor<8x8xf32>, %zero: tensor<8xf32>)
          -> tensor<8x8xf32> {
        %sums = )" +
         Maps("#ij, #i") + R"("parallel", "reduction"]}
            ins(%x : tensor<8x8xf32>) outs(%zero : tensor<8xf32>) {
        ^bb0(%a: f32, %b: f32):
          %c = arith.addf %a, %b : f32
          linalg.yield %c : f32
        } -> tensor<8xf32>
        )" +
         rest + R"(
        util.return %r : tensor<8x8xf32>
      }
    })";
}

// An operation over rows and columns with two operands of one dimension.
std::string Pairs(const std::string& first, const std::string& second,
                  const std::string& maps) {
  return "%r = " + Maps(maps + ", #ij") + "\"parallel\", \"parallel\"]} ins(%" +
         first + ", %" + second +
         R"( : tensor<8xf32>, tensor<8xf32>) outs(%x : tensor<8x8xf32>) {
        ^bb0(%a: f32, %b: f32, %c: f32):
          %d = arith.mulf %a, %b : f32
          linalg.yield %d : f32
        } -> tensor<8x8xf32>)";
}

// `to`, each element computed from one of `from`.
std::string Elementwise(const std::string& to, const std::string& from) {
  return "%" + to + " = " + Maps("#v, #v") + "\"parallel\"]} ins(%" + from +
         R"( : tensor<8xf32>) outs(%zero : tensor<8xf32>) {
        ^bb0(%a: f32, %b: f32):
          %c = math.absf %a : f32
          linalg.yield %c : f32
        } -> tensor<8xf32>
        )";
}

bool GuardsCrossed(const std::string& rest) {
  return Holds(After(OfSums(rest), &GuardCrossedResults), kBarrier);
}

TEST(CopyOwnSlicesTest, WhatIsWrittenIsNoViewOfTheTarget) {
  const auto update = [](const std::string& from) {
    return After(R"(module {
      util.func public @main(%v: tensor<5xf32>, %w: tensor<5xf32>)
          -> tensor<5xf32> {
        %0 = tensor.extract_slice )" +
                     from + R"([0] [4] [1] : tensor<5xf32> to tensor<4xf32>
        %1 = tensor.insert_slice %0 into %v[1] [4] [1]
            : tensor<4xf32> into tensor<5xf32>
        util.return %1 : tensor<5xf32>
      }
    })",
                 &CopyOwnSlices);
  };
  EXPECT_TRUE(Holds(update("%v"), "util.optimization_barrier"));
  EXPECT_FALSE(Holds(update("%w"), "util.optimization_barrier"));
}

TEST(CopyOwnSlicesTest, NorIsWhatIsChosenFromViews) {
  const auto scatter = [](const std::string& yielded) {
    return After(R"(#map = affine_map<(d0) -> (d0)>
    module {
      util.func public @main(%v: tensor<5xf32>, %i: tensor<4x1xi32>,
                             %m: tensor<4xi1>, %w: tensor<4xf32>)
          -> tensor<5xf32> {
        %0 = tensor.extract_slice %v[0] [4] [1]
            : tensor<5xf32> to tensor<4xf32>
        %e = tensor.empty() : tensor<4xf32>
        %1 = linalg.generic {indexing_maps = [#map, #map, #map, #map],
                             iterator_types = ["parallel"]}
            ins(%m, %0, %w : tensor<4xi1>, tensor<4xf32>, tensor<4xf32>)
            outs(%e : tensor<4xf32>) {
        ^bb0(%c: i1, %a: f32, %b: f32, %o: f32):
          %2 = arith.select %c, %a, %b : f32
          %3 = arith.addf %a, %b : f32
          linalg.yield )" +
                     yielded + R"( : f32
        } -> tensor<4xf32>
        %4 = iree_linalg_ext.scatter dimension_map = [0] unique_indices(false)
            ins(%1, %i : tensor<4xf32>, tensor<4x1xi32>)
            outs(%v : tensor<5xf32>) {
        ^bb0(%a: f32, %b: f32):
          iree_linalg_ext.yield %a : f32
        } -> tensor<5xf32>
        util.return %4 : tensor<5xf32>
      }
    })",
                 &CopyOwnSlices);
  };
  EXPECT_TRUE(Holds(scatter("%2"), "util.optimization_barrier"));
  EXPECT_FALSE(Holds(scatter("%3"), "util.optimization_barrier"));
}

// Five numbers are put into an array, one in so many places, which is padded.
std::string PaddedInsert(const std::string& stride) {
  return After(R"(module {
    util.func public @main(%v: tensor<5xf32>, %w: tensor<13xf32>, %c: f32)
        -> tensor<15xf32> {
      %0 = tensor.insert_slice %v into %w[2] [5] [)" +
                   stride + R"(] : tensor<5xf32> into tensor<13xf32>
      %1 = tensor.pad %0 low[1] high[1] {
      ^bb0(%i: index):
        tensor.yield %c : f32
      } : tensor<13xf32> to tensor<15xf32>
      util.return %1 : tensor<15xf32>
    }
  })",
               &GuardStridedInserts);
}

TEST(GuardStridedInsertsTest, OfWhatIsPaddedThen) {
  EXPECT_TRUE(Holds(PaddedInsert("2"), kBarrier));
  EXPECT_FALSE(Holds(PaddedInsert("1"), kBarrier));
}

TEST(GuardCrossedResultsTest, OfRowsAndColumns) {
  EXPECT_TRUE(GuardsCrossed(Pairs("sums", "sums", "#i, #j")));
  EXPECT_TRUE(GuardsCrossed(Elementwise("size", "sums") +
                            Pairs("sums", "size", "#i, #j")));
}

TEST(GuardCrossedResultsTest, NotOfRowsAlone) {
  EXPECT_FALSE(GuardsCrossed(Pairs("sums", "sums", "#i, #i")));
  EXPECT_FALSE(GuardsCrossed(Elementwise("size", "sums") +
                             Pairs("sums", "size", "#i, #i")));
}

TEST(GuardCrossedResultsTest, NotOfWhatIsNotReduced) {
  EXPECT_FALSE(GuardsCrossed(Elementwise("size", "zero") +
                             Pairs("size", "size", "#i, #j")));
}

// A reduction of two results, the second of which `used` makes %r of.
bool GuardsPaired(const std::string& used) {
  return Holds(After(R"(#a = affine_map<(i, j, k) -> (i, j, k)>
    #r = affine_map<(i, j, k) -> (i, j)>
    #ij = affine_map<(i, j) -> (i, j)>
    #ji = affine_map<(i, j) -> (j, i)>
    module {
      util.func public @main(%x: tensor<3x3x5xf32>, %i: tensor<3x3x5xi32>,
          %f: tensor<3x3xf32>, %n: tensor<3x3xi32>) -> tensor<3x3xi32> {
        %0:2 = linalg.generic {indexing_maps = [#a, #a, #r, #r],
            iterator_types = ["parallel", "parallel", "reduction"]}
            ins(%x, %i : tensor<3x3x5xf32>, tensor<3x3x5xi32>)
            outs(%f, %n : tensor<3x3xf32>, tensor<3x3xi32>) {
        ^bb0(%a: f32, %b: i32, %c: f32, %d: i32):
          linalg.yield %a, %b : f32, i32
        } -> (tensor<3x3xf32>, tensor<3x3xi32>)
        )" + used + R"(
        util.return %r : tensor<3x3xi32>
      }
    })",
                     &GuardPairedResults),
               "util.optimization_barrier");
}

// %result is %array, each element at the place of this map.
std::string Placed(const std::string& result, const std::string& array,
                   const std::string& map) {
  return result + " = linalg.generic {indexing_maps = [" + map + R"(, #ij],
      iterator_types = ["parallel", "parallel"]}
      ins()" +
         array + R"( : tensor<3x3xi32>) outs(%n : tensor<3x3xi32>) {
      ^bb0(%a: i32, %b: i32):
        linalg.yield %a : i32
      } -> tensor<3x3xi32>
      )";
}

TEST(GuardPairedResultsTest, WhatIsTransposed) {
  EXPECT_TRUE(GuardsPaired(Placed("%r", "%0#1", "#ji")));
  EXPECT_TRUE(GuardsPaired(Placed("%same", "%0#1", "#ij") +
                           Placed("%r", "%same", "#ji")));
  EXPECT_FALSE(GuardsPaired(Placed("%r", "%0#1", "#ij")));
}

// The sums of `summed` (#row or #column) of %x, and what is made of them.
bool GuardsRepeated(const std::string& summed, const std::string& places,
                    int lines = 200) {
  const std::string larger = "tensor<" + std::to_string(lines) + "x128xf32>";
  return Holds(
      After("#ij = affine_map<(d0, d1) -> (d0, d1)>\n"
            "#row = affine_map<(d0, d1) -> (d0)>\n"
            "#column = affine_map<(d0, d1) -> (d1)>\nmodule {"
            "util.func public @main(%x: tensor<128x128xf32>, %e: "
            "tensor<128xf32>, %n: " +
                larger + ") -> " + larger +
                "{ %s = linalg.generic {indexing_maps = [#ij, " + summed +
                "], iterator_types = [" +
                (summed == "#row" ? R"("parallel", "reduction")"
                                  : R"("reduction", "parallel")") +
                R"(]} ins(%x : tensor<128x128xf32>) outs(%e : tensor<128xf32>) {
        ^bb0(%a: f32, %b: f32):
          %c = arith.addf %a, %b : f32
          linalg.yield %c : f32
        } -> tensor<128xf32>
        %h = linalg.generic {indexing_maps = [affine_map<(d0) -> (d0)>,
          affine_map<(d0) -> (d0)>], iterator_types = ["parallel"]}
          ins(%s : tensor<128xf32>) outs(%e : tensor<128xf32>) {
        ^bb0(%a: f32, %b: f32):
          %c = arith.addf %a, %a : f32
          linalg.yield %c : f32
        } -> tensor<128xf32>
        %r = linalg.generic {indexing_maps = [)" +
                places + R"(, #ij], iterator_types = ["parallel", "parallel"]}
          ins(%h : tensor<128xf32>) outs(%n : )" +
                larger + R"() {
        ^bb0(%a: f32, %b: f32):
          linalg.yield %a : f32
        } -> )" +
                larger + " util.return %r : " + larger + " } }",
            &GuardRepeatedSums),
      "util.optimization_barrier");
}

TEST(GuardRepeatedSumsTest, OfRowsInLines) {
  EXPECT_TRUE(GuardsRepeated("#row", "#column"));
  EXPECT_FALSE(GuardsRepeated("#row", "#column", 100));
  EXPECT_FALSE(GuardsRepeated("#row", "#row", 128));
  EXPECT_FALSE(GuardsRepeated("#column", "#column"));
}

// Takes elements of %taken, at index `index` of its only dimension.
bool GuardsTaken(const std::string& taken, const std::string& index,
                 const std::string& returned) {
  return Holds(
      After("#v = affine_map<(d0) -> (d0)>\nmodule {"
            "util.func public @main(%x: tensor<8xf32>)"
            " -> (tensor<8xf32>, tensor<8xf32>) {"
            "%zero = tensor.empty() : tensor<8xf32>\n"
            "%zeros = arith.constant dense<0> : tensor<8xi32>\n"
            "%two = arith.constant dense<[0, 2]> : tensor<2xi32>\n"
            "%one = arith.constant dense<1> : tensor<1xi32>\n"
            "%places = tensor.insert_slice %one into %two[1] [1] [1]"
            " : tensor<1xi32> into tensor<2xi32>\n" +
                Elementwise("own", "x") + Elementwise("further", "own") +
                "%part = " + Maps("#v, #v") +
                R"("parallel"]} ins(%zeros : tensor<8xi32>)
            outs(%zero : tensor<8xf32>) {
        ^bb0(%a: i32, %b: f32):
          %known = arith.index_cast %a : i32 to index
          %each = linalg.index 0 : index
          %first = arith.constant 0 : index
          %place = tensor.extract %places[%first] : tensor<2xi32>
          %written = arith.index_cast %place : i32 to index
          %other = tensor.extract %places[%each] : tensor<2xi32>
          %unknown = arith.index_cast %other : i32 to index
          %e = tensor.extract %)" +
                taken + "[%" + index + R"(] : tensor<8xf32>
          linalg.yield %e : f32
        } -> tensor<8xf32>
        util.return %part, %)" +
                returned + " : tensor<8xf32>, tensor<8xf32> } }",
            &GuardTakenParts),
      kBarrier);
}

TEST(GuardTakenPartsTest, WhatOthersUseWhole) {
  EXPECT_TRUE(GuardsTaken("own", "known", "own"));
  EXPECT_TRUE(GuardsTaken("further", "known", "own"));
  EXPECT_FALSE(GuardsTaken("further", "known", "x"));
  EXPECT_FALSE(GuardsTaken("x", "known", "own"));
  EXPECT_FALSE(GuardsTaken("own", "each", "own"));
  EXPECT_TRUE(GuardsTaken("own", "written", "own"));
  EXPECT_FALSE(GuardsTaken("own", "unknown", "own"));
}

// Slices `count` elements of %list.
bool GuardsSliced(const std::string& list, const std::string& count) {
  const std::string slice = "tensor<" + count + "xf32>";
  return Holds(
      After("#v = affine_map<(d0) -> (d0)>\nmodule {"
            "util.func public @main(%x: tensor<8xbf16>, %y: tensor<8xf32>)"
            " -> " +
                slice +
                " {"
                "%zero = tensor.empty() : tensor<8xf32>\n"
                "%wide = " +
                Maps("#v, #v") +
                R"("parallel"]} ins(%x : tensor<8xbf16>)
            outs(%zero : tensor<8xf32>) {
        ^bb0(%a: bf16, %b: f32):
          %c = arith.extf %a : bf16 to f32
          linalg.yield %c : f32
        } -> tensor<8xf32>
        )" + Elementwise("own", "y") +
                Elementwise("further", "wide") +
                "%slice = tensor.extract_slice %" + list + "[3] [" + count +
                "] [1] : tensor<8xf32> to " + slice +
                "\nutil.return %slice : " + slice + " } }",
            &GuardSlicedElements),
      kBarrier);
}

TEST(GuardSlicedElementsTest, OneOfWhatIsWidened) {
  EXPECT_TRUE(GuardsSliced("wide", "1"));
  EXPECT_TRUE(GuardsSliced("further", "1"));
  EXPECT_FALSE(GuardsSliced("wide", "2"));
  EXPECT_FALSE(GuardsSliced("own", "1"));
}

// Takes one element of what %taken is, and multiplies %multiplied.
std::string Taking(const std::string& taken, const std::string& multiplied) {
  return R"(#ij = affine_map<(d0, d1) -> (d0, d1)>
    #v = affine_map<(d0) -> (d0)>
    module {
      util.func public @main(%x: tensor<8x8xf32>, %v: tensor<8xf32>)
          -> (tensor<8xf32>, tensor<8x8xf32>) {
        %own = )" +
         Maps("#ij, #ij") + R"("parallel", "parallel"]}
            ins(%x : tensor<8x8xf32>) outs(%x : tensor<8x8xf32>) {
        ^bb0(%a: f32, %b: f32):
          %c = math.absf %a : f32
          linalg.yield %c : f32
        } -> tensor<8x8xf32>
        %further = )" +
         Maps("#ij, #ij") + R"("parallel", "parallel"]}
            ins(%own : tensor<8x8xf32>) outs(%x : tensor<8x8xf32>) {
        ^bb0(%a: f32, %b: f32):
          %c = math.exp %a : f32
          linalg.yield %c : f32
        } -> tensor<8x8xf32>
        %r = )" +
         Maps("#v") + R"("parallel"]} outs(%v : tensor<8xf32>) {
        ^bb0(%a: f32):
          %i = linalg.index 0 : index
          %e = tensor.extract %)" +
         taken + R"([%i, %i] : tensor<8x8xf32>
          linalg.yield %e : f32
        } -> tensor<8xf32>
        %m = linalg.matmul ins(%)" +
         multiplied +
         R"(, %x : tensor<8x8xf32>, tensor<8x8xf32>)
            outs(%x : tensor<8x8xf32>) -> tensor<8x8xf32>
        util.return %r, %m : tensor<8xf32>, tensor<8x8xf32>
      }
    })";
}

TEST(GuardTakenSourcesTest, OfWhatIsMultiplied) {
  const auto guards = [](const std::string& taken, const std::string& used) {
    return Holds(After(Taking(taken, used), &GuardTakenSources), kBarrier);
  };
  EXPECT_TRUE(guards("own", "own"));
  EXPECT_TRUE(guards("further", "own"));
  EXPECT_TRUE(guards("own", "further"));
  EXPECT_FALSE(guards("own", "x"));
  EXPECT_FALSE(guards("x", "own"));
}

}  // namespace
}  // namespace iree_pjrt
