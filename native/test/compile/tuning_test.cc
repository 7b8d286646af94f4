// SPDX-License-Identifier: Apache-2.0
#include "compile/tuning.h"

#include <gtest/gtest.h>

#include "parsed_module.h"
#include "release/release_line.h"
#include "runtime/cpu_features.h"

namespace iree_pjrt {
namespace {

using std::chrono::microseconds;

Cost Of(double guess, bool bounded = true) {
  Cost cost;
  cost.microseconds = guess;
  cost.bounded = bounded;
  return cost;
}

TEST(PaceTest, StartsFromTheGuess) {
  EXPECT_TRUE(Pace(Of(5)).Brief());
  EXPECT_FALSE(Pace(Of(5000)).Brief());
}

TEST(PaceTest, WhatIsNotKnownIsMeasuredFirst) {
  Pace pace(Of(5, /*bounded=*/false));
  EXPECT_FALSE(pace.Brief());
  pace.Record(microseconds(10));
  EXPECT_TRUE(pace.Brief());
}

TEST(PaceTest, FollowsWhatLaunchesTake) {
  Pace pace(Of(5));
  for (int i = 0; i < 10; ++i) pace.Record(microseconds(2000));
  EXPECT_FALSE(pace.Brief());
  pace.Record(microseconds(20));
  EXPECT_TRUE(pace.Brief());
}

TEST(PaceTest, OneSlowLaunchIsForgiven) {
  Pace pace(Of(5));
  pace.Record(microseconds(300));
  EXPECT_TRUE(pace.Brief());
}

TEST(TuningTest, OnlyLargeContractionsAreTiled) {
  Cost cost;
  cost.contraction = 128.0 * 128 * 128;
  EXPECT_TRUE(TuningFlags(cost).empty());
  cost.contraction = 1024.0 * 1024 * 1024;
  EXPECT_FALSE(TuningFlags(cost).empty());
}

TEST(TuningTest, WithoutWideVectorsSmallProductsAreTiledToo) {
  Cost cost;
  cost.product = 16.0 * 16 * 16;
  EXPECT_TRUE(TuningFlags(cost).empty());
  cost.product = 64.0 * 64 * 64;
  const bool vectors = HasWideVectors() || kReleaseLine >= ReleaseLine{3, 13};
  EXPECT_EQ(TuningFlags(cost).empty(), vectors);
  cost.product = cost.reused_product = 512.0 * 512 * 512;
  EXPECT_EQ(TuningFlags(cost).empty(), HasWideVectors());
}

TEST(TuningTest, IntegersAreTiledSooner) {
  Cost cost;
  cost.product = cost.reused_product = 128.0 * 128 * 128;
  const bool vectors = HasWideVectors() || kReleaseLine >= ReleaseLine{3, 13};
  EXPECT_EQ(TuningFlags(cost).empty(), vectors);
  cost.integer_product = cost.product;
  EXPECT_EQ(TuningFlags(cost).empty(), HasWideVectors());
}

// Costs of programs as they leave IREE's input phase.
class EstimateTest : public testing::Test {
 protected:
  Cost Estimate(const std::string& body) {
    Cost cost;
    WithModule("module {\n" + body + "\n}",
               [&](const Ir& ir) { cost = EstimateCost(ir); });
    return cost;
  }

  // A function over an n×n matrix with `op` in a loop around it.
  static std::string Matmul(int n) {
    const std::string type =
        "tensor<" + std::to_string(n) + "x" + std::to_string(n) + "xf32>";
    return "util.func public @main(%a: " + type + ") -> " + type +
           " {\n %0 = linalg.matmul ins(%a, %a : " + type + ", " + type +
           ") outs(%a : " + type + ") -> " + type +
           "\n util.return %0 : " + type + "\n}";
  }

  static std::string Loop(const std::string& bound) {
    return R"(util.func public @main(%a: tensor<1000xf32>, %n: index) -> tensor<1000xf32> {
      %zero = arith.constant 0 : index
      %one = arith.constant 1 : index
      %many = arith.constant 5000 : index
      %0 = scf.for %i = %zero to )" +
           bound + R"( step %one iter_args(%x = %a) -> (tensor<1000xf32>) {
        %1 = linalg.map { arith.addf }
            ins(%x, %a : tensor<1000xf32>, tensor<1000xf32>)
            outs(%x : tensor<1000xf32>)
        scf.yield %1 : tensor<1000xf32>
      }
      util.return %0 : tensor<1000xf32>
    })";
  }
};

TEST_F(EstimateTest, MatmulsGrowWithTheirCube) {
  const Cost small = Estimate(Matmul(64));
  const Cost large = Estimate(Matmul(1024));
  // The small product uses each element too seldom to be packed.
  EXPECT_DOUBLE_EQ(small.contraction, 0);
  EXPECT_DOUBLE_EQ(small.product, 64.0 * 64 * 64);
  EXPECT_DOUBLE_EQ(small.reused_product, small.product);
  EXPECT_DOUBLE_EQ(Estimate(Matmul(8)).reused_product, 0);
  EXPECT_DOUBLE_EQ(small.integer_product, 0);
  EXPECT_DOUBLE_EQ(large.contraction, 1024.0 * 1024 * 1024);
  EXPECT_TRUE(Pace(small).Brief());
  EXPECT_FALSE(Pace(large).Brief());
}

TEST_F(EstimateTest, LoopsWithKnownBoundsAreMultiplied) {
  const Cost cost = Estimate(Loop("%many"));
  EXPECT_TRUE(cost.bounded);
  EXPECT_FALSE(Pace(cost).Brief());
}

TEST_F(EstimateTest, CallsOfHandlersAreUnbounded) {
  EXPECT_FALSE(Estimate(R"(
    util.func private @xla_ffi.call_00000000(tensor<9xf32>) -> tensor<9xf32>
    util.func public @main(%a: tensor<9xf32>) -> tensor<9xf32> {
      %0 = util.call @xla_ffi.call_00000000(%a) : (tensor<9xf32>) -> tensor<9xf32>
      util.return %0 : tensor<9xf32>
    })")
                   .bounded);
}

TEST_F(EstimateTest, LoopsWithUnknownBoundsAreUnbounded) {
  EXPECT_FALSE(Estimate(Loop("%n")).bounded);
}

}  // namespace
}  // namespace iree_pjrt
