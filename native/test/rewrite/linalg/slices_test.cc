// SPDX-License-Identifier: Apache-2.0
// Rewrites of slices on tensors, as text before and after.
#include <gtest/gtest.h>

#include <string>

#include "parsed_module.h"
#include "rewrite/linalg/passes.h"

namespace iree_pjrt {
namespace {

// Elements of %x at 4 to 6, then of %y at every other place from 0 on; what
// `slice` takes of them: `[0] [3] [2]`.
std::string Taken(const std::string& slice, const std::string& count) {
  const std::string type = "tensor<" + count + "xf32>";
  return After(R"(module {
    util.func public @main(%a: tensor<8xf32>, %x: tensor<3xf32>,
                           %y: tensor<2xf32>) -> )" +
                   type + R"( {
      %0 = tensor.insert_slice %x into %a[4] [3] [1]
          : tensor<3xf32> into tensor<8xf32>
      %1 = tensor.insert_slice %y into %0[0] [2] [2]
          : tensor<2xf32> into tensor<8xf32>
      %2 = tensor.extract_slice %1)" +
                   slice + " : tensor<8xf32> to " + type + R"(
      util.return %2 : )" +
                   type + R"(
    }
  })",
               &TakeFromParts);
}

TEST(TakeFromPartsTest, OfTheLastPartAndOfOneBelow) {
  EXPECT_TRUE(Holds(Taken("[0] [2] [2]", "2"), "_slice %arg2[0] [2] [1]"));
  EXPECT_TRUE(Holds(Taken("[2] [1] [5]", "1"), "_slice %arg2[1] [1] [2]"));
  EXPECT_TRUE(Holds(Taken("[4] [3] [1]", "3"), "_slice %arg1[0] [3] [1]"));
  EXPECT_TRUE(Holds(Taken("[4] [2] [2]", "2"), "_slice %arg1[0] [2] [2]"));
}

TEST(TakeFromPartsTest, WhatIsOfSeveralPartsOrOfNoneStays) {
  for (const char* slice : {"[1] [2] [4]", "[2] [2] [3]", "[3] [2] [1]",
                            "[6] [2] [1]", "[1] [2] [2]"}) {
    EXPECT_TRUE(Holds(Taken(slice, "2"), "extract_slice %inserted_slice_0"))
        << Taken(slice, "2");
  }
}

}  // namespace
}  // namespace iree_pjrt
