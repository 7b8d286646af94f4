// SPDX-License-Identifier: Apache-2.0
// TakeInLoops, as text before and after.
#include <gtest/gtest.h>

#include <string>

#include "parsed_module.h"
#include "rewrite/dispatch/passes.h"

namespace iree_pjrt {
namespace {

// Elements that are taken at `%at`, where `%i` counts up.
std::string Taken(const std::string& element, const std::string& index) {
  const std::string type = "tensor<1000x" + element + ">";
  return After(
      "module { hal.executable private @e { hal.executable.variant public @v "
      "target(<\"llvm-cpu\", \"static\", {cpu = \"generic\"}>) { "
      "builtin.module { func.func @f(%a: " +
          type + ", %b: " + type + ") -> " + type +
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

TEST(TakeInLoopsTest, Bytes) {
  EXPECT_TRUE(Holds(Taken("i8", kForwards), kInLoops));
  EXPECT_FALSE(Holds(Taken("i32", kForwards), kInLoops));
  EXPECT_FALSE(Holds(Taken("bf16", kForwards), kInLoops));
}

}  // namespace
}  // namespace iree_pjrt
