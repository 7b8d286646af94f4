// SPDX-License-Identifier: Apache-2.0
// Programs over several devices: what their devices pass and get, who owns it,
// and what is refused.
#include <gtest/gtest.h>

#include <utility>

#include "device_client.h"

namespace iree_pjrt_test {
namespace {

// Four devices, each with a shard of x; all have w. Each returns its shard
// times w, and all return the sum of the shards.
constexpr char kScaleAndSum[] = R"(// of four devices
// partitioned
module @scale attributes {
    iree_pjrt.arguments = "0 4 1 4 2 4 3 4",
    iree_pjrt.results = "0 4 1 4 2 4 3 4"} {
  func.func public @main(%a: tensor<2xf32>, %b: tensor<2xf32>, %c: tensor<2xf32>,
      %d: tensor<2xf32>, %w: tensor<2xf32>) -> (tensor<2xf32>, tensor<2xf32>,
      tensor<2xf32>, tensor<2xf32>, tensor<2xf32>) {
    %0 = stablehlo.multiply %a, %w : tensor<2xf32>
    %1 = stablehlo.multiply %b, %w : tensor<2xf32>
    %2 = stablehlo.multiply %c, %w : tensor<2xf32>
    %3 = stablehlo.multiply %d, %w : tensor<2xf32>
    %4 = stablehlo.add %a, %b : tensor<2xf32>
    %5 = stablehlo.add %c, %d : tensor<2xf32>
    %6 = stablehlo.add %4, %5 : tensor<2xf32>
    return %0, %1, %2, %3, %6 : tensor<2xf32>, tensor<2xf32>, tensor<2xf32>,
        tensor<2xf32>, tensor<2xf32>
  }
})";

// All devices have one array. The program writes into it, and it is all that
// they get.
constexpr char kUpdate[] = R"(// partitioned
module @update attributes {
    iree_pjrt.arguments = "0 0 0 0", iree_pjrt.results = "0 0 0 0"} {
  func.func public @main(%a: tensor<4xf32> {jax.buffer_donor = true}) -> tensor<4xf32> {
    %u = stablehlo.constant dense<9.0> : tensor<1xf32>
    %c = stablehlo.constant dense<1> : tensor<i32>
    %0 = stablehlo.dynamic_update_slice %a, %u, %c : (tensor<4xf32>, tensor<1xf32>, tensor<i32>) -> tensor<4xf32>
    return %0 : tensor<4xf32>
  }
})";

const Compilation kFour{.partitions = 4};

class ShardedProgramTest : public testing::Test {
 protected:
  void TearDown() override {
    if (executable_) Destroy(executable_);
  }

  void Compile(const char* text, const Compilation& compilation = kFour) {
    executable_ = client_.Compile(text, compilation);
    ASSERT_NE(executable_, nullptr);
  }

  // Shard k is {k, 10 k}; w is {2, 3}, in a buffer of its own on each device.
  DeviceBuffers Arguments(const std::vector<size_t>& devices = {0, 1, 2, 3}) {
    DeviceBuffers arguments;
    float k = 1;
    for (const size_t device : devices) {
      arguments.push_back(
          {client_.Put({k, 10 * k}, device), client_.Put({2, 3}, device)});
      ++k;
    }
    return arguments;
  }

  static void ExpectScaledAndSummed(const DeviceBuffers& results) {
    float k = 1;
    for (const auto& result : results) {
      EXPECT_EQ(Floats(ToHost(result[0])), (std::vector<float>{2 * k, 30 * k}));
      EXPECT_EQ(Floats(ToHost(result[1])), (std::vector<float>{10, 100}));
      ++k;
    }
  }

  // One buffer on the first device, and copies of it on the others.
  DeviceBuffers Replicated(const std::vector<float>& values) {
    DeviceBuffers arguments = {{client_.Put(values, 0)}};
    for (size_t i = 1; i < 4; ++i) {
      arguments.push_back({CopyTo(arguments[0][0], client_.devices()[i])});
    }
    return arguments;
  }

  const DeviceClient client_{4};
  PJRT_LoadedExecutable* executable_ = nullptr;
};

TEST_F(ShardedProgramTest, EachDeviceGetsItsResults) {
  Compile(kScaleAndSum);
  const DeviceBuffers arguments = Arguments();
  std::vector<PJRT_Event*> done;
  const DeviceBuffers results =
      Launch(executable_, arguments, 2, nullptr, {.done = &done});
  ASSERT_EQ(results.size(), 4u);
  ExpectScaledAndSummed(results);
  for (size_t i = 0; i < 4; ++i) {
    EXPECT_FALSE(Await(done[i]));
    EXPECT_EQ(DeviceOf(results[i][0]), client_.devices()[i]);
    EXPECT_EQ(DeviceOf(results[i][1]), client_.devices()[i]);
    EXPECT_EQ(Address(results[i][1]), Address(results[0][1]));
  }
  Destroy(results);
  Destroy(arguments);
}

