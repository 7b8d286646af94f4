// SPDX-License-Identifier: Apache-2.0
#include "compile/stream_passes.h"

#include <gtest/gtest.h>

#include <string>

#include "base/status.h"
#include "parsed_module.h"

namespace iree_pjrt {
namespace {

TEST(StreamPassesTest, TheCompilerKnowsThemAll) {
  WithModule("module {}", [](const Ir& ir) {
    for (const auto* list :
         {&PassesUntilScheduling(), &PassesFromScheduling()}) {
      EXPECT_NO_THROW(CheckPasses(ir.api, ir.context, *list));
    }
  });
}

TEST(StreamPassesTest, AnUnknownOneIsNamedThoughItMayGiveUp) {
  WithModule("module {}", [](const Ir& ir) {
    try {
      CheckPasses(ir.api, ir.context,
                  {{.pipeline = "canonicalize,iree-no-such-pass",
                    .may_give_up = true}});
      ADD_FAILURE() << "not refused";
    } catch (const Error& error) {
      EXPECT_EQ(error.code(), PJRT_Error_Code_FAILED_PRECONDITION);
      EXPECT_TRUE(Holds(error.what(), "iree-no-such-pass")) << error.what();
    }
  });
}

}  // namespace
}  // namespace iree_pjrt
