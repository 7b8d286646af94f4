// SPDX-License-Identifier: Apache-2.0
#include "compile/pass_pipeline.h"

#include <gtest/gtest.h>

#include <string>

#include "base/status.h"
#include "parsed_module.h"

namespace iree_pjrt {
namespace {

TEST(PassPipelineTest, TheCompilerKnowsThoseOfTheStreamPhase) {
  WithModule("module {}", [](const Ir& ir) {
    for (const auto* list :
         {&PassesUntilScheduling(), &PassesFromScheduling()}) {
      EXPECT_NO_THROW(MakePipelines(ir.api, ir.context, *list));
    }
  });
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