TEST_F(ShardedProgramTest, TheAssignmentOrdersTheDevices) {
  Compile(kScaleAndSum,
          {.replicas = 2, .partitions = 2, .device_ids = {2, 0, 3, 1}});
  auto list = New<PJRT_LoadedExecutable_AddressableDevices_Args>();
  list.executable = executable_;
  ExpectOk(Api().PJRT_LoadedExecutable_AddressableDevices(&list));
  ASSERT_EQ(list.num_addressable_devices, 4u);
  EXPECT_EQ(list.addressable_devices[0], client_.devices()[2]);
  EXPECT_EQ(list.addressable_devices[3], client_.devices()[1]);
  const DeviceBuffers arguments = Arguments({2, 0, 3, 1});
  const DeviceBuffers results = Launch(executable_, arguments, 2);
  ASSERT_EQ(results.size(), 4u);
  ExpectScaledAndSummed(results);
  EXPECT_EQ(DeviceOf(results[0][0]), client_.devices()[2]);
  Destroy(results);
  Destroy(arguments);
}

TEST_F(ShardedProgramTest, AssignmentsThatMakeNoSenseAreRefused) {
  const auto refusal = [&](std::vector<int64_t> ids) {
    Failure failure;
    EXPECT_EQ(client_.Compile(kScaleAndSum,
                              {.partitions = 4, .device_ids = std::move(ids)},
                              &failure),
              nullptr);
    EXPECT_EQ(failure.code, PJRT_Error_Code_INVALID_ARGUMENT);
    return failure.message;
  };
  EXPECT_EQ(refusal({0, 1, 2, 1}),
            "the device assignment names device 1 twice");
  EXPECT_EQ(refusal({0, 1, 2, 4}),
            "there is no device with id 4; this client has 4");
  EXPECT_EQ(refusal({0, 1, 2, int64_t{1} << 32}),
            "there is no device with id 4294967296; this client has 4");
}

TEST_F(ShardedProgramTest, TellsOfOneDevice) {
  Compile(kScaleAndSum);
  auto get = New<PJRT_LoadedExecutable_GetExecutable_Args>();
  get.loaded_executable = executable_;
  ExpectOk(Api().PJRT_LoadedExecutable_GetExecutable(&get));
  auto outputs = New<PJRT_Executable_NumOutputs_Args>();
  outputs.executable = get.executable;
  ExpectOk(Api().PJRT_Executable_NumOutputs(&outputs));
  EXPECT_EQ(outputs.num_outputs, 2u);
  auto dims = New<PJRT_Executable_OutputDimensions_Args>();
  dims.executable = get.executable;
  ExpectOk(Api().PJRT_Executable_OutputDimensions(&dims));
  EXPECT_EQ(dims.num_outputs, 2u);
  auto sizes = New<PJRT_Executable_GetCompiledMemoryStats_Args>();
  sizes.executable = get.executable;
  ExpectOk(Api().PJRT_Executable_GetCompiledMemoryStats(&sizes));
  EXPECT_EQ(sizes.argument_size_in_bytes, 16);
  EXPECT_EQ(sizes.output_size_in_bytes, 16);
  auto program = New<PJRT_Program>();
  auto optimized = New<PJRT_Executable_OptimizedProgram_Args>();
  optimized.executable = get.executable;
  optimized.program = &program;
  ExpectOk(Api().PJRT_Executable_OptimizedProgram(&optimized));
  std::string text(program.code_size, '\0');
  program.code = text.data();
  ExpectOk(Api().PJRT_Executable_OptimizedProgram(&optimized));
  EXPECT_EQ(text, "// of four devices\n");
  auto destroy = New<PJRT_Executable_Destroy_Args>();
  destroy.executable = get.executable;
  ExpectOk(Api().PJRT_Executable_Destroy(&destroy));
}

TEST_F(ShardedProgramTest, BuffersMustLieWhereTheyArePassed) {
  Compile(kScaleAndSum, {.replicas = 2, .partitions = 2});
  DeviceBuffers arguments = Arguments();
  std::swap(arguments[1][0], arguments[2][0]);
  Failure failure;
  EXPECT_TRUE(Launch(executable_, arguments, 2, &failure).empty());
  EXPECT_EQ(failure.code, PJRT_Error_Code_INVALID_ARGUMENT);
  EXPECT_EQ(failure.message,
            "Buffer passed to Execute() as argument 0 to replica 0, partition "
            "1 is on device iree_cpu:2, but replica is assigned to device "
            "iree_cpu:1");
  Destroy(arguments);
}

