// SPDX-License-Identifier: Apache-2.0
// Rewrites of slices on tensors, as text before and after.
#include <gtest/gtest.h>

#include <string>

#include "parsed_module.h"
#include "rewrite/linalg/passes.h"

namespace iree_pjrt {
namespace {

// Elements of %x at 4 to 6, then of %y at every other place from 0 on; what
// `slice` takes of them: `[0] [3] [2]`.
std::string Taken(const std::string& slice, const std::string& count) {
  const std::string type = "tensor<" + count + "xf32>";
  return After(R"(module {
    util.func public @main(%a: tensor<8xf32>, %x: tensor<3xf32>,
                           %y: tensor<2xf32>) -> )" +
                   type + R"( {
      %0 = tensor.insert_slice %x into %a[4] [3] [1]
          : tensor<3xf32> into tensor<8xf32>
      %1 = tensor.insert_slice %y into %0[0] [2] [2]
          : tensor<2xf32> into tensor<8xf32>
      %2 = tensor.extract_slice %1)" +
                   slice + " : tensor<8xf32> to " + type + R"(
      util.return %2 : )" +
                   type + R"(
    }
  })",
               &TakeFromParts);
}

TEST(TakeFromPartsTest, OfTheLastPartAndOfOneBelow) {
  EXPECT_TRUE(Holds(Taken("[0] [2] [2]", "2"), "_slice %arg2[0] [2] [1]"));
  EXPECT_TRUE(Holds(Taken("[2] [1] [5]", "1"), "_slice %arg2[1] [1] [2]"));
  EXPECT_TRUE(Holds(Taken("[4] [3] [1]", "3"), "_slice %arg1[0] [3] [1]"));
  EXPECT_TRUE(Holds(Taken("[4] [2] [2]", "2"), "_slice %arg1[0] [2] [2]"));
}

TEST(TakeFromPartsTest, WhatIsOfSeveralPartsOrOfNoneStays) {
  for (const char* slice : {"[1] [2] [4]", "[2] [2] [3]", "[3] [2] [1]",
                            "[6] [2] [1]", "[1] [2] [2]"}) {
    EXPECT_TRUE(Holds(Taken(slice, "2"), "extract_slice %inserted_slice_0"))
        << Taken(slice, "2");
  }
}

// %x and %y, computed by `computed`, at places of an array of `array`; then
// `rest` makes %r of %1.
std::string PutTogether(const std::string& array, const std::string& part,
                        const std::string& first, const std::string& second,
                        const std::string& rest, const std::string& result,
                        const std::string& computed = "math.absf %e : f32") {
  return After(R"(
    #same = affine_map<(d0, d1) -> (d0, d1)>
    #turned = affine_map<(d0, d1) -> (d1, d0)>
    module {
      util.func public @main(%a: )" +
                   part + ", %b: " + part + ") -> " + result + R"( {
        %x = linalg.generic {indexing_maps = [#same, #same],
                             iterator_types = ["parallel", "parallel"]}
            ins(%a : )" +
                   part + ") outs(%a : " + part + R"() {
        ^bb0(%e: f32, %out: f32):
          %f = )" + computed +
                   R"(
          linalg.yield %f : f32
        } -> )" + part +
                   R"(
        %empty = tensor.empty() : )" +
                   array + R"(
        %0 = tensor.insert_slice %x into %empty)" +
                   first + " : " + part + " into " + array + R"(
        %1 = tensor.insert_slice %b into %0)" +
                   second + " : " + part + " into " + array + "\n" + rest +
                   "\nutil.return %r : " + result + "}}",
               &InterleaveParts);
}

constexpr char kIdentity[] =
    "%r = tensor.cast %1 : tensor<9x2xf32> to tensor<9x2xf32>";

std::string OfColumns(const std::string& computed = "math.absf %e : f32") {
  return PutTogether("tensor<9x2xf32>", "tensor<9x1xf32>",
                     "[0, 0] [9, 1] [1, 1]", "[0, 1] [9, 1] [1, 1]", kIdentity,
                     "tensor<9x2xf32>", computed);
}

TEST(InterleavePartsTest, ColumnsAreChosenBetween) {
  const std::string text = OfColumns();
  EXPECT_TRUE(Holds(text, "ins(%arg1, %0 :")) << text;
  EXPECT_TRUE(Holds(text, "affine_map<(d0, d1) -> (d0, 0)>")) << text;
  EXPECT_EQ(Count(text, "arith.select"), 1u) << text;
  EXPECT_FALSE(Holds(text, "barrier")) << text;
}

TEST(InterleavePartsTest, OfBfloat16BitsAre) {
  const std::string text = After(R"(module {
    util.func public @main(%a: tensor<9x1xbf16>) -> tensor<9x2xbf16> {
      %zero = arith.constant 0.0 : bf16
      %r = tensor.pad %a low[0, 0] high[0, 1] {
      ^bb0(%i: index, %j: index):
        tensor.yield %zero : bf16
      } : tensor<9x1xbf16> to tensor<9x2xbf16>
      util.return %r : tensor<9x2xbf16>
    }
  })",
                                 &InterleaveParts);
  EXPECT_EQ(Count(text, ": bf16 to i16"), 2u) << text;
  EXPECT_EQ(Count(text, " : i16\n"), 1u) << text;
  EXPECT_EQ(Count(text, ": i16 to bf16"), 1u) << text;
  EXPECT_FALSE(Holds(OfColumns(), "arith.bitcast"));
}

