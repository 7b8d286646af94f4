// SPDX-License-Identifier: Apache-2.0
#include "mlir/array_type.h"

#include <gtest/gtest.h>

#include <optional>
#include <string>

#include "base/status.h"
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

// The shape that the framework sees.
Shape Seen(const std::string& text) {
  Shape shape;
  WithModule("module {}",
             [&](const Ir& ir) { shape = ReadShape(ir, ir.ParseType(text)); });
  return shape;
}

TEST(ReadShapeTest, ReadsBothDialects) {
  EXPECT_EQ(Seen("tensor<2x3xf32>").dims, Dims({2, 3}));
  const Shape vhlo = Seen("!vhlo.tensor_v1<7x!vhlo.ui32_v1>");
  EXPECT_EQ(vhlo.type->pjrt, PJRT_Buffer_Type_U32);
  EXPECT_EQ(vhlo.dims, Dims({7}));
  EXPECT_EQ(Seen("tensor<i1>").type->pjrt, PJRT_Buffer_Type_PRED);
  EXPECT_EQ(Seen("!vhlo.tensor_v1<!vhlo.bool_v1>").type->pjrt,
            PJRT_Buffer_Type_PRED);
  EXPECT_EQ(Seen("tensor<4xcomplex<f32>>").type->pjrt, PJRT_Buffer_Type_C64);
  EXPECT_EQ(
      Seen("!vhlo.tensor_v1<4x!vhlo.complex_v1<!vhlo.f64_v1>>").type->pjrt,
      PJRT_Buffer_Type_C128);
}

TEST(ReadShapeTest, RefusesTheRest) {
  for (const char* text : {"tensor<?xf32>", "tensor<4xi7>", "vector<4xf32>",
                           "tensor<4xf32, 1 : i32>", "!stablehlo.token"}) {
    WithModule("module {}", [&](const Ir& ir) {
      EXPECT_THROW(ReadShape(ir, ir.ParseType(text)), Error) << text;
    });
  }
}

}  // namespace
}  // namespace iree_pjrt
