// SPDX-License-Identifier: Apache-2.0
// Rewrites of reductions, as text before and after.
#include <gtest/gtest.h>

#include <string>

#include "parsed_module.h"
#include "rewrite/stablehlo/passes.h"

namespace iree_pjrt {
namespace {

std::string Largest(const std::string& shape, const std::string& dimension,
                    const std::string& type = "f32") {
  const std::string array = "tensor<" + shape + "x" + type + ">";
  return After("module {\nfunc.func @main(%v: " + array + ", %i: tensor<" +
                   type + ">) -> tensor<5x" + type +
                   "> {\n%0 = stablehlo.reduce(%v init: %i) applies "
                   "stablehlo.maximum across dimensions = [" +
                   dimension + "] : (" + array + ", tensor<" + type +
                   ">) -> tensor<5x" + type + ">\nreturn %0 : tensor<5x" +
                   type + ">\n}\n}",
               &OrderFloatExtremes);
}

TEST(OrderFloatExtremesTest, WhereVectorsAreNotFull) {
  const std::string text = Largest("5x17", "1");
  EXPECT_TRUE(Holds(text, "(tensor<5x17xi32>, tensor<i32>) -> tensor<5xi32>"))
      << text;
  EXPECT_TRUE(Holds(text, "dense<2147483647> : tensor<5x17xi32>")) << text;
  EXPECT_TRUE(Holds(text, "(tensor<5xi32>) -> tensor<5xf32>")) << text;
  EXPECT_TRUE(Holds(Largest("17x5", "0"), "tensor<17x5xi32>"));
  EXPECT_FALSE(Holds(Largest("5x128", "1"), "i32"));
}

TEST(OrderFloatExtremesTest, FloatsOf16BitsAreComparedAsIntegers) {
  EXPECT_TRUE(Holds(Largest("5x128", "1", "bf16"), "tensor<5x128xi16>"));
  EXPECT_TRUE(Holds(Largest("5x128", "1", "f16"), "tensor<5x128xi16>"));
}

// Where the largest of each of 5 rows is, as JAX asks for it, beginning with
// `start`, from arrays of this type, by a body of these changes.
struct Asked {
  std::string element = "f32";
  std::string start = "0xFF800000";
  std::string direction = "GT";
  std::string tie = "LT";
  std::string results = "%1#1";
};
std::string PlaceOfLargest(const Asked& asked) {
  const std::string array = "tensor<5x17x" + asked.element + ">";
  const std::string scalar = "tensor<" + asked.element + ">";
  const std::string row = "tensor<5x" + asked.element + ">";
  const bool both = asked.results != "%1#1";
  const std::string types = both ? row + ", tensor<5xi32>" : "tensor<5xi32>";
  const auto compare = [&](const std::string& how, const std::string& type) {
    return " = stablehlo.compare " + how + " : (" + type + ", " + type +
           ") -> tensor<i1>\n";
  };
  return After(
      "module {\nfunc.func @main(%v: " + array + ") -> (" + types + R"() {
        %0 = stablehlo.iota dim = 1 : tensor<5x17xi32>
        %s = stablehlo.constant dense<)" +
          asked.start + "> : " + scalar + R"(
        %z = stablehlo.constant dense<0> : tensor<i32>
        %1:2 = stablehlo.reduce(%v init: %s), (%0 init: %z) across
            dimensions = [1] : ()" +
          array + ", tensor<5x17xi32>, " + scalar + ", tensor<i32>) -> (" +
          row + ", tensor<5xi32>)\nreducer(%a: " + scalar + ", %b: " + scalar +
          ") (%i: tensor<i32>, %j: tensor<i32>) {\n%2" +
          compare(asked.direction + ", %a, %b", scalar) + "%3" +
          compare("NE, %a, %a", scalar) +
          "%4 = stablehlo.or %2, %3 : "
          "tensor<i1>\n%5" +
          compare("EQ, %a, %b", scalar) + "%6" +
          compare(asked.tie + ", %i, %j", "tensor<i32>") + R"(
          %7 = stablehlo.and %5, %6 : tensor<i1>
          %8 = stablehlo.or %4, %7 : tensor<i1>
          %9 = stablehlo.select %4, %a, %b : tensor<i1>, )" +
          scalar + R"(
          %10 = stablehlo.select %8, %i, %j : tensor<i1>, tensor<i32>
          stablehlo.return %9, %10 : )" +
          scalar + ", tensor<i32>\n}\nreturn " + asked.results + " : " + types +
          "\n}\n}",
      &LocateExtremes);
}

