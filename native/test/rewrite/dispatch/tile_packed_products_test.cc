// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <string>

#include "parsed_module.h"
#include "rewrite/dispatch/passes.h"

namespace iree_pjrt {
namespace {

// A product of `tiles` tiles of `lines` lines in each factor, `depth` deep,
// with the target's tiles filled in a step of its own.
std::string Tiled(const std::string& tiles, const std::string& lines,
                  const std::string& depth, const std::string& element,
                  const std::string& parts) {
  const std::string factor =
      "tensor<" + tiles + "x" + depth + "x" + lines + "x1x" + element + ">";
  const std::string result = "tensor<" + tiles + "x" + tiles + "x" + lines +
                             "x" + lines + "x" + element + ">";
  const std::string config = "{lowering_config = #iree_cpu.lowering_config<";
  const std::string whole = lines + ", " + lines;
  return After(
      "module { hal.executable private @e { hal.executable.variant public @v "
      "target(<\"llvm-cpu\", \"static\", {target_triple = "
      "\"x86_64-unknown-linux-gnu\"}>) { builtin.module { func.func @f(%a: " +
          factor + ", %b: " + factor + ", %c: " + result + ", %z: " + element +
          ") -> " + result + " { %0 = linalg.fill " + config +
          "vector_common_parallel = [1, 1, " + whole +
          "]>} ins(%z : " + element + ") outs(%c : " + result + ") -> " +
          result + " %1 = linalg.mmt4d " + config + "distribution = [" + parts +
          ", 0, 0, 0, 0], vector_common_parallel = [1, 1, 0, " + whole +
          ", 0], vector_reduction = [0, 0, 1, 0, 0, 1]>} ins(%a, %b : " +
          factor + ", " + factor + ") outs(%0 : " + result + ") -> " + result +
          " return %1 : " + result + " } } } } }",
      &TilePackedProducts);
}

TEST(TilePackedProductsTest, PartsReadWhatStaysInACache) {
  // 64 KB a tile: four of each factor.
  const std::string text = Tiled("64", "16", "1024", "f32", "1, 2");
  EXPECT_TRUE(Holds(text, "distribution = [4, 4, 0")) << text;
}

TEST(TilePackedProductsTest, AllWorkersHaveSome) {
  // All of it would stay there.
  const std::string text = Tiled("16", "16", "64", "f32", "1, 1");
  EXPECT_TRUE(Holds(text, "distribution = [2, 4, 0") ||
              Holds(text, "distribution = [4, 2, 0"))
      << text;
}

TEST(TilePackedProductsTest, PartsThatAreLargeStay) {
  const std::string text = Tiled("64", "16", "8192", "f32", "2, 2");
  EXPECT_TRUE(Holds(text, "distribution = [2, 2, 0")) << text;
}

TEST(TilePackedProductsTest, SquareTilesOfFloat32BecomeFlat) {
  const std::string text = Tiled("64", "16", "1024", "f32", "1, 2");
  EXPECT_TRUE(Holds(text, "_parallel = [1, 2, 0, 8, 16, 0]")) << text;
  EXPECT_TRUE(Holds(text, "_parallel = [1, 2, 8, 16]")) << text;
}

TEST(TilePackedProductsTest, OtherTilesStay) {
  const auto stays = [](const std::string& text) {
    EXPECT_TRUE(Holds(text, "_parallel = [1, 1, 0,")) << text;
    EXPECT_FALSE(Holds(text, "[1, 2, ")) << text;
  };
  stays(Tiled("64", "16", "1024", "f64", "1, 2"));
  stays(Tiled("64", "4", "1024", "f32", "1, 2"));
  stays(Tiled("33", "16", "1024", "f32", "1, 1"));  // an odd one is left
}

}  // namespace
}  // namespace iree_pjrt
