// SPDX-License-Identifier: Apache-2.0
// TakeInLoops, as text before and after.
#include <gtest/gtest.h>

#include <string>

#include "parsed_module.h"
#include "rewrite/dispatch/passes.h"

namespace iree_pjrt {
namespace {

// Elements that are taken at `%at`, where `%i` counts up.
std::string Taken(const std::string& element, const std::string& index,
                  const std::string& features = "") {
  const std::string type = "tensor<1000x" + element + ">";
  return After(
      "module { hal.executable private @e { hal.executable.variant public @v "
      "target(<\"llvm-cpu\", \"static\", {cpu_features = \"" +
          features + "\"}>) { builtin.module { func.func @f(%a: " + type +
          ", %b: " + type + ") -> " + type +
          " { %c999 = arith.constant 999 : index %0 = linalg.generic "
          "{indexing_maps = [affine_map<(d0) -> (d0)>], iterator_types = "
          "[\"parallel\"]} outs(%b : " +
          type +
          ") attrs = {lowering_config = "
          "#iree_cpu.lowering_config<distribution = [500], "
          "vector_common_parallel = [16]>} { ^bb0(%x: " +
          element + "): %i = linalg.index 0 : index " + index +
          " %e = tensor.extract %a[%at] : " + type + " linalg.yield %e : " +
          element + " } -> " + type + " return %0 : " + type + " } } } } }",
      &TakeInLoops);
}

constexpr char kInLoops[] = "vector_common_parallel = [1]";
constexpr char kBackwards[] = "%at = arith.subi %c999, %i : index";
constexpr char kForwards[] = "%at = arith.xori %i, %c999 : index";

TEST(TakeInLoopsTest, WhatIsTakenBackwards) {
  const std::string text = Taken("f32", kBackwards);
  EXPECT_TRUE(Holds(text, kInLoops)) << text;
  EXPECT_TRUE(Holds(text, "loop_vectorization = true")) << text;
  EXPECT_FALSE(Holds(Taken("f32", kForwards), kInLoops));
}

TEST(TakeInLoopsTest, WhatIsNotGathered) {
  constexpr char kAvx512[] = "+avx2,+avx512f";
  for (const char* narrow : {"i8", "i16", "bf16", "f16"}) {
    EXPECT_TRUE(Holds(Taken(narrow, kForwards, kAvx512), kInLoops)) << narrow;
    EXPECT_FALSE(Holds(Taken(narrow, kForwards, "+avx2"), kInLoops)) << narrow;
    // As a row is read.
    EXPECT_FALSE(Holds(Taken(narrow, "%at = linalg.index 0 : index", kAvx512),
                       kInLoops));
  }
  for (const char* wide : {"i32", "f32", "f64"}) {
    EXPECT_FALSE(Holds(Taken(wide, kForwards, kAvx512), kInLoops)) << wide;
  }
}

// Twice the elements of every `row`-th row, and of every `step`-th column.
std::string Every(int row, int step) {
  const std::string strided = "memref<50x50xf32, strided<[" +
                              std::to_string(100 * row) + ", " +
                              std::to_string(step) + "]>>";
  return After(
      "module { hal.executable private @e { hal.executable.variant public @v "
      "target(<\"llvm-cpu\", \"static\", {cpu = \"generic\"}>) { "
      "builtin.module { func.func @f(%a: memref<100x100xf32>, %b: "
      "tensor<50x50xf32>) -> tensor<50x50xf32> { %s = memref.subview %a[0, 0] "
      "[50, 50] [" +
          std::to_string(row) + ", " + std::to_string(step) +
          "] : memref<100x100xf32> to " + strided +
          " %t = iree_codegen.load_from_buffer %s : " + strided +
          " -> tensor<50x50xf32> %0 = linalg.generic {indexing_maps = "
          "[affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0, "
          "d1)>], iterator_types = [\"parallel\", \"parallel\"]} ins(%t : "
          "tensor<50x50xf32>) outs(%b : tensor<50x50xf32>) attrs = "
          "{lowering_config = #iree_cpu.lowering_config<distribution = [25, "
          "50], vector_common_parallel = [1, 16]>} { ^bb0(%x: f32, %y: f32): "
          "%e = arith.addf %x, %x : f32 linalg.yield %e : f32 } -> "
          "tensor<50x50xf32> return %0 : tensor<50x50xf32> } } } } }",
      &TakeInLoops);
}

TEST(TakeInLoopsTest, WhatHasStepsBetween) {
  const std::string in_loops = "vector_common_parallel = [1, 1]";
  EXPECT_TRUE(Holds(Every(1, 2), in_loops)) << Every(1, 2);
  EXPECT_FALSE(Holds(Every(2, 1), in_loops));
}

}  // namespace
}  // namespace iree_pjrt
