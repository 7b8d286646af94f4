// SPDX-License-Identifier: Apache-2.0
// Rewrites of how dispatches are compiled, as text before and after.
#include <gtest/gtest.h>

#include <string>

#include "parsed_module.h"
#include "release/release_line.h"
#include "rewrite/dispatch/passes.h"

namespace iree_pjrt {
namespace {

// The name of IREE's pipeline as its releases print it.
std::string Pipeline(const std::string& name) {
  return kReleaseLine < ReleaseLine{3, 13} ? "CPU" + name
                                           : "#iree_cpu.pipeline<" + name + ">";
}

// A dispatch that sums rows, or copies them.
std::string Dispatch(const std::string& pipeline, bool reduces) {
  const std::string to = reduces ? "8xf32" : "8x100xf32";
  return "module { func.func @f(%a: tensor<8x100xf32>, %b: tensor<" + to +
         ">) -> tensor<" + to +
         "> attributes {translation_info = "
         "#iree_codegen.translation_info<pipeline = " +
         pipeline +
         ">} {\n %0 = linalg.generic {indexing_maps = ["
         "affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> " +
         (reduces ? "(d0)" : "(d0, d1)") +
         ">], iterator_types = [\"parallel\", " +
         (reduces ? "\"reduction\"" : "\"parallel\"") +
         "]} ins(%a : tensor<8x100xf32>) outs(%b : tensor<" + to + R"(>) {
    ^bb0(%x: f32, %y: f32):
      %s = arith.addf %x, %y : f32
      linalg.yield %s : f32
    } -> tensor<)" +
         to + "> return %0 : tensor<" + to + "> } }";
}

TEST(PeelReductionsTest, WholeVectorsAreNotMasked) {
  const std::string text =
      After(Dispatch(Pipeline("DoubleTilingExpert"), true), &PeelReductions);
  EXPECT_TRUE(Holds(text, "DoubleTilingExpert")) << text;
  EXPECT_TRUE(Holds(text, "{enable_loop_peeling}")) << text;
}

TEST(PeelReductionsTest, OthersStayAsIreeChose) {
  EXPECT_FALSE(Holds(
      After(Dispatch(Pipeline("DoubleTilingExpert"), false), &PeelReductions),
      "enable_loop_peeling"));
  EXPECT_FALSE(
      Holds(After(Dispatch(Pipeline("Default"), true), &PeelReductions),
            "enable_loop_peeling"));
  const std::string chosen = Pipeline("DoubleTilingExpert") + ", {other}";
  EXPECT_FALSE(Holds(After(Dispatch(chosen, true), &PeelReductions),
                     "enable_loop_peeling"));
}

}  // namespace
}  // namespace iree_pjrt
