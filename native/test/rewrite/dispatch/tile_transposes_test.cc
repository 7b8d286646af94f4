// SPDX-License-Identifier: Apache-2.0
// TileTransposes, as text before and after.
#include <gtest/gtest.h>

#include <string>

#include "parsed_module.h"
#include "rewrite/dispatch/passes.h"

namespace iree_pjrt {
namespace {

struct Transposed {
  int rows;
  int columns;
  std::string element;
  int vector = 8;  // in both dimensions
  std::string map = "d1, d0";
};

std::string Tiled(const Transposed& array) {
  const auto tensor = [&](int rows, int columns) {
    return "tensor<" + std::to_string(rows) + "x" + std::to_string(columns) +
           "x" + array.element + ">";
  };
  const bool turned = array.map == "d1, d0";
  const std::string from = tensor(array.rows, array.columns);
  const std::string to = turned ? tensor(array.columns, array.rows) : from;
  const std::string vector = std::to_string(array.vector);
  return After(
      "module { func.func @f(%x: " + from + ", %e: " + to + ") -> " + to +
          " { %0 = linalg.generic {indexing_maps = [affine_map<(d0, d1) -> "
          "(d0, d1)>, affine_map<(d0, d1) -> (" +
          array.map +
          ")>], iterator_types = [\"parallel\", \"parallel\"]} ins(%x : " +
          from + ") outs(%e : " + to +
          ") attrs = {lowering_config = #iree_cpu.lowering_config<distribution "
          "= [40, 50], vector_common_parallel = [" +
          vector + ", " + vector + "]>} { ^bb0(%a: " + array.element +
          ", %b: " + array.element + "): linalg.yield %a : " + array.element +
          " } -> " + to + " return %0 : " + to + " } }",
      &TileTransposes);
}

void ExpectSizes(const Transposed& array, const std::string& parts,
                 const std::string& vectors) {
  const std::string text = Tiled(array);
  EXPECT_TRUE(Holds(text, "distribution = [" + parts +
                              "], vector_common_parallel = [" + vectors + "]"))
      << text;
}

TEST(TileTransposesTest, SquaresDivideTheLines) {
  ExpectSizes({10000, 100, "i8"}, "400, 20", "16, 4");
  ExpectSizes({10000, 100, "f32"}, "400, 20", "8, 4");
  ExpectSizes({10000, 100, "f32", 16}, "400, 20", "8, 4");
  ExpectSizes({1000, 1000, "f32", 16}, "200, 40", "8, 8");
  ExpectSizes({1000, 1000, "bf16", 16}, "200, 40", "8, 8");
}

TEST(TileTransposesTest, LinesThatNothingDividesAreTakenByEight) {
  ExpectSizes({9999, 101, "i32"}, "256, 16", "8, 8");
  ExpectSizes({224, 3, "f32"}, "224, 3", "8, 3");
}

TEST(TileTransposesTest, ChannelsFillCacheLinesOfTheResult) {
  ExpectSizes({50176, 16, "f32"}, "256, 16", "16, 8");
  ExpectSizes({50176, 16, "f32", 16}, "256, 16", "16, 16");
}

TEST(TileTransposesTest, PartsOfShortLinesHaveMore) {
  ExpectSizes({24, 50176, "i8"}, "24, 128", "8, 8");
}

TEST(TileTransposesTest, WhatIsWellDividedOrNoTransposeStays) {
  ExpectSizes({1024, 1024, "f32"}, "40, 50", "8, 8");
  ExpectSizes({1000, 100, "f64"}, "40, 50", "8, 8");
  ExpectSizes({1000, 100, "i8", 8, "d0, d1"}, "40, 50", "8, 8");
}

TEST(TileTransposesTest, SingleElementsHaveNoLines) {
  const std::string text = After(
      "module { func.func @f(%x: tensor<f32>, %e: tensor<f32>) -> tensor<f32> "
      "{ %0 = linalg.generic {indexing_maps = [affine_map<() -> ()>, "
      "affine_map<() -> ()>], iterator_types = []} ins(%x : tensor<f32>) "
      "outs(%e : tensor<f32>) { ^bb0(%a: f32, %b: f32): linalg.yield %a : f32 "
      "} -> tensor<f32> return %0 : tensor<f32> } }",
      &TileTransposes);
  EXPECT_TRUE(Holds(text, "linalg.generic")) << text;
}

}  // namespace
}  // namespace iree_pjrt