TEST(LocateExtremesTest, TheExtremeIsFoundAndThenItsPlace) {
  const std::string text = PlaceOfLargest({});
  EXPECT_TRUE(Holds(text, "applies stablehlo.maximum across dimensions = [1]"))
      << text;
  EXPECT_TRUE(Holds(text, "applies stablehlo.minimum across dimensions = [1]"))
      << text;
  EXPECT_EQ(Count(text, "optimization_barrier"), 1u) << text;
  EXPECT_EQ(Count(text, "compare NE"), 1u) << text;
  const std::string least =
      PlaceOfLargest({.start = "0x7F800000", .direction = "LT"});
  EXPECT_EQ(Count(least, "applies stablehlo.minimum"), 2u) << least;
}

TEST(LocateExtremesTest, WhatHasNoSignIsConverted) {
  const std::string booleans =
      PlaceOfLargest({.element = "i1", .start = "false"});
  EXPECT_TRUE(Holds(booleans, "(tensor<5x17xi1>) -> tensor<5x17xi8>"))
      << booleans;
  EXPECT_FALSE(Holds(
      PlaceOfLargest({.element = "i1", .start = "true", .direction = "LT"}),
      "reducer("));
  const std::string bytes = PlaceOfLargest({.element = "ui8", .start = "0"});
  EXPECT_TRUE(Holds(bytes, "(tensor<5x17xui8>) -> tensor<5x17xi32>")) << bytes;
  EXPECT_EQ(Count(bytes, "compare NE"), 0u) << bytes;
}

TEST(LocateExtremesTest, OtherReductionsStay) {
  for (const Asked& other :
       {Asked{.start = "0.0"}, Asked{.direction = "GE"}, Asked{.tie = "GT"},
        Asked{.start = "0xFF800000", .direction = "LT"},
        Asked{.results = "%1#0, %1#1"}}) {
    const std::string text = PlaceOfLargest(other);
    EXPECT_TRUE(Holds(text, "reducer(")) << text;
  }
}

// The largest of float32, beginning with a constant.
std::string LargestFrom(const std::string& number) {
  return After(
      "module {\nfunc.func @main(%v: tensor<5x17xf32>) -> "
      "tensor<5xf32> {\n%i = stablehlo.constant dense<" +
          number +
          "> : tensor<f32>\n%0 = stablehlo.reduce(%v init: %i) "
          "applies stablehlo.maximum across dimensions = [1] : "
          "(tensor<5x17xf32>, tensor<f32>) -> tensor<5xf32>\n"
          "return %0 : tensor<5xf32>\n}\n}",
      &OrderFloatExtremes);
}

TEST(OrderFloatExtremesTest, AConstantIsConvertedHere) {
  EXPECT_TRUE(Holds(LargestFrom("0xFF800000"), "dense<-2139095041>"));
  EXPECT_TRUE(Holds(LargestFrom("1.0"), "dense<1065353216> : tensor<i32>"));
  EXPECT_TRUE(Holds(LargestFrom("-0.0"), "dense<-1> : tensor<i32>"));
  EXPECT_TRUE(
      Holds(LargestFrom("0x7FC00000"), "dense<2147483647> : tensor<i32>"));
  EXPECT_FALSE(Holds(LargestFrom("1.0"), "(tensor<f32>) -> tensor<i32>"));
}

