// SPDX-License-Identifier: Apache-2.0
#include "mlir/attributes.h"

#include <gtest/gtest.h>

#include "base/status.h"
#include "parsed_module.h"

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

TEST(AttributesTest, EntriesAndWordsAreRead) {
  WithModule("module {}", [](const Ir& ir) {
    const MlirAttribute some = ir.Parse("{a = \"b = 3\", c = 3 : i32}");
    EXPECT_EQ(ReadString(ir, EntryOf(ir, some, "a")), "b = 3");
    EXPECT_EQ(ReadInteger(ir, EntryOf(ir, some, "c")), 3);
    EXPECT_EQ(EntryOf(ir, some, "b").ptr, nullptr);
    EXPECT_EQ(ReadString(ir, {nullptr}), "");
    EXPECT_THROW(ReadString(ir, EntryOf(ir, some, "c")), Error);
    EXPECT_EQ(ReadWord(ir, ir.Parse("#stablehlo<fft_type IRFFT>")), "IRFFT");
    EXPECT_EQ(ReadWord(ir, ir.Parse("#vhlo<fft_type_v1 FFT>")), "FFT");
    EXPECT_EQ(ReadWord(ir, {nullptr}), "");
  });
}

}  // namespace
}  // namespace iree_pjrt