TEST(InterleavePartsTest, WhatTakesLongIsComputedOnce) {
  EXPECT_TRUE(
      Holds(OfColumns("math.exp %e : f32\n%g = math.exp %f : f32"), "barrier"));
}

std::string OfRows(const std::string& rest, const std::string& result) {
  return PutTogether("tensor<2x9xf32>", "tensor<1x9xf32>",
                     "[0, 0] [1, 9] [1, 1]", "[1, 0] [1, 9] [1, 1]", rest,
                     result);
}

TEST(InterleavePartsTest, RowsAreIfTheyAreTransposed) {
  const std::string text = OfRows(
      R"(%e = tensor.empty() : tensor<9x2xf32>
         %r = linalg.generic {indexing_maps = [#turned, #same],
                              iterator_types = ["parallel", "parallel"]}
             ins(%1 : tensor<2x9xf32>) outs(%e : tensor<9x2xf32>) {
         ^bb0(%g: f32, %out: f32):
           linalg.yield %g : f32
         } -> tensor<9x2xf32>)",
      "tensor<9x2xf32>");
  EXPECT_TRUE(Holds(text, "affine_map<(d0, d1) -> (0, d0)>")) << text;
  EXPECT_EQ(Count(text, "arith.select"), 1u) << text;
  EXPECT_FALSE(
      Holds(OfRows("%r = tensor.cast %1 : tensor<2x9xf32> to tensor<2x9xf32>",
                   "tensor<2x9xf32>"),
            "arith.select"));
}

TEST(InterleavePartsTest, OtherPartsStay) {
  for (const char* second : {"[0, 0] [9, 1] [1, 1]", "[0, 2] [9, 1] [1, 1]"}) {
    const std::string text = PutTogether(
        "tensor<9x3xf32>", "tensor<9x1xf32>", "[0, 0] [9, 1] [1, 1]", second,
        "%r = tensor.cast %1 : tensor<9x3xf32> to tensor<9x3xf32>",
        "tensor<9x3xf32>");
    EXPECT_FALSE(Holds(text, "arith.select")) << text;
  }
}

// %a padded with %zero to `array`.
std::string PaddedTo(const std::string& array, const std::string& widths) {
  return After(R"(module {
    util.func public @main(%a: tensor<9x1xf32>) -> )" +
                   array + R"( {
      %zero = arith.constant 0.0 : f32
      %r = tensor.pad %a )" +
                   widths + R"( {
      ^bb0(%i: index, %j: index):
        tensor.yield %zero : f32
      } : tensor<9x1xf32> to )" +
                   array + "\nutil.return %r : " + array + "}}",
               &InterleaveParts);
}

TEST(InterleavePartsTest, OtherColumnsAreOneNumber) {
  const std::string padded =
      PaddedTo("tensor<9x4xf32>", "low[0, 1] high[0, 2]");
  EXPECT_FALSE(Holds(padded, "tensor.pad")) << padded;
  EXPECT_TRUE(Holds(padded, ", %in, %cst : f32")) << padded;
  EXPECT_TRUE(Holds(padded, "%c1_i32")) << padded;
  for (const char* widths : {"low[1, 1] high[0, 0]", "low[2, 0] high[1, 0]"}) {
    const std::string array = widths[4] == '1' ? "10x2" : "12x1";
    EXPECT_TRUE(Holds(PaddedTo("tensor<" + array + "xf32>", widths), "pad"));
  }
  const std::string filled = After(R"(module {
    util.func public @main(%a: tensor<9x1xf32>, %b: tensor<9x1xf32>,
                           %n: f32) -> tensor<9x5xf32> {
      %empty = tensor.empty() : tensor<9x5xf32>
      %fill = linalg.fill ins(%n : f32) outs(%empty : tensor<9x5xf32>)
          -> tensor<9x5xf32>
      %0 = tensor.insert_slice %a into %fill[0, 3] [9, 1] [1, 1]
          : tensor<9x1xf32> into tensor<9x5xf32>
      %1 = tensor.insert_slice %b into %0[0, 3] [9, 1] [1, 1]
          : tensor<9x1xf32> into tensor<9x5xf32>
      %2 = tensor.insert_slice %a into %1[0, 0] [9, 1] [1, 1]
          : tensor<9x1xf32> into tensor<9x5xf32>
      util.return %2 : tensor<9x5xf32>
    }
  })",
                                   &InterleaveParts);
  // What is written over is not one of them.
  EXPECT_EQ(Count(filled, "arith.select"), 2u) << filled;
  EXPECT_TRUE(Holds(filled, "ins(%arg0, %arg1 :")) << filled;
}

}  // namespace
}  // namespace iree_pjrt