// The sum of an array along dimensions, after a pass.
std::string Sum(const std::string& shape, const std::string& dimensions,
                const std::string& result = "",
                void (*pass)(const Ir&) = &SplitReductions) {
  const std::string array = "tensor<" + shape + "xf32>";
  const std::string sum = "tensor<" + result + "f32>";
  return After("module {\nfunc.func @main(%v: " + array +
                   ", %z: tensor<f32>) -> " + sum +
                   " {\n%0 = stablehlo.reduce(%v init: %z) applies "
                   "stablehlo.add across dimensions = [" +
                   dimensions + "] : (" + array + ", tensor<f32>) -> " + sum +
                   "\nreturn %0 : " + sum + "\n}\n}",
               pass);
}

TEST(ReshapeUnitReductionsTest, OneElementIsTheResult) {
  const std::string text = Sum("8x1x5", "1", "8x5x", &ReshapeUnitReductions);
  EXPECT_FALSE(Holds(text, "stablehlo.reduce")) << text;
  EXPECT_TRUE(Holds(text, "(tensor<8x1x5xf32>) -> tensor<8x5xf32>")) << text;
}

TEST(ReshapeUnitReductionsTest, OtherReductionsStay) {
  const auto after = [](const char* dimensions, const char* result) {
    return Sum("8x1x5", dimensions, result, &ReshapeUnitReductions);
  };
  EXPECT_TRUE(Holds(after("1, 2", "8x"), "stablehlo.reduce"));
  EXPECT_TRUE(Holds(after("0", "1x5x"), "stablehlo.reduce"));
}

TEST(SplitReductionsTest, KeepsTheFirstDimensionsApart) {
  const std::string text = Sum("512x200", "0, 1");
  EXPECT_TRUE(Holds(text, "-> tensor<512xf32>")) << text;
  EXPECT_FALSE(Holds(text, "reshape")) << text;
}

TEST(SplitReductionsTest, MakesPartsWhereThereAreNone) {
  EXPECT_TRUE(Holds(Sum("131072", "0"), "-> tensor<128xf32>"));
}

// What the array is computed of can take the shape of one that has more
// dimensions, but none that cuts across them.
TEST(SplitReductionsTest, DimensionsAreCutAndNotJoined) {
  const std::string of_one = Sum("4096x256", "0, 1");
  EXPECT_TRUE(Holds(of_one, "-> tensor<512x8x256xf32>")) << of_one;
  EXPECT_TRUE(Holds(of_one, "-> tensor<512xf32>")) << of_one;
  const std::string of_long = Sum("3x32768", "0, 1");
  EXPECT_TRUE(Holds(of_long, "-> tensor<3x64x512xf32>")) << of_long;
  const std::string rows = Sum("5x100x4096x16", "1, 2, 3", "5x");
  EXPECT_TRUE(Holds(rows, "-> tensor<5x100x32x128x16xf32>")) << rows;
  // 4099 is a prime.
  const std::string prime = Sum("4099x16", "0, 1");
  EXPECT_TRUE(Holds(prime, "stablehlo.slice")) << prime;
}

TEST(SplitReductionsTest, WhatIsComputedTakesTheirShape) {
  const auto after = [](const std::string& computed) {
    return After(R"(module {
      func.func @main(%v: tensor<10000x100xf32>, %w: tensor<100xf32>,
                      %z: tensor<f32>) -> tensor<100xf32> {
        %s = stablehlo.broadcast_in_dim %z, dims = []
            : (tensor<f32>) -> tensor<10000x100xf32>
        %l = stablehlo.broadcast_in_dim %w, dims = [1]
            : (tensor<100xf32>) -> tensor<10000x100xf32>
        %m = stablehlo.multiply %v, )" +
                     computed + R"( : tensor<10000x100xf32>
        %0 = stablehlo.reduce(%m init: %z) applies stablehlo.add
            across dimensions = [0]
            : (tensor<10000x100xf32>, tensor<f32>) -> tensor<100xf32>
        return %0 : tensor<100xf32>
      }
    })",
                 &SplitReductions);
  };
  for (const char* computed : {"%v", "%s"}) {
    const std::string text = after(computed);
    EXPECT_TRUE(Holds(text, " : tensor<125x20x4x100xf32>\n")) << text;
    EXPECT_EQ(Count(text, "multiply"), 2u) << text;  // one is unused
  }
  // Lines that are spread over rows keep theirs.
  EXPECT_TRUE(Holds(after("%l"), " : tensor<10000x100xf32>\n"));
}

