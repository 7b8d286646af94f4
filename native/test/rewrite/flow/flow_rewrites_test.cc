// SPDX-License-Identifier: Apache-2.0
// Rewrites of what runs dispatches, as text before and after.
#include <gtest/gtest.h>

#include <regex>
#include <string>

#include "parsed_module.h"
#include "rewrite/flow/passes.h"

namespace iree_pjrt {
namespace {

TEST(GuardSharedTargetsTest, UpdatesOfOneArrayBeginApart) {
  const auto barriers = [](const std::string& second) {
    return Count(After(R"(module {
      util.func public @main(%a: tensor<2xf32>, %b: tensor<1xf32>,
                             %e: tensor<3xf32>)
          -> (tensor<3xf32>, tensor<3xf32>) {
        %c0 = arith.constant 0 : index
        %c2 = arith.constant 2 : index
        %0 = flow.tensor.update %a, %e[%c0]
            : tensor<2xf32> -> %e as tensor<3xf32>
        %1 = flow.tensor.update %b, %0[%c2]
            : tensor<1xf32> -> %0 as tensor<3xf32>
        %2 = flow.tensor.update %b, )" +
                           second + R"([%c0] : tensor<1xf32> -> )" + second +
                           R"( as tensor<3xf32>
        util.return %1, %2 : tensor<3xf32>, tensor<3xf32>
      }
    })",
                       &GuardSharedTargets),
                 "util.optimization_barrier");
  };
  EXPECT_EQ(barriers("%0"), 1);
  EXPECT_EQ(barriers("%1"), 0);
}

// A program that writes into an array behind a barrier, or reads it.
std::string BehindABarrier(const std::string& array, const std::string& does) {
  return After(R"(module {
    util.global private @held : tensor<2x2xf32>
    flow.executable private @e { flow.executable.export public @d }
    util.func public @main(%x: tensor<2x2xf32>) -> tensor<4xf32> {
      %held = util.global.load immutable @held : tensor<2x2xf32>
      %made = flow.dispatch @e::@d(%x) : (tensor<2x2xf32>) -> tensor<2x2xf32>
      %whole = flow.tensor.empty : tensor<8xf32>
      %zero = arith.constant 0 : index
      %four = arith.constant 4 : index
      %part = flow.tensor.slice %whole[%zero for %four]
          : tensor<8xf32> -> tensor<4xf32>
      %slice = flow.tensor.reshape %part : tensor<4xf32> -> tensor<2x2xf32>
      %0 = util.optimization_barrier )" +
                   array + R"( : tensor<2x2xf32>
      %1 = flow.tensor.reshape %0 : tensor<2x2xf32> -> tensor<4xf32>
      %other = flow.tensor.empty : tensor<4xf32>
      %size = arith.constant 2 : index
      %2 = )" + does +
                   R"(
      %end = util.optimization_barrier %x : tensor<2x2xf32>
      util.return %2 : tensor<4xf32>
    }
  })",
               &DropBarriers);
}

TEST(DropBarriersTest, WhatIsWrittenIsInFront) {
  for (const char* written :
       {"flow.dispatch @e::@d(%1) : (tensor<4xf32>) -> %1",
        "flow.dispatch @e::@d[%size](%other, %1) : (tensor<4xf32>, "
        "tensor<4xf32>) -> %1"}) {
    for (const char* array : {"%x", "%held", "%made"}) {
      // What is left is the use at the end.
      const std::string text = BehindABarrier(array, written);
      EXPECT_EQ(Count(text, "util.optimization_barrier"), 1U) << text;
      EXPECT_TRUE(Holds(text, "util.optimization_barrier %arg0")) << text;
    }
  }
}

