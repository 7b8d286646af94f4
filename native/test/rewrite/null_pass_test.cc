// SPDX-License-Identifier: Apache-2.0
// The test to copy: a module before the pass and after it.
#include "rewrite/null/null_pass.h"

#include <gtest/gtest.h>

#include "parsed_module.h"

namespace iree_pjrt {
namespace {

TEST(NullPassTest, OtherOperationsStay) {
  const std::string text = After(R"(module {
    func.func @main(%x: tensor<8xf32>) -> tensor<8xf32> {
      %0 = stablehlo.add %x, %x : tensor<8xf32>
      return %0 : tensor<8xf32>
    }
  })",
                                 &NullPass);
  EXPECT_TRUE(Holds(text, "stablehlo.add %arg0, %arg0")) << text;
}

}  // namespace
}  // namespace iree_pjrt
