// SPDX-License-Identifier: Apache-2.0
// Rewrites of memory and loops, as text before and after.
#include <gtest/gtest.h>

#include <string>

#include "parsed_module.h"
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

// A loop that starts from one array and uses one, after the pass: of %s, which
// is made outside, %a, which is given, and %c, which the loop carries.
std::string Pinned(const std::string& start, const std::string& used) {
  return After(R"(module {
    util.func public @main(%size: index, %v: i32,
                           %a: !stream.resource<transient>, %n: index)
        -> !stream.resource<transient> {
      %zero = arith.constant 0 : index
      %one = arith.constant 1 : index
      %s = stream.async.splat %v : i32 -> !stream.resource<transient>{%size}
      %r = scf.for %i = %zero to %n step %one iter_args(%c = )" +
                   start + R"() -> !stream.resource<transient> {
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
}

TEST(PinCapturedValuesTest, OfALoopThatUsesWhatIsComputedOutside) {
  EXPECT_TRUE(Holds(Pinned("%s", "%s"), "util.optimization_barrier"));
  EXPECT_FALSE(Holds(Pinned("%s", "%c"), "util.optimization_barrier"));
  EXPECT_TRUE(Holds(Pinned("%s", "%a"), "util.optimization_barrier"));
}

// One barrier that has the splat, and one that parts the loop.
TEST(PinCapturedValuesTest, CapturedConstantPartsStayInOnePlace) {
  const std::string text = Pinned("%a", "%s");
  EXPECT_EQ(Count(text, "util.optimization_barrier"), 2u) << text;
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

// A loop that carries %c from %s, which is made for it, or %a, which is given;
// each turn transfers it to %t and computes %w, before which `body` comes, and
// yields `left`.
std::string Carried(const std::string& start, const std::string& body,
                    const std::string& left = "%w") {
  const std::string array = "!stream.resource<transient>";
  const std::string copy = ": " + array + "{%size} -> " + array + "{%size}\n";
  return After("module { util.func public @main(%size: index, %v: i32, %a: " +
                   array + ", %n: index) -> " + array + R"( {
      %zero = arith.constant 0 : index
      %one = arith.constant 1 : index
      %s = stream.async.splat %v : i32 -> )" +
                   array + "{%size}\n%r = scf.for %i = %zero to %n step %one " +
                   "iter_args(%c = " + start + ") -> " + array +
                   " {\n%t = stream.async.transfer %c " + copy + body +
                   "%w = stream.async.fill %v, %t[%zero to %one for %one] : "
                   "i32 -> %t as " +
                   array + "{%size}\nscf.yield " + left + " : " + array +
                   "\n}\nutil.return %r : " + array + "\n} }",
               &WriteCarriedInPlace);
}

size_t Transfers(const std::string& text) {
  return Count(text, "stream.async.transfer");
}

TEST(WriteCarriedInPlaceTest, WhatTheLoopHasAlone) {
  const std::string text = Carried("%s", "");
  EXPECT_EQ(Transfers(text), 0u) << text;
}

TEST(WriteCarriedInPlaceTest, WhatIsGivenIsCopiedOnce) {
  const std::string text = Carried("%a", "");
  EXPECT_EQ(Transfers(text), 1u) << text;
  EXPECT_LT(text.find("stream.async.transfer"), text.find("scf.for")) << text;
}

TEST(WriteCarriedInPlaceTest, WhatIsNeededLaterIsTransferred) {
  constexpr char kBarrier[] =
      "%b = util.optimization_barrier %c : !stream.resource<transient>\n";
  EXPECT_EQ(Transfers(Carried("%s", kBarrier)), 1u);
  // Somebody else's in the next turn.
  EXPECT_EQ(Transfers(Carried("%s", "", "%a")), 1u);
}

// A turn that reads %c as %x, copies it and writes one or the other into the
// copy.
std::string Copied(const std::string& written) {
  const std::string array = "!stream.resource<transient>";
  return After(
      "module { util.func public @main(%size: index, %v: i32, %n: index) -> " +
          array + R"( {
      %zero = arith.constant 0 : index
      %one = arith.constant 1 : index
      %s = stream.async.splat %v : i32 -> )" +
          array + "{%size}\n%r = scf.for %i = %zero to %n step %one " +
          "iter_args(%c = %s) -> " + array +
          " {\n%t = stream.async.transfer %c : " + array + "{%size} -> " +
          array + "{%size}\n%y = stream.async.splat %v : i32 -> " + array +
          "{%one}\n%x = stream.async.slice %t[%zero to %one] : " + array +
          "{%size} -> " + array + "{%one}\n%d = stream.async.clone %t : " +
          array + "{%size} -> " + array + "{%size}\n%w = stream.async.update " +
          written + ", %d[%zero to %one] : " + array + "{%one} -> %d as " +
          array + "{%size}\nscf.yield %w : " + array +
          "\n}\nutil.return %r : " + array + "\n} }",
      &WriteCarriedInPlace);
}

TEST(WriteCarriedInPlaceTest, WhatNeedsAllThatWasReadGoesThere) {
  EXPECT_EQ(Count(Copied("%x"), "stream.async.clone"), 0u) << Copied("%x");
  EXPECT_EQ(Count(Copied("%y"), "stream.async.clone"), 1u) << Copied("%y");
}

// The beginning of a module whose functions dispatch @e::@d.
const std::string kDispatched = R"(module {
    stream.executable private @e {
      stream.executable.export public @d workgroups() -> (index, index, index) {
        %c1 = arith.constant 1 : index
        stream.return %c1, %c1, %c1 : index, index, index
      }
    }
)";

