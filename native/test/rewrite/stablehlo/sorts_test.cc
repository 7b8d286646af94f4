// SPDX-License-Identifier: Apache-2.0
// Sorts, as text before and after.
#include <gtest/gtest.h>

#include <string>

#include "base/status.h"
#include "base/text.h"
#include "parsed_module.h"
#include "rewrite/stablehlo/comparator.h"
#include "rewrite/stablehlo/passes.h"

namespace iree_pjrt {
namespace {

// Of two operands of type f32 and i32, along dimension 1.
std::string Sort(const std::string& comparator,
                 const std::string& results = "%0#0, %0#1 : $T, $U",
                 int size = 100) {
  std::string text = R"(
    module {
      func.func @main(%x: $T, %y: $U, %s: tensor<f32>) -> ($T, $U) {
        %0:2 = "stablehlo.sort"(%x, %y) <{dimension = 1 : i64,
                                          is_stable = true}> ({
        ^bb0(%a: tensor<f32>, %b: tensor<f32>,
             %i: tensor<i32>, %j: tensor<i32>):
          )" + comparator +
                     R"(
          stablehlo.return %r : tensor<i1>
        }) : ($T, $U) -> ($T, $U)
        return )" + results +
                     "\n      }\n    }";
  const std::string dims = "tensor<3x" + std::to_string(size) + "x";
  ReplaceAll(text, "$T", dims + "f32>");
  ReplaceAll(text, "$U", dims + "i32>");
  return text;
}

std::string Compare(const std::string& name, const std::string& direction,
                    const std::string& operands, const std::string& type,
                    const std::string& order) {
  return "%" + name + " = stablehlo.compare " + direction + ", " + operands +
         ", " + order + " : (tensor<" + type + ">, tensor<" + type +
         ">) -> tensor<i1>\n";
}

std::string Called(const std::string& comparator) {
  return After(Sort(comparator), &RewriteSorts);
}

TEST(RewriteSortsTest, AComparisonIsAKey) {
  const std::string text =
      Called(Compare("r", "LT", "%i, %j", "i32", "SIGNED"));
  EXPECT_FALSE(Holds(text, "stablehlo.sort")) << text;
  EXPECT_TRUE(Holds(text, "custom_call @iree_pjrt_sort(%arg0, %arg1)")) << text;
  EXPECT_TRUE(Holds(text, "dimension = 1 : i32")) << text;
  EXPECT_TRUE(Holds(text, "keys = dense<[[1, 0, 0]]>")) << text;
}

TEST(RewriteSortsTest, DirectionAndSidesSayWhetherItDescends) {
  for (const auto& [direction, operands, descending] :
       {std::tuple{"GT", "%i, %j", "1"},
        {"LT", "%j, %i", "1"},
        {"GT", "%j, %i", "0"}}) {
    const std::string text =
        Called(Compare("r", direction, operands, "i32", "SIGNED"));
    EXPECT_TRUE(
        Holds(text, std::string("keys = dense<[[1, 0, ") + descending + "]]>"))
        << text;
  }
}

TEST(RewriteSortsTest, FloatsHaveTwoOrders) {
  EXPECT_TRUE(Holds(Called(Compare("r", "LT", "%a, %b", "f32", "TOTALORDER")),
                    "keys = dense<[[0, 1, 0]]>"));
  EXPECT_TRUE(Holds(Called(Compare("r", "LT", "%a, %b", "f32", "FLOAT")),
                    "keys = dense<[[0, 2, 0]]>"));
}

std::string Unified(const std::string& to, const std::string& x) {
  const std::string f = " : tensor<i1>, tensor<f32>\n";
  return "%z" + to + " = stablehlo.constant dense<0.0> : tensor<f32>\n" + "%n" +
         to + " = stablehlo.constant dense<0x7FC00000> : tensor<f32>\n" +
         Compare("e" + to, "EQ", x + ", %z" + to, "f32", "FLOAT") + "%s" + to +
         " = stablehlo.select %e" + to + ", %z" + to + ", " + x + f +
         Compare("d" + to, "NE", x + ", " + x, "f32", "FLOAT") + "%" + to +
         " = stablehlo.select %d" + to + ", %n" + to + ", %s" + to + f;
}

TEST(RewriteSortsTest, WhatJaxDoesToFloatsIsAnOrder) {
  const std::string text =
      Called(Unified("p", "%a") + Unified("q", "%b") +
             Compare("r", "LT", "%p, %q", "f32", "TOTALORDER"));
  EXPECT_TRUE(Holds(text, "keys = dense<[[0, 2, 0]]>")) << text;
  EXPECT_FALSE(Holds(text, "stablehlo.select")) << text;
}

TEST(RewriteSortsTest, TiesAreDecidedByTheNextKey) {
  const std::string compares =
      Compare("l", "GT", "%a, %b", "f32", "TOTALORDER") +
      Compare("e", "EQ", "%b, %a", "f32", "TOTALORDER") +
      Compare("n", "NE", "%a, %b", "f32", "TOTALORDER") +
      Compare("m", "LT", "%i, %j", "i32", "SIGNED");
  for (const char* joined :
       {"%c = stablehlo.and %e, %m : tensor<i1>\n"
        "%r = stablehlo.or %l, %c : tensor<i1>",
        "%c = stablehlo.and %m, %e : tensor<i1>\n"
        "%r = stablehlo.or %c, %l : tensor<i1>",
        "%r = stablehlo.select %e, %m, %l : tensor<i1>, tensor<i1>",
        "%r = stablehlo.select %n, %l, %m : tensor<i1>, tensor<i1>"}) {
    const std::string text = Called(compares + joined);
    EXPECT_TRUE(Holds(text, "keys = dense<[[0, 1, 1], [1, 0, 0]]>")) << text;
  }
}

TEST(RewriteSortsTest, FunctionsOfElementsAreComputedOfArrays) {
  const std::string text = Called(
      "%c = stablehlo.constant dense<3> : tensor<i32>\n"
      "%u = stablehlo.convert %a : (tensor<f32>) -> tensor<i32>\n"
      "%v = stablehlo.convert %b : (tensor<f32>) -> tensor<i32>\n"
      "%p = stablehlo.multiply %u, %i : tensor<i32>\n"
      "%q = stablehlo.multiply %v, %j : tensor<i32>\n"
      "%k = stablehlo.add %p, %c : tensor<i32>\n"
      "%l = stablehlo.add %q, %c : tensor<i32>\n" +
      Compare("r", "LT", "%k, %l", "i32", "SIGNED"));
  EXPECT_TRUE(Holds(text, "stablehlo.convert %arg0")) << text;
  EXPECT_TRUE(Holds(text, "tensor<3x100xi32>")) << text;
  EXPECT_TRUE(Holds(text, "keys = dense<[[2, 0, 0]]>")) << text;
}

TEST(RewriteSortsTest, OnlyWhatIsUsedIsSorted) {
  const std::string comparator = Compare("r", "LT", "%i, %j", "i32", "SIGNED");
  const std::string text =
      After(Sort(comparator, "%x, %0#1 : $T, $U"), &RewriteSorts);
  EXPECT_TRUE(Holds(text, "@iree_pjrt_sort(%arg1)")) << text;
  EXPECT_TRUE(Holds(text, "keys = dense<0> : tensor<1x3xi32>")) << text;
}

TEST(RewriteSortsTest, APartIsAskedForAlone) {
  const std::string text = After(R"(
    module {
      func.func @main(%x: tensor<3x100xf32>)
          -> (tensor<2x10xf32>, tensor<3x5xf32>) {
        %0 = "stablehlo.sort"(%x) <{dimension = 1 : i64}> ({
        ^bb0(%a: tensor<f32>, %b: tensor<f32>):
          %r = stablehlo.compare LT, %a, %b, TOTALORDER
              : (tensor<f32>, tensor<f32>) -> tensor<i1>
          stablehlo.return %r : tensor<i1>
        }) : (tensor<3x100xf32>) -> tensor<3x100xf32>
        %1 = stablehlo.slice %0 [1:3, 20:30]
            : (tensor<3x100xf32>) -> tensor<2x10xf32>
        %2 = stablehlo.slice %0 [0:3, 35:40]
            : (tensor<3x100xf32>) -> tensor<3x5xf32>
        return %1, %2 : tensor<2x10xf32>, tensor<3x5xf32>
      }
    })",
                                 &RewriteSorts);
  EXPECT_TRUE(Holds(text, "begin = 20 : i32")) << text;
  EXPECT_TRUE(Holds(text, "-> tensor<3x20xf32>")) << text;
  EXPECT_TRUE(Holds(text, "[1:3, 0:10]")) << text;
  EXPECT_TRUE(Holds(text, "[0:3, 15:20]")) << text;
}

TEST(RewriteSortsTest, ASingleElementIsSorted) {
  const std::string comparator = Compare("r", "LT", "%i, %j", "i32", "SIGNED");
  for (const int size : {0, 1}) {
    const std::string text =
        After(Sort(comparator, "%0#0, %0#1 : $T, $U", size), &RewriteSorts);
    EXPECT_TRUE(Holds(text, "return %arg0, %arg1")) << text;
  }
}

TEST(RewriteSortsTest, FewShortLinesStay) {
  const auto after = [&](int64_t size, const std::string& element) {
    std::string text = R"(
      module {
        func.func @main(%x: $T) -> $T {
          %0 = "stablehlo.sort"(%x) <{dimension = 0 : i64}> ({
          ^bb0(%i: tensor<$E>, %j: tensor<$E>):
            %r = stablehlo.compare LT, %i, %j, TOTALORDER
                : (tensor<$E>, tensor<$E>) -> tensor<i1>
            stablehlo.return %r : tensor<i1>
          }) : ($T) -> $T
          return %0 : $T
        }
      })";
    ReplaceAll(text, "$T", "tensor<" + std::to_string(size) + "x$E>");
    ReplaceAll(text, "$E", element);
    return After(text, &RewriteSorts);
  };
  EXPECT_TRUE(Holds(after(kShortLine, "f32"), "stablehlo.sort"));
  EXPECT_FALSE(Holds(after(kShortLine + 1, "f32"), "stablehlo.sort"));
  EXPECT_FALSE(Holds(after(kShortLine, "f8E5M2FNUZ"), "stablehlo.sort"));
  // IREE would make another operation of it.
  const std::string comparator = Compare("r", "LT", "%i, %j", "i32", "SIGNED");
  EXPECT_FALSE(
      Holds(After(Sort(comparator, "%0#0, %0#1 : $T, $U", 4), &RewriteSorts),
            "stablehlo.sort"));
}

