// SPDX-License-Identifier: Apache-2.0
// The passes over gathers and scatters, one at a time, as text before and
// after; launch/bounds_test.cc runs all of them.
#include <gtest/gtest.h>

#include <string>

#include "parsed_module.h"
#include "rewrite/stablehlo/passes.h"

namespace iree_pjrt {
namespace {

std::string Program(const std::string& arguments, const std::string& result,
                    const std::string& body) {
  return "module {\nfunc.func @main(" + arguments + ") -> " + result + " {\n" +
         body + "\nreturn %0 : " + result + "\n}\n}";
}

// A scatter of f32 that replaces. `array`, `indices` and `updates` are types.
std::string Scatter(const std::string& numbers, const std::string& array,
                    const std::string& indices, const std::string& updates,
                    const std::string& body = "stablehlo.return %y") {
  return Program(
      "%a: " + array + ", %i: " + indices + ", %u: " + updates, array,
      R"(%0 = "stablehlo.scatter"(%a, %i, %u) <{scatter_dimension_numbers =
             #stablehlo.scatter<)" +
          numbers + R"(>, unique_indices = true}> ({
           ^bb0(%x: tensor<f32>, %y: tensor<f32>):
             )" +
          body + " : tensor<f32>\n}) : (" + array + ", " + indices + ", " +
          updates + ") -> " + array);
}

constexpr char kElements[] =
    "inserted_window_dims = [0], scatter_dims_to_operand_dims = [0], "
    "index_vector_dim = 1";

std::string Gather(const std::string& indices) {
  return Program("%a: tensor<8xf32>, %i: " + indices, "tensor<3xf32>",
                 R"(%0 = "stablehlo.gather"(%a, %i) <{dimension_numbers =
             #stablehlo.gather<collapsed_slice_dims = [0],
                 start_index_map = [0], index_vector_dim = 1>,
             slice_sizes = array<i64: 1>}>
             : (tensor<8xf32>, )" +
                     indices + ") -> tensor<3xf32>");
}

TEST(ClampGathersTest, IndicesAreClamped) {
  EXPECT_TRUE(Holds(After(Gather("tensor<3x1xi32>"), &ClampGathers), "clamp"));
  const std::string text = After(Gather("tensor<3x1xui8>"), &ClampGathers);
  EXPECT_TRUE(Holds(text, "(tensor<3x1xui8>) -> tensor<3x1xi32>")) << text;
}

TEST(ClampGathersTest, ConstantsThatFitStay) {
  const auto of = [](const std::string& indices) {
    return After(Program("%a: tensor<8xf32>", "tensor<3xf32>",
                         "%i = stablehlo.constant dense<" + indices +
                             R"(> : tensor<3x1xi32>
                %0 = "stablehlo.gather"(%a, %i) <{dimension_numbers =
                    #stablehlo.gather<collapsed_slice_dims = [0],
                        start_index_map = [0], index_vector_dim = 1>,
                    slice_sizes = array<i64: 1>}>
                    : (tensor<8xf32>, tensor<3x1xi32>) -> tensor<3xf32>)"),
                 &ClampGathers);
  };
  EXPECT_FALSE(Holds(of("[[0], [7], [3]]"), "clamp"));
  EXPECT_FALSE(Holds(of("7"), "clamp"));
  EXPECT_TRUE(Holds(of("[[0], [8], [3]]"), "clamp"));
  EXPECT_TRUE(Holds(of("-1"), "clamp"));
}

