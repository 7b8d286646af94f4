// SPDX-License-Identifier: Apache-2.0
// Passes over StableHLO, as text before and after.
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "base/status.h"
#include "parsed_module.h"
#include "rewrite/stablehlo/passes.h"

namespace iree_pjrt {
namespace {

std::string Function(const std::string& body) {
  return "module {\n" + body + "\n}";
}

TEST(CheckFunctionsTest, AFunctionWithoutAFunctionTypeIsRefused) {
  const std::string program = Function(R"(
    vhlo.func_v1 @main(%x: !vhlo.tensor_v1<4x!vhlo.f32_v1>)
        -> (!vhlo.tensor_v1<4x!vhlo.f32_v1>) {
      "vhlo.return_v1"(%x) : (!vhlo.tensor_v1<4x!vhlo.f32_v1>) -> ()
    } {arg_attrs = #vhlo.array_v1<[]>, res_attrs = #vhlo.array_v1<[]>,
       sym_visibility = #vhlo.string_v1<"public">})");
  WithModule(program, [](const Ir& ir) {
    CheckFunctions(ir);
    const MlirOperation main = ir.Function("main");
    const MlirAttribute type = ir.Attribute(main, "function_type");
    ir.SetAttribute(main, "function_type",
                    ir.Parse("#vhlo.type_v1<!vhlo.f32_v1>"));
    EXPECT_THROW(CheckFunctions(ir), Error);
    ir.SetAttribute(main, "function_type", type);
  });
}

TEST(RewriteCompositesTest, TheDecompositionIsCalled) {
  const std::string text = After(Function(R"(
    func.func @main(%x: tensor<4xf32>) -> tensor<4xf32> {
      %0 = stablehlo.composite "chlo.erf" %x {decomposition = @erf}
          : (tensor<4xf32>) -> tensor<4xf32>
      return %0 : tensor<4xf32>
    }
    func.func private @erf(%x: tensor<4xf32>) -> tensor<4xf32> {
      return %x : tensor<4xf32>
    })"),
                                 &RewriteComposites);
  EXPECT_TRUE(Holds(text, "call @erf(%arg0)")) << text;
  EXPECT_FALSE(Holds(text, "composite")) << text;
}

TEST(RewriteRngStatesTest, TheStateHasAGeneratorOfItsOwn) {
  const std::string text = After(Function(R"(
    func.func @main(%s: tensor<2xui64>) -> (tensor<2xui64>, tensor<8xui32>) {
      %0, %1 = stablehlo.rng_bit_generator %s, algorithm = THREE_FRY
          : (tensor<2xui64>) -> (tensor<2xui64>, tensor<8xui32>)
      return %0, %1 : tensor<2xui64>, tensor<8xui32>
    })"),
                                 &RewriteRngStates);
  EXPECT_TRUE(Holds(text, "optimization_barrier %arg0")) << text;
  const size_t first = text.find("rng_bit_generator");
  EXPECT_NE(text.find("rng_bit_generator", first + 1), std::string::npos);
}

TEST(RewriteComplexUpdatesTest, PartsAreUpdated) {
  const std::string text = After(Function(R"(
    func.func @main(%u: tensor<1xcomplex<f32>>, %i: tensor<i32>)
        -> tensor<4xcomplex<f32>> {
      %0 = stablehlo.constant dense<(1.0, 2.0)> : tensor<4xcomplex<f32>>
      %1 = stablehlo.dynamic_update_slice %0, %u, %i
          : (tensor<4xcomplex<f32>>, tensor<1xcomplex<f32>>, tensor<i32>)
          -> tensor<4xcomplex<f32>>
      return %1 : tensor<4xcomplex<f32>>
    })"),
                                 &RewriteComplexUpdates);
  EXPECT_TRUE(Holds(text, "(tensor<4xf32>, tensor<1xf32>, tensor<i32>)"))
      << text;
  EXPECT_TRUE(Holds(text, "stablehlo.complex")) << text;
}

std::string AfterConvolution(const std::string& groups,
                             const std::string& result) {
  return After(Function(R"(
    func.func @main(%x: tensor<1x8x8x4xbf16>, %k: tensor<3x3x1x4xbf16>)
        -> tensor<1x6x6x4x)" +
                        result + R"(> {
      %0 = stablehlo.convolution(%x, %k)
          dim_numbers = [b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f],
          window = {} {batch_group_count = 1 : i64, feature_group_count = )" +
                        groups + R"( : i64}
          : (tensor<1x8x8x4xbf16>, tensor<3x3x1x4xbf16>) -> tensor<1x6x6x4x)" +
                        result + R"(>
      return %0 : tensor<1x6x6x4x)" +
                        result + ">\n}"),
               &MatchGroupedOperands);
}

std::string AfterProduct(const std::string& contracted) {
  return After(
      Function("func.func @main(%x: tensor<3x" + contracted +
               "xcomplex<f32>>, %y: tensor<" + contracted + R"(x4xcomplex<f32>>)
        -> tensor<3x4xcomplex<f32>> {
      %0 = stablehlo.dot_general %x, %y, contracting_dims = [1] x [0] : (tensor<3x)" +
               contracted + "xcomplex<f32>>, tensor<" + contracted +
               R"(x4xcomplex<f32>>)
          -> tensor<3x4xcomplex<f32>>
      return %0 : tensor<3x4xcomplex<f32>>
    })"),
      &ReplaceEmptyProducts);
}

TEST(ReplaceEmptyProductsTest, AProductOfNoTermsIsZeros) {
  const std::string text = AfterProduct("0");
  EXPECT_FALSE(Holds(text, "dot_general")) << text;
  EXPECT_TRUE(Holds(text, "dense<(0.000000e+00,0.000000e+00)>")) << text;
}

TEST(ReplaceEmptyProductsTest, OthersStay) {
  EXPECT_TRUE(Holds(AfterProduct("2"), "dot_general"));
}

TEST(MatchGroupedOperandsTest, OperandsGetTheTypeOfTheResult) {
  const std::string text = AfterConvolution("4", "f32");
  EXPECT_TRUE(Holds(text, "(tensor<1x8x8x4xf32>, tensor<3x3x1x4xf32>)"))
      << text;
  EXPECT_TRUE(Holds(text, "optimization_barrier %1 : tensor<3x3x1x4xf32>"))
      << text;
}

TEST(MatchGroupedOperandsTest, OperandsOfThatTypeStay) {
  EXPECT_FALSE(Holds(AfterConvolution("4", "bf16"), "stablehlo.convert"));
}

TEST(OrderConvolutionsTest, ArraysAreTransposedAndTheResultBack) {
  const std::string text = After(Function(R"(
    func.func @main(%x: tensor<2x4x9x8xf32>, %k: tensor<5x4x3x2xf32>)
        -> tensor<2x5x7x7xf32> {
      %0 = stablehlo.convolution(%x, %k)
          dim_numbers = [b, f, 0, 1]x[o, i, 0, 1]->[b, f, 0, 1],
          window = {} {batch_group_count = 1 : i64, feature_group_count = 1 : i64}
          : (tensor<2x4x9x8xf32>, tensor<5x4x3x2xf32>) -> tensor<2x5x7x7xf32>
      return %0 : tensor<2x5x7x7xf32>
    })"),
                                 &OrderConvolutions);
  EXPECT_TRUE(Holds(text,
                    "(tensor<2x9x8x4xf32>, tensor<3x2x4x5xf32>) -> "
                    "tensor<2x7x7x5xf32>"))
      << text;
  EXPECT_TRUE(Holds(text, "[b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f]")) << text;
  EXPECT_TRUE(Holds(text, "dims = [0, 3, 1, 2]")) << text;
  EXPECT_TRUE(Holds(text, "optimization_barrier")) << text;
}

TEST(OrderConvolutionsTest, OrderedOnesStay) {
  const std::string text = After(Function(R"(
    func.func @main(%x: tensor<2x9x4xf32>, %k: tensor<3x4x5xf32>)
        -> tensor<2x7x5xf32> {
      %0 = stablehlo.convolution(%x, %k)
          dim_numbers = [b, 0, f]x[0, i, o]->[b, 0, f],
          window = {} {batch_group_count = 1 : i64, feature_group_count = 1 : i64}
          : (tensor<2x9x4xf32>, tensor<3x4x5xf32>) -> tensor<2x7x5xf32>
      return %0 : tensor<2x7x5xf32>
    })"),
                                 &OrderConvolutions);
  EXPECT_FALSE(Holds(text, "transpose")) << text;
  EXPECT_FALSE(Holds(text, "barrier")) << text;
}

TEST(OrderConvolutionsTest, TransposesOfTheProgramStayOutside) {
  const std::string text = After(Function(R"(
    func.func @main(%x: tensor<2x4x9xf32>, %k: tensor<3x4x5xf32>)
        -> tensor<2x5x7xf32> {
      %0 = stablehlo.transpose %x, dims = [0, 2, 1]
          : (tensor<2x4x9xf32>) -> tensor<2x9x4xf32>
      %1 = stablehlo.convolution(%0, %k)
          dim_numbers = [b, 0, f]x[0, i, o]->[b, 0, f],
          window = {} {batch_group_count = 1 : i64, feature_group_count = 1 : i64}
          : (tensor<2x9x4xf32>, tensor<3x4x5xf32>) -> tensor<2x7x5xf32>
      %2 = stablehlo.transpose %1, dims = [0, 2, 1]
          : (tensor<2x7x5xf32>) -> tensor<2x5x7xf32>
      return %2 : tensor<2x5x7xf32>
    })"),
                                 &OrderConvolutions);
  EXPECT_TRUE(Holds(text, "barrier %0 : tensor<2x9x4xf32>")) << text;
  EXPECT_TRUE(Holds(text, "barrier %2 : tensor<2x7x5xf32>")) << text;
}

TEST(RewritePlacementMarkersTest, TheOperandIsTheResult) {
  const std::string text = After(Function(R"(
    func.func @main(%x: tensor<4xf32>) -> tensor<4xf32> {
      %0 = stablehlo.custom_call @annotate_device_placement(%x)
          : (tensor<4xf32>) -> tensor<4xf32>
      return %0 : tensor<4xf32>
    })"),
                                 &RewritePlacementMarkers);
  EXPECT_TRUE(Holds(text, "return %arg0")) << text;
}

std::string AfterMarker(const std::string& name, const std::string& to) {
  return After(Function("func.func @main(%x: tensor<4xf32>) -> " + to +
                        R"( {
        %0 = stablehlo.custom_call @)" +
                        name + "(%x) : (tensor<4xf32>) -> " + to +
                        "\n return %0 : " + to + "\n}"),
               &RewriteShardingMarkers);
}

