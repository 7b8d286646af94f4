// SPDX-License-Identifier: Apache-2.0
#include "compile/signature.h"

#include <gtest/gtest.h>

#include <string>

#include "base/status.h"
#include "parsed_module.h"

namespace iree_pjrt {
namespace {

Signature Read(const std::string& program) {
  Signature signature;
  WithModule(program, [&](const Ir& ir) { signature = ReadSignature(ir); });
  return signature;
}

// A program whose argument and result have these attributes.
std::string Program(const std::string& argument, const std::string& result) {
  return "module { func.func @main(%a: tensor<2xf32>, %x: tensor<2x3xf32> " +
         argument + ") -> (tensor<2x3xf32> " + result +
         ") { return %x : tensor<2x3xf32> } }";
}

TEST(SignatureTest, AttributesSayWhatMayBeDonated) {
  const auto donatable = [](const std::string& attributes) {
    return Read(Program(attributes, "")).donatable;
  };
  using Bools = std::vector<bool>;
  EXPECT_EQ(donatable("{tf.aliasing_output = 0 : i32}"), Bools({false, true}));
  EXPECT_EQ(donatable("{jax.buffer_donor = true}"), Bools({false, true}));
  EXPECT_EQ(donatable(""), Bools({false, false}));
  // Neither names inside of texts nor longer ones.
  EXPECT_EQ(donatable(R"({mhlo.sharding = "{tf.aliasing_output}"})"),
            Bools({false, false}));
  EXPECT_EQ(donatable("{jax.buffer_donors = 1 : i32}"), Bools({false, false}));
}

TEST(SignatureTest, AttributesSayWhereOutputsLie) {
  EXPECT_EQ(Read(Program("", "")).output_memories, std::vector<size_t>{0});
  try {
    Read(Program("",
                 R"({a.b = "mhlo.memory_kind}", mhlo.memory_kind = "moon"})"));
    FAIL() << "there is no such memory";
  } catch (const Error& error) {
    EXPECT_TRUE(Holds(error.message(), "memory of kind 'moon'"));
  }
  EXPECT_THROW(Read(Program("", "{mhlo.memory_kind = 3 : i32}")), Error);
}

TEST(SignatureTest, AttributesOfVhloAreRead) {
  const Signature signature = Read(R"(module {
    vhlo.func_v1 @main(%a: !vhlo.tensor_v1<2x!vhlo.f32_v1>)
        -> (!vhlo.tensor_v1<2x!vhlo.f32_v1>) {
      "vhlo.return_v1"(%a) : (!vhlo.tensor_v1<2x!vhlo.f32_v1>) -> ()
    } {arg_attrs = #vhlo.array_v1<[#vhlo.dict_v1<{
           #vhlo.string_v1<"jax.buffer_donor"> = #vhlo.bool_v1<true>}>]>,
       res_attrs = #vhlo.array_v1<[]>,
       sym_visibility = #vhlo.string_v1<"public">}
  })");
  EXPECT_EQ(signature.donatable, std::vector<bool>{true});
  EXPECT_EQ(signature.output_memories, std::vector<size_t>{0});
}

}  // namespace
}  // namespace iree_pjrt
