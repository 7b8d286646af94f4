// SPDX-License-Identifier: Apache-2.0
// Reductions of dispatches for GPUs, as text before and after.
#include <gtest/gtest.h>

#include <string>

#include "parsed_module.h"
#include "rewrite/sources/passes.h"

namespace iree_pjrt {
namespace {

std::string Reduced(const std::string& combine, const std::string& type) {
  return After("module { func.func @f(%x: tensor<8x9x" + type +
                   ">, %start: tensor<8x" + type + ">) -> tensor<8x" + type +
                   R"(> {
      %0 = linalg.generic {
          indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>,
                           affine_map<(d0, d1) -> (d0)>],
          iterator_types = ["parallel", "reduction"]}
          ins(%x : tensor<8x9x)" +
                   type + ">) outs(%start : tensor<8x" + type +
                   R"(>) {
      ^bb0(%a: )" + type +
                   ", %b: " + type + R"():
        %c = )" + combine +
                   " : " + type + R"(
        linalg.yield %c : )" +
                   type + R"(
      } -> tensor<8x)" +
                   type + R"(>
      return %0 : tensor<8x)" +
                   type + R"(>
    } })",
               &TurnReductions);
}

TEST(TurnReductionsTest, SignedExtremesAreUnsignedOnesOfFlippedSigns) {
  const std::string text = Reduced("arith.maxsi %b, %a", "i32");
  EXPECT_TRUE(Holds(text, "arith.maxui")) << text;
  EXPECT_TRUE(Holds(text, "arith.constant -2147483648 : i32")) << text;
  // What it begins with, its terms, its result.
  EXPECT_EQ(Count(text, "arith.xori"), 3U) << text;
  EXPECT_TRUE(Holds(Reduced("arith.minsi %a, %b", "i8"), "arith.minui"));
  EXPECT_TRUE(Holds(Reduced("arith.minsi %a, %b", "i64"),
                    "arith.constant -9223372036854775808 : i64"));
}

TEST(TurnReductionsTest, AndIsOrOfComplements) {
  const std::string text = Reduced("arith.andi %a, %b", "i16");
  EXPECT_TRUE(Holds(text, "arith.ori")) << text;
  EXPECT_EQ(Count(text, "arith.xori"), 3U) << text;
}

TEST(TurnReductionsTest, ADifferenceIsTheNegatedSum) {
  const std::string floats = Reduced("arith.subf %b, %a", "f32");
  EXPECT_TRUE(Holds(floats, "arith.addf")) << floats;
  EXPECT_EQ(Count(floats, "arith.negf"), 2U) << floats;
  EXPECT_TRUE(Holds(Reduced("arith.subi %b, %a", "i32"), "arith.addi"));
}

TEST(TurnReductionsTest, OthersStay) {
  for (const char* combine : {"arith.maxui %b, %a", "arith.addi %b, %a",
                              "arith.subi %a, %b", "arith.maxsi %a, %a"}) {
    EXPECT_EQ(Count(Reduced(combine, "i32"), "linalg.generic"), 1U) << combine;
  }
  EXPECT_EQ(Count(Reduced("arith.andi %a, %b", "i1"), "linalg.generic"), 1U);
}

}  // namespace
}  // namespace iree_pjrt