// A loop over %c, somebody else's as well, of which each turn transfers %t and
// dispatches `given`.
std::string ReadIn(const std::string& given) {
  return After(
      kDispatched +
          R"(    util.func public @main(%size: index, %a: !stream.resource<transient>)
        -> !stream.resource<transient> {
      %zero = arith.constant 0 : index
      %r = scf.while (%c = %a) : (!stream.resource<transient>)
          -> !stream.resource<transient> {
        %t = stream.async.transfer %c : !stream.resource<transient>{%size}
            -> !stream.resource<transient>{%size}
        %w = stream.async.dispatch @e::@d(%t[%zero to %size for %size])
            : (!stream.resource<transient>{%size}) -> )" +
          given + R"({%size}
        %b = util.optimization_barrier %c : !stream.resource<transient>
        %p = arith.constant true
        scf.condition(%p) %w : !stream.resource<transient>
      } do {
      ^bb0(%x: !stream.resource<transient>):
        scf.yield %x : !stream.resource<transient>
      }
      util.return %r : !stream.resource<transient>
    }
  })",
      &ReadCarriedInPlace);
}

TEST(ReadCarriedInPlaceTest, WhatIsNotWrittenIsNotCopied) {
  const std::string text = ReadIn("!stream.resource<transient>");
  EXPECT_EQ(Transfers(text), 0u) << text;
}

TEST(ReadCarriedInPlaceTest, WhatIsWrittenIs) {
  const std::string text = ReadIn("%t");
  EXPECT_EQ(Transfers(text), 1u) << text;
}

// An array that is read by one dispatch and then written into by another, which
// takes `taken` as well.
std::string ReadAndWritten(const std::string& taken) {
  return After(
      kDispatched +
          R"(    util.func public @main(%size: index, %a: !stream.resource<transient>)
        -> (!stream.resource<transient>, !stream.resource<transient>) {
      %zero = arith.constant 0 : index
      %v = stream.async.dispatch @e::@d(%a[%zero to %size for %size])
          : (!stream.resource<transient>{%size})
          -> !stream.resource<transient>{%size}
      %r = stream.async.dispatch @e::@d(%v[%zero to %size for %size])
          : (!stream.resource<transient>{%size})
          -> !stream.resource<transient>{%size}
      %w = stream.async.dispatch @e::@d(%v[%zero to %size for %size],
          )" +
          taken +
          R"([%zero to %size for %size])
          : (!stream.resource<transient>{%size},
             !stream.resource<transient>{%size}) -> %v{%size}
      util.return %r, %w
          : !stream.resource<transient>, !stream.resource<transient>
    }
  })",
      &CopyReadTargets);
}

