// SPDX-License-Identifier: Apache-2.0
// Hand counts, on programs in StableHLO's own form. (JAX sends VHLO: the
// conformance tests count those.)
#include "compile/cost_analysis.h"

#include <gtest/gtest.h>

#include "parsed_module.h"

namespace iree_pjrt {
namespace {

class CostAnalysisTest : public testing::Test {
 protected:
  // The costs of a module of `functions`, one of which is @main.
  static CostAnalysis Analyze(const std::string& functions) {
    CostAnalysis cost;
    WithModule("module {\n" + functions + "\n}",
               [&](const Ir& ir) { cost = AnalyzeCost(ir); });
    return cost;
  }
};

TEST_F(CostAnalysisTest, Elementwise) {
  const CostAnalysis cost = Analyze(R"(
    func.func public @main(%a: tensor<3x4xf32>) -> tensor<3x4xf32> {
      %0 = stablehlo.add %a, %a : tensor<3x4xf32>
      %1 = stablehlo.tanh %0 : tensor<3x4xf32>
      return %1 : tensor<3x4xf32>
    })");
  EXPECT_EQ(cost.flops, 12);
  EXPECT_EQ(cost.transcendentals, 12);
  EXPECT_EQ(cost.bytes_accessed, (3 + 2) * 12 * 4);
}

TEST_F(CostAnalysisTest, MatrixProductInABatch) {
  const CostAnalysis cost = Analyze(R"(
    func.func public @main(%a: tensor<2x8x16xf32>, %b: tensor<2x16x4xf32>) -> tensor<2x8x4xf32> {
      %0 = stablehlo.dot_general %a, %b, batching_dims = [0] x [0], contracting_dims = [2] x [1]
        : (tensor<2x8x16xf32>, tensor<2x16x4xf32>) -> tensor<2x8x4xf32>
      return %0 : tensor<2x8x4xf32>
    })");
  EXPECT_EQ(cost.flops, 2 * (2 * 8 * 4) * 16);
  EXPECT_EQ(cost.bytes_accessed, 4 * (2 * 8 * 16 + 2 * 16 * 4 + 2 * 8 * 4));
}

TEST_F(CostAnalysisTest, Convolution) {
  const CostAnalysis cost = Analyze(R"(
    func.func public @main(%a: tensor<1x8x8x3xf32>, %k: tensor<3x3x3x5xf32>) -> tensor<1x6x6x5xf32> {
      %0 = stablehlo.convolution(%a, %k)
        dim_numbers = [b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f],
        window = {stride = [1, 1]}
        {batch_group_count = 1 : i64, feature_group_count = 1 : i64}
        : (tensor<1x8x8x3xf32>, tensor<3x3x3x5xf32>) -> tensor<1x6x6x5xf32>
      return %0 : tensor<1x6x6x5xf32>
    })");
  EXPECT_EQ(cost.flops, 2 * (6 * 6 * 5) * (3 * 3 * 3));
}

TEST_F(CostAnalysisTest, ReductionsCountTheirBody) {
  const CostAnalysis cost = Analyze(R"(
    func.func public @main(%a: tensor<10x4xf32>) -> tensor<4xf32> {
      %z = stablehlo.constant dense<0.0> : tensor<f32>
      %0 = stablehlo.reduce(%a init: %z) applies stablehlo.add across dimensions = [0]
        : (tensor<10x4xf32>, tensor<f32>) -> tensor<4xf32>
      return %0 : tensor<4xf32>
    })");
  EXPECT_EQ(cost.flops, 10 * 4 - 4);
}

TEST_F(CostAnalysisTest, CallsBranchesAndLoops) {
  const CostAnalysis cost = Analyze(R"(
    func.func public @main(%p: tensor<i32>, %a: tensor<5xf32>) -> tensor<5xf32> {
      %0 = func.call @twice(%a) : (tensor<5xf32>) -> tensor<5xf32>
      %1 = "stablehlo.case"(%p) ({
        %2 = stablehlo.negate %0 : tensor<5xf32>
        stablehlo.return %2 : tensor<5xf32>
      }, {
        %2 = func.call @twice(%0) : (tensor<5xf32>) -> tensor<5xf32>
        stablehlo.return %2 : tensor<5xf32>
      }) : (tensor<i32>) -> tensor<5xf32>
      return %1 : tensor<5xf32>
    }
    func.func private @twice(%a: tensor<5xf32>) -> tensor<5xf32> {
      %0 = stablehlo.add %a, %a : tensor<5xf32>
      %1 = stablehlo.add %0, %0 : tensor<5xf32>
      return %1 : tensor<5xf32>
    })");
  EXPECT_EQ(cost.flops, 10 + 10);
}

TEST_F(CostAnalysisTest, NothingIsMovedByShapesAlone) {
  const CostAnalysis cost = Analyze(R"(
    func.func public @main(%a: tensor<6xf32>) -> tensor<2x3xf32> {
      %0 = stablehlo.reshape %a : (tensor<6xf32>) -> tensor<2x3xf32>
      return %0 : tensor<2x3xf32>
    })");
  EXPECT_EQ(cost.flops + cost.transcendentals + cost.bytes_accessed, 0);
}

}  // namespace
}  // namespace iree_pjrt
