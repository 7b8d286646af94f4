// SPDX-License-Identifier: Apache-2.0
// Rewrites, as text, of what IREE made of programs: memory, loops, registers.
#include <gtest/gtest.h>

#include "parsed_module.h"
#include "rewrite/flow/passes.h"
#include "rewrite/late/passes.h"
#include "rewrite/stream/passes.h"

namespace iree_pjrt {
namespace {

TEST(AlignLoopsTest, EveryCarriedValueHasAResult) {
  const std::string text = After(R"(module {
    util.func public @main(%a: index, %b: index) -> index {
      %0 = scf.while (%x = %a, %y = %b) : (index, index) -> index {
        %1 = arith.cmpi slt, %x, %y : index
        scf.condition(%1) %x : index
      } do {
      ^bb0(%z: index):
        %2 = arith.addi %z, %z : index
        scf.yield %2, %z : index, index
      }
      util.return %0 : index
    }
  })",
                                 &AlignLoops);
  EXPECT_TRUE(Holds(text, "(index, index) -> (index, index)")) << text;
  EXPECT_TRUE(Holds(text, "#0 : index")) << text;
}

TEST(AlignLoopsTest, ResultsAreInTheOrderOfTheCarriedValues) {
  const std::string text = After(R"(module {
    util.func public @main(%a: tensor<4xf32>, %b: index) -> (i1, tensor<4xf32>) {
      %0:3 = scf.while (%x = %a, %y = %b)
          : (tensor<4xf32>, index) -> (i1, index, tensor<4xf32>) {
        %1 = arith.cmpi slt, %y, %b : index
        scf.condition(%1) %1, %y, %x : i1, index, tensor<4xf32>
      } do {
      ^bb0(%c: i1, %y: index, %x: tensor<4xf32>):
        %2 = arith.select %c, %y, %b : index
        scf.yield %x, %2 : tensor<4xf32>, index
      }
      util.return %0#0, %0#2 : i1, tensor<4xf32>
    }
  })",
                                 &AlignLoops);
  EXPECT_TRUE(
      Holds(text, "(tensor<4xf32>, index, i1) -> (tensor<4xf32>, index, i1)"))
      << text;
  EXPECT_TRUE(Holds(text, "util.return %0#2, %0#0")) << text;
}

TEST(AlignLoopsTest, OtherLoopsStay) {
  const std::string text = After(R"(module {
    util.func public @main(%a: index, %b: index) -> index {
      %0 = scf.while (%x = %a) : (index) -> index {
        %1 = arith.cmpi slt, %x, %b : index
        scf.condition(%1) %x : index
      } do {
      ^bb0(%z: index):
        scf.yield %z : index
      }
      util.return %0 : index
    }
  })",
                                 &AlignLoops);
  EXPECT_TRUE(Holds(text, ": (index) -> index {")) << text;
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

TEST(GuardConstantTermsTest, WhereAReductionAddsTheSameToEachElement) {
  const auto sum = [](const std::string& added) {
    return After(R"(module {
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
          %c = arith.addi %b, )" +
                     added + R"( : i32
          linalg.yield %c : i32
        } -> tensor<i32>
        util.return %0 : tensor<i32>
      }
    })",
                 &GuardConstantTerms);
  };
  EXPECT_TRUE(Holds(sum("%two"), "util.optimization_barrier"));
  EXPECT_TRUE(Holds(sum("%four"), "util.optimization_barrier"));
  EXPECT_TRUE(Holds(sum("%two"), "ins(%0 : tensor<9xi32>)")) << sum("%two");
  EXPECT_TRUE(Holds(sum("%two"), "%0 = tensor.empty() : tensor<9xi32>"));
  EXPECT_FALSE(Holds(sum("%a"), "tensor.empty"));
  EXPECT_FALSE(Holds(sum("%a"), "util.optimization_barrier"));
  EXPECT_FALSE(Holds(sum("%i"), "util.optimization_barrier"));
  EXPECT_FALSE(Holds(sum("%more"), "util.optimization_barrier"));
}

TEST(PinCapturedValuesTest, OfALoopThatUsesWhatIsComputedOutside) {
  const auto loop = [](const std::string& used) {
    return After(R"(module {
      util.func public @main(%size: index, %v: i32,
                             %a: !stream.resource<transient>, %n: index)
          -> !stream.resource<transient> {
        %zero = arith.constant 0 : index
        %one = arith.constant 1 : index
        %s = stream.async.splat %v : i32 -> !stream.resource<transient>{%size}
        %r = scf.for %i = %zero to %n step %one iter_args(%c = %s)
            -> !stream.resource<transient> {
          %d = stream.async.clone )" +
                     used + R"(
              : !stream.resource<transient>{%size}
              -> !stream.resource<transient>{%size}
          scf.yield %d : !stream.resource<transient>
        }
        util.return %r : !stream.resource<transient>
      }
    })",
                 &PinCapturedValues);
  };
  EXPECT_TRUE(Holds(loop("%s"), "util.optimization_barrier"));
  EXPECT_FALSE(Holds(loop("%c"), "util.optimization_barrier"));
  EXPECT_TRUE(Holds(loop("%a"), "util.optimization_barrier"));
}