// Rows of an array of 3 x 4 x 5 x 6 at places along two dimensions.
std::string GatherAt(const std::string& indexed, const std::string& collapsed,
                     const std::string& sizes, const std::string& result) {
  return After(
      Program(
          "%a: tensor<3x4x5x6xf32>, %i: tensor<7x1xi32>, "
          "%j: tensor<7x1xi64>",
          result,
          R"(%k = stablehlo.convert %j : (tensor<7x1xi64>) -> tensor<7x1xi32>
          %b = stablehlo.concatenate %i, %k, dim = 1
              : (tensor<7x1xi32>, tensor<7x1xi32>) -> tensor<7x2xi32>
          %0 = "stablehlo.gather"(%a, %b) <{dimension_numbers =
              #stablehlo.gather<offset_dims = [1, 2],
                  collapsed_slice_dims = [)" +
              collapsed + "], start_index_map = [" + indexed +
              R"(], index_vector_dim = 1>, slice_sizes = array<i64: )" + sizes +
              R"(>}> : (tensor<3x4x5x6xf32>, tensor<7x2xi32>) -> )" + result),
      &FlattenGathers);
}

TEST(FlattenGathersTest, TwoDimensionsBecomeOne) {
  const std::string text =
      GatherAt("2, 1", "1, 2", "3, 1, 1, 6", "tensor<7x3x6xf32>");
  EXPECT_TRUE(Holds(text, "-> tensor<3x20x6xf32>")) << text;
  EXPECT_TRUE(Holds(text,
                    "collapsed_slice_dims = [1], start_index_map = [1], "
                    "index_vector_dim = 1>"))
      << text;
  EXPECT_TRUE(Holds(text, "slice_sizes = array<i64: 3, 1, 6>")) << text;
  // Of what was put side by side.
  EXPECT_FALSE(Holds(text, "slice %2")) << text;
  EXPECT_EQ(Count(text, "clamp"), 2u) << text;
}

TEST(FlattenGathersTest, OthersStay) {
  // Dimensions apart, and slices of several places.
  for (const std::string& text :
       {GatherAt("1, 3", "1, 3", "3, 1, 5, 1", "tensor<7x3x5xf32>"),
        GatherAt("1, 2", "0, 1", "1, 1, 2, 6", "tensor<7x2x6xf32>")}) {
    EXPECT_FALSE(Holds(text, "clamp")) << text;
  }
}

// Of an array of 3 x 4 x 5 at places along all dimensions; `indices` makes %b
// of %i, of tensor<7x3xi32>.
std::string ScatterAt(const std::string& indices, const std::string& indexed) {
  return After(
      Program("%a: tensor<3x4x5xf32>, %i: tensor<7x3xi32>, %u: tensor<7xf32>",
              "tensor<3x4x5xf32>",
              indices + R"(
          %0 = "stablehlo.scatter"(%a, %b, %u) <{scatter_dimension_numbers =
              #stablehlo.scatter<inserted_window_dims = [0, 1, 2],
                  scatter_dims_to_operand_dims = [)" +
                  indexed + R"(], index_vector_dim = 1>}> ({
            ^bb0(%x: tensor<f32>, %y: tensor<f32>):
              stablehlo.return %y : tensor<f32>
          }) : (tensor<3x4x5xf32>, tensor<7x3xi32>, tensor<7xf32>)
              -> tensor<3x4x5xf32>)"),
      &FlattenScatters);
}

TEST(FlattenScattersTest, ComponentsBecomeOnePlace) {
  const std::string text = ScatterAt(R"(
      %p = "stablehlo.slice"(%i) <{start_indices = array<i64: 0, 0>,
          limit_indices = array<i64: 7, 2>, strides = array<i64: 1, 1>}>
          : (tensor<7x3xi32>) -> tensor<7x2xi32>
      %q = "stablehlo.slice"(%i) <{start_indices = array<i64: 0, 2>,
          limit_indices = array<i64: 7, 3>, strides = array<i64: 1, 1>}>
          : (tensor<7x3xi32>) -> tensor<7x1xi32>
      %b = stablehlo.concatenate %p, %q, dim = 1
          : (tensor<7x2xi32>, tensor<7x1xi32>) -> tensor<7x3xi32>)",
                                     "2, 0, 1");
  EXPECT_TRUE(Holds(text, "-> tensor<60xf32>")) << text;
  EXPECT_TRUE(Holds(text, "-> tensor<3x4x5xf32>")) << text;
  EXPECT_TRUE(Holds(text,
                    "inserted_window_dims = [0], "
                    "scatter_dims_to_operand_dims = [0], index_vector_dim = 1"))
      << text;
  EXPECT_EQ(Count(text, "clamp"), 3u) << text;
  for (const char* step :
       {"<1> : tensor<7xi32>", "<20> : tensor<7xi32>", "<5> : tensor<7xi32>"}) {
    EXPECT_TRUE(Holds(text, step)) << text;
  }
  // What is out of bounds along one dimension is at no other place.
  EXPECT_TRUE(Holds(text, "<-2147483648> : tensor<7xi32>")) << text;
  EXPECT_TRUE(Holds(text, "select")) << text;
}

