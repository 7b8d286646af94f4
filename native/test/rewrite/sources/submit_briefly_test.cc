// SPDX-License-Identifier: Apache-2.0
// SubmitBriefly, as text before and after.
#include <gtest/gtest.h>

#include <string>

#include "parsed_module.h"
#include "rewrite/sources/passes.h"

namespace iree_pjrt {
namespace {

std::string Submitting(int dispatches) {
  std::string body;
  for (int i = 0; i < dispatches; ++i) {
    body +=
        "stream.cmd.dispatch @ex::@f { "
        "rw %x[%c0 for %n] : !stream.resource<external>{%n} }\n";
  }
  return After(R"(module {
    stream.executable private @ex {
      stream.executable.export public @f
      builtin.module {
        func.func @f(%b: !stream.binding) {
          return
        }
      }
    }
    util.func public @main(%a: !stream.resource<external>, %n: index)
        -> !stream.timepoint {
      %c0 = arith.constant 0 : index
      %t = stream.cmd.execute
          with(%a as %x: !stream.resource<external>{%n}) {
        )" + body + R"(
      } => !stream.timepoint
      util.return %t : !stream.timepoint
    }
  })",
               &SubmitBriefly);
}

TEST(SubmitBrieflyTest, OnlyWhatHasFewDispatches) {
  EXPECT_TRUE(Holds(Submitting(1), "stream.cmd.execute once"));
  EXPECT_TRUE(Holds(Submitting(15), "stream.cmd.execute once"));
  EXPECT_FALSE(Holds(Submitting(16), "stream.cmd.execute once"));
}

}  // namespace
}  // namespace iree_pjrt
