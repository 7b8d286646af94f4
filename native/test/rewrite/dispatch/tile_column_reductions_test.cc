// SPDX-License-Identifier: Apache-2.0
// TileColumnReductions, as text before and after.
#include <gtest/gtest.h>

#include <string>

#include "parsed_module.h"
#include "rewrite/dispatch/passes.h"

namespace iree_pjrt {
namespace {

// The sums of so many columns, as IREE tiles them for 8 workers, after zeros
// that are tiled by `zeros`; by a map that may not be that of columns.
std::string ColumnSums(int columns, int part, int zeros,
                       const std::string& map = "d1, d0") {
  const std::string count = std::to_string(columns);
  const std::string array = map == "d1, d0" ? "tensor<512x" + count + "xf32>"
                                            : "tensor<" + count + "x512xf32>";
  const std::string sums = "tensor<" + count + "xf32>";
  const std::string size = std::to_string(part);
  return After(
      "module { func.func @f(%x: " + array + ", %e: " + sums + ") -> " + sums +
          " { %z = arith.constant 0.0 : f32 %0 = linalg.fill {lowering_config "
          "= #iree_cpu.lowering_config<vector_common_parallel = [" +
          std::to_string(zeros) + "]>} ins(%z : f32) outs(%e : " + sums +
          ") -> " + sums +
          " %1 = linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (" +
          map +
          ")>, affine_map<(d0, d1) -> (d0)>], iterator_types = [\"parallel\", "
          "\"reduction\"]} ins(%x : " +
          array + ") outs(%0 : " + sums +
          ") attrs = {lowering_config = #iree_cpu.lowering_config<distribution "
          "= [" +
          size + ", 0], vector_common_parallel = [" + size +
          ", 0], vector_reduction = [0, 1]>} { ^bb0(%a: f32, %b: f32): %2 = "
          "arith.addf %a, %b : f32 linalg.yield %2 : f32 } -> " +
          sums + " return %1 : " + sums + " } }",
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

TEST(TileColumnReductionsTest, WholeVectorsOtherTilesAndRowsStay) {
  const std::string sixteen = "distribution = [16, 0]";
  EXPECT_TRUE(Holds(ColumnSums(64, 32, 32), "distribution = [32, 0]"));
  EXPECT_FALSE(Holds(ColumnSums(24, 2, 4), sixteen));
  EXPECT_FALSE(Holds(ColumnSums(24, 2, 2, "d0, d1"), sixteen));
}

}  // namespace
}  // namespace iree_pjrt