TEST(RewriteShardingMarkersTest, TheOperandIsTheResult) {
  for (const char* name :
       {"Sharding", "SPMDFullToShardShape", "SPMDShardToFullShape",
        "xla.sdy.FuncResultSharding", "local_xla.sdy.GlobalToLocalShape"}) {
    const std::string text = AfterMarker(name, "tensor<4xf32>");
    EXPECT_TRUE(Holds(text, "return %arg0")) << text;
  }
  EXPECT_TRUE(Holds(AfterMarker("another", "tensor<4xf32>"), "@another"));
}

TEST(RewriteShardingMarkersTest, WhatHasNoResultGoes) {
  const std::string text = After(Function(R"(
    func.func @main(%x: tensor<4xf32>) -> tensor<4xf32> {
      stablehlo.custom_call @xla.sdy.ShardingGroup(%x)
          {has_side_effect = true} : (tensor<4xf32>) -> ()
      return %x : tensor<4xf32>
    })"),
                                 &RewriteShardingMarkers);
  EXPECT_FALSE(Holds(text, "custom_call")) << text;
}

TEST(RewriteShardingMarkersTest, AnotherShapeIsForMoreDevices) {
  EXPECT_THROW(AfterMarker("SPMDFullToShardShape", "tensor<2xf32>"), Error);
}

