// SPDX-License-Identifier: Apache-2.0
// Real compilations with the real libIREECompiler.
#include <gtest/gtest.h>

#include <cstdlib>
#include <thread>

#include "plugin_library.h"

namespace iree_pjrt_test {
namespace {

constexpr char kDouble[] = R"(
module @jit_double {
  func.func public @main(%a: tensor<3xf32>) -> tensor<3xf32> {
    %0 = stablehlo.add %a, %a : tensor<3xf32>
    return %0 : tensor<3xf32>
  }
})";

constexpr char kUnknownCall[] = R"(
module @jit_bad {
  func.func public @main(%a: tensor<3xf32>) -> tensor<3xf32> {
    %0 = stablehlo.custom_call @nobody_knows_me(%a) : (tensor<3xf32>) -> tensor<3xf32>
    return %0 : tensor<3xf32>
  }
})";

constexpr char kCase[] = R"(
module @jit_case {
  func.func public @main(%p: tensor<i32>, %a: tensor<3xf32>) -> tensor<3xf32> {
    %0 = "stablehlo.case"(%p) ({
      %1 = stablehlo.negate %a : tensor<3xf32>
      stablehlo.return %1 : tensor<3xf32>
    }, {
      %1 = stablehlo.add %a, %a : tensor<3xf32>
      stablehlo.return %1 : tensor<3xf32>
    }) : (tensor<i32>) -> tensor<3xf32>
    return %0 : tensor<3xf32>
  }
})";

constexpr char kScatter[] = R"(
module @jit_scatter {
  func.func public @main(%a: tensor<3xf32>, %i: tensor<1xi32>, %u: tensor<f32>) -> tensor<3xf32> {
    %0 = "stablehlo.scatter"(%a, %i, %u) <{scatter_dimension_numbers =
        #stablehlo.scatter<inserted_window_dims = [0], scatter_dims_to_operand_dims = [0]>,
        indices_are_sorted = true, unique_indices = true}> ({
      ^bb0(%x: tensor<f32>, %y: tensor<f32>):
        stablehlo.return %y : tensor<f32>
    }) : (tensor<3xf32>, tensor<1xi32>, tensor<f32>) -> tensor<3xf32>
    return %0 : tensor<3xf32>
  }
})";

class ExecuteTest : public testing::Test {
 protected:
  void SetUp() override {
    ASSERT_NE(std::getenv("IREE_PJRT_COMPILER_LIB_PATH"), nullptr)
        << "set it to the path of libIREECompiler.so";
  }
};

PJRT_Buffer* ThreeFloats() {
  const float values[] = {1, 2, 3};
  return ToDevice(values, {PJRT_Buffer_Type_F32, {3}, {}});
}

std::vector<float> RunOne(PJRT_LoadedExecutable* executable,
                          const std::vector<PJRT_Buffer*>& arguments) {
  const auto outputs = Execute(executable, arguments, 1);
  if (outputs.empty()) return {};
  auto values = Floats(ToHost(outputs[0]));
  Destroy(outputs[0]);
  return values;
}

TEST_F(ExecuteTest, Runs) {
  PJRT_LoadedExecutable* executable = Compile(kDouble);
  ASSERT_NE(executable, nullptr);
  PJRT_Buffer* input = ThreeFloats();
  EXPECT_EQ(RunOne(executable, {input}), (std::vector<float>{2, 4, 6}));
  Destroy(input);
  Destroy(executable);
}

TEST_F(ExecuteTest, BothBranchesOfACase) {
  PJRT_LoadedExecutable* executable = Compile(kCase);
  ASSERT_NE(executable, nullptr);
  PJRT_Buffer* input = ThreeFloats();
  const int32_t branches[] = {0, 1};
  for (const int32_t& branch : branches) {
    PJRT_Buffer* which = ToDevice(&branch, {PJRT_Buffer_Type_S32, {}, {}});
    EXPECT_EQ(RunOne(executable, {which, input}),
              branch ? (std::vector<float>{2, 4, 6})
                     : (std::vector<float>{-1, -2, -3}));
    Destroy(which);
  }
  Destroy(input);
  Destroy(executable);
}

