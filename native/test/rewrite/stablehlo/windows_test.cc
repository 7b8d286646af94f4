// SPDX-License-Identifier: Apache-2.0
// Windows, as text before and after their passes.
#include <gtest/gtest.h>

#include <string>

#include "parsed_module.h"
#include "rewrite/stablehlo/passes.h"

namespace iree_pjrt {
namespace {

// select_and_scatter of an array of one dimension.
std::string Chosen(int size, int places, int window, int stride,
                   const std::string& padding) {
  const std::string array = "tensor<" + std::to_string(size) + "xf32>";
  const std::string source = "tensor<" + std::to_string(places) + "xf32>";
  return "module {\nfunc.func @main(%x: " + array + ", %s: " + source +
         ", %i: tensor<f32>) -> " + array + R"( {
    %0 = "stablehlo.select_and_scatter"(%x, %s, %i) <{
        padding = dense<)" +
         padding + "> : tensor<1x2xi64>, window_dimensions = array<i64: " +
         std::to_string(window) +
         ">, window_strides = array<i64: " + std::to_string(stride) + R"(>}> ({
      ^bb0(%a: tensor<f32>, %b: tensor<f32>):
        %1 = stablehlo.compare GE, %a, %b, FLOAT
            : (tensor<f32>, tensor<f32>) -> tensor<i1>
        stablehlo.return %1 : tensor<i1>
      }, {
      ^bb0(%a: tensor<f32>, %b: tensor<f32>):
        %1 = stablehlo.add %a, %b : tensor<f32>
        stablehlo.return %1 : tensor<f32>
      }) : ()" +
         array + ", " + source + ", tensor<f32>) -> " + array + R"(
    return %0 : )" +
         array + "\n}\n}";
}

TEST(ExpandSelectAndScatterTest, EachElementLooksAtTheWindowsOverIt) {
  const std::string text =
      After(Chosen(8, 4, 2, 2, "0"), &ExpandSelectAndScatter);
  EXPECT_FALSE(Holds(text, "select_and_scatter")) << text;
  EXPECT_FALSE(Holds(text, "stablehlo.scatter")) << text;
  // One comparison of two elements, one sum for the one window.
  EXPECT_EQ(Count(text, "GE,"), 1u) << text;
  EXPECT_EQ(Count(text, "stablehlo.add"), 2u) << text;
  EXPECT_FALSE(Holds(text, "stablehlo.pad")) << text;
}

TEST(ExpandSelectAndScatterTest, PaddingIsNeverChosen) {
  const std::string text =
      After(Chosen(8, 4, 3, 2, "[[0, 1]]"), &ExpandSelectAndScatter);
  EXPECT_TRUE(Holds(text, "dense<-1> : tensor<i32>")) << text;
  EXPECT_TRUE(Holds(text, "LT,")) << text;
  // Two windows lie over an element.
  EXPECT_EQ(Count(text, "EQ,"), 2u) << text;
}

TEST(ExpandSelectAndScatterTest, ManyWindowsOverAnElementScatter) {
  const std::string text =
      After(Chosen(50, 31, 20, 1, "0"), &ExpandSelectAndScatter);
  EXPECT_EQ(Count(text, "\"stablehlo.scatter\""), 1u) << text;
  EXPECT_FALSE(Holds(text, "NE,")) << text;
}

TEST(ExpandSelectAndScatterTest, LargeWindowsAreTakenInParts) {
  const std::string text =
      After(Chosen(5000, 1, 5000, 1, "0"), &ExpandSelectAndScatter);
  EXPECT_LT(Count(text, "GE,"), 300u);
  EXPECT_GT(Count(text, "GE,"), 60u);
  // Whether a part has a NaN.
  EXPECT_EQ(Count(text, "NE,"), 1u);
  EXPECT_FALSE(Holds(text, "\"stablehlo.scatter\""));
}

TEST(ExpandSelectAndScatterTest, WithoutAWindowThereIsNothingToAdd) {
  const std::string text =
      After(Chosen(2, 0, 3, 1, "0"), &ExpandSelectAndScatter);
  EXPECT_TRUE(Holds(text, "broadcast_in_dim %arg2")) << text;
  EXPECT_FALSE(Holds(text, "stablehlo.map")) << text;
}