TEST(DropBarriersTest, WhatIsReadIsNot) {
  for (const char* read :
       {"flow.dispatch @e::@d(%1) : (tensor<4xf32>) -> tensor<4xf32>",
        "flow.dispatch @e::@d(%1, %other) : (tensor<4xf32>, tensor<4xf32>) -> "
        "%other",
        "flow.dispatch @e::@d[%size](%1, %other) : (tensor<4xf32>, "
        "tensor<4xf32>) -> %other"}) {
    EXPECT_EQ(Count(BehindABarrier("%x", read), "util.optimization_barrier"),
              2U)
        << read;
  }
}

TEST(DropBarriersTest, WhatIsComputedIsInFront) {
  for (const char* array : {"%made", "%slice"}) {
    EXPECT_EQ(Count(BehindABarrier(array,
                                   "flow.dispatch @e::@d(%1) : (tensor<4xf32>) "
                                   "-> tensor<4xf32>"),
                    "util.optimization_barrier"),
              1U)
        << array;
  }
}

TEST(DropBarriersTest, ASliceOfWhatIsWrittenIsNot) {
  EXPECT_EQ(
      Count(BehindABarrier("%slice",
                           "flow.dispatch @e::@d(%1) : (tensor<4xf32>) -> "
                           "tensor<4xf32>\n%3 = flow.tensor.update %1, "
                           "%whole[%four] : tensor<4xf32> -> %whole as "
                           "tensor<8xf32>"),
            "util.optimization_barrier"),
      2U);
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

// A branch that hands out a value from outside; `before` and `after` are other
// uses of that value.
std::string AfterABranch(const std::string& before, const std::string& after) {
  return After(R"(module {
    util.func public @main(%p: i1, %x: tensor<4xf32>, %y: tensor<4xf32>)
        -> (tensor<4xf32>, tensor<4xf32>) {
      )" + before + R"(
      %0 = scf.if %p -> tensor<4xf32> {
        scf.yield %x : tensor<4xf32>
      } else {
        scf.yield %y : tensor<4xf32>
      }
      )" + after + R"(
    }
  })",
               &KeepSharedResults);
}

TEST(KeepSharedResultsTest, ABranchHandsOutWhatIsReadLater) {
  EXPECT_TRUE(Holds(AfterABranch("",
                                 "util.return %0, %x : tensor<4xf32>, "
                                 "tensor<4xf32>"),
                    "util.optimization_barrier %0"));
  // The same holds for a view of the value.
  EXPECT_TRUE(
      Holds(AfterABranch("%v = flow.tensor.reshape %x : tensor<4xf32> -> "
                         "tensor<2x2xf32>",
                         "%w = flow.tensor.reshape %v : tensor<2x2xf32> -> "
                         "tensor<4xf32>\n"
                         "util.return %0, %w : tensor<4xf32>, tensor<4xf32>"),
            "util.optimization_barrier"));
}

TEST(KeepSharedResultsTest, NotWhatWasReadBefore) {
  EXPECT_FALSE(
      Holds(AfterABranch("%w = flow.tensor.clone %x : tensor<4xf32>",
                         "util.return %0, %w : tensor<4xf32>, tensor<4xf32>"),
            "util.optimization_barrier"));
}

TEST(KeepSharedResultsTest, WhatWentThroughABarrierIsKept) {
  const std::string text =
      AfterABranch("",
                   "%b = util.optimization_barrier %0 : tensor<4xf32>\n"
                   "util.return %b, %x : tensor<4xf32>, tensor<4xf32>");
  const std::string barrier = "util.optimization_barrier ";
  size_t count = 0;
  for (size_t at = 0; (at = text.find(barrier, at)) != std::string::npos;
       at += barrier.size()) {
    ++count;
  }
  // The result, what went through the barrier, and what came in have one each;
  // one was there before.
  EXPECT_EQ(count, 4U) << text;
}