TEST(SplitReductionsTest, PartsDoNotGrow) {
  const std::string text = Sum("10000000", "0");
  EXPECT_TRUE(Holds(text, "-> tensor<6250xf32>")) << text;
  // 625,000 parts are many, too.
  EXPECT_GE(Count(Sum("1000000000", "0"), "stablehlo.reduce("), 3u);
}

TEST(SplitReductionsTest, LeavesSmallOnes) {
  EXPECT_FALSE(Holds(Sum("128x256", "0, 1"), "tensor<128xf32>"));
  EXPECT_EQ(Count(Sum("512x1024", "0", "1024x"), "stablehlo.reduce("), 1u);
  EXPECT_EQ(Count(Sum("1024x512", "1", "1024x"), "stablehlo.reduce("), 1u);
}

TEST(SplitReductionsTest, WhatIsLeftOfAnOddLengthIsAdded) {
  const std::string text = Sum("65537", "0");
  EXPECT_TRUE(Holds(text, "-> tensor<128xf32>")) << text;
  EXPECT_TRUE(Holds(text, "[65536:65537]")) << text;
  EXPECT_TRUE(Holds(text, "stablehlo.map")) << text;
}

TEST(SplitReductionsTest, Columns) {
  const std::string text = Sum("1000000x10", "0", "10x");
  EXPECT_TRUE(Holds(text, "tensor<15625x8x8x10xf32>")) << text;
  // 125,000 sums are too many, too.
  EXPECT_EQ(Count(text, "stablehlo.reduce("), 4u) << text;
}

TEST(SplitReductionsTest, LinesThatFillVectorsStayTogether) {
  const std::string text = Sum("10000x100", "0", "100x");
  EXPECT_TRUE(Holds(text, "tensor<125x20x4x100xf32>")) << text;
  EXPECT_TRUE(Holds(text, "tensor<125x4x100xf32>")) << text;
  EXPECT_TRUE(Holds(Sum("10001x100", "0", "100x"), "x100xf32>"));
}

TEST(SplitReductionsTest, RowsOfColumns) {
  const std::string text = Sum("7x4096x9", "1", "7x9x");
  EXPECT_TRUE(Holds(text, "tensor<7x64x4x16x9xf32>")) << text;
  EXPECT_TRUE(Holds(text, "-> tensor<7x9xf32>")) << text;
}

TEST(SplitReductionsTest, LongRows) {
  const std::string text = Sum("3x819200", "1", "3x");
  EXPECT_TRUE(Holds(text, "tensor<3x400x2048xf32>")) << text;
}

TEST(SplitReductionsTest, DimensionsApartAreReducedOneAfterTheOther) {
  const std::string text = Sum("64x16x100x100", "0, 2, 3", "16x");
  EXPECT_TRUE(Holds(text, "-> tensor<64x16xf32>")) << text;
  EXPECT_EQ(Count(text, "stablehlo.reduce("), 2u) << text;
}

TEST(SplitReductionsTest, ImagesByChannels) {
  const std::string text = Sum("32x112x112x64", "0, 1, 2", "64x");
  EXPECT_TRUE(Holds(text, "-> tensor<32x112x64xf32>")) << text;
  EXPECT_FALSE(Holds(text, "reshape")) << text;
}

}  // namespace
}  // namespace iree_pjrt