TEST_F(ShardedProgramTest, WrongArgumentsAreRefused) {
  Compile(kScaleAndSum);
  DeviceBuffers arguments = Arguments();
  Failure failure;
  EXPECT_TRUE(Launch(executable_, {arguments[0]}, 2, &failure).empty());
  EXPECT_EQ(failure.message, "num_devices is 1; expected is 4");
  DeviceBuffers other = arguments;
  PJRT_Buffer* wrong = client_.Put({1, 2, 3}, 3);
  other[3][1] = wrong;
  EXPECT_TRUE(Launch(executable_, other, 2, &failure).empty());
  EXPECT_NE(failure.message.find("argument 1 has another shape"),
            std::string::npos);
  Destroy(wrong);
  for (auto& of_device : other) of_device.resize(1);
  EXPECT_TRUE(Launch(executable_, other, 2, &failure).empty());
  EXPECT_EQ(failure.message, "the program takes 2 arguments; given are 1");
  EXPECT_TRUE(Launch(executable_, {arguments[0]}, 2, &failure,
                     {.device = client_.devices()[0]})
                  .empty());
  EXPECT_EQ(failure.message,
            "execute_device is one device; the program is for 4");
  Destroy(arguments);
}

TEST_F(ShardedProgramTest, AnErrorOnOneFailsAll) {
  Compile(kScaleAndSum);
  // A broken shard, and a broken w, which the program reads on the first device
  // only.
  for (const size_t broken : {0, 1}) {
    DeviceBuffers arguments = Arguments();
    Destroy(arguments[2][broken]);
    arguments[2][broken] = client_.Broken(2, 2);
    std::vector<PJRT_Event*> done;
    const DeviceBuffers results =
        Launch(executable_, arguments, 2, nullptr, {.done = &done});
    ASSERT_EQ(results.size(), 4u);
    for (size_t i = 0; i < 4; ++i) {
      EXPECT_EQ(Await(done[i]).message, "lost it");
      for (PJRT_Buffer* result : results[i]) {
        Failure failure;
        ToHost(result, &failure);
        EXPECT_EQ(failure.code, PJRT_Error_Code_DATA_LOSS);
      }
    }
    Destroy(results);
    Destroy(arguments);
  }
}

TEST_F(ShardedProgramTest, PoisonOnOneFailsAll) {
  Compile(kScaleAndSum);
  DeviceBuffers arguments = Arguments();
  const Promise promise = client_.MakePromise(2, 0);
  PJRT_Buffer* source = std::exchange(arguments[0][0], promise.buffer);
  std::vector<PJRT_Event*> done;
  const DeviceBuffers results = Launch(executable_, arguments, 2, nullptr,
                                       {.launch_id = 7, .done = &done});
  auto poison = New<PJRT_Device_PoisonExecution_Args>();
  poison.device = client_.devices()[3];
  poison.launch_id = 7;
  poison.error_code = PJRT_Error_Code_ABORTED;
  poison.error_message = "poison";
  poison.error_message_size = 6;
  ExpectOk(Api().PJRT_Device_PoisonExecution(&poison));
  EXPECT_TRUE(poison.poisoned);
  for (PJRT_Event* event : done) EXPECT_EQ(Await(event).message, "poison");
  poison.device = client_.devices()[0];
  ExpectOk(Api().PJRT_Device_PoisonExecution(&poison));
  EXPECT_FALSE(poison.poisoned);
  client_.Fulfill(promise, source);
  Destroy(source);
  Destroy(results);
  Destroy(arguments);
}

TEST_F(ShardedProgramTest, DonatedCopiesOfOneArrayAreWrittenInPlace) {
  Compile(kUpdate);
  const DeviceBuffers arguments = Replicated({1, 2, 3, 4});
  const uintptr_t address = Address(arguments[3][0]);
  const DeviceBuffers results = Launch(executable_, arguments, 1);
  ASSERT_EQ(results.size(), 4u);
  for (size_t i = 0; i < 4; ++i) {
    EXPECT_TRUE(IsDeleted(arguments[i][0]));
    EXPECT_EQ(Address(results[i][0]), address);
    EXPECT_EQ(Floats(ToHost(results[i][0])), (std::vector<float>{1, 9, 3, 4}));
  }
  Destroy(results);
  Destroy(arguments);
}

TEST_F(ShardedProgramTest, WhatSomeoneElseHoldsIsCopied) {
  Compile(kUpdate);
  const std::vector<float> before = {1, 2, 3, 4};
  const DeviceBuffers arguments = Replicated(before);
  PJRT_Buffer* other = CopyTo(arguments[2][0], client_.devices()[1]);
  const DeviceBuffers results = Launch(executable_, arguments, 1);
  ASSERT_EQ(results.size(), 4u);
  EXPECT_TRUE(IsDeleted(arguments[2][0]));
  EXPECT_EQ(Floats(ToHost(other)), before);
  EXPECT_NE(Address(results[0][0]), Address(other));
  Destroy(other);
  Destroy(results);
  Destroy(arguments);
}