TEST(CopyReadTargetsTest, WhatSomebodyMayStillReadIsCopied) {
  const std::string text = ReadAndWritten("%v");
  EXPECT_EQ(Count(text, "stream.async.clone"), 1u) << text;
}

TEST(CopyReadTargetsTest, WhatTheReaderWasNeededForIsNot) {
  const std::string text = ReadAndWritten("%r");
  EXPECT_EQ(Count(text, "stream.async.clone"), 0u) << text;
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

// The memory of two results that are put together.
constexpr char kOneForTwo[] = R"(
      %0:3 = stream.resource.pack slices({[0, 0] = %a, [0, 0] = %b}) : index
      %r, %t = stream.resource.alloca uninitialized
          : !stream.resource<external>{%0#0} => !stream.timepoint
      %1 = stream.resource.subview %r[%0#1]
          : !stream.resource<external>{%0#0} -> !stream.resource<external>{%a}
      %2 = stream.resource.subview %r[%0#2]
          : !stream.resource<external>{%0#0} -> !stream.resource<external>{%b})";

TEST(AllocateDirectlyTest, EachResultHasItsOwnMemory) {
  const std::string text = After(std::string(R"(module {
    util.func public @main(%a: index, %b: index)
        -> (!stream.resource<external>, !stream.resource<external>,
            !stream.timepoint) {)") + kOneForTwo +
                                     R"(
      util.return %1, %2, %t : !stream.resource<external>,
          !stream.resource<external>, !stream.timepoint
    }
  })",
                                 &AllocateDirectly);
  EXPECT_FALSE(Holds(text, "alloca ")) << text;
  EXPECT_FALSE(Holds(text, "subview")) << text;
  for (const char* size : {"%arg0", "%arg1"}) {
    EXPECT_TRUE(Holds(text,
                      "stream.resource.alloc uninitialized : "
                      "!stream.resource<external>{" +
                          std::string(size) + "}"))
        << text;
  }
  EXPECT_TRUE(Holds(text, "stream.timepoint.immediate")) << text;
}

TEST(AllocateDirectlyTest, WhatItWaitedForIsWaitedForStill) {
  const std::string text = After(R"(module {
    util.func public @main(%a: index, %before: !stream.timepoint)
        -> (!stream.resource<transient>, !stream.timepoint) {
      %r, %t = stream.resource.alloca uninitialized await(%before)
          => !stream.resource<transient>{%a} => !stream.timepoint
      util.return %r, %t : !stream.resource<transient>, !stream.timepoint
    }
  })",
                                 &AllocateDirectly);
  EXPECT_FALSE(Holds(text, "alloca ")) << text;
  EXPECT_TRUE(Holds(text, "!stream.resource<transient>{%arg0}")) << text;
  EXPECT_TRUE(Holds(text, ", %arg1 : ")) << text;
}

TEST(AllocateDirectlyTest, LoopsAllocateInTheOrderOfTheirTurns) {
  const std::string text = After(std::string(R"(module {
    util.func public @main(%a: index, %b: index, %c: i1) {
      scf.if %c {)") + kOneForTwo + R"(
        util.optimization_barrier %1, %2
            : !stream.resource<external>, !stream.resource<external>
      }
      util.return
    }
  })",
                                 &AllocateDirectly);
  EXPECT_TRUE(Holds(text, "stream.resource.alloca ")) << text;
  EXPECT_TRUE(Holds(text, "stream.resource.subview")) << text;
}

}  // namespace
}  // namespace iree_pjrt
