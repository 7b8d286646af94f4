// SPDX-License-Identifier: Apache-2.0
// What 3.11 has no operation for.
#include <gtest/gtest.h>

#include <string>

#include "parsed_module.h"
#include "rewrite/stream/passes.h"

namespace iree_pjrt {
namespace {

TEST(RefineSubviewsTest, TheWholeIsCastAndNotTheView) {
  const std::string text = After(R"(module {
    util.func public @main(%a: !stream.resource<*>, %whole: index, %at: index,
        %part: index) -> !stream.resource<external> {
      %0 = stream.resource.subview %a[%at]
          : !stream.resource<*>{%whole} -> !stream.resource<*>{%part}
      %1 = stream.async.cast %0
          : !stream.resource<*>{%part} -> !stream.resource<external>{%part}
      util.return %1 : !stream.resource<external>
    }
  })",
                                 &RefineSubviews);
  EXPECT_TRUE(Holds(text,
                    "stream.async.cast %arg0 : !stream.resource<*>{%arg1} -> "
                    "!stream.resource<external>{%arg1}"))
      << text;
  EXPECT_TRUE(Holds(text,
                    "[%arg2] : !stream.resource<external>{%arg1} -> "
                    "!stream.resource<external>{%arg3}"))
      << text;
}

}  // namespace
}  // namespace iree_pjrt
