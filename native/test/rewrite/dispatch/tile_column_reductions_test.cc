// SPDX-License-Identifier: Apache-2.0
// TileColumnReductions, as text before and after.
#include <gtest/gtest.h>

#include <string>

#include "parsed_module.h"
#include "rewrite/dispatch/passes.h"
#include "tiled_sums.h"

namespace iree_pjrt {
namespace {

// So many sums of 512 elements, of columns or rows.
std::string ColumnSums(int count, int part, int zeros, bool of_rows = false) {
  return After(TextOf({.rows = of_rows ? count : 512,
                       .columns = of_rows ? 512 : count,
                       .of_rows = of_rows,
                       .part = part,
                       .vector = part,
                       .zeros = zeros,
                       .elements = 1}),
               &TileColumnReductions);
}

TEST(TileColumnReductionsTest, FewColumnsAreWholeVectors) {
  const std::string text = ColumnSums(24, 2, 2);
  EXPECT_TRUE(Holds(text,
                    "distribution = [16, 0], vector_common_parallel = [16, 0], "
                    "vector_reduction = [0, 1]"))
      << text;
  EXPECT_TRUE(Holds(text, "vector_common_parallel = [16]>")) << text;
  EXPECT_TRUE(Holds(ColumnSums(3, 1, 1), "distribution = [3, 0]"));
}

// Sums of 20 lines of 400 columns, 125 times.
std::string Lines(const std::string& parts) {
  return After(R"(module { func.func @f(%x: tensor<125x20x400xf32>,
      %e: tensor<125x400xf32>) -> tensor<125x400xf32> {
    %0 = linalg.generic {indexing_maps = [
        affine_map<(d0, d1, d2) -> (d0, d2, d1)>,
        affine_map<(d0, d1, d2) -> (d0, d1)>],
        iterator_types = ["parallel", "parallel", "reduction"]}
        ins(%x : tensor<125x20x400xf32>) outs(%e : tensor<125x400xf32>)
        attrs = {lowering_config = #iree_cpu.lowering_config<
          distribution = [)" +
                   parts + R"(, 0], vector_common_parallel = [1, 16, 0],
          vector_reduction = [0, 0, 1]>} {
      ^bb0(%a: f32, %b: f32):
        %1 = arith.addf %a, %b : f32
        linalg.yield %1 : f32
    } -> tensor<125x400xf32>
    return %0 : tensor<125x400xf32>
  } })",
               &TileColumnReductions);
}

TEST(TileColumnReductionsTest, PartsAreWholeLinesIfTheyAreAsLarge) {
  EXPECT_TRUE(Holds(Lines("25, 25"), "distribution = [2, 400, 0]"));
  EXPECT_TRUE(Holds(Lines("5, 25"), "distribution = [5, 32, 0]"));
}

TEST(TileColumnReductionsTest, WholeVectorsOtherTilesAndRowsStay) {
  const std::string sixteen = "distribution = [16, 0]";
  EXPECT_TRUE(Holds(ColumnSums(64, 32, 32), "distribution = [32, 0]"));
  EXPECT_FALSE(Holds(ColumnSums(24, 2, 4), sixteen));
  EXPECT_FALSE(Holds(ColumnSums(24, 2, 2, true), sixteen));
}

}  // namespace
}  // namespace iree_pjrt