// reduce_window of one array of 9, its body given.
std::string Windows(const std::string& body, int window, int places,
                    const std::string& padding = "0") {
  const std::string result = "tensor<" + std::to_string(places) + "xf32>";
  return R"(module {
    func.func @main(%x: tensor<9xf32>, %i: tensor<f32>) -> )" +
         result + R"( {
      %0 = "stablehlo.reduce_window"(%x, %i) <{
          padding = dense<)" +
         padding + "> : tensor<1x2xi64>, window_dimensions = array<i64: " +
         std::to_string(window) + R"(>}> ({
        ^bb0(%a: tensor<f32>, %b: tensor<f32>):
          )" +
         body + R"(
          stablehlo.return %r : tensor<f32>
        }) : (tensor<9xf32>, tensor<f32>) -> )" +
         result + "\n return %0 : " + result + "\n}\n}";
}

constexpr char kOne[] = "%r = stablehlo.maximum %a, %b : tensor<f32>";
constexpr char kTwo[] = R"(%n = stablehlo.negate %b : tensor<f32>
          %r = stablehlo.subtract %a, %n : tensor<f32>)";

TEST(ExpandWindowsTest, OneOperationStays) {
  EXPECT_TRUE(Holds(After(Windows(kOne, 3, 7), &ExpandWindows),
                    "stablehlo.reduce_window"));
}

TEST(ExpandWindowsTest, MoreAreAppliedToWholeArrays) {
  const std::string text = After(Windows(kTwo, 3, 7), &ExpandWindows);
  EXPECT_FALSE(Holds(text, "reduce_window")) << text;
  // Three elements, and what a window starts from.
  EXPECT_EQ(Count(text, "stablehlo.subtract"), 3u) << text;
  EXPECT_TRUE(Holds(text, "tensor<7xf32>")) << text;
}

TEST(ExpandWindowsTest, CumulativeOnesStay) {
  for (const char* padding : {"[[8, 0]]", "[[0, 8]]"}) {
    EXPECT_TRUE(Holds(After(Windows(kTwo, 9, 9, padding), &ExpandWindows),
                      "stablehlo.reduce_window"));
  }
}

TEST(ExpandWindowsTest, SeveralArraysAreExpanded) {
  const std::string text = After(R"(module {
    func.func @main(%x: tensor<9xf32>, %n: tensor<9xi32>, %i: tensor<f32>,
                    %j: tensor<i32>) -> tensor<4xi32> {
      %0:2 = "stablehlo.reduce_window"(%x, %n, %i, %j) <{
          padding = dense<[[1, 0]]> : tensor<1x2xi64>,
          window_dimensions = array<i64: 2>, window_strides = array<i64: 2>,
          window_dilations = array<i64: 3>}> ({
        ^bb0(%a: tensor<f32>, %k: tensor<i32>, %b: tensor<f32>, %l: tensor<i32>):
          %1 = stablehlo.maximum %a, %b : tensor<f32>
          %2 = stablehlo.add %k, %l : tensor<i32>
          stablehlo.return %1, %2 : tensor<f32>, tensor<i32>
        }) : (tensor<9xf32>, tensor<9xi32>, tensor<f32>, tensor<i32>)
            -> (tensor<4xf32>, tensor<4xi32>)
      return %0#1 : tensor<4xi32>
    }
  })",
                                 &ExpandWindows);
  EXPECT_FALSE(Holds(text, "reduce_window")) << text;
  EXPECT_TRUE(Holds(text, "[3:10:2]")) << text;
}