TEST_F(ExecuteTest, InputsAreNeverWritten) {
  PJRT_LoadedExecutable* executable = Compile(kScatter);
  ASSERT_NE(executable, nullptr);
  PJRT_Buffer* input = ThreeFloats();
  const int32_t index = 1;
  const float update = 9;
  PJRT_Buffer* where = ToDevice(&index, {PJRT_Buffer_Type_S32, {1}, {}});
  PJRT_Buffer* what = ToDevice(&update, {PJRT_Buffer_Type_F32, {}, {}});
  EXPECT_EQ(RunOne(executable, {input, where, what}),
            (std::vector<float>{1, 9, 3}));
  EXPECT_EQ(Floats(ToHost(input)), (std::vector<float>{1, 2, 3}));
  for (PJRT_Buffer* buffer : {input, where, what}) Destroy(buffer);
  Destroy(executable);
}

TEST_F(ExecuteTest, CompileErrorsCarryDiagnosticsAndStayOne) {
  Failure failure;
  EXPECT_EQ(Compile(kUnknownCall, &failure), nullptr);
  EXPECT_EQ(failure.code, PJRT_Error_Code_INVALID_ARGUMENT);
  EXPECT_NE(failure.message.find("nobody_knows_me"), std::string::npos);
  EXPECT_EQ(Compile("this is no program", &failure), nullptr);
  EXPECT_NE(failure.message.find("program:1"), std::string::npos)
      << failure.message;
  PJRT_LoadedExecutable* executable = Compile(kDouble);
  ASSERT_NE(executable, nullptr);
  Destroy(executable);
}

TEST_F(ExecuteTest, ErrorsTravelThroughBuffers) {
  PJRT_LoadedExecutable* executable = Compile(kDouble);
  ASSERT_NE(executable, nullptr);
  auto memory = New<PJRT_Device_DefaultMemory_Args>();
  memory.device = FirstDevice();
  ExpectOk(Api().PJRT_Device_DefaultMemory(&memory));
  const int64_t dims[] = {3};
  auto broken = New<PJRT_Client_CreateErrorBuffer_Args>();
  broken.client = SharedClient();
  broken.error_code = PJRT_Error_Code_DATA_LOSS;
  broken.error_message = "lost it";
  broken.error_message_size = 7;
  broken.shape_dims = dims;
  broken.shape_num_dims = 1;
  broken.shape_element_type = PJRT_Buffer_Type_F32;
  broken.memory = memory.memory;
  ExpectOk(Api().PJRT_Client_CreateErrorBuffer(&broken));
  const auto outputs = Execute(executable, {broken.buffer}, 1);
  ASSERT_EQ(outputs.size(), 1u);
  Failure failure;
  ToHost(outputs[0], &failure);
  EXPECT_EQ(failure.code, PJRT_Error_Code_DATA_LOSS);
  EXPECT_EQ(failure.message, "lost it");
  Destroy(outputs[0]);
  Destroy(broken.buffer);
  PJRT_Buffer* input = ThreeFloats();
  EXPECT_EQ(RunOne(executable, {input}), (std::vector<float>{2, 4, 6}));
  Destroy(input);
  Destroy(executable);
}

TEST_F(ExecuteTest, WrongArgumentsAreRefused) {
  PJRT_LoadedExecutable* executable = Compile(kDouble);
  ASSERT_NE(executable, nullptr);
  Failure failure;
  EXPECT_TRUE(Execute(executable, {}, 1, &failure).empty());
  EXPECT_EQ(failure.code, PJRT_Error_Code_INVALID_ARGUMENT);
  const int32_t value = 1;
  PJRT_Buffer* scalar = ToDevice(&value, {PJRT_Buffer_Type_S32, {}, {}});
  EXPECT_TRUE(Execute(executable, {scalar}, 1, &failure).empty());
  EXPECT_EQ(failure.code, PJRT_Error_Code_INVALID_ARGUMENT);
  Destroy(scalar);
  Destroy(executable);
}

TEST_F(ExecuteTest, SeveralThreadsCompileAndRun) {
  std::vector<std::thread> threads;
  for (int i = 0; i < 4; ++i) {
    threads.emplace_back([] {
      PJRT_LoadedExecutable* executable = Compile(kDouble);
      ASSERT_NE(executable, nullptr);
      for (int k = 0; k < 50; ++k) {
        PJRT_Buffer* input = ThreeFloats();
        EXPECT_EQ(RunOne(executable, {input}), (std::vector<float>{2, 4, 6}));
        Destroy(input);
      }
      Destroy(executable);
    });
  }
  for (std::thread& thread : threads) thread.join();
}

}  // namespace
}  // namespace iree_pjrt_test
