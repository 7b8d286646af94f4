// SPDX-License-Identifier: Apache-2.0
// The test to copy: a module before the pass and after it. Each test fails if
// the pass does nothing, or too much.
#include "rewrite/null/null_pass.h"

#include <gtest/gtest.h>

#include "parsed_module.h"

namespace iree_pjrt {
namespace {

TEST(NullPassTest, ConversionsToTheSameTypeAreRemoved) {
  const std::string text = After(R"(module {
    func.func @main(%x: tensor<8xf32>) -> tensor<8xf32> {
      %0 = stablehlo.convert %x : tensor<8xf32>
      %1 = stablehlo.add %0, %0 : tensor<8xf32>
      return %1 : tensor<8xf32>
    }
  })",
                                 &NullPass);
  EXPECT_FALSE(Holds(text, "convert")) << text;
  EXPECT_TRUE(Holds(text, "stablehlo.add %arg0, %arg0")) << text;
}

TEST(NullPassTest, OtherConversionsStay) {
  const std::string text = After(R"(module {
    func.func @main(%x: tensor<8xf32>) -> tensor<8xi32> {
      %0 = stablehlo.convert %x : tensor<8xf32>
      %1 = stablehlo.convert %0 : (tensor<8xf32>) -> tensor<8xi32>
      return %1 : tensor<8xi32>
    }
  })",
                                 &NullPass);
  EXPECT_TRUE(Holds(text, "stablehlo.convert %arg0 : (tensor<8xf32>)")) << text;
}

}  // namespace
}  // namespace iree_pjrt
