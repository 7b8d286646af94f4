// SPDX-License-Identifier: Apache-2.0
// JoinCopiedDimensions, as text before and after.
#include <gtest/gtest.h>

#include <string>

#include "parsed_module.h"
#include "rewrite/sources/passes.h"

namespace iree_pjrt {
namespace {

// The copy of a part of 8 x 112 x 112 x 3 elements from one array to another.
std::string Copied(const std::string& offsets, const std::string& sizes,
                   const std::string& element = "f32") {
  const auto memory = [&](const std::string& access) {
    return "!iree_tensor_ext.dispatch.tensor<" + access +
           ":tensor<8x112x112x3x" + element + ">>";
  };
  std::string shape;
  for (const char letter : sizes) {
    if (letter == ',') shape += 'x';
    if (letter >= '0' && letter <= '9') shape += letter;
  }
  const std::string part = ", offsets = [" + offsets + "], sizes = [" + sizes +
                           "], strides = [1, 1, 1, 1] : ";
  const std::string tensor = "tensor<" + shape + "x" + element + ">";
  const std::string layout =
      "#hal.pipeline.layout<bindings = [#hal.pipeline.binding<storage_buffer>, "
      "#hal.pipeline.binding<storage_buffer>]>";
  return After(
      "module { func.func @f() { %c0 = arith.constant 0 : index %from = "
      "hal.interface.binding.subspan layout(" +
          layout + ") binding(0) offset(%c0) : " + memory("readonly") +
          " %to = hal.interface.binding.subspan layout(" + layout +
          ") binding(1) offset(%c0) : " + memory("readwrite") +
          " %part = iree_tensor_ext.dispatch.tensor.load %from" + part +
          memory("readonly") + " -> " + tensor +
          " iree_tensor_ext.dispatch.tensor.store %part, %to" + part + tensor +
          " -> " + memory("readwrite") + " return } }",
      &JoinCopiedDimensions);
}

TEST(JoinCopiedDimensionsTest, PixelsAreRows) {
  const std::string text = Copied("0, 0, 2, 0", "8, 112, 100, 3");
  EXPECT_EQ(Count(text, "offsets = [0, 6], sizes = [896, 300]"), 2u) << text;
  EXPECT_TRUE(Holds(text, "readwrite:tensor<896x336xf32>")) << text;
}

TEST(JoinCopiedDimensionsTest, AllThatIsWhole) {
  EXPECT_EQ(Count(Copied("2, 0, 0, 0", "4, 112, 112, 3"),
                  "offsets = [75264], sizes = [150528]"),
            2u);
  EXPECT_EQ(Count(Copied("0, 2, 0, 0", "8, 100, 112, 3", "complex<f32>"),
                  "tensor<8x33600xcomplex<f32>>"),
            2u);
}

TEST(JoinCopiedDimensionsTest, PartsOfTheLastDimensionStay) {
  EXPECT_EQ(Count(Copied("0, 2, 2, 0", "8, 100, 100, 2"),
                  "offsets = [0, 2, 2, 0], sizes = [8, 100, 100, 2]"),
            2u);
}

}  // namespace
}  // namespace iree_pjrt