TEST(FlattenScattersTest, IndicesThatTheProgramHasAsOneArrayStay) {
  const std::string text =
      ScatterAt("%b = stablehlo.add %i, %i : tensor<7x3xi32>", "0, 1, 2");
  EXPECT_FALSE(Holds(text, "clamp")) << text;
}

TEST(ExpandBatchedScattersTest, PlacesInABatchBecomeIndices) {
  const std::string text =
      After(Scatter("inserted_window_dims = [1], input_batching_dims = [0], "
                    "scatter_indices_batching_dims = [0], "
                    "scatter_dims_to_operand_dims = [1], index_vector_dim = 1",
                    "tensor<4x2xf32>", "tensor<4x1xi32>", "tensor<4xf32>"),
            &ExpandBatchedScatters);
  EXPECT_TRUE(Holds(text, "iota dim = 0 : tensor<4x1xi32>")) << text;
  EXPECT_TRUE(Holds(text, "inserted_window_dims = [0, 1]")) << text;
  EXPECT_FALSE(Holds(text, "batching")) << text;
  EXPECT_FALSE(Holds(text, "unique_indices = true")) << text;
}

TEST(IndexInsertedDimensionsTest, AnArrayWrittenAsAWholeGetsADimension) {
  const std::string text =
      After(Scatter("update_window_dims = [0]", "tensor<8xf32>",
                    "tensor<0xi32>", "tensor<8xf32>"),
            &IndexInsertedDimensions);
  EXPECT_TRUE(Holds(text, "tensor<1x8xf32>")) << text;
  EXPECT_TRUE(Holds(text, "scatter_dims_to_operand_dims = [0]")) << text;
}

// A column of an array, after the pass.
std::string Column(const std::string& indices, const std::string& updates,
                   const std::string& body = "stablehlo.return %y") {
  return After(
      Scatter("update_window_dims = [0], inserted_window_dims = [1], "
              "scatter_dims_to_operand_dims = [1], index_vector_dim = 1",
              "tensor<2x8xf32>", indices, updates, body),
      &UpdateOneWindow);
}

TEST(UpdateOneWindowTest, IsASlice) {
  const std::string text = Column("tensor<1x1xi32>", "tensor<2x1xf32>");
  EXPECT_FALSE(Holds(text, "scatter")) << text;
  EXPECT_TRUE(Holds(text, "dynamic_update_slice")) << text;
  // What does not fit stays.
  EXPECT_TRUE(Holds(text, "select")) << text;
}

TEST(UpdateOneWindowTest, IsCombinedWithWhatIsThere) {
  const std::string text = Column("tensor<1x1xui8>", "tensor<2x1xf32>",
                                  "%s = stablehlo.add %x, %y : tensor<f32>\n"
                                  "stablehlo.return %s");
  EXPECT_TRUE(Holds(text, "stablehlo.map")) << text;
  EXPECT_TRUE(Holds(text, "(tensor<1xui8>) -> tensor<1xi32>")) << text;
}

TEST(UpdateOneWindowTest, SeveralStay) {
  EXPECT_TRUE(Holds(Column("tensor<3x1xi32>", "tensor<2x3xf32>"), "scatter"));
}

TEST(UpdateOneWindowTest, AllOfTheArrayIsNoSlice) {
  const std::string text =
      After(Scatter("update_window_dims = [0], index_vector_dim = 0",
                    "tensor<8xf32>", "tensor<0xi32>", "tensor<8xf32>"),
            &UpdateOneWindow);
  EXPECT_TRUE(Holds(text, "return %arg2")) << text;
}

TEST(IndexInsertedDimensionsTest, WhatNothingIndexesIsAtZero) {
  const std::string text =
      After(Scatter("update_window_dims = [1], inserted_window_dims = [0], "
                    "index_vector_dim = 1",
                    "tensor<1x8xf32>", "tensor<3x0xi32>", "tensor<3x8xf32>"),
            &IndexInsertedDimensions);
  EXPECT_TRUE(Holds(text, "dense<0> : tensor<3x1xi32>")) << text;
  EXPECT_TRUE(Holds(text, "scatter_dims_to_operand_dims = [0]")) << text;
}

