// SPDX-License-Identifier: Apache-2.0
// TileRowReductions, as text before and after.
#include <gtest/gtest.h>

#include <string>

#include "parsed_module.h"
#include "rewrite/dispatch/passes.h"

namespace iree_pjrt {
namespace {

// 512 sums of so many elements, in rows or columns, as IREE tiles them.
std::string Sums(int length, const std::string& map = "d0, d1",
                 int elements = 16) {
  const std::string count = std::to_string(length);
  const std::string array = map == "d0, d1" ? "tensor<512x" + count + "xf32>"
                                            : "tensor<" + count + "x512xf32>";
  const std::string sums = "tensor<512xf32>";
  return After(
      "module { func.func @f(%x: " + array + ", %e: " + sums + ") -> " + sums +
          " { %z = arith.constant 0.0 : f32 %0 = linalg.fill {lowering_config "
          "= #iree_cpu.lowering_config<vector_common_parallel = [8]>} ins(%z : "
          "f32) outs(%e : " +
          sums + ") -> " + sums +
          " %1 = linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (" +
          map +
          ")>, affine_map<(d0, d1) -> (d0)>], iterator_types = [\"parallel\", "
          "\"reduction\"]} ins(%x : " +
          array + ") outs(%0 : " + sums +
          ") attrs = {lowering_config = #iree_cpu.lowering_config<distribution "
          "= [32, 0], vector_common_parallel = [8, 0], vector_reduction = "
          "[0, " +
          std::to_string(elements) +
          "]>} { ^bb0(%a: f32, %b: f32): %2 = arith.addf %a, %b : f32 "
          "linalg.yield %2 : f32 } -> " +
          sums + " return %1 : " + sums + " } }",
      &TileRowReductions);
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

TEST(TileRowReductionsTest, ColumnsAndRowsOfOneVectorStay) {
  for (const std::string& text :
       {Sums(1000, "d1, d0"), Sums(16), Sums(20, "d0, d1", 32)}) {
    EXPECT_TRUE(Holds(text, "vector_common_parallel = [8, 0]")) << text;
    EXPECT_TRUE(Holds(text, "vector_common_parallel = [8]>")) << text;
  }
}

}  // namespace
}  // namespace iree_pjrt
