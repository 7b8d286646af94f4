// SPDX-License-Identifier: Apache-2.0
#include "mlir/attributes.h"

#include <gtest/gtest.h>

namespace iree_pjrt {
namespace {

TEST(WithoutVhloTest, TakesWrappersAway) {
  EXPECT_EQ(WithoutVhlo("#vhlo.integer_v1<3 : i32>"), "3 : i32");
  EXPECT_EQ(WithoutVhlo("#vhlo.float_v1<1.5 : !vhlo.f32_v1>"), "1.5 : f32");
  EXPECT_EQ(WithoutVhlo("#vhlo.bool_v1<true>"), "true");
  EXPECT_EQ(WithoutVhlo("#vhlo.array_v1<[#vhlo.tensor_v1<dense<[0, 1]> : "
                        "tensor<2xindex>>]>"),
            "[dense<[0, 1]> : tensor<2xindex>]");
  EXPECT_EQ(WithoutVhlo("#vhlo.dict_v1<{#vhlo.string_v1<\"a\"> = "
                        "#vhlo.dict_v1<{#vhlo.string_v1<\"b\"> = "
                        "#vhlo.tensor_v1<dense<(1.0,2.0)> : "
                        "tensor<1xcomplex<f64>>>}>}>"),
            "{\"a\" = {\"b\" = dense<(1.0,2.0)> : tensor<1xcomplex<f64>>}}");
}

TEST(WithoutVhloTest, LeavesStringsAndBuiltinTextAlone) {
  const std::string text = "{a = \"#vhlo.x<\\\"> !vhlo.f32_v1\", b = 2 : ui8}";
  EXPECT_EQ(WithoutVhlo(text), text);
}

}  // namespace
}  // namespace iree_pjrt