// No order of keys: left for the loop.
const std::string kOther =
    "%d = stablehlo.subtract %i, %j : tensor<i32>\n"
    "%c = stablehlo.constant dense<0> : tensor<i32>\n" +
    Compare("r", "LT", "%d, %c", "i32", "SIGNED");

TEST(RewriteSortsTest, OtherComparatorsStay) {
  const std::string captured =
      "%p = stablehlo.add %a, %s : tensor<f32>\n" +
      Compare("r", "LT", "%p, %b", "f32", "TOTALORDER");
  const std::string not_strict = Compare("r", "LE", "%i, %j", "i32", "SIGNED");
  const std::string of_another_key =
      Compare("l", "LT", "%a, %b", "f32", "TOTALORDER") +
      Compare("e", "EQ", "%i, %j", "i32", "SIGNED") +
      Compare("m", "LT", "%i, %j", "i32", "SIGNED") +
      "%r = stablehlo.select %e, %m, %l : tensor<i1>, tensor<i1>";
  for (const std::string& comparator :
       {kOther, captured, not_strict, of_another_key}) {
    EXPECT_TRUE(Holds(Called(comparator), "stablehlo.sort")) << comparator;
  }
}

TEST(SortInStepsTest, PairsAreSortedInALoop) {
  const std::string text = After(Sort(kOther), &SortInSteps);
  EXPECT_TRUE(Holds(text, "stablehlo.while")) << text;
  // 7 bits: 49 steps.
  EXPECT_TRUE(Holds(text, "dense<49> : tensor<i32>")) << text;
  EXPECT_TRUE(Holds(text, "tensor<3x64x2xf32>, tensor<3x64x2xi32>")) << text;
  EXPECT_TRUE(Holds(text, "dimension = 2 : i64")) << text;
  // The comparator, and the same with its sides changed.
  const size_t first = text.find("stablehlo.subtract");
  EXPECT_NE(text.find("stablehlo.subtract", first + 1), std::string::npos);
  EXPECT_FALSE(Holds(text, "unrealized")) << text;
}

TEST(SortInStepsTest, ShortLinesStay) {
  const std::string text =
      After(Sort(kOther, "%0#0, %0#1 : $T, $U", 16), &SortInSteps);
  EXPECT_FALSE(Holds(text, "stablehlo.while")) << text;
}

}  // namespace
}  // namespace iree_pjrt
