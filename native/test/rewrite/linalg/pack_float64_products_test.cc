// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <string>

#include "parsed_module.h"
#include "rewrite/linalg/passes.h"

namespace iree_pjrt {
namespace {

// A product that is added to `start`.
std::string PackedOf(const std::string& rows, const std::string& depth,
                     const std::string& columns, const std::string& element,
                     const std::string& start = "0.0") {
  const std::string a = "tensor<" + rows + "x" + depth + "x" + element + ">";
  const std::string b = "tensor<" + depth + "x" + columns + "x" + element + ">";
  const std::string c = "tensor<" + rows + "x" + columns + "x" + element + ">";
  return After(
      "module { util.func public @main(%a: " + a + ", %b: " + b + ") -> " + c +
          " { %s = arith.constant " + start + " : " + element +
          " %e = tensor.empty() : " + c +
          " %c = linalg.fill ins(%s : " + element + ") outs(%e : " + c +
          ") -> " + c + " %0 = linalg.matmul ins(%a, %b : " + a + ", " + b +
          ") outs(%c : " + c + ") -> " + c + " util.return %0 : " + c + " } }",
      &PackFloat64Products);
}

TEST(PackFloat64ProductsTest, LargeOnesArePacked) {
  const std::string text = PackedOf("1000", "300", "500", "f64");
  EXPECT_TRUE(Holds(text, "tensor<125x300x8x1xf64>")) << text;
  // The last of 32 tiles of 16 columns is filled up.
  EXPECT_TRUE(Holds(text, "tensor<32x300x16x1xf64>")) << text;
  EXPECT_TRUE(Holds(text, "padding_value")) << text;
  EXPECT_TRUE(Holds(text, "linalg.mmt4d")) << text;
  EXPECT_TRUE(Holds(text, "linalg.unpack")) << text;
  EXPECT_FALSE(Holds(text, "linalg.matmul")) << text;
}

TEST(PackFloat64ProductsTest, OthersStay) {
  for (const std::string& text :
       {PackedOf("300", "300", "300", "f64"),
        PackedOf("1000", "1000", "63", "f64"),
        PackedOf("1000", "20", "5000", "f64"),
        PackedOf("1000", "1000", "1000", "f64", "1.0"),
        PackedOf("1000", "1000", "1000", "f32")}) {
    EXPECT_TRUE(Holds(text, "linalg.matmul")) << text;
  }
}

}  // namespace
}  // namespace iree_pjrt
