// SPDX-License-Identifier: Apache-2.0
// GuardSharedShapes, as text before and after.
#include <gtest/gtest.h>

#include <string>

#include "parsed_module.h"
#include "rewrite/stablehlo/passes.h"

namespace iree_pjrt {
namespace {

// A program in which two functions share a reshaped value. The first converts
// it; the second does with it what `used` says.
std::string OfSharedShape(const std::string& used) {
  return After(R"(module {
    func.func private @f(%a: tensor<8xi1>) -> tensor<8xi32> {
      %0 = stablehlo.convert %a : (tensor<8xi1>) -> tensor<8xi32>
      return %0 : tensor<8xi32>
    }
    func.func @main(%a: tensor<2x4xi1>)
        -> (tensor<8xi32>, tensor<8xi32>) {
      %0 = stablehlo.reshape %a : (tensor<2x4xi1>) -> tensor<8xi1>
      %again = stablehlo.reshape %a : (tensor<2x4xi1>) -> tensor<8xi1>
      %1 = func.call @f(%again) : (tensor<8xi1>) -> tensor<8xi32>
      %2 = )" + used +
                   R"(
      return %1, %2 : tensor<8xi32>, tensor<8xi32>
    }
  })",
               &GuardSharedShapes);
}

TEST(GuardSharedShapesTest, WhereTwoFunctionsApplyTheSame) {
  const std::string guarded = "optimization_barrier %0 : tensor<8xi1>";
  for (const char* used :
       {"stablehlo.convert %0 : (tensor<8xi1>) -> tensor<8xi32>",
        "func.call @f(%0) : (tensor<8xi1>) -> tensor<8xi32>"}) {
    EXPECT_TRUE(Holds(OfSharedShape(used), guarded)) << used;
  }
  EXPECT_FALSE(
      Holds(OfSharedShape("stablehlo.add %1, %1 : tensor<8xi32>"), guarded));
}

// A program that converts a reshaped value, and what `handed` makes %1 of it.
bool GuardsHanded(const std::string& handed) {
  return Holds(After(R"(module {
    func.func @main(%a: tensor<2x4xi1>, %i: tensor<i32>, %t: tensor<i1>)
        -> (tensor<8xi32>, tensor<8xi32>) {
      %0 = stablehlo.reshape %a : (tensor<2x4xi1>) -> tensor<8xi1>
      )" + handed +
                         R"(
      %2 = stablehlo.convert %0 : (tensor<8xi1>) -> tensor<8xi32>
      %3 = stablehlo.convert %1 : (tensor<8xi1>) -> tensor<8xi32>
      return %2, %3 : tensor<8xi32>, tensor<8xi32>
    }
  })",
                     &GuardSharedShapes),
               "optimization_barrier");
}

TEST(GuardSharedShapesTest, WhereALoopOrABranchHandsItOut) {
  EXPECT_TRUE(GuardsHanded(R"(%1 = stablehlo.while(%c = %0) : tensor<8xi1>
      cond { stablehlo.return %t : tensor<i1> }
      do { stablehlo.return %c : tensor<8xi1> })"));
  EXPECT_TRUE(GuardsHanded(R"(%1 = "stablehlo.if"(%t) ({
        stablehlo.return %0 : tensor<8xi1>
      }, {
        %n = stablehlo.not %0 : tensor<8xi1>
        stablehlo.return %n : tensor<8xi1>
      }) : (tensor<i1>) -> tensor<8xi1>)"));
  EXPECT_FALSE(GuardsHanded("%1 = stablehlo.not %0 : tensor<8xi1>"));
}

}  // namespace
}  // namespace iree_pjrt