void KeepInBounds(const Ir& ir) { KeepScattersInBounds(ir, false); }

TEST(KeepScattersInBoundsTest, WhatDoesNotFitGoesBesideTheArray) {
  const std::string text = After(
      Scatter(kElements, "tensor<8xf32>", "tensor<3x1xi32>", "tensor<3xf32>"),
      &KeepInBounds);
  EXPECT_TRUE(Holds(text, "-> tensor<9xf32>")) << text;
  EXPECT_TRUE(Holds(text, "[0:8]")) << text;
}

TEST(KeepScattersInBoundsTest, WhatIsAddedBecomesZero) {
  const std::string text = After(
      Scatter(kElements, "tensor<8xf32>", "tensor<3x1xi32>", "tensor<3xf32>",
              "%s = stablehlo.add %x, %y : tensor<f32>\n"
              "stablehlo.return %s"),
      &KeepInBounds);
  EXPECT_TRUE(Holds(text, "dense<-0.000000e+00>")) << text;
  EXPECT_FALSE(Holds(text, "tensor<9xf32>")) << text;
}

TEST(KeepScattersInBoundsTest, WhatIsAddedToItselfIsNoAddition) {
  const std::string text = After(
      Scatter(kElements, "tensor<8xf32>", "tensor<3x1xi32>", "tensor<3xf32>",
              "%s = stablehlo.add %y, %y : tensor<f32>\n"
              "stablehlo.return %s"),
      &KeepInBounds);
  EXPECT_TRUE(Holds(text, "tensor<9xf32>")) << text;
}

TEST(KeepScattersInBoundsTest, LeavesWhatIsCheckedLater) {
  const auto after = [](const char* window, const char* update) {
    return After(Scatter(window, "tensor<8x4xf32>", "tensor<3x1xui8>", update),
                 [](const Ir& ir) { KeepScattersInBounds(ir, true); });
  };
  const std::string row = after(
      "update_window_dims = [1], inserted_window_dims = [0], "
      "scatter_dims_to_operand_dims = [0], index_vector_dim = 1",
      "tensor<3x4xf32>");
  EXPECT_FALSE(Holds(row, "clamp")) << row;
  EXPECT_TRUE(Holds(row, "tensor<3x1xi")) << row;
  EXPECT_TRUE(
      Holds(after("update_window_dims = [1, 2], "
                  "scatter_dims_to_operand_dims = [0], index_vector_dim = 1",
                  "tensor<3x2x4xf32>"),
            "dense<-2147483648> : tensor<3xi32>"));
}

TEST(SpreadIndexedWindowsTest, EachElementHasAnIndex) {
  const std::string text = After(
      Scatter("update_window_dims = [1], scatter_dims_to_operand_dims = [0], "
              "index_vector_dim = 1",
              "tensor<8xf32>", "tensor<3x1xi32>", "tensor<3x2xf32>"),
      &SpreadIndexedWindows);
  EXPECT_TRUE(Holds(text, "tensor<3x2x1xi32>, tensor<3x2xf32>")) << text;
  EXPECT_TRUE(Holds(text, "inserted_window_dims = [0]")) << text;
}

TEST(PutIndexedDimensionsFirstTest, ArraysAndUpdatesAreTransposed) {
  const std::string text =
      After(Scatter("update_window_dims = [0], inserted_window_dims = [1], "
                    "scatter_dims_to_operand_dims = [1], index_vector_dim = 1",
                    "tensor<2x8xf32>", "tensor<3x1xi32>", "tensor<2x3xf32>"),
            &PutIndexedDimensionsFirst);
  EXPECT_TRUE(
      Holds(text, "(tensor<8x2xf32>, tensor<3x1xi32>, tensor<3x2xf32>)"))
      << text;
  EXPECT_TRUE(
      Holds(text, "update_window_dims = [1], inserted_window_dims = [0]"))
      << text;
}

}  // namespace
}  // namespace iree_pjrt
