// SPDX-License-Identifier: Apache-2.0
// Donation through the C API, on a program that writes into its first input.
#include <gtest/gtest.h>

#include "plugin_library.h"

namespace iree_pjrt_test {
namespace {

constexpr char kUpdate[] = R"(
module @jit_update {
  func.func public @main(%a: tensor<4xf32> {tf.aliasing_output = 0 : i32},
                         %u: tensor<1xf32>) -> tensor<4xf32> {
    %c = stablehlo.constant dense<1> : tensor<i32>
    %0 = stablehlo.dynamic_update_slice %a, %u, %c : (tensor<4xf32>, tensor<1xf32>, tensor<i32>) -> tensor<4xf32>
    return %0 : tensor<4xf32>
  }
})";

const std::vector<float> kBefore = {1, 2, 3, 4};
const std::vector<float> kAfter = {1, 9, 3, 4};

class DonationTest : public testing::Test {
 protected:
  void SetUp() override {
    executable_ = Compile(kUpdate);
    ASSERT_NE(executable_, nullptr);
    const float nine = 9;
    input_ = ToDevice(kBefore.data(), {PJRT_Buffer_Type_F32, {4}, {}});
    update_ = ToDevice(&nine, {PJRT_Buffer_Type_F32, {1}, {}});
  }
  void TearDown() override {
    Destroy(input_);
    Destroy(update_);
    Destroy(executable_);
  }

  PJRT_Buffer* Run(std::vector<int64_t> kept = {}) {
    const auto outputs =
        Execute(executable_, {input_, update_}, 1, nullptr, kept);
    return outputs.empty() ? nullptr : outputs[0];
  }

  PJRT_LoadedExecutable* executable_ = nullptr;
  PJRT_Buffer* input_ = nullptr;
  PJRT_Buffer* update_ = nullptr;
};

TEST_F(DonationTest, DeletesTheInputAndWritesInPlace) {
  const uintptr_t address = Address(input_);
  PJRT_Buffer* output = Run();
  EXPECT_TRUE(IsDeleted(input_));
  EXPECT_FALSE(IsDeleted(update_));
  EXPECT_EQ(Floats(ToHost(output)), kAfter);
  EXPECT_EQ(Address(output), address);
  Destroy(output);
}

TEST_F(DonationTest, HonoursNonDonatableInputs) {
  PJRT_Buffer* output = Run({0});
  EXPECT_FALSE(IsDeleted(input_));
  EXPECT_EQ(Floats(ToHost(output)), kAfter);
  EXPECT_EQ(Floats(ToHost(input_)), kBefore);
  Destroy(output);
}

TEST_F(DonationTest, ExternalReferencesKeepTheBytes) {
  auto hold = New<PJRT_Buffer_IncreaseExternalReferenceCount_Args>();
  hold.buffer = input_;
  ExpectOk(Api().PJRT_Buffer_IncreaseExternalReferenceCount(&hold));
  const auto* bytes = reinterpret_cast<const float*>(Address(input_));
  PJRT_Buffer* output = Run();
  EXPECT_TRUE(IsDeleted(input_));
  EXPECT_EQ(Floats(ToHost(output)), kAfter);
  EXPECT_EQ(std::vector<float>(bytes, bytes + 4), kBefore);
  auto drop = New<PJRT_Buffer_DecreaseExternalReferenceCount_Args>();
  drop.buffer = input_;
  ExpectOk(Api().PJRT_Buffer_DecreaseExternalReferenceCount(&drop));
  EXPECT_EQ(
      ToFailure(Api().PJRT_Buffer_DecreaseExternalReferenceCount(&drop)).code,
      PJRT_Error_Code_FAILED_PRECONDITION);
  Destroy(output);
}

TEST_F(DonationTest, CopiesOfTheBufferStayWhole) {
  auto memory = New<PJRT_Buffer_Memory_Args>();
  memory.buffer = input_;
  ExpectOk(Api().PJRT_Buffer_Memory(&memory));
  auto copy = New<PJRT_Buffer_CopyToMemory_Args>();
  copy.buffer = input_;
  copy.dst_memory = memory.memory;
  ExpectOk(Api().PJRT_Buffer_CopyToMemory(&copy));
  PJRT_Buffer* output = Run();
  EXPECT_EQ(Floats(ToHost(output)), kAfter);
  EXPECT_EQ(Floats(ToHost(copy.dst_buffer)), kBefore);
  Destroy(copy.dst_buffer);
  Destroy(output);
}

TEST_F(DonationTest, DonatedBuffersAreGone) {
  Destroy(Run());
  Failure failure;
  EXPECT_TRUE(Execute(executable_, {input_, update_}, 1, &failure).empty());
  EXPECT_EQ(failure.code, PJRT_Error_Code_INVALID_ARGUMENT);
  EXPECT_NE(failure.message.find("donated"), std::string::npos);
}

}  // namespace
}  // namespace iree_pjrt_test