TEST_F(ShardedProgramTest, KeptArgumentsStayOnAllDevices) {
  Compile(kUpdate);
  const std::vector<float> before = {1, 2, 3, 4};
  const DeviceBuffers arguments = Replicated(before);
  const DeviceBuffers results =
      Launch(executable_, arguments, 1, nullptr, {.kept = {0}});
  ASSERT_EQ(results.size(), 4u);
  for (const auto& argument : arguments) {
    EXPECT_EQ(Floats(ToHost(argument[0])), before);
  }
  EXPECT_EQ(Floats(ToHost(results[3][0])), (std::vector<float>{1, 9, 3, 4}));
  Destroy(results);
  Destroy(arguments);
}

TEST_F(ShardedProgramTest, IsTheSameOnceSerialized) {
  Compile(kScaleAndSum);
  const std::string bytes = Serialize(executable_);
  Destroy(executable_);
  executable_ = client_.Load(bytes);
  ASSERT_NE(executable_, nullptr);
  EXPECT_EQ(Serialize(executable_), bytes);
  const DeviceBuffers arguments = Arguments();
  const DeviceBuffers results = Launch(executable_, arguments, 2);
  ASSERT_EQ(results.size(), 4u);
  ExpectScaledAndSummed(results);
  Destroy(results);
  Destroy(arguments);
  Failure failure;
  const Compilation two{.partitions = 2};
  EXPECT_EQ(client_.Load(bytes, &two, &failure), nullptr);
  EXPECT_EQ(failure.message,
            "the serialized executable is for 4 devices, not for the 2 of the "
            "compile options");
  const DeviceClient small(2);
  EXPECT_EQ(small.Load(bytes, nullptr, &failure), nullptr);
  EXPECT_EQ(failure.message, "there is no device with id 2; this client has 2");
}

std::string Replied(const std::string& arguments, const std::string& results) {
  return "// partitioned\nmodule @m attributes {iree_pjrt.arguments = \"" +
         arguments + "\", iree_pjrt.results = \"" + results + R"("} {
  func.func public @main(%a: tensor<2xf32>, %b: tensor<3xf32>) -> (tensor<2xf32>, tensor<3xf32>) {
    return %a, %b : tensor<2xf32>, tensor<3xf32>
  }
})";
}

TEST_F(ShardedProgramTest, RepliesThatDoNotFitAreRefused) {
  const auto refusal = [&](const std::string& text) {
    Failure failure;
    EXPECT_EQ(client_.Compile(text, {.replicas = 2}, &failure), nullptr);
    return failure;
  };
  const std::string of_arguments =
      "the arguments of the 2 devices do not fit the partitioned program: ";
  const std::string of_results =
      "the results of the 2 devices do not fit the partitioned program: ";
  const std::string right = "0 1 0 1";
  const std::vector<std::pair<std::string, std::string>> wrong = {
      {Replied("0 1 0", right), of_arguments + "there are 3 of them"},
      {Replied("0 1 0 2", right), of_arguments + "it has no input 2"},
      {Replied("0 0", right), of_arguments + "none is its input 1"},
      {Replied("0 1 1 0", right),
       of_arguments + "number 0 has not the same shape on all of them"},
      {Replied(right, "0 -1 0 1"),
       "the partitioned program's iree_pjrt.results is no list of numbers: '0 "
       "-1 0 1'"},
      {Replied(right, ""), of_results + "none is its output 0"},
  };
  for (const auto& [text, message] : wrong) {
    const Failure failure = refusal(text);
    EXPECT_EQ(failure.code, PJRT_Error_Code_INTERNAL) << message;
    EXPECT_EQ(failure.message, message);
  }
  EXPECT_EQ(refusal("module {}").message,
            "the program could not be prepared for IREE: there is no reply in "
            "it");
}

TEST(FrameworkPassesTest, ProgramsOverSeveralDevicesNeedIt) {
  std::string code = Replied("0 1 0 1", "0 1 0 1");
  PJRT_Program program = MlirProgram(code);
  const std::string options = Compilation{.replicas = 2}.Proto();
  auto args = New<PJRT_Client_Compile_Args>();
  args.client = SharedClient();
  args.program = &program;
  args.compile_options = options.data();
  args.compile_options_size = options.size();
  const Failure failure = ToFailure(Api().PJRT_Client_Compile(&args));
  EXPECT_EQ(failure.code, PJRT_Error_Code_UNIMPLEMENTED);
  EXPECT_NE(failure.message.find("no framework_passes"), std::string::npos);
}

}  // namespace
}  // namespace iree_pjrt_test