TEST(PinCapturedValuesTest, OfALoopWhoseStartIsUsedAfterIt) {
  const auto loop = [](const std::string& returned) {
    return After(R"(module {
      util.func public @main(%size: index, %v: i32, %n: index)
          -> (!stream.resource<transient>, !stream.resource<transient>) {
        %zero = arith.constant 0 : index
        %one = arith.constant 1 : index
        %s = stream.async.splat %v : i32 -> !stream.resource<transient>{%size}
        %r = scf.for %i = %zero to %n step %one iter_args(%c = %s)
            -> !stream.resource<transient> {
          scf.yield %c : !stream.resource<transient>
        }
        util.return %r, )" +
                     returned + R"(
            : !stream.resource<transient>, !stream.resource<transient>
      }
    })",
                 &PinCapturedValues);
  };
  EXPECT_TRUE(Holds(loop("%s"), "util.optimization_barrier"));
  EXPECT_FALSE(Holds(loop("%r"), "util.optimization_barrier"));
}

TEST(RefineSubviewsTest, AreOfTheKindOfTheWhole) {
  const std::string text =
      After(R"(module {
    util.func public @main(%a: !stream.resource<transient>, %n: index) {
      %zero = arith.constant 0 : index
      %0 = stream.resource.subview %a[%zero]
          : !stream.resource<transient>{%n} -> !stream.resource<transient>{%n}
      %1 = util.optimization_barrier %0 : !stream.resource<transient>
      util.return
    }
  })",
            [](const Ir& ir) {
              // No text can give the views this type.
              for (const MlirOperation op : ir.AllOperations()) {
                if (ir.Name(op) != "stream.resource.subview") continue;
                ir.api.mlirValueSetType(ir.api.mlirOperationGetResult(op, 0),
                                        ir.ParseType("!stream.resource<*>"));
              }
              RefineSubviews(ir);
            });
  EXPECT_FALSE(Holds(text, "<*>")) << text;
}

TEST(DropDeallocationsTest, WhoWaitedForOneWaitsForWhatItWaitedFor) {
  const std::string text = After(R"(module {
    util.func public @main(%a: !stream.resource<transient>, %n: index,
        %t: !stream.timepoint) -> (!stream.timepoint, !stream.timepoint) {
      %0 = stream.resource.dealloca await(%t) => %a
          : !stream.resource<transient>{%n} => !stream.timepoint
      %1 = stream.resource.dealloca %a
          : !stream.resource<transient>{%n} => !stream.timepoint
      util.return %0, %1 : !stream.timepoint, !stream.timepoint
    }
  })",
                                 &DropDeallocations);
  EXPECT_FALSE(Holds(text, "dealloca")) << text;
  EXPECT_TRUE(Holds(text, "%0 = stream.timepoint.immediate")) << text;
  EXPECT_TRUE(Holds(text, "util.return %arg2, %0")) << text;
}

// A loop that swaps the values it gets.
std::string Swapping(const std::string& first, const std::string& second) {
  return After("vm.module @m { vm.func @f(%c: i32, %a: " + first +
                   ", %b: " + second + ") -> " + first + R"( {
      vm.br ^next(%a, %b : )" +
                   first + ", " + second + R"()
    ^next(%x: )" + first +
                   ", %y: " + second + R"():
      vm.cond_br %c, ^next(%x, %y : )" +
                   first + ", " + second + R"(), ^end
    ^end:
      vm.return %x : )" +
                   first + "}}",
               &SeparateBlockArguments);
}

TEST(SeparateBlockArgumentsTest, BesideAnI64EverythingIsOne) {
  const std::string i32 = Swapping("i32", "i64");
  EXPECT_TRUE(Holds(i32, "vm.ext.i32.i64.u")) << i32;
  EXPECT_TRUE(Holds(i32, "^bb1(%1: i64, %2: i64)")) << i32;
  EXPECT_TRUE(Holds(i32, "vm.return %3 : i32")) << i32;
  const std::string f32 = Swapping("f32", "i64");
  EXPECT_TRUE(Holds(f32, "vm.bitcast.f32.i32")) << f32;
  EXPECT_TRUE(Holds(f32, ": f32")) << f32;
}

TEST(SeparateBlockArgumentsTest, ValuesOfOneSizeStay) {
  EXPECT_FALSE(Holds(Swapping("i32", "i32"), "vm.ext"));
  EXPECT_FALSE(Holds(Swapping("i64", "i64"), "vm.ext"));
}

TEST(SeparateBlockArgumentsTest, WhatIsHandedOverTwiceIsCopied) {
  const std::string text = After(R"(vm.module @m {
    vm.func @f(%a: !vm.buffer, %b: !vm.buffer) -> !vm.buffer {
      vm.br ^next(%a, %b, %a : !vm.buffer, !vm.buffer, !vm.buffer)
    ^next(%x: !vm.buffer, %y: !vm.buffer, %z: !vm.buffer):
      vm.return %x : !vm.buffer
    }
  })",
                                 &SeparateBlockArguments);
  EXPECT_TRUE(Holds(text, "= vm.assign.ref %arg0")) << text;
  EXPECT_FALSE(Holds(text, "vm.br ^bb1(%arg0, %arg1, %arg0")) << text;
}

}  // namespace
}  // namespace iree_pjrt
