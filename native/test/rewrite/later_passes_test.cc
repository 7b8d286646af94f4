// SPDX-License-Identifier: Apache-2.0
// Passes after IREE's phases, as text before and after.
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "parsed_module.h"
#include "rewrite/flow/passes.h"
#include "rewrite/late/passes.h"
#include "rewrite/linalg/passes.h"

namespace iree_pjrt {
namespace {

size_t Count(const std::string& text, const std::string& part) {
  size_t count = 0;
  for (size_t at = 0; (at = text.find(part, at)) != std::string::npos; ++at) {
    ++count;
  }
  return count;
}

// One elementwise function of two numbers: `%x`, `%y` to `%z`.
std::string Elementwise(const std::string& type,
                        const std::string& operations) {
  return "module { func.func @main(%x: " + type + ", %y: " + type + ") -> " +
         type + " {\n" + operations + "\n return %z : " + type + "\n} }";
}

constexpr char kAddition[] = R"(module {
  util.func public @main(%x: tensor<8xf32>, %y: tensor<8xf32>)
      -> tensor<8xf32> {
    %0 = tensor.empty() : tensor<8xf32>
    %1 = linalg.map { arith.addf }
        ins(%x, %y : tensor<8xf32>, tensor<8xf32>) outs(%0 : tensor<8xf32>)
    util.return %1 : tensor<8xf32>
  }
})";

TEST(KeepInputsTest, WhatIsNotDonatedIsUsedBeforeTheReturn) {
  const auto kept = [](bool first, bool second) {
    return Count(After(kAddition,
                       [&](const Ir& ir) { KeepInputs(ir, {first, second}); }),
                 "util.optimization_barrier");
  };
  EXPECT_EQ(kept(false, false), 2U);
  EXPECT_EQ(kept(true, false), 1U);
  EXPECT_EQ(kept(true, true), 0U);
}

TEST(KeepInputsTest, WhatIsReturnedIsKeptThoughItIsDonated) {
  const std::string text = After(R"(module {
    util.func public @main(%x: tensor<8xf32>) -> tensor<8xf32> {
      util.return %x : tensor<8xf32>
    }
  })",
                                 [](const Ir& ir) { KeepInputs(ir, {true}); });
  EXPECT_TRUE(Holds(text, "util.optimization_barrier %arg0")) << text;
}

TEST(LimitDispatchOperandsTest, ASumOfManyArraysIsTakenInParts) {
  const auto barriers = [](int arrays) {
    std::string arguments;
    std::string sums;
    std::string last = "%a0";
    for (int i = 0; i < arrays; ++i) {
      const std::string n = std::to_string(i);
      arguments += (i ? ", %a" : "%a") + n + ": tensor<8xf32>";
      if (i == 0) continue;
      sums += "%s" + n +
              R"( = linalg.generic {
          indexing_maps = [affine_map<(d0) -> (d0)>, affine_map<(d0) -> (d0)>,
                           affine_map<(d0) -> (d0)>],
          iterator_types = ["parallel"]}
          ins()" +
              last + ", %a" + n +
              R"( : tensor<8xf32>, tensor<8xf32>) outs(%e : tensor<8xf32>) {
        ^bb0(%p: f32, %q: f32, %r: f32):
          %t = arith.addf %p, %q : f32
          linalg.yield %t : f32
        } -> tensor<8xf32>
)";
      last = "%s" + n;
    }
    return Count(
        After("module { util.func public @main(" + arguments +
                  ") -> tensor<8xf32> {\n"
                  "%e = tensor.empty() : tensor<8xf32>\n" +
                  sums + "util.return " + last + " : tensor<8xf32>\n} }",
              &LimitDispatchOperands),
        "util.optimization_barrier");
  };
  EXPECT_EQ(barriers(8), 0U);
  EXPECT_GE(barriers(40), 1U);
  EXPECT_GE(barriers(100), 3U);
}