std::string AfterPermutation(const std::string& pairs,
                             const std::string& type) {
  return After(Function("func.func @main(%x: " + type + ") -> " + type + R"( {
      %0 = "stablehlo.collective_permute"(%x) <{source_target_pairs = )" +
                        pairs + "}> : (" + type + ") -> " + type +
                        "\n return %0 : " + type + "\n}"),
               &RewriteCollectivesOfOne);
}

TEST(RewriteCollectivesOfOneTest, OperandsAreResults) {
  const std::string text = After(Function(R"(
    func.func @main(%x: tensor<4xf32>) -> tensor<4xf32> {
      %0 = "stablehlo.all_reduce"(%x) <{
          replica_groups = dense<0> : tensor<1x1xi64>}> ({
      ^bb0(%a: tensor<f32>, %b: tensor<f32>):
        %1 = stablehlo.add %a, %b : tensor<f32>
        stablehlo.return %1 : tensor<f32>
      }) : (tensor<4xf32>) -> tensor<4xf32>
      return %0 : tensor<4xf32>
    })"),
                                 &RewriteCollectivesOfOne);
  EXPECT_TRUE(Holds(text, "return %arg0")) << text;
  EXPECT_TRUE(
      Holds(AfterPermutation("dense<0> : tensor<1x2xi64>", "tensor<4xf32>"),
            "return %arg0"));
}

