// SPDX-License-Identifier: Apache-2.0
#include "mlir/array_type.h"

#include <gtest/gtest.h>

#include <optional>
#include <string>

#include "mlir/stablehlo_builder.h"
#include "parsed_module.h"

namespace iree_pjrt {
namespace {

// The type as `ArrayTypeOf` reads it, in the module of some program.
std::optional<ArrayType> Read(const std::string& text) {
  std::optional<ArrayType> type;
  WithModule("module {}",
             [&](const Ir& ir) { type = ArrayTypeOf(ir, ir.ParseType(text)); });
  return type;
}

TEST(ArrayTypeTest, ReadsBothDialects) {
  for (const char* text :
       {"tensor<4x2xui8>", "!vhlo.tensor_v1<4x2x!vhlo.ui8_v1>"}) {
    const auto type = Read(text);
    ASSERT_TRUE(type) << text;
    EXPECT_EQ(type->shape, Dims({4, 2})) << text;
    EXPECT_EQ(type->Element(), "ui8") << text;
  }
  EXPECT_EQ(Read("tensor<bf16>")->Element(), "bf16");
  EXPECT_EQ(Read("!vhlo.tensor_v1<!vhlo.bool_v1>")->Element(), "i1");
  EXPECT_EQ(Read("tensor<3xcomplex<f32>>")->Element(), "complex<f32>");
  EXPECT_EQ(
      Read("!vhlo.tensor_v1<3x!vhlo.complex_v1<!vhlo.f32_v1>>")->Element(),
      "complex<f32>");
  EXPECT_EQ(Read("!vhlo.tensor_v1<2x!vhlo.f8E4M3FN_v1>")->Element(),
            "f8E4M3FN");
}

TEST(ArrayTypeTest, ReshapesEitherDialect) {
  EXPECT_EQ(Read("tensor<4x2xf32>")->Reshaped({8}), "tensor<8xf32>");
  EXPECT_EQ(Read("!vhlo.tensor_v1<4x!vhlo.f32_v1>")->Reshaped({}),
            "!vhlo.tensor_v1<!vhlo.f32_v1>");
}

TEST(ArrayTypeTest, ReadsNothingElse) {
  EXPECT_FALSE(Read("tensor<?x2xf32>"));
  EXPECT_FALSE(Read("!stablehlo.token"));
  EXPECT_FALSE(Read("i32"));
}

}  // namespace
}  // namespace iree_pjrt