TEST(KeepProductSumsTest, AZeroStandsBetweenProductAndSum) {
  const std::string text = After(R"(module {
    util.func public @main(%x: tensor<8xf32>, %s: tensor<f32>) -> tensor<f32> {
      %e = tensor.empty() : tensor<8xf32>
      %0 = linalg.generic {indexing_maps = [affine_map<(d0) -> (d0)>,
                                            affine_map<(d0) -> (d0)>],
                           iterator_types = ["parallel"]}
          ins(%x : tensor<8xf32>) outs(%e : tensor<8xf32>) {
      ^bb0(%a: f32, %b: f32):
        %p = arith.mulf %a, %a : f32
        linalg.yield %p : f32
      } -> tensor<8xf32>
      %1 = linalg.generic {indexing_maps = [affine_map<(d0) -> (d0)>,
                                            affine_map<(d0) -> ()>],
                           iterator_types = ["reduction"]}
          ins(%0 : tensor<8xf32>) outs(%s : tensor<f32>) {
      ^bb0(%a: f32, %b: f32):
        %t = arith.addf %a, %b : f32
        linalg.yield %t : f32
      } -> tensor<f32>
      util.return %1 : tensor<f32>
    }
  })",
                                 &KeepProductSums);
  EXPECT_EQ(Count(text, "arith.addf"), 2U) << text;
}

TEST(ExpandPowersTest, ThePowerIsOfTheAbsoluteValue) {
  const std::string text =
      After(Elementwise("f32", "%z = math.powf %x, %y : f32"), &ExpandPowers);
  EXPECT_TRUE(Holds(text, "math.absf %arg0")) << text;
  EXPECT_FALSE(Holds(text, "math.powf %arg0")) << text;
  EXPECT_TRUE(Holds(text, "math.copysign")) << text;
}

TEST(ExpandFloat64MathTest, WhatIreeLowersBadlyIsGone) {
  for (const char* name : {"cbrt", "expm1", "log1p"}) {
    const std::string operation = "math." + std::string(name) + " %x : ";
    EXPECT_FALSE(Holds(After(Elementwise("f64", "%z = " + operation + "f64"),
                             &ExpandFloat64Math),
                       "math." + std::string(name)));
    EXPECT_TRUE(Holds(After(Elementwise("f32", "%z = " + operation + "f32"),
                            &ExpandFloat64Math),
                      "math." + std::string(name)));
  }
}

TEST(GuardLoneDispatchesTest, EachResultIsBehindABarrier) {
  const auto barriers = [](const std::string& operands,
                           const std::string& types) {
    return Count(After(R"(module {
      flow.executable private @e {
        flow.executable.export public @d
      }
      util.func public @main(%x: tensor<4xf32>)
          -> (tensor<4xf32>, tensor<4xf32>) {
        %0:2 = flow.dispatch @e::@d()" +
                           operands + ") : (" + types +
                           R"() -> (tensor<4xf32>, tensor<4xf32>)
        util.return %0#0, %0#1 : tensor<4xf32>, tensor<4xf32>
      }
    })",
                       &GuardLoneDispatches),
                 "util.optimization_barrier");
  };
  EXPECT_EQ(barriers("", ""), 2U);
  EXPECT_EQ(barriers("%x", "tensor<4xf32>"), 0U);
}

TEST(EmbedObjectTest, ItsBytesTakeThePlaceOfTheName) {
  const std::string text =
      After(R"(module {
    hal.executable private @e {
      "hal.executable.binary"() <{sym_name = "b", format = "static",
          data = dense<[1, 2]> : vector<2xi8>}> : () -> ()
    }
  })",
            [](const Ir& ir) {
              EXPECT_TRUE(EmbedObject(ir, [] { return std::string(3, 7); }));
            });
  EXPECT_TRUE(Holds(text, "dense<7> : vector<3xi8>")) << text;
}

}  // namespace
}  // namespace iree_pjrt