TEST(RewriteCollectivesOfOneTest, AnotherShapeIsForMoreDevices) {
  EXPECT_THROW(After(Function(R"(
    func.func @main(%x: tensor<4xf32>) -> tensor<8xf32> {
      %0 = "stablehlo.all_gather"(%x) <{all_gather_dim = 0 : i64,
          replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>}>
          : (tensor<4xf32>) -> tensor<8xf32>
      return %0 : tensor<8xf32>
    })"),
                     &RewriteCollectivesOfOne),
               Error);
}

TEST(RewriteCollectivesOfOneTest, WhomNobodySendsToHasZeros) {
  const std::string nobody = "dense<> : tensor<0x2xi64>";
  for (const std::string type :
       {"tensor<4xf32>", "tensor<2x3xi32>", "tensor<4xui8>", "tensor<i1>",
        "tensor<2xcomplex<f32>>", "tensor<bf16>"}) {
    const std::string text = AfterPermutation(nobody, type);
    EXPECT_TRUE(Holds(text, "stablehlo.constant dense<")) << text;
    EXPECT_FALSE(Holds(text, "collective_permute")) << text;
  }
}

TEST(RewriteCollectivesOfOneTest, TheDeviceIsNumberZero) {
  const std::string text = After(Function(R"(
    func.func @main() -> (tensor<ui32>, tensor<ui32>) {
      %0 = stablehlo.partition_id : tensor<ui32>
      %1 = stablehlo.replica_id : tensor<ui32>
      return %0, %1 : tensor<ui32>, tensor<ui32>
    })"),
                                 &RewriteCollectivesOfOne);
  EXPECT_FALSE(Holds(text, "_id")) << text;
}

TEST(RewriteForeignCallsTest, AHandlerThatNobodyRegisteredIsNamed) {
  const std::string program = Function(R"(
    func.func @main(%x: tensor<4xf32>) -> tensor<4xf32> {
      %0 = stablehlo.custom_call @no_such_handler(%x) {api_version = 4 : i32,
          backend_config = {}} : (tensor<4xf32>) -> tensor<4xf32>
      return %0 : tensor<4xf32>
    })");
  std::vector<ForeignCall> calls;
  try {
    WithModule(program, [&](const Ir& ir) { RewriteForeignCalls(ir, calls); });
    FAIL() << "it was taken";
  } catch (const Error& error) {
    EXPECT_NE(error.message().find("no_such_handler"), std::string::npos)
        << error.message();
  }
}

TEST(RewriteForeignCallsTest, AFourierTransformIsAnImportedFunction) {
  std::vector<ForeignCall> calls;
  const std::string text =
      After(Function(R"(
    func.func @main(%x: tensor<8xcomplex<f32>>) -> tensor<8xcomplex<f32>> {
      %0 = stablehlo.fft %x, type = FFT, length = [8]
          : (tensor<8xcomplex<f32>>) -> tensor<8xcomplex<f32>>
      return %0 : tensor<8xcomplex<f32>>
    })"),
            [&](const Ir& ir) { RewriteForeignCalls(ir, calls); });
  EXPECT_EQ(calls.size(), 1U);
  EXPECT_FALSE(Holds(text, "stablehlo.fft")) << text;
}

}  // namespace
}  // namespace iree_pjrt
