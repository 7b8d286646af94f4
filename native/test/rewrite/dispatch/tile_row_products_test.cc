// SPDX-License-Identifier: Apache-2.0
// TileRowProducts, as text before and after.
#include <gtest/gtest.h>

#include <string>

#include "parsed_module.h"
#include "rewrite/dispatch/passes.h"

namespace iree_pjrt {
namespace {

// A vector by rows of so many elements, as IREE tiles it.
std::string Tiled(int columns, const std::string& element = "f32") {
  const std::string row =
      "tensor<" + std::to_string(columns) + "x" + element + ">";
  const std::string matrix =
      "tensor<512x" + std::to_string(columns) + "x" + element + ">";
  const std::string vector = "tensor<512x" + element + ">";
  return After(
      "module { func.func @f(%v: " + vector + ", %m: " + matrix +
          ", %e: " + row + ") -> " + row +
          " { %0 = linalg.vecmat {lowering_config = "
          "#iree_cpu.lowering_config<cache_parallel = [40, 0], distribution = "
          "[40, 0], vector_common_parallel = [8, 0], vector_reduction = [0, "
          "8]>} ins(%v, %m : " +
          vector + ", " + matrix + ") outs(%e : " + row + ") -> " + row +
          " return %0 : " + row + " } }",
      &TileRowProducts);
}

TEST(TileRowProductsTest, PartsOfRowsAreLong) {
  EXPECT_TRUE(Holds(Tiled(1000),
                    "cache_parallel = [64, 0], distribution = [64, 0], "
                    "vector_common_parallel = [64, 0], vector_reduction = [0, "
                    "4]"))
      << Tiled(1000);
}

TEST(TileRowProductsTest, ShortRowsAndOtherElementsStay) {
  for (const std::string& text : {Tiled(40), Tiled(1000, "f64")}) {
    EXPECT_TRUE(Holds(text, "vector_common_parallel = [8, 0]")) << text;
  }
}

}  // namespace
}  // namespace iree_pjrt