// A cumulative reduction along the first dimension.
std::string Scanned(const std::string& type, int length,
                    const std::string& body, bool reverse = false,
                    int columns = 1) {
  const std::string rest = std::to_string(length - 1);
  const std::string array = "tensor<" + std::to_string(length) + "x" +
                            std::to_string(columns) + "x" + type + ">";
  const std::string one = "tensor<" + type + ">";
  return "module {\nfunc.func @main(%x: " + array + ", %i: " + one + ") -> " +
         array + R"( {
      %0 = "stablehlo.reduce_window"(%x, %i) <{padding = dense<[[)" +
         (reverse ? "0, " + rest : rest + ", 0") +
         "], [0, 0]]> : tensor<2x2xi64>, window_dimensions = array<i64: " +
         std::to_string(length) + ", 1>}> ({\n^bb0(%a: " + one +
         ", %b: " + one + "):\n%r = stablehlo." + body + " %a, %b : " + one +
         "\nstablehlo.return %r : " + one + "\n}) : (" + array + ", " + one +
         ") -> " + array + "\n return %0 : " + array + "\n}\n}";
}

TEST(ScanInBlocksTest, ShortOnesStay) {
  const std::string text = After(Scanned("f32", 128, "add"), &ScanInBlocks);
  EXPECT_EQ(Count(text, "reduce_window"), 1u) << text;
  EXPECT_FALSE(Holds(text, "stablehlo.reshape")) << text;
}

TEST(ScanInBlocksTest, BlocksAndWhatTheyComeTo) {
  const std::string text = After(Scanned("f32", 4096, "add"), &ScanInBlocks);
  // The elements of blocks come first; 128 blocks are scanned as they are.
  EXPECT_EQ(Count(text, "reduce_window"), 2u) << text;
  EXPECT_TRUE(Holds(text, "window_dimensions = array<i64: 32, 1, 1>")) << text;
  EXPECT_TRUE(Holds(text, "window_dimensions = array<i64: 128, 1>")) << text;
  // The last elements of blocks; what comes before the first block is %i.
  EXPECT_TRUE(Holds(text, "[31:32, 0:128, 0:1]")) << text;
  EXPECT_TRUE(Holds(text, "low = [1, 0], high = [-1, 0]")) << text;
  EXPECT_EQ(Count(text, "stablehlo.pad"), 1u) << text;
}

TEST(ScanInBlocksTest, FromTheEnd) {
  const std::string text =
      After(Scanned("f32", 4096, "add", true), &ScanInBlocks);
  EXPECT_TRUE(Holds(text, "[0:1, 0:128, 0:1]")) << text;
  EXPECT_TRUE(Holds(text, "low = [-1, 0], high = [1, 0]")) << text;
  // Transposed, then reversed.
  EXPECT_EQ(Count(text, "optimization_barrier"), 1u) << text;
  for (const std::string& apart :
       {After(Scanned("f32", 2048, "add", true), &ScanInBlocks),
        After(Scanned("f32", 4096, "add", true, 16), &ScanInBlocks),
        After(Scanned("f32", 4096, "add"), &ScanInBlocks)}) {
    EXPECT_FALSE(Holds(apart, "optimization_barrier")) << apart;
  }
}

TEST(ScanInBlocksTest, LongOnesAreBlocksOfBlocks) {
  const std::string text =
      After(Scanned("i32", 1'000'000, "maximum"), &ScanInBlocks);
  EXPECT_EQ(Count(text, "reduce_window"), 4u) << text;
}

TEST(ScanInBlocksTest, ALengthWithoutDivisorIsFilledUp) {
  const std::string text = After(Scanned("f32", 257, "add"), &ScanInBlocks);
  EXPECT_TRUE(Holds(text, "low = [0, 0], high = [31, 0]")) << text;
  EXPECT_TRUE(Holds(text, "[0:257, 0:1]")) << text;
}

TEST(ScanInBlocksTest, RowsThatFillVectorsStayInPlace) {
  const std::string text =
      After(Scanned("f32", 4096, "add", false, 16), &ScanInBlocks);
  EXPECT_FALSE(Holds(text, "stablehlo.transpose")) << text;
  EXPECT_TRUE(Holds(text, "array<i64: 1, 32, 1>")) << text;
}

TEST(ScanInBlocksTest, ProductsOfFloatsStay) {
  EXPECT_EQ(Count(After(Scanned("f32", 4096, "multiply"), &ScanInBlocks),
                  "reduce_window"),
            1u);
  EXPECT_EQ(Count(After(Scanned("i32", 4096, "multiply"), &ScanInBlocks),
                  "reduce_window"),
            2u);
}

TEST(ScanInBlocksTest, NarrowSumsStayWideBetweenBlocks) {
  const std::string text =
      After(Scanned("bf16", 4096, "add"), [](const Ir& ir) {
        WidenSums(ir);
        ScanInBlocks(ir);
      });
  EXPECT_EQ(Count(text, "-> tensor<4096x1xbf16>"), 2u) << text;
  EXPECT_FALSE(Holds(text, "tensor<128x1xbf16>")) << text;
}

// A sum of windows of three with steps of two, over so many numbers.
std::string SumOfThree(const std::string& size, const std::string& places,
                       const std::string& padding = "0, 0") {
  const std::string from = "tensor<" + size + "xf32>";
  const std::string to = "tensor<" + places + "xf32>";
  return After(R"(module {
    func.func @main(%x: )" +
                   from + ", %i: tensor<f32>) -> " + to + R"( {
      %0 = "stablehlo.reduce_window"(%x, %i) <{
          window_dimensions = array<i64: 3>, window_strides = array<i64: 2>,
          padding = dense<[[)" +
                   padding + R"(]]> : tensor<1x2xi64>}> ({
      ^bb0(%a: tensor<f32>, %b: tensor<f32>):
        %s = stablehlo.add %a, %b : tensor<f32>
        stablehlo.return %s : tensor<f32>
      }) : ()" + from +
                   ", tensor<f32>) -> " + to + "\n return %0 : " + to + "}}",
               &CutUnusedEnds);
}

TEST(CutUnusedEndsTest, OfAReduction) {
  EXPECT_TRUE(Holds(SumOfThree("4", "1"), "slice %arg0 [0:3]"));
  EXPECT_FALSE(Holds(SumOfThree("3", "1"), "slice"));
  EXPECT_FALSE(Holds(SumOfThree("6", "2"), "slice"));
  // Padding first.
  const std::string padded = SumOfThree("3", "1", "0, 1");
  EXPECT_FALSE(Holds(padded, "slice")) << padded;
  EXPECT_TRUE(Holds(padded, "padding = dense<0>")) << padded;
}

TEST(CutUnusedEndsTest, OfAConvolution) {
  const std::string text = After(R"(module {
    func.func @main(%x: tensor<2x4x6x5xf32>, %k: tensor<3x3x5x7xf32>)
        -> tensor<2x1x2x7xf32> {
      %0 = stablehlo.convolution(%x, %k)
          dim_numbers = [b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f],
          window = {stride = [2, 2]}
          {batch_group_count = 1 : i64, feature_group_count = 1 : i64}
          : (tensor<2x4x6x5xf32>, tensor<3x3x5x7xf32>) -> tensor<2x1x2x7xf32>
      return %0 : tensor<2x1x2x7xf32>
    }
  })",
                                 &CutUnusedEnds);
  EXPECT_TRUE(Holds(text, "slice %arg0 [0:2, 0:3, 0:6, 0:5]")) << text;
}