// A loop that starts from `start` and carries `next` on.
std::string AfterALoop(const std::string& start, const std::string& next,
                       const std::string& returned) {
  return After(R"(module {
    util.func public @main(%x: tensor<4xf32>, %y: tensor<4xf32>, %n: index)
        -> (tensor<4xf32>, tensor<4xf32>) {
      %zeros = arith.constant dense<0.0> : tensor<4xf32>
      %table = arith.constant dense<[0.0, 1.0, 2.0, 3.0]> : tensor<4xf32>
      %zero = arith.constant 0 : index
      %one = arith.constant 1 : index
      %0 = scf.for %i = %zero to %n step %one iter_args(%c = )" +
                   start + R"() -> tensor<4xf32> {
        %new = flow.tensor.clone %c : tensor<4xf32>
        scf.yield )" +
                   next + R"( : tensor<4xf32>
      }
      util.return %0, )" +
                   returned + R"( : tensor<4xf32>, tensor<4xf32>
    }
  })",
               &KeepSharedResults);
}

TEST(KeepSharedResultsTest, ALoopMayHandOutWhatItStartsFrom) {
  const std::string text = AfterALoop("%x", "%new", "%x");
  EXPECT_TRUE(Holds(text, "util.optimization_barrier %0")) << text;
  // IREE itself does not write into the start of the loop.
  EXPECT_FALSE(Holds(text, "util.optimization_barrier %arg4")) << text;
  EXPECT_FALSE(Holds(AfterALoop("%x", "%new", "%y"), "barrier"));
  EXPECT_FALSE(Holds(AfterALoop("%zeros", "%new", "%zeros"), "barrier"));
  EXPECT_TRUE(Holds(AfterALoop("%table", "%new", "%y"), "barrier"));
}

TEST(KeepSharedResultsTest, WhatItCameFromIsKept) {
  EXPECT_TRUE(Holds(AfterABranch("",
                                 "util.return %0, %x : tensor<4xf32>, "
                                 "tensor<4xf32>"),
                    "util.optimization_barrier %arg1"));
}

TEST(KeepSharedResultsTest, ALoopThatCarriesOnWhatIsOutside) {
  const std::string text = AfterALoop("%x", "%y", "%x");
  EXPECT_TRUE(Holds(text, "util.optimization_barrier %arg4")) << text;
}

// A reduction of nine numbers by `combine`, of `term` and what came before.
std::string ReducedBy(const std::string& combine, const std::string& term,
                      const std::string& type = "i32",
                      void (*pass)(const Ir&) = &GuardConstantTerms) {
  const std::string text = R"(module {
      util.func public @main(%x: tensor<9xi32>, %start: tensor<i32>)
          -> tensor<i32> {
        %two = arith.constant 2 : i32
        %0 = linalg.generic {indexing_maps = [affine_map<(d0) -> (d0)>,
                                              affine_map<(d0) -> ()>],
                             iterator_types = ["reduction"]}
            ins(%x : tensor<9xi32>) outs(%start : tensor<i32>) {
        ^bb0(%a: i32, %b: i32):
          %index = linalg.index 0 : index
          %i = arith.index_cast %index : index to i32
          %four = arith.muli %two, %two : i32
          %more = arith.muli %two, %i : i32
          %c = arith.)" + combine +
                           " %b, " + term + R"( : i32
          linalg.yield %c : i32
        } -> tensor<i32>
        util.return %0 : tensor<i32>
      }
    })";
  return After(std::regex_replace(text, std::regex("i32"), type), pass);
}

TEST(GuardConstantTermsTest, OneTermStandsForAllThatAreEqual) {
  for (const char* term : {"%two", "%four"}) {
    const std::string sum = ReducedBy("addi", term);
    EXPECT_TRUE(Holds(sum, "%0 = tensor.empty() : tensor<1xi32>")) << sum;
    EXPECT_TRUE(Holds(sum, "ins(%0 : tensor<1xi32>)")) << sum;
    EXPECT_TRUE(Holds(sum, "%c9_i32 = arith.constant 9 : i32")) << sum;
    EXPECT_FALSE(Holds(sum, "util.optimization_barrier")) << sum;
  }
  const std::string largest = ReducedBy("maxsi", "%two");
  EXPECT_TRUE(Holds(largest, "ins(%0 : tensor<1xi32>)")) << largest;
  EXPECT_FALSE(Holds(largest, "9_i32")) << largest;
  // 2 to the power of 9 is two times ((2^2)^2)^2.
  const std::string power = ReducedBy("muli", "%two");
  EXPECT_TRUE(Holds(power, "ins(%0 : tensor<1xi32>)")) << power;
}

