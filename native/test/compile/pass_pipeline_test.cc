// SPDX-License-Identifier: Apache-2.0
#include "compile/pass_pipeline.h"

#include <gtest/gtest.h>

#include <string>

#include "base/status.h"
#include "parsed_module.h"

namespace iree_pjrt {
namespace {

TEST(PassPipelineTest, TheCompilerKnowsOurLists) {
  WithModule("module {}", [](const Ir& ir) {
    EXPECT_NO_THROW(PassPipeline(ir.api, ir.context, PassesToDispatches()));
    EXPECT_NO_THROW(PassPipeline(ir.api, ir.context, PassesToVm()));
    for (const bool straight_line : {false, true}) {
      for (const auto& list : {PassesUntilScheduling(straight_line),
                               PassesFromScheduling(straight_line)}) {
        EXPECT_NO_THROW(MakePipelines(ir.api, ir.context, list));
      }
    }
  });
}

bool StraightLine(const std::string& program) {
  bool is_one = false;
  WithModule(program, [&](const Ir& ir) { is_one = IsStraightLine(ir); });
  return is_one;
}

TEST(PassPipelineTest, GlobalsAndControlFlowAreNoStraightLine) {
  const std::string executable = R"(
flow.executable private @e { builtin.module {
  func.func @loops(%n: index) {
    %0 = arith.constant 0 : index
    %1 = arith.constant 1 : index
    scf.for %i = %0 to %n step %1 { }
    return
  }
} })";
  const std::string plain =
      "util.func public @f(%a: i32) -> i32 { util.return %a : i32 }";
  const std::string loop = R"(
util.func public @g(%a: i32, %n: index) -> i32 {
  %0 = arith.constant 0 : index
  %1 = arith.constant 1 : index
  %r = scf.for %i = %0 to %n step %1 iter_args(%x = %a) -> i32 {
    %y = arith.addi %x, %x : i32
    scf.yield %y : i32
  }
  util.return %r : i32
})";
  const std::string branch = R"(
util.func public @h(%a: i32) -> i32 {
  cf.br ^next(%a : i32)
^next(%b: i32):
  util.return %b : i32
})";
  const std::string device = "util.global private @d : !hal.device\n";
  EXPECT_TRUE(StraightLine(executable + plain));
  EXPECT_TRUE(StraightLine(device + plain));
  EXPECT_FALSE(StraightLine(plain + loop));
  EXPECT_FALSE(StraightLine(plain + branch));
  EXPECT_FALSE(StraightLine(plain + "util.global private mutable @s : i32"));
}

TEST(PassPipelineTest, AnUnknownPassIsNamedThoughItMayGiveUp) {
  WithModule("module {}", [](const Ir& ir) {
    try {
      PassPipeline(
          ir.api, ir.context,
          {.pipeline = "canonicalize,iree-no-such-pass", .may_give_up = true});
      ADD_FAILURE() << "not refused";
    } catch (const Error& error) {
      EXPECT_EQ(error.code(), PJRT_Error_Code_FAILED_PRECONDITION);
      EXPECT_TRUE(Holds(error.what(), "iree-no-such-pass")) << error.what();
    }
  });
}

TEST(PassPipelineTest, OneRunsOverModuleAfterModule) {
  WithModule(
      R"(module {
  module @a { func.func @f() -> i32 {
    %0 = arith.constant 3 : i32
    %1 = arith.addi %0, %0 : i32
    return %1 : i32
  } }
  module @b { func.func @f() -> i32 {
    %0 = arith.constant 5 : i32
    %1 = arith.addi %0, %0 : i32
    return %1 : i32
  } }
})",
      [](const Ir& ir) {
        const PassPipeline fold(ir.api, ir.context,
                                {.pipeline = "canonicalize"});
        for (const MlirOperation op : ir.AllOperations()) {
          if (ir.StringAttribute(op, "sym_name").size() != 1 ||
              ir.Name(op) != "builtin.module") {
            continue;
          }
          EXPECT_EQ(Count(ir.Print(op), "arith.addi"), 1);
          EXPECT_TRUE(fold.Run(op));
          EXPECT_EQ(Count(ir.Print(op), "arith.addi"), 0);
        }
        EXPECT_EQ(Count(ir.Print(ir.module), "arith.addi"), 0);
      });
}

}  // namespace
}  // namespace iree_pjrt