// The sums over windows of this size of an array of 2 x 3, padded with `fill`
// as this says.
std::string SumsOfPadded(const std::string& fill, int size,
                         const std::string& padding,
                         const std::string& result) {
  const std::string type = "tensor<" + result + "xf32>";
  const int rows = 2 * size + size - 1;
  const std::string padded = "tensor<" + std::to_string(rows) + "x3xf32>";
  return R"(module {
    func.func @main(%x: tensor<2x3xf32>) -> )" +
         type + R"( {
      %z = stablehlo.constant dense<0.0> : tensor<f32>
      %i = stablehlo.broadcast_in_dim %z, dims = [] : (tensor<f32>) -> tensor<f32>
      %f = stablehlo.constant dense<)" +
         fill + R"(> : tensor<f32>
      %p = stablehlo.pad %x, %f, )" +
         padding + " : (tensor<2x3xf32>, tensor<f32>) -> " + padded + R"(
      %0 = "stablehlo.reduce_window"(%p, %i) <{window_dimensions = array<i64: )" +
         std::to_string(size) + R"(, 1>}> ({
        ^bb0(%a: tensor<f32>, %b: tensor<f32>):
          %r = stablehlo.add %a, %b : tensor<f32>
          stablehlo.return %r : tensor<f32>
        }) : ()" +
         padded + ", tensor<f32>) -> " + type + "\n return %0 : " + type +
         "\n}\n}";
}

TEST(RepeatWindowedElementsTest, WindowsOfOneElementRepeatIt) {
  const std::string text = After(SumsOfPadded("0.0", 3,
                                              "low = [2, 0], high = [2, 0], "
                                              "interior = [2, 0]",
                                              "6x3"),
                                 &RepeatWindowedElements);
  EXPECT_FALSE(Holds(text, "reduce_window")) << text;
  EXPECT_TRUE(Holds(text, "(tensor<2x3xf32>) -> tensor<2x3x3xf32>")) << text;
}

TEST(RepeatWindowedElementsTest, OtherPaddingStays) {
  for (const auto& [fill, padding] :
       {std::pair("1.0", "low = [2, 0], high = [2, 0], interior = [2, 0]"),
        std::pair("0.0", "low = [1, 0], high = [3, 0], interior = [2, 0]"),
        std::pair("0.0", "low = [3, 0], high = [2, 0], interior = [1, 0]")}) {
    EXPECT_TRUE(Holds(
        After(SumsOfPadded(fill, 3, padding, "6x3"), &RepeatWindowedElements),
        "reduce_window"))
        << padding;
  }
}

}  // namespace
}  // namespace iree_pjrt