TEST(GuardConstantTermsTest, OthersGetABarrierAndNoInput) {
  const std::string text = ReducedBy("xori", "%two");
  EXPECT_TRUE(Holds(text, "util.optimization_barrier")) << text;
  EXPECT_TRUE(Holds(text, "%0 = tensor.empty() : tensor<9xi32>")) << text;
}

TEST(GuardConstantTermsTest, ATypeThatDoesNotHoldTheirNumberGetsABarrier) {
  const std::string text = ReducedBy("addi", "%two", "i4");
  EXPECT_TRUE(Holds(text, "util.optimization_barrier")) << text;
  EXPECT_FALSE(
      Holds(ReducedBy("addi", "%two", "i5"), "util.optimization_barrier"));
}

TEST(GuardConstantTermsTest, TermsThatDifferStay) {
  for (const char* term : {"%a", "%i", "%more"}) {
    const std::string sum = ReducedBy("addi", term);
    EXPECT_FALSE(Holds(sum, "tensor.empty")) << sum;
    EXPECT_FALSE(Holds(sum, "util.optimization_barrier")) << sum;
  }
}

TEST(AddNegativeTermsTest, IntegersAreAdded) {
  const std::string text = ReducedBy("subi", "%a", "i32", &AddNegativeTerms);
  EXPECT_TRUE(Holds(text, "arith.xori %in, %c-1_i32")) << text;
  EXPECT_TRUE(Holds(text, "arith.addi %out, ")) << text;
  EXPECT_FALSE(Holds(text, "arith.subi")) << text;
}

TEST(AddNegativeTermsTest, OtherReductionsStay) {
  // The sum is taken from the term, or is the term.
  for (const char* term : {"%b", "%i"}) {
    const std::string text = ReducedBy("xori", term, "i32", &AddNegativeTerms);
    EXPECT_FALSE(Holds(text, "-1")) << text;
  }
  EXPECT_TRUE(
      Holds(ReducedBy("subi", "%b", "i32", &AddNegativeTerms), "arith.subi"));
}

// The sum of nine floats of a type by `subf`.
std::string Subtracted(const std::string& type) {
  const std::string text = R"(module {
      util.func public @main(%x: tensor<9xf32>, %start: tensor<f32>)
          -> tensor<f32> {
        %0 = linalg.generic {indexing_maps = [affine_map<(d0) -> (d0)>,
                                              affine_map<(d0) -> ()>],
                             iterator_types = ["reduction"]}
            ins(%x : tensor<9xf32>) outs(%start : tensor<f32>) {
        ^bb0(%a: f32, %b: f32):
          %c = arith.subf %b, %a : f32
          linalg.yield %c : f32
        } -> tensor<f32>
        util.return %0 : tensor<f32>
      }
    })";
  return After(std::regex_replace(text, std::regex("f32"), type),
               &AddNegativeTerms);
}

TEST(AddNegativeTermsTest, FloatsGetTheOtherSign) {
  for (const auto& [type, sign] :
       {std::pair("f32", "-2147483648 : i32"),
        std::pair("bf16", "-32768 : i16"),
        std::pair("f64", "-9223372036854775808 : i64")}) {
    const std::string text = Subtracted(type);
    EXPECT_TRUE(Holds(text, sign)) << text;
    EXPECT_TRUE(Holds(text, "arith.addf %out, ")) << text;
    EXPECT_FALSE(Holds(text, "arith.subf")) << text;
  }
}

}  // namespace
}  // namespace iree_pjrt
