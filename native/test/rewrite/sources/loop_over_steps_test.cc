// SPDX-License-Identifier: Apache-2.0
// LoopOverSteps, as text before and after.
#include <gtest/gtest.h>

#include <string>

#include "parsed_module.h"
#include "rewrite/sources/passes.h"

namespace iree_pjrt {
namespace {

// The copy of every `row`-th row, and of every `step`-th column.
std::string Copied(int row, int step) {
  const std::string from =
      "!iree_tensor_ext.dispatch.tensor<readonly:tensor<100x100xf32>>";
  const std::string to =
      "!iree_tensor_ext.dispatch.tensor<writeonly:tensor<50x50xf32>>";
  const std::string layout =
      "#hal.pipeline.layout<bindings = [#hal.pipeline.binding<storage_buffer>, "
      "#hal.pipeline.binding<storage_buffer>]>";
  return After(
      "module { func.func @f() { %c0 = arith.constant 0 : index %from = "
      "hal.interface.binding.subspan layout(" +
          layout + ") binding(0) offset(%c0) : " + from +
          " %to = hal.interface.binding.subspan layout(" + layout +
          ") binding(1) offset(%c0) : " + to +
          " %part = iree_tensor_ext.dispatch.tensor.load %from, offsets = [0, "
          "0], sizes = [50, 50], strides = [" +
          std::to_string(row) + ", " + std::to_string(step) + "] : " + from +
          " -> tensor<50x50xf32> iree_tensor_ext.dispatch.tensor.store %part, "
          "%to, offsets = [0, 0], sizes = [50, 50], strides = [1, 1] : "
          "tensor<50x50xf32> -> " +
          to + " return } }",
      &LoopOverSteps);
}

TEST(LoopOverStepsTest, WhatHasStepsAlongRows) {
  const std::string text = Copied(2, 2);
  EXPECT_TRUE(Holds(text, "linalg.generic")) << text;
  EXPECT_FALSE(Holds(text, "store %2")) << text;
  EXPECT_FALSE(Holds(Copied(2, 1), "linalg.generic"));
}

}  // namespace
}  // namespace iree_pjrt
