// SPDX-License-Identifier: Apache-2.0
// TileRowReductions, as text before and after.
#include <gtest/gtest.h>

#include <string>

#include "parsed_module.h"
#include "rewrite/dispatch/passes.h"
#include "tiled_sums.h"

namespace iree_pjrt {
namespace {

// 512 sums of so many elements, in rows or columns.
std::string TextOfSums(int length, bool of_rows = true, int elements = 16) {
  return TextOf({.rows = of_rows ? 512 : length,
                 .columns = of_rows ? length : 512,
                 .of_rows = of_rows,
                 .part = 32,
                 .vector = 8,
                 .zeros = 8,
                 .elements = elements});
}

std::string Sums(int length, bool of_rows = true, int elements = 16) {
  return After(TextOfSums(length, of_rows, elements), &TileRowReductions);
}

TEST(TileRowReductionsTest, PartsOfRowsAreLong) {
  const std::string text = Sums(100);
  EXPECT_TRUE(Holds(text,
                    "vector_common_parallel = [4, 0], vector_reduction = [0, "
                    "64]"))
      << text;
  EXPECT_TRUE(Holds(text, "vector_common_parallel = [4]>")) << text;
}

TEST(TileRowReductionsTest, LongRowsAreTakenTwoAtATime) {
  const std::string text = Sums(1000);
  EXPECT_TRUE(Holds(text,
                    "vector_common_parallel = [2, 0], vector_reduction = [0, "
                    "128]"))
      << text;
  EXPECT_TRUE(Holds(text, "vector_common_parallel = [2]>")) << text;
}

// The sums are then the columns of an array whose lines are vectors.
TEST(TileRowReductionsTest, LinesOfAnOuterProductStayLong) {
  std::string text = TextOfSums(512);
  text.insert(
      text.find(" return "),
      " %t = tensor.empty() : tensor<784x512xf32> %3 = linalg.generic "
      "{indexing_maps = [affine_map<(d0, d1) -> (d1)>, affine_map<(d0, d1) -> "
      "(d0, d1)>], iterator_types = [\"parallel\", \"parallel\"]} ins(%1 : "
      "tensor<512xf32>) outs(%t : tensor<784x512xf32>) attrs = "
      "{lowering_config = #iree_cpu.lowering_config<vector_common_parallel = "
      "[1, 8]>} { ^bb0(%a: f32, %b: f32): linalg.yield %a : f32 } -> "
      "tensor<784x512xf32>");
  text = After(text, &TileRowReductions);
  EXPECT_TRUE(Holds(text, "vector_common_parallel = [1, 8]")) << text;
  EXPECT_TRUE(Holds(text, "vector_common_parallel = [8, 0]")) << text;
}

TEST(TileRowReductionsTest, ColumnsAndRowsOfOneVectorStay) {
  for (const std::string& text :
       {Sums(1000, false), Sums(16), Sums(20, true, 32)}) {
    EXPECT_TRUE(Holds(text, "vector_common_parallel = [8, 0]")) << text;
    EXPECT_TRUE(Holds(text, "vector_common_parallel = [8]>")) << text;
  }
}

}  // namespace
}  // namespace iree_pjrt
